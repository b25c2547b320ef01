//! The order of a rule's literals: filters as early as they can stand, then the atom with the fewest rows to expect.

use hence_core::fault::OrBroken;
use hence_lang::ir::{Atom, Literal, Rule};

use super::shape::{Shape, VarSet};

/// What a generator is expected to give.
const ELEMENTS: f64 = 16.0;

/// What the planner knows of the relations.
pub(super) trait Sizes {
    /// How many rows the literal at `at`, an atom of the rule, will have to read when it is scanned.
    fn rows(&self, at: usize, atom: &Atom) -> f64;
}

/// The literals of the body in the order of evaluation, all of them: some order makes every literal of a safe rule
/// ready.
pub(super) fn order(rule: &Rule, shape: &Shape, sizes: &impl Sizes) -> Vec<usize> {
    let placed = vec![false; rule.body.len()];
    let mut planner = Planner { rule, shape, sizes, bound: VarSet::default(), placed, order: Vec::new() };
    while let Some(next) = planner.next() {
        planner.place(next);
    }
    assert_eq!(planner.order.len(), rule.body.len(), "an order has every literal of its rule");
    planner.order
}

struct Planner<'a, S> {
    rule: &'a Rule,
    shape: &'a Shape,
    sizes: &'a S,
    bound: VarSet,
    placed: Vec<bool>,
    order: Vec<usize>,
}

impl<S: Sizes> Planner<'_, S> {
    fn place(&mut self, at: usize) {
        self.order.push(at);
        *self.placed.get_mut(at).or_broken("an order places the literals of its rule") = true;
        self.shape.literal(at).all.iter().for_each(|var| {
            self.bound.insert(*var);
        });
    }

    /// The ready literal that costs least; the earlier one of two that cost the same.
    fn next(&self) -> Option<usize> {
        let open = self.placed.iter().enumerate().filter(|(_, placed)| !**placed).map(|(at, _)| at);
        let ready = open.filter(|at| self.is_ready(*at));
        ready.map(|at| (self.cost(at), at)).min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, at)| at)
    }

    fn is_ready(&self, at: usize) -> bool {
        self.bound.covers(&self.shape.literal(at).before)
    }

    /// How many matches a literal makes of one. Below 1 are the filters, those that may fail after those that
    /// can't; a binding costs nothing by itself, so it comes between filters and loops.
    fn cost(&self, at: usize) -> f64 {
        let fails = self.shape.literal(at).may_fail;
        let late = if fails { 0.05 } else { 0.0 };
        match self.rule.literal(at) {
            Literal::Test { .. } => 0.1 + late,
            Literal::Not(_) => 0.12,
            Literal::Bind { .. } => {
                if fails {
                    0.9
                } else {
                    0.0
                }
            }
            Literal::Atom(atom) => self.rows(at, atom),
            Literal::Each { .. } => ELEMENTS,
        }
    }

    /// The rows of an atom that agree with what is bound, guessed as if columns were independent and alike.
    fn rows(&self, at: usize, atom: &Atom) -> f64 {
        let rows = self.sizes.rows(at, atom);
        let bound = atom.args.iter().filter(|arg| self.bound.binds(arg)).count();
        if bound == atom.args.len() {
            return 0.13;
        }
        let open = atom.args.len() - bound;
        0.5 + rows.powf(open as f64 / atom.args.len() as f64)
    }
}
