//! What a loop of a plan goes through.

use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, JoinInput, Plan, PlanStep};
use crate::storage::content::Content;
use crate::storage::index::Index;
use crate::storage::stable::Stable;
use crate::storage::view::View;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;

use smallvec::SmallVec;

/// What is left of a loop.
#[derive(Clone, Copy)]
pub(crate) enum LoopCursor<'a> {
    /// Rows from the first number to before the second.
    Rows(u32, u32),
    /// Numbers of rows, from an index.
    Numbers(&'a [u32]),
    /// Words of the only column that is open, from an index.
    Words(&'a [u32]),
}

/// The rows that may fit an atom.
#[inline]
pub(crate) fn candidates<'a>(
    path: &AccessPath,
    stable: IndexSlice<'a, RelationId, Stable>,
    frame: IndexSlice<'_, Slot, Word>,
) -> LoopCursor<'a> {
    let stable = stable.get(path.relation);
    let Some(index) = path.index else {
        let rows = stable.range(path.view);
        return LoopCursor::Rows(rows.start, rows.end);
    };
    let index = stable.index(index);
    let entries = entries(path, index, frame);
    match index.content() {
        Content::Numbers => LoopCursor::Numbers(entries),
        Content::Words(_) => LoopCursor::Words(entries),
    }
}

/// The entries of an index that may fit an atom.
#[inline(always)]
pub(crate) fn entries<'a>(
    path: &AccessPath,
    index: &'a Index,
    frame: IndexSlice<'_, Slot, Word>,
) -> &'a [u32] {
    let slot = |(_, slot): &(u32, Slot)| frame[*slot];
    match path.key.as_slice() {
        [a] => index.get(&[slot(a)], path.view),
        [a, b] => index.get(&[slot(a), slot(b)], path.view),
        key => index.get(&key.iter().map(slot).collect::<SmallVec<[Word; 8]>>(), path.view),
    }
}

/// How many rows may fit an atom.
#[inline]
pub(crate) fn candidate_count(
    path: &AccessPath,
    stable: IndexSlice<'_, RelationId, Stable>,
    frame: IndexSlice<'_, Slot, Word>,
) -> usize {
    match candidates(path, stable, frame) {
        LoopCursor::Rows(from, to) => (to - from) as usize,
        LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => entries.len(),
    }
}

/// The candidates of each input of a multiway join, if all of them are words that ascend.
pub(crate) fn sorted_lists<'a>(
    inputs: &[JoinInput],
    stable: IndexSlice<'a, RelationId, Stable>,
    frame: IndexSlice<'_, Slot, Word>,
) -> Option<SmallVec<[&'a [u32]; 4]>> {
    let list = |input: &JoinInput| {
        let index = stable.get(input.path.relation).index(input.path.index?);
        match candidates(&input.path, stable, frame) {
            LoopCursor::Words(words) if index.is_sorted() => Some(words),
            _ => None,
        }
    };
    inputs.iter().map(list).collect()
}

/// The input of a multiway join that has the fewest candidates, with them.
pub(crate) fn fewest<'a>(
    inputs: &[JoinInput],
    stable: IndexSlice<'a, RelationId, Stable>,
    frame: IndexSlice<'_, Slot, Word>,
) -> (usize, &'a [u32]) {
    let entries = |(at, input): (usize, &JoinInput)| match candidates(&input.path, stable, frame) {
        LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => (at, entries),
        LoopCursor::Rows(..) => broken("the inputs of a multiway join are found by indexes"),
    };
    let fewest = inputs.iter().enumerate().map(entries).min_by_key(|(_, entries)| entries.len());
    fewest.or_broken("a multiway join has inputs")
}

/// The keys of an index: the first row of each of the last round, or all groups, some of which may be empty.
pub(crate) fn keys(index: &Index, view: View) -> LoopCursor<'_> {
    match view {
        View::Delta => LoopCursor::Numbers(index.first_rows()),
        _ => LoopCursor::Rows(0, index.groups()),
    }
}

/// All that the outermost loop of a plan goes through, if it is a loop over facts.
pub(crate) fn outermost<'a>(
    plan: &'a Plan,
    stable: IndexSlice<'a, RelationId, Stable>,
) -> Option<LoopCursor<'a>> {
    match plan.steps.first()? {
        PlanStep::Every(path) => Some(candidates(path, stable, plan.frame.words.view())),
        PlanStep::Keys { relation, index, view, .. } => {
            Some(keys(stable.get(*relation).index(*index), *view))
        }
        _ => None,
    }
}
