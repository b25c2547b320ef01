//! Which expressions inside atoms can be computed before their atom is matched, and which only after.

use std::collections::BTreeSet;

use crate::analysis::checked::{Arg, Literal};
use crate::builtins::expr::{Expr, VarId};
use hence_core::fault::OrBroken;

/// Expressions by literal and column.
pub(super) type Late = BTreeSet<(usize, usize)>;

/// The expressions of positive atoms that no order of the body can compute before all of their atoms are matched:
/// in `p(X, Y + 1), q(Y, X + 1)` that of the first atom.
pub(super) fn late(body: &[Literal]) -> Late {
    let mut order =
        Order { body, bound: BTreeSet::new(), waiting: (0..body.len()).collect(), late: Late::new() };
    if body.iter().any(has_expression) {
        while order.settle() || order.give_way() {}
    }
    order.late
}

fn has_expression(literal: &Literal) -> bool {
    literal.positive().is_some_and(|atom| computed(atom.args).next().is_some())
}

/// The arguments that are operations, by column.
fn computed(args: &[Arg]) -> impl Iterator<Item = (usize, &Expr)> {
    args.iter().enumerate().filter_map(|(at, arg)| Some((at, arg.operation()?)))
}

/// An order of a body that is being found.
struct Order<'a> {
    body: &'a [Literal],
    bound: BTreeSet<VarId>,
    /// The literals that haven't their place yet.
    waiting: Vec<usize>,
    late: Late,
}

impl<'a> Order<'a> {
    fn literal(&self, at: usize) -> &'a Literal {
        self.body.get(at).or_broken("the number of a literal is that of one of its rule's literals")
    }

    /// Gives every literal its place that can have one now; whether there was one.
    fn settle(&mut self) -> bool {
        let before = self.waiting.len();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|at| {
            let literal = self.literal(*at);
            let ready = self.is_ready(literal);
            if ready {
                self.bind(literal);
            }
            !ready
        });
        self.waiting = waiting;
        self.waiting.len() < before
    }

    /// Where none can: the first positive atom is matched first, and what it lacks is computed afterwards.
    fn give_way(&mut self) -> bool {
        for (place, at) in self.waiting.iter().copied().enumerate() {
            let literal = self.literal(at);
            let Some(atom) = literal.positive() else { continue };
            let missing = computed(atom.args).filter(|(_, expr)| !self.is_bound(expr));
            self.late.extend(missing.map(|(column, _)| (at, column)).collect::<Vec<_>>());
            self.bind(literal);
            self.waiting.remove(place);
            return true;
        }
        false
    }

    /// Whether what it computes can be computed; what binds nothing waits for nothing here.
    fn is_ready(&self, literal: &Literal) -> bool {
        match literal.positive() {
            Some(atom) => computed(atom.args).all(|(_, expr)| self.is_bound(expr)),
            None => {
                literal.computed().is_none() || literal.exprs().into_iter().all(|expr| self.is_bound(expr))
            }
        }
    }

    fn is_bound(&self, expr: &Expr) -> bool {
        let mut all = true;
        expr.for_each_var(&mut |var| all &= self.bound.contains(&var));
        all
    }

    fn bind(&mut self, literal: &Literal) {
        self.bound.extend(literal.binds());
    }
}
