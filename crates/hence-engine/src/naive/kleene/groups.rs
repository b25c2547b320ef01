//! Aggregates and limits where matches may be only possible: such a match makes its group uncertain.

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::ir::{Limit, Rule, Term};

use super::super::head::{better, first_few, is_rank, unranked};
use super::matching::Match;
use super::{PartialRow, ThreeValuedRun};

/// Facts, and whether each is certain.
type Heads = Vec<(PartialRow, bool)>;

/// Heads with their best keys.
type Ranked = BTreeMap<Vec<Word>, Vec<Word>>;

/// One match beside its group.
struct Member {
    group: PartialRow,
    /// What is aggregated, or the keys and the head that are ranked.
    values: PartialRow,
    certain: bool,
}

impl ThreeValuedRun<'_> {
    pub(super) fn aggregated(&self, rule: &Rule, matches: Vec<Match>) -> Heads {
        let group: Vec<&Expr> = plain(rule).collect();
        let args: Vec<&Expr> =
            rule.terms.iter().filter(|term| is_aggregate(term)).flat_map(Term::exprs).collect();
        let members = self.members(&matches, &group, &args);
        let (mut heads, mut groups) = (Heads::new(), BTreeMap::<&PartialRow, Vec<&Member>>::new());
        for member in &members {
            if member.certain && !is_tainted(&members, &member.group) {
                groups.entry(&member.group).or_default().push(member);
            } else {
                heads.push((with_aggregates(rule, &member.group, |_, _| None), false));
            }
        }
        for (group, members) in groups {
            heads.push((with_aggregates(rule, group, |term, from| value(term, from, &members)), true));
        }
        heads
    }

    pub(super) fn limited(&self, rule: &Rule, limit: &Limit, matches: Vec<Match>) -> Heads {
        let per: Vec<Expr> = limit.per.iter().map(|var| variable(rule, *var)).collect();
        let values: Vec<&Expr> =
            std::iter::once(&limit.count).chain(limit.keys()).chain(unranked(rule, limit)).collect();
        let members = self.members(&matches, &per.iter().collect::<Vec<_>>(), &values);
        let mut heads = Heads::new();
        let mut groups: BTreeMap<&PartialRow, (i64, Ranked)> = BTreeMap::new();
        for member in &members {
            let known: Option<Vec<Word>> = member.values.iter().copied().collect();
            let untainted = member.certain && !is_tainted(&members, &member.group);
            let Some(mut key) = known.filter(|_| untainted) else {
                let head = member.values.get(1 + limit.by.len()..).or_broken("a member has a head");
                heads.push((with_rank(rule, limit, head), false));
                continue;
            };
            let head = key.split_off(1 + limit.by.len());
            let (count, ranked) = groups.entry(&member.group).or_default();
            *count = key.remove(0).as_int();
            let best = ranked.entry(head).or_insert_with(|| key.clone());
            if better(limit, &key, best) {
                *best = key;
            }
        }
        let first = groups.into_values().flat_map(|(count, ranked)| first_few(rule, limit, count, ranked));
        heads.extend(first.map(|row| (row.into_iter().map(Some).collect(), true)));
        heads
    }

    fn members(&self, matches: &[Match], group: &[&Expr], values: &[&Expr]) -> Vec<Member> {
        let row = |exprs: &[&Expr], found: &Match| -> PartialRow {
            exprs.iter().map(|expr| self.value(expr, &found.vars)).collect()
        };
        let member = |found: &Match| {
            let (group, values) = (row(group, found), row(values, found));
            let known = group.iter().chain(&values).all(Option::is_some);
            Member { certain: found.certain && known, group, values }
        };
        matches.iter().map(member).collect()
    }
}

/// Whether a match that is only possible may belong to a group.
fn is_tainted(members: &[Member], group: &[Option<Word>]) -> bool {
    let agrees = |other: &PartialRow| other.iter().zip(group).all(|(one, own)| one.is_none() || one == own);
    members.iter().any(|member| !member.certain && agrees(&member.group))
}

fn is_aggregate(term: &Term) -> bool {
    matches!(term, Term::Aggregate { .. })
}

fn plain(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.terms.iter().filter(|term| !is_aggregate(term)).flat_map(Term::exprs)
}

/// The head of a group: its columns, and for each aggregate, whose arguments begin at a place, what `value` gives.
fn with_aggregates(
    rule: &Rule,
    group: &[Option<Word>],
    value: impl Fn(&Term, usize) -> Option<Word>,
) -> PartialRow {
    let (mut columns, mut from) = (group.iter().copied(), 0);
    let column = |term: &Term| {
        if !is_aggregate(term) {
            return columns.next().or_broken("a group has a word for each of its columns");
        }
        let value = value(term, from);
        from += term.exprs().len();
        value
    };
    rule.terms.iter().map(column).collect()
}

/// The value of an aggregate whose arguments begin at a place.
fn value(term: &Term, from: usize, members: &[&Member]) -> Option<Word> {
    let Term::Aggregate { aggregate, args, .. } = term else { return None };
    let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
    let own = |member: &&Member| -> Vec<Word> {
        member.values.iter().skip(from).take(args.len()).copied().flatten().collect()
    };
    aggregate.value(&types, &members.iter().map(own).collect::<Vec<_>>())
}

/// A head whose rank is unknown.
fn with_rank(rule: &Rule, limit: &Limit, head: &[Option<Word>]) -> PartialRow {
    let mut columns = head.iter().copied();
    let column = |term| {
        if is_rank(limit, term) { None } else { columns.next().or_broken("a head has all but the rank") }
    };
    plain(rule).map(column).collect()
}

fn variable(rule: &Rule, var: VarId) -> Expr {
    let ty = rule.variables.get(var.at()).or_broken(VarId::INVARIANT).ty.ty;
    Expr { kind: hence_lang::builtins::expr::ExprKind::Var(var), ty, span: rule.span }
}
