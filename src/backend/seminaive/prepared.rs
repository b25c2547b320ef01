//! Prepared evaluation: what stands is loaded, planned and derived once; each request adds its facts, derives what
//! depends on them, and is taken back again.
//!
//! The life of a request: [`Prepared::evaluate`] rewinds every relation that may vary to its watermark (rows cut off,
//! their entries taken out of indexes and sets, last come first gone), adds the request's rows, and runs the kept plans
//! of the strata that depend on such relations. Nothing is allocated once the buffers have the size of a request, and
//! nothing is done for strata that no request touches.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::backend::budget::Budget;
use crate::backend::report::Reports;
use crate::backend::{Bound, Database, LimitReached, Limits, Model, Threads, Undefined};
use crate::ir::{Literal, Program, RuleId, Stratum};
use crate::schema::RelationId;
use crate::value::Word;

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
///
/// ```
/// use hence::backend::seminaive::Prepared;
/// use hence::backend::{Database, Limits};
/// use hence::session::{Loader, check};
/// use hence::value::Word;
///
/// let mut loader = Loader::default();
/// let rules = "input banned(tool: int). input asked(tool: int). allow(T) :- asked(T), !banned(T).";
/// loader.text("policy.dl", rules);
/// let rules = check(loader.finish(), &[]).rules.ok_or("faults in the rules")?;
/// let program = &rules.program;
/// let id = |name: &str| program.find(name.into()).ok_or("no such relation");
///
/// let mut policy = Database::new(program);
/// policy.push(id("banned")?, &[Word::from_int(7)]);
/// let prepared = Prepared::new(program.clone(), policy, Limits::default());
/// let mut prepared = prepared.map_err(|limit| limit.bound.to_string())?;
///
/// let mut request = Database::new(program);
/// for tool in [7, 8] {
///     request.clear();
///     request.push(id("asked")?, &[Word::from_int(tool)]);
///     let view = prepared.evaluate(&request).map_err(|limit| limit.bound.to_string())?;
///     assert_eq!(view.len(id("allow")?), usize::from(tool == 8));
/// }
/// # Ok::<(), String>(())
/// ```
pub struct Prepared {
    program: Arc<Program>,
    params: Vec<Word>,
    limits: Limits,
    standing: Database,
    /// By relation: whether requests may change it.
    varies: Vec<bool>,
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
    relation: usize,
    len: u32,
    layout: Layout,
}

/// A stratum with its plans, made when they are first needed.
struct Kept {
    stratum: usize,
    /// The relations that its rules read, and the sizes that the plans were made for.
    sizes: Vec<(usize, u32)>,
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
            varies: vec![false; program.relations.len()],
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
        let places = relations.iter().map(|relation| relation.0 as usize);
        let new: Vec<usize> = places.filter(|at| self.varies.get(*at) == Some(&false)).collect();
        if new.is_empty() {
            return Ok(());
        }
        new.into_iter().for_each(|at| self.varies.get_mut(at).into_iter().for_each(|varies| *varies = true));
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
        let varies = |stratum: &Stratum| {
            stratum.relations.iter().any(|relation| self.varies.get(relation.0 as usize) == Some(&true))
        };
        for stratum in program.strata.iter().filter(|stratum| !varies(stratum)) {
            run.stratum(stratum)?;
        }
        let strata = (0..).zip(&program.strata).filter(|(_, stratum)| varies(stratum));
        self.strata = strata.map(|(at, stratum)| Kept::new(&program, at, stratum)).collect();
        (self.relations, self.standing_reports, self.spent) = run.into_parts();
        self.marks.clear();
        let varying = self.varies.iter().enumerate().filter(|(_, varies)| **varies);
        varying.for_each(|(at, _)| self.relations.make_set(at));
        for (at, (known, fresh)) in self.relations.known.iter_mut().zip(&self.relations.fresh).enumerate() {
            known.set_few(FEW_STANDING);
            if self.varies.get(at) == Some(&true) {
                known.set_few(FEW_VARYING);
                known.rewind(known.len());
                self.marks.push(Mark { relation: at, len: known.len(), layout: fresh.layout() });
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
        let brings = |at: usize| facts.relations.get(at).is_some_and(|rows| !rows.is_empty());
        if (0..self.varies.len()).any(|at| brings(at) && self.varies.get(at) == Some(&false)) {
            let new: Vec<RelationId> =
                (0..self.varies.len()).filter(|at| brings(*at)).map(|at| RelationId(at as u32)).collect();
            self.expect(&new)?;
        }
        let program = Arc::clone(&self.program);
        self.load(facts).map_err(|bound| bound.by(&program, RuleId(0)))?;
        let mut reports = Reports::new(&program);
        let mut budget = Budget::new(&self.limits);
        budget.spend(self.spent).map_err(|bound| bound.by(&program, RuleId(0)))?;
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
            let relation =
                (self.relations.known.get_mut(mark.relation), self.relations.fresh.get_mut(mark.relation));
            if let (Some(known), Some(fresh)) = relation {
                if known.len() > mark.len || fresh.is_open() {
                    fresh.rewind(known, mark.len, mark.layout);
                    mark.layout = fresh.layout();
                }
                known.rewind(mark.len);
            }
        }
    }

    fn load(&mut self, facts: &Database) -> Result<(), Bound> {
        for mark in &self.marks {
            if let Some(rows) = facts.relations.get(mark.relation).filter(|rows| !rows.is_empty()) {
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
        let Some(kept) = self.strata.get_mut(at) else { return Ok(()) };
        let Some(stratum) = program.strata.get(kept.stratum) else { return Ok(()) };
        kept.check(&self.relations.known);
        let mut at_work = stratum.rules.first().copied().unwrap_or(RuleId(0));
        for round in 1.. {
            if stratum.recursive {
                budget.round(round).map_err(|bound| bound.by(program, at_work))?;
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
                let Some(rule) = program.rule(plan.rule) else { continue };
                let mut site = Site {
                    known: &self.relations.known,
                    fresh: Open::Mine(&mut self.relations.fresh),
                    budget,
                    reports,
                    params: &self.params,
                };
                let (_, derived) = apply(plan, rule, output, &mut site, &mut self.scratch)
                    .map_err(|bound| bound.by(program, plan.rule))?;
                if derived > 0 {
                    grew = Some(plan.rule);
                }
            }
            self.relations.close(&stratum.relations, Threads::ONE);
            if budget.weighs() {
                budget.memory(self.relations.bytes()).map_err(|bound| bound.by(program, at_work))?;
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
    let output = |plan: &Plan| program.rule(plan.rule).map_or(Output::Facts, |rule| Output::new(rule, plan));
    plans.into_iter().map(|plan| (output(&plan), plan)).map(|(output, plan)| (plan, output)).collect()
}

/// Marks everything that depends on a relation that varies, and what shares a stratum with it.
fn spread(program: &Program, varies: &mut [bool]) {
    let is_marked = |varies: &[bool], relation: RelationId| varies.get(relation.0 as usize) == Some(&true);
    // A stratum comes after all that it reads, so one pass is enough.
    for stratum in &program.strata {
        let rules = stratum.rules.iter().filter_map(|rule| program.rule(*rule));
        let reads = rules.flat_map(|rule| rule.reads());
        let touched = reads.chain(stratum.relations.iter().copied()).any(|read| is_marked(varies, read));
        if touched {
            let places = stratum.relations.iter().map(|relation| relation.0 as usize);
            places.for_each(|at| varies.get_mut(at).into_iter().for_each(|varies| *varies = true));
        }
    }
}

impl Kept {
    fn new(program: &Program, at: usize, stratum: &Stratum) -> Self {
        let rules = stratum.rules.iter().filter_map(|rule| program.rule(*rule));
        let atoms = rules.flat_map(|rule| &rule.body).filter_map(|literal| match literal {
            Literal::Atom(atom) | Literal::Not(atom) => Some(atom.relation.0 as usize),
            _ => None,
        });
        let mut reads: Vec<usize> = atoms.collect();
        reads.sort_unstable();
        reads.dedup();
        let sizes = reads.into_iter().map(|relation| (relation, 0)).collect();
        Self { stratum: at, sizes, first: None, later: None }
    }

    /// Forgets the plans if relations have outgrown them.
    fn check(&mut self, known: &[Known]) {
        let now = |relation: usize| known.get(relation).map_or(0, Known::len);
        let outgrown = |(relation, size): &(usize, u32)| now(*relation) / GROWTH > *size;
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
    fn known(&self, relation: RelationId) -> Option<&'a Known> {
        self.prepared.relations.known.get(relation.0 as usize)
    }

    /// How many facts a relation has.
    pub fn len(&self, relation: RelationId) -> usize {
        self.known(relation).map_or(0, |known| known.len() as usize)
    }

    /// Whether a relation has no facts.
    pub fn is_empty(&self, relation: RelationId) -> bool {
        self.len(relation) == 0
    }

    /// The facts of a relation, in the order of their derivation as [`crate::backend::Extent`] has it.
    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = Row> + 'a {
        let known = self.known(relation);
        let len = known.map_or(0, Known::len);
        (0..len).map(move |at| known.map(|known| known.row(at).iter().collect()).unwrap_or_default())
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
