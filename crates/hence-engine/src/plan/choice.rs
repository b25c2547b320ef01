//! Two ways on from a new fact, of which each fact takes the shorter: no estimate suits both the facts that join with few
//! and those that join with many.

use hence_core::value::Word;
use hence_lang::ir::{Atom, Literal};
use smallvec::{SmallVec, smallvec};

use super::compile::compile;
use super::roles::Role;
use super::shape::VarSet;
use super::source::{Catalog, Choice, RuleSource, Wanted};
use super::steps::{Plan, StepOrigin};
use hence_lang::builtins::expr::VarId;

/// From how many rows to expect of the next literal on a plan looks for another way: two indexes have to pay.
const MANY: f64 = 1.5;

/// The plans of a rule that begins with its delta: one, or one for each of two ways on, which share the new facts.
pub(crate) fn compile_ways(
    source: RuleSource<'_>,
    catalog: &mut impl Catalog,
    params: &[Word],
) -> SmallVec<[Plan; 2]> {
    let plan = compile(source, catalog, params);
    let Some((next, other)) = ways(source, &plan, catalog) else { return smallvec![plan] };
    let mut way = |next, other, takes_ties| {
        let choice = Some(Choice { next, other, takes_ties });
        compile(RuleSource { choice, ..source }, catalog, params)
    };
    let both = [way(next, other, true), way(other, next, false)];
    if both.iter().all(Plan::chooses) { both.into() } else { smallvec![plan] }
}

/// The atom that the plan puts after its delta, and another that could come there. Both have a key, and a variable in
/// common that is open before them: what one binds narrows the other.
fn ways<C: Catalog>(source: RuleSource<'_>, plan: &Plan, catalog: &mut C) -> Option<(usize, usize)> {
    let delta = source.delta()?;
    if source.wanted != Wanted::Facts || source.shape.may_fail || source.shape.counts_matches {
        return None;
    }
    let mut order = plan.origins().iter().filter_map(|origin| match origin {
        StepOrigin::Literal(at) => Some(*at),
        StepOrigin::Head(_) => None,
    });
    let next = order.find(|at| *at != delta)?;
    let mut known = VarSet::default();
    source.shape.literal(delta).all.iter().for_each(|var| {
        known.insert(*var);
    });
    let open = open_after(source, next, &known)?;
    let shares = |at: &usize| {
        let others = open_after(source, *at, &known);
        others.is_some_and(|others| others.iter().any(|var| open.contains(var)))
    };
    let cost = |at: usize, catalog: &mut C| match source.rule.literal(at) {
        Literal::Atom(atom) => catalog.estimate(atom.relation, source.view(at), &bound(atom, &known)),
        _ => f64::INFINITY,
    };
    if cost(next, catalog) < MANY {
        return None;
    }
    let others: Vec<usize> = order.filter(|at| *at != delta && *at != next).filter(shares).collect();
    let costs = others.iter().map(|at| (cost(*at, catalog), *at));
    costs.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, other)| (next, other))
}

/// The variables that a ready atom leaves open where others are known, if it has a key and leaves one open.
fn open_after(source: RuleSource<'_>, at: usize, known: &VarSet) -> Option<Vec<VarId>> {
    let Literal::Atom(atom) = source.rule.literal(at) else { return None };
    let required = source.shape.literal(at);
    let is_loop = matches!(Role::of(source.roles, at), Role::Each) && known.covers(&required.before);
    let open: Vec<VarId> = required.all.iter().copied().filter(|var| !known.contains(*var)).collect();
    (is_loop && !open.is_empty() && !bound(atom, known).is_empty()).then_some(open)
}

/// The columns that are bound where variables are known.
fn bound(atom: &Atom, known: &VarSet) -> Vec<u32> {
    (0u32..).zip(&atom.args).filter(|(_, arg)| known.binds(arg)).map(|(column, _)| column).collect()
}
