//! One shard of a relation: the set of the facts whose hash falls to it, and those of them that the open round brought.

use crate::Bound;
use crate::cells::{Cell, Cells, Slice};
use hence_core::fault::OrBroken;
use hence_core::value::Word;

use super::blocks::{self, Blocks};
use super::distinct::keep_distinct;
use super::hash::hash;
use super::known::Known;
use super::members::{self, AllRows, Layout, Members, hash_row};
use super::store::Part;
use super::table::Table;

/// Row numbers are 32 bits wide, and the largest is never used.
pub(super) const MOST_ROWS: u64 = u32::MAX as u64 - 1;
/// From how many facts on a table may become bitmaps again.
const RETRY: usize = 1 << 18;
/// How many facts are looked at to see how evenly they fall to shards.
const SAMPLE: u32 = 4096;
/// [`Shard::retry`] of facts that are kept by row number for good.
const NEVER: u64 = u64::MAX;

/// An invariant of [`Cut::shard`].
pub(super) const SHARDS: &str = "each fact falls to one of the shards that there are";

/// How the facts of a relation are divided into shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// How many shards there are.
    pub(super) of: usize,
    /// The column that varies in the innermost loops of the rules that derive the facts. So facts that follow one another
    /// share a shard, and in [`Blocks`] a line of the cache.
    pub(super) inner: usize,
    /// Whether facts that differ only there may fall to different shards, since the other columns have too few values.
    pub(super) by_all: bool,
}

impl Cut {
    /// Not divided.
    pub(super) const NONE: Self = Self { of: 1, inner: 0, by_all: false };

    /// The shard of a fact, by a hash that sets don't use, and a cheap one.
    #[inline]
    pub(super) fn shard<C: Cell>(self, row: &[C]) -> usize {
        let hash = match *row {
            [only] => spread(only.word().0 >> 8, 0),
            [a, b] => {
                let (outer, inner) = if self.inner == 0 { (b, a) } else { (a, b) };
                spread(outer.word().0, if self.by_all { inner.word().0 >> 8 } else { 0 })
            }
            _ => {
                let columns = row.iter().enumerate().filter(|(at, _)| self.by_all || *at != self.inner);
                columns.fold(0, |hash, (_, word)| spread(hash, word.word().0))
            }
        };
        pick(hash, self.of)
    }

    /// Whether facts that differ in this column only fall to the same shard.
    pub(super) fn keeps_together(self, arity: usize, column: Option<usize>) -> bool {
        arity > 1 && !self.by_all && column == Some(self.inner)
    }

    /// The same as [`Cut::shard`].
    fn shard_of(self, row: Slice<'_>) -> usize {
        match row {
            Slice::Narrow(cells) => self.shard(cells),
            Slice::Wide(words) => self.shard(words),
        }
    }
}

/// One shard of those that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    at: usize,
    cut: Cut,
}

impl Share {
    /// The only shard.
    pub(super) fn whole(inner: usize) -> Self {
        Self { at: 0, cut: Cut { inner, ..Cut::NONE } }
    }

    /// All shards.
    pub(super) fn all(cut: Cut) -> impl Iterator<Item = Self> {
        (0..cut.of).map(move |at| Self { at, cut })
    }

    /// Whether there is no other shard.
    pub(super) fn is_whole(self) -> bool {
        self.cut.of == 1
    }

    /// The column that varies fastest.
    pub(super) fn inner(self) -> usize {
        self.cut.inner
    }

    /// About how many of so many facts fall to this shard.
    pub(super) fn about(self, facts: usize) -> usize {
        facts / self.cut.of
    }

    /// Up to how many blocks it doesn't matter how full they are.
    fn few_blocks(self) -> usize {
        blocks::FEW / self.cut.of
    }

    /// Whether a row falls to this shard.
    pub(super) fn has<C: Cell>(self, row: &[C]) -> bool {
        self.is_whole() || self.cut.shard(row) == self.at
    }

    /// The same.
    pub(super) fn has_row(self, row: Slice<'_>) -> bool {
        self.is_whole() || self.cut.shard_of(row) == self.at
    }
}

#[inline]
fn spread(a: u64, b: u64) -> u64 {
    let odd = (0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f_u64);
    let mixed = a.wrapping_mul(odd.0) ^ b.wrapping_mul(odd.1).rotate_left(29);
    (mixed ^ mixed >> 32).wrapping_mul(odd.0)
}

/// One of `of` by the upper bits of a hash.
#[inline]
pub(super) fn pick(hash: u64, of: usize) -> usize {
    (((hash >> 32) * of as u64) >> 32) as usize
}

/// The facts of the open round that fall to a shard, and the set of all that do, those of closed rounds included.
#[derive(Debug)]
pub(super) struct Shard {
    share: Share,
    len: u32,
    words: Cells,
    members: Members,
    /// From how many facts on it is tried whether bitmaps do again.
    retry: u64,
    /// Whether the facts are not in the set yet, as those of an input are until somebody looks for one.
    deferred: bool,
}

impl Shard {
    /// No facts of `arity` columns.
    pub(super) fn new(arity: usize, share: Share) -> Self {
        let members = Members::new(arity, share.few_blocks(), share.inner());
        Self {
            share,
            len: 0,
            words: Cells::default(),
            members,
            retry: share.about(RETRY) as u64,
            deferred: false,
        }
    }

    /// Takes in the facts of closed rounds that fall to this new shard, to be kept as `before` keeps its own.
    pub(super) fn take_known(&mut self, known: &Known, before: &Self) {
        match &before.members {
            Members::Blocks(_) => self.make_set(known),
            Members::Table(_) => self.make_table(known),
        }
        if before.retry == NEVER {
            self.retry = NEVER;
        }
    }

    /// How to divide this only shard: by all columns where the others alone would leave most facts to a few.
    pub(super) fn cut_into(&self, known: &Known, of: usize) -> Cut {
        let cut = Cut { of, ..self.share.cut };
        let rows = AllRows { arity: known.arity(), known: known.words(), fresh: self.words.view() };
        let len = known.len() + self.len;
        let (mut counts, mut looked_at) = (vec![0; of], 0);
        for at in (0..len).step_by((len / SAMPLE).max(1) as usize) {
            *counts.get_mut(cut.shard_of(rows.row(at))).or_broken(SHARDS) += 1;
            looked_at += 1;
        }
        let most = counts.into_iter().max().unwrap_or(0);
        Cut { by_all: most * of * 2 > looked_at * 3, ..cut }
    }

    /// The only shard is to have another inner column, unless that makes bitmaps sparse; the open round has no facts.
    pub(super) fn turn(&mut self, known: &Known, inner: usize) {
        if let (Members::Blocks(blocks), false) = (&self.members, self.deferred) {
            let Some(turned) = blocks.turned(known.words(), known.arity(), inner) else { return };
            self.members = Members::Blocks(turned);
        }
        self.share = Share::whole(inner);
    }

    /// How facts are divided.
    pub(super) fn cut(&self) -> Cut {
        self.share.cut
    }

    /// Takes the rows of an input for those of the open round, the first; equal ones are left out.
    pub(super) fn begin(&mut self, arity: usize, mut rows: Cells) -> Result<(), Bound> {
        if (rows.len() / arity) as u64 > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        keep_distinct(&mut rows, arity);
        (self.len, self.words, self.deferred) = ((rows.len() / arity) as u32, rows, true);
        Ok(())
    }

    /// Makes the set of the facts of an input, if it isn't made yet.
    pub(super) fn make_deferred(&mut self, known: &Known) {
        if std::mem::take(&mut self.deferred) {
            self.make_set(known);
        }
    }

    fn make_set(&mut self, known: &Known) {
        let parts = [known.words(), self.words.view()];
        let few = blocks::worth_while(self.share.about((known.len() + self.len) as usize));
        match Blocks::try_from_rows(parts, known.arity(), few.max(self.share.few_blocks()), self.share) {
            Some(blocks) => self.members = Members::Blocks(blocks),
            None => self.make_table(known),
        }
    }

    /// The words of the facts that the open round brought.
    pub(super) fn open(&self) -> impl Iterator<Item = Word> {
        self.words.view().iter()
    }

    /// How many facts the open round brought.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Adds the rows of `batch` that are new, all of which fall to this shard; how many these are.
    pub(super) fn take(&mut self, known: &Known, batch: &[Word]) -> Result<u64, Bound> {
        let arity = known.arity();
        let before = self.len;
        let rows = batch.len() / arity.max(1);
        if u64::from(known.len()) + u64::from(self.len) + rows as u64 > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        self.make_deferred(known);
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
            rest = batch.get(taken * arity..).or_broken("no more rows are taken in than there are");
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
        self.make_deferred(known);
        if matches!(self.members, Members::Blocks(_)) {
            self.make_table(known);
        }
        self.retry = NEVER;
    }

    fn make_table(&mut self, known: &Known) {
        let rows = AllRows { arity: known.arity(), known: known.words(), fresh: self.words.view() };
        self.members = Members::Table(rows.table(known.len() + self.len, self.share));
    }

    /// Goes from a table to bitmaps where the facts have become dense; looked at each time they have doubled.
    fn retry_blocks(&mut self, known: &Known) {
        let Members::Table(table) = &self.members else { return };
        let facts = table.len() as u64;
        if facts < self.retry {
            return;
        }
        self.retry = facts * 2;
        let parts = [known.words(), self.words.view()];
        let few = blocks::worth_while(facts as usize);
        if let Some(blocks) = Blocks::try_from_rows(parts, known.arity(), few, self.share) {
            self.members = Members::Blocks(blocks);
        }
    }

    /// Whether a row that falls to this shard is among the known facts of a part. Those of a relation that still grows
    /// have to be numbered.
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

    /// Hands the facts of the open round over to the known ones, the first of which in this round has number `start`.
    pub(super) fn close(&mut self, known: &mut Known, start: u32) {
        let moved = known.len() - start;
        if moved > 0
            && let Members::Table(table) = &mut self.members
        {
            // From the last on, so that no old number is taken for a new one.
            let rows = AllRows { arity: known.arity(), known: Slice::default(), fresh: self.words.view() };
            for at in (0..self.len).rev() {
                table.renumber(hash_row(rows.row(at)), start + at, start + at + moved);
            }
        }
        known.append(std::mem::take(&mut self.len), &mut self.words);
    }

    /// The layout of the set of facts, as [`Shard::rewind`] needs it.
    pub(super) fn layout(&self) -> Layout {
        self.members.layout()
    }

    /// Forgets all facts but the first `len` of `known`, which still has the others; `layout` is that of the set when
    /// there were so many. Only where this is the only shard.
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

    /// About how many bytes all shards of the relation take.
    pub(super) fn bytes_of_all(&self) -> usize {
        self.bytes() * self.share.cut.of
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.members.bytes()
    }
}
