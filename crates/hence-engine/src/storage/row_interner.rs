//! A set of rows that numbers them in the order of their coming: groups of an aggregate, heads under a limit.

use crate::storage::hash::hash;
use crate::storage::row_table::RowTable;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// Distinct rows of one arity, flat, with their numbers.
#[derive(Debug, Default)]
pub(crate) struct RowInterner {
    arity: usize,
    len: u32,
    words: Vec<Word>,
    table: RowTable,
}

impl RowInterner {
    /// No rows of `arity` words.
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    /// The number of a row, and whether it is new.
    pub(crate) fn insert(&mut self, row: &[Word]) -> (u32, bool) {
        let (arity, words) = (self.arity, &self.words);
        let is_it = |at: u32| row_of(words, arity, at) == row;
        match self.table.find_or_insert(hash(row), self.len, is_it) {
            Some(number) => (number, false),
            None => {
                self.words.extend_from_slice(row);
                self.len += 1;
                (self.len - 1, true)
            }
        }
    }

    /// Takes all rows out, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.words.clear();
        self.table.clear();
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The row with a number.
    pub(crate) fn row(&self, at: u32) -> &[Word] {
        row_of(&self.words, self.arity, at)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.table.bytes()
    }
}

fn row_of(words: &[Word], arity: usize, at: u32) -> &[Word] {
    let row = words.get(at as usize * arity..(at as usize + 1) * arity);
    row.or_broken("the rows of a set are numbered in the order of their coming")
}
