//! What becomes of matches: facts, groups of aggregates, heads under a limit.

use std::cmp::Ordering;

use crate::backend::Bound;
use crate::builtins::aggregate::{Accumulator, Aggregate};
use crate::builtins::expr::{Expr, ExprKind};
use crate::ir::{Limit, Rule, RuleId, Term};
use crate::span::Span;
use crate::value::{Type, Word};

use super::machine::{Sink, Site};
use super::rowset::RowSet;

/// How many new rows lie between two looks at the memory.
const ROWS_PER_LOOK: u64 = 1 << 16;

/// How many words of facts are taken in at once.
const BATCH: usize = 4096;

/// Each match is a fact. Facts are taken in by batches, which lets the processor work on many at once.
#[derive(Debug)]
pub(super) struct Facts {
    relation: usize,
    batch: Vec<Word>,
    derived: u64,
    weighed: u64,
}

impl Facts {
    /// Facts of a relation.
    pub(super) fn new(relation: usize) -> Self {
        Self { relation, batch: Vec::new(), derived: 0, weighed: 0 }
    }

    /// How many of those taken in were new.
    pub(super) fn derived(&self) -> u64 {
        self.derived
    }

    fn derive(&mut self, new: u64, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        self.derived += new;
        site.budget.spend(new)?;
        if self.derived - self.weighed >= ROWS_PER_LOOK {
            self.weighed = self.derived;
            site.weigh(0)?;
        }
        Ok(())
    }
}

impl Sink for Facts {
    #[inline]
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        if row.is_empty() {
            let known = site.known.get(self.relation);
            let hold =
                site.fresh.get_mut(self.relation).zip(known).map_or(0, |(fresh, known)| fresh.hold(known));
            return self.derive(hold, site);
        }
        self.batch.extend_from_slice(row);
        if self.batch.len() >= BATCH { self.flush(site) } else { Ok(()) }
    }

    fn batch(&mut self) -> Option<(&mut Vec<Word>, usize)> {
        Some((&mut self.batch, BATCH))
    }

    fn flush(&mut self, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let (Some(known), Some(fresh)) = (site.known.get(self.relation), site.fresh.get_mut(self.relation))
        else {
            return Ok(());
        };
        let new = fresh.take(known, &self.batch)?;
        self.batch.clear();
        self.derive(new, site)
    }
}

/// Matches by group, each with its accumulators.
pub(super) struct Groups<'r> {
    rule: &'r Rule,
    id: RuleId,
    groups: RowSet,
    aggregates: Vec<(Aggregate, Vec<Type>, Span)>,
    accumulators: Vec<Accumulator>,
    width: usize,
}

impl<'r> Groups<'r> {
    /// No groups yet of an aggregate rule.
    pub(super) fn new(id: RuleId, rule: &'r Rule) -> Self {
        let width = rule.terms.iter().filter(|term| matches!(term, Term::Expr(_))).count();
        let aggregates = rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { aggregate, args, span } => {
                Some((*aggregate, args.iter().map(|arg| arg.ty).collect(), *span))
            }
            Term::Expr(_) => None,
        });
        let aggregates = aggregates.collect();
        Self { rule, id, groups: RowSet::new(width), aggregates, accumulators: Vec::new(), width }
    }

    /// Adds the fact of each group that has a value for every aggregate.
    pub(super) fn finish(self, facts: &mut Facts, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let mut row = Vec::new();
        for (at, accumulators) in (0..).zip(self.accumulators.chunks(self.aggregates.len().max(1))) {
            row.clear();
            let mut whole = true;
            let (mut columns, mut values) =
                (self.groups.row(at).iter(), accumulators.iter().zip(&self.aggregates));
            for term in &self.rule.terms {
                match term {
                    Term::Expr(_) => row.extend(columns.next()),
                    Term::Aggregate { .. } => {
                        match values.next().map(|(value, (.., span))| (value.finish(), span)) {
                            Some((Some(word), _)) => row.push(word),
                            Some((None, span)) => {
                                whole = false;
                                site.reports.add(self.id, *span, &self.bindings(at));
                            }
                            None => {}
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
    fn bindings(&self, group: u32) -> Vec<Option<Word>> {
        let mut bindings = vec![None; self.rule.variables.len()];
        let plain = self.rule.terms.iter().filter(|term| matches!(term, Term::Expr(_)));
        for (term, word) in plain.zip(self.groups.row(group)) {
            if let Term::Expr(Expr { kind: ExprKind::Var(var), .. }) = term {
                bindings.get_mut(var.0 as usize).into_iter().for_each(|value| *value = Some(*word));
            }
        }
        bindings
    }
}

impl Sink for Groups<'_> {
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let (group, mut args) = row.split_at_checked(self.width).unwrap_or_default();
        let (number, new) = self.groups.insert(group);
        if new {
            let fresh =
                self.aggregates.iter().map(|(aggregate, types, _)| Accumulator::new(*aggregate, types));
            self.accumulators.extend(fresh);
            if u64::from(number + 1).is_multiple_of(ROWS_PER_LOOK) {
                site.weigh(self.groups.bytes() + self.accumulators.capacity() * size_of::<Accumulator>())?;
            }
        }
        let first = number as usize * self.aggregates.len();
        let accumulators =
            self.accumulators.get_mut(first..first + self.aggregates.len()).unwrap_or_default();
        for (accumulator, (_, types, _)) in accumulators.iter_mut().zip(&self.aggregates) {
            let (own, rest) = args.split_at_checked(types.len()).unwrap_or_default();
            accumulator.add(own);
            args = rest;
        }
        Ok(())
    }
}

/// Distinct heads by group, each with its best key.
pub(super) struct Heads<'r> {
    rule: &'r Rule,
    limit: &'r Limit,
    /// The group, then the head without its rank.
    heads: RowSet,
    keys: Vec<Word>,
    count: i64,
}

impl<'r> Heads<'r> {
    /// No heads yet of a rule with a limit.
    pub(super) fn new(rule: &'r Rule, limit: &'r Limit) -> Self {
        let width = limit.per.len() + unranked(rule, limit).count();
        Self { rule, limit, heads: RowSet::new(width), keys: Vec::new(), count: 0 }
    }

    /// Adds the first few heads of each group.
    pub(super) fn finish(self, facts: &mut Facts, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let mut order: Vec<u32> = (0..self.heads.len()).collect();
        // Groups by their words: they only have to stand together.
        order.sort_unstable_by(|a, b| {
            self.group(*a)
                .cmp(self.group(*b))
                .then_with(|| self.compare_keys(self.key(*a), self.key(*b)))
                .then_with(|| self.compare_heads(self.head(*a), self.head(*b)))
        });
        let (mut rank, mut last) = (0, None);
        let mut row = Vec::new();
        for at in order {
            rank = if last == Some(self.group(at)) { rank + 1 } else { 1 };
            last = Some(self.group(at));
            if rank <= self.count {
                self.ranked(at, rank, &mut row);
                facts.take(&row, site)?;
            }
        }
        Ok(())
    }

    fn group(&self, at: u32) -> &[Word] {
        self.heads.row(at).get(..self.limit.per.len()).unwrap_or_default()
    }

    fn head(&self, at: u32) -> &[Word] {
        self.heads.row(at).get(self.limit.per.len()..).unwrap_or_default()
    }

    fn key(&self, at: u32) -> &[Word] {
        let width = self.limit.by.len();
        self.keys.get(at as usize * width..(at as usize + 1) * width).unwrap_or_default()
    }

    fn compare_keys(&self, left: &[Word], right: &[Word]) -> Ordering {
        let keys = self.limit.by.iter().zip(left.iter().zip(right));
        first_difference(keys.map(|((key, descending), (left, right))| {
            let order = key.ty.compare(*left, *right);
            if *descending { order.reverse() } else { order }
        }))
    }

    fn compare_heads(&self, left: &[Word], right: &[Word]) -> Ordering {
        let columns = unranked(self.rule, self.limit).zip(left.iter().zip(right));
        first_difference(columns.map(|(term, (left, right))| term.ty.compare(*left, *right)))
    }

    /// The fact of a head: its rank put in where the rule has it.
    fn ranked(&self, at: u32, rank: i64, row: &mut Vec<Word>) {
        row.clear();
        let mut columns = self.head(at).iter().copied();
        for term in plain(self.rule) {
            let ranks = is_rank(self.limit, term);
            row.push(if ranks { Word::from_int(rank) } else { columns.next().unwrap_or_default() });
        }
    }
}

impl Sink for Heads<'_> {
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let (key, head) = row.split_at_checked(1 + self.limit.by.len()).unwrap_or_default();
        let Some((count, key)) = key.split_first() else { return Ok(()) };
        self.count = count.as_int();
        let (at, new) = self.heads.insert(head);
        if new {
            self.keys.extend_from_slice(key);
            if u64::from(at + 1).is_multiple_of(ROWS_PER_LOOK) {
                site.weigh(self.heads.bytes() + self.keys.capacity() * 8)?;
            }
        } else if self.compare_keys(key, self.key(at)).is_lt() {
            let first = at as usize * key.len();
            self.keys
                .get_mut(first..first + key.len())
                .into_iter()
                .for_each(|best| best.copy_from_slice(key));
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
