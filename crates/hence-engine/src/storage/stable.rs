//! The facts of closed rounds: what rules read.

use crate::cells::{Cells, Slice};
use crate::model::Extent;
use crate::rows::Rows;
use crate::storage::index::{Content, Index, IndexId};
use crate::storage::view::{UNRANKED, View};
use hence_core::fault::broken;
use hence_core::index_vec::IndexVec;

/// The facts of closed rounds in the order of their derivation, with the indexes that plans use.
#[derive(Debug, Default)]
pub(crate) struct Stable {
    arity: usize,
    len: u32,
    words: Cells,
    indexes: IndexVec<IndexId, Index>,
    /// How many facts there were at the end of each round.
    rounds: Vec<usize>,
    /// Where the facts of the last closed round begin.
    delta: u32,
    /// Up to how many facts are looked through; an index wouldn't pay.
    few: u32,
}

/// An index and the facts that it has to take in.
pub(crate) struct IndexUpdate<'k> {
    index: &'k mut Index,
    rows: Slice<'k>,
    arity: usize,
    len: u32,
}

impl IndexUpdate<'_> {
    /// Takes them in.
    pub(crate) fn extend(self) {
        self.index.extend(self.rows, self.arity, self.len);
    }

    /// How many there are.
    pub(crate) fn rows(&self) -> u32 {
        self.len - self.index.rows()
    }
}

/// [`Stable::few`] of an evaluation that is no prepared one.
const SCAN_THRESHOLD: u32 = 8;

impl Stable {
    /// No facts of `arity` columns.
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, few: SCAN_THRESHOLD, ..Self::default() }
    }

    /// How many facts are known.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are so few facts that looking through them is as good as an index.
    pub(crate) fn is_below_scan_threshold(&self) -> bool {
        self.len <= self.few
    }

    /// Up to `few` facts will be looked through.
    pub(crate) fn set_scan_threshold(&mut self, few: u32) {
        self.few = few;
    }

    /// How many columns they have.
    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    /// All facts, one after the other.
    pub(crate) fn words(&self) -> Slice<'_> {
        self.words.view()
    }

    /// The fact with a number.
    #[inline]
    pub(crate) fn row(&self, at: u32) -> Slice<'_> {
        self.words.view().part(at as usize * self.arity, (at as usize + 1) * self.arity)
    }

    /// The numbers of the facts of a part.
    #[inline]
    pub(crate) fn range(&self, view: View) -> std::ops::Range<u32> {
        match view {
            View::All => 0..self.len,
            View::Delta => self.delta..self.len,
            View::Old => 0..self.delta,
            View::Ranked => broken(UNRANKED),
        }
    }

    /// The index with a number.
    #[inline]
    pub(crate) fn index(&self, index: IndexId) -> &Index {
        &self.indexes[index]
    }

    /// All indexes whose entries are row numbers.
    pub(crate) fn numbering(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.content() == Content::Numbers)
    }

    /// The index on `columns`, ascending, if there is one.
    pub(crate) fn find_index(&self, columns: &[u32]) -> Option<IndexId> {
        self.indexes.numbered().find(|(_, index)| index.columns() == columns).map(|(id, _)| id)
    }

    /// The index on `columns`, built where there is none yet.
    pub(crate) fn index_on(&mut self, columns: &[u32]) -> IndexId {
        self.find_index(columns).unwrap_or_else(|| {
            let mut index = Index::new(columns.to_vec(), self.arity);
            if self.delta > 0 {
                index.extend(self.words.view(), self.arity, self.delta);
            }
            index.extend(self.words.view(), self.arity, self.len);
            self.indexes.push(index)
        })
    }

    /// What comes from now on is the delta.
    pub(crate) fn begin_round(&mut self) {
        self.delta = self.len;
    }

    /// Takes in facts of a round.
    pub(crate) fn append(&mut self, len: u32, words: &mut Cells) {
        self.len += len;
        self.words.append(words);
    }

    /// All facts of the round are in; the indexes are due.
    pub(crate) fn end_round(&mut self) {
        self.rounds.push(self.len as usize);
    }

    /// The indexes, each with the facts that it has to take in.
    pub(crate) fn due(&mut self) -> impl Iterator<Item = IndexUpdate<'_>> {
        let (rows, arity, len) = (self.words.view(), self.arity, self.len);
        self.indexes.iter_mut().map(move |index| IndexUpdate { index, rows, arity, len })
    }

    /// Forgets all rounds and all facts but the first `len`.
    pub(crate) fn rewind(&mut self, len: u32) {
        if len < self.len {
            for index in self.indexes.iter_mut() {
                index.rewind(self.words.view(), self.arity, len);
            }
            self.words.truncate(len as usize * self.arity);
            self.len = len;
        }
        self.delta = len;
        self.rounds.clear();
    }

    /// The facts as they are now, with their rounds.
    pub(crate) fn to_extent(&self) -> Extent {
        let rows = Rows::of(self.arity, self.len as usize, self.words.clone());
        Extent { rows, rounds: self.fruitful().to_vec() }
    }

    /// The rounds up to the last that derived some.
    pub(crate) fn fruitful(&self) -> &[usize] {
        let end = self.len as usize;
        let last = self.rounds.partition_point(|&count| count < end);
        self.rounds.get(..=last).unwrap_or(&self.rounds)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes() + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }

    /// The final facts, with the rounds up to the last that derived some.
    pub(crate) fn into_extent(mut self) -> Extent {
        let end = self.len as usize;
        self.rounds.truncate(self.fruitful().len());
        Extent { rows: Rows::of(self.arity, end, self.words), rounds: self.rounds }
    }
}
