//! Matches that are facts.

use crate::cells::Cells;
use crate::exec::context::{ExecContext, Sink};
use crate::storage::shard::Shard;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;

/// After how many new rows the memory is measured again.
pub(crate) const ROWS_PER_LOOK: u64 = 1 << 16;

/// How many words of facts are taken in at once.
const BATCH: usize = 4096;
/// How many times as many rows wait to be compared as are known to be distinct.
const MORE: u64 = 3;
/// Rows go on being compared later while at most one of so many was there before.
const WORTH_WHILE: u64 = 8;

/// When facts are compared with those that the relation has.
#[derive(Debug)]
enum Compared {
    /// Each when it comes.
    AtOnce,
    /// Not at all: they are distinct, and the only ones.
    Never,
    /// It is yet to be seen: not at all, or many at once, if there are many.
    LaterIfMany { distinct: bool },
    /// Many at once, of which so many wait: they are the only ones.
    Later { waiting: u64 },
}

/// How many words of facts are kept apart for a shard.
const APART: usize = 1 << 20;

/// Each match is a fact. Facts are added in batches, which lets the processor work on many at once.
#[derive(Debug)]
pub(crate) struct Emitter<'s> {
    relation: RelationId,
    batch: Vec<Word>,
    derived: u64,
    weighed: u64,
    compared: Compared,
    /// Where they all go; none to look for it in the open round.
    shard: Option<&'s mut Shard>,
}

impl<'s> Emitter<'s> {
    /// An emitter for a relation; `batch` is room to work in.
    pub(crate) fn new(relation: RelationId, mut batch: Vec<Word>) -> Self {
        batch.clear();
        Self { relation, batch, derived: 0, weighed: 0, compared: Compared::AtOnce, shard: None }
    }

    /// An emitter for a relation whose facts all belong to one shard.
    pub(crate) fn of_shard(relation: RelationId, shard: &'s mut Shard) -> Self {
        Self { shard: Some(shard), ..Self::new(relation, Vec::new()) }
    }

    /// The room to work in.
    pub(crate) fn into_batch(self) -> Vec<Word> {
        self.batch
    }

    /// All that follow are distinct.
    pub(crate) fn expect_distinct(&mut self, context: &mut ExecContext<'_, '_>) {
        let stable = context.stable.get(self.relation);
        if self.shard.is_none() && context.pending.own(self.relation).begin_distinct(stable) {
            self.compared = Compared::Never;
        }
    }

    /// If there are many, and the relation has none yet, they may be compared later, by [`Emitter::compare`] at the latest;
    /// not at all if they are distinct.
    pub(crate) fn allow_later(&mut self, distinct: bool) {
        self.compared = Compared::LaterIfMany { distinct };
    }

    /// Whether they are not compared when they come, now that many are expected.
    pub(crate) fn is_later(&mut self, context: &mut ExecContext<'_, '_>) -> bool {
        self.decide(true, context);
        matches!(self.compared, Compared::Never | Compared::Later { .. })
    }

    /// Compares what was taken in to be compared later.
    pub(crate) fn compare(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let Compared::Later { waiting: waiting @ 1.. } = self.compared else { return Ok(()) };
        let stable = context.stable.get(self.relation);
        let new = context.pending.own(self.relation).compare(stable)?;
        let pays = new >= waiting - waiting / WORTH_WHILE;
        self.compared = if pays { Compared::Later { waiting: 0 } } else { Compared::AtOnce };
        self.derive(new, context)
    }

    /// Takes in rows that are compared later.
    fn take_later(&mut self, rows: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let stable = context.stable.get(self.relation);
        let new = (rows.len() / stable.arity()) as u64;
        let waiting = context.pending.own(self.relation).take_later(stable, rows);
        self.compared = Compared::Later { waiting };
        if waiting / ROWS_PER_LOOK != (waiting - new) / ROWS_PER_LOOK {
            context.weigh(0)?;
        }
        if waiting >= ROWS_PER_LOOK.max(self.derived * MORE) { self.compare(context) } else { Ok(()) }
    }

    /// Decides when they are compared, if that isn't known yet.
    fn decide(&mut self, many: bool, context: &mut ExecContext<'_, '_>) {
        let Compared::LaterIfMany { distinct } = self.compared else { return };
        let stable = context.stable.get(self.relation);
        let later = many && context.pending.own(self.relation).begin_later(stable);
        self.compared = match later {
            true if distinct => Compared::Never,
            true => Compared::Later { waiting: 0 },
            false => Compared::AtOnce,
        };
    }

    /// Whether they may be taken in as [`Emitter::take_cells`] does.
    pub(crate) fn is_distinct(&self) -> bool {
        matches!(self.compared, Compared::Never)
    }

    /// Takes in facts of which it is known that they are distinct.
    pub(crate) fn take_cells(
        &mut self,
        mut cells: Cells,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        let stable = context.stable.get(self.relation);
        let new = context.pending.own(self.relation).append_distinct(stable, &mut cells)?;
        self.derive(new, context)
    }

    /// How many of those taken in were new.
    pub(crate) fn derived(&self) -> u64 {
        self.derived
    }

    /// Counts new facts that others have taken in.
    pub(crate) fn add_derived(&mut self, new: u64) {
        self.derived += new;
    }

    fn derive(&mut self, new: u64, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.derived += new;
        context.budget.spend(new)?;
        if self.derived - self.weighed >= ROWS_PER_LOOK {
            self.weighed = self.derived;
            context.weigh(self.shard.as_ref().map_or(0, |shard| shard.bytes_of_all()))?;
        }
        Ok(())
    }
}

/// Matches that are kept apart while threads look for facts of the relation that they will be added to.
#[derive(Debug, Default)]
pub(crate) struct Apart(Vec<Word>);

impl Apart {
    /// The words of the facts, in the order in which they came.
    pub(crate) fn words(&self) -> &[Word] {
        &self.0
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Word>()
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Sink for Apart {
    fn take(&mut self, row: &[Word], _: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.0.extend_from_slice(row);
        Ok(())
    }

    fn take_all(&mut self, rows: &[Word], _: usize, _: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.0.extend_from_slice(rows);
        Ok(())
    }

    fn swap_batch(&mut self, _: usize, words: &mut Vec<Word>) -> usize {
        std::mem::swap(&mut self.0, words);
        usize::MAX
    }

    fn is_full(&self) -> bool {
        self.0.len() >= APART
    }

    fn flush(&mut self, _: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        Ok(())
    }
}

impl Sink for Emitter<'_> {
    #[inline]
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if row.is_empty() {
            let stable = context.stable.get(self.relation);
            let new = context.pending.own(self.relation).hold(stable);
            return self.derive(new, context);
        }
        self.batch.extend_from_slice(row);
        if self.batch.len() >= BATCH { self.flush(context) } else { Ok(()) }
    }

    fn swap_batch(&mut self, _: usize, words: &mut Vec<Word>) -> usize {
        std::mem::swap(&mut self.batch, words);
        BATCH
    }

    fn take_all(&mut self, rows: &[Word], _: usize, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.decide(rows.len() >= BATCH, context);
        let stable = context.stable.get(self.relation);
        let new = match (&mut self.shard, &self.compared) {
            (Some(shard), _) => shard.take(stable, rows)?,
            (None, Compared::Later { .. }) => return self.take_later(rows, context),
            (None, Compared::Never) => context.pending.own(self.relation).take_distinct(stable, rows)?,
            (None, _) => context.pending.own(self.relation).take(stable, rows)?,
        };
        self.derive(new, context)
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        let taken = self.take_all(&batch, 1, context);
        self.batch = batch;
        self.batch.clear();
        taken
    }
}
