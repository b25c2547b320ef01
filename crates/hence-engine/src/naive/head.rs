//! From the matches of a body to the facts of the head: plain terms, aggregates, limits.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, ExprKind, filled};
use hence_lang::ir::{Limit, Rule, RuleId, Term};

use super::Run;
use super::matching::Bindings;

type Tuple = Vec<Word>;

/// An invariant of matches and groups.
const WORDS: &str = "a match has a word for each expression of the head";

/// The values of expressions under one match, or the operations that had none.
type Values = Result<Tuple, Vec<Span>>;

impl Run<'_> {
    /// The facts that a rule derives from the matches of its body.
    pub(super) fn heads(&mut self, id: RuleId, rule: &Rule, matches: &[Bindings]) -> Vec<Tuple> {
        if rule.is_aggregate() {
            self.aggregates(id, rule, matches)
        } else if let Some(limit) = &rule.limit {
            self.limited(id, rule, limit, matches)
        } else {
            let terms: Vec<&Expr> = plain(rule).collect();
            matches.iter().filter_map(|bindings| self.values(id, bindings, &terms)).collect()
        }
    }

    /// The values of `exprs` under a match; every one without a result is reported.
    fn values(&mut self, id: RuleId, bindings: &Bindings, exprs: &[&Expr]) -> Option<Tuple> {
        match evaluate(exprs, bindings, &self.params) {
            Ok(row) => Some(row),
            Err(failed) => {
                failed.into_iter().for_each(|span| self.reports.add(id, span, bindings.as_slice()));
                None
            }
        }
    }

    /// The facts of an aggregate rule: one for each group, the other columns of the head.
    fn aggregates(&mut self, id: RuleId, rule: &Rule, matches: &[Bindings]) -> Vec<Tuple> {
        let group: Vec<&Expr> = plain(rule).collect();
        let args: Vec<&Expr> = rule.terms.iter().flat_map(aggregate_args).collect();
        let all: Vec<&Expr> = group.iter().chain(&args).copied().collect();
        let mut groups: BTreeMap<Tuple, Vec<Tuple>> = BTreeMap::new();
        for bindings in matches {
            if let Some(mut row) = self.values(id, bindings, &all) {
                let args = row.split_off(group.len());
                groups.entry(row).or_default().push(args);
            }
        }
        groups.iter().filter_map(|(group, matches)| self.group(id, rule, group, matches)).collect()
    }

    /// The fact of one group, unless an aggregate has no value for it.
    fn group(&mut self, id: RuleId, rule: &Rule, group: &Tuple, matches: &[Tuple]) -> Option<Tuple> {
        let (mut row, mut failed) = (Tuple::new(), Vec::new());
        let (mut column, mut arg) = (group.iter().copied(), 0);
        for term in &rule.terms {
            match term {
                Term::Expr(_) => row.push(column.next().or_broken(WORDS)),
                Term::Aggregate { aggregate, args, span } => {
                    let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                    let range = arg..arg + args.len();
                    let own = |row: &Tuple| row.get(range.clone()).or_broken(WORDS).to_vec();
                    arg += args.len();
                    match aggregate.value(&types, &matches.iter().map(own).collect::<Vec<_>>()) {
                        Some(word) => row.push(word),
                        None => failed.push(*span),
                    }
                }
            }
        }
        failed.iter().for_each(|span| self.reports.add(id, *span, group_bindings(rule, group).as_slice()));
        failed.is_empty().then_some(row)
    }

    /// The facts of a rule with a limit: of each group the first few distinct heads, each by its best key.
    fn limited(&mut self, id: RuleId, rule: &Rule, limit: &Limit, matches: &[Bindings]) -> Vec<Tuple> {
        let keys = limit.by.iter().map(|(key, _)| key);
        let all: Vec<&Expr> =
            std::iter::once(&limit.count).chain(keys).chain(unranked(rule, limit)).collect();
        let mut groups: BTreeMap<Tuple, BTreeMap<Tuple, Tuple>> = BTreeMap::new();
        let mut count = 0;
        for bindings in matches {
            let Some(mut key) = self.values(id, bindings, &all) else { continue };
            let head = key.split_off(1 + limit.by.len());
            count = key.remove(0).as_int();
            let per =
                limit.per.iter().map(|var| bindings[*var].or_broken("the variables of a group are bound"));
            let best = groups.entry(per.collect()).or_default().entry(head).or_insert_with(|| key.clone());
            if better(limit, &key, best) {
                *best = key;
            }
        }
        groups.into_values().flat_map(|heads| first_few(rule, limit, count, heads)).collect()
    }
}

/// The best heads of one group, with their ranks.
pub(super) fn first_few(rule: &Rule, limit: &Limit, count: i64, heads: BTreeMap<Tuple, Tuple>) -> Vec<Tuple> {
    let types: Vec<_> = unranked(rule, limit).map(|term| term.ty).collect();
    let mut heads: Vec<(Tuple, Tuple)> = heads.into_iter().collect();
    heads.sort_by(|(head, key), (other, other_key)| {
        let by_columns = || {
            let columns = types.iter().zip(head.iter().zip(other));
            first_difference(columns.map(|(ty, (left, right))| ty.compare(*left, *right)))
        };
        compare_keys(limit, key, other_key).then_with(by_columns)
    });
    heads.truncate(usize::try_from(count).unwrap_or(0));
    heads.into_iter().zip(1..).map(|((head, _), rank)| with_rank(rule, limit, &head, rank)).collect()
}

/// Whether a key comes before another one.
pub(super) fn better(limit: &Limit, key: &Tuple, other: &Tuple) -> bool {
    compare_keys(limit, key, other).is_lt()
}

fn compare_keys(limit: &Limit, left: &Tuple, right: &Tuple) -> Ordering {
    let keys = limit.by.iter().zip(left.iter().zip(right));
    first_difference(keys.map(|((key, descending), (left, right))| {
        let order = key.ty.compare(*left, *right);
        if *descending { order.reverse() } else { order }
    }))
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn with_rank(rule: &Rule, limit: &Limit, head: &Tuple, rank: i64) -> Tuple {
    let mut columns = head.iter().copied();
    let column = |term| {
        if is_rank(limit, term) { Word::from_int(rank) } else { columns.next().or_broken(WORDS) }
    };
    plain(rule).map(column).collect()
}

/// The terms of the head without the rank.
pub(super) fn unranked<'r>(rule: &'r Rule, limit: &'r Limit) -> impl Iterator<Item = &'r Expr> {
    plain(rule).filter(|term| !is_rank(limit, term))
}

/// Whether a term of the head is the rank.
pub(super) fn is_rank(limit: &Limit, term: &Expr) -> bool {
    matches!((limit.rank, &term.kind), (Some(rank), ExprKind::Var(var)) if rank == *var)
}

/// The terms of the head that are no aggregates.
fn plain(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => Some(expr),
        Term::Aggregate { .. } => None,
    })
}

fn aggregate_args(term: &Term) -> &[Expr] {
    match term {
        Term::Expr(_) => &[],
        Term::Aggregate { args, .. } => args,
    }
}

/// The variables that a group determines: those that are themselves a column of it.
fn group_bindings(rule: &Rule, group: &Tuple) -> Bindings {
    let mut bindings = IndexVec::filled(None, rule.variables.len());
    for (term, word) in plain(rule).zip(group) {
        if let ExprKind::Var(var) = term.kind {
            bindings[var] = Some(*word);
        }
    }
    bindings
}

fn evaluate(exprs: &[&Expr], bindings: &Bindings, params: &[Word]) -> Values {
    let vars = filled(bindings.as_slice());
    let (mut row, mut failed) = (Tuple::new(), Vec::new());
    for expr in exprs {
        expr.check_bound(bindings.as_slice());
        match expr.eval(&vars, params) {
            Ok(word) => row.push(word),
            Err(none) => failed.push(none.0),
        }
    }
    if failed.is_empty() { Ok(row) } else { Err(failed) }
}
