//! The relations of an evaluation. The life of a fact: a rule derives it, [`Fresh::take`] looks whether it is known
//! and keeps it apart until its round closes; then [`Relations::close`] moves it behind the older ones into [`Known`],
//! where the next round finds it as part of the delta, and puts it into the indexes.

use crate::backend::cells::{Cell, Cells, Slice};
use crate::backend::{Bound, Database, Extent, Rows};
use crate::ir::Program;
use crate::schema::RelationId;
use crate::value::Word;

use super::blocks::Blocks;
use super::distinct::keep_distinct;
use super::hash::hash;
use super::known::Known;
use super::members::{self, AllRows, Layout, Members, hash_row};
use super::table::Table;

/// Row numbers are 32 bits wide, and the largest is never used.
const MOST_ROWS: u64 = u32::MAX as u64 - 1;
/// From how many facts on a table may become bitmaps again.
const RETRY: u64 = 1 << 18;
/// How many words of input are taken in at once.
const BATCH: usize = 4096;

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

/// The facts of the open round, and the set of all facts, those of closed rounds included.
#[derive(Debug)]
pub(super) struct Fresh {
    len: u32,
    words: Cells,
    members: Members,
    /// From how many facts on it is tried whether bitmaps do again.
    retry: u64,
    /// Whether the facts are not in the set yet, as those of an input are until somebody looks for one.
    deferred: bool,
}

impl Fresh {
    fn new(arity: usize) -> Self {
        Self { len: 0, words: Cells::default(), members: Members::new(arity), retry: RETRY, deferred: false }
    }

    /// Takes the rows of an input for those of the open round, the first; equal ones are left out.
    fn begin(&mut self, arity: usize, mut rows: Cells) -> Result<(), Bound> {
        if (rows.len() / arity) as u64 > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        keep_distinct(&mut rows, arity);
        (self.len, self.words, self.deferred) = ((rows.len() / arity) as u32, rows, true);
        Ok(())
    }

    /// Makes the set of the facts of an input, if it isn't made yet.
    fn make_set(&mut self, known: &Known) {
        if !std::mem::take(&mut self.deferred) {
            return;
        }
        let rows = AllRows { arity: known.arity(), known: known.words(), fresh: self.words.view() };
        let blocks = Blocks::of_parts(known.arity(), [rows.known, rows.fresh]);
        self.members =
            blocks.map_or_else(|| Members::Table(rows.table(known.len() + self.len)), Members::Blocks);
    }

    /// Adds the rows of `batch` that are new; how many these are.
    pub(super) fn take(&mut self, known: &Known, batch: &[Word]) -> Result<u64, Bound> {
        let arity = known.arity();
        let before = self.len;
        let rows = batch.len() / arity.max(1);
        if u64::from(known.len()) + u64::from(self.len) + rows as u64 > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        self.make_set(known);
        self.retry_blocks(known);
        let mut rest = batch;
        if let Members::Blocks(blocks) = &mut self.members {
            let taken = match (arity, &mut self.words) {
                (1, Cells::Narrow(out)) => blocks.take(batch.as_chunks::<1>().0, out),
                (1, Cells::Wide(out)) => blocks.take(batch.as_chunks::<1>().0, out),
                (_, Cells::Narrow(out)) => blocks.take(batch.as_chunks::<2>().0, out),
                (_, Cells::Wide(out)) => blocks.take(batch.as_chunks::<2>().0, out),
            };
            self.len = (self.words.len() / arity.max(1)) as u32;
            rest = batch.get(taken * arity..).unwrap_or_default();
            if !rest.is_empty() {
                self.make_table(known);
            }
        }
        if let (Members::Table(table), false) = (&mut self.members, rest.is_empty()) {
            let len = known.len() + self.len;
            self.len += members::take(table, known.words(), &mut self.words, len, arity, rest);
        }
        Ok(u64::from(self.len - before))
    }

    /// Adds the one row of a relation without columns; whether it is new.
    pub(super) fn hold(&mut self, known: &Known) -> u64 {
        let new = known.len() + self.len == 0;
        self.len += u32::from(new);
        u64::from(new)
    }

    /// Keeps the facts by row number from now on, so that a part of them can be asked for.
    pub(super) fn number_rows(&mut self, known: &Known) {
        self.make_set(known);
        self.make_table(known);
        self.retry = u64::MAX;
    }

    fn make_table(&mut self, known: &Known) {
        if matches!(self.members, Members::Blocks(_)) {
            let rows = AllRows { arity: known.arity(), known: known.words(), fresh: self.words.view() };
            self.members = Members::Table(rows.table(known.len() + self.len));
        }
    }

    /// Goes from a table to bitmaps where the facts have become dense; looked at each time they have doubled.
    fn retry_blocks(&mut self, known: &Known) {
        let facts = u64::from(known.len()) + u64::from(self.len);
        if facts < self.retry || !matches!(self.members, Members::Table(_)) {
            return;
        }
        self.retry = facts * 2;
        if let Some(blocks) = Blocks::of_parts(known.arity(), [known.words(), self.words.view()]) {
            self.members = Members::Blocks(blocks);
        }
    }

    /// Whether a row is among the known facts of a part. Those of a relation that still grows have to be numbered.
    #[inline]
    pub(super) fn holds(&self, known: &Known, row: &[Word], part: Part) -> bool {
        match &self.members {
            _ if row.is_empty() => !known.part(part).is_empty(),
            _ if self.deferred => known.part(part).any(|at| known.row(at).is(row)),
            Members::Blocks(blocks) => blocks.contains(row),
            Members::Table(table) => {
                let rows = AllRows { arity: row.len(), known: known.words(), fresh: self.words.view() };
                let number = table.find(hash(row), |at| rows.row(at).is(row));
                number.is_some_and(|number| known.part(part).contains(&number))
            }
        }
    }

    /// Whether the open round has facts.
    pub(super) fn is_open(&self) -> bool {
        self.len > 0
    }

    /// The layout of the set of facts, as [`Fresh::rewind`] needs it.
    pub(super) fn layout(&self) -> Layout {
        self.members.layout()
    }

    /// Forgets all facts but the first `len` of `known`, which still has the others; `layout` is that of the set when
    /// there were so many.
    pub(super) fn rewind(&mut self, known: &Known, len: u32, layout: Layout) {
        let arity = known.arity();
        if arity > 0 && self.members.layout() == layout {
            let rows = AllRows { arity, known: known.words(), fresh: self.words.view() };
            for at in (len..known.len() + self.len).rev() {
                self.members.remove_last(rows.row(at), at);
            }
        } else if arity > 0 {
            self.refill(known, len);
        }
        self.words.clear();
        self.len = 0;
    }

    /// Makes the set anew from the first `len` facts of `known`, in the room that it has.
    fn refill(&mut self, known: &Known, len: u32) {
        let rows = known.words().part(0, len as usize * known.arity());
        self.words.clear();
        if let Members::Blocks(blocks) = &mut self.members
            && !blocks.refill(rows, known.arity())
        {
            self.members = Members::Table(Table::default());
        }
        if let Members::Table(table) = &mut self.members {
            table.clear();
            (0..len).for_each(|at| table.insert_new(hash_row(known.row(at)), at));
        }
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.members.bytes()
    }
}

/// All relations, by [`RelationId`]; in two halves, so that rules can read the one while they add to the other.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// What rules read.
    pub(super) known: Vec<Known>,
    /// What they add to.
    pub(super) fresh: Vec<Fresh>,
    /// Room to make whole words of narrow ones.
    batch: Vec<Word>,
}

impl Relations {
    /// Round 0: the input and the facts of rule files.
    pub(super) fn load(program: &Program, input: Database) -> Result<Self, Bound> {
        let arities = || program.relations.iter().map(|relation| relation.columns.len());
        let (known, fresh) = (arities().map(Known::new).collect(), arities().map(Fresh::new).collect());
        let mut relations = Self { known, fresh, batch: Vec::new() };
        for (at, rows) in input.relations.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            match relations.fresh.get_mut(at) {
                Some(fresh) if rows.arity() > 0 => fresh.begin(rows.arity(), rows.into_cells())?,
                _ => relations.add_all(at, &rows)?,
            }
        }
        for fact in &program.facts {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            relations.add(fact.relation.0 as usize, &row)?;
        }
        (0..relations.known.len()).for_each(|at| relations.close_one(at));
        Ok(relations)
    }

    /// Adds the rows of an input to the open round.
    pub(super) fn add_all(&mut self, relation: usize, rows: &Rows) -> Result<(), Bound> {
        let whole_rows = BATCH / rows.arity().max(1) * rows.arity().max(1);
        let whole_rows = whole_rows.max(rows.arity()).max(1);
        match rows.view() {
            Slice::Wide(words) => words.chunks(whole_rows).try_for_each(|batch| self.add(relation, batch))?,
            Slice::Narrow(cells) => {
                let mut batch = std::mem::take(&mut self.batch);
                for cells in cells.chunks(whole_rows) {
                    batch.clear();
                    batch.extend(cells.iter().map(|cell| cell.word()));
                    self.add(relation, &batch)?;
                }
                self.batch = batch;
            }
        }
        if rows.arity() == 0 && !rows.is_empty() {
            self.add(relation, &[])?;
        }
        Ok(())
    }

    /// Adds rows to the open round, or the one row of a relation without columns.
    pub(super) fn add(&mut self, relation: usize, rows: &[Word]) -> Result<(), Bound> {
        if let (Some(fresh), Some(known)) = (self.fresh.get_mut(relation), self.known.get(relation)) {
            if known.arity() == 0 {
                fresh.hold(known);
            } else {
                fresh.take(known, rows)?;
            }
        }
        Ok(())
    }

    /// Closes the open round of a stratum's relations.
    pub(super) fn close(&mut self, relations: &[RelationId]) {
        relations.iter().for_each(|relation| self.close_one(relation.0 as usize));
    }

    pub(super) fn close_one(&mut self, at: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get_mut(at), self.fresh.get_mut(at)) {
            known.close_round(std::mem::take(&mut fresh.len), &mut fresh.words);
        }
    }

    /// Makes the set of a relation's facts, if it isn't made yet: somebody will look for one.
    pub(super) fn make_set(&mut self, at: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get(at), self.fresh.get_mut(at)) {
            fresh.make_set(known);
        }
    }

    /// Keeps a relation's facts by row number from now on.
    pub(super) fn number_rows(&mut self, at: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get(at), self.fresh.get_mut(at)) {
            fresh.number_rows(known);
        }
    }

    /// Bytes of rows, tables and indexes.
    pub(super) fn bytes(&self) -> usize {
        self.known.iter().map(Known::bytes).sum::<usize>()
            + self.fresh.iter().map(Fresh::bytes).sum::<usize>()
    }

    /// The final facts.
    pub(super) fn extents(self) -> Vec<Extent> {
        self.known.into_iter().map(Known::into_extent).collect()
    }
}
