//! Where a plan works, and what becomes of what it finds.

use crate::limits::Budget;
use crate::report::Reports;
use crate::storage::pending::Pending;
use crate::storage::stable::Stable;
use hence_core::meter::Bound;
use std::ops::Index;

use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::{Id, IndexSlice};
use hence_core::schema::RelationId;
use hence_core::value::Word;

/// Where a rule works: what it reads, what it adds to, and what it may spend.
pub(crate) struct ExecContext<'a, 'p> {
    /// The facts of closed rounds.
    pub(crate) stable: IndexSlice<'a, RelationId, Stable>,
    /// The open round.
    pub(crate) pending: PendingTuples<'a>,
    /// The limits.
    pub(crate) budget: &'a mut Budget,
    /// Undefined operations.
    pub(crate) reports: &'a mut Reports<'p>,
    /// The values of the parameters.
    pub(crate) params: &'a [Word],
}

/// The open round of all relations.
pub(crate) enum PendingTuples<'a> {
    /// To read and to add to.
    Mine(&'a mut [Pending]),
    /// To read, beside other threads; without that of the relation they add to.
    Shared(IndexSlice<'a, RelationId, Pending>),
}

impl PendingTuples<'_> {
    /// That of a relation, to add to.
    #[track_caller]
    pub(crate) fn own(&mut self, relation: RelationId) -> &mut Pending {
        match self {
            Self::Mine(pending) => pending.get_mut(relation.at()).or_broken(RelationId::INVARIANT),
            Self::Shared(_) => broken("threads that partition the open round add to shards of their own"),
        }
    }

    /// The same, to be read.
    #[inline]
    pub(crate) fn view(&self) -> IndexSlice<'_, RelationId, Pending> {
        match self {
            Self::Mine(pending) => IndexSlice::from(&**pending),
            Self::Shared(pending) => *pending,
        }
    }
}

impl Index<RelationId> for PendingTuples<'_> {
    type Output = Pending;

    #[inline]
    fn index(&self, relation: RelationId) -> &Pending {
        self.view().get(relation)
    }
}

/// The partition of rows that may go any way.
pub(crate) const ANY: usize = usize::MAX;

/// What becomes of the matches of a body.
pub(crate) trait Sink: Send {
    /// Takes in one match: the values of the head's expressions, as [`Plan::head`] lists them.
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound>;

    /// Takes in many rows of `width` words, which is not 0.
    fn take_all(
        &mut self,
        rows: &[Word],
        width: usize,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        rows.chunks_exact(width).try_for_each(|row| self.take(row, context))
    }

    /// Whether rows go different ways, so that it must be known which before they are put down.
    fn is_partitioned(&self) -> bool {
        false
    }

    /// The way of all rows of an innermost loop; in `row` is what they have in common.
    fn partition(&self, _row: &[Word]) -> usize {
        ANY
    }

    /// Exchanges `words` for the batch of a partition, which may have rows; how many words there may be before they are
    /// given back and [`Sink::flush`] is due.
    fn swap_batch(&mut self, partition: usize, words: &mut Vec<Word>) -> usize;

    /// Whether it has as much as it may have before the threads that fill it pause.
    fn is_full(&self) -> bool {
        false
    }

    /// Takes in what was put into batches.
    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound>;
}

impl ExecContext<'_, '_> {
    /// Compares what the relations take, and `more` bytes, with the limit on memory.
    #[cold]
    pub(crate) fn weigh(&self, more: usize) -> Result<(), Bound> {
        if !self.budget.weighs() {
            return Ok(());
        }
        let relations = self.stable.as_slice().iter().map(Stable::bytes).sum::<usize>();
        let pending = self.pending.view().as_slice().iter().map(Pending::bytes).sum::<usize>();
        self.budget.memory(relations + pending + more)
    }
}
