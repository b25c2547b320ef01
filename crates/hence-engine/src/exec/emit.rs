//! Matches that are facts.

use crate::exec::context::{ExecContext, Sink};
use crate::storage::shard::Shard;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;

/// How many new rows lie between two looks at the memory.
pub(crate) const ROWS_PER_LOOK: u64 = 1 << 16;

/// How many words of facts are taken in at once.
const BATCH: usize = 4096;

/// Each match is a fact. Emitter are taken in by batches, which lets the processor work on many at once.
#[derive(Debug)]
pub(crate) struct Emitter<'s> {
    relation: RelationId,
    batch: Vec<Word>,
    derived: u64,
    weighed: u64,
    /// Where they all go; none to look for it in the open round.
    shard: Option<&'s mut Shard>,
}

impl<'s> Emitter<'s> {
    /// Emitter of a relation; `batch` is room to work in.
    pub(crate) fn new(relation: RelationId, mut batch: Vec<Word>) -> Self {
        batch.clear();
        Self { relation, batch, derived: 0, weighed: 0, shard: None }
    }

    /// Emitter of a relation that all fall to one shard.
    pub(crate) fn of_shard(relation: RelationId, shard: &'s mut Shard) -> Self {
        Self { shard: Some(shard), ..Self::new(relation, Vec::new()) }
    }

    /// The room to work in.
    pub(crate) fn into_batch(self) -> Vec<Word> {
        self.batch
    }

    /// How many of those taken in were new.
    pub(crate) fn derived(&self) -> u64 {
        self.derived
    }

    /// Counts new facts that others have taken in.
    pub(crate) fn add_derived(&mut self, new: u64) {
        self.derived += new;
    }

    fn derive(&mut self, new: u64, site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.derived += new;
        site.budget.spend(new)?;
        if self.derived - self.weighed >= ROWS_PER_LOOK {
            self.weighed = self.derived;
            site.weigh(self.shard.as_ref().map_or(0, |shard| shard.bytes_of_all()))?;
        }
        Ok(())
    }
}

impl Sink for Emitter<'_> {
    #[inline]
    fn take(&mut self, row: &[Word], site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if row.is_empty() {
            let stable = site.stable.get(self.relation);
            let new = site.pending.own(self.relation).hold(stable);
            return self.derive(new, site);
        }
        self.batch.extend_from_slice(row);
        if self.batch.len() >= BATCH { self.flush(site) } else { Ok(()) }
    }

    fn batch(&mut self, _: usize) -> Option<(&mut Vec<Word>, usize)> {
        Some((&mut self.batch, BATCH))
    }

    fn take_all(&mut self, rows: &[Word], _: usize, site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let stable = site.stable.get(self.relation);
        let new = match &mut self.shard {
            Some(shard) => shard.take(stable, rows)?,
            None => site.pending.own(self.relation).take(stable, rows)?,
        };
        self.derive(new, site)
    }

    fn flush(&mut self, site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        let taken = self.take_all(&batch, 1, site);
        self.batch = batch;
        self.batch.clear();
        taken
    }
}
