//! The order of a standing plan's literals: filters as early as they can stand, then the atom with the fewest rows.

use crate::seminaive::shape::{Shape, VarSet};
use hence_core::fault::{OrBroken, broken};
use hence_lang::ir::{Atom, Literal, Rule};

use super::roles::{Role, bound, needed};
use super::store::Store;

/// What a generator is expected to give.
const ELEMENTS: f64 = 16.0;

/// How much worse all rows of an atom without anything bound are than as many that agree with what is: those have to
/// be gone through each time, these are often far fewer.
const APART: f64 = 8.0;

/// A rule to be planned.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The rule.
    pub(super) rule: &'a Rule,
    /// What it needs.
    pub(super) shape: &'a Shape,
    /// What counts of its literals.
    pub(super) roles: &'a [Role],
    /// For each literal whether it reads the rule's own stratum.
    pub(super) own: &'a [bool],
}

impl<'a> Source<'a> {
    /// What counts of a literal.
    pub(super) fn role(self, at: usize) -> &'a Role {
        self.roles.get(at).or_broken("each literal of a rule has a role")
    }

    /// Whether a literal reads the rule's own stratum.
    pub(super) fn is_own(self, at: usize) -> bool {
        *self.own.get(at).or_broken("it is known of each literal whether it reads its own stratum")
    }
}

/// The literals but `first` in the order of evaluation, where the variables `known` are bound before.
pub(super) fn order(
    source: Source<'_>,
    first: Option<usize>,
    mut known: VarSet,
    store: &Store,
) -> Vec<usize> {
    let mut open: Vec<usize> = (0..source.rule.body.len()).filter(|at| Some(*at) != first).collect();
    let mut order = Vec::new();
    loop {
        let ready = open
            .iter()
            .enumerate()
            .filter(|(_, at)| known.covers(&needed(source.rule, source.shape, source.roles, **at)));
        let costs = ready.map(|(place, at)| (cost(source, *at, &known, store), place));
        // The earlier one of two that cost the same.
        let Some((_, place)) = costs.min_by(|(a, _), (b, _)| a.total_cmp(b)) else { break };
        let at = open.remove(place);
        order.push(at);
        bound(source.rule, source.roles, at).into_iter().for_each(|var| {
            known.insert(var);
        });
    }
    assert!(open.is_empty(), "an order has every literal of its rule");
    order
}

/// How many matches a literal makes of one. Below 1 are the filters, those that may fail after those that can't.
fn cost(source: Source<'_>, at: usize, known: &VarSet, store: &Store) -> f64 {
    let fails = source.shape.literal(at).may_fail;
    let late = if fails { 0.05 } else { 0.0 };
    match (source.rule.literal(at), source.role(at)) {
        (Literal::Test { .. }, _) => 0.1 + late,
        (Literal::Bind { var, .. }, _) if known.contains(*var) => 0.1 + late,
        (Literal::Bind { .. }, _) if fails => 0.9,
        (Literal::Bind { .. }, _) => 0.0,
        (Literal::Atom(_) | Literal::Not(_), Role::Some(_)) => 0.13,
        (Literal::Atom(atom), _) => rows(atom, known, store),
        (Literal::Each { var, .. }, _) if known.contains(*var) => 0.2,
        (Literal::Each { .. }, _) => ELEMENTS,
        (Literal::Not(_), _) => broken("of a negated atom only counts whether a fact is there"),
    }
}

/// The rows of an atom that agree with what is bound: told by an index where there is one, else guessed as if
/// columns were independent and alike.
fn rows(atom: &Atom, known: &VarSet, store: &Store) -> f64 {
    let table = store.table(atom.relation);
    let columns = (0u32..).zip(&atom.args).filter(|(_, arg)| known.binds(arg)).map(|(column, _)| column);
    let columns: Vec<u32> = columns.collect();
    if columns.len() == atom.args.len() {
        return 0.13;
    }
    let rows = table.len() as f64;
    if columns.is_empty() {
        return 0.5 + rows * APART;
    }
    let index = table.find_index(&columns).map(|index| table.index(index));
    0.5 + match index {
        Some(index) => rows / index.keys().max(1) as f64,
        None => rows.powf((atom.args.len() - columns.len()) as f64 / atom.args.len() as f64),
    }
}
