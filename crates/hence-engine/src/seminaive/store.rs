//! The relations of an evaluation. The life of a fact: a rule derives it, [`Fresh::take`] looks whether it is known
//! and keeps it apart until its round closes; then [`Relations::close`] moves it behind the older ones into [`Known`],
//! where the next round finds it as part of the delta, and puts it into the indexes.

use crate::cells::{Cell, Slice};
use crate::{Bound, Database, Extent, Rows, Threads};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::Program;

use super::fresh::Fresh;
use super::known::{Due, Known};
use super::members::Layout;
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

/// All relations, in two halves, so that rules can read the one while they add to the other.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// What rules read.
    pub(super) known: IndexVec<RelationId, Known>,
    /// What they add to.
    pub(super) fresh: IndexVec<RelationId, Fresh>,
    /// Room to make whole words of narrow ones.
    batch: Vec<Word>,
}

impl Relations {
    /// Round 0: the input and the facts of rule files.
    pub(super) fn load(program: &Program, input: Database) -> Result<Self, Bound> {
        let arities = || program.relations.iter().map(|relation| relation.columns.len());
        let (known, fresh) = (arities().map(Known::new).collect(), arities().map(Fresh::new).collect());
        let mut relations = Self { known, fresh, batch: Vec::new() };
        for (relation, rows) in input.into_numbered().filter(|(_, rows)| !rows.is_empty()) {
            match rows.arity() {
                0 => relations.add_all(relation, &rows)?,
                arity => relations.fresh[relation].begin(arity, rows.into_cells())?,
            }
        }
        for fact in &program.facts {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            relations.add(fact.relation, &row)?;
        }
        relations.known.ids().for_each(|relation| relations.close_one(relation));
        Ok(relations)
    }

    /// Adds the rows of an input to the open round.
    pub(super) fn add_all(&mut self, relation: RelationId, rows: &Rows) -> Result<(), Bound> {
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
    pub(super) fn add(&mut self, relation: RelationId, rows: &[Word]) -> Result<(), Bound> {
        let (known, fresh) = self.both(relation);
        if known.arity() == 0 {
            fresh.hold(known);
        } else {
            fresh.take(known, rows)?;
        }
        Ok(())
    }

    /// Both halves of a relation.
    fn both(&mut self, relation: RelationId) -> (&mut Known, &mut Fresh) {
        (&mut self.known[relation], &mut self.fresh[relation])
    }

    /// Closes the open round of a stratum's relations.
    pub(super) fn close(&mut self, relations: &[RelationId], threads: Threads) {
        if threads.most < 2 {
            return relations.iter().for_each(|relation| self.close_one(*relation));
        }
        relations.iter().for_each(|relation| self.close_rows(*relation));
        let ids = self.known.ids();
        let closed = ids.zip(self.known.iter_mut()).filter(|(relation, _)| relations.contains(relation));
        workers::extend_all(closed.flat_map(|(_, known)| known.due()).collect(), threads);
    }

    /// Closes the open round of one relation.
    pub(super) fn close_one(&mut self, relation: RelationId) {
        self.close_rows(relation);
        self.known[relation].due().for_each(Due::extend);
    }

    fn close_rows(&mut self, relation: RelationId) {
        let (known, fresh) = self.both(relation);
        known.begin_round();
        fresh.close(known);
        known.end_round();
    }

    /// Takes all facts but the first `len` back; `layout` is that of the set of facts when there were so many, and
    /// the one that it has then is the result.
    pub(super) fn rewind(&mut self, relation: RelationId, len: u32, layout: Layout) -> Layout {
        let (known, fresh) = self.both(relation);
        let mut layout = layout;
        if known.len() > len || fresh.is_open() {
            fresh.rewind(known, len, layout);
            layout = fresh.layout();
        }
        known.rewind(len);
        layout
    }

    /// Makes the set of a relation's facts, if it isn't made yet: somebody will look for one.
    pub(super) fn make_set(&mut self, relation: RelationId) {
        let (known, fresh) = self.both(relation);
        fresh.make_set(known);
    }

    /// The innermost loops of the rules that derive a relation vary this column.
    pub(super) fn turn(&mut self, relation: RelationId, inner: usize) {
        let (known, fresh) = self.both(relation);
        fresh.turn(known, inner);
    }

    /// Keeps a relation's facts by row number from now on.
    pub(super) fn number_rows(&mut self, relation: RelationId) {
        let (known, fresh) = self.both(relation);
        fresh.number_rows(known);
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
