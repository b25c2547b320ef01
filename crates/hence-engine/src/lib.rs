//! Engines: from a program and its input facts to the model. None names another; all agree to the bit.

mod budget;
mod cells;
pub mod naive;
mod report;
mod rows;
pub mod seminaive;

use std::ops::Index;
use std::time::Duration;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
pub use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId};
pub use rows::Rows;

/// The input of an evaluation: rows of each relation, by [`RelationId`]. Rows of a derived relation may be among
/// them (facts given in a test); they stand beside what its rules derive. Rows may stand twice.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// By [`RelationId`], one for each relation of the program.
    pub relations: Vec<Rows>,
}

impl Database {
    /// An input without facts for `program`.
    pub fn new(program: &Program) -> Self {
        Self {
            relations: program.relations.iter().map(|relation| Rows::new(relation.columns.len())).collect(),
        }
    }

    /// The rows of a relation.
    pub fn rows(&self, relation: RelationId) -> Option<&Rows> {
        self.relations.get(relation.0 as usize)
    }

    /// Takes all rows out, and keeps the room.
    pub fn clear(&mut self) {
        self.relations.iter_mut().for_each(Rows::clear);
    }

    /// Adds a row to a relation of the program that the database was made for.
    #[track_caller]
    pub fn push(&mut self, relation: RelationId, row: &[Word]) {
        self.relations.get_mut(relation.at()).or_broken(RelationId::INVARIANT).push(row);
    }

    /// The rows of the relations with their numbers.
    fn into_numbered(self) -> impl Iterator<Item = (RelationId, Rows)> {
        self.relations.into_iter().enumerate().map(|(at, rows)| (RelationId::new(at), rows))
    }
}

/// All facts of one relation after an evaluation, each once.
#[derive(Clone, Debug, Default)]
pub struct Extent {
    /// The facts in the order of their derivation: round by round; no order is promised inside a round.
    pub rows: Rows,
    /// `rounds[k]` is the number of facts that the rounds up to `k` derived. Round 0 holds the input and the facts
    /// of rule files; round `k + 1` what follows from facts of lower strata and of rounds up to `k` of this one.
    pub rounds: Vec<usize>,
}

impl Extent {
    /// The round in which the row at `at` was first derived: its rank inside its stratum.
    pub fn rank(&self, at: usize) -> usize {
        self.rounds.partition_point(|&end| end <= at)
    }
}

/// An operation without a result, reported because every literal that doesn't depend on it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undefined {
    /// The rule.
    pub rule: RuleId,
    /// The operation.
    pub span: Span,
    /// The values of the rule's variables; `None` for those that depend on the operation.
    pub bindings: Vec<Option<Word>>,
}

/// What an evaluation gives.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Every relation, inputs included, by [`RelationId`].
    pub relations: Vec<Extent>,
    /// Operations without a result: of each rule the smallest few by position and bindings, ascending.
    pub undefined: Vec<Undefined>,
}

/// How many operations without a result are kept of each rule.
pub const UNDEFINED_KEPT: usize = 16;

impl Model {
    /// The facts of a relation.
    pub fn extent(&self, relation: RelationId) -> Option<&Extent> {
        self.relations.get(relation.0 as usize)
    }
}

impl Index<RelationId> for Model {
    type Output = Extent;

    #[track_caller]
    fn index(&self, relation: RelationId) -> &Extent {
        self.relations.get(relation.at()).or_broken(RelationId::INVARIANT)
    }
}

/// What bounds an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Facts that may be derived, and elements that may be generated, together.
    pub facts: u64,
    /// Rounds of one recursion.
    pub iterations: u64,
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes of the relations and their indexes; what else a process takes is watched by [`hence_core::meter`].
    pub memory: Option<u64>,
    /// Threads.
    pub threads: Threads,
}

/// On how many threads an engine may work. What it derives doesn't depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The most threads; 0 counts as 1, and more than [`Threads::MOST`] as so many.
    pub most: usize,
    /// How long a rule is at work before others help.
    pub after: Duration,
}

impl Threads {
    /// No more than the one that asks.
    pub const ONE: Self = Self { most: 1, after: Duration::from_micros(200) };

    /// More than these never work on one rule.
    pub const MOST: usize = 64;

    /// As many as the machine has processors for.
    pub fn available() -> Self {
        Self::of(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Up to `most`.
    pub fn of(most: usize) -> Self {
        Self { most, ..Self::ONE }
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::ONE
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            facts: 50_000_000,
            iterations: 10_000_000,
            time: None,
            memory: None,
            threads: Threads::default(),
        }
    }
}

/// An evaluation that stopped at a limit; nothing of it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The limit.
    pub bound: Bound,
    /// The rule that was at work.
    pub rule: RuleId,
    /// The relation that it derives.
    pub relation: RelationId,
}

/// The facts of a relation by numbers, as those look them up who ask questions about a few of very many.
pub trait Facts {
    /// How many facts a relation has.
    fn count(&self, relation: RelationId) -> usize;

    /// Whether some fact of a relation has rank 0: it is given.
    fn is_stated(&self, relation: RelationId) -> bool;

    /// The fact with a number; none where there isn't one.
    fn fact(&self, relation: RelationId, number: u32) -> &[Word];

    /// The round in which a fact is derived inside its stratum.
    fn rank(&self, relation: RelationId, number: u32) -> usize;

    /// Calls `visit` with each fact of a rank below `below` that has the words of `key`, until it returns false.
    fn each(
        &self,
        relation: RelationId,
        key: &[Option<Word>],
        below: usize,
        visit: &mut dyn FnMut(u32) -> bool,
    );
}

/// An engine.
pub trait Engine {
    /// What records call it.
    fn name(&self) -> &'static str;

    /// Whether a standing evaluation, [`seminaive::standing::Standing`], may take its place between changes.
    fn stands(&self) -> bool {
        false
    }

    /// The model of `program` over `input`: all facts that follow, and the operations without a result. The input is
    /// taken, so that its rows can become those of the model without a copy.
    ///
    /// # Errors
    /// The limit that was reached first.
    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached>;
}
