//! Decisions from scratch, many in a row: the rules and the facts that stand are prepared once.

use hence_core::fact::Fact;
use hence_core::fault::{self, Fault};
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Word;
use hence_engine::{Database, LimitReached, Limits, Prepared, PreparedModel, SemiNaive, Undefined};
use hence_proof::proof::FactPattern;

use super::brought::{self, Brought};
use super::error::SessionError;
use super::{RuleSet, Session, ask, evaluation};

/// A session's rules over the facts that stood in it when it was prepared. Each request brings facts of its own, is
/// decided as if nothing but those and what stands had ever been known, and leaves nothing after.
///
/// ```
/// use hence_core::fact::Fact;
/// use hence_session::{Loader, Session, check};
/// use hence_core::value::Value;
///
/// let mut loader = Loader::default();
/// let rules = "input banned(tool: string). input asked(tool: string). decision allow(tool: string).
///              allow(T) :- asked(T), !banned(T).";
/// loader.text("policy.dl", rules);
/// let rules = *check(loader.finish(), &[]).rules.ok_or("faults in the rules")?;
/// let fact = |relation: &str, tool: &str| Fact::new(relation, [Value::String(tool.into())]);
///
/// let session = Session::over_facts(rules, vec![fact("banned", "rm")])?;
/// let mut prepared = session.prepare()?;
/// let decided = prepared.decide_fresh(&[fact("asked", "rm"), fact("asked", "ls")], 0)?;
/// assert_eq!(decided.decisions, [fact("allow", "ls")]);
/// assert!(prepared.decide_fresh(&[], 0)?.decisions.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Requests that are rows already ([`PreparedSession::request`], [`PreparedSession::evaluate`]) cost no more than the
/// rules themselves: a few microseconds for a few dozen facts and rules.
pub struct PreparedSession<'s> {
    rules: &'s RuleSet,
    lenient: bool,
    limits: Limits,
    prepared: Prepared,
    request: Database,
    /// What ended an evaluation half-way; nothing can be evaluated after that.
    fault: Option<Fault>,
}

/// What follows from one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The decisions, ascending.
    pub decisions: Vec<Fact>,
    /// Decisions that follow possibly and not certainly, ascending.
    pub undetermined: Vec<FactPattern>,
    /// Undefined operations, a line each.
    pub reports: Vec<String>,
}

impl Session {
    /// Prepares the rules over the facts that stand now, for decisions from scratch by the embedded engine.
    ///
    /// # Errors
    /// A limit that what stands reaches, a ledger that can't be read.
    pub fn prepare(&self) -> Result<PreparedSession<'_>, SessionError> {
        self.entry(|| self.prepare_here())
    }

    fn prepare_here(&self) -> Result<PreparedSession<'_>, SessionError> {
        let rules = &self.rules;
        let prepared = Prepared::new(rules.program.clone(), self.standing()?, self.limits);
        let prepared = prepared.map_err(|reached| limit(rules, &reached))?;
        let request = Database::new(&rules.program);
        Ok(PreparedSession {
            rules,
            lenient: self.lenient,
            limits: self.limits,
            prepared,
            request,
            fault: None,
        })
    }
}

impl PreparedSession<'_> {
    /// The decisions for `facts` beside those that stand, at the time `now` (microseconds since the epoch).
    ///
    /// # Errors
    /// A fact of no input that the rules know, a limit that was reached.
    pub fn decide_fresh(&mut self, facts: &[Fact], now: i64) -> Result<Decided, SessionError> {
        self.request.clear();
        brought::check(self.rules, facts, Brought::Inputs)?;
        for fact in facts {
            evaluation::add_standing(&self.rules.program, &mut self.request, fact)?;
        }
        let (rules, lenient, limits) = (self.rules, self.lenient, self.limits);
        let view = self.evaluate(now)?;
        if lenient || view.undefined().is_empty() {
            let rows = |id: RelationId| view.rows(id).map(|row| row.to_vec()).collect();
            return Ok(decided(rules, rows, view.undefined()));
        }
        let of = (&rules.program, &rules.sources);
        let found = evaluation::three_valued(of, view.to_model(), &SemiNaive, &limits)?;
        let rows = |id: RelationId| found.model[id].rows.iter().map(<[Word]>::to_vec).collect();
        let undetermined = evaluation::undetermined_decisions(&rules.program, &found.undetermined);
        Ok(Decided { undetermined, ..decided(rules, rows, &found.model.undefined) })
    }

    /// The rows of the next request, in a buffer that is used again: clear it, fill it, [`PreparedSession::evaluate`].
    pub fn request(&mut self) -> &mut Database {
        &mut self.request
    }

    /// Everything that follows from the rows of the request and what stands, at the time `now`.
    ///
    /// # Errors
    /// A limit that was reached.
    pub fn evaluate(&mut self, now: i64) -> Result<PreparedModel<'_>, SessionError> {
        evaluation::add_now(&self.rules.program, &mut self.request, now);
        let rules = self.rules;
        let Self { prepared, request, fault, .. } = self;
        if let Some(fault) = fault {
            return Err(fault.clone().into());
        }
        let followed = fault::caught(|| prepared.evaluate(request).map_err(|reached| limit(rules, &reached)));
        if let Err(SessionError::Fault(found)) = &followed {
            *fault = Some(found.clone());
        }
        followed
    }
}

fn limit(rules: &RuleSet, reached: &LimitReached) -> SessionError {
    evaluation::limit(&rules.program, &rules.sources, reached)
}

fn decided(rules: &RuleSet, rows: impl Fn(RelationId) -> Vec<Vec<Word>>, undefined: &[Undefined]) -> Decided {
    let program = &rules.program;
    let relations = (0..program.relations.len() as u32)
        .map(RelationId)
        .filter(|relation| program.relation(*relation).is_some_and(|found| found.kind == Kind::Decision));
    let facts = relations.flat_map(|relation| {
        rows(relation).into_iter().map(move |row| evaluation::fact_of(program, relation, &row))
    });
    let mut decisions: Vec<Fact> = facts.collect();
    decisions.sort_unstable();
    let reports = undefined.iter().map(|report| ask::report_line(program, &rules.sources, report));
    Decided { decisions, undetermined: Vec::new(), reports: reports.collect() }
}
