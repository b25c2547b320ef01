//! Plans of a standing evaluation as data: for one rule and one beginning, the steps that find its matches.

use crate::seminaive::code::Code;
use crate::seminaive::known::IndexId;
use crate::seminaive::plan::{Frame, Slot};
use hence_core::schema::RelationId;
use hence_lang::builtins::generator::Generator;

/// Where a plan begins and which state its literals read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// With nothing bound; everything as it is after the change.
    Full,
    /// With the variables of the head bound (of an aggregate, those of the group); everything as it is after the change.
    Head,
    /// With a row that came or went for this literal; those before it as they are after the change, those behind it
    /// as they were: so each match that came or went is found once.
    Delta(usize),
    /// With a row for this literal; everything as it is after the change.
    With(usize),
    /// With a row that went for this literal; everything as it was before the change.
    Without(usize),
}

impl Mode {
    /// The place of the plan among those of its rule.
    pub(super) fn place(self) -> usize {
        match self {
            Self::Full => 0,
            Self::Head => 1,
            Self::Delta(at) | Self::With(at) => 2 + at * 2,
            Self::Without(at) => 3 + at * 2,
        }
    }

    /// The literal that a row is put in for.
    pub(super) fn literal(self) -> Option<usize> {
        match self {
            Self::Full | Self::Head => None,
            Self::Delta(at) | Self::With(at) | Self::Without(at) => Some(at),
        }
    }
}

/// Which facts of a relation a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Those that stood before the change.
    Old,
    /// Those that stand after it.
    New,
    /// Those of the plan's own stratum whose rank is settled.
    Ranked,
}

/// The steps of a rule, outermost loop first.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What the row that the plan begins with binds.
    pub(super) start: Start,
    /// The steps.
    pub(super) steps: Vec<Step>,
    /// For each step, and for the head behind them, the nearest loop before it.
    pub(super) back: Vec<Option<usize>>,
    /// The steps that read facts of the rule's own stratum, with their relations.
    pub(super) own: Vec<(usize, RelationId)>,
    /// Variables, constants and parameters.
    pub(super) frame: Frame,
    /// The expressions of the head: of a plain rule its terms; of one with aggregates the group, then all arguments;
    /// of one with a limit the count, the keys, the group, then the terms but the rank.
    pub(super) head: Vec<Code>,
    /// The relations read and their sizes when the plan was made.
    pub(super) sizes: Vec<(RelationId, usize)>,
}

/// What a row binds, by column and slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// Columns to put into slots.
    pub(super) binds: Vec<(u32, Slot)>,
    /// Columns that must equal slots, once the former are bound.
    pub(super) checks: Vec<(u32, Slot)>,
}

/// A step of a plan: a loop, or a filter that lets a match through or not.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Loop: each row that fits.
    Every(Search),
    /// Filter: whether some row has the key, or none.
    Some(Search, bool),
    /// Filter: whether the row is there, or isn't.
    Member {
        /// The relation.
        relation: RelationId,
        /// Which of its facts.
        view: View,
        /// A slot for each column.
        row: Vec<Slot>,
        /// Whether it must be there.
        wanted: bool,
    },
    /// Filter: whether an expression is true.
    Test(Code),
    /// Binds a slot.
    Let(Slot, Code),
    /// Filter: whether a slot has this value.
    Same(Slot, Code),
    /// Loop: each element of a generator.
    Each(Slot, Generator, Vec<Code>),
    /// Filter: whether a slot is among the elements.
    Among(Slot, Generator, Vec<Code>),
}

/// How to find the rows that fit an atom.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The relation.
    pub(super) relation: RelationId,
    /// Which of its facts.
    pub(super) view: View,
    /// The index and the slots of its key; none to look at all rows.
    pub(super) by: Option<(IndexId, Vec<Slot>)>,
    /// What a row binds.
    pub(super) fit: Start,
}

impl Step {
    /// Whether the step may let through more than one match.
    pub(super) fn is_loop(&self) -> bool {
        matches!(self, Self::Every(_) | Self::Each(..))
    }
}
