//! Sets of narrow rows as bitmaps: 64 neighbouring values of the last column share one block.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: places are masked by the number of blocks, a power of two"
)]

use crate::backend::cells::{Cell, Slice, is_narrow, reserve};
use crate::value::Word;

use super::hash::mix;

const SMALLEST: usize = 8;
/// Blocks per place at the fullest, in tenths.
const FULLEST: usize = 7;
/// [`Blocks::few`] of a new set.
const FEW: usize = 1 << 15;
/// How many facts share a block where blocks are worth while.
const DENSE: usize = 2;
/// How many rows are tried at once.
const TRIED: usize = 4096;

/// Rows of one or two columns whose values are small, as interned texts, ids and counts are. Where many facts share
/// a block, as in closures, this takes less than a byte a fact and stays in the caches; where few do, a table of row
/// numbers is better, and the set says so by taking no more.
#[derive(Debug)]
pub(super) struct Blocks {
    places: Vec<Block>,
    blocks: usize,
    facts: usize,
    /// Up to so many blocks it doesn't matter how full they are.
    few: usize,
    /// How often the places were laid out anew.
    layouts: u32,
}

/// The values of the last column from `64 * group` on that stand with `first`; empty if there are none.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    first: u32,
    group: u32,
    bits: u64,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { places: Vec::new(), blocks: 0, facts: 0, few: FEW, layouts: 0 }
    }
}

impl Blocks {
    /// Adds rows of `N` columns, and appends those that are new to `out`; how many rows were taken, which are less
    /// than all if a value is too large or too few values share a block.
    pub(super) fn take<const N: usize, I: Cell, O: Cell>(
        &mut self,
        rows: &[[I; N]],
        out: &mut Vec<O>,
    ) -> usize {
        if !self.has_room(rows.len()) {
            return 0;
        }
        let mut end = out.len();
        reserve(out, rows.len() * N);
        out.resize(end + rows.len() * N, O::default());
        let mut taken = 0;
        for row in rows {
            let Some((first, group, bit)) = split(&row.map(Cell::word)) else { break };
            let at = self.place(first, group);
            let block = &mut self.places[at];
            self.blocks += usize::from(block.bits == 0);
            let new = usize::from(block.bits & bit == 0);
            *block = Block { first, group, bits: block.bits | bit };
            // Written in any case and kept only if new: no branch to mispredict.
            out[end..end + N].copy_from_slice(&row.map(|cell| O::new(cell.word())));
            end += new * N;
            self.facts += new;
            taken += 1;
        }
        out.truncate(end);
        taken
    }

    /// The set of rows of `arity` columns that stand elsewhere up to now, if they are dense.
    pub(super) fn of_parts(arity: usize, parts: [Slice<'_>; 2]) -> Option<Self> {
        match arity {
            1 => Self::try_from_rows::<1>(parts),
            2 => Self::try_from_rows::<2>(parts),
            _ => None,
        }
    }

    fn try_from_rows<const N: usize>(parts: [Slice<'_>; 2]) -> Option<Self> {
        let few = parts.iter().map(|rows| rows.len()).sum::<usize>() / N / (DENSE + 1);
        let mut set = Self { few: few.max(FEW), ..Self::default() };
        parts.into_iter().all(|rows| set.try_rows::<N>(rows)).then_some(set)
    }

    /// Adds all rows, unless one is too large or they are not dense.
    fn try_rows<const N: usize>(&mut self, rows: Slice<'_>) -> bool {
        match rows {
            Slice::Narrow(cells) => self.try_cells(cells.as_chunks::<N>().0),
            Slice::Wide(words) => self.try_cells(words.as_chunks::<N>().0),
        }
    }

    fn try_cells<const N: usize, C: Cell>(&mut self, rows: &[[C; N]]) -> bool {
        let mut out = Vec::<u32>::new();
        rows.chunks(TRIED).all(|rows| {
            out.clear();
            // The first rows of a closure lie apart, so what counts is how many blocks there are in the end.
            self.blocks <= self.few && self.take(rows, &mut out) == rows.len()
        })
    }

    /// Adds rows that were in before; whether all could be.
    pub(super) fn refill(&mut self, rows: Slice<'_>, arity: usize) -> bool {
        self.clear();
        match arity {
            1 => self.try_rows::<1>(rows),
            _ => self.try_rows::<2>(rows),
        }
    }

    /// Whether a row is in.
    #[inline]
    pub(super) fn contains(&self, row: &[Word]) -> bool {
        let place = split(row).filter(|_| !self.places.is_empty());
        place.is_some_and(|(first, group, bit)| self.places[self.place(first, group)].bits & bit != 0)
    }

    /// Takes out the row that came last of those that are in, unless the places were laid out anew since.
    pub(super) fn remove_last(&mut self, row: &[Word]) {
        let place = split(row).filter(|_| !self.places.is_empty());
        let Some((first, group, bit)) = place else { return };
        let at = self.place(first, group);
        let block = &mut self.places[at];
        self.facts -= usize::from(block.bits & bit != 0);
        block.bits &= !bit;
        if block.bits == 0 {
            *block = Block::default();
            self.blocks -= 1;
        }
    }

    /// How often the places were laid out anew.
    pub(super) fn layouts(&self) -> u32 {
        self.layouts
    }

    /// Takes all rows out, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.places.fill(Block::default());
        (self.blocks, self.facts) = (0, 0);
    }

    /// The place of a block, or where it would stand. Four neighbours share a line of the cache.
    #[inline]
    fn place(&self, first: u32, group: u32) -> usize {
        let mask = self.places.len() - 1;
        let key = u64::from(first) << 32 | u64::from(group >> 2);
        let mut at = ((mix(0, Word(key)) as usize) << 2 | (group & 3) as usize) & mask;
        loop {
            let block = &self.places[at];
            if block.bits == 0 || (block.first == first && block.group == group) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room for `rows` blocks more; whether it is worth while.
    fn has_room(&mut self, rows: usize) -> bool {
        while (self.blocks + rows) * 10 > self.places.len() * FULLEST {
            if self.blocks > self.few && self.facts < DENSE * self.blocks {
                return false;
            }
            self.layouts = self.layouts.wrapping_add(1);
            let size = (self.places.len() * 2).max(SMALLEST);
            let old = std::mem::replace(&mut self.places, vec![Block::default(); size]);
            for block in old.into_iter().filter(|block| block.bits != 0) {
                let at = self.place(block.first, block.group);
                self.places[at] = block;
            }
        }
        true
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Block>()
    }
}

/// The block and the bit of a row, if its values are small enough.
#[inline]
fn split(row: &[Word]) -> Option<(u32, u32, u64)> {
    let (first, last) = match row {
        [last] => (0, last.0),
        [first, last] => (first.0, last.0),
        _ => return None,
    };
    if !is_narrow(Word(first | last)) {
        return None;
    }
    Some((first as u32, (last >> 6) as u32, 1 << (last & 63)))
}
