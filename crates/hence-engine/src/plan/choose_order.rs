//! The order of a plan's literals: each the cheapest after those before it, beginning with another atom where all of it then
//! costs less.

use hence_core::value::Word;
use hence_lang::ir::{Arg, Atom, Literal};

use super::bounds::Bounds;
use super::compile::Compiler;
use super::order::{RowEstimate, RuleBody, UNBOUND, order};
use super::shape::VarSet;
use super::source::{Catalog, JoinOrder, RuleSource, Start, Wanted};
use super::work::{AtomRows, Work, work};
use crate::storage::view::View;

/// By how much another order has to be expected to cost less.
pub(super) const SURELY: f64 = 1.5;
/// From how many rows on whole orders are compared, and as how many a relation counts that is yet to grow.
pub(super) const MANY: f64 = 1024.0;
/// Of how many atoms whole orders are compared at most: what that takes grows with their third power.
const MOST_ATOMS: usize = 32;

impl Compiler<'_> {
    /// The order by what each literal costs after those before it, some of them coming first.
    pub(super) fn order_from(&mut self, first: &[usize]) -> Vec<usize> {
        let RuleSource { rule, shape, roles, .. } = self.source;
        let (source, catalog) = (self.source, &mut *self.catalog);
        let has_delta = source.delta().is_some();
        let mut rows = |at: usize, atom: &Atom, bound: &[u32], known: &VarSet| {
            let rows = estimate((source, has_delta), catalog, at, atom, bound);
            match joining_bounds(source, catalog, at, atom, known) {
                Some(bounds) if bound.is_empty() => {
                    bounds.share * catalog.count(atom.relation).unwrap_or(rows)
                }
                Some(bounds) => bounds.share * rows,
                None => rows,
            }
        };
        let rows: Option<RowEstimate<'_>> = match source.order {
            JoinOrder::Cost => Some(&mut rows),
            JoinOrder::Text => None,
        };
        order(RuleBody { rule, shape, roles }, first, source.literals(), self.bound.clone(), rows)
    }

    /// An order that begins with another atom, if all of it surely costs less, with the indexes that it needs.
    pub(super) fn better_order(&mut self, greedy: &[usize]) -> Option<Vec<usize>> {
        let source = self.source;
        let RuleSource { rule, shape, .. } = source;
        let begins_anew = matches!(source.start, Start::Nothing) && source.delta().is_none();
        if !begins_anew || source.order != JoinOrder::Cost || source.wanted != Wanted::Facts {
            return None;
        }
        let first = |at: &usize| match rule.literal(*at) {
            Literal::Atom(atom) if shape.literal(*at).before.is_empty() => Some(atom.relation),
            _ => None,
        };
        let atoms: Vec<usize> = source.literals().into_iter().filter(|at| first(at).is_some()).collect();
        let count = |at: &usize| first(at).and_then(|relation| self.catalog.count(relation));
        let is_empty = |at: &usize| count(at) == Some(0.0);
        let many = |at: &usize| count(at) >= Some(MANY);
        let is_alike = |at: &usize| first(at) == atoms.first().and_then(first);
        let are_few = atoms.len() <= MOST_ATOMS && !atoms.iter().all(is_alike);
        if !are_few || atoms.iter().any(is_empty) || !atoms.iter().any(many) {
            return None;
        }
        let before = weigh(source, self.catalog, greedy, 1.0).total();
        let others = atoms.iter().filter(|at| greedy.first() != Some(at));
        let others = others.map(|at| {
            let order = self.order_from(&[*at]);
            (weigh(source, self.catalog, &order, 1.0).total(), order)
        });
        let (cost, order) = others.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (cost * SURELY < before).then_some(order)
    }

    /// How many matches the literals placed so far are expected to have.
    pub(super) fn matches_before(&mut self) -> f64 {
        weigh(self.source, self.catalog, &self.placed, 1.0).matches
    }
}

/// What an order of a rule's literals costs as a whole where such a part of the delta's relation is new.
pub(super) fn weigh(source: RuleSource<'_>, catalog: &mut dyn Catalog, order: &[usize], new: f64) -> Work {
    let RuleSource { rule, shape, roles, .. } = source;
    let delta = source.delta().and_then(|at| rule.literal(at).atom());
    let mut rows = |atom: &Atom, bound: &[u32]| {
        let rows = statistics(catalog, atom, bound);
        let is_delta = delta.is_some_and(|delta| std::ptr::eq(delta, atom));
        AtomRows { agreeing: if is_delta { rows.agreeing * new } else { rows.agreeing }, ..rows }
    };
    work(RuleBody { rule, shape, roles }, order, &mut rows)
}

/// About how many rows of an atom agree with the columns of it that are bound.
fn estimate(
    (source, has_delta): (RuleSource<'_>, bool),
    catalog: &mut dyn Catalog,
    at: usize,
    atom: &Atom,
    bound: &[u32],
) -> f64 {
    // Where a plan begins with another literal, its delta is looked up as a part of all rows.
    let view = if source.lead.is_some() { View::All } else { source.view(at) };
    let relation = atom.relation;
    if view != View::Delta
        && catalog.count(relation) >= Some(MANY)
        && bound.iter().any(|at| is_constant(atom, *at))
    {
        return measured(catalog, atom, bound);
    }
    let rows = catalog.estimate(relation, view, bound);
    // Where it is yet to grow nobody knows how many it will be.
    let grows = has_delta && view != View::Delta && source.own.get(at) == Some(&true);
    let later = grows && bound.is_empty() && catalog.count(relation).is_some();
    if later { rows.max(MANY * UNBOUND) } else { rows }
}

/// What bounds the rows of an atom by what is known before it, where an index can have them in order.
fn joining_bounds<'a>(
    source: RuleSource<'a>,
    catalog: &dyn Catalog,
    at: usize,
    atom: &Atom,
    known: &VarSet,
) -> Option<Bounds<'a>> {
    let bounds =
        Bounds::new(source.rule, &source.shape.comparing, atom, known).filter(|bounds| bounds.joins)?;
    let is_closed = source.view(at) == View::All && !source.grows(atom.relation);
    let is_ordered = source.wanted == Wanted::Facts && is_closed && catalog.count(atom.relation).is_some();
    is_ordered.then_some(bounds)
}

/// [`estimate`] by measuring: constants have the share of the rows that they have, be it large or small.
fn measured(catalog: &mut dyn Catalog, atom: &Atom, bound: &[u32]) -> f64 {
    let relation = atom.relation;
    let (constants, others): (Vec<u32>, Vec<u32>) = bound.iter().partition(|at| is_constant(atom, **at));
    let words = constants.iter().filter_map(|column| match atom.args.get(*column as usize) {
        Some(Arg::Const(value)) => Some((*column, value.word())),
        _ => None,
    });
    let words: Vec<(u32, Word)> = words.collect();
    let share = if words.is_empty() { None } else { catalog.share(relation, &words) };
    let rows = if others.is_empty() {
        catalog.count(relation).unwrap_or_default()
    } else {
        catalog.fan_out(relation, &others)
    };
    rows * share.unwrap_or(1.0)
}

fn is_constant(atom: &Atom, column: u32) -> bool {
    matches!(atom.args.get(column as usize), Some(Arg::Const(_)))
}

/// What is known of the rows of an atom where columns of it are bound.
fn statistics(catalog: &mut dyn Catalog, atom: &Atom, bound: &[u32]) -> AtomRows {
    let relation = atom.relation;
    let all = catalog.count(relation).unwrap_or_default();
    let agreeing = match bound.len() {
        // As if columns were independent.
        many if many == atom.args.len() => {
            let shares = bound.iter().map(|column| measured(catalog, atom, &[*column]) / all.max(1.0));
            (all * shares.product::<f64>()).min(1.0)
        }
        _ => measured(catalog, atom, bound),
    };
    AtomRows { all, agreeing, indexed: catalog.find_index(relation, bound).is_some() }
}
