//! The order in which a rule's literals are matched, and which relations it looks up by a column.
//!
//! crepe takes literals in their order, and looks up what is known of a row when it comes to it: so each literal has
//! to find its variables bound, and what is looked up by many columns comes first.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Arg, Literal, Rule};

/// The body of a rule in the order in which it is matched.
pub(super) fn ordered(rule: &Rule) -> Vec<&Literal> {
    walk(rule).into_iter().map(|(literal, _)| literal).collect()
}

/// The relations of which a rule needs an index: it knows a column of a row that it looks for, or denies it.
pub(super) fn looked_up(rule: &Rule) -> impl Iterator<Item = RelationId> {
    walk(rule).into_iter().filter_map(|(literal, bound)| match literal {
        Literal::Not(atom) => Some(atom.relation),
        Literal::Atom(atom) if atom.args.iter().any(|arg| is_known(arg, &bound)) => Some(atom.relation),
        _ => None,
    })
}

fn is_known(arg: &Arg, bound: &BTreeSet<VarId>) -> bool {
    match arg {
        Arg::Var(var) => bound.contains(var),
        Arg::Any => false,
        Arg::Const(_) | Arg::Param(_) => true,
    }
}

/// The literals in their order, each with the variables that are bound before it.
fn walk(rule: &Rule) -> Vec<(&Literal, BTreeSet<VarId>)> {
    let mut pending: Vec<&Literal> = rule.body.iter().collect();
    let (computed, mut bound, mut walked) = (rule.computed().collect(), BTreeSet::new(), Vec::new());
    while let Some(at) = next(&pending, &bound, &computed) {
        let literal = pending.remove(at);
        walked.push((literal, bound.clone()));
        bound.extend(literal.binds());
    }
    assert!(pending.is_empty(), "some order makes every literal of a rule ready");
    walked
}

/// The literal to go on with: what needs no row, then what is looked up by most columns, then the first.
fn next(pending: &[&Literal], bound: &BTreeSet<VarId>, computed: &BTreeSet<VarId>) -> Option<usize> {
    let ready = pending.iter().enumerate().filter(|(_, literal)| literal.can_follow(bound, computed));
    ready.min_by_key(|(at, literal)| (cost(literal, bound), *at)).map(|(at, _)| at)
}

fn cost(literal: &Literal, bound: &BTreeSet<VarId>) -> usize {
    let Some(atom) = literal.positive() else {
        return if literal.chooses() { 101 } else { usize::from(literal.may_fail()) };
    };
    // A constant narrows a lookup, but is not a reason to begin with it.
    let known = |arg: &&Arg| match arg {
        Arg::Const(_) | Arg::Param(_) => !bound.is_empty(),
        arg => is_known(arg, bound),
    };
    match atom.args.iter().filter(known).count() {
        0 => 102,
        known => 100_usize.saturating_sub(known.min(90)),
    }
}
