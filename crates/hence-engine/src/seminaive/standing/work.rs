//! What a standing evaluation works with: the facts, the machine and the limits of the change at hand.

use crate::Limits;
use crate::budget::Budget;
use crate::seminaive::known::IndexId;
use hence_core::schema::RelationId;
use hence_core::value::Word;

use super::machine::{Halt, Machine, Sink, Site};
use super::plan::Plan;
use super::queue::Fact;
use super::store::{NEW, Store};

/// Where the rows come from that plans begin with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The relation.
    pub(super) relation: RelationId,
    /// The index of which keys that came or went count; none where each fact counts.
    pub(super) keys: Option<IndexId>,
    /// Whether what comes adds matches: the literal isn't negated.
    pub(super) positive: bool,
}

/// The facts and what is needed to derive more.
pub(super) struct Work {
    /// The facts.
    pub(super) store: Store,
    /// What is spent of the limits.
    pub(super) budget: Budget,
    /// The machine.
    pub(super) machine: Machine,
    /// The number of the change.
    pub(super) epoch: u64,
    params: Vec<Word>,
    row: Vec<Word>,
}

/// A sink for matches that came and matches that went.
pub(super) trait Signed: Sink {
    /// Says which of both the next ones are; whether they are wanted.
    fn begin(&mut self, came: bool) -> bool;
}

impl Work {
    /// Nothing done yet.
    pub(super) fn new(store: Store, limits: &Limits, params: Vec<Word>) -> Self {
        let budget = Budget::new(limits);
        Self { store, budget, machine: Machine::new(), epoch: 0, params, row: Vec::new() }
    }

    /// Opens a change.
    pub(super) fn begin(&mut self, limits: &Limits) {
        self.budget = Budget::new(limits);
        self.epoch += 1;
    }

    /// The facts, to be changed, and the values of the parameters.
    pub(super) fn planning(&mut self) -> (&mut Store, &[Word]) {
        (&mut self.store, &self.params)
    }

    /// What a sink works with.
    pub(super) fn site(&mut self) -> Site<'_> {
        Site { store: &mut self.store, budget: &mut self.budget, params: &self.params }
    }

    /// Runs a plan that begins with nothing.
    pub(super) fn run<S: Sink>(&mut self, plan: &Plan, sink: &mut S) -> Result<(), Halt> {
        self.run_with(plan, &[], sink)
    }

    /// Runs a plan that begins with a row.
    pub(super) fn run_with<S: Sink>(&mut self, plan: &Plan, row: &[Word], sink: &mut S) -> Result<(), Halt> {
        let mut site = Site { store: &mut self.store, budget: &mut self.budget, params: &self.params };
        self.machine.run(plan, row, 0, &mut site, sink)
    }

    /// Runs a plan that begins with a fact, of the rule's own stratum if it has a rank.
    pub(super) fn run_from<S: Sink>(
        &mut self,
        plan: &Plan,
        (relation, slot): Fact,
        rank: u32,
        sink: &mut S,
    ) -> Result<(), Halt> {
        self.row.clear();
        self.row.extend_from_slice(self.store.table(relation).row(slot));
        let mut site = Site { store: &mut self.store, budget: &mut self.budget, params: &self.params };
        self.machine.run(plan, &self.row, rank, &mut site, sink)
    }

    /// Runs a plan for each row that came or went.
    pub(super) fn run_changes<S: Signed>(
        &mut self,
        plan: &Plan,
        origin: Origin,
        sink: &mut S,
    ) -> Result<(), Halt> {
        if let Some(index) = origin.keys {
            self.store.table_mut(origin.relation).find_changed(index, self.epoch);
        }
        for at in 0.. {
            let table = self.store.table(origin.relation);
            let change = match origin.keys {
                Some(index) => table.index(index).changed(at),
                None => table.changes().get(at).map(|slot| (*slot, table.is(*slot, NEW))),
            };
            let Some((slot, came)) = change else { break };
            if sink.begin(came == origin.positive) {
                self.run_from(plan, (origin.relation, slot), 0, sink)?;
            }
        }
        Ok(())
    }
}
