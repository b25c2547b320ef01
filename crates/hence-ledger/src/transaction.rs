//! What is proposed to the ledger, what became of it, and what it knows of its past.

use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::schema::Column;
use hence_core::symbol::Symbol;

use super::bytes::Malformed;
use super::content::{self, Act, Change};
use super::hash::Hash;
use super::principals::Ed25519Signature;
use super::said::Said;
use super::step::EffectRound;
use super::tuple;

/// The rules that drew decisions: all text that was loaded, and the parameters that were set. Hashed once; copies share
/// the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRules(Arc<Texts>);

#[derive(Debug, PartialEq, Eq)]
struct Texts {
    files: Vec<(String, String)>,
    params: Vec<(String, String)>,
    hash: Hash,
}

impl RecordedRules {
    /// The text of each rule file under its name, in the order of loading, and the parameters set for the run, by name,
    /// as literals.
    pub fn new(files: Vec<(String, String)>, params: Vec<(String, String)>) -> Self {
        let hash = Hash::of(&content::encode_rules(&files, &params));
        Self(Arc::new(Texts { files, params, hash }))
    }

    /// The text of each rule file under its name, in the order of loading.
    pub fn files(&self) -> &[(String, String)] {
        &self.0.files
    }

    /// The parameters set for the run, by name, as literals.
    pub fn params(&self) -> &[(String, String)] {
        &self.0.params
    }

    /// The hash under which the ledger keeps this rule set.
    pub fn hash(&self) -> Hash {
        self.0.hash
    }
}

/// How the evaluation ran that drew decisions, so that it can be run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The engine, by name.
    pub engine: String,
    /// Whether undefined operations counted as false.
    pub lenient: bool,
    /// What it was allowed to spend.
    pub limits: RunLimits,
    /// The version of the time zone database, where the rules use one.
    pub zones: Option<String>,
}

/// The limits of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Facts that may be derived.
    pub facts: u64,
    /// Rounds of one recursion.
    pub iterations: u64,
    /// Wall time in microseconds.
    pub time: Option<u64>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// The columns that facts of a relation have from a transaction on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The relation.
    pub relation: Symbol,
    /// Its columns, in the order in which facts hold their values.
    pub columns: Vec<Column>,
    /// Whether facts from before have columns that don't compare with these, as after a migration.
    pub renews: bool,
}

/// A decision that lapsed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lapsed {
    /// The decision.
    pub fact: Fact,
    /// Why, where that isn't that it follows no longer.
    pub reason: Option<String>,
}

impl From<Fact> for Lapsed {
    fn from(fact: Fact) -> Self {
        Self { fact, reason: None }
    }
}

/// A decision with what explains it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decision {
    /// The decision.
    pub fact: Fact,
    /// The identity of a rule that derives it.
    pub rule: Option<String>,
    /// The rule's sentence for this derivation.
    pub sentence: Option<String>,
}

impl Decision {
    /// A decision without an explanation.
    pub fn new(fact: Fact) -> Self {
        Self { fact, rule: None, sentence: None }
    }
}

/// A transaction as it is proposed.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Microseconds since the epoch; a time before the last transaction's becomes that one's.
    pub time: i64,
    /// Who asserts this.
    pub author: String,
    /// Where it comes from: an actuator, a file, an interface.
    pub source: String,
    /// What the author wants to add.
    pub note: Option<String>,
    /// Facts that are to hold afterwards.
    pub assertions: Vec<Fact>,
    /// Facts that are not to hold afterwards, unless they are asserted too.
    pub retractions: Vec<Fact>,
    /// The clock of the evaluation that drew the decisions: the fact `now(at)`, in microseconds.
    pub clock: Option<i64>,
    /// The rules of that evaluation.
    pub rules: Option<RecordedRules>,
    /// How it ran.
    pub run: Option<Run>,
    /// Schemas that the facts of the ledger have from this transaction on.
    pub schemas: Vec<Schema>,
    /// What effects did, which the facts hold already; none where the rules have no effects. A draft with steps is
    /// recorded, though it may change nothing.
    pub steps: Option<Vec<EffectRound>>,
    /// Asserted facts that others say than the author.
    pub said: Vec<Said>,
    /// Decisions that are drawn.
    pub drawn: Vec<Decision>,
    /// Decisions that lapse.
    pub lapsed: Vec<Lapsed>,
    /// Refuse unless this is the number of the last transaction.
    pub expect_tx: Option<u64>,
    /// Record it though it changes nothing.
    pub always: bool,
    /// Leave it to [`Ledger::make_durable`](super::Ledger::make_durable) to make it durable, with others.
    pub deferred: bool,
}

/// What a draft changes: each list ascending, without repetitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Facts that didn't hold and will.
    pub added: Vec<Fact>,
    /// Facts that hold and won't.
    pub removed: Vec<Fact>,
    /// Asserted facts that hold already.
    pub present: Vec<Fact>,
    /// Retracted facts that don't hold.
    pub missing: Vec<Fact>,
}

impl Changes {
    /// Whether any fact comes or goes.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// How many facts of a draft came and went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Facts that didn't hold and do.
    pub added: u64,
    /// Facts that held and don't.
    pub removed: u64,
    /// Asserted facts that held already.
    pub present: u64,
    /// Retracted facts that didn't hold.
    pub missing: u64,
}

/// A transaction that is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its number; the last transaction's where nothing was proposed and so nothing recorded.
    pub tx: u64,
    /// Whether a transaction was recorded.
    pub recorded: bool,
    /// Its time, in microseconds since the epoch.
    pub time: i64,
    /// Its hash, the head of the chain.
    pub head: Hash,
    /// What became of the assertions and retractions; [`Ledger::resolve`](super::Ledger::resolve) names them.
    pub tally: Tally,
    /// Current facts.
    pub facts: u64,
}

/// What is recorded of a transaction beside its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxInfo {
    /// Its number, from 1.
    pub tx: u64,
    /// Microseconds since the epoch.
    pub time: i64,
    /// Who asserted it.
    pub author: String,
    /// Where it came from.
    pub source: String,
    /// What the author added.
    pub note: Option<String>,
    /// The clock of the evaluation that drew its decisions.
    pub clock: Option<i64>,
    /// The hash of the rules that drew its decisions.
    pub rules: Option<Hash>,
    /// How the evaluation ran that drew its decisions; none before this was recorded.
    pub run: Option<Run>,
    /// The schemas that facts have from it on.
    pub schemas: Vec<Schema>,
    /// What effects did; none where its rules have no effects.
    pub steps: Option<Vec<EffectRound>>,
    /// Facts that others say than the author.
    pub said: Vec<Said>,
    /// The signature of the author.
    pub signature: Option<Ed25519Signature>,
    /// How many facts it added.
    pub added: u64,
    /// How many facts it removed.
    pub removed: u64,
    /// How many asserted facts held already.
    pub present: u64,
    /// How many retracted facts didn't hold.
    pub missing: u64,
    /// How many decisions it drew.
    pub drawn: u64,
    /// How many decisions lapsed.
    pub lapsed: u64,
    /// How many facts held after it.
    pub facts: u64,
    /// How many decisions were in force after it.
    pub decisions: u64,
    /// The digest of facts and decisions after it.
    pub digest: Hash,
    /// Its hash.
    pub hash: Hash,
    /// The hash of the transaction before.
    pub previous: Hash,
}

/// A whole transaction; the lists are ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Everything beside the facts.
    pub info: TxInfo,
    /// The facts added.
    pub added: Vec<Fact>,
    /// The facts removed, with the transaction that had asserted each.
    pub removed: Vec<(Fact, u64)>,
    /// The decisions drawn.
    pub drawn: Vec<Decision>,
    /// The decisions that lapsed, with the transaction that had drawn each.
    pub lapsed: Vec<(Lapsed, u64)>,
}

impl Transaction {
    /// Takes a change of its record in.
    pub(super) fn take(&mut self, change: &Change<'_>) -> Result<(), Malformed> {
        let fact = Fact { relation: change.relation, values: tuple::decode(change.tuple)? };
        let owned = |text: Option<&str>| text.map(str::to_owned);
        match change.act {
            Act::Assert => self.added.push(fact),
            Act::Retract { since } => self.removed.push((fact, since)),
            Act::Draw { rule, sentence } => {
                self.drawn.push(Decision { fact, rule: owned(rule), sentence: owned(sentence) });
            }
            Act::Lapse { since, reason } => {
                self.lapsed.push((Lapsed { fact, reason: owned(reason) }, since));
            }
        }
        Ok(())
    }
}

/// Who asserted a current fact, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The transaction.
    pub tx: u64,
    /// Its time, in microseconds since the epoch.
    pub time: i64,
    /// Its author, or whom they speak for.
    pub author: String,
    /// Whether a signature of the author holds.
    pub signed: bool,
    /// Its source.
    pub source: String,
    /// Its note.
    pub note: Option<String>,
    /// The number of the step and the sentence of the rule, where an effect asserted it; the author is the rule then.
    pub step: Option<(u64, Option<String>)>,
}

/// A span of transactions during which a fact or decision held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The transaction that asserted or drew it.
    pub from: u64,
    /// The transaction with which it went; `None` while it holds.
    pub until: Option<u64>,
}

/// A decision in force.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InForce {
    /// The decision and its explanation as of when it was drawn.
    pub decision: Decision,
    /// The transaction that drew it.
    pub tx: u64,
}

/// How many current facts and decisions a relation has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationCount {
    /// The relation.
    pub relation: String,
    /// Its facts.
    pub facts: u64,
    /// Its decisions.
    pub decisions: u64,
}

/// A ledger at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How many transactions there are.
    pub transactions: u64,
    /// The time of the last, in microseconds since the epoch.
    pub time: Option<i64>,
    /// Current facts.
    pub facts: u64,
    /// Decisions in force.
    pub decisions: u64,
    /// The hash of the last transaction.
    pub head: Hash,
    /// Bytes of the journal.
    pub journal_bytes: u64,
    /// Bytes of what is read of the base, itself or its table, on its medium; 0 in memory.
    pub base_bytes: u64,
    /// The last transaction that this holds by itself; none where it isn't read.
    pub base_tx: Option<u64>,
    /// Whether it is the table.
    pub from_table: bool,
    /// Why nothing can be written, if so.
    pub stopped: Option<String>,
}
