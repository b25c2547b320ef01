//! The relations of an evaluation. The life of a fact: a rule derives it, [`Fresh::insert`] looks whether it is known
//! and keeps it apart until its round closes; then [`Relations::close`] moves it behind the older ones into [`Known`],
//! where the next round finds it as part of the delta, and puts it into the indexes.
#![expect(clippy::indexing_slicing, reason = "hot: row numbers come from the relation itself")]

use crate::backend::{Bound, Database, Extent, Rows};
use crate::ir::Program;
use crate::schema::RelationId;
use crate::value::Word;

use super::hash::hash;
use super::index::Index;
use super::table::Table;

/// Row numbers are 32 bits wide, and one of them is left out.
const MOST_ROWS: u32 = u32::MAX - 1;

/// The facts of closed rounds in the order of their derivation.
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

/// The facts of the open round, and the table of all facts: numbers below [`Known::len`] are known ones.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    len: u32,
    words: Vec<Word>,
    table: Table,
}

/// Which part of a relation an atom reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The facts of all closed rounds.
    All,
    /// Those of the last closed round.
    Delta,
    /// Those of the rounds before the last.
    Old,
}

impl Known {
    /// How many facts are known.
    pub(super) fn len(&self) -> u32 {
        self.len
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

    /// Those of ascending row numbers that lie in a part.
    #[inline]
    pub(super) fn within<'i>(&self, part: Part, numbers: &'i [u32]) -> &'i [u32] {
        let split = || numbers.partition_point(|&number| number < self.delta);
        match part {
            Part::All => numbers,
            Part::Delta => &numbers[split()..],
            Part::Old => &numbers[..split()],
        }
    }

    /// The index with a number.
    #[inline]
    pub(super) fn index(&self, at: usize) -> &Index {
        &self.indexes[at]
    }

    /// All indexes.
    pub(super) fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// The number of the index on `columns` (ascending), built where there is none yet.
    pub(super) fn index_on(&mut self, columns: &[u32]) -> usize {
        if let Some(at) = self.indexes.iter().position(|index| index.columns() == columns) {
            return at;
        }
        let mut index = Index::new(columns.to_vec());
        index.extend(&self.words, self.arity, self.len);
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.indexes.iter().map(Index::bytes).sum::<usize>()
    }
}

impl Fresh {
    /// Adds a fact, unless it is known; whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, known: &Known, row: &[Word]) -> Result<bool, Bound> {
        let number = known.len + self.len;
        if number >= MOST_ROWS {
            return Err(Bound::Facts(u64::from(MOST_ROWS)));
        }
        let words = &self.words;
        let found = self.table.find_or_insert(hash(row), number, |at| row_of(known, words, at) == row);
        if found.is_none() {
            self.words.extend_from_slice(row);
            self.len += 1;
        }
        Ok(found.is_none())
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 8 + self.table.bytes()
    }

    /// The number of a fact that is known or fresh.
    #[inline]
    pub(super) fn find(&self, known: &Known, row: &[Word]) -> Option<u32> {
        self.table.find(hash(row), |at| row_of(known, &self.words, at) == row)
    }
}

#[inline]
fn row_of<'r>(known: &'r Known, fresh: &'r [Word], at: u32) -> &'r [Word] {
    if at < known.len {
        known.row(at)
    } else {
        let at = (at - known.len) as usize * known.arity;
        &fresh[at..at + known.arity]
    }
}

/// All relations, by [`RelationId`]; in two halves, so that rules can read the one while they add to the other.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// What rules read.
    pub(super) known: Vec<Known>,
    /// What they add to.
    pub(super) fresh: Vec<Fresh>,
}

impl Relations {
    /// Round 0: the input and the facts of rule files.
    pub(super) fn load(program: &Program, input: &Database) -> Result<Self, Bound> {
        let known = |arity| Known { arity, ..Known::default() };
        let mut relations = Self {
            known: program.relations.iter().map(|relation| known(relation.columns.len())).collect(),
            fresh: program.relations.iter().map(|_| Fresh::default()).collect(),
        };
        for (at, rows) in input.relations.iter().enumerate() {
            for row in rows.iter() {
                relations.add(at, row)?;
            }
        }
        for fact in &program.facts {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            relations.add(fact.relation.0 as usize, &row)?;
        }
        (0..relations.known.len()).for_each(|at| relations.close_one(at));
        Ok(relations)
    }

    /// Adds a fact to the open round; whether it is new.
    pub(super) fn add(&mut self, relation: usize, row: &[Word]) -> Result<bool, Bound> {
        match (self.fresh.get_mut(relation), self.known.get(relation)) {
            (Some(fresh), Some(known)) => fresh.insert(known, row),
            _ => Ok(false),
        }
    }

    /// Closes the open round of a stratum's relations; whether it derived something.
    pub(super) fn close(&mut self, relations: &[RelationId]) -> bool {
        let before: u32 = relations.iter().map(|relation| self.fresh[relation.0 as usize].len).sum();
        relations.iter().for_each(|relation| self.close_one(relation.0 as usize));
        before > 0
    }

    fn close_one(&mut self, at: usize) {
        let (known, fresh) = (&mut self.known[at], &mut self.fresh[at]);
        known.delta = known.len;
        known.len += fresh.len;
        if known.words.is_empty() {
            known.words = std::mem::take(&mut fresh.words);
        } else {
            known.words.append(&mut fresh.words);
        }
        fresh.len = 0;
        known.rounds.push(known.len as usize);
        for index in &mut known.indexes {
            index.extend(&known.words, known.arity, known.len);
        }
    }

    /// Bytes of rows, tables and indexes.
    pub(super) fn bytes(&self) -> usize {
        self.known.iter().map(Known::bytes).sum::<usize>()
            + self.fresh.iter().map(Fresh::bytes).sum::<usize>()
    }

    /// The final facts, each relation's rounds up to the last that derived some.
    pub(super) fn extents(self) -> Vec<Extent> {
        let extent = |mut known: Known| {
            let end = known.len as usize;
            known.rounds.truncate(known.rounds.partition_point(|&count| count < end) + 1);
            let rows = Rows { arity: known.arity, len: end, words: known.words };
            Extent { rows, rounds: known.rounds }
        };
        self.known.into_iter().map(extent).collect()
    }
}
