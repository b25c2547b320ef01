//! Heads under a limit: of each group the first few.

use super::emit::ROWS_PER_LOOK;
use super::group::MATCH;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::emit::Emitter;
use crate::exec::parts::Part;
use crate::plan::head::{is_rank, plain, unranked};
use crate::storage::hash::TOGETHER;
use crate::storage::row_interner::RowInterner;
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::value::{Type, Word};
use hence_lang::ir::{Limit, Rule};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::convert::Infallible;

/// An invariant of limits.
const HEAD: &str = "a head has the words of its group and its terms, and as many keys as the limit";

/// Distinct heads by group, each with its best key.
#[derive(Debug)]
pub(crate) struct LimitedHeads {
    /// How many columns the group has.
    per: usize,
    /// The types of the keys, and whether each descends.
    by: Vec<(Type, bool)>,
    /// The types of the head's columns but its rank.
    columns: Vec<Type>,
    /// The group, then the head without its rank.
    heads: RowInterner,
    keys: Vec<Word>,
    count: i64,
    /// The heads in order, once all are in.
    order: Vec<u32>,
    /// How many heads there may be before those beyond the limit are left out, and how many were left then.
    room: u32,
    left: u32,
    /// The groups whose limit was reached, each with the key of its last head then: what is worse needs not be kept.
    full: RowInterner,
    worst: Vec<Word>,
    /// Matches that are yet to be taken in.
    waiting: Vec<Word>,
}

/// [`LimitedHeads::room`] at first.
const ROOM: u32 = 1 << 12;
/// From how many heads on they are brought together by their groups before they are sorted.
const MANY: u32 = 1 << 10;

impl LimitedHeads {
    /// No heads yet of a rule with a limit.
    pub(crate) fn new(rule: &Rule, limit: &Limit) -> Self {
        let width = limit.per.len() + unranked(rule, limit).count();
        Self {
            per: limit.per.len(),
            by: limit.by.iter().map(|(key, descending)| (key.ty, *descending)).collect(),
            columns: unranked(rule, limit).map(|term| term.ty).collect(),
            heads: RowInterner::new(width),
            keys: Vec::new(),
            count: 0,
            order: Vec::new(),
            room: ROOM,
            left: 0,
            full: RowInterner::new(limit.per.len()),
            worst: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Words a match.
    fn stride(&self) -> usize {
        1 + self.by.len() + self.per + self.columns.len()
    }

    /// Forgets all matches.
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.keys.clear();
        self.count = 0;
        (self.room, self.left) = (ROOM, 0);
        self.full.clear();
        self.worst.clear();
        self.waiting.clear();
    }

    /// Adds the first few heads of each group.
    pub(crate) fn finish(
        &mut self,
        (rule, limit): (&Rule, &Limit),
        facts: &mut Emitter<'_>,
        context: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        self.flush(context)?;
        let order = self.ordered();
        let mut row = SmallVec::<[Word; 8]>::new();
        self.for_each_rank(&order, |at, rank| {
            if rank > self.count {
                return Ok(());
            }
            ranked((rule, limit), self.head(at), rank, &mut row);
            facts.take(&row, context)
        })?;
        self.order = order;
        Ok(())
    }

    /// The heads, each group's from its first to its last.
    fn ordered(&mut self) -> Vec<u32> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        if self.heads.len() < MANY {
            order.extend(0..self.heads.len());
            // Groups by their words: they only have to be adjacent.
            order.sort_unstable_by(|a, b| {
                self.group(*a).cmp(self.group(*b)).then_with(|| self.compare_in_group(*a, *b))
            });
            return order;
        }
        let mut numbers = Vec::with_capacity(self.heads.len() as usize);
        let groups = self.number_groups(&mut numbers);
        let mut ends = vec![0; groups as usize];
        numbers.iter().for_each(|group| *ends.get_mut(*group as usize).or_broken(HEAD) += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        order.resize(numbers.len(), 0);
        for (at, group) in (0..).zip(numbers) {
            let end: &mut usize = ends.get_mut(group as usize).or_broken(HEAD);
            *order.get_mut(*end).or_broken(HEAD) = at;
            *end += 1;
        }
        let mut from = 0;
        for to in ends {
            let heads = order.get_mut(from..to).or_broken(HEAD);
            heads.sort_unstable_by(|a, b| self.compare_in_group(*a, *b));
            from = to;
        }
        order
    }

    /// Writes down the number of each head's group; how many groups there are.
    fn number_groups(&self, numbers: &mut Vec<u32>) -> u32 {
        if self.per == 0 {
            numbers.resize(self.heads.len() as usize, 0);
            return 1;
        }
        let mut groups = RowInterner::new(self.per);
        groups.insert_all(self.heads.words(), self.per + self.columns.len(), numbers);
        groups.len()
    }

    fn compare_in_group(&self, left: u32, right: u32) -> Ordering {
        self.compare_keys(self.key(left), self.key(right))
            .then_with(|| self.compare_heads(self.head(left), self.head(right)))
    }

    /// Visits heads in order with their ranks.
    fn for_each_rank<E>(
        &self,
        order: &[u32],
        mut visit: impl FnMut(u32, i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut rank, mut last) = (0, None);
        for &at in order {
            rank = if last == Some(self.group(at)) { rank + 1 } else { 1 };
            last = Some(self.group(at));
            visit(at, rank)?;
        }
        Ok(())
    }

    /// Leaves out the heads that are beyond the limit whatever comes.
    fn prune(&mut self) {
        let order = self.ordered();
        let (mut kept, mut last) = (Vec::new(), Vec::new());
        let Ok(()) = self.for_each_rank(&order, |at, rank| {
            kept.extend((rank <= self.count).then_some(at));
            last.extend((rank == self.count).then_some(at));
            Ok::<(), Infallible>(())
        });
        for at in last {
            let (group, new) = self.full.insert(group_of(&self.heads, self.per, at));
            let key = key_of(&self.keys, self.by.len(), at);
            let first = group as usize * key.len();
            if new {
                self.worst.extend_from_slice(key);
            } else {
                self.worst.get_mut(first..first + key.len()).or_broken(HEAD).copy_from_slice(key);
            }
        }
        kept.sort_unstable();
        let before = self.heads.len();
        let mut heads = RowInterner::new(self.per + self.columns.len());
        let mut keys = Vec::new();
        for at in kept {
            heads.insert(self.heads.row(at));
            keys.extend_from_slice(self.key(at));
        }
        (self.left, self.heads, self.keys, self.order) = (heads.len(), heads, keys, order);
        // Where groups are small it would be in vain again and again.
        self.room = self.left.saturating_mul(if self.left < before / 2 { 4 } else { 16 }).max(ROOM);
    }

    /// Takes in a head unless enough better ones are known; whether it is new.
    fn offer(&mut self, key: &[Word], head: &[Word]) -> bool {
        if !self.worst.is_empty() && self.is_beyond(head.get(..self.per).or_broken(HEAD), key) {
            return false;
        }
        if self.heads.len() >= self.room {
            self.prune();
        }
        let (at, new) = self.heads.insert(head);
        if new {
            self.keys.extend_from_slice(key);
        } else if self.compare_keys(key, self.key(at)).is_lt() {
            let first = at as usize * key.len();
            self.keys.get_mut(first..first + key.len()).or_broken(HEAD).copy_from_slice(key);
        }
        new
    }

    /// Whether enough heads of the group are known that are better than such a key.
    fn is_beyond(&self, group: &[Word], key: &[Word]) -> bool {
        let full = self.full.find(group);
        full.is_some_and(|full| self.compare_keys(key, key_of(&self.worst, self.by.len(), full)).is_gt())
    }

    fn group(&self, at: u32) -> &[Word] {
        group_of(&self.heads, self.per, at)
    }

    fn head(&self, at: u32) -> &[Word] {
        self.heads.row(at).get(self.per..).or_broken(HEAD)
    }

    fn key(&self, at: u32) -> &[Word] {
        key_of(&self.keys, self.by.len(), at)
    }

    fn compare_heads(&self, left: &[Word], right: &[Word]) -> Ordering {
        let columns = self.columns.iter().zip(left.iter().zip(right));
        first_difference(columns.map(|(ty, (left, right))| ty.compare(*left, *right)))
    }

    fn compare_keys(&self, left: &[Word], right: &[Word]) -> Ordering {
        let keys = self.by.iter().zip(left.iter().zip(right));
        first_difference(keys.map(|((ty, descending), (left, right))| {
            let order = ty.compare(*left, *right);
            if *descending { order.reverse() } else { order }
        }))
    }
}

fn group_of(heads: &RowInterner, per: usize, at: u32) -> &[Word] {
    heads.row(at).get(..per).or_broken(HEAD)
}

fn key_of(keys: &[Word], width: usize, at: u32) -> &[Word] {
    keys.get(at as usize * width..(at as usize + 1) * width).or_broken(HEAD)
}

/// The fact of a head: its rank put in where the rule has it.
fn ranked((rule, limit): (&Rule, &Limit), head: &[Word], rank: i64, row: &mut SmallVec<[Word; 8]>) {
    row.clear();
    let mut columns = head.iter().copied();
    for term in plain(rule) {
        let ranks = is_rank(limit, term);
        row.push(if ranks { Word::from_int(rank) } else { columns.next().or_broken(HEAD) });
    }
}

impl Part for LimitedHeads {
    fn merge(&mut self, other: &Self, owns: impl Fn(&[Word]) -> bool) {
        self.count = self.count.max(other.count);
        for at in (0..other.heads.len()).filter(|at| owns(other.group(*at))) {
            self.offer(other.key(at), other.heads.row(at));
        }
    }

    fn groups(&self) -> u32 {
        self.number_groups(&mut Vec::new())
    }

    fn size(&self) -> usize {
        self.left as usize
    }

    fn most_of_group(&self) -> f64 {
        self.count as f64
    }
}

impl Sink for LimitedHeads {
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let (key, head) = row.split_at_checked(1 + self.by.len()).or_broken(MATCH);
        let (count, key) = key.split_first().or_broken(MATCH);
        self.count = count.as_int();
        if self.offer(key, head) && u64::from(self.heads.len()).is_multiple_of(ROWS_PER_LOOK) {
            context.weigh(self.heads.bytes() + self.keys.capacity() * 8)?;
        }
        Ok(())
    }

    fn swap_batch(&mut self, _: usize, words: &mut Vec<Word>) -> usize {
        std::mem::swap(&mut self.waiting, words);
        TOGETHER * self.stride()
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let waiting = std::mem::take(&mut self.waiting);
        let taken = self.take_all(&waiting, self.stride(), context);
        self.waiting = waiting;
        self.waiting.clear();
        taken
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
