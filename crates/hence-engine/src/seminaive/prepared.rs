//! Prepared evaluation: what stands is loaded, planned and derived once; each request adds its facts, derives what
//! depends on them, and is taken back again.
//!
//! The life of a request: [`Prepared::evaluate`] rewinds every relation that may vary to its watermark (rows cut off,
//! their entries taken out of indexes and sets, last come first gone), adds the request's rows, and runs the kept plans
//! of the strata that depend on such relations. Nothing is allocated once the buffers have the size of a request, and
//! nothing is done for strata that no request touches.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::budget::Budget;
use crate::report::Reports;
use crate::{Bound, Database, LimitReached, Limits, Model, Threads, Undefined};
use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Literal, Program, RuleId, Stratum, StratumId};

use super::known::Known;
use super::machine::Scratch;
use super::members::Layout;
use super::output::{Output, apply};
use super::plan::Plan;
use super::run::{Run, plans_over};
use super::site::{Open, Site};
use super::store::Relations;

/// A relation that varies and has up to so many rows is looked through: an index would have to be kept up.
const FEW_VARYING: u32 = 16;
/// A relation that stands and has up to so many rows is looked through.
const FEW_STANDING: u32 = 2;
/// Plans are made anew once a relation has become so many times larger than they were made for.
const GROWTH: u32 = 8;

/// A row of a [`View`].
pub type Row = SmallVec<[Word; 8]>;

/// A program over facts that stand, ready for requests: each is evaluated as if its facts and those that stand had
/// been given to a fresh evaluation, with the same result.
pub struct Prepared {
    program: Arc<Program>,
    params: Vec<Word>,
    limits: Limits,
    standing: Database,
    /// By relation: whether requests may change it.
    varies: IndexVec<RelationId, bool>,
    relations: Relations,
    marks: Vec<Mark>,
    strata: Vec<Kept>,
    reports: Vec<Undefined>,
    /// Reports of the strata that stand.
    standing_reports: Vec<Undefined>,
    /// Facts and elements that the strata that stand took.
    spent: u64,
    scratch: Scratch,
}

/// Where a relation that varies has its watermark.
struct Mark {
    relation: RelationId,
    len: u32,
    layout: Layout,
}

/// A stratum with its plans, made when they are first needed.
struct Kept {
    stratum: StratumId,
    /// The relations that its rules read, and the sizes that the plans were made for.
    sizes: Vec<(RelationId, u32)>,
    first: Option<Vec<(Plan, Output)>>,
    later: Option<Vec<(Plan, Output)>>,
}

impl Prepared {
    /// Prepares `program` for requests over the facts `standing`.
    ///
    /// Which relations requests touch is learned from them: the first fact of a relation that none had before makes
    /// everything that depends on it be prepared anew.
    ///
    /// # Errors
    /// A limit reached by what stands.
    pub fn new(
        program: impl Into<Arc<Program>>,
        standing: Database,
        limits: Limits,
    ) -> Result<Self, LimitReached> {
        let program = program.into();
        let mut prepared = Self {
            params: program.param_words(),
            varies: IndexVec::filled(false, program.relations.len()),
            program,
            limits,
            standing,
            relations: Relations::default(),
            marks: Vec::new(),
            strata: Vec::new(),
            reports: Vec::new(),
            standing_reports: Vec::new(),
            spent: 0,
            scratch: Scratch::default(),
        };
        prepared.prepare()?;
        Ok(prepared)
    }

    /// Says beforehand that requests will have facts of these relations.
    ///
    /// # Errors
    /// A limit reached by what stands.
    pub fn expect(&mut self, relations: &[RelationId]) -> Result<(), LimitReached> {
        if relations.iter().all(|relation| self.varies[*relation]) {
            return Ok(());
        }
        relations.iter().for_each(|relation| self.varies[*relation] = true);
        spread(&self.program, &mut self.varies);
        self.prepare()
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Derives what stands, and sets the watermarks of the rest.
    fn prepare(&mut self) -> Result<(), LimitReached> {
        let program = Arc::clone(&self.program);
        let mut run = Run::new(&program, self.standing.clone(), &self.limits, false)?;
        let varies = |stratum: &Stratum| stratum.relations.iter().any(|relation| self.varies[*relation]);
        for stratum in program.strata.iter().filter(|stratum| !varies(stratum)) {
            run.stratum(stratum)?;
        }
        let strata = (0..).map(StratumId).zip(&program.strata).filter(|(_, stratum)| varies(stratum));
        self.strata = strata.map(|(id, stratum)| Kept::new(&program, id, stratum)).collect();
        (self.relations, self.standing_reports, self.spent) = run.into_parts();
        self.marks.clear();
        for (relation, varies) in self.varies.numbered() {
            if *varies {
                self.relations.make_set(relation);
            }
            let (known, fresh) = (&mut self.relations.known[relation], &self.relations.fresh[relation]);
            known.set_few(FEW_STANDING);
            if *varies {
                known.set_few(FEW_VARYING);
                known.rewind(known.len());
                self.marks.push(Mark { relation, len: known.len(), layout: fresh.layout() });
            }
        }
        Ok(())
    }

    /// Evaluates a request: `facts` beside those that stand. What follows can be seen until the next request.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn evaluate(&mut self, facts: &Database) -> Result<View<'_>, LimitReached> {
        self.rewind();
        let brought = (0..).map(RelationId).zip(&facts.relations).filter(|(_, rows)| !rows.is_empty());
        let mut brought = brought.map(|(relation, _)| relation);
        if brought.clone().any(|relation| !self.varies[relation]) {
            self.expect(&brought.by_ref().collect::<Vec<_>>())?;
        }
        let program = Arc::clone(&self.program);
        self.load(facts).map_err(|bound| LimitReached::at(bound, &program, RuleId(0)))?;
        let mut reports = Reports::new(&program);
        let mut budget = Budget::new(&self.limits);
        budget.spend(self.spent).map_err(|bound| LimitReached::at(bound, &program, RuleId(0)))?;
        for at in 0..self.strata.len() {
            self.stratum(&program, at, &mut budget, &mut reports)?;
        }
        self.reports.clear();
        self.reports.extend(reports.finish());
        if !self.reports.is_empty() || !self.standing_reports.is_empty() {
            self.reports.extend_from_slice(&self.standing_reports);
            self.reports.sort_by_key(|report| report.rule);
        }
        Ok(View { prepared: self })
    }

    /// Takes the last request back.
    fn rewind(&mut self) {
        for mark in &mut self.marks {
            mark.layout = self.relations.rewind(mark.relation, mark.len, mark.layout);
        }
    }

    fn load(&mut self, facts: &Database) -> Result<(), Bound> {
        for mark in &self.marks {
            if let Some(rows) = facts.rows(mark.relation).filter(|rows| !rows.is_empty()) {
                self.relations.add_all(mark.relation, rows)?;
            }
            self.relations.close_one(mark.relation);
        }
        Ok(())
    }

    /// Every rule once over everything; then, while the last round was fruitful, what follows from its facts.
    fn stratum(
        &mut self,
        program: &Program,
        at: usize,
        budget: &mut Budget,
        reports: &mut Reports<'_>,
    ) -> Result<(), LimitReached> {
        let kept = self.strata.get_mut(at).or_broken("the strata that vary are kept");
        let stratum = &program[kept.stratum];
        kept.check(&self.relations.known);
        let mut at_work = stratum.rules.first().copied().unwrap_or(RuleId(0));
        for round in 1.. {
            if stratum.recursive {
                budget.round(round).map_err(|bound| LimitReached::at(bound, program, at_work))?;
            }
            let plans = if round == 1 { &mut kept.first } else { &mut kept.later };
            let plans = plans.get_or_insert_with(|| {
                with_outputs(
                    program,
                    plans_over(program, stratum, &mut self.relations, &self.params, round == 1),
                )
            });
            let mut grew = None;
            for (plan, output) in plans {
                let rule = &program[plan.rule];
                let mut site = Site {
                    known: self.relations.known.view(),
                    fresh: Open::Mine(self.relations.fresh.as_mut_slice()),
                    budget,
                    reports,
                    params: &self.params,
                };
                let (_, derived) = apply(plan, rule, output, &mut site, &mut self.scratch)
                    .map_err(|bound| LimitReached::at(bound, program, plan.rule))?;
                if derived > 0 {
                    grew = Some(plan.rule);
                }
            }
            self.relations.close(&stratum.relations, Threads::ONE);
            if budget.weighs() {
                budget
                    .memory(self.relations.bytes())
                    .map_err(|bound| LimitReached::at(bound, program, at_work))?;
            }
            match grew {
                Some(rule) if stratum.recursive => at_work = rule,
                _ => break,
            }
        }
        Ok(())
    }
}

fn with_outputs(program: &Program, plans: Vec<Plan>) -> Vec<(Plan, Output)> {
    let output = |plan: &Plan| Output::new(&program[plan.rule], plan);
    plans.into_iter().map(|plan| (output(&plan), plan)).map(|(output, plan)| (plan, output)).collect()
}

/// Marks everything that depends on a relation that varies, and what shares a stratum with it.
fn spread(program: &Program, varies: &mut IndexVec<RelationId, bool>) {
    // A stratum comes after all that it reads, so one pass is enough.
    for stratum in &program.strata {
        let rules = stratum.rules.iter().map(|rule| &program[*rule]);
        let reads = rules.flat_map(|rule| rule.reads());
        let touched = reads.chain(stratum.relations.iter().copied()).any(|read| varies[read]);
        if touched {
            stratum.relations.iter().for_each(|relation| varies[*relation] = true);
        }
    }
}

impl Kept {
    fn new(program: &Program, id: StratumId, stratum: &Stratum) -> Self {
        let rules = stratum.rules.iter().map(|rule| &program[*rule]);
        let atoms = rules.flat_map(|rule| &rule.body).filter_map(|literal| match literal {
            Literal::Atom(atom) | Literal::Not(atom) => Some(atom.relation),
            _ => None,
        });
        let mut reads: Vec<RelationId> = atoms.collect();
        reads.sort_unstable();
        reads.dedup();
        let sizes = reads.into_iter().map(|relation| (relation, 0)).collect();
        Self { stratum: id, sizes, first: None, later: None }
    }

    /// Forgets the plans if relations have outgrown them.
    fn check(&mut self, known: &IndexVec<RelationId, Known>) {
        let now = |relation: RelationId| known[relation].len();
        let outgrown = |(relation, size): &(RelationId, u32)| now(*relation) / GROWTH > *size;
        if self.first.is_none() || self.sizes.iter().any(outgrown) {
            (self.first, self.later) = (None, None);
            self.sizes
                .iter_mut()
                .for_each(|(relation, size)| *size = (*size).max(now(*relation)).max(FEW_VARYING));
        }
    }
}

/// What follows from a request and what stands.
#[derive(Clone, Copy)]
pub struct View<'a> {
    prepared: &'a Prepared,
}

impl<'a> View<'a> {
    fn known(&self, relation: RelationId) -> &'a Known {
        &self.prepared.relations.known[relation]
    }

    /// How many facts a relation has.
    pub fn len(&self, relation: RelationId) -> usize {
        self.known(relation).len() as usize
    }

    /// Whether a relation has no facts.
    pub fn is_empty(&self, relation: RelationId) -> bool {
        self.len(relation) == 0
    }

    /// The facts of a relation, in the order of their derivation as [`crate::Extent`] has it.
    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = Row> + 'a {
        let known = self.known(relation);
        (0..known.len()).map(move |at| known.row(at).iter().collect())
    }

    /// Operations without a result.
    pub fn undefined(&self) -> &'a [Undefined] {
        &self.prepared.reports
    }

    /// Everything, as a fresh evaluation would give it.
    pub fn to_model(&self) -> Model {
        Model {
            relations: self.prepared.relations.known.iter().map(Known::to_extent).collect(),
            undefined: self.prepared.reports.clone(),
        }
    }
}
