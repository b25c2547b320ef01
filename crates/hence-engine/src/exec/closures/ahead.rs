//! What the step after a loop over rows will look up, looked at for many rows at once: so the processor waits for many cache
//! lines at the same time and not for one after the other.
#![expect(clippy::indexing_slicing, reason = "hot: columns are in range by construction of the plan")]

use super::Run;
use crate::cells::Cell;
use crate::plan::frame::Slot;
use crate::plan::steps::PlanStep;
use crate::storage::index::{Index, IndexId};
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use smallvec::SmallVec;

/// For how many rows a step is looked ahead.
pub(super) const AHEAD: usize = 64;

/// What the step after a loop over rows looks up in an index.
pub(super) struct Ahead {
    relation: RelationId,
    index: IndexId,
    key: SmallVec<[KeyWord; 4]>,
}

/// Where a word of its key is.
#[derive(Clone, Copy)]
enum KeyWord {
    Column(usize),
    Slot(Slot),
}

impl Ahead {
    /// Where the step after a loop that binds these columns is a loop over what an index finds.
    pub(super) fn of(binds: &[(u32, Slot)], after: Option<&PlanStep>) -> Option<Self> {
        let Some(PlanStep::Every(path)) = after else { return None };
        let word = |slot: Slot| {
            let bind = binds.iter().find(|(_, bound)| *bound == slot);
            bind.map_or(KeyWord::Slot(slot), |(column, _)| KeyWord::Column(*column as usize))
        };
        let key = path.key.iter().map(|(_, slot)| word(*slot)).collect();
        Some(Self { relation: path.relation, index: path.index?, key })
    }

    /// With the index, if that is so large that the processor waits for it.
    pub(super) fn far<'a>(&self, run: &Run<'_, 'a, '_>) -> Option<(&Self, &'a Index)> {
        let index = run.stable(self.relation).index(self.index);
        index.is_far().then_some((self, index))
    }

    /// Looks at what these rows will look up.
    pub(super) fn look<C: Cell>(
        &self,
        index: &Index,
        frame: IndexSlice<'_, Slot, Word>,
        (rows, arity): (&[C], usize),
    ) {
        let word = |row: &[C], key: KeyWord| match key {
            KeyWord::Column(column) => row[column].word(),
            KeyWord::Slot(slot) => frame[slot],
        };
        let seen = rows.chunks_exact(arity).fold(0, |seen, row| {
            seen ^ match *self.key.as_slice() {
                [a] => index.peek(&[word(row, a)]),
                [a, b] => index.peek(&[word(row, a), word(row, b)]),
                ref key => {
                    index.peek(&key.iter().map(|key| word(row, *key)).collect::<SmallVec<[Word; 8]>>())
                }
            }
        });
        std::hint::black_box(seen);
    }
}
