//! Sets of narrow rows as bitmaps: 64 neighbouring values of one column share one block.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: places are masked by the number of blocks, a power of two"
)]

use crate::cells::{Cell, Slice, is_narrow, reserve};
use crate::storage::hash::{TOGETHER, mix};
use crate::storage::partition::Partition;
use hence_core::fault::{OrBroken, broken};
use hence_core::value::Word;

/// An invariant of those who take rows out.
const INSIDE: &str = "what is taken out of a set is in";

const SMALLEST: usize = 8;
/// Bitmaps per place at the fullest, in tenths.
const FULLEST: usize = 7;
/// Up to how many blocks of a whole relation it doesn't matter how full they are.
pub(crate) const FEW: usize = 1 << 17;
/// How many facts share a block where blocks are worth while.
const DENSE: usize = 2;
/// How far the next place is where one is taken: in another line of the cache, so that blocks of four neighbours stay
/// together; odd, so that it comes to all places.
const STEP: usize = 5;
/// How many places are wiped in the time that it takes to look up the place of one row.
const PLACES_PER_ROW: usize = 16;
/// From how many places on they are far from the processor: 2 MB.
const FAR: usize = 1 << 17;
/// How many rows are tried at once.
const TRIED: usize = 4096;

/// Rows of one or two columns whose values are small, as interned texts, ids and counts are. Where many facts share
/// a block, as in closures, this takes less than a byte a fact and stays in the caches; where few do, a table of row
/// numbers is better, and the set says so by taking no more.
#[derive(Debug)]
pub(crate) struct Bitmaps {
    places: Vec<Block>,
    blocks: usize,
    facts: usize,
    /// Up to so many blocks it doesn't matter how full they are.
    few: usize,
    /// The column whose neighbouring values share a block.
    clustering: usize,
    /// How often the places were laid out again.
    layouts: u32,
}

/// The values of the clustering column from `64 * group` on that occur with `outer`; empty if there are none.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    outer: u32,
    group: u32,
    bits: u64,
}

/// How many blocks may hold so many facts where bitmaps are worth while.
pub(crate) fn worth_while(facts: usize) -> usize {
    facts / (DENSE + 1)
}

impl Bitmaps {
    /// An empty set; up to `few` blocks it doesn't matter how full they are.
    pub(crate) fn new(few: usize, clustering: usize) -> Self {
        Self { places: Vec::new(), blocks: 0, facts: 0, few, clustering, layouts: 0 }
    }

    /// The same rows by blocks of another column, if that is worth while.
    pub(crate) fn clustered_by(&self, rows: Slice<'_>, arity: usize, clustering: usize) -> Option<Self> {
        let few = worth_while(self.facts).max(self.few);
        let mut set =
            Self::try_from_rows([rows, Slice::default()], arity, few, Partition::whole(clustering))?;
        (set.few, set.layouts) = (self.few, self.layouts.wrapping_add(set.layouts).wrapping_add(1));
        Some(set)
    }

    /// Adds rows of `N` columns, and appends those that are new to `out`; how many rows were taken, which are less
    /// than all if a value is too large or too few values share a block.
    pub(crate) fn take<const N: usize, I: Cell, O: Cell>(
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
        let (mut taken, mut blocks, mut facts) = (0, self.blocks, self.facts);
        let is_far = self.places.len() >= FAR;
        let together = if is_far { TOGETHER } else { rows.len().max(1) };
        'rows: for rows in rows.chunks(together) {
            if is_far {
                self.warm(rows);
            }
            for row in rows {
                let split = split(&row.map(Cell::word), self.clustering);
                let Some((outer, group, bit)) = split else { break 'rows };
                let at = self.place(outer, group);
                let block = &mut self.places[at];
                blocks += usize::from(block.bits == 0);
                let new = usize::from(block.bits & bit == 0);
                *block = Block { outer, group, bits: block.bits | bit };
                // Written in any case and kept only if new: no branch to mispredict.
                out[end..end + N].copy_from_slice(&row.map(|cell| O::new(cell.word())));
                end += new * N;
                facts += new;
                taken += 1;
            }
        }
        (self.blocks, self.facts) = (blocks, facts);
        out.truncate(end);
        taken
    }

    /// Looks at where rows may be, so that the processor waits for many cache lines at once.
    #[inline]
    fn warm<const N: usize, I: Cell>(&self, rows: &[[I; N]]) {
        let look = |row: &[I; N]| {
            let (outer, group, _) = split(&row.map(Cell::word), self.clustering)?;
            Some(self.places[self.home(outer, group)].bits)
        };
        let seen = rows.iter().fold(0, |seen, row| seen ^ look(row).unwrap_or(0));
        std::hint::black_box(seen);
    }

    /// The set of the rows of one or two columns that fall to a partition, if all are small and there are hardly more than
    /// `few` blocks.
    pub(crate) fn try_from_rows(
        parts: [Slice<'_>; 2],
        arity: usize,
        few: usize,
        partition: Partition,
    ) -> Option<Self> {
        let mut set = Self::new(few, partition.clustering());
        let all = match arity {
            1 => parts.into_iter().all(|rows| set.try_rows::<1>(rows, partition)),
            2 => parts.into_iter().all(|rows| set.try_rows::<2>(rows, partition)),
            _ => false,
        };
        all.then_some(set)
    }

    /// Adds all rows of a partition, unless one is too large or they are not dense.
    fn try_rows<const N: usize>(&mut self, rows: Slice<'_>, partition: Partition) -> bool {
        match rows {
            Slice::Narrow(cells) => self.try_cells(cells.as_chunks::<N>().0, partition),
            Slice::Wide(words) => self.try_cells(words.as_chunks::<N>().0, partition),
        }
    }

    fn try_cells<const N: usize, C: Cell>(&mut self, rows: &[[C; N]], partition: Partition) -> bool {
        let (mut out, mut own) = (Vec::<u32>::new(), Vec::new());
        rows.chunks(TRIED).all(|rows| {
            own.clear();
            own.extend(rows.iter().filter(|row| partition.has(*row)));
            out.clear();
            // The first rows of a closure are far apart, so what counts is how many blocks there are in the end.
            self.blocks <= self.few && self.take(&own, &mut out) == own.len()
        })
    }

    /// Adds rows that were in before; whether all could be.
    pub(crate) fn refill(&mut self, parts: [Slice<'_>; 2], arity: usize) -> bool {
        self.clear();
        let whole = Partition::whole(self.clustering);
        match arity {
            1 => parts.into_iter().all(|rows| self.try_rows::<1>(rows, whole)),
            _ => parts.into_iter().all(|rows| self.try_rows::<2>(rows, whole)),
        }
    }

    /// Whether a row is in.
    #[inline]
    pub(crate) fn contains(&self, row: &[Word]) -> bool {
        let place = split(row, self.clustering).filter(|_| !self.places.is_empty());
        place.is_some_and(|(outer, group, bit)| self.places[self.place(outer, group)].bits & bit != 0)
    }

    /// Takes out the row that came last of those that are in; the places were not laid out again since.
    pub(crate) fn remove_last(&mut self, row: &[Word]) {
        let place = split(row, self.clustering).filter(|_| !self.places.is_empty());
        let (outer, group, bit) = place.or_broken(INSIDE);
        let at = self.place(outer, group);
        let block = &mut self.places[at];
        if block.bits & bit == 0 {
            broken(INSIDE);
        }
        self.facts -= 1;
        block.bits &= !bit;
        if block.bits == 0 {
            *block = Block::default();
            self.blocks -= 1;
        }
    }

    /// How often the places were laid out again.
    pub(crate) fn layouts(&self) -> u32 {
        self.layouts
    }

    /// Whether it costs less to wipe all places than to look up those of so many rows.
    pub(crate) fn is_full_enough(&self, rows: usize) -> bool {
        self.places.len() <= rows * PLACES_PER_ROW
    }

    /// Takes all rows out, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.places.fill(Block::default());
        (self.blocks, self.facts) = (0, 0);
    }

    /// Where a block is looked for first. Four neighbours share a line of the cache.
    #[inline]
    fn home(&self, outer: u32, group: u32) -> usize {
        ((near(outer, group) as usize) << 2 | (group & 3) as usize) & (self.places.len() - 1)
    }

    /// The place of a block, or where it would be.
    #[inline]
    fn place(&self, outer: u32, group: u32) -> usize {
        let mask = self.places.len() - 1;
        let mut at = self.home(outer, group);
        loop {
            let block = &self.places[at];
            if block.bits == 0 || (block.outer == outer && block.group == group) {
                return at;
            }
            at = (at + STEP) & mask;
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
                let at = self.place(block.outer, block.group);
                self.places[at] = block;
            }
        }
        true
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Block>()
    }
}

/// The hash of a block, which four neighbours share.
#[inline]
fn near(outer: u32, group: u32) -> u64 {
    mix(0, Word(u64::from(outer) << 32 | u64::from(group >> 2)))
}

/// The block and the bit of a row, if its values are small enough.
#[inline]
fn split(row: &[Word], clustering: usize) -> Option<(u32, u32, u64)> {
    let (outer, inner) = match row {
        [inner] => (0, inner.0),
        [a, b] if clustering == 0 => (b.0, a.0),
        [a, b] => (a.0, b.0),
        _ => return None,
    };
    if !is_narrow(Word(outer | inner)) {
        return None;
    }
    Some((outer as u32, (inner >> 6) as u32, 1 << (inner & 63)))
}
