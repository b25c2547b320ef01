//! Which facts a relation has: bitmaps where they suffice, else a table of row numbers.

use crate::value::Word;

use super::blocks::Blocks;
use super::hash::hash;
use super::table::Table;

/// How many rows are looked for at once.
const TOGETHER: usize = 256;
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
    /// An empty set for rows of `arity` columns.
    pub(super) fn new(arity: usize) -> Self {
        match arity {
            1 | 2 => Self::Blocks(Blocks::default()),
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
    pub(super) fn remove_last(&mut self, row: &[Word], number: u32) {
        match self {
            Self::Blocks(blocks) => blocks.remove_last(row),
            Self::Table(table) => table.remove_last(hash(row), number),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout(bool, u32);

/// All rows of a relation: the known ones, then those of the open round.
#[derive(Clone, Copy)]
pub(super) struct AllRows<'r> {
    pub(super) arity: usize,
    pub(super) known: &'r [Word],
    pub(super) fresh: &'r [Word],
}

impl<'r> AllRows<'r> {
    /// The row with a number.
    #[inline]
    pub(super) fn row(self, at: u32) -> &'r [Word] {
        let start = at as usize * self.arity;
        let (words, start) = match start.checked_sub(self.known.len()) {
            None => (self.known, start),
            Some(start) => (self.fresh, start),
        };
        words.get(start..start + self.arity).unwrap_or_default()
    }

    /// A table of all rows.
    pub(super) fn table(self, len: u32) -> Table {
        let mut table = Table::default();
        for at in 0..len {
            table.insert_new(hash(self.row(at)), at);
        }
        table
    }
}

/// Adds rows to a table: those that are new go to the end of `fresh`; how many there are.
///
/// Done in three passes, so that the processor waits for many cache lines at once and not for one after the other.
pub(super) fn take(
    table: &mut Table,
    known: &[Word],
    fresh: &mut Vec<Word>,
    mut len: u32,
    arity: usize,
    batch: &[Word],
) -> u32 {
    let first = len;
    for batch in batch.chunks(TOGETHER * arity) {
        let mut hashes = [0; TOGETHER];
        hashes.iter_mut().zip(batch.chunks_exact(arity)).for_each(|(place, row)| *place = hash(row));
        let count = batch.len() / arity;
        if count > FEW {
            let hashes = hashes.iter().take(count);
            let rows = AllRows { arity, known, fresh };
            let maybe = hashes.filter_map(|hash| table.find(*hash, |_| true));
            let touched = maybe.fold(0, |sum, at| sum ^ rows.row(at).first().map_or(0, |word| word.0));
            std::hint::black_box(touched);
        }
        for (row, hash) in batch.chunks_exact(arity).zip(hashes) {
            let rows = AllRows { arity, known, fresh };
            if table.find_or_insert(hash, len, |at| rows.row(at) == row).is_none() {
                fresh.extend_from_slice(row);
                len += 1;
            }
        }
    }
    len - first
}
