//! The order of a plan's literals: each the cheapest after those before it, beginning with another atom where all of it then
//! costs less.

use hence_core::value::Word;
use hence_lang::ir::{Arg, Atom, Literal};

use super::bounds::Bounds;
use super::compile::Compiler;
use super::order::{RowEstimate, RuleBody, UNBOUND, order};
use super::shape::VarSet;
use super::source::{Catalog, JoinOrder, RuleSource, Start, Wanted};
use super::work::{AtomRows, matches, work};
use crate::storage::view::View;

/// By how much another order has to be expected to cost less.
const SURELY: f64 = 1.5;
/// From how many rows on whole orders are compared, and as how many a relation counts that is yet to grow.
const MANY: f64 = 1024.0;

impl<C: Catalog> Compiler<'_, C> {
    /// The order by what each literal costs after those before it, some of them coming first.
    pub(super) fn order_from(&mut self, first: &[usize]) -> Vec<usize> {
        let RuleSource { rule, shape, roles, .. } = self.source;
        let (source, catalog) = (self.source, &mut *self.catalog);
        let mut rows = |at: usize, atom: &Atom, bound: &[u32], known: &VarSet| {
            let rows = estimate(source, catalog, at, atom, bound);
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
        let RuleSource { rule, shape, roles, .. } = source;
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
        if atoms.iter().all(is_alike) || atoms.iter().any(is_empty) || !atoms.iter().any(many) {
            return None;
        }
        let weigh = |this: &mut Self, order: &[usize]| {
            let catalog = &mut *this.catalog;
            let mut rows = |atom: &Atom, bound: &[u32]| statistics(catalog, atom, bound);
            work(RuleBody { rule, shape, roles }, order, &mut rows)
        };
        let before = weigh(self, greedy);
        let others = atoms.iter().filter(|at| greedy.first() != Some(at));
        let others = others.map(|at| {
            let order = self.order_from(&[*at]);
            (weigh(self, &order), order)
        });
        let (cost, order) = others.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        (cost * SURELY < before).then_some(order)
    }

    /// How many matches the literals placed so far are expected to have.
    pub(super) fn matches_before(&mut self) -> f64 {
        let RuleSource { rule, shape, roles, .. } = self.source;
        let catalog = &mut *self.catalog;
        let mut rows = |atom: &Atom, bound: &[u32]| statistics(catalog, atom, bound);
        matches(RuleBody { rule, shape, roles }, &self.placed, &mut rows)
    }
}

/// About how many rows of an atom agree with the columns of it that are bound.
fn estimate(
    source: RuleSource<'_>,
    catalog: &mut impl Catalog,
    at: usize,
    atom: &Atom,
    bound: &[u32],
) -> f64 {
    let (relation, view) = (atom.relation, source.view(at));
    if view != View::Delta
        && catalog.count(relation) >= Some(MANY)
        && bound.iter().any(|at| is_constant(atom, *at))
    {
        return measured(catalog, atom, bound);
    }
    let rows = catalog.estimate(relation, view, bound);
    // Where it is yet to grow nobody knows how many it will be.
    let later = catalog.count(relation).is_some() && source.delta().is_some() && view != View::Delta;
    if later && bound.is_empty() && source.grows(relation) { rows.max(MANY * UNBOUND) } else { rows }
}

/// What bounds the rows of an atom by what is known before it, where an index can have them in order.
fn joining_bounds<'a>(
    source: RuleSource<'a>,
    catalog: &impl Catalog,
    at: usize,
    atom: &Atom,
    known: &VarSet,
) -> Option<Bounds<'a>> {
    let is_closed = source.view(at) == View::All && !source.grows(atom.relation);
    if source.wanted != Wanted::Facts || !is_closed || catalog.count(atom.relation).is_none() {
        return None;
    }
    Bounds::new(source.rule, atom, known).filter(|bounds| bounds.joins)
}

/// [`estimate`] by measuring: constants have the share of the rows that they have, be it large or small.
fn measured(catalog: &mut impl Catalog, atom: &Atom, bound: &[u32]) -> f64 {
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
fn statistics(catalog: &mut impl Catalog, atom: &Atom, bound: &[u32]) -> AtomRows {
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
