//! Plans as data: for one rule, and one way to begin it, the steps that find its matches.

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::op::Op;
use hence_lang::ir::RuleId;

use smallvec::SmallVec;
use std::ops::{IndexMut, Range};

use super::expr::CompiledExpr;
use super::frame::{Frame, Slot};
use crate::storage::index::IndexId;
use crate::storage::ordered::OrderedId;
use crate::storage::stable::Stable;
use crate::storage::view::View;

/// The steps of a rule, outermost loop first.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rule.
    pub(crate) rule: RuleId,
    /// The literal that reads only the delta; none in the first round.
    pub(crate) delta: Option<usize>,
    /// The relation of its delta.
    pub(crate) delta_of: Option<RelationId>,
    /// For how many new facts it is; another plan is for more or fewer.
    pub(crate) new_facts: Range<u32>,
    /// What the row that the plan begins with binds; nothing where it begins with no row.
    pub(crate) start: RowPattern,
    /// What each step evaluates, of a multiway join its first input.
    pub(crate) order: Vec<StepOrigin>,
    /// The steps.
    pub(crate) steps: Vec<PlanStep>,
    /// For each step, and for the head after them, the nearest loop before it: where to go on when it is exhausted.
    pub(crate) back: Vec<Option<usize>>,
    /// Where to go on after a match: the innermost loop that binds a variable of the head, if all matches of the
    /// loops inside it give the same fact.
    pub(crate) after_match: Option<usize>,
    /// Variables, constants and parameters.
    pub(crate) frame: Frame,
    /// The expressions of the head: of a plain rule its terms; of one with aggregates the group, then all arguments;
    /// of one with a limit the count, the keys, the group, then the terms except the rank.
    pub(crate) head: Vec<CompiledExpr>,
    /// Where each word of the head comes from, if the innermost loop only has to write them down.
    pub(crate) tail: Option<Vec<HeadWord>>,
    /// Whether no two matches give the same fact.
    pub(crate) distinct: bool,
    /// What an undefined operation of the head leaves to evaluate.
    pub(crate) remainder: Remainder,
    /// Relations that must have facts for a match to exist, and the view that is read.
    pub(crate) reads: Vec<(RelationId, View)>,
    /// The steps that read the ranked view, with their relations.
    pub(crate) ranked: Vec<(usize, RelationId)>,
}

/// What a step of a plan evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOrigin {
    /// The literal at a place of the body.
    Literal(usize),
    /// The term at a column of the head, compared with the fact that the plan begins with.
    Head(usize),
}

impl Plan {
    /// What each step evaluates, in order.
    pub fn origins(&self) -> &[StepOrigin] {
        &self.order
    }

    /// By which columns of which relations the plan looks facts up.
    pub fn look_ups(&self) -> impl Iterator<Item = (RelationId, Vec<u32>)> + '_ {
        self.steps.iter().filter_map(|step| match step {
            PlanStep::Every(path) | PlanStep::Some(path, _) => {
                Some((path.relation, path.key.iter().map(|(column, _)| *column).collect()))
            }
            PlanStep::Probe { relation, row, .. } => {
                Some((*relation, (0u32..).zip(row).map(|(at, _)| at).collect()))
            }
            _ => None,
        })
    }

    /// Whether it is for as many new facts as there are.
    pub(crate) fn suits(&self, stable: IndexSlice<'_, RelationId, Stable>) -> bool {
        let new = |relation: RelationId| stable.get(relation).range(View::Delta).len() as u32;
        self.delta_of.is_none_or(|relation| self.new_facts.contains(&new(relation)))
    }

    /// Whether it hands what is left of matches on only once.
    pub(crate) fn leaves_out_duplicates(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::Once { .. }))
    }

    /// Whether it shares its facts with a plan that goes another way.
    pub(crate) fn chooses(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::Fewer { .. }))
    }

    /// The indexes that its loops and filters use.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (RelationId, IndexId)> + '_ {
        self.steps.iter().flat_map(PlanStep::indexes)
    }

    /// The indexes that its multiway joins use.
    pub(crate) fn joined_indexes(&self) -> impl Iterator<Item = (RelationId, IndexId)> + '_ {
        let joins = self.steps.iter().filter(|step| matches!(step, PlanStep::MultiwayJoin(_)));
        joins.flat_map(PlanStep::indexes)
    }

    /// The only word of the head that the innermost loop varies.
    pub(crate) fn clustering_column(&self) -> Option<usize> {
        let tail = self.tail.iter().flatten().enumerate();
        let mut varied = tail.filter(|(_, origin)| matches!(origin, HeadWord::Column(_))).map(|(at, _)| at);
        varied.next().filter(|_| varied.next().is_none())
    }

    /// What is left where an operation of a step is undefined.
    pub(crate) fn remainder_of(&self, step: usize) -> Option<&Remainder> {
        self.steps.get(step).and_then(PlanStep::remainder)
    }

    /// The literals that are evaluated after an undefined operation.
    pub(crate) fn remaining(&self) -> impl Iterator<Item = usize> {
        let remainders = self.steps.iter().filter_map(PlanStep::remainder);
        remainders.chain([&self.remainder]).flat_map(|remainder| &remainder.literals).copied()
    }
}

/// Where a word of a fact comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeadWord {
    /// A slot that outer loops have bound.
    Slot(Slot),
    /// A column of the row that the innermost loop is at.
    Column(u32),
}

/// A step of a plan: a loop, or a filter that passes a match or rejects it.
#[derive(Clone, Debug)]
pub(crate) enum PlanStep {
    /// Loop: each row that fits.
    Every(AccessPath),
    /// Loop: each row that fits, of those that comparisons leave in an ordered index.
    Between(BoundedPath),
    /// Loop: each key of an index that has rows, or got some in the last round.
    Keys {
        /// The relation.
        relation: RelationId,
        /// The index.
        index: IndexId,
        /// All rows, or those of the last round.
        view: View,
        /// Where the key goes, by column.
        slots: Vec<(u32, Slot)>,
    },
    /// Filter: whether some row fits.
    Some(AccessPath, Sign),
    /// Filter: a membership probe.
    Probe {
        /// The relation.
        relation: RelationId,
        /// Which of its facts.
        view: View,
        /// A slot for each column.
        row: Vec<Slot>,
        /// Whether it must be there, or must not.
        sign: Sign,
    },
    /// Filter: whether an expression is true.
    Test(CompiledExpr, Remainder),
    /// Filter that passes unless the operation is undefined: binds a slot.
    Let(Slot, CompiledExpr, Remainder),
    /// Filter: whether a slot that is bound already has the value of an expression.
    Same(Slot, CompiledExpr),
    /// Filter: whether the rows that may fit one literal are fewer than those of another, or as many where the plan takes
    /// ties. Another plan takes the facts that it rejects.
    Fewer {
        /// The rows that the plan goes through next.
        next: AccessPath,
        /// Those that the other plan goes through.
        other: AccessPath,
        /// Whether it passes where both are as many.
        takes_ties: bool,
    },
    /// Filter that passes: the words of a set may pass once more.
    Anew {
        /// The number of the set.
        set: u32,
    },
    /// Filter: whether the word of a slot didn't pass yet, since the set began anew.
    Once {
        /// The number of the set.
        set: u32,
        /// The slot.
        slot: Slot,
    },
    /// Loop: each element of a generator.
    Each(Slot, Generator, Vec<CompiledExpr>, Remainder),
    /// Filter: whether a slot that is bound already is among the elements of a generator.
    Among(Slot, Generator, Vec<CompiledExpr>),
    /// Loop: each row of the input that has the fewest candidates, if the other inputs contain it too. So a triangle
    /// costs the least degree of two corners and not that of one (the generic join of Ngo, Ré and Rudra, "Skew strikes
    /// back", SIGMOD Record 42:4, a variable at a time).
    MultiwayJoin(Vec<JoinInput>),
}

/// One of several atoms with the same open variables.
#[derive(Clone, Debug)]
pub(crate) struct JoinInput {
    /// The literal.
    pub(crate) literal: usize,
    /// How to find its rows, which bind all that is open.
    pub(crate) path: AccessPath,
    /// A slot for each column.
    pub(crate) row: Vec<Slot>,
}

/// Whether a filter wants or rejects what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It must be there.
    Present,
    /// It must not be there.
    Absent,
}

impl Sign {
    /// Whether a filter passes.
    #[inline]
    pub(crate) fn passes(self, found: bool) -> bool {
        found == (self == Self::Present)
    }
}

/// Columns with the slots of their words; most atoms have few of them.
pub(crate) type ColumnSlots = SmallVec<[(u32, Slot); 4]>;

/// What a row binds and what it must equal, by column and slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowPattern {
    /// Columns to put into slots.
    pub(crate) binds: ColumnSlots,
    /// Columns that must equal slots, once the former are bound.
    pub(crate) checks: ColumnSlots,
}

impl RowPattern {
    /// Binds what a row binds; whether it fits. `word` is the row's word in a column.
    #[inline]
    pub(crate) fn fits(
        &self,
        frame: &mut impl IndexMut<Slot, Output = Word>,
        word: impl Fn(usize) -> Word,
    ) -> bool {
        for (column, slot) in &self.binds {
            frame[*slot] = word(*column as usize);
        }
        self.checks.iter().all(|(column, slot)| frame[*slot] == word(*column as usize))
    }
}

/// How to find the rows that fit an atom.
#[derive(Clone, Debug)]
pub struct AccessPath {
    /// The relation.
    pub(crate) relation: RelationId,
    /// Which of its facts.
    pub(crate) view: View,
    /// The columns whose words are known, ascending, with their slots.
    pub(crate) key: ColumnSlots,
    /// The index on them; none for a scan, or where the source of the tuples has its own way.
    pub(crate) index: Option<IndexId>,
    /// What a row binds and must equal.
    pub(crate) row: RowPattern,
}

impl AccessPath {
    /// The relation.
    pub fn relation(&self) -> RelationId {
        self.relation
    }

    /// The columns whose words are known, with these words.
    pub fn key<'w>(&'w self, words: &'w [Word]) -> impl Iterator<Item = (u32, Word)> + 'w {
        let frame = IndexSlice::from(words);
        self.key.iter().map(move |(column, slot)| (*column, frame[*slot]))
    }

    /// The slots that it binds.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.row.binds.iter().map(|(_, slot)| *slot)
    }
}

/// How to find the rows that fit an atom and pass comparisons.
#[derive(Clone, Debug)]
pub(crate) struct BoundedPath {
    /// The atom and its key, without an index.
    pub(crate) path: AccessPath,
    /// The index on the key in the order of the column that is compared.
    pub(crate) index: OrderedId,
    /// The comparisons; those that may be undefined or are of another column are filters after the loop as well.
    pub(crate) bounds: Vec<ColumnBound>,
}

/// A comparison of a column, on the left, with what is known before.
#[derive(Clone, Debug)]
pub(crate) struct ColumnBound {
    /// Whether it is of how far the other column reaches.
    pub(crate) of_reach: bool,
    /// The operator.
    pub(crate) op: Op,
    /// A sum or difference that is compared in place of the column, with its other operand and whether the column is the right one.
    pub(crate) shift: Option<(Op, CompiledExpr, bool)>,
    /// What is known.
    pub(crate) other: CompiledExpr,
}

impl BoundedPath {
    /// Visits the slots that the search reads.
    pub(crate) fn for_each_bound_slot(&self, visit: &mut impl FnMut(Slot)) {
        for bound in &self.bounds {
            bound.other.for_each_slot(visit);
            bound.shift.iter().for_each(|(_, by, _)| by.for_each_slot(visit));
        }
    }
}

/// What is bound and which literals are left where an operation is undefined; see `exec::undefined`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remainder {
    /// The variables that are bound.
    pub(crate) bound: Vec<VarId>,
    /// The literals that aren't evaluated yet, in the order of the text.
    pub(crate) literals: Vec<usize>,
    /// Whether the operation is in the head.
    pub(crate) in_head: bool,
}

impl PlanStep {
    /// Whether the step may pass more than one match.
    pub(crate) fn is_loop(&self) -> bool {
        matches!(
            self,
            Self::Every(_) | Self::Between(_) | Self::Keys { .. } | Self::Each(..) | Self::MultiwayJoin(_)
        )
    }

    /// The relations that the step probes for membership.
    pub(crate) fn probes(&self) -> impl Iterator<Item = RelationId> + '_ {
        let (probe, inputs) = match self {
            Self::Probe { relation, .. } => (Some(*relation), &[][..]),
            Self::MultiwayJoin(inputs) => (None, inputs.as_slice()),
            _ => (None, &[][..]),
        };
        probe.into_iter().chain(inputs.iter().map(|input| input.path.relation))
    }

    /// Whether the step joins several atoms all of whose candidates are sorted.
    pub(crate) fn is_sorted_join(&self, stable: IndexSlice<'_, RelationId, Stable>) -> bool {
        let Self::MultiwayJoin(inputs) = self else { return false };
        let is_sorted = |path: &AccessPath| {
            path.index.is_some_and(|index| stable.get(path.relation).index(index).is_sorted())
        };
        inputs.iter().all(|input| is_sorted(&input.path))
    }

    /// The indexes that the step uses.
    fn indexes(&self) -> impl Iterator<Item = (RelationId, IndexId)> + '_ {
        let of_path = |path: &AccessPath| path.index.map(|index| (path.relation, index));
        let (own, other, inputs) = match self {
            Self::Every(path) | Self::Some(path, _) => (of_path(path), None, &[][..]),
            Self::Fewer { next, other, .. } => (of_path(next), of_path(other), &[][..]),
            Self::Keys { relation, index, .. } => (Some((*relation, *index)), None, &[][..]),
            Self::MultiwayJoin(inputs) => (None, None, inputs.as_slice()),
            _ => (None, None, &[][..]),
        };
        let inputs = inputs.iter().filter_map(|input| Some((input.path.relation, input.path.index?)));
        own.into_iter().chain(other).chain(inputs)
    }

    /// What is left where its operation is undefined.
    fn remainder(&self) -> Option<&Remainder> {
        match self {
            Self::Test(_, remainder) | Self::Let(_, _, remainder) | Self::Each(.., remainder) => {
                Some(remainder)
            }
            _ => None,
        }
    }

    /// The relation of which the step reads the ranked view.
    pub(crate) fn ranked(&self) -> Option<RelationId> {
        match self {
            Self::Every(AccessPath { relation, view: View::Ranked, .. })
            | Self::Probe { relation, view: View::Ranked, .. } => Some(*relation),
            _ => None,
        }
    }

    /// The slots that the step binds.
    pub(crate) fn binds(&self) -> Vec<Slot> {
        match self {
            Self::Every(path) | Self::Between(BoundedPath { path, .. }) => path.slots().collect(),
            Self::MultiwayJoin(inputs) => {
                inputs.first().or_broken("a multiway join has inputs").path.slots().collect()
            }
            Self::Keys { slots, .. } => slots.iter().map(|(_, slot)| *slot).collect(),
            Self::Let(slot, ..) | Self::Each(slot, ..) => vec![*slot],
            Self::Some(..)
            | Self::Probe { .. }
            | Self::Test(..)
            | Self::Same(..)
            | Self::Among(..)
            | Self::Anew { .. }
            | Self::Once { .. }
            | Self::Fewer { .. } => Vec::new(),
        }
    }
}

/// For each step, and after the last, the nearest loop before it.
pub(crate) fn nearest_loops(steps: &[PlanStep]) -> Vec<Option<usize>> {
    let mut back = vec![None];
    let mut nearest = None;
    for (at, step) in steps.iter().enumerate() {
        if step.is_loop() {
            nearest = Some(at);
        }
        back.push(nearest);
    }
    back
}
