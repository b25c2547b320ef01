//! The facts of closed rounds: what rules read.
#![expect(clippy::indexing_slicing, reason = "hot: row numbers come from the relation itself")]

use crate::backend::{Extent, Rows};
use crate::value::Word;

use super::index::{Content, Index};
use super::store::Part;

/// The facts of closed rounds in the order of their derivation, with the indexes that plans use.
#[derive(Debug, Default)]
pub(super) struct Known {
    arity: usize,
    len: u32,
    words: Vec<Word>,
    indexes: Vec<Index>,
    /// How many facts there were at the end of each round.
    rounds: Vec<usize>,
    /// Where the facts of the last closed round begin.
    delta: u32,
}

impl Known {
    /// No facts of `arity` columns.
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    /// How many facts are known.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// How many columns they have.
    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    /// All facts, one after the other.
    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The fact with a number.
    #[inline]
    pub(super) fn row(&self, at: u32) -> &[Word] {
        &self.words[at as usize * self.arity..(at as usize + 1) * self.arity]
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
    pub(super) fn index(&self, at: usize) -> &Index {
        &self.indexes[at]
    }

    /// All indexes whose entries are row numbers.
    pub(super) fn numbering(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.content() == Content::Numbers)
    }

    /// The index on `columns`, ascending, if there is one.
    pub(super) fn find_index(&self, columns: &[u32]) -> Option<usize> {
        self.indexes.iter().position(|index| index.columns() == columns)
    }

    /// The index on `columns`, built where there is none yet.
    pub(super) fn index_on(&mut self, columns: &[u32]) -> usize {
        self.find_index(columns).unwrap_or_else(|| {
            let mut index = Index::new(columns.to_vec(), self.arity);
            if self.delta > 0 {
                index.extend(&self.words, self.arity, self.delta);
            }
            index.extend(&self.words, self.arity, self.len);
            self.indexes.push(index);
            self.indexes.len() - 1
        })
    }

    /// Takes in the facts of a round.
    pub(super) fn close_round(&mut self, len: u32, words: &mut Vec<Word>) {
        self.delta = self.len;
        self.len += len;
        if self.words.is_empty() {
            std::mem::swap(&mut self.words, words);
        } else {
            self.words.append(words);
        }
        self.rounds.push(self.len as usize);
        for index in &mut self.indexes {
            index.extend(&self.words, self.arity, self.len);
        }
    }

    /// Forgets all rounds and all facts but the first `len`.
    pub(super) fn rewind(&mut self, len: u32) {
        if len < self.len {
            for index in &mut self.indexes {
                index.rewind(&self.words, self.arity, len);
            }
            self.words.truncate(len as usize * self.arity);
            self.len = len;
        }
        self.delta = len;
        self.rounds.clear();
    }

    /// The facts as they are now, with their rounds.
    pub(super) fn to_extent(&self) -> Extent {
        let rows = Rows { arity: self.arity, len: self.len as usize, words: self.words.clone() };
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
        self.words.capacity() * 8 + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }

    /// The final facts, with the rounds up to the last that derived some.
    pub(super) fn into_extent(mut self) -> Extent {
        let end = self.len as usize;
        self.rounds.truncate(self.fruitful().len());
        Extent { rows: Rows { arity: self.arity, len: end, words: self.words }, rounds: self.rounds }
    }
}
