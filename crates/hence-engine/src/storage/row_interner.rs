//! A set of rows that numbers them in the order of their coming: groups of an aggregate, heads under a limit.

use crate::cells::zeros;
use crate::storage::hash::{TOGETHER, hash};
use crate::storage::row_table::RowTable;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// An invariant of [`RowInterner::insert_all`].
const ROWS: &str =
    "rows that come together have as many words each, and are no more than their hashes have room";
/// An invariant of [`Finder::Direct`].
const PLACES: &str = "there is a place for each word below the largest";
/// How many rows come before it is looked at whether their words can be places.
const RETRY: usize = 1 << 12;
/// Up to how many places there may be for each row that is in.
const SPARSE: usize = 8;

/// Distinct rows of one arity, flat, with their numbers.
#[derive(Debug)]
pub(crate) struct RowInterner {
    arity: usize,
    len: u32,
    words: Vec<Word>,
    finder: Finder,
    /// How many rows came together with others, and from how many on it is looked again whether their words can be places.
    came: usize,
    retry: usize,
}

/// From a row to its number.
#[derive(Debug)]
enum Finder {
    /// Any row.
    Hashed(RowTable),
    /// The one word of a row, which is small as those of texts and of numbered things are, is the place of its number plus 1.
    Direct(Vec<u32>),
}

impl RowInterner {
    /// No rows of `arity` words.
    pub(crate) fn new(arity: usize) -> Self {
        let finder = Finder::Hashed(RowTable::default());
        Self { arity, len: 0, words: Vec::new(), finder, came: 0, retry: RETRY }
    }

    /// The number of a row, and whether it is new.
    pub(crate) fn insert(&mut self, row: &[Word]) -> (u32, bool) {
        let (arity, words) = (self.arity, &self.words);
        let known = match &mut self.finder {
            Finder::Hashed(table) => {
                table.find_or_insert(hash(row), self.len, |at| row_of(words, arity, at) == row)
            }
            Finder::Direct(_) => {
                let (before, mut numbers) = (self.len, Vec::new());
                self.insert_all(row, arity, &mut numbers);
                return (numbers.pop().or_broken(ROWS), self.len > before);
            }
        };
        match known {
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
        match (&self.finder, row) {
            (Finder::Hashed(table), row) => {
                table.find(hash(row), |at| row_of(&self.words, self.arity, at) == row)
            }
            (Finder::Direct(places), [word]) => places.get(word.0 as usize)?.checked_sub(1),
            (Finder::Direct(_), _) => None,
        }
    }

    /// Writes down the numbers of rows that are each the first words of `stride`.
    pub(crate) fn insert_all(&mut self, rows: &[Word], stride: usize, numbers: &mut Vec<u32>) {
        self.came += rows.len() / stride;
        if self.came >= self.retry && self.arity == 1 {
            self.retry = self.came * 2;
            self.try_places();
        }
        if matches!(self.finder, Finder::Direct(_)) {
            let most = rows.iter().step_by(stride).fold(0, |most, word| most.max(word.0));
            self.reach(most);
        }
        match &self.finder {
            Finder::Direct(_) => self.insert_direct(rows, stride, numbers),
            // Rows whose length is known are compared without a call.
            Finder::Hashed(_) => match self.arity {
                1 => self.insert_hashed(1, rows, stride, numbers),
                2 => self.insert_hashed(2, rows, stride, numbers),
                3 => self.insert_hashed(3, rows, stride, numbers),
                arity => self.insert_hashed(arity, rows, stride, numbers),
            },
        }
    }

    /// Done in passes, for the sake of [`RowTable::warm`].
    #[inline(always)]
    fn insert_hashed(&mut self, arity: usize, rows: &[Word], stride: usize, numbers: &mut Vec<u32>) {
        let Finder::Hashed(table) = &mut self.finder else { return };
        for batch in rows.chunks(TOGETHER * stride) {
            let mut hashes = [0; TOGETHER];
            let rows = || batch.chunks_exact(stride).map(|row| row.get(..arity).or_broken(ROWS));
            hashes.iter_mut().zip(rows()).for_each(|(place, row)| *place = hash(row));
            let known = hashes.get(..batch.len() / stride).or_broken(ROWS);
            let words = &mut self.words;
            table.warm(known, |at| words.get(at as usize * arity).map_or(0, |word| word.0));
            for (row, hash) in rows().zip(hashes) {
                let is_it = |at: u32| row_of(words, arity, at) == row;
                let found = table.find_or_insert(hash, self.len, is_it);
                numbers.push(found.unwrap_or(self.len));
                if found.is_none() {
                    words.extend_from_slice(row);
                    self.len += 1;
                }
            }
        }
    }

    /// Without a branch on whether a row is new, which nobody could foresee.
    fn insert_direct(&mut self, rows: &[Word], stride: usize, numbers: &mut Vec<u32>) {
        let Finder::Direct(places) = &mut self.finder else { return };
        let room = self.len as usize + rows.len() / stride;
        self.words.resize(room, Word::default());
        numbers.extend(rows.iter().step_by(stride).map(|word| {
            let place = places.get_mut(word.0 as usize).or_broken(PLACES);
            let is_new = *place == 0;
            // Where the row is in, the next new one takes its place.
            if let Some(next) = self.words.get_mut(self.len as usize) {
                *next = *word;
            }
            self.len += u32::from(is_new);
            *place = if is_new { self.len } else { *place };
            *place - 1
        }));
        self.words.truncate(self.len as usize);
    }

    /// How many places the words of rows may take, where they are places: few for each row that is in or came.
    fn most_places(&self) -> u64 {
        (self.len as usize * SPARSE).max(self.came) as u64
    }

    /// Takes words for places if that needs few.
    #[cold]
    fn try_places(&mut self) {
        let most = self.words.iter().fold(0, |most, word| most.max(word.0));
        if matches!(self.finder, Finder::Hashed(_)) && most < self.most_places() {
            let mut places = zeros(most as usize + 1);
            for (number, word) in (1..).zip(&self.words) {
                *places.get_mut(word.0 as usize).or_broken(PLACES) = number;
            }
            self.finder = Finder::Direct(places);
        }
    }

    /// Makes places up to that of the word `most`, or hashes rows again.
    #[inline]
    fn reach(&mut self, most: u64) {
        let allowed = self.most_places();
        match &mut self.finder {
            Finder::Direct(places) if most as usize >= places.len() => {
                if most < allowed {
                    places.resize((most as usize + 1).next_power_of_two(), 0);
                } else {
                    self.hash_again();
                }
            }
            _ => {}
        }
    }

    #[cold]
    fn hash_again(&mut self) {
        let mut table = RowTable::with_room(self.len as usize * 2);
        (0..).zip(&self.words).for_each(|(number, word)| table.insert_new(hash(&[*word]), number));
        self.finder = Finder::Hashed(table);
    }

    /// Takes all rows out, and keeps the room.
    pub(crate) fn clear(&mut self) {
        match &mut self.finder {
            Finder::Hashed(table) => table.clear(),
            Finder::Direct(_) => self.finder = Finder::Hashed(RowTable::default()),
        }
        (self.len, self.came, self.retry) = (0, 0, RETRY);
        self.words.clear();
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// All rows, one after the other.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The row with a number.
    pub(crate) fn row(&self, at: u32) -> &[Word] {
        row_of(&self.words, self.arity, at)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        let finder = match &self.finder {
            Finder::Hashed(table) => table.bytes(),
            Finder::Direct(places) => places.capacity() * 4,
        };
        self.words.capacity() * 8 + finder
    }
}

#[inline]
fn row_of(words: &[Word], arity: usize, at: u32) -> &[Word] {
    let row = words.get(at as usize * arity..).and_then(|rest| rest.get(..arity));
    row.or_broken("the rows of a set are numbered in the order of their coming")
}
