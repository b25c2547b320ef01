//! Which facts a relation has: bitmaps where they suffice, else a table of row numbers.

use crate::cells::{Cells, Slice};
use hence_core::fault::OrBroken;
use hence_core::value::Word;

use super::blocks::Blocks;
use super::hash::hash;
use super::shard::Share;
use super::table::Table;

/// How many rows are looked for at once.
pub(super) const TOGETHER: usize = 256;
/// How many rows are as well looked for one after the other.
const FEW: usize = 16;

/// The set of a relation's facts, in one of two forms.
#[derive(Debug)]
pub(super) enum Members {
    /// Bitmaps: whether a fact is there, and no more.
    Blocks(Blocks),
    /// Row numbers.
    Table(Table),
}

impl Members {
    /// An empty set for rows of `arity` columns; up to `few` bitmaps it doesn't matter how full they are.
    pub(super) fn new(arity: usize, few: usize, inner: usize) -> Self {
        match arity {
            1 | 2 => Self::Blocks(Blocks::new(few, inner)),
            _ => Self::Table(Table::default()),
        }
    }

    /// Which form the set has, and how often that was laid out anew: while it is the same, what came last can be
    /// taken out again.
    pub(super) fn layout(&self) -> Layout {
        match self {
            Self::Blocks(blocks) => Layout(false, blocks.layouts()),
            Self::Table(table) => Layout(true, table.layouts()),
        }
    }

    /// Takes out the row that came last of those that are in.
    pub(super) fn remove_last(&mut self, row: Slice<'_>, number: u32) {
        match (self, row.len()) {
            (Self::Blocks(blocks), 1) => blocks.remove_last(&[row.at(0)]),
            (Self::Blocks(blocks), _) => blocks.remove_last(&[row.at(0), row.at(1)]),
            (Self::Table(table), _) => table.remove_last(hash_row(row), number),
        }
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Blocks(blocks) => blocks.bytes(),
            Self::Table(table) => table.bytes(),
        }
    }
}

/// The layout of a set; see [`Members::layout`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout(bool, u32);

/// All rows of a relation: the known ones, then those of the open round.
#[derive(Clone, Copy)]
pub(super) struct AllRows<'r> {
    pub(super) arity: usize,
    pub(super) known: Slice<'r>,
    pub(super) fresh: Slice<'r>,
}

impl<'r> AllRows<'r> {
    /// The row with a number.
    #[inline]
    pub(super) fn row(self, at: u32) -> Slice<'r> {
        let start = at as usize * self.arity;
        match start.checked_sub(self.known.len()) {
            None => self.known.part(start, start + self.arity),
            Some(start) => self.fresh.part(start, start + self.arity),
        }
    }

    /// A table of the rows of a share.
    pub(super) fn table(self, len: u32, share: Share) -> Table {
        let mut table = Table::with_room(share.about(len as usize));
        for at in 0..len {
            let row = self.row(at);
            if share.has_row(row) {
                table.insert_new(hash_row(row), at);
            }
        }
        table
    }
}

/// The hash of a row.
#[inline]
pub(super) fn hash_row(row: Slice<'_>) -> u64 {
    match row {
        Slice::Narrow(cells) => hash(cells),
        Slice::Wide(words) => hash(words),
    }
}

/// Adds rows to a table: those that are new go to the end of `fresh`; how many there are.
///
/// Done in three passes, for the sake of [`Table::warm`].
pub(super) fn take(
    table: &mut Table,
    known: Slice<'_>,
    fresh: &mut Cells,
    mut len: u32,
    arity: usize,
    batch: &[Word],
) -> u32 {
    let first = len;
    fresh.admit(batch);
    for batch in batch.chunks(TOGETHER * arity) {
        let mut hashes = [0; TOGETHER];
        hashes.iter_mut().zip(batch.chunks_exact(arity)).for_each(|(place, row)| *place = hash(row));
        let count = batch.len() / arity;
        if count > FEW {
            let rows = AllRows { arity, known, fresh: fresh.view() };
            let hashes =
                hashes.get(..count).or_broken("a batch has no more rows than are looked for together");
            table.warm(hashes, |at| rows.row(at).at(0).0);
        }
        for (row, hash) in batch.chunks_exact(arity).zip(hashes) {
            let rows = AllRows { arity, known, fresh: fresh.view() };
            if table.find_or_insert(hash, len, |at| rows.row(at).is(row)).is_none() {
                fresh.extend_from_slice(row);
                len += 1;
            }
        }
    }
    len - first
}
