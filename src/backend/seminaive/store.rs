//! The relations of an evaluation. The life of a fact: a rule derives it, [`Fresh::take`] looks whether it is known
//! and keeps it apart until its round closes; then [`Relations::close`] moves it behind the older ones into [`Known`],
//! where the next round finds it as part of the delta, and puts it into the indexes.

use crate::backend::cells::{Cell, Slice};
use crate::backend::{Bound, Database, Extent, Rows, Threads};
use crate::ir::Program;
use crate::schema::RelationId;
use crate::value::Word;

use super::fresh::Fresh;
use super::known::{Due, Known};
use super::workers;

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
    pub(super) fn close(&mut self, relations: &[RelationId], threads: Threads) {
        if threads.most < 2 {
            return relations.iter().for_each(|relation| self.close_one(relation.0 as usize));
        }
        relations.iter().for_each(|relation| self.close_rows(relation.0 as usize));
        let of_stratum = |at: usize| relations.contains(&RelationId(at as u32));
        let closed = self.known.iter_mut().enumerate().filter(|(at, _)| of_stratum(*at));
        workers::extend_all(closed.flat_map(|(_, known)| known.due()).collect(), threads);
    }

    /// Closes the open round of one relation.
    pub(super) fn close_one(&mut self, at: usize) {
        self.close_rows(at);
        self.known.get_mut(at).into_iter().flat_map(Known::due).for_each(Due::extend);
    }

    fn close_rows(&mut self, at: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get_mut(at), self.fresh.get_mut(at)) {
            known.begin_round();
            fresh.close(known);
            known.end_round();
        }
    }

    /// Makes the set of a relation's facts, if it isn't made yet: somebody will look for one.
    pub(super) fn make_set(&mut self, at: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get(at), self.fresh.get_mut(at)) {
            fresh.make_set(known);
        }
    }

    /// The innermost loops of the rules that derive a relation vary this column.
    pub(super) fn turn(&mut self, at: usize, inner: usize) {
        if let (Some(known), Some(fresh)) = (self.known.get(at), self.fresh.get_mut(at)) {
            fresh.turn(known, inner);
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
