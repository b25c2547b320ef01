//! The facts of the open round of a relation, and the set of all its facts: in one shard, or in one for each thread.

use crate::Bound;
use crate::cells::Cells;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

use super::known::Known;
use super::members::Layout;
use super::shard::{Cut, MOST_ROWS, SHARDS, Shard, Share};
use super::store::Part;
use super::workers;

/// An invariant of [`Fresh`].
const LENT: &str = "nobody asks for the open round of a relation while threads fill its shards";

/// The facts of the open round, and the set of all facts, those of closed rounds included. Without a shard it only keeps
/// the place of one that threads fill.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    shards: Vec<Shard>,
    /// Room for the rows of each shard.
    rooms: Vec<Vec<Word>>,
}

impl Fresh {
    /// No facts of `arity` columns.
    pub(super) fn new(arity: usize) -> Self {
        let share = Share::whole(arity.saturating_sub(1));
        Self { shards: vec![Shard::new(arity, share)], rooms: Vec::new() }
    }

    /// Takes the rows of an input for those of the open round, the first; equal ones are left out.
    pub(super) fn begin(&mut self, arity: usize, rows: Cells) -> Result<(), Bound> {
        self.shards.first_mut().or_broken(LENT).begin(arity, rows)
    }

    /// Adds the rows of `batch` that are new; how many these are.
    pub(super) fn take(&mut self, known: &Known, batch: &[Word]) -> Result<u64, Bound> {
        if let [shard] = self.shards.as_mut_slice() {
            return shard.take(known, batch);
        }
        let cut = self.cut();
        self.rooms.resize(cut.of, Vec::new());
        for row in batch.chunks_exact(known.arity().max(1)) {
            self.rooms.get_mut(cut.shard(row)).or_broken(SHARDS).extend_from_slice(row);
        }
        let mut new = 0;
        for (shard, room) in self.shards.iter_mut().zip(&mut self.rooms) {
            new += shard.take(known, room)?;
            room.clear();
        }
        self.check(known).map(|()| new)
    }

    /// Adds the one row of a relation without columns; whether it is new.
    pub(super) fn hold(&mut self, known: &Known) -> u64 {
        self.shards.first_mut().or_broken(LENT).hold(known)
    }

    /// Whether the rows can still be numbered.
    pub(super) fn check(&self, known: &Known) -> Result<(), Bound> {
        let new = self.shards.iter().map(|shard| u64::from(shard.len())).sum::<u64>();
        if u64::from(known.len()) + new > MOST_ROWS { Err(Bound::Facts(MOST_ROWS)) } else { Ok(()) }
    }

    /// The shards, made `of` if there is one, and how the facts are divided.
    pub(super) fn shards(&mut self, known: &Known, of: usize) -> Result<(Cut, &mut [Shard]), Bound> {
        if let [only] = self.shards.as_mut_slice()
            && of > 1
        {
            only.make_deferred(known);
            let open: Vec<Word> = only.open().collect();
            let cut = only.cut_into(known, of);
            let mut shards: Vec<_> = Share::all(cut).map(|share| Shard::new(known.arity(), share)).collect();
            workers::each(shards.iter_mut(), of, |shard| shard.take_known(known, only));
            self.shards = shards;
            self.take(known, &open)?;
        }
        Ok((self.cut(), &mut self.shards))
    }

    /// How the facts are divided.
    pub(super) fn cut(&self) -> Cut {
        self.shards.first().or_broken(LENT).cut()
    }

    /// The innermost loops of the rules that derive these facts vary `inner`; the open round has none.
    pub(super) fn turn(&mut self, known: &Known, inner: usize) {
        if self.cut().inner == inner || self.is_open() {
            return;
        }
        if let [first, _, ..] = self.shards.as_slice() {
            let mut only = Shard::new(known.arity(), Share::whole(inner));
            only.take_known(known, first);
            self.shards = vec![only];
        }
        self.shards.iter_mut().for_each(|shard| shard.turn(known, inner));
    }

    /// Makes the set of the facts of an input, if it isn't made yet.
    pub(super) fn make_set(&mut self, known: &Known) {
        self.shards.iter_mut().for_each(|shard| shard.make_deferred(known));
    }

    /// Keeps the facts by row number from now on, so that a part of them can be asked for.
    pub(super) fn number_rows(&mut self, known: &Known) {
        self.shards.iter_mut().for_each(|shard| shard.number_rows(known));
    }

    /// Whether a row is among the known facts of a part. Those of a relation that still grows have to be numbered.
    #[inline]
    pub(super) fn holds(&self, known: &Known, row: &[Word], part: Part) -> bool {
        match self.shards.as_slice() {
            [shard] => shard.holds(known, row, part),
            shards => shards.get(self.cut().shard(row)).or_broken(SHARDS).holds(known, row, part),
        }
    }

    /// Whether the open round has facts.
    pub(super) fn is_open(&self) -> bool {
        self.shards.iter().any(|shard| shard.len() > 0)
    }

    /// Hands the facts of the open round over to the known ones.
    pub(super) fn close(&mut self, known: &mut Known) {
        let start = known.len();
        self.shards.iter_mut().for_each(|shard| shard.close(known, start));
    }

    /// The layout of the set of facts, as [`Fresh::rewind`] needs it.
    pub(super) fn layout(&self) -> Layout {
        self.shards.first().or_broken(LENT).layout()
    }

    /// Forgets all facts but the first `len` of `known`, which still has the others; `layout` is that of the set when
    /// there were so many.
    pub(super) fn rewind(&mut self, known: &Known, len: u32, layout: Layout) {
        self.shards.iter_mut().for_each(|shard| shard.rewind(known, len, layout));
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.shards.iter().map(Shard::bytes).sum()
    }
}
