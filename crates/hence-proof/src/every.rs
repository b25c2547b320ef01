//! Every proof of a fact, one after the other: a choice of derivation for each fact needed, tried in turn.

use std::collections::{HashMap, HashSet};

use super::build::Builder;
use super::derive::{Derivation, Derivations, Search};
use super::proof::Proof;
use super::store::FactRef;

type Map<T> = HashMap<FactRef, T, ahash::RandomState>;

/// The proofs of one fact, lazily; there are no more once a bound is reached, which [`Finder::checked`](super::Finder)
/// tells.
///
/// The facts that a proof needs are listed in the order in which they turn up; the choices made for them form a
/// stack. The next proof comes from changing the last choice that can be changed.
pub struct Every<'c, 'a> {
    search: Search<'c, 'a>,
    builder: Builder<'c, 'a>,
    /// Facts that need a choice, in the order in which they turned up.
    needed: Vec<FactRef>,
    /// The same as a set.
    known: HashSet<FactRef, ahash::RandomState>,
    /// The choices for the first of them.
    choices: Vec<Branch<'c, 'a>>,
    chosen: Map<Option<Derivation>>,
    started: bool,
}

/// The choice made for one fact, and those left.
struct Branch<'c, 'a> {
    /// Whether the fact holds without a derivation, which is tried first.
    plain: bool,
    left: Derivations<'c, 'a>,
    /// How many facts were needed before this choice was made.
    before: usize,
}

impl<'c, 'a> Every<'c, 'a> {
    pub(super) fn new(search: Search<'c, 'a>, builder: Builder<'c, 'a>, root: Option<FactRef>) -> Self {
        let needed: Vec<_> = root.into_iter().collect();
        let known = needed.iter().copied().collect();
        let (choices, chosen) = (Vec::new(), HashMap::default());
        Self { search, builder, needed, known, choices, chosen, started: false }
    }

    /// Makes choices until none is missing; false when everything has been tried.
    fn complete(&mut self) -> bool {
        while self.search.context.interrupt.step() {
            match self.needed.get(self.choices.len()).copied() {
                None => return true,
                Some(fact) => self.open(fact),
            }
            while !self.change() {
                if self.choices.is_empty() {
                    return false;
                }
            }
        }
        false
    }

    fn open(&mut self, fact: FactRef) {
        let plain = self.search.context.store.rank(fact) == 0;
        let left = Derivations::new(self.search, fact, None);
        self.choices.push(Branch { plain, left, before: self.needed.len() });
    }

    /// Makes the next choice for the last fact; takes the fact off the stack when there is none.
    fn change(&mut self) -> bool {
        let at = self.choices.len().saturating_sub(1);
        let (Some(made), Some(fact)) = (self.choices.get_mut(at), self.needed.get(at).copied()) else {
            return false;
        };
        for dropped in self.needed.drain(made.before.min(self.needed.len())..) {
            self.known.remove(&dropped);
        }
        self.chosen.remove(&fact);
        if std::mem::take(&mut made.plain) {
            self.chosen.insert(fact, None);
            return true;
        }
        while let Some(derivation) = made.left.next(|_, _| true) {
            let facts = derivation.facts(&self.search.context.program[derivation.rule]);
            if reaches(&self.search, &self.chosen, &facts, fact) {
                continue;
            }
            self.needed.extend(facts.into_iter().filter(|fact| self.known.insert(*fact)));
            self.chosen.insert(fact, Some(derivation));
            return true;
        }
        self.choices.pop();
        false
    }
}

/// Whether `goal` is among `facts` or below one of them by the choices made so far.
fn reaches(
    search: &Search<'_, '_>,
    chosen: &Map<Option<Derivation>>,
    facts: &[FactRef],
    goal: FactRef,
) -> bool {
    let mut seen = HashSet::new();
    let mut stack = facts.to_vec();
    while let Some(fact) = stack.pop() {
        if fact == goal || !search.context.interrupt.step() {
            return true;
        }
        if !search.context.together(fact.relation, goal.relation) || !seen.insert(fact) {
            continue;
        }
        if let Some(Some(derivation)) = chosen.get(&fact) {
            stack.extend(derivation.facts(&search.context.program[derivation.rule]));
        }
    }
    false
}

impl Iterator for Every<'_, '_> {
    type Item = Proof;

    fn next(&mut self) -> Option<Proof> {
        let more = if self.started { self.retry() } else { !self.needed.is_empty() };
        self.started = true;
        if !more || !self.search.context.interrupt.step() || !self.complete() {
            return None;
        }
        let root = *self.needed.first()?;
        let choice = |fact: FactRef| self.chosen.get(&fact).and_then(Option::as_ref);
        let proof = self.builder.proof(root, &choice, false);
        (!self.search.context.interrupt.ended()).then_some(proof)
    }
}

impl Every<'_, '_> {
    fn retry(&mut self) -> bool {
        while !self.choices.is_empty() && self.search.context.interrupt.step() {
            if self.change() {
                return true;
            }
        }
        false
    }
}
