//! The facts of the open round of a relation, and the set of all its facts: in one shard, or in one for each thread.

use super::threads;
use crate::cells::Cells;
use crate::storage::partition::{Partition, Partitioning, SHARDS};
use crate::storage::shard::{MOST_ROWS, Shard};
use crate::storage::stable::Stable;
use crate::storage::tuple_set::SetLayout;
use crate::storage::view::View;
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::value::Word;
use std::sync::{Mutex, PoisonError};

/// How many rows are divided before it is asked whether to go on.
const BETWEEN_LOOKS: usize = 1 << 16;

/// An invariant of [`Pending`].
const LENT: &str = "nobody asks for the open round of a relation while threads fill its shards";

/// The facts of the open round, and the set of all facts, those of closed rounds included. Without a shard it only keeps
/// the place of one that threads fill.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    shards: Vec<Shard>,
    /// Room for the rows of each shard.
    rooms: Vec<Vec<Word>>,
}

impl Pending {
    /// No facts of `arity` columns.
    pub(crate) fn new(arity: usize) -> Self {
        let partition = Partition::whole(arity.saturating_sub(1));
        Self { shards: vec![Shard::new(arity, partition)], rooms: Vec::new() }
    }

    /// Takes the rows of an input for those of the open round, the first; equal ones are left out.
    pub(crate) fn begin(&mut self, arity: usize, rows: Cells) -> Result<(), Bound> {
        self.shards.first_mut().or_broken(LENT).begin(arity, rows)
    }

    /// Adds the rows of `batch` that are new; how many these are.
    pub(crate) fn take(&mut self, stable: &Stable, batch: &[Word]) -> Result<u64, Bound> {
        if let [shard] = self.shards.as_mut_slice() {
            return shard.take(stable, batch);
        }
        let partitioning = self.partitioning();
        self.rooms.resize(partitioning.of, Vec::new());
        for row in batch.chunks_exact(stable.arity().max(1)) {
            self.rooms.get_mut(partitioning.partition_of(row)).or_broken(SHARDS).extend_from_slice(row);
        }
        let mut new = 0;
        for (shard, room) in self.shards.iter_mut().zip(&mut self.rooms) {
            new += shard.take(stable, room)?;
            room.clear();
        }
        self.check(stable).map(|()| new)
    }

    /// The first facts of the relation follow, all distinct; whether they may be taken in as such.
    pub(crate) fn begin_distinct(&mut self, stable: &Stable) -> bool {
        self.whole().is_some_and(|shard| shard.begin_distinct(stable))
    }

    /// Many first facts of the relation follow, perhaps some of them again; whether they are better compared later.
    pub(crate) fn begin_later(&mut self, stable: &Stable) -> bool {
        self.whole().is_some_and(|shard| shard.begin_later(stable))
    }

    /// The shard of all facts, while they are not divided.
    fn whole(&mut self) -> Option<&mut Shard> {
        match self.shards.as_mut_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Adds rows that are compared later; how many there are now.
    pub(crate) fn take_later(&mut self, stable: &Stable, rows: &[Word]) -> u64 {
        self.shards.first_mut().or_broken(LENT).take_later(stable, rows)
    }

    /// Compares them; how many facts are new.
    pub(crate) fn compare(&mut self, stable: &Stable) -> Result<u64, Bound> {
        self.shards.first_mut().or_broken(LENT).compare(stable.arity())
    }

    /// Adds facts that were announced; how many these are.
    pub(crate) fn take_distinct(&mut self, stable: &Stable, rows: &[Word]) -> Result<u64, Bound> {
        self.shards.first_mut().or_broken(LENT).take_distinct(stable, rows)
    }

    /// The same for cells, which are taken out.
    pub(crate) fn append_distinct(&mut self, stable: &Stable, rows: &mut Cells) -> Result<u64, Bound> {
        self.shards.first_mut().or_broken(LENT).append_distinct(stable, rows)
    }

    /// Adds the rows that are new of those that fall to each shard, all shards at the same time; how many these are.
    pub(crate) fn take_shards(&mut self, stable: &Stable, by_shard: &[&[Word]]) -> Result<u64, Bound> {
        let before = self.open();
        let reached = Mutex::new(Ok(0));
        threads::each(self.shards.iter_mut().zip(by_shard), by_shard.len(), |(shard, rows)| {
            let taken = shard.take(stable, rows);
            if taken.is_err() {
                *reached.lock().unwrap_or_else(PoisonError::into_inner) = taken;
            }
        });
        reached.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        self.check(stable).map(|()| self.open() - before)
    }

    /// Adds the one row of a relation without columns; whether it is new.
    pub(crate) fn hold(&mut self, stable: &Stable) -> u64 {
        self.shards.first_mut().or_broken(LENT).hold(stable)
    }

    /// How many facts the open round has.
    fn open(&self) -> u64 {
        self.shards.iter().map(|shard| u64::from(shard.len())).sum()
    }

    /// Whether the rows can still be numbered.
    pub(crate) fn check(&self, stable: &Stable) -> Result<(), Bound> {
        if u64::from(stable.len()) + self.open() > MOST_ROWS { Err(Bound::Facts(MOST_ROWS)) } else { Ok(()) }
    }

    /// The shards, made `of` if there is one, and how the facts are divided. Meanwhile it asks `look` now and then whether to
    /// go on.
    pub(crate) fn shards(
        &mut self,
        stable: &Stable,
        of: usize,
        look: impl Fn() -> Result<(), Bound>,
    ) -> Result<(Partitioning, &mut [Shard]), Bound> {
        if of > 1
            && let Some(only) = self.whole()
        {
            only.make_deferred(stable);
            let open: Vec<Word> = only.open().collect();
            let partitioning = only.partitioning_into(stable, of);
            let mut shards: Vec<_> =
                Partition::all(partitioning).map(|partition| Shard::new(stable.arity(), partition)).collect();
            threads::some(
                shards.iter_mut().collect(),
                of,
                |_| stable.len(),
                |shard| shard.take_stable(stable, only),
            );
            self.shards = shards;
            for rows in open.chunks(BETWEEN_LOOKS * stable.arity().max(1)) {
                look()?;
                self.take(stable, rows)?;
            }
        }
        Ok((self.partitioning(), &mut self.shards))
    }

    /// How the facts are divided.
    pub(crate) fn partitioning(&self) -> Partitioning {
        self.shards.first().or_broken(LENT).partitioning()
    }

    /// The innermost loops of the rules that derive these facts vary `clustering`; the open round has none.
    pub(crate) fn cluster_by(&mut self, stable: &Stable, clustering: usize) {
        if self.partitioning().clustering == clustering || self.is_open() {
            return;
        }
        if let [first, _, ..] = self.shards.as_slice() {
            let mut only = Shard::new(stable.arity(), Partition::whole(clustering));
            only.take_stable(stable, first);
            self.shards = vec![only];
        }
        self.shards.iter_mut().for_each(|shard| shard.cluster_by(stable, clustering));
    }

    /// Makes the set of the facts of an input, if it isn't made yet.
    pub(crate) fn make_set(&mut self, stable: &Stable) {
        self.shards.iter_mut().for_each(|shard| shard.ask(stable));
    }

    /// Keeps the facts by row number from now on, so that a part of them can be asked for.
    pub(crate) fn number_rows(&mut self, stable: &Stable) {
        self.shards.iter_mut().for_each(|shard| shard.number_rows(stable));
    }

    /// Whether a row is among the stable tuples of a part. Those of a relation that still grows have to be numbered.
    #[inline(always)]
    pub(crate) fn holds(&self, stable: &Stable, row: &[Word], view: View) -> bool {
        match self.shards.as_slice() {
            [shard] => shard.holds(stable, row, view),
            shards => {
                shards.get(self.partitioning().partition_of(row)).or_broken(SHARDS).holds(stable, row, view)
            }
        }
    }

    /// Whether the open round has facts.
    pub(crate) fn is_open(&self) -> bool {
        self.shards.iter().any(|shard| shard.len() > 0)
    }

    /// Hands the facts of the open round over to the stable ones.
    pub(crate) fn close(&mut self, stable: &mut Stable) {
        let start = stable.len();
        self.shards.iter_mut().for_each(|shard| shard.close(stable, start));
    }

    /// The layout of the set of facts, as [`Pending::rewind`] needs it.
    pub(crate) fn layout(&self) -> SetLayout {
        self.shards.first().or_broken(LENT).layout()
    }

    /// Forgets all facts but the first `len` of `stable`, which still has the others; `layout` is that of the set when
    /// there were so many.
    pub(crate) fn rewind(&mut self, stable: &Stable, len: u32, layout: SetLayout) {
        self.shards.iter_mut().for_each(|shard| shard.rewind(stable, len, layout));
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }
}
