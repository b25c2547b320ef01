//! The fixpoint of a stratum, over an empty base or a kept one.

use hence_core::meter::Bound;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, Stratum};

use crate::exec::closures::Scratch;
use crate::exec::context::{ExecContext, PendingTuples};
use crate::exec::run::{ExecPlan, run};
use crate::limits::{Budget, LimitReached, Threads};
use crate::plan::steps::Plan;
use crate::plan::stratum::{make_sets, plans_over};
use crate::profile::Profile;
use crate::report::Reports;
use crate::storage::relations::Relations;

/// The plans of a stratum, made when they are first needed.
#[derive(Default)]
pub(crate) struct StratumPlans {
    /// The relations that its rules read or add to, ascending.
    touched: Vec<RelationId>,
    first: Option<Vec<ExecPlan>>,
    later: Option<Vec<ExecPlan>>,
    /// How many facts each of the stratum's relations had when `later` was made.
    facts: Vec<u32>,
}

impl StratumPlans {
    /// Whether there are no plans yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

/// By how much the relations of a stratum grow before its plans are made again.
const GROWN: u64 = 4;

/// How many facts a relation has that makes plans anew by itself, and which part of its stratum's facts: so that this happens
/// seldom, however many relations there are.
const LARGE: (u32, u64) = (1024, 64);

/// Whether relations have grown so much, or one of the large ones has, that other plans may suit them.
fn have_grown(before: &[u32], now: impl Iterator<Item = u32> + Clone) -> bool {
    let sum = |facts: &mut dyn Iterator<Item = u32>| facts.map(u64::from).sum::<u64>();
    let (all, (least, part)) = (sum(&mut now.clone()), LARGE);
    let is_large = |facts: u32| facts >= least && u64::from(facts) * part >= all;
    let mut both = before.iter().copied().zip(now);
    all / GROWN > sum(&mut before.iter().copied())
        || both.any(|(before, now)| is_large(now) && u64::from(now) / GROWN > u64::from(before))
}

/// The relations that the rules of a stratum read, and `more`, ascending.
pub(crate) fn read_by(program: &Program, stratum: &Stratum, more: &[RelationId]) -> Vec<RelationId> {
    let read = stratum.rules.iter().flat_map(|rule| program[*rule].reads());
    let mut all: Vec<RelationId> = read.chain(more.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn to_run(program: &Program, plans: Vec<Plan>) -> Vec<ExecPlan> {
    let to_run = |plan: Plan| {
        let rule = &program[plan.rule];
        ExecPlan::new(plan, rule)
    };
    plans.into_iter().map(to_run).collect()
}

/// What a fixpoint works with.
pub(crate) struct Fixpoint<'a, 'p> {
    /// The program.
    pub(crate) program: &'a Program,
    /// The values of its parameters.
    pub(crate) params: &'a [Word],
    /// The facts.
    pub(crate) relations: &'a mut Relations,
    /// The undefined operations.
    pub(crate) reports: &'a mut Reports<'p>,
    /// What is spent of the limits.
    pub(crate) budget: &'a mut Budget,
    /// On how many threads.
    pub(crate) threads: Threads,
    /// The work of the rules, where somebody wants to know.
    pub(crate) profile: Option<&'a mut Profile>,
    /// Whether plans are made again where the relations have grown, and indexes that none uses are forgotten: where the
    /// plans serve this one evaluation.
    pub(crate) revises: bool,
    /// What plans work with.
    pub(crate) scratch: &'a mut Scratch,
}

impl Fixpoint<'_, '_> {
    /// Every rule once over everything; then, while the last round derived facts, what follows from its facts.
    pub(crate) fn stratum(
        &mut self,
        stratum: &Stratum,
        plans: &mut StratumPlans,
    ) -> Result<(), LimitReached> {
        let program = self.program;
        let mut at_work = stratum.rules.first().copied().unwrap_or(RuleId(0));
        for round in 1.. {
            if stratum.recursive {
                self.budget.round(round).map_err(|bound| LimitReached::at(bound, program, at_work))?;
            }
            let is_first = round == 1;
            let due = self.plans(stratum, plans, is_first);
            let grew = self.round(due)?;
            self.relations.close(&stratum.relations, self.threads);
            self.weigh(&plans.touched).map_err(|bound| LimitReached::at(bound, program, at_work))?;
            match grew {
                Some(rule) if stratum.recursive => at_work = rule,
                _ => break,
            }
        }
        Ok(())
    }

    /// The plans of a round.
    fn plans<'s>(
        &mut self,
        stratum: &Stratum,
        plans: &'s mut StratumPlans,
        is_first: bool,
    ) -> &'s mut [ExecPlan] {
        let program = self.program;
        let StratumPlans { touched, first, later, facts: before } = plans;
        if is_first {
            return first.get_or_insert_with(|| {
                *touched = read_by(program, stratum, &stratum.relations);
                let made = plans_over(program, stratum, self.relations, self.params, true);
                self.prepare(stratum, touched, &made);
                to_run(program, made)
            });
        }
        let stable = &self.relations.stable;
        let facts = stratum.relations.iter().map(|relation| stable[*relation].len());
        if self.revises && have_grown(before, facts.clone()) {
            *later = None;
        }
        if later.is_none() {
            *before = facts.collect();
        }
        later.get_or_insert_with(|| {
            let made = plans_over(program, stratum, self.relations, self.params, false);
            if self.revises {
                let used: Vec<_> = made.iter().flat_map(Plan::indexes).collect();
                self.relations.retain_indexes(&stratum.relations, &used);
            }
            self.prepare(stratum, touched, &made);
            to_run(program, made)
        })
    }

    /// Makes the indexes and sets that plans use.
    fn prepare(&mut self, stratum: &Stratum, touched: &[RelationId], plans: &[Plan]) {
        self.relations.build_indexes(touched, self.threads);
        if self.revises {
            let joined = plans.iter().flat_map(Plan::joined_indexes);
            self.relations.sort_indexes(&stratum.relations, joined, self.threads);
        }
        make_sets(self.program, stratum, self.relations, plans);
    }

    fn weigh(&mut self, touched: &[RelationId]) -> Result<(), Bound> {
        if !self.budget.weighs() {
            return Ok(());
        }
        touched.iter().for_each(|relation| self.relations.weigh(*relation));
        self.budget.memory(self.relations.bytes())
    }

    /// Runs the plans of a round; the last rule that gave new facts.
    fn round(&mut self, plans: &mut [ExecPlan]) -> Result<Option<RuleId>, LimitReached> {
        let mut context = ExecContext {
            stable: self.relations.stable.view(),
            pending: PendingTuples::Mine(self.relations.pending.as_mut_slice()),
            budget: self.budget,
            reports: self.reports,
            params: self.params,
        };
        let mut grew = None;
        for plan in plans {
            if !plan.plan.suits(context.stable) {
                continue;
            }
            let start = self.profile.as_ref().and_then(|profile| profile.start());
            let id = plan.plan.rule;
            let (matches, derived) = run(plan, &self.program[id], &mut context, self.scratch, self.threads)
                .map_err(|bound| LimitReached::at(bound, self.program, id))?;
            if let Some(profile) = &mut self.profile {
                profile.add(id, start, matches, derived);
            }
            if derived > 0 {
                grew = Some(id);
            }
        }
        Ok(grew)
    }
}
