//! The facts of closed rounds: what rules read.

use crate::cells::{Cells, Slice};
use crate::{Extent, Rows};
use hence_core::index_vec::{IndexVec, id};

use super::index::{Content, Index};
use super::store::Part;

id! {
    /// An index of a relation.
    pub(super) struct IndexId(u32): "plans name the indexes that their relations have";
}

/// The facts of closed rounds in the order of their derivation, with the indexes that plans use.
#[derive(Debug, Default)]
pub(super) struct Known {
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
pub(super) struct Due<'k> {
    index: &'k mut Index,
    rows: Slice<'k>,
    arity: usize,
    len: u32,
}

impl Due<'_> {
    /// Takes them in.
    pub(super) fn extend(self) {
        self.index.extend(self.rows, self.arity, self.len);
    }

    /// How many there are.
    pub(super) fn rows(&self) -> u32 {
        self.len - self.index.rows()
    }
}

/// [`Known::few`] of an evaluation that is no prepared one.
const FEW_ROWS: u32 = 8;

impl Known {
    /// No facts of `arity` columns.
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, few: FEW_ROWS, ..Self::default() }
    }

    /// How many facts are known.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are so few facts that looking through them is as good as an index.
    pub(super) fn is_small(&self) -> bool {
        self.len <= self.few
    }

    /// Up to `few` facts will be looked through.
    pub(super) fn set_few(&mut self, few: u32) {
        self.few = few;
    }

    /// How many columns they have.
    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    /// All facts, one after the other.
    pub(super) fn words(&self) -> Slice<'_> {
        self.words.view()
    }

    /// The fact with a number.
    #[inline]
    pub(super) fn row(&self, at: u32) -> Slice<'_> {
        self.words.view().part(at as usize * self.arity, (at as usize + 1) * self.arity)
    }

    /// The numbers of the facts of a part.
    #[inline]
    pub(super) fn part(&self, part: Part) -> std::ops::Range<u32> {
        match part {
            Part::All => 0..self.len,
            Part::Delta => self.delta..self.len,
            Part::Old => 0..self.delta,
        }
    }

    /// The index with a number.
    #[inline]
    pub(super) fn index(&self, index: IndexId) -> &Index {
        &self.indexes[index]
    }

    /// All indexes whose entries are row numbers.
    pub(super) fn numbering(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.content() == Content::Numbers)
    }

    /// The index on `columns`, ascending, if there is one.
    pub(super) fn find_index(&self, columns: &[u32]) -> Option<IndexId> {
        self.indexes.numbered().find(|(_, index)| index.columns() == columns).map(|(id, _)| id)
    }

    /// The index on `columns`, built where there is none yet.
    pub(super) fn index_on(&mut self, columns: &[u32]) -> IndexId {
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
    pub(super) fn begin_round(&mut self) {
        self.delta = self.len;
    }

    /// Takes in facts of a round.
    pub(super) fn append(&mut self, len: u32, words: &mut Cells) {
        self.len += len;
        self.words.append(words);
    }

    /// All facts of the round are in; the indexes are due.
    pub(super) fn end_round(&mut self) {
        self.rounds.push(self.len as usize);
    }

    /// The indexes, each with the facts that it has to take in.
    pub(super) fn due(&mut self) -> impl Iterator<Item = Due<'_>> {
        let (rows, arity, len) = (self.words.view(), self.arity, self.len);
        self.indexes.iter_mut().map(move |index| Due { index, rows, arity, len })
    }

    /// Forgets all rounds and all facts but the first `len`.
    pub(super) fn rewind(&mut self, len: u32) {
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
    pub(super) fn to_extent(&self) -> Extent {
        let rows = Rows::of(self.arity, self.len as usize, self.words.clone());
        Extent { rows, rounds: self.fruitful().to_vec() }
    }

    /// The rounds up to the last that derived some.
    pub(super) fn fruitful(&self) -> &[usize] {
        let end = self.len as usize;
        let last = self.rounds.partition_point(|&count| count < end);
        self.rounds.get(..=last).unwrap_or(&self.rounds)
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }

    /// The final facts, with the rounds up to the last that derived some.
    pub(super) fn into_extent(mut self) -> Extent {
        let end = self.len as usize;
        self.rounds.truncate(self.fruitful().len());
        Extent { rows: Rows::of(self.arity, end, self.words), rounds: self.rounds }
    }
}
