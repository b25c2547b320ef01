//! Chooses a derivation for a fact and for everything below it, so that the proof is as low as can be.

use std::collections::HashMap;

use hence_core::fault::OrBroken;
use hence_lang::ir::RuleId;

use super::derive::{Derivation, Derivations, Extra, Search};
use super::store::FactRef;

/// After so many derivations have been looked at for one question, the first one of each further fact is taken.
const ENOUGH: usize = 50_000;

/// What was chosen for a fact: nothing for one that was asserted or stated, or whose height alone mattered.
pub(super) struct Chosen {
    pub(super) height: usize,
    pub(super) derivation: Option<Derivation>,
}

/// The choices for a fact and all facts below it.
pub(super) struct Solution {
    pub(super) chosen: HashMap<FactRef, Chosen, ahash::RandomState>,
    /// Whether the search went to its end.
    pub(super) least: bool,
    /// Facts that no derivation was found of, though rules have to derive them.
    pub(super) unfounded: Vec<FactRef>,
}

/// One fact at work.
struct FactSearch<'c, 'a> {
    fact: FactRef,
    /// No proof of the fact is lower than this.
    bound: usize,
    /// How many levels a step of the fact is.
    levels: usize,
    left: Derivations<'c, 'a>,
    best: Option<(usize, Derivation)>,
    /// The derivation at hand, the facts that it needs, and how many of them have been seen to.
    trying: Option<(Derivation, Vec<FactRef>, usize)>,
}

/// Finds proofs of `fact` of least height: among the derivations of each fact from facts of lower strata and of
/// earlier rounds, the one whose highest premise is lowest; of equals the one of the first rule, then the first by
/// the values of its facts.
///
/// Premises have a lower stratum or a lower rank, so no fact is searched for inside its own search.
pub(super) fn solve(search: Search<'_, '_>, fact: FactRef) -> Solution {
    Solver::new(search, false).solve(fact)
}

/// The same where only the derivation of `fact` itself is wanted: premises whose height is known aren't looked into.
pub(super) fn solve_root(search: Search<'_, '_>, fact: FactRef) -> Solution {
    Solver::new(search, true).solve(fact)
}

struct Solver<'c, 'a> {
    search: Search<'c, 'a>,
    /// Whether known heights are enough.
    heights_do: bool,
    chosen: HashMap<FactRef, Chosen, ahash::RandomState>,
    seen: usize,
    frames: Vec<FactSearch<'c, 'a>>,
    least: bool,
    unfounded: Vec<FactRef>,
}

enum Next {
    Again,
    Below(FactRef),
    Done,
}

impl<'c, 'a> Solver<'c, 'a> {
    fn new(search: Search<'c, 'a>, heights_do: bool) -> Self {
        let chosen = HashMap::with_hasher(ahash::RandomState::with_seeds(9, 10, 11, 12));
        Self { search, heights_do, chosen, seen: 0, frames: Vec::new(), least: true, unfounded: Vec::new() }
    }

    fn solve(mut self, fact: FactRef) -> Solution {
        self.open(fact);
        while let Some(mut frame) = self.frames.pop().filter(|_| self.search.context.interrupt.step()) {
            match self.step(&mut frame) {
                Next::Again => self.frames.push(frame),
                Next::Below(premise) => {
                    self.frames.push(frame);
                    self.visit(premise);
                }
                Next::Done => self.close(frame),
            }
        }
        Solution { chosen: self.chosen, least: self.least, unfounded: self.unfounded }
    }

    /// A fact that a derivation needs.
    fn visit(&mut self, fact: FactRef) {
        match self.search.heights.known(self.search.context, fact).filter(|_| self.heights_do) {
            Some(height) => {
                self.chosen.insert(fact, Chosen { height, derivation: None });
            }
            None => self.open(fact),
        }
    }

    fn open(&mut self, fact: FactRef) {
        let rank = self.search.context.store.rank(fact);
        if rank == 0 {
            self.chosen.insert(fact, Chosen { height: 0, derivation: None });
            return;
        }
        let bound = self.search.heights.of_fact(self.search.context, fact);
        let left = Derivations::new(self.search, fact, Some(rank));
        let levels = self.search.heights.levels(fact.relation);
        self.frames.push(FactSearch { fact, bound, levels, left, best: None, trying: None });
    }

    fn step(&mut self, frame: &mut FactSearch<'c, 'a>) -> Next {
        match frame.trying.take() {
            Some((derivation, facts, at)) => self.settle(frame, derivation, facts, at),
            None => self.try_next(frame),
        }
    }

    /// Goes on with the facts that a derivation needs; takes it when all of them have a proof.
    fn settle(
        &mut self,
        frame: &mut FactSearch<'c, 'a>,
        derivation: Derivation,
        facts: Vec<FactRef>,
        mut at: usize,
    ) -> Next {
        while let Some(fact) = facts.get(at) {
            match self.chosen.get(fact) {
                Some(known)
                    if frame.beats(self.above(frame, &derivation, *fact, known.height), derivation.rule) =>
                {
                    at += 1;
                }
                Some(_) => return Next::Again,
                None => {
                    let fact = *fact;
                    frame.trying = Some((derivation, facts, at));
                    return Next::Below(fact);
                }
            }
        }
        let height = |fact: &FactRef| {
            let known = self.chosen.get(fact).or_broken("a derivation settles once its facts are");
            self.above(frame, &derivation, *fact, known.height)
        };
        let height = facts.iter().map(height).max().unwrap_or(frame.levels);
        frame.best = Some((height, derivation));
        Next::Again
    }

    /// The height of a derivation that has a premise of a height. What is made for an aggregate rests only on what the
    /// aggregate shows.
    fn above(
        &self,
        frame: &FactSearch<'_, '_>,
        derivation: &Derivation,
        premise: FactRef,
        height: usize,
    ) -> usize {
        let is_shown = frame.levels == 1
            || (matches!(derivation.extra, Extra::Group(_))
                && self.search.heights.levels(premise.relation) == 1);
        if is_shown { height.saturating_add(frame.levels) } else { frame.levels }
    }

    fn try_next(&mut self, frame: &mut FactSearch<'c, 'a>) -> Next {
        let lowest = frame.best.as_ref().map(|(height, derivation)| (*height, derivation.rule));
        if self.seen >= ENOUGH && lowest.is_some() {
            self.least &= lowest.is_some_and(|(height, _)| height <= frame.bound);
            return Next::Done;
        }
        // A later derivation of the same rule and height comes after the one at hand, so it must be lower.
        let bound = frame.bound;
        let worth = |height: usize, rule: RuleId| match lowest {
            None => true,
            Some((best, chosen)) => {
                let least = height.max(bound);
                least < best || (least == best && rule < chosen)
            }
        };
        let Some(derivation) = frame.left.next(worth) else { return Next::Done };
        self.seen += 1;
        let facts = derivation.facts(&self.search.context.program[derivation.rule]);
        let context = self.search.context;
        let least = |fact: &FactRef| {
            let height = self.search.heights.of_fact(context, *fact);
            self.above(frame, &derivation, *fact, height)
        };
        let least = facts.iter().map(least).max().unwrap_or(frame.levels);
        if frame.beats(least, derivation.rule) {
            frame.trying = Some((derivation, facts, 0));
        }
        Next::Again
    }

    fn close(&mut self, frame: FactSearch<'c, 'a>) {
        let (height, derivation) = match frame.best {
            Some((height, derivation)) => (height, Some(derivation)),
            None => {
                self.unfounded.push(frame.fact);
                (0, None)
            }
        };
        self.chosen.insert(frame.fact, Chosen { height, derivation });
    }
}

impl FactSearch<'_, '_> {
    /// Whether a derivation of this height by this rule is better than the best so far.
    fn beats(&self, height: usize, rule: RuleId) -> bool {
        match &self.best {
            None => true,
            Some((best, chosen)) => height < *best || (height == *best && rule < chosen.rule),
        }
    }
}
