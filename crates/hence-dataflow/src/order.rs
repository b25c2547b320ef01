//! The order in which a worker goes through the literals of a body.

use std::collections::BTreeSet;

use hence_lang::builtins::expr::VarId;
use hence_lang::ir::Rule;

/// The places of the literals of a body, each after all that it needs: what filters comes as early as it can, what joins as
/// late as it must, with as many variables known as there are.
pub(crate) fn order(rule: &Rule) -> Vec<usize> {
    let computed: BTreeSet<VarId> = rule.computed().collect();
    let mut left: Vec<usize> = (0..rule.body.len()).collect();
    let (mut bound, mut order) = (BTreeSet::new(), Vec::new());
    while !left.is_empty() {
        let ready = |at: &usize| rule.literal(*at).can_follow(&bound, &computed);
        let cost = |at: &usize| {
            let literal = rule.literal(*at);
            match literal.positive() {
                Some(atom) => {
                    let known = atom.vars().filter(|var| bound.contains(var)).count();
                    (if known > 0 || order.is_empty() { 3 } else { 5 }, usize::MAX - known)
                }
                None if literal.chooses() => (4, 0),
                None => (if literal.negated().is_some() { 2 } else { 1 }, 0),
            }
        };
        let Some(next) = left.iter().copied().filter(ready).min_by_key(|at| (cost(at), *at)) else { break };
        left.retain(|at| *at != next);
        bound.extend(rule.literal(next).binds());
        order.push(next);
    }
    order
}
