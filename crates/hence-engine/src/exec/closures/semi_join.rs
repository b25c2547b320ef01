//! Joins of two atoms of which only counts whether they have a word in common, as `e(C, D), e(D, A)` where nothing needs `D`.
//! While `A` stays, each `C` is looked at by itself, until that has cost as much as going from `A` to all `C` at once.
#![expect(clippy::indexing_slicing, reason = "hot: a run has room for each step that joins")]

use super::{Next, Run};
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, JoinInput, Plan, PlanStep};
use crate::storage::content::Content;
use crate::storage::index::{Index, IndexId};
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;

/// Words from here on are not marked.
const MOST_WORDS: u32 = 1 << 22;
/// What looking at one word costs beside the words that are compared.
const LOOK: u64 = 4;

/// What a step that joins works with.
#[derive(Debug, Default)]
pub(super) struct JoinRoom {
    /// What its inputs have in common.
    pub(super) common: Vec<u32>,
    marks: Marks,
}

impl JoinRoom {
    /// Another plan begins.
    pub(super) fn restart(&mut self) {
        self.marks.outer = None;
    }
}

/// The inner words that have something in common with an outer one.
#[derive(Debug, Default)]
struct Marks {
    /// By inner word when it was marked last.
    last: Vec<u32>,
    now: u32,
    outer: Option<Word>,
    are_made: bool,
    /// What looking at one after the other has cost, and what marking will.
    spent: u64,
    price: u64,
}

impl Marks {
    /// The words of another outer one are asked for, which begins with so many.
    fn begin(&mut self, outer: Word, words: usize) {
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.last.clear();
            self.now = 1;
        }
        (self.outer, self.are_made, self.spent, self.price) = (Some(outer), false, 0, words as u64);
    }

    fn add(&mut self, word: u32) {
        let at = word as usize;
        if self.last.len() <= at {
            self.last.resize((at + 1).next_power_of_two(), 0);
        }
        self.last[at] = self.now;
    }

    fn has(&self, word: Word) -> bool {
        usize::try_from(word.0).is_ok_and(|at| self.last.get(at) == Some(&self.now))
    }
}

/// A join of two atoms of two columns each, of which one match is enough.
pub(super) struct SemiJoin {
    /// The side whose key stays while loops vary that of the other.
    outer: Side,
    inner: Side,
}

struct Side {
    relation: RelationId,
    view: View,
    index: IndexId,
    key: Slot,
    /// The column that is not the key.
    open: u32,
}

impl Side {
    fn of(AccessPath { relation, view, key, index, row }: &AccessPath) -> Option<Self> {
        let ([(_, key)], [(open, _)], []) = (key.as_slice(), row.binds.as_slice(), row.checks.as_slice())
        else {
            return None;
        };
        Some(Self { relation: *relation, view: *view, index: (*index)?, key: *key, open: *open })
    }

    /// The words that a key leads to.
    fn words<'a>(&self, stable: &'a Stable, key: Word) -> &'a [u32] {
        stable.index(self.index).get(&[key], self.view)
    }

    /// By which the reverse is looked up.
    fn reverse<'a>(&self, stable: &'a Stable) -> Option<&'a Index> {
        let index = stable.index(stable.find_index(&[self.open])?);
        (index.rows() == stable.len()).then_some(index)
    }
}

impl SemiJoin {
    /// Where the inputs of a step are two, whose keys are bound by different loops before it.
    pub(super) fn of(inputs: &[JoinInput], plan: &Plan) -> Option<Self> {
        let [a, b] = inputs else { return None };
        let (a, b) = (Side::of(&a.path)?, Side::of(&b.path)?);
        let place = |side: &Side| plan.steps.iter().position(|step| step.binds().contains(&side.key));
        let (outer, inner) = if place(&a) < place(&b) { (a, b) } else { (b, a) };
        let varies = place(&inner).and_then(|at| plan.steps.get(at)).is_some_and(PlanStep::is_loop);
        (place(&outer) < place(&inner) && varies).then_some(Self { outer, inner })
    }

    /// Whether the sides have a word in common, where that is known of all inner words.
    pub(super) fn known(&self, run: &mut Run<'_, '_, '_>, number: Next) -> Result<Option<bool>, Bound> {
        let (outer, inner) = (run.frame[self.outer.key], run.frame[self.inner.key]);
        let stables = [run.stable(self.outer.relation), run.stable(self.inner.relation)];
        let marks = &mut run.room(number).marks;
        if marks.outer != Some(outer) {
            marks.begin(outer, self.outer.words(stables[0], outer).len());
        }
        if marks.are_made {
            return Ok(Some(marks.has(inner)));
        }
        marks.spent += LOOK + self.inner.words(stables[1], inner).len() as u64;
        if marks.spent <= marks.price {
            return Ok(None);
        }
        self.mark(run, number, stables)
    }

    /// Marks all inner words where that costs no more than has been spent.
    #[cold]
    fn mark(
        &self,
        run: &mut Run<'_, '_, '_>,
        number: Next,
        [outer, inner]: [&Stable; 2],
    ) -> Result<Option<bool>, Bound> {
        let (key, word) = (run.frame[self.outer.key], run.frame[self.inner.key]);
        let are_words = |index: &Index| index.content() != Content::Numbers;
        let reverse = self.inner.reverse(inner).filter(|index| are_words(index));
        let marks = &mut run.room(number).marks;
        let Some(reverse) = reverse.filter(|_| are_words(outer.index(self.outer.index))) else {
            marks.price = u64::MAX;
            return Ok(None);
        };
        let found = || {
            let shared = self.outer.words(outer, key).iter();
            shared.map(|word| reverse.get(&[Word(u64::from(*word))], self.inner.view))
        };
        let price = found().map(|words| LOOK + words.len() as u64).sum();
        if price > marks.spent {
            marks.price = price;
            return Ok(None);
        }
        if found().flatten().any(|word| *word >= MOST_WORDS) {
            marks.price = u64::MAX;
            return Ok(None);
        }
        found().flatten().for_each(|word| marks.add(*word));
        marks.are_made = true;
        let found = marks.has(word);
        run.context.budget.steps(price)?;
        Ok(Some(found))
    }
}
