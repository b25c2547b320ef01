//! Plans as data: for one rule, and one atom of it that reads the delta, the steps that find its matches.

use hence_core::fault::OrBroken;
use hence_core::index_vec::{IndexVec, id};
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::{ParamId, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::RuleId;

use super::code::Code;
use super::known::IndexId;
use super::store::Part;

id! {
    /// A place in the frame of a plan: that of a variable, or of a constant or parameter behind them.
    pub(super) struct Slot(pub(super) u32): "the slots of a plan lie in its frame";
}

impl From<VarId> for Slot {
    fn from(var: VarId) -> Self {
        Self(var.0)
    }
}

/// The steps of a rule, outermost loop first.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The rule.
    pub(super) rule: RuleId,
    /// The literal that reads only the delta; none in the first round.
    pub(super) delta: Option<usize>,
    /// The literal of each step, of a meeting that of its first side.
    pub(super) order: Vec<usize>,
    /// The steps.
    pub(super) steps: Vec<Step>,
    /// For each step, and for the head behind them, the nearest loop before it: where to go on when it is through.
    pub(super) back: Vec<Option<usize>>,
    /// Where to go on after a match: the innermost loop that binds something of the head, if all matches of the
    /// loops inside it give the same fact.
    pub(super) after_match: Option<usize>,
    /// Variables, constants and parameters.
    pub(super) frame: Frame,
    /// The expressions of the head: of a plain rule its terms; of one with aggregates the group, then all arguments;
    /// of one with a limit the count, the keys, the group, then the terms but the rank.
    pub(super) head: Vec<Code>,
    /// Where each word of a fact comes from, if after the innermost loop only the fact is left to be written down.
    pub(super) tail: Option<Vec<Origin>>,
    /// What a failing head leaves to be looked at.
    pub(super) resume: Resume,
    /// Relations without whose facts there is no match, and the part that is read.
    pub(super) reads: Vec<(RelationId, Part)>,
}

impl Plan {
    /// The only column of the facts that the innermost loop varies.
    pub(super) fn inner(&self) -> Option<usize> {
        let tail = self.tail.iter().flatten().enumerate();
        let mut varied = tail.filter(|(_, origin)| matches!(origin, Origin::Column(_))).map(|(at, _)| at);
        varied.next().filter(|_| varied.next().is_none())
    }

    /// The literals that are looked at where an operation has no result.
    pub(super) fn pending(&self) -> impl Iterator<Item = usize> {
        let resumes = self.steps.iter().filter_map(|step| match step {
            Step::Test(_, resume) | Step::Let(_, _, resume) | Step::Each(.., resume) => Some(resume),
            _ => None,
        });
        resumes.chain([&self.resume]).flat_map(|resume| &resume.pending).copied()
    }
}

/// Where a word of a fact comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// A slot that loops further out have bound.
    Slot(Slot),
    /// A column of the row that the innermost loop is at.
    Column(u32),
}

/// A step of a plan: a loop, or a filter that lets a match through or not.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Loop: each row that fits.
    Every(Search),
    /// Loop: each key under which an index took in facts in the last round.
    Keys {
        /// The relation.
        relation: RelationId,
        /// The index, on one column.
        index: IndexId,
        /// Where the key goes.
        slot: Slot,
    },
    /// Filter: whether some row fits.
    Some(Search, Sign),
    /// Filter: whether the row is there.
    Member {
        /// The relation.
        relation: RelationId,
        /// The part in which it must be.
        part: Part,
        /// A slot for each column.
        row: Vec<Slot>,
        /// Whether it must be there, or must not.
        sign: Sign,
    },
    /// Filter: whether an expression is true.
    Test(Code, Resume),
    /// Filter that always lets through, unless the operation has no result: binds a slot.
    Let(Slot, Code, Resume),
    /// Loop: each element of a generator.
    Each(Slot, Generator, Vec<Code>, Resume),
    /// Loop: each row of the side that has the fewest to go through, if the others have it too. So a triangle costs
    /// the least degree of two corners and not that of one (the generic join of Ngo, Ré and Rudra, "Skew strikes
    /// back", SIGMOD Record 42:4, a variable at a time).
    Meet(Vec<Side>),
}

/// One of several atoms with the same open variables.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// The literal.
    pub(super) literal: usize,
    /// How to find its rows, which bind all that is open.
    pub(super) search: Search,
    /// A slot for each column.
    pub(super) row: Vec<Slot>,
}

/// Whether a filter wants or refuses what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// It must be there.
    Present,
    /// It must not be there.
    Absent,
}

/// How to find the rows that fit an atom.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The relation.
    pub(super) relation: RelationId,
    /// Which of its facts.
    pub(super) part: Part,
    /// The index and the slots of its key; none to look at all rows.
    pub(super) by: Option<(IndexId, Vec<Slot>)>,
    /// Columns to put into slots.
    pub(super) binds: Vec<(u32, Slot)>,
    /// Columns that must equal slots, once the former are bound.
    pub(super) checks: Vec<(u32, Slot)>,
}

impl Search {
    /// The slots that it binds.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.binds.iter().map(|(_, slot)| *slot)
    }
}

/// What is known and what is left to do where an operation has no result; see `undefined`.
#[derive(Clone, Debug, Default)]
pub(super) struct Resume {
    /// The variables that are bound.
    pub(super) bound: Vec<VarId>,
    /// The literals that aren't settled yet, in the order of the text.
    pub(super) pending: Vec<usize>,
    /// Whether the operation stands in the head.
    pub(super) in_head: bool,
}

/// The words that a plan works on.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The variables, then constants.
    pub(super) words: IndexVec<Slot, Word>,
    variables: usize,
    params: IndexVec<ParamId, Word>,
}

impl Frame {
    /// A frame for `variables`.
    pub(super) fn new(variables: usize, params: &[Word]) -> Self {
        Self {
            words: IndexVec::filled(Word::default(), variables),
            variables,
            params: params.to_vec().into(),
        }
    }

    /// The slot of a constant.
    pub(super) fn constant(&mut self, word: Word) -> Slot {
        let known = self.words.numbered().skip(self.variables).find(|(_, known)| **known == word);
        match known {
            Some((slot, _)) => slot,
            None => self.words.push(word),
        }
    }

    /// The slot of a parameter.
    pub(super) fn param(&mut self, param: ParamId) -> Slot {
        self.constant(self.params[param])
    }
}

impl Step {
    /// Whether the step may let through more than one match.
    pub(super) fn is_loop(&self) -> bool {
        matches!(self, Self::Every(_) | Self::Keys { .. } | Self::Each(..) | Self::Meet(_))
    }

    /// The relations in which the step looks for whole rows.
    pub(super) fn looks_in(&self) -> impl Iterator<Item = RelationId> + '_ {
        let (member, sides) = match self {
            Self::Member { relation, .. } => (Some(*relation), &[][..]),
            Self::Meet(sides) => (None, sides.as_slice()),
            _ => (None, &[][..]),
        };
        member.into_iter().chain(sides.iter().map(|side| side.search.relation))
    }

    /// The slots that the step binds.
    pub(super) fn binds(&self) -> Vec<Slot> {
        match self {
            Self::Every(search) => search.slots().collect(),
            Self::Meet(sides) => sides.first().or_broken("a meeting has sides").search.slots().collect(),
            Self::Keys { slot, .. } | Self::Let(slot, ..) | Self::Each(slot, ..) => vec![*slot],
            Self::Some(..) | Self::Member { .. } | Self::Test(..) => Vec::new(),
        }
    }
}
