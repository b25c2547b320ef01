//! From the matches of a body to the facts of the head: plain terms, aggregates, limits.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use differential_dataflow::lattice::Lattice;
use hence_core::index_vec::Id;
use hence_core::value::{Type, Word};
use hence_lang::builtins::aggregate::Accumulator;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::ir::{Limit, Term};
use timely::progress::Timestamp;

use crate::body::{Matches, Rows, words};
use crate::cell::{Cell, Row};
use crate::context::Context;

/// What follows from the matches of a rule.
pub(crate) struct Heads<'s, T: Timestamp + Lattice> {
    /// The facts, each perhaps several times.
    pub(crate) facts: Rows<'s, T>,
    /// Matches with an operation without a result: the variables, then the operations.
    pub(crate) failed: Vec<Rows<'s, T>>,
}

impl Context {
    /// What follows from the matches.
    pub(crate) fn heads<'s, T: Timestamp + Lattice>(&self, matches: Matches<'s, T>) -> Heads<'s, T> {
        let Matches { whole, mut failed, .. } = matches;
        if self.head_may_fail() {
            let context = self.clone();
            let all = self.evaluated();
            failed.push(whole.clone().flat_map(move |row| context.lost(row, &all)));
        }
        let context = self.clone();
        let facts = if self.rule.is_aggregate() {
            let groups = whole.flat_map(move |row| context.grouped(&row));
            let context = self.clone();
            let groups =
                groups.reduce(move |group, matches, out| out.push((context.group(group, matches), 1)));
            let context = self.clone();
            failed.push(groups.clone().flat_map(move |(group, (fact, lost))| {
                fact.is_none().then(|| context.group_row(&group, lost))
            }));
            groups.flat_map(|(_, (fact, _))| fact)
        } else if self.rule.limit.is_some() {
            let groups = whole.flat_map(move |row| context.ranked(&row));
            let context = self.clone();
            let kept = groups.reduce(move |_, heads, out| {
                out.extend(context.first_few(heads).into_iter().map(|row| (row, 1)))
            });
            kept.map(|(_, row)| row)
        } else {
            whole.flat_map(move |row| context.values(&row, context.plain()))
        };
        Heads { facts, failed }
    }

    /// The terms of the head that are no aggregates.
    fn plain(&self) -> impl Iterator<Item = &Expr> {
        self.rule.terms.iter().filter_map(|term| match term {
            Term::Expr(expr) => Some(expr),
            Term::Aggregate { .. } => None,
        })
    }

    /// All expressions that are evaluated for a match.
    fn evaluated(&self) -> Vec<Expr> {
        let limit = self.rule.limit.as_ref();
        let keys = limit.into_iter().flat_map(|limit| std::iter::once(&limit.count).chain(limit.keys()));
        let is_rank = |expr: &&Expr| limit.is_some_and(|limit| is_rank(limit, expr));
        keys.chain(self.rule.head_exprs().filter(|expr| !is_rank(expr))).cloned().collect()
    }

    /// The values of expressions under a match; none where one has no result.
    fn values<'e>(&self, row: &Row, exprs: impl Iterator<Item = &'e Expr>) -> Option<Row> {
        let vars = words(row);
        exprs.map(|expr| Some(Cell::new(expr.ty, self.eval(expr, &vars).ok()?))).collect()
    }

    /// A match with the operations that have no result, where there are any.
    fn lost(&self, mut row: Row, exprs: &[Expr]) -> Option<Row> {
        let vars = words(&row);
        row.extend(exprs.iter().filter_map(|expr| self.eval(expr, &vars).err()));
        (row.len() > vars.len()).then_some(row)
    }

    /// The group of a match, and the arguments of the aggregates.
    fn grouped(&self, row: &Row) -> Option<(Row, Row)> {
        let args = self.rule.terms.iter().flat_map(|term| match term {
            Term::Expr(_) => &[][..],
            Term::Aggregate { args, .. } => args,
        });
        Some((self.values(row, self.plain())?, self.values(row, args)?))
    }

    /// The fact of a group, or the aggregates that have no value.
    fn group(&self, group: &Row, matches: &[(&Row, isize)]) -> (Option<Row>, Row) {
        let (mut column, mut from) = (group.iter().copied(), 0);
        let (mut fact, mut lost) = (Row::new(), Row::new());
        for term in &self.rule.terms {
            match term {
                Term::Expr(_) => fact.extend(column.next()),
                Term::Aggregate { aggregate, args, span } => {
                    let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                    let mut state = Accumulator::new(*aggregate, &types);
                    for (row, times) in matches {
                        let own: Vec<Word> =
                            row.iter().skip(from).take(args.len()).map(|cell| cell.word()).collect();
                        (0..*times).for_each(|_| state.add(&own));
                    }
                    from += args.len();
                    match state.finish() {
                        Some(word) => fact.push(Cell::new(self.column(fact.len()), word)),
                        None => lost.push(self.operation(*span)),
                    }
                }
            }
        }
        (lost.is_empty().then_some(fact), lost)
    }

    /// What is reported of a group: the variables that are themselves a column of it, and what has no value.
    fn group_row(&self, group: &Row, lost: Row) -> Row {
        let mut row = vec![Cell::Open; self.width()];
        for (term, value) in self.plain().zip(group) {
            if let ExprKind::Var(var) = term.kind
                && let Some(cell) = row.get_mut(var.at())
            {
                *cell = *value;
            }
        }
        row.extend(lost);
        row
    }

    /// The group of a match under a limit, its keys and its head.
    fn ranked(&self, row: &Row) -> Option<(Row, (Row, Row))> {
        let limit = self.rule.limit.as_ref()?;
        self.eval(&limit.count, &[]).ok()?;
        let per: Row = limit.per.iter().filter_map(|var| row.get(var.at()).copied()).collect();
        let key = self.values(row, limit.keys())?;
        Some((per, (key, self.values(row, self.plain().filter(|term| !is_rank(limit, term)))?)))
    }

    /// The best heads of a group.
    fn first_few(&self, heads: &[(&(Row, Row), isize)]) -> Vec<Row> {
        let Some(limit) = &self.rule.limit else { return Vec::new() };
        let mut best: BTreeMap<&Row, &Row> = BTreeMap::new();
        for ((key, head), _) in heads {
            let known = best.entry(head).or_insert(key);
            if by_keys(limit, key, known).is_lt() {
                *known = key;
            }
        }
        let unranked: Vec<&Expr> = self.plain().filter(|term| !is_rank(limit, term)).collect();
        let by_columns = |one: &Row, other: &Row| {
            let columns = unranked.iter().zip(one.iter().zip(other));
            first(columns.map(|(term, (one, other))| term.ty.compare(one.word(), other.word())))
        };
        let mut best: Vec<(&Row, &Row)> = best.into_iter().collect();
        best.sort_by(|(head, key), (other, others)| {
            by_keys(limit, key, others).then_with(|| by_columns(head, other))
        });
        let count = self.eval(&limit.count, &[]).map_or(0, Word::as_int);
        let kept = best.into_iter().take(usize::try_from(count).unwrap_or(0));
        kept.zip(1..).map(|((head, _), rank)| self.with_rank(limit, head, rank)).collect()
    }

    fn with_rank(&self, limit: &Limit, head: &Row, rank: i64) -> Row {
        let mut columns = head.iter().copied();
        let column = |term: &Expr| match is_rank(limit, term) {
            true => Cell::Plain(Word::from_int(rank).0),
            false => columns.next().unwrap_or(Cell::Open),
        };
        self.plain().map(column).collect()
    }

    fn column(&self, at: usize) -> Type {
        self.types.get(at).copied().unwrap_or(Type::Int)
    }
}

fn is_rank(limit: &Limit, term: &Expr) -> bool {
    matches!((limit.rank, &term.kind), (Some(rank), ExprKind::Var(var)) if rank == *var)
}

fn by_keys(limit: &Limit, one: &Row, other: &Row) -> Ordering {
    let keys = limit.by.iter().zip(one.iter().zip(other));
    first(keys.map(|((key, descending), (one, other))| {
        let order = key.ty.compare(one.word(), other.word());
        if *descending { order.reverse() } else { order }
    }))
}

fn first(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
