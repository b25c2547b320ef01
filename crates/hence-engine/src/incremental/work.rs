//! What incremental maintenance works with: the facts, the machine and the limits of the change at hand.

use crate::exec::delta::{ChangeContext, DeltaMachine, DerivationSink, Halt};
use crate::incremental::queue::FactSlot;
use crate::limits::{Budget, Limits};
use crate::plan::steps::Plan;
use crate::storage::index::IndexId;
use crate::storage::versioned::{NEW, VersionedRelations};
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::ParamId;

/// Where the rows come from that plans begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeltaSource {
    /// The relation.
    pub(crate) relation: RelationId,
    /// The index of which keys that came or went count; none where each fact counts.
    pub(crate) keys: Option<IndexId>,
    /// Whether what comes adds matches: the literal isn't negated.
    pub(crate) positive: bool,
}

/// The facts and what is needed to derive more.
pub(crate) struct Work {
    /// The facts.
    pub(crate) store: VersionedRelations,
    /// What is spent of the limits.
    pub(crate) budget: Budget,
    /// The machine.
    pub(crate) machine: DeltaMachine,
    /// The number of the change.
    pub(crate) epoch: u64,
    params: Vec<Word>,
    row: Vec<Word>,
}

/// A sink for matches that came and matches that went.
pub(crate) trait SignedSink: DerivationSink {
    /// Says which of both the next ones are; whether they are wanted.
    fn begin(&mut self, came: bool) -> bool;
}

impl Work {
    /// Nothing done yet.
    pub(crate) fn new(store: VersionedRelations, limits: &Limits, params: Vec<Word>) -> Self {
        let budget = Budget::new(limits);
        Self { store, budget, machine: DeltaMachine::new(), epoch: 0, params, row: Vec::new() }
    }

    /// Opens a change.
    pub(crate) fn begin(&mut self, limits: &Limits) {
        self.budget = Budget::new(limits);
        self.epoch += 1;
    }

    /// The facts, to be changed, and the values of the parameters.
    pub(crate) fn planning(&mut self) -> (&mut VersionedRelations, &[Word]) {
        (&mut self.store, &self.params)
    }

    /// The values of the parameters.
    pub(crate) fn params(&self) -> &[Word] {
        &self.params
    }

    /// Gives a parameter another value.
    pub(crate) fn set_param(&mut self, param: ParamId, word: Word) {
        *self.params.get_mut(param.at()).or_broken(ParamId::INVARIANT) = word;
    }

    /// What a sink works with.
    pub(crate) fn context(&mut self) -> ChangeContext<'_> {
        ChangeContext { store: &mut self.store, budget: &mut self.budget, params: &self.params }
    }

    /// Runs a plan that begins with nothing.
    pub(crate) fn run<S: DerivationSink>(&mut self, plan: &Plan, sink: &mut S) -> Result<(), Halt> {
        self.run_with(plan, &[], sink)
    }

    /// Runs a plan that begins with a row.
    pub(crate) fn run_with<S: DerivationSink>(
        &mut self,
        plan: &Plan,
        row: &[Word],
        sink: &mut S,
    ) -> Result<(), Halt> {
        let mut context =
            ChangeContext { store: &mut self.store, budget: &mut self.budget, params: &self.params };
        self.machine.run(plan, row, 0, &mut context, sink)
    }

    /// Runs a plan that begins with a fact, of the rule's own stratum if it has a rank.
    pub(crate) fn run_from<S: DerivationSink>(
        &mut self,
        plan: &Plan,
        (relation, slot): FactSlot,
        rank: u32,
        sink: &mut S,
    ) -> Result<(), Halt> {
        self.row.clear();
        self.row.extend(self.store.relation(relation).row(slot).words());
        let mut context =
            ChangeContext { store: &mut self.store, budget: &mut self.budget, params: &self.params };
        self.machine.run(plan, &self.row, rank, &mut context, sink)
    }

    /// Runs a plan for each row that came or went.
    pub(crate) fn run_changes<S: SignedSink>(
        &mut self,
        plan: &Plan,
        origin: DeltaSource,
        sink: &mut S,
    ) -> Result<(), Halt> {
        if let Some(index) = origin.keys {
            self.store.relation_mut(origin.relation).find_changed(index, self.epoch);
        }
        for at in 0.. {
            let table = self.store.relation(origin.relation);
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
