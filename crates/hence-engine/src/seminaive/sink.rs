//! What becomes of matches: facts, groups of aggregates, heads under a limit.

use std::cmp::Ordering;

use crate::Bound;
use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_lang::builtins::column::Column;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::ir::{Limit, Rule, RuleId, Term};

use smallvec::SmallVec;

use super::rowset::RowSet;
use super::shard::Shard;
use super::site::{Sink, Site};

/// How many new rows lie between two looks at the memory.
const ROWS_PER_LOOK: u64 = 1 << 16;

/// An invariant of sinks.
const MATCH: &str = "a match has the words that its sink takes in";
/// Another.
const HEAD: &str = "a head has the words of its group and its terms, and as many keys as the limit";

/// How many words of facts are taken in at once.
const BATCH: usize = 4096;

/// Each match is a fact. Facts are taken in by batches, which lets the processor work on many at once.
#[derive(Debug)]
pub(super) struct Facts<'s> {
    relation: RelationId,
    batch: Vec<Word>,
    derived: u64,
    weighed: u64,
    /// Where they all go; none to look for it in the open round.
    shard: Option<&'s mut Shard>,
}

impl<'s> Facts<'s> {
    /// Facts of a relation; `batch` is room to work in.
    pub(super) fn new(relation: RelationId, mut batch: Vec<Word>) -> Self {
        batch.clear();
        Self { relation, batch, derived: 0, weighed: 0, shard: None }
    }

    /// Facts of a relation that all fall to one shard.
    pub(super) fn of_shard(relation: RelationId, shard: &'s mut Shard) -> Self {
        Self { shard: Some(shard), ..Self::new(relation, Vec::new()) }
    }

    /// The room to work in.
    pub(super) fn into_batch(self) -> Vec<Word> {
        self.batch
    }

    /// How many of those taken in were new.
    pub(super) fn derived(&self) -> u64 {
        self.derived
    }

    /// Counts new facts that others have taken in.
    pub(super) fn add_derived(&mut self, new: u64) {
        self.derived += new;
    }

    fn derive(&mut self, new: u64, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        self.derived += new;
        site.budget.spend(new)?;
        if self.derived - self.weighed >= ROWS_PER_LOOK {
            self.weighed = self.derived;
            site.weigh(self.shard.as_ref().map_or(0, |shard| shard.bytes_of_all()))?;
        }
        Ok(())
    }
}

impl Sink for Facts<'_> {
    #[inline]
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        if row.is_empty() {
            let known = site.known.get(self.relation);
            let new = site.fresh.own(self.relation).hold(known);
            return self.derive(new, site);
        }
        self.batch.extend_from_slice(row);
        if self.batch.len() >= BATCH { self.flush(site) } else { Ok(()) }
    }

    fn batch(&mut self, _: usize) -> Option<(&mut Vec<Word>, usize)> {
        Some((&mut self.batch, BATCH))
    }

    fn take_all(&mut self, rows: &[Word], _: usize, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let known = site.known.get(self.relation);
        let new = match &mut self.shard {
            Some(shard) => shard.take(known, rows)?,
            None => site.fresh.own(self.relation).take(known, rows)?,
        };
        self.derive(new, site)
    }

    fn flush(&mut self, site: &mut Site<'_, '_>) -> Result<(), Bound> {
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

/// Matches by group, each with its aggregates.
#[derive(Debug)]
pub(super) struct Groups {
    id: RuleId,
    groups: RowSet,
    columns: Vec<Column>,
    width: usize,
}

impl Groups {
    /// No groups yet of an aggregate rule.
    pub(super) fn new(id: RuleId, rule: &Rule) -> Self {
        let width = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_))).count();
        let columns = rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { aggregate, args, .. } => {
                Some(Column::new(*aggregate, args.iter().map(|arg| arg.ty).collect()))
            }
            Term::Expr(_) => None,
        });
        Self { id, groups: RowSet::new(width), columns: columns.collect(), width }
    }

    /// How many columns a group has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Forgets all matches.
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.columns.iter_mut().for_each(Column::clear);
    }

    /// Adds the fact of each group that has a value for every aggregate.
    pub(super) fn finish(
        &self,
        rule: &Rule,
        facts: &mut Facts<'_>,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Bound> {
        let mut row = SmallVec::<[Word; 8]>::new();
        for at in 0..self.groups.len() {
            row.clear();
            let mut whole = true;
            let (mut plain, mut columns) = (self.groups.row(at).iter(), self.columns.iter());
            for term in &rule.terms {
                match term {
                    Term::Expr(_) => {
                        row.push(*plain.next().or_broken("a group has a word for each plain term"))
                    }
                    Term::Aggregate { span, .. } => {
                        let column = columns.next().or_broken("each aggregate of a head has its states");
                        match column.finish(at as usize) {
                            Some(word) => row.push(word),
                            None => {
                                whole = false;
                                site.reports.add(self.id, *span, self.bindings(rule, at).as_slice());
                            }
                        }
                    }
                }
            }
            if whole {
                facts.take(&row, site)?;
            }
        }
        Ok(())
    }

    /// The variables that a group determines: those that are themselves a column of it.
    fn bindings(&self, rule: &Rule, group: u32) -> IndexVec<VarId, Option<Word>> {
        let mut bindings = IndexVec::filled(None, rule.variables.len());
        let plain = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_)));
        for (term, word) in plain.zip(self.groups.row(group)) {
            if let Term::Expr(Expr { kind: ExprKind::Var(var), .. }) = term {
                bindings[*var] = Some(*word);
            }
        }
        bindings
    }
}

impl Sink for Groups {
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let (group, mut args) = row.split_at_checked(self.width).or_broken(MATCH);
        let (number, new) = self.groups.insert(group);
        if new {
            self.columns.iter_mut().for_each(Column::push_group);
            if u64::from(number + 1).is_multiple_of(ROWS_PER_LOOK) {
                site.weigh(self.groups.bytes() + self.columns.iter().map(Column::bytes).sum::<usize>())?;
            }
        }
        for column in &mut self.columns {
            let (own, rest) = args.split_at_checked(column.width()).or_broken(MATCH);
            column.add(number as usize, own);
            args = rest;
        }
        Ok(())
    }
}

/// Distinct heads by group, each with its best key.
#[derive(Debug)]
pub(super) struct Heads {
    /// How many columns the group has.
    per: usize,
    /// The types of the keys, and whether each descends.
    by: Vec<(Type, bool)>,
    /// The group, then the head without its rank.
    heads: RowSet,
    keys: Vec<Word>,
    count: i64,
    /// The heads in order, once all are in.
    order: Vec<u32>,
}

impl Heads {
    /// No heads yet of a rule with a limit.
    pub(super) fn new(rule: &Rule, limit: &Limit) -> Self {
        let width = limit.per.len() + unranked(rule, limit).count();
        Self {
            per: limit.per.len(),
            by: limit.by.iter().map(|(key, descending)| (key.ty, *descending)).collect(),
            heads: RowSet::new(width),
            keys: Vec::new(),
            count: 0,
            order: Vec::new(),
        }
    }

    /// Forgets all matches.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.keys.clear();
        self.count = 0;
    }

    /// Adds the first few heads of each group.
    pub(super) fn finish(
        &mut self,
        (rule, limit): (&Rule, &Limit),
        facts: &mut Facts<'_>,
        site: &mut Site<'_, '_>,
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

impl Sink for Heads {
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
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

/// The terms of the head that are no aggregates.
pub(super) fn plain(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => Some(expr),
        Term::Aggregate { .. } => None,
    })
}

/// The terms of the head without the rank.
pub(super) fn unranked<'r>(rule: &'r Rule, limit: &'r Limit) -> impl Iterator<Item = &'r Expr> {
    plain(rule).filter(|term| !is_rank(limit, term))
}

pub(super) fn is_rank(limit: &Limit, term: &Expr) -> bool {
    matches!((limit.rank, &term.kind), (Some(rank), ExprKind::Var(var)) if rank == *var)
}
