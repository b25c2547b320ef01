//! Which `=` and `in` bind a variable: the least fixpoint, the same in any order of the literals.

use std::collections::HashMap;

use crate::builtins::expr::VarId;
use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::span::Sources;
use hence_syntax::tree::{BinaryOp, Expr, ExprKind};

use super::draft::Clause;
use super::uses::{Vars, for_each_use, size};

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

/// A way to bind a variable.
struct Candidate {
    literal: usize,
    /// Whether the variable is the left side of an `=`.
    left: bool,
    var: VarId,
    reads: Vec<VarId>,
    /// How many of `reads` are not bound yet.
    missing: usize,
    /// Of several ways to bind one variable the one with the smallest weight is taken, its text as it is printed: the
    /// choice must depend neither on the order of the literals nor on their layout and parentheses.
    weight: (usize, String),
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
    let mut bound = by_atoms(clauses, vars);
    given.into_iter().for_each(|var| {
        bound.add(var);
    });
    let mut candidates = candidates(clauses, vars, sources);
    let mut waiting = waiting(&mut candidates, &bound);
    let mut chosen: HashMap<usize, bool> = HashMap::new();
    let mut ready: Vec<usize> = (0..candidates.len()).collect();
    ready.retain(|at| candidate(&candidates, *at).missing == 0);
    while !ready.is_empty() {
        ready.sort_by_key(|at| {
            let Candidate { var, weight, .. } = candidate(&candidates, *at);
            (*var, weight.clone())
        });
        let mut fresh = Vec::new();
        for at in std::mem::take(&mut ready) {
            let Candidate { literal, left, var, .. } = *candidate(&candidates, at);
            if bound.add(var) {
                chosen.insert(literal, left);
                bound.order.push(literal);
                fresh.push(var);
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
    mark(clauses, vars, &chosen);
    bound
}

fn candidate(candidates: &[Candidate], at: usize) -> &Candidate {
    candidates.get(at).or_broken(CANDIDATES)
}

/// Which candidates wait for each variable that is not bound yet.
fn waiting(candidates: &mut [Candidate], bound: &Bound) -> HashMap<VarId, Vec<usize>> {
    let mut waiting: HashMap<VarId, Vec<usize>> = HashMap::new();
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.reads.retain(|var| !bound.has(*var));
        candidate.missing = candidate.reads.len();
        candidate.reads.iter().for_each(|var| waiting.entry(*var).or_default().push(at));
    }
    waiting
}

/// The variables that positive atoms bind.
fn by_atoms(clauses: &[Clause<'_>], vars: &Vars) -> Bound {
    let mut bound = Bound { vars: IndexVec::filled(false, vars.len()), order: Vec::new() };
    for clause in clauses {
        match clause {
            Clause::Atom { negated: false, args, .. } => {
                for arg in args.iter().flatten() {
                    if let Some(var) = lone(arg, vars) {
                        bound.add(var);
                    }
                }
            }
            Clause::Broken { vars } => vars.iter().for_each(|var| {
                bound.add(*var);
            }),
            _ => {}
        }
    }
    bound
}

/// The variable that an expression consists of.
pub(super) fn lone(expr: &Expr, vars: &Vars) -> Option<VarId> {
    match expr.kind {
        ExprKind::Variable(name) => vars.get(name),
        _ => None,
    }
}

fn candidates(clauses: &[Clause<'_>], vars: &Vars, sources: &Sources) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (literal, clause) in clauses.iter().enumerate() {
        match clause {
            // An empty list has no type to give to a variable.
            Clause::Each { right, .. } if is_empty_list(right) => {}
            Clause::Each { var, right, args, .. } => {
                let mut reads: Vec<_> = args.iter().flat_map(|arg| reads(arg, vars, sources)).collect();
                reads.sort_unstable();
                reads.dedup();
                let size = 1 + args.iter().map(size).sum::<usize>();
                let weight = (size, hence_syntax::expr_text(right));
                candidates.push(Candidate { literal, left: true, var: *var, reads, missing: 0, weight });
            }
            Clause::Aggregate(inner) => {
                if let Some(var) = lone(&inner.of.target, vars) {
                    let mut reads: Vec<_> = inner.shared.iter().map(|(rule, ..)| *rule).collect();
                    reads.sort_unstable();
                    let weight = (usize::MAX, hence_syntax::aggregate_text(inner.of));
                    candidates.push(Candidate { literal, left: true, var, reads, missing: 0, weight });
                }
            }
            Clause::Condition { expr, .. } => {
                let ExprKind::Binary(BinaryOp::Equal, left, right) = &expr.kind else { continue };
                for (target, source, left) in [(left, right, true), (right, left, false)] {
                    if let Some(var) = lone(target, vars) {
                        let weight = (size(source), hence_syntax::expr_text(source));
                        let reads = reads(source, vars, sources);
                        candidates.push(Candidate { literal, left, var, reads, missing: 0, weight });
                    }
                }
            }
            _ => {}
        }
    }
    candidates
}

/// Whether this is `[]`.
pub(super) fn is_empty_list(right: &Expr) -> bool {
    matches!(&right.kind, ExprKind::List(elements) if elements.is_empty())
}

/// The variables that `expr` reads, each once.
fn reads(expr: &Expr, vars: &Vars, sources: &Sources) -> Vec<VarId> {
    let mut reads = Vec::new();
    for_each_use(expr, sources, &mut |name, _| reads.extend(vars.get(name)));
    reads.sort_unstable();
    reads.dedup();
    reads
}

/// Turns the chosen `=` into binds; an `in` that was not chosen tests.
fn mark(clauses: &mut [Clause<'_>], vars: &Vars, chosen: &HashMap<usize, bool>) {
    for (at, clause) in clauses.iter_mut().enumerate() {
        match (&mut *clause, chosen.get(&at)) {
            (Clause::Each { bound, .. }, None) => *bound = true,
            (Clause::Aggregate(inner), Some(_)) => inner.binds = lone(&inner.of.target, vars),
            (Clause::Condition { expr, span }, Some(left)) => {
                if let ExprKind::Binary(_, a, b) = &expr.kind {
                    let (target, source) = if *left { (a, b) } else { (b, a) };
                    if let Some(var) = lone(target, vars) {
                        let (expr, span) = (source.as_ref().clone(), *span);
                        *clause = Clause::Bind { var, expr, span };
                    }
                }
            }
            _ => {}
        }
    }
}
