//! Carrying decisions out: what a carrier receives of a decision, and what it reports.

use std::time::Duration;

use serde_json::{Value as Json, json};

use hence_core::fact::Fact;
use hence_core::json;
use hence_core::threads;
use hence_core::value::Value;

/// How much a carrier may answer, in bytes.
pub const MOST_ANSWERED: u64 = 1 << 20;
/// How long is waited beyond the time limit for what should have ended by itself.
const GRACE: Duration = Duration::from_secs(1);

/// What holds while a decision is carried out.
pub trait World {
    /// The facts of a relation, given or derived.
    ///
    /// # Errors
    /// There is no such relation, or it can't be derived.
    fn rows(&self, relation: &str) -> Result<FactRows, String>;
}

/// The facts of a relation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactRows {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its facts, ascending.
    pub facts: Vec<Fact>,
}

impl FactRows {
    /// Each fact as an object of JSON.
    pub fn objects(&self) -> Vec<Json> {
        let object = |fact: &Fact| {
            let values = fact.values.iter().map(|value| json::value(*value));
            Json::Object(self.columns.iter().cloned().zip(values).collect())
        };
        self.facts.iter().map(object).collect()
    }
}

/// A decision that is to be carried out.
#[derive(Clone)]
pub struct Order<'a> {
    /// Its id, such as `12.3`: the key under which it is carried out once, however often it is tried.
    pub id: &'a str,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// The decision.
    pub decision: &'a Fact,
    /// The names of its columns.
    pub columns: &'a [String],
    /// The rule that drew it.
    pub rule: Option<&'a str>,
    /// The rule's sentence.
    pub because: Option<&'a str>,
    /// The clock of the rules, in microseconds since the epoch.
    pub now: i64,
    /// What holds.
    pub world: &'a dyn World,
}

impl Order<'_> {
    /// The value in this column of the decision.
    pub fn value(&self, column: &str) -> Option<Value> {
        let at = self.columns.iter().position(|known| known == column)?;
        self.decision.values.get(at).copied()
    }

    /// The decision as one line of JSON, which programs and web hooks receive.
    pub fn message(&self) -> String {
        let values = self.decision.values.iter().map(|value| json::value(*value));
        let values = self.columns.iter().cloned().zip(values);
        let message: Json = json!({
            "id": self.id, "relation": self.decision.relation.as_str(),
            "values": values.collect::<serde_json::Map<_, _>>(),
            "rule": self.rule, "because": self.because, "now": Value::Time(self.now).text(),
        });
        format!("{message}\n")
    }
}

/// What came of carrying a decision out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Facts that are to be asserted, in the columns of the shipped packs.
    pub facts: Vec<Fact>,
    /// Facts as JSON Lines, for whoever knows the rules to read.
    pub lines: String,
    /// What a program wrote to standard error, for people.
    pub said: String,
    /// Why what it answered can't be read, though it did it.
    pub unread: Option<String>,
}

/// What is known of a decision that wasn't carried out as it should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was not carried out.
    Undone,
    /// Nobody knows.
    Unknown,
    /// It was not, and trying again doesn't help.
    Refused,
}

/// A decision that wasn't carried out as it should have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What is known of it.
    pub fate: Fate,
    /// What went wrong.
    pub message: String,
    /// What a program wrote to standard error, for people.
    pub said: String,
}

impl Failed {
    /// With nothing said.
    pub fn new(fate: Fate, message: impl Into<String>) -> Self {
        Self { fate, message: message.into(), said: String::new() }
    }
}

/// Something that carries decisions out. It asserts nothing itself: what it did comes back as facts, so the loop is
/// closed through the fact base.
pub trait Carrier {
    /// The name under which its facts are asserted if no other is set, and which messages call it.
    fn name(&self) -> &'static str;

    /// What it is called where people read what it wrote to standard error.
    fn speaker(&self) -> String {
        self.name().to_owned()
    }

    /// Whether it changes something outside. What only makes facts is done once its facts are recorded.
    fn is_outside(&self) -> bool {
        true
    }

    /// Takes up what an earlier process left half-way, once before the first order.
    ///
    /// # Errors
    /// What can't be taken up, and why.
    fn take_up(&self) -> Result<(), String> {
        Ok(())
    }

    /// Carries a decision out.
    ///
    /// # Errors
    /// It could not be done, or nobody knows; nothing of it is to be asserted.
    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed>;
}

/// What `work` comes to, which can't be told to end: at most a little more than `limit` is waited for it.
pub(super) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, Failed> + Send + 'static,
) -> Result<T, Failed> {
    let (sender, receiver) = std::sync::mpsc::channel();
    threads::begin("carrier", move || sender.send(work()))
        .map_err(|error| Failed::new(Fate::Undone, error.to_string()))?;
    let late = |_| Failed::new(Fate::Unknown, format!("no answer within {limit:?}"));
    receiver.recv_timeout(limit.saturating_add(GRACE)).map_err(late)?
}
