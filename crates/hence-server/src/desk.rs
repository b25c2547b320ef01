//! Who answers: the other side of the service, which has the session.

use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};
use tokio::sync::{oneshot, watch};

use super::principal::Identity;
use super::problem::Problem;
use super::question::Question;

/// A question with all that goes with it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The question.
    pub question: Question,
    /// Who asks.
    pub by: Identity,
    /// When the answer is of no use any more.
    pub until: Instant,
    /// What it is asked of.
    pub moment: AsOf,
}

/// Of which state of the ledger something is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AsOf {
    /// At least this transaction is known.
    pub min_tx: Option<u64>,
    /// A transaction or a time of the past.
    pub as_of: Option<String>,
}

/// An answer, which holds `tx` and `head`; or why there is none.
pub type DeskAnswer = Result<Map<String, Json>, Problem>;

/// Where the answer is put.
pub type AnswerSender = oneshot::Sender<DeskAnswer>;

/// What the ledger and the rules are like now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The last transaction.
    pub tx: u64,
    /// Its hash.
    pub head: String,
    /// How many keys of personal values were destroyed: what was read before may hold such values.
    pub erased: u64,
    /// Whether requests are answered; not before everything is open, and not once it is to stop.
    pub is_ready: bool,
    /// What is wrong with rules that were changed and are not in force.
    pub faulty_rules: Option<String>,
}

/// What everybody may look at, and wait for.
pub type Board = watch::Receiver<Standing>;

/// Who tells it.
pub type Teller = watch::Sender<Standing>;

/// Answers questions, on threads of its own.
pub trait Desk: Send + Sync + 'static {
    /// Puts a question into the queue.
    ///
    /// # Errors
    /// It is full.
    fn ask(&self, asked: Asked, reply: AnswerSender) -> Result<(), Problem>;

    /// What the ledger and the rules are like.
    fn board(&self) -> Board;

    /// How many questions wait.
    fn waiting(&self) -> usize;

    /// Whether `/access/v1` has something to ask.
    fn has_authzen(&self) -> bool;

    /// What the host of an agent is told about an event, or about one that can't be read; this waits for the verdict. `None`
    /// where there is no such host.
    fn hook(&self, _host: &str, _shadow: bool, _event: Result<&[u8], &str>) -> Option<Hooked> {
        None
    }
}

/// What a host of an agent is told, as its hook's process would tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooked {
    /// On standard output.
    pub output: Option<String>,
    /// On standard error.
    pub error: Option<String>,
    /// The exit status.
    pub status: u8,
}

/// What a desk answers within `budget`.
pub(crate) async fn ask(desk: &dyn Desk, asked: Asked, budget: Duration) -> Result<Json, Problem> {
    let until = tokio::time::Instant::from_std(asked.until);
    let writes = asked.question.writes();
    let late = || {
        let what =
            if writes { "; whether it was recorded is not known: ask again with the same key" } else { "" };
        Problem::busy(format!("no answer within {budget:?}{what}"))
    };
    if let Some(least) = asked.moment.min_tx {
        let mut board = desk.board();
        let known = tokio::time::timeout_at(until, board.wait_for(|standing| standing.tx >= least)).await;
        match known {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return Err(Problem::busy("the service stops")),
            Err(_) => return Err(Problem::busy(format!("transaction {least} is not known yet"))),
        }
    }
    let (reply, answer) = oneshot::channel();
    desk.ask(asked, reply)?;
    match tokio::time::timeout_at(until, answer).await {
        Ok(Ok(answer)) => answer.map(Json::Object),
        Ok(Err(_)) => Err(Problem::busy("the service stops")),
        Err(_) => Err(late()),
    }
}
