//! How the facts of a relation are divided into partitions, one a thread.

use crate::cells::{Cell, Slice};

/// An invariant of [`Partitioning::partition_of`].
pub(crate) const SHARDS: &str = "each fact falls to one of the shards that there are";

/// How the facts of a relation are divided into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partitioning {
    /// How many shards there are.
    pub(crate) of: usize,
    /// The column that varies in the innermost loops of the rules that derive the facts. So facts that follow one another
    /// share a shard, and in [`Bitmaps`] a line of the cache.
    pub(crate) inner: usize,
    /// Whether facts that differ only there may fall to different shards, since the other columns have too few values.
    pub(crate) by_all: bool,
}

impl Partitioning {
    /// Not divided.
    pub(crate) const NONE: Self = Self { of: 1, inner: 0, by_all: false };

    /// The shard of a fact, by a hash that sets don't use, and a cheap one.
    #[inline]
    pub(crate) fn partition_of<C: Cell>(self, row: &[C]) -> usize {
        let hash = match *row {
            [only] => spread(only.word().0 >> 8, 0),
            [a, b] => {
                let (outer, inner) = if self.inner == 0 { (b, a) } else { (a, b) };
                spread(outer.word().0, if self.by_all { inner.word().0 >> 8 } else { 0 })
            }
            _ => {
                let columns = row.iter().enumerate().filter(|(at, _)| self.by_all || *at != self.inner);
                columns.fold(0, |hash, (_, word)| spread(hash, word.word().0))
            }
        };
        pick(hash, self.of)
    }

    /// Whether facts that differ in this column only fall to the same shard.
    pub(crate) fn keeps_together(self, arity: usize, column: Option<usize>) -> bool {
        arity > 1 && !self.by_all && column == Some(self.inner)
    }

    /// The same as [`Partitioning::partition_of`].
    pub(crate) fn partition_of_row(self, row: Slice<'_>) -> usize {
        match row {
            Slice::Narrow(cells) => self.partition_of(cells),
            Slice::Wide(words) => self.partition_of(words),
        }
    }
}

/// One shard of those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    at: usize,
    pub(crate) partitioning: Partitioning,
}

impl Partition {
    /// The only shard.
    pub(crate) fn whole(inner: usize) -> Self {
        Self { at: 0, partitioning: Partitioning { inner, ..Partitioning::NONE } }
    }

    /// All shards.
    pub(crate) fn all(partitioning: Partitioning) -> impl Iterator<Item = Self> {
        (0..partitioning.of).map(move |at| Self { at, partitioning })
    }

    /// Whether there is no other shard.
    pub(crate) fn is_whole(self) -> bool {
        self.partitioning.of == 1
    }

    /// The column that varies fastest.
    pub(crate) fn inner(self) -> usize {
        self.partitioning.inner
    }

    /// About how many of so many facts fall to this shard.
    pub(crate) fn about(self, facts: usize) -> usize {
        facts / self.partitioning.of
    }

    /// Whether a row falls to this shard.
    pub(crate) fn has<C: Cell>(self, row: &[C]) -> bool {
        self.is_whole() || self.partitioning.partition_of(row) == self.at
    }

    /// The same.
    pub(crate) fn has_row(self, row: Slice<'_>) -> bool {
        self.is_whole() || self.partitioning.partition_of_row(row) == self.at
    }
}

#[inline]
fn spread(a: u64, b: u64) -> u64 {
    let odd = (0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f_u64);
    let mixed = a.wrapping_mul(odd.0) ^ b.wrapping_mul(odd.1).rotate_left(29);
    (mixed ^ mixed >> 32).wrapping_mul(odd.0)
}

/// One of `of` by the upper bits of a hash.
#[inline]
pub(crate) fn pick(hash: u64, of: usize) -> usize {
    (((hash >> 32) * of as u64) >> 32) as usize
}
