//! LimitedHeads under a limit: of each group the first few.

use super::emit::ROWS_PER_LOOK;
use super::group::MATCH;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::emit::Emitter;
use crate::plan::head::{is_rank, plain, unranked};
use crate::storage::row_interner::RowInterner;
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::value::{Type, Word};
use hence_lang::ir::{Limit, Rule};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// An invariant of limits.
const HEAD: &str = "a head has the words of its group and its terms, and as many keys as the limit";

/// Distinct heads by group, each with its best key.
#[derive(Debug)]
pub(crate) struct LimitedHeads {
    /// How many columns the group has.
    per: usize,
    /// The types of the keys, and whether each descends.
    by: Vec<(Type, bool)>,
    /// The group, then the head without its rank.
    heads: RowInterner,
    keys: Vec<Word>,
    count: i64,
    /// The heads in order, once all are in.
    order: Vec<u32>,
}

impl LimitedHeads {
    /// No heads yet of a rule with a limit.
    pub(crate) fn new(rule: &Rule, limit: &Limit) -> Self {
        let width = limit.per.len() + unranked(rule, limit).count();
        Self {
            per: limit.per.len(),
            by: limit.by.iter().map(|(key, descending)| (key.ty, *descending)).collect(),
            heads: RowInterner::new(width),
            keys: Vec::new(),
            count: 0,
            order: Vec::new(),
        }
    }

    /// Forgets all matches.
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.keys.clear();
        self.count = 0;
    }

    /// Adds the first few heads of each group.
    pub(crate) fn finish(
        &mut self,
        (rule, limit): (&Rule, &Limit),
        facts: &mut Emitter<'_>,
        site: &mut ExecContext<'_, '_>,
    ) -> Result<(), Bound> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.heads.len());
        // Groups by their words: they only have to stand together.
        order.sort_unstable_by(|a, b| {
            self.group(*a)
                .cmp(self.group(*b))
                .then_with(|| self.compare_keys(self.key(*a), self.key(*b)))
                .then_with(|| compare_heads((rule, limit), self.head(*a), self.head(*b)))
        });
        let (mut rank, mut last) = (0, None);
        let mut row = SmallVec::<[Word; 8]>::new();
        for &at in &order {
            rank = if last == Some(self.group(at)) { rank + 1 } else { 1 };
            last = Some(self.group(at));
            if rank <= self.count {
                ranked((rule, limit), self.head(at), rank, &mut row);
                facts.take(&row, site)?;
            }
        }
        self.order = order;
        Ok(())
    }

    fn group(&self, at: u32) -> &[Word] {
        self.heads.row(at).get(..self.per).or_broken(HEAD)
    }

    fn head(&self, at: u32) -> &[Word] {
        self.heads.row(at).get(self.per..).or_broken(HEAD)
    }

    fn key(&self, at: u32) -> &[Word] {
        let width = self.by.len();
        self.keys.get(at as usize * width..(at as usize + 1) * width).or_broken(HEAD)
    }

    fn compare_keys(&self, left: &[Word], right: &[Word]) -> Ordering {
        let keys = self.by.iter().zip(left.iter().zip(right));
        first_difference(keys.map(|((ty, descending), (left, right))| {
            let order = ty.compare(*left, *right);
            if *descending { order.reverse() } else { order }
        }))
    }
}

fn compare_heads((rule, limit): (&Rule, &Limit), left: &[Word], right: &[Word]) -> Ordering {
    let columns = unranked(rule, limit).zip(left.iter().zip(right));
    first_difference(columns.map(|(term, (left, right))| term.ty.compare(*left, *right)))
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

impl Sink for LimitedHeads {
    fn take(&mut self, row: &[Word], site: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let (key, head) = row.split_at_checked(1 + self.by.len()).or_broken(MATCH);
        let (count, key) = key.split_first().or_broken(MATCH);
        self.count = count.as_int();
        let (at, new) = self.heads.insert(head);
        if new {
            self.keys.extend_from_slice(key);
            if u64::from(at + 1).is_multiple_of(ROWS_PER_LOOK) {
                site.weigh(self.heads.bytes() + self.keys.capacity() * 8)?;
            }
        } else if self.compare_keys(key, self.key(at)).is_lt() {
            let first = at as usize * key.len();
            self.keys.get_mut(first..first + key.len()).or_broken(HEAD).copy_from_slice(key);
        }
        Ok(())
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
