//! Where a plan works, and what becomes of what it finds.

use std::ops::Index;

use crate::Bound;
use crate::budget::Budget;
use crate::report::Reports;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::{Id, IndexSlice};
use hence_core::schema::RelationId;
use hence_core::value::Word;

use super::fresh::Fresh;
use super::known::Known;

/// Where a rule works: what it reads, what it adds to, and what it may spend.
pub(super) struct Site<'a, 'p> {
    /// The facts of closed rounds.
    pub(super) known: IndexSlice<'a, RelationId, Known>,
    /// The open round.
    pub(super) fresh: Open<'a>,
    /// The limits.
    pub(super) budget: &'a mut Budget,
    /// Operations without a result.
    pub(super) reports: &'a mut Reports<'p>,
    /// The values of the parameters.
    pub(super) params: &'a [Word],
}

/// The open round of all relations.
pub(super) enum Open<'a> {
    /// To read and to add to.
    Mine(&'a mut [Fresh]),
    /// To read, beside other threads; without that of the relation they add to.
    Shared(IndexSlice<'a, RelationId, Fresh>),
}

impl Open<'_> {
    /// That of a relation, to add to.
    #[track_caller]
    pub(super) fn own(&mut self, relation: RelationId) -> &mut Fresh {
        match self {
            Self::Mine(fresh) => fresh.get_mut(relation.at()).or_broken(RelationId::INVARIANT),
            Self::Shared(_) => broken("threads that share the open round add to shards of their own"),
        }
    }

    /// The same, to be read.
    #[inline]
    pub(super) fn view(&self) -> IndexSlice<'_, RelationId, Fresh> {
        match self {
            Self::Mine(fresh) => IndexSlice::from(&**fresh),
            Self::Shared(fresh) => *fresh,
        }
    }
}

impl Index<RelationId> for Open<'_> {
    type Output = Fresh;

    #[inline]
    fn index(&self, relation: RelationId) -> &Fresh {
        self.view().get(relation)
    }
}

/// What becomes of the matches of a body.
pub(super) trait Sink {
    /// Takes in one match: the values of the head's expressions, as [`Plan::head`] lists them.
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound>;

    /// Takes in many rows of `width` words, which is not 0.
    fn take_all(&mut self, rows: &[Word], width: usize, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        rows.chunks_exact(width).try_for_each(|row| self.take(row, site))
    }

    /// Whether rows go different ways, so that it must be known which before they are put down.
    const HAS_LANES: bool = false;

    /// The way of all rows of an innermost loop; in `row` is what they have in common.
    fn lane(&self, _row: &[Word]) -> usize {
        0
    }

    /// Where rows of a lane may be put directly, and how many words of them before [`Sink::flush`] is due.
    fn batch(&mut self, _lane: usize) -> Option<(&mut Vec<Word>, usize)> {
        None
    }

    /// Takes in what was put into the batch.
    fn flush(&mut self, _site: &mut Site<'_, '_>) -> Result<(), Bound> {
        Ok(())
    }
}
