//! Two ways on from a new fact, of which each fact takes the shorter: no estimate suits both the facts that join with few
//! and those that join with many.

use hence_core::value::Word;
use hence_lang::ir::{Atom, Literal};
use smallvec::{SmallVec, smallvec};

use super::choose_order::{MANY as MANY_FACTS, SURELY, weigh};
use super::compile::{compile, order_of};
use super::roles::Role;
use super::shape::VarSet;
use super::source::{Catalog, Choice, RuleSource, Wanted};
use super::steps::{Plan, StepOrigin};
use hence_lang::builtins::expr::VarId;

/// From how many rows to expect of the next literal on a plan looks for another way: two indexes have to pay.
const MANY: f64 = 1.5;
/// Which part of a relation's facts has to be enough for a plan that begins elsewhere: rounds have no more.
const PART: f64 = 16.0;
/// How many literals are tried to begin with.
const MOST_LEADS: usize = 8;

/// The plans of a rule for its delta: one that begins with it, or one for each of two ways on, which share the new facts; and
/// one that begins elsewhere for rounds with many new facts.
pub(crate) fn compile_ways(
    source: RuleSource<'_>,
    catalog: &mut dyn Catalog,
    params: &[Word],
) -> SmallVec<[Plan; 3]> {
    let (sources, mut plans) = from_delta(source, catalog, params);
    let duplicates = plans.iter().any(Plan::leaves_out_duplicates);
    if !duplicates && let Some((lead, facts)) = other_lead(source, &sources, catalog) {
        plans.iter_mut().for_each(|plan| plan.new_facts.end = facts);
        let mut other = compile(RuleSource { lead: Some(lead), ..source }, catalog, params);
        other.new_facts.start = facts;
        plans.push(other);
    }
    plans
}

/// The plans that begin with the delta, and what they are compiled from.
fn from_delta<'a>(
    source: RuleSource<'a>,
    catalog: &mut dyn Catalog,
    params: &[Word],
) -> (SmallVec<[RuleSource<'a>; 2]>, SmallVec<[Plan; 3]>) {
    let plan = compile(source, catalog, params);
    let Some((next, other)) = ways(source, &plan, catalog) else {
        return (smallvec![source], smallvec![plan]);
    };
    let way =
        |next, other, takes_ties| RuleSource { choice: Some(Choice { next, other, takes_ties }), ..source };
    let sources = [way(next, other, true), way(other, next, false)];
    let both = sources.map(|way| compile(way, catalog, params));
    if both.iter().all(Plan::chooses) {
        (sources.into(), both.into_iter().collect())
    } else {
        (smallvec![source], smallvec![plan])
    }
}

/// The literal that a plan begins better with than with its delta where so many facts or more are new: what the others have in
/// common may be far less than what the new facts join with. `sources` are of plans that begin with the delta.
fn other_lead(
    source: RuleSource<'_>,
    sources: &[RuleSource<'_>],
    catalog: &mut dyn Catalog,
) -> Option<(usize, u32)> {
    let RuleSource { rule, shape, roles, .. } = source;
    let delta = source.delta()?;
    let all = catalog.count(rule.literal(delta).atom()?.relation)?;
    let is_lead = |at: &usize| {
        *at != delta && matches!(Role::of(roles, *at), Role::Each) && shape.literal(*at).before.is_empty()
    };
    let leads: SmallVec<[usize; 4]> = source.literals().into_iter().filter(is_lead).collect();
    if source.wanted != Wanted::Facts || !(2..=MOST_LEADS).contains(&leads.len()) || all < MANY_FACTS {
        return None;
    }
    let mut work = |source: RuleSource<'_>, new: f64| {
        let order = order_of(source, catalog);
        weigh(source, catalog, &order, new)
    };
    let first = sources.iter().map(|source| work(*source, 1.0).on_the_way()).min_by(f64::total_cmp)?;
    // What the others have in common is looked up however few facts are new; the rest grows with these.
    let facts_of = |(always, whole): (f64, f64)| {
        let more = first - (whole - always).max(0.0) * SURELY;
        if more > 0.0 { always * SURELY / more * all } else { f64::INFINITY }
    };
    // An index for it alone would take memory, and time in every round.
    let leads = leads.into_iter().filter_map(|lead| {
        let source = RuleSource { lead: Some(lead), ..source };
        let (none, all) = (work(source, 0.0), work(source, 1.0));
        none.has_its_indexes().then(|| (facts_of((none.on_the_way(), all.on_the_way())), lead))
    });
    let (facts, lead) = leads.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (facts >= 0.0 && facts * PART < all).then_some((lead, facts as u32))
}

/// The atom that the plan puts after its delta, and another that could come there. Both have a key, and a variable in
/// common that is open before them: what one binds narrows the other.
fn ways(source: RuleSource<'_>, plan: &Plan, catalog: &mut dyn Catalog) -> Option<(usize, usize)> {
    let delta = source.delta()?;
    let begins_with_it = source.shape.literal(delta).before.is_empty();
    if !begins_with_it
        || source.wanted != Wanted::Facts
        || source.shape.may_fail
        || source.shape.counts_matches
    {
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
    let cost = |at: usize, catalog: &mut dyn Catalog| match source.rule.literal(at) {
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
