//! Rows of one relation, as engines take them in and give them back.

use crate::cells::{Cells, Slice};
use std::sync::OnceLock;

use hence_core::fault::OrBroken;
use hence_core::value::Word;
use smallvec::SmallVec;

/// A row by itself.
pub type Row = SmallVec<[Word; 8]>;

/// An invariant of [`Rows`].
const WHOLE: &str = "rows are whole";

/// Rows of one relation, one after the other in one vector. They are kept in 32 bits a value while all values fit, and
/// made into whole words when they are first looked at.
#[derive(Clone, Debug)]
pub struct Rows {
    arity: usize,
    len: usize,
    cells: Cells,
    /// The whole words of narrow cells, once asked for.
    words: OnceLock<Vec<Word>>,
}

impl Default for Rows {
    fn default() -> Self {
        Self::new(0)
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        (self.arity, self.len, self.words()) == (other.arity, other.len, other.words())
    }
}

impl Eq for Rows {}

impl Rows {
    /// No rows of `arity` columns.
    pub fn new(arity: usize) -> Self {
        Self { arity, len: 0, cells: Cells::default(), words: OnceLock::new() }
    }

    /// The rows that an engine has.
    pub(crate) fn of(arity: usize, len: usize, cells: Cells) -> Self {
        Self { arity, len, cells, words: OnceLock::new() }
    }

    /// Adds a row; `row` must have as many words as the relation has columns.
    #[inline]
    pub fn push(&mut self, row: &[Word]) {
        assert_eq!(row.len(), self.arity, "a row has a word for each column");
        if self.words.get().is_some() {
            self.stay_wide();
        }
        self.cells.admit(row);
        self.cells.extend_from_slice(row);
        self.len += 1;
    }

    /// Goes over to whole words for good: rows that are looked at while they grow would be made into them again and again.
    #[cold]
    fn stay_wide(&mut self) {
        self.cells = Cells::Wide(self.words.take().or_broken("rows stay wide once they were looked at"));
    }

    /// The rows without their number.
    pub(crate) fn into_cells(self) -> Cells {
        self.cells
    }

    /// All words, row by row, as they are kept.
    pub(crate) fn view(&self) -> Slice<'_> {
        self.cells.view()
    }

    /// Takes all rows out, and keeps the room.
    pub fn clear(&mut self) {
        self.words.take();
        self.cells.clear();
        self.len = 0;
    }

    /// All words, row by row.
    fn words(&self) -> &[Word] {
        match &self.cells {
            Cells::Wide(words) => words,
            narrow => self.words.get_or_init(|| narrow.view().iter().collect()),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many columns a row has.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The row at `at`.
    pub fn get(&self, at: usize) -> Option<&[Word]> {
        (at < self.len).then(|| self.words().get(at * self.arity..(at + 1) * self.arity).or_broken(WHOLE))
    }

    /// The words of one column in the order of the rows; none of a column that there isn't.
    pub fn column(&self, column: usize) -> impl Iterator<Item = Word> {
        let cells = self.cells.view();
        let rows = if column < self.arity { self.len } else { 0 };
        (0..rows).map(move |at| cells.at(at * self.arity + column))
    }

    /// The rows in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Word]> {
        let words = self.words();
        (0..self.len).map(|at| words.get(at * self.arity..(at + 1) * self.arity).or_broken(WHOLE))
    }
}
