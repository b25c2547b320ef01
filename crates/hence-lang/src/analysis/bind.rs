//! Which `=` and `in` bind a variable: the least fixpoint, the same in any order of the literals.

use std::collections::HashMap;

use crate::builtins::expr::VarId;
use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::span::Sources;

use super::clause::{Clause, Way};
use super::uses::Vars;

/// What is bound in a body.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    vars: IndexVec<VarId, bool>,
    /// The literals that bind by `=` or `in`, each after those that bind what it reads.
    pub(super) order: Vec<usize>,
}

impl Bound {
    /// Whether `var` is bound.
    pub(super) fn has(&self, var: VarId) -> bool {
        self.vars[var]
    }

    /// Takes `var` as bound and says whether it wasn't before.
    pub(super) fn add(&mut self, var: VarId) -> bool {
        !std::mem::replace(&mut self.vars[var], true)
    }
}

/// An invariant of [`bind`].
const CANDIDATES: &str = "the numbers of ways to bind a variable are those that were given out";

/// A way to bind a variable, of the literal with this number.
struct Candidate {
    literal: usize,
    way: Way,
    /// How many of the variables that it reads are not bound yet.
    missing: usize,
}

/// Finds what is bound and turns the `=` that bind into [`Clause::Bind`].
pub(super) fn bind(clauses: &mut [Clause<'_>], vars: &Vars, sources: &Sources) -> Bound {
    bind_within(clauses, vars, [], sources)
}

/// As [`bind`], where the variables `given` are bound already.
pub(super) fn bind_within(
    clauses: &mut [Clause<'_>],
    vars: &Vars,
    given: impl IntoIterator<Item = VarId>,
    sources: &Sources,
) -> Bound {
    let mut bound = Bound { vars: IndexVec::filled(false, vars.len()), order: Vec::new() };
    let at_once = clauses.iter().flat_map(|clause| clause.binds(vars));
    at_once.chain(given).for_each(|var| {
        bound.add(var);
    });
    let mut candidates = candidates(clauses, vars, sources);
    let mut waiting = waiting(&mut candidates, &bound);
    let mut chosen: HashMap<usize, bool> = HashMap::new();
    let mut ready: Vec<usize> = (0..candidates.len()).collect();
    ready.retain(|at| candidate(&candidates, *at).missing == 0);
    while !ready.is_empty() {
        ready.sort_by_key(|at| {
            let Way { var, weight, .. } = &candidate(&candidates, *at).way;
            (*var, weight.clone())
        });
        let mut fresh = Vec::new();
        for at in std::mem::take(&mut ready) {
            let Candidate { literal, way, .. } = candidate(&candidates, at);
            if bound.add(way.var) {
                chosen.insert(*literal, way.left);
                bound.order.push(*literal);
                fresh.push(way.var);
            }
        }
        for at in fresh.into_iter().filter_map(|var| waiting.remove(&var)).flatten() {
            let candidate = candidates.get_mut(at).or_broken(CANDIDATES);
            candidate.missing -= 1;
            if candidate.missing == 0 {
                ready.push(at);
            }
        }
    }
    for (at, clause) in clauses.iter_mut().enumerate() {
        clause.choose(chosen.get(&at).copied(), vars);
    }
    bound
}

fn candidate(candidates: &[Candidate], at: usize) -> &Candidate {
    candidates.get(at).or_broken(CANDIDATES)
}

/// Which candidates wait for each variable that is not bound yet.
fn waiting(candidates: &mut [Candidate], bound: &Bound) -> HashMap<VarId, Vec<usize>> {
    let mut waiting: HashMap<VarId, Vec<usize>> = HashMap::new();
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.way.reads.retain(|var| !bound.has(*var));
        candidate.missing = candidate.way.reads.len();
        candidate.way.reads.iter().for_each(|var| waiting.entry(*var).or_default().push(at));
    }
    waiting
}

fn candidates(clauses: &[Clause<'_>], vars: &Vars, sources: &Sources) -> Vec<Candidate> {
    let ways = |(literal, clause): (usize, &Clause<'_>)| {
        let candidate = move |way| Candidate { literal, way, missing: 0 };
        clause.ways(vars, sources).into_iter().map(candidate).collect::<Vec<_>>()
    };
    clauses.iter().enumerate().flat_map(ways).collect()
}
