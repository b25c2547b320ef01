//! `GET /v1/changes`: transactions as server-sent events, each once and in order, from any transaction on. What a listener
//! needs is read from the ledger once, and kept for the others.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::Value as Json;
use tokio::sync::{Mutex, oneshot};

use super::call::Call;
use super::desk::{AsOf, Asked, Board};
use super::meters::Listener;
use super::principal::{Identity, Scope, Shown};
use super::problem::Problem;
use super::question::Question;
use super::service::Service;

/// How many bytes of transactions are kept for listeners.
const KEPT: usize = 16 << 20;
/// What is counted for each beside its text.
const ENTRY: usize = 128;
/// How many transactions are read or handed out at once.
const AT_ONCE: usize = 100;
/// How many bytes they have at most, but for the first.
const BYTES: usize = 1 << 20;
/// How often something is said where nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a read may take.
const LONGEST: Duration = Duration::from_secs(10);
/// How often it is looked whether whoever listens still may.
const LOOK: Duration = Duration::from_millis(500);
/// How long to wait before reading again what could not be read.
const PAUSE: Duration = Duration::from_millis(100);
/// The status of a problem that is over after a while.
const BUSY: u16 = 503;

/// Transactions in order, each as its text.
type Run = Vec<(u64, Arc<str>)>;

/// The transactions that listeners read last.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Kept>);

/// What is kept of them.
#[derive(Default)]
struct Kept {
    /// How many keys of personal values were destroyed when they were read.
    erased: u64,
    all: BTreeMap<u64, Arc<str>>,
    /// In the order in which they were read; the first goes first.
    came: VecDeque<u64>,
    bytes: usize,
}

impl Kept {
    /// Those from `from` on that are kept without a gap.
    fn run(&self, from: u64) -> Run {
        let due = (from..).zip(self.all.range(from..)).take_while(|(due, (found, _))| due == *found);
        let mut bytes = 0_usize;
        let fits = |(_, (_, text)): &(u64, (&u64, &Arc<str>))| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(text.len());
            is_first || bytes <= BYTES
        };
        due.take(AT_ONCE).take_while(fits).map(|(tx, (_, text))| (tx, Arc::clone(text))).collect()
    }

    /// Keeps what was read, in the place of what was read before it.
    fn keep(&mut self, read: &Run) {
        for (tx, text) in read {
            if self.all.insert(*tx, Arc::clone(text)).is_none() {
                self.came.push_back(*tx);
                self.bytes = self.bytes.saturating_add(text.len() + ENTRY);
            }
        }
        while self.bytes > KEPT
            && let Some(first) = self.came.pop_front()
        {
            let gone = self.all.remove(&first).map_or(0, |text| text.len() + ENTRY);
            self.bytes = self.bytes.saturating_sub(gone);
        }
    }
}

impl Recent {
    /// Transactions from `from` on; one reader at a time asks, and the others find what it read.
    async fn from(&self, service: &Service, by: &Identity, from: u64) -> Result<Run, Problem> {
        let mut kept = self.0.lock().await;
        let erased = service.desk.board().borrow().erased;
        if kept.erased != erased {
            *kept = Kept { erased, ..Kept::default() };
        }
        let found = kept.run(from);
        if !found.is_empty() {
            return Ok(found);
        }
        let asked = Asked {
            question: Question::Log { from, limit: AT_ONCE, bytes: BYTES },
            by: by.clone(),
            until: Instant::now() + LONGEST,
            moment: AsOf { min_tx: Some(from), as_of: None },
        };
        let (reply, answer) = oneshot::channel();
        service.desk.ask(asked, reply)?;
        let answer = answer.await.map_err(|_| Problem::busy("nobody answers"))??;
        let read = answer.get("transactions").and_then(Json::as_array);
        let number = |one: &Json| one.get("transaction").and_then(Json::as_u64);
        let text = |one: &Json| Some((number(one)?, Arc::from(one.to_string())));
        let read: Run = read.into_iter().flatten().filter_map(text).collect();
        kept.keep(&read);
        Ok(read)
    }
}

/// Somebody who listens.
struct Listening {
    service: Arc<Service>,
    by: Identity,
    shown: Shown,
    /// When it was seen last that they may listen.
    seen: Instant,
    board: Board,
    /// The next transaction.
    next: u64,
    ready: VecDeque<(u64, Arc<str>)>,
    /// How many keys of personal values were destroyed when these were read.
    erased: u64,
    /// Whether nothing follows.
    is_over: bool,
    _counted: Listener,
}

impl Listening {
    /// Whether they still may listen: a token may be revoked or have ended since.
    fn may_listen(&mut self) -> bool {
        if self.seen.elapsed() < LOOK {
            return true;
        }
        self.seen = Instant::now();
        self.service.auth.admitted(&self.shown, Scope::Read).is_ok()
    }

    /// The next transaction, once there is one, or why it can't be read; `None` after that, where the service stops, or who
    /// listens may no longer.
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if self.is_over || !self.may_listen() {
                return None;
            }
            let erased = self.board.borrow().erased;
            if std::mem::replace(&mut self.erased, erased) != erased {
                self.ready.clear();
            }
            if let Some((tx, one)) = self.ready.pop_front() {
                self.next = tx + 1;
                let event = Event::default().id(tx.to_string()).event("transaction").data(&*one);
                return Some((Ok(event), self));
            }
            let standing = self.board.borrow_and_update().clone();
            if !standing.is_ready {
                return None;
            }
            if standing.tx < self.next {
                if let Ok(changed) = tokio::time::timeout(LOOK, self.board.changed()).await {
                    changed.ok()?;
                }
                continue;
            }
            match self.service.recent.from(&self.service, &self.by, self.next).await {
                Ok(found) if !found.is_empty() => self.ready.extend(found),
                Err(problem) if problem.status != BUSY => {
                    self.is_over = true;
                    let event = Event::default().event("problem").data(problem.json().to_string());
                    return Some((Ok(event), self));
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}

/// Where a listener goes on: after `Last-Event-ID`, else after `after`, else with what comes.
fn begins(call: &Call, tx: u64) -> Result<u64, Problem> {
    let last = match call.header("Last-Event-ID")? {
        Some(text) => {
            let wrong =
                || Problem::malformed(format!("`Last-Event-ID`: expected a transaction, found `{text}`"));
            Some(text.parse::<u64>().map_err(|_| wrong())?)
        }
        None => call.number("after")?,
    };
    Ok(last.unwrap_or(tx).saturating_add(1))
}

/// The stream; what can't be read of what was is a problem before it begins.
pub(crate) async fn stream(
    service: &Arc<Service>,
    (by, shown): (Identity, Shown),
    call: &Call,
) -> Result<Response, Problem> {
    let board = service.desk.board();
    let (tx, erased) = (board.borrow().tx, board.borrow().erased);
    let next = begins(call, tx)?;
    let mut ready = VecDeque::new();
    if next <= tx {
        match service.recent.from(service, &by, next).await {
            Ok(found) => ready.extend(found),
            Err(problem) if problem.status == BUSY => {}
            Err(problem) => return Err(problem),
        }
    }
    let listening = Listening {
        service: Arc::clone(service),
        by,
        shown,
        seen: Instant::now(),
        board,
        next,
        ready,
        erased,
        is_over: false,
        _counted: service.meters.listener(),
    };
    let events = stream::unfold(listening, Listening::next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}
