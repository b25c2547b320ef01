//! What a loop of a plan goes through.

use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;

use smallvec::SmallVec;

use super::index::Content;
use super::known::Known;
use super::plan::{Plan, Search, Slot, Step};

/// What is left of a loop.
#[derive(Clone, Copy)]
pub(super) enum Cursor<'a> {
    /// Rows from the first number to before the second.
    Rows(u32, u32),
    /// Numbers of rows, from an index.
    Numbers(&'a [u32]),
    /// Words of the only column that is open, from an index.
    Words(&'a [u32]),
    /// Ints from the first to before the second.
    Ints(i64, i64),
    /// What the machine's generator still holds for the step.
    Elements,
    /// Entries of the index of one side of a meeting.
    Met(u32, &'a [u32]),
}

/// The rows that may fit an atom.
#[inline]
pub(super) fn candidates<'a>(
    search: &'a Search,
    known: IndexSlice<'a, RelationId, Known>,
    frame: IndexSlice<'_, Slot, Word>,
) -> Cursor<'a> {
    let known = known.get(search.relation);
    let Some((index, key)) = &search.by else {
        let rows = known.part(search.part);
        return Cursor::Rows(rows.start, rows.end);
    };
    let (index, slot) = (known.index(*index), |slot: &Slot| frame[*slot]);
    let entries = match key.as_slice() {
        [a] => index.get(&[slot(a)], search.part),
        [a, b] => index.get(&[slot(a), slot(b)], search.part),
        key => index.get(&key.iter().map(slot).collect::<SmallVec<[Word; 8]>>(), search.part),
    };
    match index.content() {
        Content::Numbers => Cursor::Numbers(entries),
        Content::Words(_) => Cursor::Words(entries),
    }
}

/// All that the outermost loop of a plan goes through, if a loop over facts stands first.
pub(super) fn outermost<'a>(plan: &'a Plan, known: IndexSlice<'a, RelationId, Known>) -> Option<Cursor<'a>> {
    match plan.steps.first()? {
        Step::Every(search) => Some(candidates(search, known, plan.frame.words.view())),
        Step::Keys { relation, index, .. } => {
            Some(Cursor::Words(known.get(*relation).index(*index).touched()))
        }
        _ => None,
    }
}
