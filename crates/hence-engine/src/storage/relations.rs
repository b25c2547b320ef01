//! The relations of an evaluation. The life of a fact: a rule derives it, [`Pending::take`] checks whether it is there already
//! and keeps it apart until its round closes; then [`Relations::close`] appends it to the older ones into [`Stable`],
//! where the next round finds it as part of the delta, and puts it into the indexes.

use super::threads;
use crate::cells::Cell;
use crate::cells::Slice;
use crate::limits::Threads;
use crate::model::{Database, Extent};
use crate::rows::Rows;
use crate::storage::index::{Index, IndexId};
use crate::storage::pending::Pending;
use crate::storage::stable::{IndexUpdate, Stable};
use crate::storage::tuple_set::SetLayout;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::Program;

/// How many words of input are taken in at once.
const BATCH: usize = 4096;

/// All relations, in two halves, so that rules can read the one while they add to the other.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    /// What rules read.
    pub(crate) stable: IndexVec<RelationId, Stable>,
    /// What they add to.
    pub(crate) pending: IndexVec<RelationId, Pending>,
    /// Room to make whole words of narrow ones.
    batch: Vec<Word>,
    /// How many bytes each took when it was weighed last, and all together.
    weighed: IndexVec<RelationId, usize>,
    bytes: usize,
}

impl Relations {
    /// Round 0: the input and the facts of rule files.
    pub(crate) fn load(program: &Program, input: Database) -> Result<Self, Bound> {
        let arities = || program.relations.iter().map(|relation| relation.columns.len());
        let (stable, pending) = (arities().map(Stable::new).collect(), arities().map(Pending::new).collect());
        let weighed = IndexVec::filled(0, program.relations.len());
        let mut relations = Self { stable, pending, batch: Vec::new(), weighed, bytes: 0 };
        for (relation, rows) in input.into_numbered().filter(|(_, rows)| !rows.is_empty()) {
            match rows.arity() {
                0 => relations.add_all(relation, &rows)?,
                arity => relations.pending[relation].begin(arity, rows.into_cells())?,
            }
        }
        for fact in &program.facts {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            relations.add(fact.relation, &row)?;
        }
        relations.stable.ids().for_each(|relation| {
            relations.close_one(relation);
            relations.weigh(relation);
        });
        Ok(relations)
    }

    /// Adds the rows of an input to the open round.
    pub(crate) fn add_all(&mut self, relation: RelationId, rows: &Rows) -> Result<(), Bound> {
        let whole_rows = match rows.arity() {
            0 => 1,
            arity if arity > BATCH => arity,
            _ if rows.view().len() <= BATCH => BATCH,
            arity => BATCH / arity * arity,
        };
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
    pub(crate) fn add(&mut self, relation: RelationId, rows: &[Word]) -> Result<(), Bound> {
        let (stable, pending) = self.both(relation);
        if stable.arity() == 0 {
            pending.hold(stable);
        } else {
            pending.take(stable, rows)?;
        }
        Ok(())
    }

    /// Both halves of a relation.
    fn both(&mut self, relation: RelationId) -> (&mut Stable, &mut Pending) {
        (&mut self.stable[relation], &mut self.pending[relation])
    }

    /// Closes the open round of a stratum's relations.
    pub(crate) fn close(&mut self, relations: &[RelationId], threads: Threads) {
        if threads.most < 2 {
            return relations.iter().for_each(|relation| self.close_one(*relation));
        }
        relations.iter().for_each(|relation| self.close_rows(*relation));
        threads::extend_all(these(&mut self.stable, relations).flat_map(Stable::due).collect(), threads);
    }

    /// Closes the open round of one relation.
    pub(crate) fn close_one(&mut self, relation: RelationId) {
        self.close_rows(relation);
        self.stable[relation].due().for_each(IndexUpdate::extend);
    }

    fn close_rows(&mut self, relation: RelationId) {
        let (stable, pending) = self.both(relation);
        stable.begin_round();
        if pending.is_open() {
            pending.close(stable);
        }
        stable.end_round();
    }

    /// Takes all facts but the first `len` back; `layout` is that of the set of facts when there were so many, and
    /// the one that it has then is the result.
    pub(crate) fn rewind(&mut self, relation: RelationId, len: u32, layout: SetLayout) -> SetLayout {
        let (stable, pending) = self.both(relation);
        let mut layout = layout;
        if stable.len() > len || pending.is_open() {
            pending.rewind(stable, len, layout);
            layout = pending.layout();
        }
        stable.rewind(len);
        layout
    }

    /// Makes the set of a relation's facts, if it isn't made yet: somebody will look for one.
    pub(crate) fn make_set(&mut self, relation: RelationId) {
        let (stable, pending) = self.both(relation);
        pending.make_set(stable);
    }

    /// The innermost loops of the rules that derive a relation vary this column.
    pub(crate) fn cluster_by(&mut self, relation: RelationId, clustering: usize) {
        let (stable, pending) = self.both(relation);
        pending.cluster_by(stable, clustering);
    }

    /// Keeps a relation's facts by row number from now on.
    pub(crate) fn number_rows(&mut self, relation: RelationId) {
        let (stable, pending) = self.both(relation);
        pending.number_rows(stable);
    }

    /// Forgets the indexes of growing relations that no plan uses: each round would take its facts into them.
    pub(crate) fn retain_indexes(&mut self, growing: &[RelationId], used: &[(RelationId, IndexId)]) {
        for relation in growing {
            let used: Vec<IndexId> =
                used.iter().filter(|(of, _)| of == relation).map(|(_, index)| *index).collect();
            self.stable[*relation].retain_indexes(&used);
        }
    }

    /// Builds the indexes of these relations, ascending, that plans have asked for and that there weren't yet.
    pub(crate) fn build_indexes(&mut self, relations: &[RelationId], threads: Threads) {
        let unbuilt = these(&mut self.stable, relations).flat_map(Stable::unbuilt).collect();
        threads::extend_all(unbuilt, threads);
    }

    /// Sorts the indexes of multiway joins over relations that won't grow any more, so that lists are intersected as they are.
    pub(crate) fn sort_indexes(
        &mut self,
        growing: &[RelationId],
        used: impl Iterator<Item = (RelationId, IndexId)>,
        threads: Threads,
    ) {
        let used: Vec<_> = used.filter(|(relation, _)| !growing.contains(relation)).collect();
        let mut joined: Vec<RelationId> = used.iter().map(|(relation, _)| *relation).collect();
        joined.sort_unstable();
        joined.dedup();
        let mut unsorted: Vec<&mut Index> = Vec::new();
        for (relation, stable) in joined.iter().zip(these(&mut self.stable, &joined)) {
            let used = used.iter().filter(|(of, _)| of == relation).map(|(_, index)| *index);
            unsorted.extend(stable.unsorted(&used.collect::<Vec<_>>()));
        }
        threads::sort_all(unsorted, threads);
    }

    /// Measures what the rows, tables and indexes of a relation take.
    pub(crate) fn weigh(&mut self, relation: RelationId) {
        let now = self.stable[relation].bytes() + self.pending[relation].bytes();
        let before = std::mem::replace(&mut self.weighed[relation], now);
        self.bytes = self.bytes - before + now;
    }

    /// What all relations took when each was weighed last.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The final facts.
    pub(crate) fn extents(self) -> Vec<Extent> {
        self.stable.into_iter().map(Stable::into_extent).collect()
    }
}

/// The relations with these numbers, ascending.
fn these<'s>(
    all: &'s mut IndexVec<RelationId, Stable>,
    numbers: &[RelationId],
) -> impl Iterator<Item = &'s mut Stable> {
    let (mut rest, mut passed) = (all.as_mut_slice(), 0);
    numbers.iter().map(move |number| {
        let after = std::mem::take(&mut rest).get_mut(number.at() - passed..);
        let (first, others) = after.and_then(<[Stable]>::split_first_mut).or_broken(RelationId::INVARIANT);
        (rest, passed) = (others, number.at() + 1);
        first
    })
}
