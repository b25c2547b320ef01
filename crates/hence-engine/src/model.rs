//! What goes into an evaluation and what comes out: input, finished model, undefined operations.

use crate::limits::{LimitReached, Limits};
use crate::rows::{Row, Rows};
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId};
use std::ops::Index;

/// The input of an evaluation: rows of each relation, by [`RelationId`]. Rows of a derived relation may be among
/// them (facts given in a test); they are added to what its rules derive. Duplicate rows count once.
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
    #[inline]
    pub fn push(&mut self, relation: RelationId, row: &[Word]) {
        self.relations.get_mut(relation.at()).or_broken(RelationId::INVARIANT).push(row);
    }

    /// The rows of the relations with their numbers.
    pub(crate) fn into_numbered(self) -> impl Iterator<Item = (RelationId, Rows)> {
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

/// An undefined operation, reported because every literal that doesn't depend on it holds.
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
    /// Undefined operations: of each rule the smallest few by position and bindings, ascending.
    pub undefined: Vec<Undefined>,
}

/// How many undefined operations are kept of each rule.
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

/// The facts of a relation by numbers, as those look them up who ask questions about a few of very many.
pub trait FactSource {
    /// How many facts a relation has.
    fn count(&self, relation: RelationId) -> usize;

    /// Whether some fact of a relation has rank 0: it is given.
    fn has_asserted(&self, relation: RelationId) -> bool;

    /// The fact with a number; none where there isn't one.
    fn fact(&self, relation: RelationId, number: u32) -> Row;

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

/// An engine, which several threads may ask at once.
pub trait Engine: Send + Sync {
    /// What records call it.
    fn name(&self) -> &'static str;

    /// Whether incremental maintenance, [`crate::Incremental`], may take its place between changes.
    fn is_incremental(&self) -> bool {
        false
    }

    /// The model of `program` over `input`: all facts that follow, and the undefined operations. The input is
    /// taken, so that its rows can become those of the model without a copy.
    ///
    /// # Errors
    /// The limit that was reached first.
    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached>;
}
