//! One shard of a relation: the set of the facts whose hash falls to it, and those of them that the open round brought.

use super::bitmap;
use super::tuple_set;
use crate::cells::{Cells, Slice};
use crate::storage::bitmap::Bitmaps;
use crate::storage::distinct::keep_distinct;
use crate::storage::grouped::GroupedRows;
use crate::storage::hash::hash;
use crate::storage::partition::{Partition, Partitioning, SHARDS};
use crate::storage::row_table::RowTable;
use crate::storage::stable::Stable;
use crate::storage::tuple_set::{AllRows, SetLayout, TupleSet, hash_row};
use crate::storage::view::View;
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::value::Word;

/// Row numbers are 32 bits wide, and the largest is never used.
pub(crate) const MOST_ROWS: u64 = u32::MAX as u64 - 1;
/// From how many facts on a table may become bitmaps again, or groups.
const RETRY: usize = 1 << 16;
/// How many words of facts are as well looked through one after the other.
const FEW: usize = 64;
/// A factor that spreads neighbouring values.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
/// How many facts are looked at to see how evenly they fall to shards.
const SAMPLE: u32 = 4096;

/// The facts of the open round that fall to a shard, and the set of all that do, those of closed rounds included.
#[derive(Debug)]
pub(crate) struct Shard {
    partition: Partition,
    len: u32,
    words: Cells,
    members: TupleSet,
    /// How often the set took on another form.
    forms: u32,
    /// From how many facts on it is tried whether bitmaps do again, or groups.
    retry: u64,
    /// Whether the number of a row has to be known.
    numbered: bool,
    /// Whether the facts are not in the set yet, as those of an input are until somebody looks for one, those of a
    /// request while they are few, those of an aggregate's groups, and such as are compared all at once.
    deferred: bool,
    /// Whether somebody looks for facts: then no others are deferred.
    is_asked: bool,
    /// While they aren't: each bit that [`bit_of`] gives for one of them, or all bits.
    seen: u64,
}

/// One bit of 64, so that most rows that are not among a few are known not to be.
#[inline]
fn bit_of(row: &[Word]) -> u64 {
    1 << (row.iter().fold(0, |hash: u64, word| (hash.rotate_left(29) ^ word.0).wrapping_mul(ODD)) >> 58)
}

impl Shard {
    /// No facts of `arity` columns.
    pub(crate) fn new(arity: usize, partition: Partition) -> Self {
        let members = TupleSet::new(arity, partition.about(bitmap::FEW), partition.clustering());
        Self {
            partition,
            len: 0,
            words: Cells::default(),
            members,
            forms: 0,
            retry: partition.about(RETRY) as u64,
            numbered: false,
            deferred: false,
            is_asked: false,
            seen: u64::MAX,
        }
    }

    /// Takes in the facts of closed rounds that fall to this new shard, to be kept as `before` keeps its own.
    pub(crate) fn take_stable(&mut self, stable: &Stable, before: &Self) {
        (self.numbered, self.is_asked) = (before.numbered, before.is_asked);
        match &before.members {
            TupleSet::Bitmaps(_) | TupleSet::Grouped(_) => self.make_set(stable),
            TupleSet::Numbered(_) => self.make_table(stable),
        }
    }

    /// How to divide this only partition: by all columns where the others alone would leave most facts to a few.
    pub(crate) fn partitioning_into(&self, stable: &Stable, of: usize) -> Partitioning {
        let partitioning = Partitioning { of, ..self.partition.partitioning };
        let rows = AllRows { arity: stable.arity(), stable: stable.words(), pending: self.words.view() };
        let len = stable.len() + self.len;
        let (mut counts, mut looked_at) = (vec![0; of], 0);
        for at in (0..len).step_by((len / SAMPLE).max(1) as usize) {
            *counts.get_mut(partitioning.partition_of_row(rows.row(at))).or_broken(SHARDS) += 1;
            looked_at += 1;
        }
        let most = counts.into_iter().max().unwrap_or(0);
        Partitioning { by_all: most * of * 2 > looked_at * 3, ..partitioning }
    }

    /// The only partition is to have another clustering column, unless that makes bitmaps sparse; the open round has no facts.
    pub(crate) fn cluster_by(&mut self, stable: &Stable, clustering: usize) {
        if let (TupleSet::Bitmaps(blocks), false) = (&self.members, self.deferred) {
            let Some(turned) = blocks.clustered_by(stable.words(), stable.arity(), clustering) else {
                return;
            };
            self.members = TupleSet::Bitmaps(turned);
        }
        self.partition = Partition::whole(clustering);
    }

    /// How facts are divided.
    pub(crate) fn partitioning(&self) -> Partitioning {
        self.partition.partitioning
    }

    /// Takes the rows of an input for those of the open round, the first; equal ones are left out.
    pub(crate) fn begin(&mut self, arity: usize, rows: Cells) -> Result<(), Bound> {
        (self.words, self.deferred) = (rows, true);
        self.compare(arity).map(|_| ())
    }

    /// The first facts of the relation follow, all distinct: they need no set before somebody looks for one. Whether that
    /// is so.
    pub(crate) fn begin_distinct(&mut self, stable: &Stable) -> bool {
        let begins = stable.len() + self.len == 0 && stable.arity() > 0 && !self.is_asked;
        if begins {
            (self.deferred, self.seen) = (true, u64::MAX);
        }
        begins
    }

    /// Many first facts of the relation follow, perhaps some of them again and again: they are compared later, many at once.
    /// Whether that is so, and pays: sets of another form cost less than that.
    pub(crate) fn begin_later(&mut self, stable: &Stable) -> bool {
        matches!(self.members, TupleSet::Numbered(_)) && self.begin_distinct(stable)
    }

    /// Adds rows that are compared later; how many there are now.
    pub(crate) fn take_later(&mut self, stable: &Stable, rows: &[Word]) -> u64 {
        self.words.admit(rows);
        self.words.extend_from_slice(rows);
        (self.words.len() / stable.arity()) as u64 - u64::from(self.len)
    }

    /// Compares the rows that were taken to be compared later; how many facts are new.
    pub(crate) fn compare(&mut self, arity: usize) -> Result<u64, Bound> {
        if (self.words.len() / arity) as u64 > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        keep_distinct(&mut self.words, arity);
        let before = std::mem::replace(&mut self.len, (self.words.len() / arity) as u32);
        Ok(u64::from(self.len - before))
    }

    /// Adds facts that were announced; how many these are.
    pub(crate) fn take_distinct(&mut self, stable: &Stable, rows: &[Word]) -> Result<u64, Bound> {
        let count = self.announce(stable, rows.len())?;
        self.words.admit(rows);
        self.words.extend_from_slice(rows);
        Ok(count)
    }

    /// The same for cells, which are taken out.
    pub(crate) fn append_distinct(&mut self, stable: &Stable, rows: &mut Cells) -> Result<u64, Bound> {
        let count = self.announce(stable, rows.len())?;
        self.words.append(rows);
        Ok(count)
    }

    /// So many words of facts follow; how many facts that are.
    fn announce(&mut self, stable: &Stable, words: usize) -> Result<u64, Bound> {
        let count = (words / stable.arity()) as u64;
        if u64::from(self.len) + count > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        self.len += count as u32;
        Ok(count)
    }

    /// Somebody will look for facts.
    pub(crate) fn ask(&mut self, stable: &Stable) {
        self.is_asked = true;
        self.make_deferred(stable);
    }

    /// Makes the set of the facts of an input, if it isn't made yet.
    pub(crate) fn make_deferred(&mut self, stable: &Stable) {
        if std::mem::take(&mut self.deferred) {
            let few = stable.words().len() + self.words.len() <= FEW;
            if few { self.refill(stable, stable.len()) } else { self.make_set(stable) }
        }
    }

    fn make_set(&mut self, stable: &Stable) {
        let facts = self.partition.about((stable.len() + self.len) as usize);
        let few = bitmap::worth_while(facts).max(self.partition.about(bitmap::FEW));
        match self.blocks(stable, few).or_else(|| self.groups(stable, facts)) {
            Some(set) => self.become_set(set),
            None => self.make_table(stable),
        }
    }

    /// Bitmaps of all facts that fall to this shard, if they do.
    fn blocks(&self, stable: &Stable, few: usize) -> Option<TupleSet> {
        let parts = [stable.words(), self.words.view()];
        let make = || Bitmaps::try_from_rows(parts, stable.arity(), few, self.partition);
        if self.numbered { None } else { make().map(TupleSet::Bitmaps) }
    }

    /// The same in groups, if they do.
    fn groups(&self, stable: &Stable, facts: usize) -> Option<TupleSet> {
        if facts < self.partition.about(RETRY) {
            return None;
        }
        let (arity, of, varied) =
            (stable.arity(), self.partition.partitioning.of, self.partition.clustering());
        let rows = AllRows { arity, stable: stable.words(), pending: self.words.view() };
        let mut groups =
            GroupedRows::for_rows([rows.stable, rows.pending], arity, of, varied, self.numbered)?;
        let mut own = (0..stable.len() + self.len).map(|at| (at, rows.row(at)));
        let all = own.all(|(at, row)| !self.partition.has_row(row) || groups.add(row, at));
        all.then_some(TupleSet::Grouped(groups))
    }

    /// The words of the facts that the open round brought.
    pub(crate) fn open(&self) -> impl Iterator<Item = Word> {
        self.words.view().iter()
    }

    /// How many facts the open round brought.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Adds the rows of `batch` that are new, all of which fall to this shard; how many these are.
    pub(crate) fn take(&mut self, stable: &Stable, batch: &[Word]) -> Result<u64, Bound> {
        let arity = stable.arity();
        let before = self.len;
        if self.deferred && stable.words().len() + self.words.len() + batch.len() <= FEW {
            self.words.admit(batch);
            return Ok(match stable.arity() {
                1 => self.take_few(stable, batch.as_chunks::<1>().0.iter().map(|row| &row[..])),
                2 => self.take_few(stable, batch.as_chunks::<2>().0.iter().map(|row| &row[..])),
                arity => self.take_few(stable, batch.chunks_exact(arity)),
            });
        }
        let rows = (batch.len() / arity.max(1)) as u64;
        if u64::from(stable.len()) + u64::from(self.len) + rows > MOST_ROWS {
            return Err(Bound::Facts(MOST_ROWS));
        }
        self.make_deferred(stable);
        self.retry_blocks(stable);
        let mut rest = batch;
        if let TupleSet::Bitmaps(blocks) = &mut self.members {
            let taken = match (arity, &mut self.words) {
                (1, Cells::Narrow(out)) => blocks.take(batch.as_chunks::<1>().0, out),
                (1, Cells::Wide(out)) => blocks.take(batch.as_chunks::<1>().0, out),
                (_, Cells::Narrow(out)) => blocks.take(batch.as_chunks::<2>().0, out),
                (_, Cells::Wide(out)) => blocks.take(batch.as_chunks::<2>().0, out),
            };
            self.len = (self.words.len() / arity.max(1)) as u32;
            rest = batch.get(taken * arity..).or_broken("no more rows are taken in than there are");
            if !rest.is_empty() {
                self.make_table(stable);
            }
        }
        if let TupleSet::Grouped(groups) = &mut self.members {
            let len = stable.len() + self.len;
            let taken = match arity {
                2 => groups.take(rest.as_chunks::<2>().0, &mut self.words, len),
                3 => groups.take(rest.as_chunks::<3>().0, &mut self.words, len),
                _ => groups.take(rest.as_chunks::<4>().0, &mut self.words, len),
            };
            self.len = (self.words.len() / arity.max(1)) as u32;
            rest = rest.get(taken * arity..).or_broken("no more rows are taken in than there are");
            if !rest.is_empty() {
                self.make_table(stable);
            }
        }
        if let (TupleSet::Numbered(table), false) = (&mut self.members, rest.is_empty()) {
            let len = stable.len() + self.len;
            self.len += tuple_set::take(table, stable.words(), &mut self.words, len, arity, rest);
        }
        Ok(u64::from(self.len - before))
    }

    /// The same where there are few facts.
    #[inline]
    fn take_few<'r>(&mut self, stable: &Stable, rows: impl Iterator<Item = &'r [Word]>) -> u64 {
        let before = self.len;
        for row in rows {
            let bit = bit_of(row);
            if self.seen & bit == 0 || !(stable.words().has(row) || self.words.view().has(row)) {
                self.seen |= bit;
                self.words.extend_from_slice(row);
                self.len += 1;
            }
        }
        u64::from(self.len - before)
    }

    /// Adds the one row of a relation without columns; whether it is new.
    pub(crate) fn hold(&mut self, stable: &Stable) -> u64 {
        let new = stable.len() + self.len == 0;
        self.len += u32::from(new);
        u64::from(new)
    }

    /// Keeps the facts by row number from now on, so that a part of them can be asked for.
    pub(crate) fn number_rows(&mut self, stable: &Stable) {
        self.ask(stable);
        if !std::mem::replace(&mut self.numbered, true) && !matches!(self.members, TupleSet::Numbered(_)) {
            self.make_set(stable);
        }
    }

    fn make_table(&mut self, stable: &Stable) {
        let rows = AllRows { arity: stable.arity(), stable: stable.words(), pending: self.words.view() };
        self.become_set(TupleSet::Numbered(rows.table(stable.len() + self.len, self.partition)));
    }

    fn become_set(&mut self, set: TupleSet) {
        self.members = set;
        self.forms = self.forms.wrapping_add(1);
    }

    /// Goes from a table or groups to bitmaps where the facts have become dense, or from a table to groups; looked at each
    /// time they have doubled.
    fn retry_blocks(&mut self, stable: &Stable) {
        let facts = match &self.members {
            TupleSet::Bitmaps(_) => return,
            TupleSet::Grouped(groups) => groups.len(),
            TupleSet::Numbered(table) => table.len(),
        };
        if (facts as u64) < self.retry {
            return;
        }
        self.retry = facts as u64 * 2;
        let blocks = || self.blocks(stable, bitmap::worth_while(facts));
        let set = match &self.members {
            TupleSet::Grouped(groups) => {
                let is_dense = stable.arity() == 2 && groups.is_dense(self.partition.clustering());
                is_dense.then(blocks).flatten()
            }
            _ => blocks().or_else(|| self.groups(stable, facts)),
        };
        if let Some(set) = set {
            self.become_set(set);
        }
    }

    /// Whether a row that falls to this shard is among the stable tuples of a part. Those of a relation that still grows
    /// have to be numbered.
    #[inline(always)]
    pub(crate) fn holds(&self, stable: &Stable, row: &[Word], view: View) -> bool {
        match &self.members {
            _ if row.is_empty() => !stable.range(view).is_empty(),
            _ if self.deferred => self.seen & bit_of(row) != 0 && stable.part(view).has(row),
            TupleSet::Bitmaps(blocks) => blocks.contains(row),
            TupleSet::Grouped(groups) => {
                let number = groups.find(row);
                number.is_some_and(|number| !self.numbered || stable.range(view).contains(&number))
            }
            TupleSet::Numbered(table) => {
                let rows = AllRows { arity: row.len(), stable: stable.words(), pending: self.words.view() };
                let number = table.find(hash(row), |at| rows.row(at).is(row));
                number.is_some_and(|number| stable.range(view).contains(&number))
            }
        }
    }

    /// Hands the facts of the open round over to the stable ones, the first of which in this round has number `start`.
    pub(crate) fn close(&mut self, stable: &mut Stable, start: u32) {
        let moved = stable.len() - start;
        if moved > 0 {
            self.renumber(stable.arity(), start, moved);
        }
        stable.append(std::mem::take(&mut self.len), &mut self.words);
    }

    /// Adds `moved` to the numbers of the open round's facts, the first of which is `start`.
    fn renumber(&mut self, arity: usize, start: u32, moved: u32) {
        let rows = AllRows { arity, stable: Slice::default(), pending: self.words.view() };
        // From the last on, so that no old number is taken for a new one.
        for at in (0..self.len).rev() {
            match &mut self.members {
                TupleSet::Bitmaps(_) => return,
                TupleSet::Grouped(groups) => groups.renumber(rows.row(at), start + at + moved),
                TupleSet::Numbered(table) => {
                    table.renumber(hash_row(rows.row(at)), start + at, start + at + moved);
                }
            }
        }
    }

    /// The layout of the set of facts, as [`Shard::rewind`] needs it.
    pub(crate) fn layout(&self) -> SetLayout {
        SetLayout { forms: self.forms, layouts: self.members.layouts() }
    }

    /// Forgets all facts but the first `len` of `stable`, which still has the others; `layout` is that of the set when
    /// there were so many. Only where this is the only partition.
    pub(crate) fn rewind(&mut self, stable: &Stable, len: u32, layout: SetLayout) {
        if !self.deferred {
            self.rewind_set(stable, len, layout);
        }
        self.words.clear();
        self.len = 0;
        if len == 0 && stable.arity() > 0 {
            (self.deferred, self.seen) = (true, 0);
        }
    }

    fn rewind_set(&mut self, stable: &Stable, len: u32, layout: SetLayout) {
        let arity = stable.arity();
        let can_remove = self.layout() == layout || matches!(self.members, TupleSet::Grouped(_));
        let gone = (stable.len() + self.len - len) as usize;
        if arity > 0 && len == 0 && self.members.clear_at_once(gone) {
            // Nothing is left to be taken out.
        } else if arity > 0 && can_remove {
            let rows = AllRows { arity, stable: stable.words(), pending: self.words.view() };
            for at in (len..stable.len() + self.len).rev() {
                self.members.remove_last(rows.row(at), at);
            }
        } else if arity > 0 {
            self.words.clear();
            self.len = 0;
            self.refill(stable, len);
        }
    }

    /// Makes the set again from the first `len` facts of `stable` and those of the open round, in the room that it has.
    fn refill(&mut self, stable: &Stable, len: u32) {
        let arity = stable.arity();
        let stable = stable.words().part(0, len as usize * arity);
        let is_done = match &mut self.members {
            TupleSet::Bitmaps(blocks) => blocks.refill([stable, self.words.view()], arity),
            TupleSet::Grouped(_) | TupleSet::Numbered(_) => false,
        };
        if is_done {
            return;
        }
        match &mut self.members {
            TupleSet::Numbered(table) => table.clear(),
            _ => self.become_set(TupleSet::Numbered(RowTable::default())),
        }
        let rows = AllRows { arity, stable, pending: self.words.view() };
        if let TupleSet::Numbered(table) = &mut self.members {
            (0..len + self.len).for_each(|at| table.insert_new(hash_row(rows.row(at)), at));
        }
    }

    /// About how many bytes all shards of the relation take.
    pub(crate) fn bytes_of_all(&self) -> usize {
        self.bytes() * self.partition.partitioning.of
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes() + self.members.bytes()
    }
}
