//! One evaluation: stratum by stratum, round by round, plan by plan.

use crate::exec::closures::Scratch;
use crate::fixpoint::{Fixpoint, StratumPlans};
use crate::limits::{Budget, LimitReached, Limits, Threads};
use crate::model::{Database, Engine, Model, Undefined};
use crate::profile::Profile;
use crate::report::Reports;
use crate::storage::relations::Relations;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, Stratum};
use tracing::field::Empty;

/// An evaluation at work.
pub(crate) struct BatchRun<'p> {
    program: &'p Program,
    params: Vec<Word>,
    relations: Relations,
    reports: Reports<'p>,
    budget: Budget,
    threads: Threads,
    profile: Profile,
    scratch: Scratch,
}

impl<'p> BatchRun<'p> {
    /// An evaluation with its input loaded.
    pub(crate) fn new(
        program: &'p Program,
        input: Database,
        limits: &Limits,
        timed: bool,
    ) -> Result<Self, LimitReached> {
        let relations =
            Relations::load(program, input).map_err(|bound| LimitReached::at(bound, program, RuleId(0)))?;
        Ok(Self {
            program,
            params: program.param_words(),
            relations,
            reports: Reports::new(program),
            budget: Budget::new(limits),
            threads: Threads { most: limits.threads.most.min(Threads::MOST), ..limits.threads },
            profile: Profile::new(program, timed),
            scratch: Scratch::default(),
        })
    }

    /// Evaluates everything.
    pub(crate) fn strata(&mut self) -> Result<(), LimitReached> {
        let program = self.program;
        program.strata.iter().enumerate().try_for_each(|(number, stratum)| {
            let (rules, recursive) = (stratum.rules.len(), stratum.recursive);
            let span = tracing::trace_span!("stratum", number, rules, recursive, derived = Empty);
            let _entered = span.enter();
            let before = self.budget.spent();
            self.stratum(stratum)?;
            span.record("derived", self.budget.spent() - before);
            Ok(())
        })
    }

    /// Evaluates one stratum.
    pub(crate) fn stratum(&mut self, stratum: &Stratum) -> Result<(), LimitReached> {
        let mut fixpoint = Fixpoint {
            program: self.program,
            params: &self.params,
            relations: &mut self.relations,
            reports: &mut self.reports,
            budget: &mut self.budget,
            threads: self.threads,
            profile: Some(&mut self.profile),
            revises: true,
            scratch: &mut self.scratch,
        };
        fixpoint.stratum(stratum, &mut StratumPlans::default())
    }

    /// The relations as they are, the reports, and what is spent of the limit on facts.
    pub(crate) fn into_parts(self) -> (Relations, Vec<Undefined>, u64) {
        (self.relations, self.reports.finish(), self.budget.spent())
    }

    /// The relations as they are, how many matches there were, and what is spent of the limit on facts.
    pub(crate) fn into_work(self) -> (Relations, u64, u64) {
        let matches = self.profile.rules.iter().map(|rule| rule.matches).sum();
        (self.relations, matches, self.budget.spent())
    }

    /// The model and what it took.
    pub(crate) fn finish(self) -> (Model, Profile) {
        (Model { relations: self.relations.extents(), undefined: self.reports.finish() }, self.profile)
    }
}

/// The semi-naive engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiNaive;

impl Engine for SemiNaive {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn is_incremental(&self) -> bool {
        true
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let mut run = BatchRun::new(program, input, limits, false)?;
        run.strata()?;
        Ok(run.finish().0)
    }
}

impl SemiNaive {
    /// The model, and for each rule how many matches were found, how many facts they gave, and how long that took.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn evaluate_profiled(
        &self,
        program: &Program,
        input: Database,
        limits: &Limits,
    ) -> Result<(Model, Profile), LimitReached> {
        let mut run = BatchRun::new(program, input, limits, true)?;
        run.strata()?;
        Ok(run.finish())
    }
}
