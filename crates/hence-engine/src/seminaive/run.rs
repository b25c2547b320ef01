//! One evaluation: stratum by stratum, round by round, plan by plan.

use crate::budget::Budget;
use crate::report::Reports;
use crate::{Bound, Database, LimitReached, Limits, Model, Threads, Undefined};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Atom, Literal, Program, RuleId, Stratum};
use tracing::field::Empty;

use super::compile::{Source, compile};
use super::known::Known;
use super::machine::Scratch;
use super::output::divide;
use super::plan::{Plan, Step};
use super::planner::{Sizes, order};
use super::profile::Profile;
use super::shape::Shape;
use super::site::{Open, Site};
use super::store::{Part, Relations};

/// An evaluation at work.
pub(super) struct Run<'p> {
    program: &'p Program,
    params: Vec<Word>,
    relations: Relations,
    reports: Reports<'p>,
    budget: Budget,
    threads: Threads,
    profile: Profile,
    scratch: Scratch,
}

impl<'p> Run<'p> {
    /// An evaluation with its input loaded.
    pub(super) fn new(
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
    pub(super) fn strata(&mut self) -> Result<(), LimitReached> {
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

    /// The relations as they are, the reports, and what is spent of the limit on facts.
    pub(super) fn into_parts(self) -> (Relations, Vec<Undefined>, u64) {
        (self.relations, self.reports.finish(), self.budget.spent())
    }

    /// The relations as they are, how many matches there were, and what is spent of the limit on facts.
    pub(super) fn into_work(self) -> (Relations, u64, u64) {
        let matches = self.profile.rules.iter().map(|rule| rule.matches).sum();
        (self.relations, matches, self.budget.spent())
    }

    /// The model and what it took.
    pub(super) fn finish(self) -> (Model, Profile) {
        (Model { relations: self.relations.extents(), undefined: self.reports.finish() }, self.profile)
    }

    /// Every rule once over everything; then, while the last round was fruitful, what follows from its facts.
    pub(super) fn stratum(&mut self, stratum: &Stratum) -> Result<(), LimitReached> {
        let mut plans = self.plans(stratum, true);
        let mut at_work = stratum.rules.first().copied().unwrap_or(RuleId(0));
        for round in 1.. {
            if stratum.recursive {
                self.budget.round(round).map_err(|bound| LimitReached::at(bound, self.program, at_work))?;
            }
            let mut grew = None;
            for plan in &plans {
                if self.plan(plan).map_err(|bound| LimitReached::at(bound, self.program, plan.rule))? > 0 {
                    grew = Some(plan.rule);
                }
            }
            self.relations.close(&stratum.relations, self.threads);
            self.weigh().map_err(|bound| LimitReached::at(bound, self.program, at_work))?;
            match grew {
                Some(rule) if stratum.recursive => at_work = rule,
                _ => break,
            }
            if round == 1 {
                plans = self.plans(stratum, false);
            }
        }
        Ok(())
    }

    fn plans(&mut self, stratum: &Stratum, first: bool) -> Vec<Plan> {
        plans_over(self.program, stratum, &mut self.relations, &self.params, first)
    }

    fn weigh(&self) -> Result<(), Bound> {
        if self.budget.weighs() { self.budget.memory(self.relations.bytes()) } else { Ok(()) }
    }

    /// Runs one plan; how many new facts it gave.
    fn plan(&mut self, plan: &Plan) -> Result<u64, Bound> {
        let rule = &self.program[plan.rule];
        let start = self.profile.start();
        let mut site = Site {
            known: self.relations.known.view(),
            fresh: Open::Mine(self.relations.fresh.as_mut_slice()),
            budget: &mut self.budget,
            reports: &mut self.reports,
            params: &self.params,
        };
        let (matches, derived) = divide(plan, rule, &mut site, &mut self.scratch, self.threads)?;
        self.profile.add(plan.rule, start, matches, derived);
        Ok(derived)
    }
}

/// The plans of a stratum; growing relations in which they look for whole rows get row numbers.
pub(super) fn plans_over(
    program: &Program,
    stratum: &Stratum,
    relations: &mut Relations,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let plans = stratum_plans(program, stratum, &mut relations.known, params, first);
    for relation in &stratum.relations {
        if let Some(inner) = inner_column(&plans, program, *relation) {
            relations.turn(*relation, inner);
        }
    }
    for relation in plans.iter().flat_map(|plan| &plan.steps).flat_map(Step::looks_in) {
        relations.make_set(relation);
        if stratum.relations.contains(&relation) {
            relations.number_rows(relation);
        }
    }
    // An inquiry may look for whole rows where the plan looks for parts of them.
    for plan in &plans {
        let rule = &program[plan.rule];
        for literal in plan.pending().map(|at| rule.literal(at)) {
            if let Literal::Atom(atom) | Literal::Not(atom) = literal {
                relations.make_set(atom.relation);
            }
        }
    }
    plans
}

/// The column of a relation that varies in the innermost loops of most plans that derive its facts.
fn inner_column(plans: &[Plan], program: &Program, relation: RelationId) -> Option<usize> {
    let derives = |plan: &&Plan| program[plan.rule].head == relation;
    let mut votes: Vec<usize> = plans.iter().filter(derives).filter_map(Plan::inner).collect();
    votes.sort_unstable();
    let most = votes.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
    most.first().copied()
}

/// The plans of a stratum's rules: of the first round, or of the later ones.
pub(super) fn stratum_plans(
    program: &Program,
    stratum: &Stratum,
    known: &mut IndexVec<RelationId, Known>,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let plans = compile_all(program, stratum, known, params, first);
    // Once more where there are recursions: plans use the indexes of one another.
    if first { plans } else { compile_all(program, stratum, known, params, first) }
}

fn compile_all(
    program: &Program,
    stratum: &Stratum,
    known: &mut IndexVec<RelationId, Known>,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let mut plans = Vec::new();
    for &id in &stratum.rules {
        let rule = &program[id];
        let grows: Vec<bool> = rule.body.iter().map(|literal| grows(literal, stratum)).collect();
        let deltas = grows.iter().enumerate().filter(|(_, grows)| **grows).map(|(at, _)| Some(at));
        let deltas: Vec<Option<usize>> = if first { vec![None] } else { deltas.collect() };
        let shape = Shape::new(rule);
        for delta in deltas {
            let source = Source { rule, id, shape: &shape, grows: &grows, delta };
            let order = order(rule, &shape, &Live { source: &source, known });
            plans.push(compile(source, &order, known, params));
        }
    }
    plans
}

fn grows(literal: &Literal, stratum: &Stratum) -> bool {
    matches!(literal, Literal::Atom(atom) if stratum.relations.contains(&atom.relation))
}

/// The sizes of the relations as they are now.
struct Live<'a> {
    source: &'a Source<'a>,
    known: &'a IndexVec<RelationId, Known>,
}

impl Sizes for Live<'_> {
    fn rows(&self, at: usize, atom: &Atom) -> f64 {
        let rows = self.known[atom.relation].len();
        match self.source.part(at) {
            Part::Delta => 0.0,
            _ => f64::from(rows),
        }
    }
}

impl Site<'_, '_> {
    /// Compares what the relations take, and `more` bytes, with the limit on memory.
    #[cold]
    pub(super) fn weigh(&self, more: usize) -> Result<(), Bound> {
        if !self.budget.weighs() {
            return Ok(());
        }
        let relations = self.known.as_slice().iter().map(Known::bytes).sum::<usize>();
        let fresh = self.fresh.view().as_slice().iter().map(super::fresh::Fresh::bytes).sum::<usize>();
        self.budget.memory(relations + fresh + more)
    }
}
