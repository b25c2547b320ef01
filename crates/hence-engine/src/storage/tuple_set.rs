//! Which facts a relation has: bitmaps where they suffice, else groups of narrow rows, else a table of row numbers.

use crate::cells::{Cells, Slice};
use crate::storage::bitmap::Bitmaps;
use crate::storage::grouped::GroupedRows;
use crate::storage::hash::{TOGETHER, hash};
use crate::storage::partition::Partition;
use crate::storage::row_table::RowTable;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// How many rows are as well looked for one after the other.
const FEW: usize = 16;

/// The set of a relation's facts, in one of three forms.
#[derive(Debug)]
pub(crate) enum TupleSet {
    /// Bitmaps: whether a fact is there, and no more.
    Bitmaps(Bitmaps),
    /// Many narrow rows by one of their columns, with their numbers where somebody asks for these.
    Grouped(GroupedRows),
    /// Row numbers.
    Numbered(RowTable),
}

impl TupleSet {
    /// An empty set for rows of `arity` columns; up to `few` bitmaps it doesn't matter how full they are.
    pub(crate) fn new(arity: usize, few: usize, clustering: usize) -> Self {
        match arity {
            1 | 2 => Self::Bitmaps(Bitmaps::new(few, clustering)),
            _ => Self::Numbered(RowTable::default()),
        }
    }

    /// How often it was laid out again: while that is the same, what came last can be taken out again. Out of groups any row
    /// can be.
    pub(crate) fn layouts(&self) -> u32 {
        match self {
            Self::Bitmaps(blocks) => blocks.layouts(),
            Self::Grouped(_) => 0,
            Self::Numbered(table) => table.layouts(),
        }
    }

    /// Takes all `rows` rows out, if that costs less than one after the other; the layout stays. Whether it was done.
    pub(crate) fn clear_at_once(&mut self, rows: usize) -> bool {
        match self {
            Self::Bitmaps(blocks) if blocks.is_full_enough(rows) => blocks.clear(),
            _ => return false,
        }
        true
    }

    /// Takes out the row that came last of those that are in.
    pub(crate) fn remove_last(&mut self, row: Slice<'_>, number: u32) {
        match (self, row.len()) {
            (Self::Bitmaps(blocks), 1) => blocks.remove_last(&[row.at(0)]),
            (Self::Bitmaps(blocks), _) => blocks.remove_last(&[row.at(0), row.at(1)]),
            (Self::Grouped(groups), _) => groups.remove(row),
            (Self::Numbered(table), _) => table.remove_last(hash_row(row), number),
        }
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bitmaps(blocks) => blocks.bytes(),
            Self::Grouped(groups) => groups.bytes(),
            Self::Numbered(table) => table.bytes(),
        }
    }
}

/// The layout of a set: how often it took on another form, since one that comes back to an earlier form was made again, and
/// [`TupleSet::layouts`] of the one it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetLayout {
    pub(crate) forms: u32,
    pub(crate) layouts: u32,
}

/// All rows of a relation: the stable ones, then those of the open round.
#[derive(Clone, Copy)]
pub(crate) struct AllRows<'r> {
    pub(crate) arity: usize,
    pub(crate) stable: Slice<'r>,
    pub(crate) pending: Slice<'r>,
}

impl<'r> AllRows<'r> {
    /// The row with a number.
    #[inline]
    pub(crate) fn row(self, at: u32) -> Slice<'r> {
        let start = at as usize * self.arity;
        match start.checked_sub(self.stable.len()) {
            None => self.stable.part(start, start + self.arity),
            Some(start) => self.pending.part(start, start + self.arity),
        }
    }

    /// Looks at the row with a number, for the sake of [`RowTable::warm`].
    #[inline]
    fn peek(self, at: u32) -> u64 {
        let start = at as usize * self.arity;
        match start.checked_sub(self.stable.len()) {
            None => self.stable.peek(start),
            Some(start) => self.pending.peek(start),
        }
    }

    /// A table of the rows of a partition.
    pub(crate) fn table(self, len: u32, partition: Partition) -> RowTable {
        let mut table = RowTable::with_room(partition.about(len as usize));
        for at in 0..len {
            let row = self.row(at);
            if partition.has_row(row) {
                table.insert_new(hash_row(row), at);
            }
        }
        table
    }
}

/// The hash of a row.
#[inline]
pub(crate) fn hash_row(row: Slice<'_>) -> u64 {
    match row {
        Slice::Narrow(cells) => hash(cells),
        Slice::Wide(words) => hash(words),
    }
}

/// Adds rows to a table: those that are new go to the end of `pending`; how many there are.
///
/// Done in three passes, for the sake of [`RowTable::warm`].
pub(crate) fn take(
    table: &mut RowTable,
    stable: Slice<'_>,
    pending: &mut Cells,
    mut len: u32,
    arity: usize,
    batch: &[Word],
) -> u32 {
    let first = len;
    pending.admit(batch);
    for batch in batch.chunks(TOGETHER * arity) {
        let mut hashes = [0; TOGETHER];
        hashes.iter_mut().zip(batch.chunks_exact(arity)).for_each(|(place, row)| *place = hash(row));
        let count = batch.len() / arity;
        if count > FEW {
            let rows = AllRows { arity, stable, pending: pending.view() };
            let hashes =
                hashes.get(..count).or_broken("a batch has no more rows than are looked for together");
            table.warm(hashes, |at| rows.peek(at));
        }
        for (row, hash) in batch.chunks_exact(arity).zip(hashes) {
            let rows = AllRows { arity, stable, pending: pending.view() };
            if table.find_or_insert(hash, len, |at| rows.row(at).is(row)).is_none() {
                pending.extend_from_slice(row);
                len += 1;
            }
        }
    }
    len - first
}
