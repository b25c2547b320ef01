//! What would bind the variables that nothing binds: literals that wait for other variables.

use std::collections::{HashMap, HashSet};

use crate::builtins::expr::VarId;
use hence_core::fault::OrBroken;
use hence_core::span::{Sources, Span};

use super::clause::Clause;
use super::uses::Vars;

/// An invariant of [`Equations::followers`].
const NUMBERS: &str = "the numbers of equations are those that were given out";

/// By each variable that is not bound, the literals that would bind it, with the variables that they read.
pub(super) struct Equations {
    /// The variables that are not bound, in the order of their first use.
    open: Vec<VarId>,
    is_open: HashSet<VarId>,
    with: HashMap<VarId, Vec<(Span, Vec<VarId>)>>,
}

impl Equations {
    pub(super) fn of(clauses: &[Clause<'_>], vars: &Vars, open: impl Iterator<Item = VarId>) -> Self {
        let open: Vec<VarId> = open.collect();
        let mut with: HashMap<VarId, Vec<_>> = HashMap::new();
        for way in clauses.iter().flat_map(|clause| clause.ways(vars, &Sources::default())) {
            with.entry(way.var).or_default().push((way.span, way.reads));
        }
        Self { is_open: open.iter().copied().collect(), open, with }
    }

    /// Those of a variable.
    pub(super) fn with(&self, var: VarId) -> impl Iterator<Item = &(Span, Vec<VarId>)> {
        self.with.get(&var).into_iter().flatten()
    }

    /// The variables that would be bound if all others were that are not.
    pub(super) fn followers(&self) -> HashSet<VarId> {
        let (roots, others): (Vec<VarId>, Vec<VarId>) =
            self.open.iter().partition(|var| self.with(**var).next().is_none());
        let (mut followers, mut ready) = (HashSet::new(), roots);
        // For each equation its variable and how many that it reads are missing; and who waits for each variable.
        let mut missing: Vec<(VarId, usize)> = Vec::new();
        let mut waiting: HashMap<VarId, Vec<usize>> = HashMap::new();
        for var in others {
            for (_, reads) in self.with(var) {
                let reads = reads.iter().filter(|read| self.is_open.contains(read));
                let before = missing.len();
                missing.push((var, reads.map(|read| waiting.entry(*read).or_default().push(before)).count()));
            }
        }
        for (var, _) in missing.iter().filter(|(_, missing)| *missing == 0) {
            ready.extend(followers.insert(*var).then_some(*var));
        }
        while let Some(known) = ready.pop() {
            for at in waiting.remove(&known).unwrap_or_default() {
                let (var, missing) = missing.get_mut(at).or_broken(NUMBERS);
                *missing -= 1;
                ready.extend((*missing == 0 && followers.insert(*var)).then_some(*var));
            }
        }
        followers
    }

    /// Variables of which each has an equation that needs the next one, the last the first, with that equation; those of the
    /// ring that is used first, and none where there is no ring.
    pub(super) fn ring(&self) -> Vec<(VarId, Span)> {
        let needed = |var: VarId| {
            self.with(var).find_map(|(span, reads)| {
                reads.iter().find(|read| self.is_open.contains(read)).map(|read| (*span, *read))
            })
        };
        let next: HashMap<VarId, (Span, VarId)> =
            self.open.iter().filter_map(|var| Some((*var, needed(*var)?))).collect();
        let next = &next;
        let around = |start: VarId| {
            let mut at = Some(start);
            std::iter::from_fn(move || {
                let var = at?;
                let (span, after) = *next.get(&var)?;
                at = (after != start).then_some(after);
                Some((var, span))
            })
        };
        // By each variable the walk that came to it first; one that comes to its own way again has found a ring.
        let mut walks: HashMap<VarId, VarId> = HashMap::new();
        let mut in_ring: HashSet<VarId> = HashSet::new();
        for start in &self.open {
            let mut at = *start;
            while !walks.contains_key(&at)
                && let Some((_, after)) = next.get(&at)
            {
                walks.insert(at, *start);
                at = *after;
            }
            if walks.get(&at) == Some(start) {
                in_ring.extend(around(at).map(|(var, _)| var));
            }
        }
        let first = self.open.iter().find(|var| in_ring.contains(var));
        first.map(|start| around(*start).collect()).unwrap_or_default()
    }
}
