//! A set of rows that numbers them in the order of their coming: groups of an aggregate, heads under a limit.

use crate::storage::hash::{TOGETHER, hash};
use crate::storage::row_table::RowTable;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// An invariant of [`RowInterner::insert_all`].
const ROWS: &str =
    "rows that come together have as many words each, and are no more than their hashes have room";

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

    /// The number of a row that is in.
    pub(crate) fn find(&self, row: &[Word]) -> Option<u32> {
        self.table.find(hash(row), |at| row_of(&self.words, self.arity, at) == row)
    }

    /// Writes down the numbers of rows that are each the first words of `stride`. Done in passes, for the sake of
    /// [`RowTable::warm`].
    pub(crate) fn insert_all(&mut self, rows: &[Word], stride: usize, numbers: &mut Vec<u32>) {
        for batch in rows.chunks(TOGETHER * stride) {
            let mut hashes = [0; TOGETHER];
            let arity = self.arity;
            let rows = || batch.chunks_exact(stride).map(|row| row.get(..arity).or_broken(ROWS));
            hashes.iter_mut().zip(rows()).for_each(|(place, row)| *place = hash(row));
            let known = hashes.get(..batch.len() / stride).or_broken(ROWS);
            self.table.warm(known, |at| self.row(at).first().map_or(0, |word| word.0));
            for (row, hash) in rows().zip(hashes) {
                let words = &self.words;
                let is_it = |at: u32| row_of(words, arity, at) == row;
                let found = self.table.find_or_insert(hash, self.len, is_it);
                numbers.push(found.unwrap_or(self.len));
                if found.is_none() {
                    self.words.extend_from_slice(row);
                    self.len += 1;
                }
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
