//! Bringing a stratum up to date whose relations don't depend on themselves: derivations are counted.

use super::mode::Mode;
use crate::exec::delta::{ChangeContext, DerivationSink, Halt};
use crate::incremental::clock::Values;
use crate::incremental::rule::Collect;
use crate::incremental::work::{DeltaSource, SignedSink, Work};
use crate::incremental::{Incremental, Reader};
use crate::plan::steps::Plan;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, StratumId};

/// What incremental maintenance keeps of a stratum.
#[derive(Debug, Default)]
pub(crate) struct StratumState {
    /// The relations that it derives.
    pub(crate) relations: Vec<RelationId>,
    /// Their rules.
    pub(crate) rules: Vec<RuleId>,
    /// Whether some rule reads a relation of this very stratum.
    pub(crate) recursive: bool,
    /// Whether it waits to be brought up to date.
    pub(crate) due: bool,
    /// The literals whose relations changed.
    pub(crate) queue: Vec<Reader>,
    /// How many steps the last evaluation from scratch took, and how many facts it gave; none yet where that is 0.
    pub(crate) full: (u64, usize),
}

/// The strata of a program, and which one derives each relation.
pub(crate) fn strata(
    program: &Program,
) -> (IndexVec<StratumId, StratumState>, IndexVec<RelationId, Option<StratumId>>) {
    let mut homes = IndexVec::filled(None, program.relations.len());
    let strata = (0..).map(StratumId).zip(&program.strata).map(|(id, stratum)| {
        stratum.relations.iter().for_each(|relation| homes[*relation] = Some(id));
        StratumState {
            relations: stratum.relations.clone(),
            rules: stratum.rules.clone(),
            recursive: stratum.recursive,
            ..StratumState::default()
        }
    });
    (strata.collect(), homes)
}

/// What a plan is run for.
pub(crate) enum Task {
    /// All matches.
    All,
    /// The matches that came and went with the facts that a literal reads.
    Changes(DeltaSource),
    /// The matches that begin with each of these rows.
    Rows(Vec<Vec<Word>>),
    /// The matches that begin with these values, which came or went by the clock.
    Flips(Vec<Values>, bool),
}

impl Task {
    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Flips(flips, _) if flips.is_empty())
    }

    /// The same for what came, where it was for what went.
    pub(crate) fn turn(&mut self) {
        if let Self::Flips(_, came) = self {
            *came = !*came;
        }
    }

    fn run<S: SignedSink>(&self, work: &mut Work, plan: &Plan, sink: &mut S) -> Result<(), Halt> {
        match self {
            Self::Changes(origin) => work.run_changes(plan, *origin, sink),
            Self::All => {
                sink.begin(true);
                work.run(plan, sink)
            }
            Self::Rows(rows) => {
                sink.begin(true);
                rows.iter().try_for_each(|row| work.run_with(plan, row, sink))
            }
            Self::Flips(flips, came) => {
                sink.begin(*came);
                flips.iter().try_for_each(|values| work.run_with(plan, values, sink))
            }
        }
    }
}

/// Counts derivations.
pub(crate) struct Count {
    relation: RelationId,
    by: i64,
}

impl DerivationSink for Count {
    fn take(&mut self, row: &[Word], _: u32, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        derive(self.relation, row, self.by, context)?;
        Ok(true)
    }
}

impl SignedSink for Count {
    fn begin(&mut self, came: bool) -> bool {
        self.by = if came { 1 } else { -1 };
        true
    }
}

/// Adds to the number of a fact's derivations; its slot.
pub(crate) fn derive(
    relation: RelationId,
    row: &[Word],
    by: i64,
    context: &mut ChangeContext<'_>,
) -> Result<u32, Halt> {
    let (slot, new) = context.store.hold(relation, row)?;
    if new && context.store.is_shown(relation) {
        context.budget.spend(1)?;
    }
    context.store.relation_mut(relation).count(slot, by);
    Ok(slot)
}

impl Incremental {
    /// Brings a stratum up to date.
    pub(crate) fn update(&mut self, stratum: StratumId) -> Result<(), Halt> {
        let state = &mut self.strata[stratum];
        state.due = false;
        let mut queue = std::mem::take(&mut state.queue);
        // In the order of the text, so that no match goes before it came.
        queue.sort_unstable_by_key(|reader| (reader.rule, reader.literal));
        let has_moved = self.has_moved();
        if has_moved {
            self.count_flips(stratum)?;
        }
        for reader in &queue {
            if !self.rules[reader.rule].is_own {
                self.count(*reader)?;
            }
        }
        for reader in &queue {
            self.finish(reader.rule)?;
        }
        if has_moved {
            self.finish_flips(stratum)?;
        }
        if self.strata[stratum].recursive {
            self.rerank(stratum, &queue)?;
        }
        self.settle_stratum(stratum);
        queue.clear();
        self.strata[stratum].queue = queue;
        Ok(())
    }

    /// Derives a stratum from scratch.
    pub(crate) fn fill(&mut self, stratum: StratumId) -> Result<(), Halt> {
        self.strata[stratum].due = false;
        for at in 0..self.strata[stratum].rules.len() {
            let rule = self.strata[stratum].rules[at];
            if !self.rules[rule].is_own {
                self.collect(rule, Mode::Full, &Task::All)?;
                self.finish(rule)?;
                self.weigh()?;
            }
        }
        if self.strata[stratum].recursive {
            self.recompute(stratum)?;
        }
        self.settle_stratum(stratum);
        Ok(self.weigh()?)
    }

    fn settle_stratum(&mut self, stratum: StratumId) {
        for at in 0..self.strata[stratum].relations.len() {
            self.settle(self.strata[stratum].relations[at]);
        }
    }

    /// Joins what came and went of a literal's relation with the rest of its rule.
    fn count(&mut self, reader: Reader) -> Result<(), Halt> {
        let Reader { rule, literal } = reader;
        let text = &self.program[rule];
        let origin = self.rules[rule].origin(text, literal, &mut self.work.store);
        self.collect(reader.rule, Mode::Delta(literal), &Task::Changes(origin))
    }

    /// Runs a plan of a rule into what becomes of its matches.
    pub(crate) fn collect(&mut self, rule: RuleId, mode: Mode, task: &Task) -> Result<(), Halt> {
        self.at_work = rule;
        let (state, text) = (&mut self.rules[rule], &self.program[rule]);
        let (store, params) = self.work.planning();
        state.plan(text, mode, store, params);
        let head = state.head;
        let (plan, collect) = state.made(mode);
        let result = match collect {
            Collect::Facts => task.run(&mut self.work, plan, &mut Count { relation: head, by: 1 }),
            Collect::Groups(groups) => task.run(&mut self.work, plan, &mut **groups),
            Collect::Tops(tops) => task.run(&mut self.work, plan, &mut **tops),
        };
        self.note_failure(rule);
        result
    }

    /// Remembers a rule of which some operation had no result.
    pub(crate) fn note_failure(&mut self, rule: RuleId) {
        if std::mem::take(&mut self.work.machine.failed) {
            self.unclear.push(rule);
        }
    }

    /// Turns the groups of a rule that changed into facts.
    pub(crate) fn finish(&mut self, rule: RuleId) -> Result<(), Halt> {
        self.at_work = rule;
        let state = &mut self.rules[rule];
        let head = state.head;
        if let Collect::Groups(groups) = &mut state.collect
            && groups.is_broken()
        {
            let (mode, task) = groups.open_broken();
            self.collect(rule, mode, &task)?;
        }
        match &mut self.rules[rule].collect {
            Collect::Facts => {}
            Collect::Groups(groups) => groups.finish(head, &mut self.work)?,
            Collect::Tops(tops) => tops.finish(head, &mut self.work)?,
        }
        self.note_failure(rule);
        Ok(())
    }
}
