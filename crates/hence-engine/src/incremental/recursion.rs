//! Bringing a stratum up to date whose relations depend on themselves.
//!
//! The rank of a fact is 0 where it is given, else 1 more than the largest rank among the facts of the stratum that a
//! derivation uses, the least over all derivations. Ranks are kept as shortest distances are in a graph that changes
//! (Ramalingam and Reps, "An incremental algorithm for a generalization of the shortest-path problem", 1996): facts
//! that may have lost their rank are looked at in the order of their ranks, and those that have no other derivation of
//! that rank lose it, and what they derive is overdeleted in turn; then facts get the least rank there is, the least first. A
//! fact that is left without one goes.
//!
//! Where that takes long the stratum is derived from scratch: by the batch engine where it is large, else all ranks are
//! forgotten and the second half is run.

use super::mode::Mode;
use crate::exec::delta::{ChangeContext, DerivationSink, Halt};
use crate::incremental::queue::{FactSlot, RankQueue};
use crate::incremental::work::{DeltaSource, SignedSink};
use crate::incremental::{Incremental, Reader};
use crate::storage::packed::NONE;
use crate::storage::versioned::{OLD, OVERDELETED};
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{RuleId, StratumId};

/// What it takes to bring one fact up to date, in steps, beside those that it makes.
const HANDLING: u64 = 4;

/// An attempt ends after so many hundredths of the steps that a derivation from scratch took, and some to begin with.
const ATTEMPT: u64 = 20;
const LEAST_STEPS: u64 = 512;

/// Facts whose derivations went.
struct Overdelete<'a> {
    relation: RelationId,
    queue: &'a mut RankQueue,
}

/// Facts that have a derivation.
struct Propose<'a> {
    relation: RelationId,
    queue: &'a mut RankQueue,
}

/// The best derivation of one fact.
struct Best<'a> {
    fact: &'a [Word],
    /// The least rank found.
    rank: u32,
    /// With one as small as this there is no need to go on.
    enough: u32,
}

impl DerivationSink for Overdelete<'_> {
    fn take(&mut self, row: &[Word], rank: u32, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let table = context.store.relation_mut(self.relation);
        if let Some(slot) = table.find(row)
            && table.rank(slot) == rank.saturating_add(1)
            && !table.is(slot, OVERDELETED)
        {
            table.set(slot, OVERDELETED);
            table.touch(slot);
            self.queue.push(rank + 1, (self.relation, slot));
        }
        Ok(true)
    }
}

impl DerivationSink for Propose<'_> {
    fn take(&mut self, row: &[Word], rank: u32, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let (slot, new) = context.store.hold(self.relation, row)?;
        if new {
            context.budget.spend(1)?;
        }
        propose(self.queue, context, (self.relation, slot), rank.saturating_add(1));
        Ok(true)
    }
}

impl DerivationSink for Best<'_> {
    fn take(&mut self, row: &[Word], rank: u32, _: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        if row == self.fact {
            self.rank = self.rank.min(rank.saturating_add(1));
        }
        Ok(self.rank > self.enough)
    }
}

impl SignedSink for Overdelete<'_> {
    fn begin(&mut self, came: bool) -> bool {
        !came
    }
}

impl SignedSink for Propose<'_> {
    fn begin(&mut self, came: bool) -> bool {
        came
    }
}

/// Lets a fact wait for a rank that is better than what it has.
fn propose(queue: &mut RankQueue, context: &mut ChangeContext<'_>, (relation, slot): FactSlot, rank: u32) {
    let table = context.store.relation_mut(relation);
    if rank < table.best(slot) {
        table.propose(slot, rank);
        table.touch(slot);
        queue.push(rank, (relation, slot));
    }
}

impl Incremental {
    /// Brings the ranks of a stratum up to date once what its rules over lower strata derive is counted.
    pub(crate) fn rerank(&mut self, stratum: StratumId, queue: &[Reader]) -> Result<(), Halt> {
        let (steps, facts) = self.strata[stratum].full;
        let grown = (self.facts_of(stratum) as u64 + 1) / (facts as u64 + 1);
        let share = steps.saturating_mul(grown.max(1)) / 100 * ATTEMPT;
        self.work.machine.fuel = self.work.machine.steps.saturating_add(share + LEAST_STEPS);
        let own = queue.iter().filter(|reader| self.rules[reader.rule].is_own);
        let own: Vec<Reader> = own.copied().collect();
        let attempt = self.attempt(stratum, &own);
        self.work.machine.fuel = u64::MAX;
        match attempt {
            Err(Halt::Fuel) => self.recompute(stratum),
            other => other,
        }
    }

    /// How many facts a stratum has.
    pub(crate) fn facts_of(&self, stratum: StratumId) -> usize {
        let relations = &self.strata[stratum].relations;
        relations.iter().map(|relation| self.work.store.relation(*relation).holding()).sum()
    }

    /// Derives the facts of a stratum from scratch, with their ranks.
    pub(crate) fn recompute(&mut self, stratum: StratumId) -> Result<(), Halt> {
        // Not every undefined operation is found.
        let rules = self.strata[stratum].rules.iter().copied();
        self.unclear.extend(rules.filter(|rule| self.rules[*rule].may_fail()));
        let steps = match self.is_for_batch(stratum) {
            true => self.recompute_in_batch(stratum)?,
            false => self.recompute_by_rank(stratum)?,
        };
        let facts = self.strata[stratum].relations.iter();
        let facts = facts.map(|relation| self.work.store.relation(*relation).len()).sum();
        self.strata[stratum].full = (steps, facts);
        Ok(())
    }

    /// The same fact by fact, the least rank first; what it took, in steps.
    fn recompute_by_rank(&mut self, stratum: StratumId) -> Result<u64, Halt> {
        let before = self.work.machine.steps;
        let mut queue = RankQueue::default();
        for at in 0..self.strata[stratum].relations.len() {
            let relation = self.strata[stratum].relations[at];
            for slot in 0..self.work.store.relation(relation).slots() {
                let table = self.work.store.relation_mut(relation);
                table.settle_rank(slot, NONE);
                if table.is(slot, OLD) {
                    table.touch(slot);
                }
                let base = table.base(slot);
                propose(&mut queue, &mut self.work.context(), (relation, slot), base);
            }
        }
        self.settle_ranks(&mut queue)?;
        Ok(self.work.machine.steps - before)
    }

    fn attempt(&mut self, stratum: StratumId, queue: &[Reader]) -> Result<(), Halt> {
        let (mut overdeleted, mut waiting) = (RankQueue::default(), RankQueue::default());
        let begun = self.overdelete(stratum, queue, &mut overdeleted);
        self.show_now();
        begun?;
        let lost = self.delete_unsupported(&mut overdeleted)?;
        for fact in lost {
            self.rederive(fact, &mut waiting)?;
        }
        for at in 0..self.strata[stratum].relations.len() {
            let relation = self.strata[stratum].relations[at];
            for place in 0.. {
                let table = self.work.store.relation(relation);
                let Some(slot) = table.touched(place) else { break };
                let base = table.base(slot);
                propose(&mut waiting, &mut self.work.context(), (relation, slot), base);
            }
        }
        self.propose_by_clock(stratum, &mut waiting)?;
        for reader in queue {
            let origin = self.origin(*reader);
            let mode = Mode::With(reader.literal);
            self.make(reader.rule, mode);
            let state = &mut self.rules[reader.rule];
            let mut sink = Propose { relation: state.head, queue: &mut waiting };
            let (plan, _) = state.made(mode);
            let result = self.work.run_changes(plan, origin, &mut sink);
            self.note_failure(reader.rule);
            result?;
        }
        self.settle_ranks(&mut waiting)
    }

    /// The facts that lost a derivation, or what they had by themselves.
    fn overdelete(
        &mut self,
        stratum: StratumId,
        queue: &[Reader],
        overdeleted: &mut RankQueue,
    ) -> Result<(), Halt> {
        self.show_before();
        self.overdelete_by_clock(stratum, overdeleted)?;
        for reader in queue {
            let origin = self.origin(*reader);
            let mode = Mode::Without(reader.literal);
            self.make(reader.rule, mode);
            let state = &mut self.rules[reader.rule];
            let mut sink = Overdelete { relation: state.head, queue: overdeleted };
            let (plan, _) = state.made(mode);
            let result = self.work.run_changes(plan, origin, &mut sink);
            self.note_failure(reader.rule);
            result?;
        }
        for at in 0..self.strata[stratum].relations.len() {
            let relation = self.strata[stratum].relations[at];
            let table = self.work.store.relation_mut(relation);
            for place in 0.. {
                let Some(slot) = table.touched(place) else { break };
                let rank = table.rank(slot);
                if rank <= 1 && table.base(slot) > rank && !table.is(slot, OVERDELETED) {
                    table.set(slot, OVERDELETED);
                    overdeleted.push(rank, (relation, slot));
                }
            }
        }
        Ok(())
    }

    /// The facts that lost a derivation by the clock.
    fn overdelete_by_clock(&mut self, stratum: StratumId, queue: &mut RankQueue) -> Result<(), Halt> {
        for (rule, place, flips) in self.own_flips(stratum) {
            let mode = Mode::Clock(place);
            self.make(rule, mode);
            let state = &mut self.rules[rule];
            let mut sink = Overdelete { relation: state.head, queue };
            let (plan, _) = state.made(mode);
            let result = flips.iter().try_for_each(|values| self.work.run_with(plan, values, &mut sink));
            self.note_failure(rule);
            result?;
        }
        Ok(())
    }

    /// The facts that have one more derivation by the clock.
    fn propose_by_clock(&mut self, stratum: StratumId, queue: &mut RankQueue) -> Result<(), Halt> {
        for (rule, place, flips) in self.own_flips(stratum) {
            let mode = Mode::ClockWith(place);
            self.make(rule, mode);
            let state = &mut self.rules[rule];
            let mut sink = Propose { relation: state.head, queue };
            let (plan, _) = state.made(mode);
            let result = flips.iter().try_for_each(|values| self.work.run_with(plan, values, &mut sink));
            self.note_failure(rule);
            result?;
        }
        Ok(())
    }

    /// Takes their ranks from the overdeleted facts that have no other derivation of that rank.
    fn delete_unsupported(&mut self, overdeleted: &mut RankQueue) -> Result<Vec<FactSlot>, Halt> {
        let mut lost = Vec::new();
        while let Some((rank, fact)) = overdeleted.pop() {
            self.work.machine.steps += HANDLING;
            if self.best(fact, rank)? <= rank {
                continue;
            }
            for at in 0..self.own_readers[fact.0].len() {
                let reader = self.own_readers[fact.0][at];
                let mode = Mode::With(reader.literal);
                self.make(reader.rule, mode);
                let state = &mut self.rules[reader.rule];
                let mut sink = Overdelete { relation: state.head, queue: overdeleted };
                let (plan, _) = state.made(mode);
                let result = self.work.run_from(plan, fact, rank, &mut sink);
                self.note_failure(reader.rule);
                result?;
            }
            self.work.store.relation_mut(fact.0).settle_rank(fact.1, NONE);
            lost.push(fact);
        }
        Ok(lost)
    }

    fn rederive(&mut self, fact: FactSlot, waiting: &mut RankQueue) -> Result<(), Halt> {
        let rank = self.best(fact, 0)?;
        propose(waiting, &mut self.work.context(), fact, rank);
        Ok(())
    }

    /// The least rank that the settled ranks give a fact, or any that is no more than `enough`.
    fn best(&mut self, fact: FactSlot, enough: u32) -> Result<u32, Halt> {
        let mut rank = self.work.store.relation(fact.0).base(fact.1);
        let row = self.work.store.relation(fact.0).row(fact.1).own();
        let stratum = self.homes[fact.0].or_broken("a stratum derives what has a rank");
        for at in 0..self.strata[stratum].rules.len() {
            let rule = self.strata[stratum].rules[at];
            let state = &self.rules[rule];
            if rank <= enough || !state.is_own || state.head != fact.0 {
                continue;
            }
            self.make(rule, Mode::Head);
            let mut sink = Best { fact: &row, rank, enough };
            let (plan, _) = self.rules[rule].made(Mode::Head);
            let result = self.work.run_with(plan, &row, &mut sink);
            rank = sink.rank;
            self.note_failure(rule);
            result?;
        }
        Ok(rank)
    }

    /// Settles the ranks of what waits, the least first, and of what follows from it.
    fn settle_ranks(&mut self, waiting: &mut RankQueue) -> Result<(), Halt> {
        while let Some((rank, fact)) = waiting.pop() {
            let table = self.work.store.relation_mut(fact.0);
            if table.best(fact.1) != rank || table.rank(fact.1) == rank {
                continue;
            }
            table.settle_rank(fact.1, rank);
            self.work.machine.steps += HANDLING;
            if rank > 0 {
                self.work.budget.round(u64::from(rank) + 1)?;
            }
            for at in 0..self.own_readers[fact.0].len() {
                let reader = self.own_readers[fact.0][at];
                let mode = Mode::With(reader.literal);
                self.make(reader.rule, mode);
                let state = &mut self.rules[reader.rule];
                let mut sink = Propose { relation: state.head, queue: waiting };
                let (plan, _) = state.made(mode);
                let result = self.work.run_from(plan, fact, rank, &mut sink);
                self.note_failure(reader.rule);
                result?;
            }
        }
        Ok(())
    }

    pub(crate) fn origin(&mut self, reader: Reader) -> DeltaSource {
        let rule = &self.program[reader.rule];
        self.rules[reader.rule].origin(rule, reader.literal, &mut self.work.store)
    }

    /// Makes a plan where it is due.
    pub(crate) fn make(&mut self, rule: RuleId, mode: Mode) {
        self.at_work = rule;
        let (store, params) = self.work.planning();
        self.rules[rule].plan(&self.program[rule], mode, store, params);
    }
}
