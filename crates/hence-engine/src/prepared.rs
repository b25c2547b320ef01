//! Prepared evaluation: the base is loaded, planned and derived once; each request adds its facts, derives what
//! depends on them, and is taken back again.
//!
//! The life of a request: [`Prepared::evaluate`] rewinds every relation that may vary to its watermark (rows cut off,
//! their entries taken out of indexes and sets, last come first gone), adds the request's rows, and runs the plans
//! of the strata that depend on such relations. Nothing is allocated once the buffers have the size of a request, and
//! nothing is done for strata that no request touches.

use crate::batch::BatchRun;
use crate::exec::closures::Scratch;
use crate::fixpoint::{Fixpoint, StratumPlans, read_by};
use crate::limits::{Budget, LimitReached, Limits, Threads};
use crate::model::{Database, Model, Undefined};
use crate::report::Reports;
use crate::rows::Row;
use crate::storage::relations::Relations;
use crate::storage::stable::Stable;
use crate::storage::tuple_set::SetLayout;
use hence_core::meter::Bound;
use std::sync::Arc;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, Stratum, StratumId};

/// A relation that varies and has up to so many rows is scanned: an index would have to be built up.
const VARYING_SCAN_THRESHOLD: u32 = 16;
/// A relation of the base that has up to so many rows is scanned.
const BASE_SCAN_THRESHOLD: u32 = 2;
/// Plans are remade once a relation has become so many times larger than they were made for.
const GROWTH: u32 = 8;

/// A program over a base of facts, ready for requests: each is evaluated as if its facts and the base had been
/// given to a fresh evaluation, with the same result.
pub struct Prepared {
    program: Arc<Program>,
    params: Vec<Word>,
    limits: Limits,
    base: Database,
    /// By relation: whether requests may change it.
    varies: IndexVec<RelationId, bool>,
    relations: Relations,
    watermarks: Vec<Watermark>,
    strata: Vec<PreparedStratum>,
    reports: Vec<Undefined>,
    /// Reports of the strata of the base.
    base_reports: Vec<Undefined>,
    /// Facts and elements that the strata of the base took.
    spent: u64,
    scratch: Scratch,
}

/// Where a relation that varies has its watermark.
struct Watermark {
    relation: RelationId,
    len: u32,
    layout: SetLayout,
}

/// A stratum with its plans, made when they are first needed.
struct PreparedStratum {
    stratum: StratumId,
    /// The relations that its rules read, and the sizes that the plans were made for.
    sizes: Vec<(RelationId, u32)>,
    plans: StratumPlans,
}

impl Prepared {
    /// Prepares `program` for requests over the facts `base`.
    ///
    /// Which relations requests touch is learned from them: the first fact of a relation that none had before makes
    /// everything that depends on it be prepared again.
    ///
    /// # Errors
    /// A limit that the base reaches.
    pub fn new(
        program: impl Into<Arc<Program>>,
        base: Database,
        limits: Limits,
    ) -> Result<Self, LimitReached> {
        let program = program.into();
        let mut prepared = Self {
            params: program.param_words(),
            varies: IndexVec::filled(false, program.relations.len()),
            program,
            limits,
            base,
            relations: Relations::default(),
            watermarks: Vec::new(),
            strata: Vec::new(),
            reports: Vec::new(),
            base_reports: Vec::new(),
            spent: 0,
            scratch: Scratch::default(),
        };
        prepared.prepare()?;
        Ok(prepared)
    }

    /// Says beforehand that requests will have facts of these relations.
    ///
    /// # Errors
    /// A limit that the base reaches.
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

    /// Derives what follows from the base, and sets the watermarks of the rest.
    fn prepare(&mut self) -> Result<(), LimitReached> {
        let program = Arc::clone(&self.program);
        let mut run = BatchRun::new(&program, self.base.clone(), &self.limits, false)?;
        let varies = |stratum: &Stratum| stratum.relations.iter().any(|relation| self.varies[*relation]);
        for stratum in program.strata.iter().filter(|stratum| !varies(stratum)) {
            run.stratum(stratum)?;
        }
        let strata = (0..).map(StratumId).zip(&program.strata).filter(|(_, stratum)| varies(stratum));
        self.strata = strata.map(|(id, stratum)| PreparedStratum::new(&program, id, stratum)).collect();
        (self.relations, self.base_reports, self.spent) = run.into_parts();
        self.watermarks.clear();
        for (relation, varies) in self.varies.numbered() {
            if *varies {
                self.relations.make_set(relation);
            }
            let (stable, pending) = (&mut self.relations.stable[relation], &self.relations.pending[relation]);
            stable.set_scan_threshold(BASE_SCAN_THRESHOLD);
            if *varies {
                stable.set_scan_threshold(VARYING_SCAN_THRESHOLD);
                stable.set_varying();
                stable.rewind(stable.len());
                self.watermarks.push(Watermark { relation, len: stable.len(), layout: pending.layout() });
            }
        }
        Ok(())
    }

    /// Evaluates a request: `facts` and the base. What follows can be seen until the next request.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn evaluate(&mut self, facts: &Database) -> Result<PreparedModel<'_>, LimitReached> {
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
        if !self.reports.is_empty() || !self.base_reports.is_empty() {
            self.reports.extend_from_slice(&self.base_reports);
            self.reports.sort_by_key(|report| report.rule);
        }
        Ok(PreparedModel { prepared: self })
    }

    /// Takes the last request back.
    fn rewind(&mut self) {
        for watermark in &mut self.watermarks {
            watermark.layout = self.relations.rewind(watermark.relation, watermark.len, watermark.layout);
        }
    }

    fn load(&mut self, facts: &Database) -> Result<(), Bound> {
        for watermark in &self.watermarks {
            let relation = watermark.relation;
            match facts.rows(relation).filter(|rows| !rows.is_empty()) {
                Some(rows) => {
                    self.relations.add_all(relation, rows)?;
                    self.relations.close_one(relation);
                }
                None => self.relations.stable[relation].skip_round(),
            }
        }
        Ok(())
    }

    /// Derives what a request adds to a stratum.
    fn stratum(
        &mut self,
        program: &Program,
        at: usize,
        budget: &mut Budget,
        reports: &mut Reports<'_>,
    ) -> Result<(), LimitReached> {
        let stratum = self.strata.get_mut(at).or_broken("the strata that vary are kept");
        stratum.check(&self.relations.stable);
        let mut fixpoint = Fixpoint {
            program,
            params: &self.params,
            relations: &mut self.relations,
            reports,
            budget,
            threads: Threads::ONE,
            profile: None,
            revises: false,
            scratch: &mut self.scratch,
        };
        fixpoint.stratum(&program[stratum.stratum], &mut stratum.plans)
    }
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

impl PreparedStratum {
    fn new(program: &Program, id: StratumId, stratum: &Stratum) -> Self {
        let sizes = read_by(program, stratum, &[]).into_iter().map(|relation| (relation, 0)).collect();
        Self { stratum: id, sizes, plans: StratumPlans::default() }
    }

    /// Forgets the plans if relations have outgrown them.
    fn check(&mut self, stable: &IndexVec<RelationId, Stable>) {
        let now = |relation: RelationId| stable[relation].len();
        let outgrown = |(relation, size): &(RelationId, u32)| now(*relation) / GROWTH > *size;
        if self.plans.is_empty() || self.sizes.iter().any(outgrown) {
            self.plans = StratumPlans::default();
            self.sizes
                .iter_mut()
                .for_each(|(relation, size)| *size = (*size).max(now(*relation)).max(VARYING_SCAN_THRESHOLD));
        }
    }
}

/// What follows from a request and the base.
#[derive(Clone, Copy)]
pub struct PreparedModel<'a> {
    prepared: &'a Prepared,
}

impl<'a> PreparedModel<'a> {
    fn stable(&self, relation: RelationId) -> &'a Stable {
        &self.prepared.relations.stable[relation]
    }

    /// How many facts a relation has.
    pub fn len(&self, relation: RelationId) -> usize {
        self.stable(relation).len() as usize
    }

    /// Whether a relation has no facts.
    pub fn is_empty(&self, relation: RelationId) -> bool {
        self.len(relation) == 0
    }

    /// The facts of a relation, in the order of their derivation as [`crate::Extent`] has it.
    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = Row> + 'a {
        let stable = self.stable(relation);
        (0..stable.len()).map(move |at| stable.row(at).iter().collect())
    }

    /// Undefined operations.
    pub fn undefined(&self) -> &'a [Undefined] {
        &self.prepared.reports
    }

    /// Everything, as a fresh evaluation would give it.
    pub fn to_model(&self) -> Model {
        Model {
            relations: self.prepared.relations.stable.iter().map(Stable::to_extent).collect(),
            undefined: self.prepared.reports.clone(),
        }
    }
}
