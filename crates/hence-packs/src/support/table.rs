//! Relations between `crepe!` programs: rows of words, one after the other.

use std::collections::HashSet;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::Word;

use super::row::Fact;

/// An invariant of generated code.
const TABLES: &str = "generated code names tables that its rule set has";

/// A value of a fact of a rule file.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    /// A bool.
    B(bool),
    /// An int, a time or a duration.
    I(i64),
    /// A float.
    F(f64),
    /// A string, or a name with its slash.
    T(&'static str),
}

impl Cell {
    fn word(&self) -> Word {
        match self {
            Self::B(value) => Word::from_bool(*value),
            Self::I(value) => Word::from_int(*value),
            Self::F(value) => Word::from_float(*value).or_broken("a float that a rule writes down is finite"),
            Self::T(text) => Word::from_symbol(Symbol::new(text)),
        }
    }
}

/// The rows of one relation. A relation without columns has one that is always zero.
#[derive(Clone, Debug, Default)]
pub struct Table {
    arity: usize,
    pub(super) words: Vec<Word>,
}

impl Table {
    /// No rows of `arity` columns.
    pub fn new(arity: usize) -> Self {
        Self { arity: arity.max(1), words: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[Word]) {
        if row.is_empty() {
            self.words.push(Word(0));
        } else {
            self.words.extend_from_slice(row);
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.words.len() / self.arity.max(1)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The row at `at`.
    pub fn row(&self, at: usize) -> &[Word] {
        let row = self.words.get(at * self.arity..(at + 1) * self.arity);
        row.or_broken("the rows of a table are numbered in their order")
    }

    /// The rows in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunks_exact(self.arity.max(1))
    }
}

/// All relations of a rule set, by number, and after them the matches of rules that aggregate or limit.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    tables: Vec<Table>,
}

impl Tables {
    /// Empty tables of these numbers of columns.
    pub fn new(arities: &[usize]) -> Self {
        Self { tables: arities.iter().map(|arity| Table::new(*arity)).collect() }
    }

    /// A table.
    pub fn get(&self, table: usize) -> &Table {
        self.tables.get(table).or_broken(TABLES)
    }

    fn get_mut(&mut self, table: usize) -> &mut Table {
        self.tables.get_mut(table).or_broken(TABLES)
    }

    /// Takes a table out.
    pub fn take(&mut self, table: usize) -> Table {
        std::mem::take(self.get_mut(table))
    }

    /// Adds a row to a table.
    pub fn push(&mut self, table: usize, row: &[Word]) {
        self.get_mut(table).push(row);
    }

    /// Puts `rows` in the place of what a table held.
    pub fn set<R: Fact, S>(&mut self, table: usize, rows: &HashSet<R, S>) {
        let mut words = Vec::with_capacity(rows.len() * R::WIDTH);
        rows.iter().for_each(|row| row.write(&mut words));
        self.get_mut(table).words = words;
    }

    /// The same with rows wider than any [`Fact`].
    pub fn set_wide<const N: usize>(&mut self, table: usize, rows: impl ExactSizeIterator<Item = [Word; N]>) {
        let mut words = Vec::with_capacity(rows.len() * N);
        rows.for_each(|row| words.extend_from_slice(&row));
        self.get_mut(table).words = words;
    }

    /// Adds the facts of a rule file.
    pub fn facts<const N: usize>(&mut self, table: usize, rows: &[[Cell; N]]) {
        let mut words = Vec::with_capacity(N);
        for row in rows {
            words.clear();
            words.extend(row.iter().map(Cell::word));
            self.push(table, &words);
        }
    }

    /// Removes duplicate rows, which rules that aggregate or limit may have.
    pub fn distinct(&mut self, table: usize) {
        let table = self.get_mut(table);
        let mut seen = HashSet::with_capacity_and_hasher(table.len(), ahash::RandomState::default());
        let mut words = Vec::with_capacity(table.words.len());
        for row in table.words.chunks_exact(table.arity.max(1)) {
            if seen.insert(row) {
                words.extend_from_slice(row);
            }
        }
        drop(seen);
        table.words = words;
    }
}
