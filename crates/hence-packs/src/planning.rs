//! `planning`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: retry, roll back or give up; what may run together; which approach; which change is refused.

#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{BadFact, BadParam, Bounds, Column, Columns, Name, Record, Row, RunError};
#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{Symbol, Tables, Undetermined, Word, broken, drawn, fill};

pub use compiled::PACK;

/// The time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Now {
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Now {
    const TABLE: usize = 0;
    const RELATION: &'static str = "now";

    fn write(&self, row: &mut Row) {
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { at: columns.take() }
    }
}

/// A step of a plan and the file that it changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// `plan`
    pub plan: String,
    /// `index`
    pub index: i64,
    /// `file`
    pub file: String,
}

impl Record for Step {
    const TABLE: usize = 1;
    const RELATION: &'static str = "step";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("index", &self.index);
        row.put("file", &self.file);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), index: columns.take(), file: columns.take() }
    }
}

/// What column `outcome` of `attempt` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttemptOutcome {
    /// `/ok`
    OkFact,
    /// `/write_failed`
    WriteFailed,
    /// `/type_error`
    TypeError,
}

impl AttemptOutcome {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OkFact => "/ok",
            Self::WriteFailed => "/write_failed",
            Self::TypeError => "/type_error",
        }
    }
}

impl Column for AttemptOutcome {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/ok" => Self::OkFact,
            "/write_failed" => Self::WriteFailed,
            "/type_error" => Self::TypeError,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// An attempt at a step, counted from 1, and whether its failure can be mended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attempt {
    /// `plan`
    pub plan: String,
    /// `index`
    pub index: i64,
    /// `n`
    pub n: i64,
    /// `outcome`
    pub outcome: AttemptOutcome,
    /// `fixable`
    pub fixable: bool,
}

impl Record for Attempt {
    const TABLE: usize = 2;
    const RELATION: &'static str = "attempt";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("index", &self.index);
        row.put("n", &self.n);
        row.put("outcome", &self.outcome);
        row.put("fixable", &self.fixable);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            plan: columns.take(),
            index: columns.take(),
            n: columns.take(),
            outcome: columns.take(),
            fixable: columns.take(),
        }
    }
}

/// All tests ran after the last step; so many failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FinalTests {
    /// `plan`
    pub plan: String,
    /// `failed`
    pub failed: i64,
}

impl Record for FinalTests {
    const TABLE: usize = 3;
    const RELATION: &'static str = "final_tests";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("failed", &self.failed);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), failed: columns.take() }
    }
}

/// After the tests failed the whole plan was looked at again, and whether a fix was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FixAttempt {
    /// `plan`
    pub plan: String,
    /// `fixable`
    pub fixable: bool,
}

impl Record for FixAttempt {
    const TABLE: usize = 4;
    const RELATION: &'static str = "fix_attempt";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("fixable", &self.fixable);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), fixable: columns.take() }
    }
}

/// A call of a tool in a chain of calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// `chain`
    pub chain: String,
    /// `call`
    pub call: String,
    /// `tool`
    pub tool: Name,
}

impl Record for Call {
    const TABLE: usize = 5;
    const RELATION: &'static str = "call";

    fn write(&self, row: &mut Row) {
        row.put("chain", &self.chain);
        row.put("call", &self.call);
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { chain: columns.take(), call: columns.take(), tool: columns.take() }
    }
}

/// The call needs the other one's result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallNeeds {
    /// `chain`
    pub chain: String,
    /// `call`
    pub call: String,
    /// `other`
    pub other: String,
}

impl Record for CallNeeds {
    const TABLE: usize = 6;
    const RELATION: &'static str = "call_needs";

    fn write(&self, row: &mut Row) {
        row.put("chain", &self.chain);
        row.put("call", &self.call);
        row.put("other", &self.other);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { chain: columns.take(), call: columns.take(), other: columns.take() }
    }
}

/// Where a call is in the list that its chain is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallPlace {
    /// `chain`
    pub chain: String,
    /// `call`
    pub call: String,
    /// `place`
    pub place: i64,
}

impl Record for CallPlace {
    const TABLE: usize = 7;
    const RELATION: &'static str = "call_place";

    fn write(&self, row: &mut Row) {
        row.put("chain", &self.chain);
        row.put("call", &self.call);
        row.put("place", &self.place);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { chain: columns.take(), call: columns.take(), place: columns.take() }
    }
}

/// What column `risk` of `approach` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ApproachRisk {
    /// `/low`
    Low,
    /// `/medium`
    Medium,
    /// `/high`
    High,
}

impl ApproachRisk {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "/low",
            Self::Medium => "/medium",
            Self::High => "/high",
        }
    }
}

impl Column for ApproachRisk {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/low" => Self::Low,
            "/medium" => Self::Medium,
            "/high" => Self::High,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// A way to do a task: confidence from 0 to 1, risk, and how many iterations it is expected to take.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Approach {
    /// `task`
    pub task: String,
    /// `approach`
    pub approach: String,
    /// `confidence`
    pub confidence: f64,
    /// `risk`
    pub risk: ApproachRisk,
    /// `iterations`
    pub iterations: i64,
}

impl Record for Approach {
    const TABLE: usize = 8;
    const RELATION: &'static str = "approach";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("approach", &self.approach);
        row.put("confidence", &self.confidence);
        row.put("risk", &self.risk);
        row.put("iterations", &self.iterations);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            task: columns.take(),
            approach: columns.take(),
            confidence: columns.take(),
            risk: columns.take(),
            iterations: columns.take(),
        }
    }
}

/// The approach failed at such a task before.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApproachFailedBefore {
    /// `task`
    pub task: String,
    /// `approach`
    pub approach: String,
}

impl Record for ApproachFailedBefore {
    const TABLE: usize = 9;
    const RELATION: &'static str = "approach_failed_before";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("approach", &self.approach);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), approach: columns.take() }
    }
}

/// A change that a task makes to a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    /// `task`
    pub task: String,
    /// `file`
    pub file: String,
    /// `lines`
    pub lines: i64,
    /// `risk`
    pub risk: Name,
    /// `self_initiated`
    pub self_initiated: bool,
    /// `destructive`
    pub destructive: bool,
}

impl Record for Change {
    const TABLE: usize = 10;
    const RELATION: &'static str = "change";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("file", &self.file);
        row.put("lines", &self.lines);
        row.put("risk", &self.risk);
        row.put("self_initiated", &self.self_initiated);
        row.put("destructive", &self.destructive);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            task: columns.take(),
            file: columns.take(),
            lines: columns.take(),
            risk: columns.take(),
            self_initiated: columns.take(),
            destructive: columns.take(),
        }
    }
}

/// How far the agent is trusted; the lowest counts, without one 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrustLevel {
    /// `level`
    pub level: i64,
}

impl Record for TrustLevel {
    const TABLE: usize = 11;
    const RELATION: &'static str = "trust_level";

    fn write(&self, row: &mut Row) {
        row.put("level", &self.level);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { level: columns.take() }
    }
}

/// A file that the agent may not change.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Protected {
    /// `file`
    pub file: String,
}

impl Record for Protected {
    const TABLE: usize = 12;
    const RELATION: &'static str = "protected";

    fn write(&self, row: &mut Row) {
        row.put("file", &self.file);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { file: columns.take() }
    }
}

/// Attempt this step next, for the n-th time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NextStep {
    /// `plan`
    pub plan: String,
    /// `index`
    pub index: i64,
    /// `n`
    pub n: i64,
}

impl Record for NextStep {
    const TABLE: usize = 25;
    const RELATION: &'static str = "next_step";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("index", &self.index);
        row.put("n", &self.n);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), index: columns.take(), n: columns.take() }
    }
}

/// Undo what the step changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rollback {
    /// `plan`
    pub plan: String,
    /// `index`
    pub index: i64,
}

impl Record for Rollback {
    const TABLE: usize = 26;
    const RELATION: &'static str = "rollback";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("index", &self.index);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), index: columns.take() }
    }
}

/// Look at the whole plan once more, for its tests fail.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FixPass {
    /// `plan`
    pub plan: String,
}

impl Record for FixPass {
    const TABLE: usize = 30;
    const RELATION: &'static str = "fix_pass";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take() }
    }
}

/// What column `outcome` of `plan_outcome` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlanOutcomeOutcome {
    /// `/success`
    Success,
    /// `/partial`
    Partial,
    /// `/failed`
    Failed,
}

impl PlanOutcomeOutcome {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "/success",
            Self::Partial => "/partial",
            Self::Failed => "/failed",
        }
    }
}

impl Column for PlanOutcomeOutcome {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/success" => Self::Success,
            "/partial" => Self::Partial,
            "/failed" => Self::Failed,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// How a plan ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlanOutcome {
    /// `plan`
    pub plan: String,
    /// `outcome`
    pub outcome: PlanOutcomeOutcome,
}

impl Record for PlanOutcome {
    const TABLE: usize = 31;
    const RELATION: &'static str = "plan_outcome";

    fn write(&self, row: &mut Row) {
        row.put("plan", &self.plan);
        row.put("outcome", &self.outcome);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { plan: columns.take(), outcome: columns.take() }
    }
}

/// What column `reason` of `chain_invalid` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChainInvalidReason {
    /// `/cycle`
    Cycle,
    /// `/missing_call`
    MissingCall,
    /// `/unchecked_change`
    UncheckedChange,
}

impl ChainInvalidReason {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cycle => "/cycle",
            Self::MissingCall => "/missing_call",
            Self::UncheckedChange => "/unchecked_change",
        }
    }
}

impl Column for ChainInvalidReason {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/cycle" => Self::Cycle,
            "/missing_call" => Self::MissingCall,
            "/unchecked_change" => Self::UncheckedChange,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// The chain must not run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainInvalid {
    /// `chain`
    pub chain: String,
    /// `reason`
    pub reason: ChainInvalidReason,
}

impl Record for ChainInvalid {
    const TABLE: usize = 37;
    const RELATION: &'static str = "chain_invalid";

    fn write(&self, row: &mut Row) {
        row.put("chain", &self.chain);
        row.put("reason", &self.reason);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { chain: columns.take(), reason: columns.take() }
    }
}

/// Do the task this way.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct ChooseApproach {
    /// `task`
    pub task: String,
    /// `approach`
    pub approach: String,
    /// `score`
    pub score: f64,
}

impl Record for ChooseApproach {
    const TABLE: usize = 44;
    const RELATION: &'static str = "choose_approach";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("approach", &self.approach);
        row.put("score", &self.score);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), approach: columns.take(), score: columns.take() }
    }
}

/// The change must not be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeRefused {
    /// `task`
    pub task: String,
    /// `reason`
    pub reason: Name,
    /// `file`
    pub file: String,
}

impl Record for ChangeRefused {
    const TABLE: usize = 49;
    const RELATION: &'static str = "change_refused";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("reason", &self.reason);
        row.put("file", &self.file);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), reason: columns.take(), file: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// So many attempts a step gets.
    pub step_attempts_allowed: i64,
    /// So many attempts a plan gets in all.
    pub plan_attempts_allowed: i64,
    /// What is left of the score of an approach that failed before.
    pub failed_before_factor: f64,
    /// So many files a task may change.
    pub files_allowed: i64,
    /// So many lines a task may change in a file.
    pub lines_allowed: i64,
    /// High risk needs this trust.
    pub high_risk_trust: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            step_attempts_allowed: 2,
            plan_attempts_allowed: 5,
            failed_before_factor: 0.5,
            files_allowed: 10,
            lines_allowed: 500,
            high_risk_trust: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("step_attempts_allowed", &self.step_attempts_allowed);
        row.put("plan_attempts_allowed", &self.plan_attempts_allowed);
        row.put("failed_before_factor", &self.failed_before_factor);
        row.put("files_allowed", &self.files_allowed);
        row.put("lines_allowed", &self.lines_allowed);
        row.put("high_risk_trust", &self.high_risk_trust);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A step of a plan and the file that it changes.
    pub step: Vec<Step>,
    /// An attempt at a step, counted from 1, and whether its failure can be mended.
    pub attempt: Vec<Attempt>,
    /// All tests ran after the last step; so many failed.
    pub final_tests: Vec<FinalTests>,
    /// After the tests failed the whole plan was looked at again, and whether a fix was found.
    pub fix_attempt: Vec<FixAttempt>,
    /// A call of a tool in a chain of calls.
    pub call: Vec<Call>,
    /// The call needs the other one's result.
    pub call_needs: Vec<CallNeeds>,
    /// Where a call is in the list that its chain is.
    pub call_place: Vec<CallPlace>,
    /// A way to do a task: confidence from 0 to 1, risk, and how many iterations it is expected to take.
    pub approach: Vec<Approach>,
    /// The approach failed at such a task before.
    pub approach_failed_before: Vec<ApproachFailedBefore>,
    /// A change that a task makes to a file.
    pub change: Vec<Change>,
    /// How far the agent is trusted; the lowest counts, without one 0.
    pub trust_level: Vec<TrustLevel>,
    /// A file that the agent may not change.
    pub protected: Vec<Protected>,
}

impl Facts {
    /// Draws the decisions, each relation's in ascending order.
    ///
    /// # Errors
    /// A value that its column or parameter can't hold, and limits that were reached.
    pub fn decide(&self, params: &Params) -> Result<Decisions, RunError> {
        self.decide_within(params, &Bounds::default())
    }

    /// Draws the decisions within the given limits.
    ///
    /// # Errors
    /// As [`Facts::decide`].
    pub fn decide_within(&self, params: &Params, bounds: &Bounds) -> Result<Decisions, RunError> {
        let decided = PACK.decide(|tables| self.fill(tables), &params.words()?, bounds)?;
        Ok(Decisions {
            next_step: drawn(&decided.tables),
            rollback: drawn(&decided.tables),
            fix_pass: drawn(&decided.tables),
            plan_outcome: drawn(&decided.tables),
            chain_invalid: drawn(&decided.tables),
            choose_approach: drawn(&decided.tables),
            change_refused: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.step)?;
        fill(tables, &self.attempt)?;
        fill(tables, &self.final_tests)?;
        fill(tables, &self.fix_attempt)?;
        fill(tables, &self.call)?;
        fill(tables, &self.call_needs)?;
        fill(tables, &self.call_place)?;
        fill(tables, &self.approach)?;
        fill(tables, &self.approach_failed_before)?;
        fill(tables, &self.change)?;
        fill(tables, &self.trust_level)?;
        fill(tables, &self.protected)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Step> for Facts {
    fn extend<Many: IntoIterator<Item = Step>>(&mut self, facts: Many) {
        self.step.extend(facts);
    }
}

impl Extend<Attempt> for Facts {
    fn extend<Many: IntoIterator<Item = Attempt>>(&mut self, facts: Many) {
        self.attempt.extend(facts);
    }
}

impl Extend<FinalTests> for Facts {
    fn extend<Many: IntoIterator<Item = FinalTests>>(&mut self, facts: Many) {
        self.final_tests.extend(facts);
    }
}

impl Extend<FixAttempt> for Facts {
    fn extend<Many: IntoIterator<Item = FixAttempt>>(&mut self, facts: Many) {
        self.fix_attempt.extend(facts);
    }
}

impl Extend<Call> for Facts {
    fn extend<Many: IntoIterator<Item = Call>>(&mut self, facts: Many) {
        self.call.extend(facts);
    }
}

impl Extend<CallNeeds> for Facts {
    fn extend<Many: IntoIterator<Item = CallNeeds>>(&mut self, facts: Many) {
        self.call_needs.extend(facts);
    }
}

impl Extend<CallPlace> for Facts {
    fn extend<Many: IntoIterator<Item = CallPlace>>(&mut self, facts: Many) {
        self.call_place.extend(facts);
    }
}

impl Extend<Approach> for Facts {
    fn extend<Many: IntoIterator<Item = Approach>>(&mut self, facts: Many) {
        self.approach.extend(facts);
    }
}

impl Extend<ApproachFailedBefore> for Facts {
    fn extend<Many: IntoIterator<Item = ApproachFailedBefore>>(&mut self, facts: Many) {
        self.approach_failed_before.extend(facts);
    }
}

impl Extend<Change> for Facts {
    fn extend<Many: IntoIterator<Item = Change>>(&mut self, facts: Many) {
        self.change.extend(facts);
    }
}

impl Extend<TrustLevel> for Facts {
    fn extend<Many: IntoIterator<Item = TrustLevel>>(&mut self, facts: Many) {
        self.trust_level.extend(facts);
    }
}

impl Extend<Protected> for Facts {
    fn extend<Many: IntoIterator<Item = Protected>>(&mut self, facts: Many) {
        self.protected.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Attempt this step next, for the n-th time.
    pub next_step: Vec<NextStep>,
    /// Undo what the step changed.
    pub rollback: Vec<Rollback>,
    /// Look at the whole plan once more, for its tests fail.
    pub fix_pass: Vec<FixPass>,
    /// How a plan ended.
    pub plan_outcome: Vec<PlanOutcome>,
    /// The chain must not run.
    pub chain_invalid: Vec<ChainInvalid>,
    /// Do the task this way.
    pub choose_approach: Vec<ChooseApproach>,
    /// The change must not be made.
    pub change_refused: Vec<ChangeRefused>,
    /// Rows that follow possibly and not certainly, because of undefined operations; they are not drawn.
    pub undetermined: Vec<Undetermined>,
    /// Undefined operations, one line each.
    pub reports: Vec<String>,
}

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    clippy::all,
    reason = "what crepe makes of rules, and which names they need"
)]
mod compiled {
    use crate::support::*;

    /// These rules, as an engine runs them.
    #[rustfmt::skip]
    pub static PACK: Pack = Pack {
        name: "planning",
        fingerprint: "bd9a7257efd79f27e1e3d8f2fc78d297",
        relations: &["now", "step", "attempt", "final_tests", "fix_attempt", "call", "call_needs", "call_place", "approach", "approach_failed_before", "change", "trust_level", "protected", "latest_attempt", "attempts_at_steps", "fix_passes", "plan_attempts", "step_attempts", "out_of_attempts", "retried", "step_done", "step_skipped", "plan_failed", "open_step", "first_open_step", "next_step", "rollback", "test_result", "plan_finished", "plan_incomplete", "fix_pass", "plan_outcome", "changing_tool", "checking_tool", "call_waits", "call_depends", "checked_call", "chain_invalid", "calls_before", "call_wave", "risk_penalty", "fresh_score", "approach_score", "ranked_approach", "choose_approach", "runner_up", "protected_name", "files_changed", "trust", "change_refused"],
        params: &["step_attempts_allowed", "plan_attempts_allowed", "failed_before_factor", "files_allowed", "lines_allowed", "high_risk_trust"],
        rule_ids: &["latest_attempt#1", "attempts_at_steps#1", "attempts_at_steps#2", "fix_passes#1", "fix_passes#2", "plan_attempts#1", "step_attempts#1", "step_attempts#2", "out_of_attempts#1", "mendable_first_failure", "step_done#1", "step_skipped#1", "write_failed_for_good", "open_step#1", "first_open_step#1", "first_step_left", "types_do_not_fit", "write_given_up", "test_result#1", "plan_finished#1", "plan_finished#2", "plan_incomplete#1", "tests_fail_and_attempts_are_left", "plan_could_not_go_on", "all_done_and_tested", "some_steps_missing", "some_tests_failed", "waits_for_what_it_needs", "check_waits_for_changes_before_it", "call_depends#1", "call_depends#2", "checked_call#1", "call_needs_itself", "needing_call_missing", "needed_call_missing", "change_never_checked", "calls_before#1", "calls_before#2", "call_wave#1", "fresh_score#1", "approach_score#1", "approach_score#2", "ranked_approach#1", "best_approach", "runner_up#1", "files_changed#1", "trust#1", "trust#2", "file_protected", "name_protected", "many_files", "many_lines", "risk_above_trust", "destroys_unasked"],
        arities: &[1, 3, 5, 2, 2, 3, 3, 3, 5, 2, 6, 1, 1, 5, 2, 2, 2, 3, 1, 2, 2, 2, 1, 2, 2, 3, 2, 2, 1, 1, 1, 2, 1, 1, 3, 3, 2, 2, 3, 3, 2, 3, 3, 4, 3, 2, 1, 2, 1, 3, 6, 5, 2, 5, 2, 2, 3, 4, 6, 1],
        rules: &[&RULE_0, &RULE_1, &RULE_3, &RULE_5, &RULE_6, &RULE_14, &RULE_15, &RULE_18, &RULE_37, &RULE_38, &RULE_39, &RULE_41, &RULE_42, &RULE_45, &RULE_46],
        decisions: &["chain_invalid", "change_refused", "choose_approach", "fix_pass", "next_step", "plan_outcome", "rollback"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 50, &RULE_0, params);
        aggregate(tables, 51, &RULE_1, params);
        aggregate(tables, 52, &RULE_3, params);
        aggregate(tables, 53, &RULE_6, params);
        aggregate(tables, 55, &RULE_18, params);
        aggregate(tables, 56, &RULE_38, params);
        limit(tables, 57, &RULE_42, params);
        aggregate(tables, 58, &RULE_45, params);
        aggregate(tables, 59, &RULE_46, params);
        program_1::run(tables, params);
        limit(tables, 54, &RULE_14, params);
        program_2::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(32, &FACTS_32);
        tables.facts(33, &FACTS_33);
        tables.facts(40, &FACTS_40);
        tables.facts(46, &FACTS_46);
    }

    /// The facts of `changing_tool`.
    #[rustfmt::skip]
    static FACTS_32: [[Cell; 1]; 2] = [
        [Cell::T("/write")],
        [Cell::T("/edit")],
    ];

    /// The facts of `checking_tool`.
    #[rustfmt::skip]
    static FACTS_33: [[Cell; 1]; 2] = [
        [Cell::T("/test")],
        [Cell::T("/typecheck")],
    ];

    /// The facts of `risk_penalty`.
    #[rustfmt::skip]
    static FACTS_40: [[Cell; 2]; 3] = [
        [Cell::T("/low"), Cell::F(0.0)],
        [Cell::T("/medium"), Cell::F(0.2)],
        [Cell::T("/high"), Cell::F(0.5)],
    ];

    /// The facts of `protected_name`.
    #[rustfmt::skip]
    static FACTS_46: [[Cell; 1]; 7] = [
        [Cell::T("trust.ts")],
        [Cell::T("shell.ts")],
        [Cell::T("guardrails.ts")],
        [Cell::T("signal.ts")],
        [Cell::T("config.json")],
        [Cell::T(".env")],
        [Cell::T("package.json")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/cycle",
        "/missing_call",
        "/unchecked_change",
        "/ok",
        "/type_error",
        "/write_failed",
        "/failed",
        "/success",
        "/partial",
        "/protected",
        "/too_many_files",
        "/too_many_lines",
        "/high",
        "/high_risk_low_trust",
        "/self_initiated_destructive",
    ]);

    #[rustfmt::skip]
    static PATTERNS: Patterns = Patterns::new(&[
        "[^/]+$",
    ]);

    // plan_attempts#1
    fn plan_attempts_5_0(attempts_1: Word, passes_2: Word) -> Eval {
        two(Op::AddInt, 0, attempts_1, passes_2)
    }

    // out_of_attempts#1
    fn out_of_attempts_8_0(attempts_1: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[attempts_1, p1])
    }

    // mendable_first_failure
    fn retried_9_0(outcome_3: Word) -> Word {
        sure(Op::NotEqual, &[outcome_3, TEXTS.word(3)])
    }

    fn retried_9_1(n_2: Word, p0: Word) -> Word {
        sure(Op::Less, &[n_2, p0])
    }

    // first_step_left
    fn next_step_15_0(attempts_2: Word) -> Eval {
        two(Op::AddInt, 0, attempts_2, int(1))
    }

    // tests_fail_and_attempts_are_left
    fn fix_pass_22_0(failed_1: Word) -> Word {
        sure(Op::Greater, &[failed_1, int(0)])
    }

    // some_tests_failed
    fn plan_outcome_26_0(failed_1: Word) -> Word {
        sure(Op::Greater, &[failed_1, int(0)])
    }

    // check_waits_for_changes_before_it
    fn call_waits_28_0(before_6: Word, place_4: Word) -> Word {
        sure(Op::Less, &[before_6, place_4])
    }

    // calls_before#2
    fn calls_before_37_0(calls_2: Word) -> Eval {
        two(Op::AddInt, 0, calls_2, int(1))
    }

    // fresh_score#1
    #[rustfmt::skip]
    fn fresh_score_39_0(confidence_2: Word, penalty_3: Word, iterations_4: Word) -> Eval {
        two(Op::DivFloat, 0, two(Op::MulFloat, 1, confidence_2, two(Op::SubFloat, 2, float(1.0), penalty_3)?)?, sure(Op::FloatOfInt, &[sure(Op::Max, &[iterations_4, int(1)])]))
    }

    // approach_score#2
    fn approach_score_41_0(score_2: Word, p2: Word) -> Eval {
        two(Op::MulFloat, 0, score_2, p2)
    }

    // name_protected
    fn change_refused_49_0(name_2: Word, value_3: Word) -> Word {
        sure(Op::Equal, &[name_2, value_3])
    }

    // many_files
    fn change_refused_50_0(files_2: Word, p3: Word) -> Word {
        sure(Op::Greater, &[files_2, p3])
    }

    // many_lines
    fn change_refused_51_0(lines_2: Word, p4: Word) -> Word {
        sure(Op::Greater, &[lines_2, p4])
    }

    // risk_above_trust
    fn change_refused_52_0(level_2: Word, p5: Word) -> Word {
        sure(Op::Less, &[level_2, p5])
    }

    /// The rule `latest_attempt#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "latest_attempt#1",
        head: 13,
        variables: &[("Plan", Type::String), ("Index", Type::Int), ("N", Type::Int), ("Outcome", Type::Name), ("Fixable", Type::Bool)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
            Step::Atom(2, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Var(4),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0, 1],
            by: &[(|m| Ok(m.var(2)), Type::Int, true)],
            rank: None,
            types: &[Type::String, Type::Int, Type::Int, Type::Name, Type::Bool],
        }),
        places: &[],
    };

    /// The rule `attempts_at_steps#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "attempts_at_steps#1",
        head: 14,
        variables: &[("Plan", Type::String)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:95:25", "count()")],
    };

    /// The rule `fix_passes#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_3: Rule = Rule {
        number: 3,
        id: "fix_passes#1",
        head: 15,
        variables: &[("Plan", Type::String)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:101:18", "count()")],
    };

    /// The rule `plan_attempts#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "plan_attempts#1",
        head: 16,
        variables: &[("Plan", Type::String), ("Attempts", Type::Int), ("Passes", Type::Int)],
        body: &[
            Step::Atom(14, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(15, &[Arg::Var(0), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| plan_attempts_5_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:107:21", "Attempts + Passes")],
    };

    /// The rule `step_attempts#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "step_attempts#1",
        head: 17,
        variables: &[("Plan", Type::String), ("Index", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:114:28", "count()")],
    };

    /// The rule `first_open_step#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_14: Rule = Rule {
        number: 14,
        id: "first_open_step#1",
        head: 24,
        variables: &[("Plan", Type::String), ("Index", Type::Int)],
        body: &[
            Step::Atom(23, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(1)), Type::Int, false)],
            rank: None,
            types: &[Type::String, Type::Int],
        }),
        places: &[],
    };

    /// The rule `first_step_left`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_15: Rule = Rule {
        number: 15,
        id: "first_step_left",
        head: 25,
        variables: &[("Plan", Type::String), ("Index", Type::Int), ("Attempts", Type::Int)],
        body: &[
            Step::Atom(24, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(17, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Not(22, &[Arg::Var(0)]),
            Step::Not(18, &[Arg::Var(0)]),
            Step::Not(3, &[Arg::Var(0), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| next_step_15_0(m.var(2))),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:165:24", "Attempts + 1")],
    };

    /// The rule `test_result#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_18: Rule = Rule {
        number: 18,
        id: "test_result#1",
        head: 27,
        variables: &[("Plan", Type::String), ("Failed", Type::Int)],
        body: &[
            Step::Atom(3, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:186:19", "min(Failed)")],
    };

    /// The rule `calls_before#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_37: Rule = Rule {
        number: 37,
        id: "calls_before#2",
        head: 38,
        variables: &[("Chain", Type::String), ("Call", Type::String), ("Calls", Type::Int), ("Other", Type::String)],
        body: &[
            Step::Atom(34, &[Arg::Var(0), Arg::Var(1), Arg::Var(3)]),
            Step::Atom(38, &[Arg::Var(0), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| calls_before_37_0(m.var(2))),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:319:27", "Calls + 1")],
    };

    /// The rule `call_wave#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_38: Rule = Rule {
        number: 38,
        id: "call_wave#1",
        head: 39,
        variables: &[("Chain", Type::String), ("Call", Type::String), ("Calls", Type::Int)],
        body: &[
            Step::Atom(38, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Max, &[(Type::Int, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:326:24", "max(Calls)")],
    };

    /// The rule `fresh_score#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_39: Rule = Rule {
        number: 39,
        id: "fresh_score#1",
        head: 41,
        variables: &[("Task", Type::String), ("Approach", Type::String), ("Confidence", Type::Float), ("Penalty", Type::Float), ("Iterations", Type::Int), ("Risk", Type::Name)],
        body: &[
            Step::Atom(8, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(5), Arg::Var(4)]),
            Step::Atom(40, &[Arg::Var(5), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| fresh_score_39_0(m.var(2), m.var(3), m.var(4))),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:340:29", "Confidence * (1.0 - Penalty) / float(max(Iterations, 1))"), ("rules/planning/planning.dl:340:29", "Confidence * (1.0 - Penalty)"), ("rules/planning/planning.dl:340:43", "1.0 - Penalty")],
    };

    /// The rule `approach_score#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_41: Rule = Rule {
        number: 41,
        id: "approach_score#2",
        head: 42,
        variables: &[("Task", Type::String), ("Approach", Type::String), ("Score", Type::Float)],
        body: &[
            Step::Atom(41, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(9, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| approach_score_41_0(m.var(2), m.param(2))),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:350:32", "Score * failed_before_factor")],
    };

    /// The rule `ranked_approach#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_42: Rule = Rule {
        number: 42,
        id: "ranked_approach#1",
        head: 43,
        variables: &[("Task", Type::String), ("Approach", Type::String), ("Score", Type::Float), ("Rank", Type::Int)],
        body: &[
            Step::Atom(42, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(2)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Float, true)],
            rank: Some(3),
            types: &[Type::String, Type::String, Type::Float, Type::Int],
        }),
        places: &[],
    };

    /// The rule `files_changed#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_45: Rule = Rule {
        number: 45,
        id: "files_changed#1",
        head: 47,
        variables: &[("Task", Type::String), ("File", Type::String)],
        body: &[
            Step::Atom(10, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:389:21", "count(File)")],
    };

    /// The rule `trust#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_46: Rule = Rule {
        number: 46,
        id: "trust#1",
        head: 48,
        variables: &[("Level", Type::Int)],
        body: &[
            Step::Atom(11, &[Arg::Var(0)]),
        ],
        terms: &[
            Term::Of(Aggregate::Min, &[(Type::Int, |m| Ok(m.var(0)))], 0),
        ],
        limit: None,
        places: &[("rules/planning/planning.dl:394:7", "min(Level)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row5 as R2Attempt,
            Row3 as R5Call,
            Row3 as R7CallPlace,
            Row2 as R9ApproachFailedBefore,
            Row1 as R32ChangingTool,
            Row1 as R33CheckingTool,
            Row2 as R40RiskPenalty,
            Row3 as R34CallWaits,
            Row3 as R35CallDepends,
            Row2 as R36CheckedCall,
            Row2 as R37ChainInvalid,
            Row3 as R38CallsBefore,
            Row3 as R41FreshScore,
            Row3 as R42ApproachScore,
            Row6 as M0,
            Row5 as M1,
            Row2 as M3,
            Row5 as M6,
            Row2 as M18,
            Row3 as M38,
            Row4 as M42,
            Row6 as M45,
            Row1 as M46,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R34CallWaits(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R35CallDepends(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R36CheckedCall(Word, Word);
            @output
            #[cfg(any())]
            struct R37ChainInvalid(Word, Word);
            @output
            #[cfg(any())]
            struct R38CallsBefore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R41FreshScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R42ApproachScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M0(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M3(Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M18(Word, Word);
            @output
            #[cfg(any())]
            struct M38(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M42(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M45(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M46(Word);
            @output
            #[cfg(any())]
            struct R2Attempt(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5Call(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7CallPlace(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R9ApproachFailedBefore(Word, Word);
            @output
            #[cfg(any())]
            struct R32ChangingTool(Word);
            @output
            #[cfg(any())]
            struct R33CheckingTool(Word);
            @output
            #[cfg(any())]
            struct R40RiskPenalty(Word, Word);

            R2Attempt(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(2);

            R5Call(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(5);

            R7CallPlace(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(7);

            R9ApproachFailedBefore(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(9);

            R32ChangingTool(c0) <-
                Source(input),
                for [c0] in input.rows(32);

            R33CheckingTool(c0) <-
                Source(input),
                for [c0] in input.rows(33);

            R40RiskPenalty(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(40);

            // latest_attempt#1
            M0(plan_0, index_1, n_2, outcome_3, fixable_4, open_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [plan_0, index_1, open_1] = row_1,
                R2Attempt(plan_0, index_1, n_2, outcome_3, fixable_4),
                (go());

            // attempts_at_steps#1
            M1(plan_0, open_1, open_2, open_3, open_4) <-
                R2Attempt(plan_0, open_1, open_2, open_3, open_4),
                (go());

            // fix_passes#1
            M3(plan_0, open_1) <-
                Source(input),
                for row_1 in input.rows(4),
                let [plan_0, open_1] = row_1,
                (go());

            // step_attempts#1
            M6(plan_0, index_1, open_1, open_2, open_3) <-
                R2Attempt(plan_0, index_1, open_1, open_2, open_3),
                (go());

            // test_result#1
            M18(plan_0, failed_1) <-
                Source(input),
                for row_1 in input.rows(3),
                let [plan_0, failed_1] = row_1,
                (go());

            // waits_for_what_it_needs
            R34CallWaits(chain_0, call_1, other_2) <-
                Source(input),
                for row_1 in input.rows(6),
                let [chain_0, call_1, other_2] = row_1,
                (go());

            // check_waits_for_changes_before_it
            R34CallWaits(chain_0, call_1, other_2) <-
                R5Call(chain_0, call_1, check_3),
                R7CallPlace(chain_0, call_1, place_4),
                R33CheckingTool(check_3),
                R5Call(chain_0, other_2, change_5),
                R7CallPlace(chain_0, other_2, before_6),
                (call_waits_28_0(before_6, place_4).as_bool()),
                R32ChangingTool(change_5),
                (go());

            // call_depends#1
            R35CallDepends(chain_0, call_1, other_2) <-
                R34CallWaits(chain_0, call_1, other_2),
                (go());

            // call_depends#2
            R35CallDepends(chain_0, call_1, other_2) <-
                R35CallDepends(chain_0, call_1, middle_3),
                R34CallWaits(chain_0, middle_3, other_2),
                (go());

            // checked_call#1
            R36CheckedCall(chain_0, call_1) <-
                R35CallDepends(chain_0, check_2, call_1),
                R5Call(chain_0, check_2, tool_3),
                R33CheckingTool(tool_3),
                (go());

            // call_needs_itself
            R37ChainInvalid(chain_0, TEXTS.word(0)) <-
                R35CallDepends(chain_0, call_1, column_0_2),
                (column_0_2 == call_1),
                (go());

            // needing_call_missing
            R37ChainInvalid(chain_0, TEXTS.word(1)) <-
                Source(input),
                for row_1 in input.rows(6),
                let [chain_0, call_1, _] = row_1,
                !R5Call(chain_0, call_1, _),
                (go());

            // needed_call_missing
            R37ChainInvalid(chain_0, TEXTS.word(1)) <-
                Source(input),
                for row_1 in input.rows(6),
                let [chain_0, _, other_2] = row_1,
                !R5Call(chain_0, other_2, _),
                (go());

            // change_never_checked
            R37ChainInvalid(chain_0, TEXTS.word(2)) <-
                R5Call(chain_0, call_1, tool_2),
                !R36CheckedCall(chain_0, call_1),
                R32ChangingTool(tool_2),
                (go());

            // calls_before#1
            R38CallsBefore(chain_0, call_1, int(0)) <-
                R5Call(chain_0, call_1, _),
                !R37ChainInvalid(chain_0, _),
                (go());

            // calls_before#2
            R38CallsBefore(chain_0, call_1, head_2) <-
                R34CallWaits(chain_0, call_1, other_3),
                R38CallsBefore(chain_0, other_3, calls_2),
                let Some(head_2) = tried(37, calls_before_37_0(calls_2)),
                (go());

            // call_wave#1
            M38(chain_0, call_1, calls_2) <-
                R38CallsBefore(chain_0, call_1, calls_2),
                (go());

            // fresh_score#1
            R41FreshScore(task_0, approach_1, head_2) <-
                Source(input),
                for row_1 in input.rows(8),
                let [task_0, approach_1, confidence_2, risk_5, iterations_4] = row_1,
                R40RiskPenalty(risk_5, penalty_3),
                let Some(head_2) = tried(39, fresh_score_39_0(confidence_2, penalty_3, iterations_4)),
                (go());

            // approach_score#1
            R42ApproachScore(task_0, approach_1, score_2) <-
                R41FreshScore(task_0, approach_1, score_2),
                !R9ApproachFailedBefore(task_0, approach_1),
                (go());

            // approach_score#2
            R42ApproachScore(task_0, approach_1, head_2) <-
                Source(input),
                let p2 = input.param(2),
                R41FreshScore(task_0, approach_1, score_2),
                R9ApproachFailedBefore(task_0, approach_1),
                let Some(head_2) = tried(41, approach_score_41_0(score_2, p2)),
                (go());

            // ranked_approach#1
            M42(task_0, approach_1, score_2, Word(0)) <-
                R42ApproachScore(task_0, approach_1, score_2),
                (go());

            // files_changed#1
            M45(task_0, file_1, open_1, open_2, open_3, open_4) <-
                Source(input),
                for row_1 in input.rows(10),
                let [task_0, file_1, open_1, open_2, open_3, open_4] = row_1,
                (go());

            // trust#1
            M46(level_0) <-
                Source(input),
                for row_1 in input.rows(11),
                let [level_0] = row_1,
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r34_call_waits, r35_call_depends, r36_checked_call, r37_chain_invalid, r38_calls_before, r41_fresh_score, r42_approach_score, m0, m1, m3, m6, m18, m38, m42, m45, m46, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(34, &r34_call_waits);
            tables.set(35, &r35_call_depends);
            tables.set(36, &r36_checked_call);
            tables.set(37, &r37_chain_invalid);
            tables.set(38, &r38_calls_before);
            tables.set(41, &r41_fresh_score);
            tables.set(42, &r42_approach_score);
            tables.set(50, &m0);
            tables.set(51, &m1);
            tables.set(52, &m3);
            tables.set(53, &m6);
            tables.set(55, &m18);
            tables.set(56, &m38);
            tables.set(57, &m42);
            tables.set(58, &m45);
            tables.set(59, &m46);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row5 as R2Attempt,
            Row2 as R4FixAttempt,
            Row6 as R10Change,
            Row1 as R11TrustLevel,
            Row1 as R12Protected,
            Row5 as R13LatestAttempt,
            Row2 as R27TestResult,
            Row4 as R43RankedApproach,
            Row2 as R14AttemptsAtSteps,
            Row2 as R15FixPasses,
            Row2 as R16PlanAttempts,
            Row3 as R17StepAttempts,
            Row1 as R18OutOfAttempts,
            Row2 as R19Retried,
            Row2 as R20StepDone,
            Row2 as R21StepSkipped,
            Row1 as R22PlanFailed,
            Row2 as R23OpenStep,
            Row2 as R26Rollback,
            Row1 as R28PlanFinished,
            Row1 as R29PlanIncomplete,
            Row1 as R30FixPass,
            Row2 as R31PlanOutcome,
            Row3 as R44ChooseApproach,
            Row2 as R45RunnerUp,
            Row1 as R48Trust,
            Row3 as R49ChangeRefused,
            Row2 as M14,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R14AttemptsAtSteps(Word, Word);
            @output
            #[cfg(any())]
            struct R15FixPasses(Word, Word);
            @output
            #[cfg(any())]
            struct R16PlanAttempts(Word, Word);
            @output
            #[cfg(any())]
            struct R17StepAttempts(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R18OutOfAttempts(Word);
            @output
            #[cfg(any())]
            struct R19Retried(Word, Word);
            @output
            #[cfg(any())]
            struct R20StepDone(Word, Word);
            @output
            #[cfg(any())]
            struct R21StepSkipped(Word, Word);
            @output
            #[cfg(any())]
            struct R22PlanFailed(Word);
            @output
            #[cfg(any())]
            struct R23OpenStep(Word, Word);
            @output
            #[cfg(any())]
            struct R26Rollback(Word, Word);
            @output
            #[cfg(any())]
            struct R28PlanFinished(Word);
            @output
            #[cfg(any())]
            struct R29PlanIncomplete(Word);
            @output
            #[cfg(any())]
            struct R30FixPass(Word);
            @output
            #[cfg(any())]
            struct R31PlanOutcome(Word, Word);
            @output
            #[cfg(any())]
            struct R44ChooseApproach(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R45RunnerUp(Word, Word);
            @output
            #[cfg(any())]
            struct R48Trust(Word);
            @output
            #[cfg(any())]
            struct R49ChangeRefused(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M14(Word, Word);
            @output
            #[cfg(any())]
            struct R2Attempt(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4FixAttempt(Word, Word);
            @output
            #[cfg(any())]
            struct R10Change(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R11TrustLevel(Word);
            @output
            #[cfg(any())]
            struct R12Protected(Word);
            @output
            #[cfg(any())]
            struct R13LatestAttempt(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R27TestResult(Word, Word);
            @output
            #[cfg(any())]
            struct R43RankedApproach(Word, Word, Word, Word);

            R2Attempt(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(2);

            R4FixAttempt(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(4);

            R10Change(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(10);

            R11TrustLevel(c0) <-
                Source(input),
                for [c0] in input.rows(11);

            R12Protected(c0) <-
                Source(input),
                for [c0] in input.rows(12);

            R13LatestAttempt(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(13);

            R27TestResult(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(27);

            R43RankedApproach(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(43);

            R14AttemptsAtSteps(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(14);

            R15FixPasses(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(15);

            R17StepAttempts(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(17);

            R48Trust(c0) <-
                Source(input),
                for [c0] in input.rows(48);

            // attempts_at_steps#2
            R14AttemptsAtSteps(plan_0, int(0)) <-
                R4FixAttempt(plan_0, _),
                !R2Attempt(plan_0, _, _, _, _),
                (go());

            // fix_passes#2
            R15FixPasses(plan_0, int(0)) <-
                R2Attempt(plan_0, _, _, _, _),
                !R4FixAttempt(plan_0, _),
                (go());

            // plan_attempts#1
            R16PlanAttempts(plan_0, head_1) <-
                R14AttemptsAtSteps(plan_0, attempts_1),
                R15FixPasses(plan_0, passes_2),
                let Some(head_1) = tried(5, plan_attempts_5_0(attempts_1, passes_2)),
                (go());

            // step_attempts#2
            R17StepAttempts(plan_0, index_1, int(0)) <-
                Source(input),
                for row_1 in input.rows(1),
                let [plan_0, index_1, _] = row_1,
                !R2Attempt(plan_0, index_1, _, _, _),
                (go());

            // out_of_attempts#1
            R18OutOfAttempts(plan_0) <-
                Source(input),
                let p1 = input.param(1),
                R16PlanAttempts(plan_0, attempts_1),
                (out_of_attempts_8_0(attempts_1, p1).as_bool()),
                (go());

            // mendable_first_failure
            R19Retried(plan_0, index_1) <-
                Source(input),
                let p0 = input.param(0),
                R13LatestAttempt(plan_0, index_1, n_2, outcome_3, Word::from_bool(true)),
                (retried_9_0(outcome_3).as_bool()),
                (retried_9_1(n_2, p0).as_bool()),
                !R18OutOfAttempts(plan_0),
                (go());

            // step_done#1
            R20StepDone(plan_0, index_1) <-
                R13LatestAttempt(plan_0, index_1, _, TEXTS.word(3), _),
                (go());

            // step_skipped#1
            R21StepSkipped(plan_0, index_1) <-
                R13LatestAttempt(plan_0, index_1, _, TEXTS.word(4), _),
                !R19Retried(plan_0, index_1),
                (go());

            // write_failed_for_good
            R22PlanFailed(plan_0) <-
                R13LatestAttempt(plan_0, index_1, _, TEXTS.word(5), _),
                !R19Retried(plan_0, index_1),
                (go());

            // open_step#1
            R23OpenStep(plan_0, index_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [plan_0, index_1, _] = row_1,
                !R20StepDone(plan_0, index_1),
                !R21StepSkipped(plan_0, index_1),
                (go());

            // first_open_step#1
            M14(plan_0, index_1) <-
                R23OpenStep(plan_0, index_1),
                (go());

            // types_do_not_fit
            R26Rollback(plan_0, index_1) <-
                R13LatestAttempt(plan_0, index_1, _, TEXTS.word(4), _),
                (go());

            // write_given_up
            R26Rollback(plan_0, index_1) <-
                R13LatestAttempt(plan_0, index_1, _, TEXTS.word(5), _),
                !R19Retried(plan_0, index_1),
                (go());

            // plan_finished#1
            R28PlanFinished(plan_0) <-
                R27TestResult(plan_0, _),
                !R23OpenStep(plan_0, _),
                (go());

            // plan_finished#2
            R28PlanFinished(plan_0) <-
                R27TestResult(plan_0, _),
                R18OutOfAttempts(plan_0),
                (go());

            // plan_incomplete#1
            R29PlanIncomplete(plan_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [plan_0, index_1, _] = row_1,
                !R20StepDone(plan_0, index_1),
                (go());

            // tests_fail_and_attempts_are_left
            R30FixPass(plan_0) <-
                R27TestResult(plan_0, failed_1),
                (fix_pass_22_0(failed_1).as_bool()),
                !R23OpenStep(plan_0, _),
                !R18OutOfAttempts(plan_0),
                !R4FixAttempt(plan_0, _),
                (go());

            // plan_could_not_go_on
            R31PlanOutcome(plan_0, TEXTS.word(6)) <-
                R22PlanFailed(plan_0),
                (go());

            // all_done_and_tested
            R31PlanOutcome(plan_0, TEXTS.word(7)) <-
                R28PlanFinished(plan_0),
                !R22PlanFailed(plan_0),
                !R29PlanIncomplete(plan_0),
                R27TestResult(plan_0, int(0)),
                (go());

            // some_steps_missing
            R31PlanOutcome(plan_0, TEXTS.word(8)) <-
                R28PlanFinished(plan_0),
                !R22PlanFailed(plan_0),
                !R30FixPass(plan_0),
                R29PlanIncomplete(plan_0),
                (go());

            // some_tests_failed
            R31PlanOutcome(plan_0, TEXTS.word(8)) <-
                R28PlanFinished(plan_0),
                !R22PlanFailed(plan_0),
                !R30FixPass(plan_0),
                R27TestResult(plan_0, failed_1),
                (plan_outcome_26_0(failed_1).as_bool()),
                (go());

            // best_approach
            R44ChooseApproach(task_0, approach_1, score_2) <-
                R43RankedApproach(task_0, approach_1, score_2, int(1)),
                (go());

            // runner_up#1
            R45RunnerUp(task_0, approach_1) <-
                R43RankedApproach(task_0, approach_1, _, int(2)),
                (go());

            // trust#2
            R48Trust(int(0)) <-
                !R11TrustLevel(_),
                (go());

            // file_protected
            R49ChangeRefused(task_0, TEXTS.word(9), file_1) <-
                R10Change(task_0, file_1, _, _, _, _),
                R12Protected(file_1),
                (go());

            // name_protected
            R49ChangeRefused(task_0, TEXTS.word(9), file_1) <-
                Source(input),
                R10Change(task_0, file_1, _, _, _, _),
                for element_3 in each(captures(&PATTERNS, 0, 0), &[file_1]),
                let value_3 = element_3,
                for row_4 in input.rows(46),
                let [name_2] = row_4,
                (change_refused_49_0(name_2, value_3).as_bool()),
                (go());

            // many_files
            R49ChangeRefused(task_0, TEXTS.word(10), file_1) <-
                Source(input),
                let p3 = input.param(3),
                for row_2 in input.rows(47),
                let [task_0, files_2] = row_2,
                (change_refused_50_0(files_2, p3).as_bool()),
                R10Change(task_0, file_1, _, _, _, _),
                (go());

            // many_lines
            R49ChangeRefused(task_0, TEXTS.word(11), file_1) <-
                Source(input),
                let p4 = input.param(4),
                R10Change(task_0, file_1, lines_2, _, _, _),
                (change_refused_51_0(lines_2, p4).as_bool()),
                (go());

            // risk_above_trust
            R49ChangeRefused(task_0, TEXTS.word(13), file_1) <-
                Source(input),
                let p5 = input.param(5),
                R10Change(task_0, file_1, _, TEXTS.word(12), _, _),
                R48Trust(level_2),
                (change_refused_52_0(level_2, p5).as_bool()),
                (go());

            // destroys_unasked
            R49ChangeRefused(task_0, TEXTS.word(14), file_1) <-
                R10Change(task_0, file_1, _, _, Word::from_bool(true), Word::from_bool(true)),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r14_attempts_at_steps, r15_fix_passes, r16_plan_attempts, r17_step_attempts, r18_out_of_attempts, r19_retried, r20_step_done, r21_step_skipped, r22_plan_failed, r23_open_step, r26_rollback, r28_plan_finished, r29_plan_incomplete, r30_fix_pass, r31_plan_outcome, r44_choose_approach, r45_runner_up, r48_trust, r49_change_refused, m14, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(14, &r14_attempts_at_steps);
            tables.set(15, &r15_fix_passes);
            tables.set(16, &r16_plan_attempts);
            tables.set(17, &r17_step_attempts);
            tables.set(18, &r18_out_of_attempts);
            tables.set(19, &r19_retried);
            tables.set(20, &r20_step_done);
            tables.set(21, &r21_step_skipped);
            tables.set(22, &r22_plan_failed);
            tables.set(23, &r23_open_step);
            tables.set(26, &r26_rollback);
            tables.set(28, &r28_plan_finished);
            tables.set(29, &r29_plan_incomplete);
            tables.set(30, &r30_fix_pass);
            tables.set(31, &r31_plan_outcome);
            tables.set(44, &r44_choose_approach);
            tables.set(45, &r45_runner_up);
            tables.set(48, &r48_trust);
            tables.set(49, &r49_change_refused);
            tables.set(54, &m14);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R3FinalTests,
            Row3 as R17StepAttempts,
            Row1 as R18OutOfAttempts,
            Row1 as R22PlanFailed,
            Row3 as R25NextStep,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R25NextStep(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R3FinalTests(Word, Word);
            @output
            #[cfg(any())]
            struct R17StepAttempts(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R18OutOfAttempts(Word);
            @output
            #[cfg(any())]
            struct R22PlanFailed(Word);

            R3FinalTests(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(3);

            R17StepAttempts(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(17);

            R18OutOfAttempts(c0) <-
                Source(input),
                for [c0] in input.rows(18);

            R22PlanFailed(c0) <-
                Source(input),
                for [c0] in input.rows(22);

            // first_step_left
            R25NextStep(plan_0, index_1, head_2) <-
                Source(input),
                for row_1 in input.rows(24),
                let [plan_0, index_1] = row_1,
                !R22PlanFailed(plan_0),
                !R18OutOfAttempts(plan_0),
                !R3FinalTests(plan_0, _),
                R17StepAttempts(plan_0, index_1, attempts_2),
                let Some(head_2) = tried(15, next_step_15_0(attempts_2)),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r25_next_step, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(25, &r25_next_step);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input step(plan: string, index: int, file: string).\n",
            "input attempt(\n    plan: string,\n    index: int,\n    n: int,\n    outcome: /ok | /write_failed | /type_error,\n    fixable: bool\n).\n",
            "input final_tests(plan: string, failed: int).\n",
            "input fix_attempt(plan: string, fixable: bool).\n",
            "input call(chain: string, call: string, tool: name).\n",
            "input call_needs(chain: string, call: string, other: string).\n",
            "input call_place(chain: string, call: string, place: int).\n",
            "input approach(\n    task: string,\n    approach: string,\n    confidence: float,\n    risk: /low | /medium | /high,\n    iterations: int\n).\n",
            "input approach_failed_before(task: string, approach: string).\n",
            "input change(\n    task: string,\n    file: string,\n    lines: int,\n    risk: name,\n    self_initiated: bool,\n    destructive: bool\n).\n",
            "input trust_level(level: int).\n",
            "input protected(file: string).\n",
            "param step_attempts_allowed: int = 2.\n",
            "param plan_attempts_allowed: int = 5.\n",
            "param failed_before_factor: float = 0.5.\n",
            "param files_allowed: int = 10.\n",
            "param lines_allowed: int = 500.\n",
            "param high_risk_trust: int = 3.\n",
            "relation latest_attempt(\n    plan: string,\n    index: int,\n    n: int,\n    outcome: /ok | /write_failed | /type_error,\n    fixable: bool\n).\n",
            "latest_attempt(Plan, Index, N, Outcome, Fixable) :-\n    step(Plan, Index, _),\n    attempt(Plan, Index, N, Outcome, Fixable)\n    limit 1 per Plan, Index by N desc.\n",
            "relation attempts_at_steps(plan: string, attempts: int).\n",
            "attempts_at_steps(Plan, count()) :- attempt(Plan, _, _, _, _).\n",
            "attempts_at_steps(Plan, 0) :- fix_attempt(Plan, _), !attempt(Plan, _, _, _, _).\n",
            "relation fix_passes(plan: string, passes: int).\n",
            "fix_passes(Plan, count()) :- fix_attempt(Plan, _).\n",
            "fix_passes(Plan, 0) :- attempt(Plan, _, _, _, _), !fix_attempt(Plan, _).\n",
            "relation plan_attempts(plan: string, attempts: int).\n",
            "plan_attempts(Plan, Attempts + Passes) :-\n    attempts_at_steps(Plan, Attempts),\n    fix_passes(Plan, Passes).\n",
            "relation step_attempts(plan: string, index: int, attempts: int).\n",
            "step_attempts(Plan, Index, count()) :- attempt(Plan, Index, _, _, _).\n",
            "step_attempts(Plan, Index, 0) :- step(Plan, Index, _), !attempt(Plan, Index, _, _, _).\n",
            "relation out_of_attempts(plan: string).\n",
            "out_of_attempts(Plan) :- plan_attempts(Plan, Attempts), Attempts >= plan_attempts_allowed.\n",
            "relation retried(plan: string, index: int).\n",
            "@id(mendable_first_failure)\n@because(\"step {Index} of {Plan} failed with {Outcome} at attempt {N} and can be mended\")\nretried(Plan, Index) :-\n    latest_attempt(Plan, Index, N, Outcome, true),\n    Outcome != /ok,\n    N < step_attempts_allowed,\n    !out_of_attempts(Plan).\n",
            "relation step_done(plan: string, index: int).\n",
            "step_done(Plan, Index) :- latest_attempt(Plan, Index, _, /ok, _).\n",
            "relation step_skipped(plan: string, index: int).\n",
            "step_skipped(Plan, Index) :- latest_attempt(Plan, Index, _, /type_error, _), !retried(Plan, Index).\n",
            "relation plan_failed(plan: string).\n",
            "@id(write_failed_for_good)\n@because(\"step {Index} of {Plan} could not be written and is not tried again\")\nplan_failed(Plan) :- latest_attempt(Plan, Index, _, /write_failed, _), !retried(Plan, Index).\n",
            "relation open_step(plan: string, index: int).\n",
            "open_step(Plan, Index) :- step(Plan, Index, _), !step_done(Plan, Index), !step_skipped(Plan, Index).\n",
            "relation first_open_step(plan: string, index: int).\n",
            "first_open_step(Plan, Index) :- open_step(Plan, Index) limit 1 per Plan by Index.\n",
            "decision next_step(plan: string, index: int, n: int).\n",
            "@id(first_step_left)\n@because(\"step {Index} is the first of {Plan} that is neither done nor skipped\")\nnext_step(Plan, Index, Attempts + 1) :-\n    first_open_step(Plan, Index),\n    step_attempts(Plan, Index, Attempts),\n    !plan_failed(Plan),\n    !out_of_attempts(Plan),\n    !final_tests(Plan, _).\n",
            "decision rollback(plan: string, index: int).\n",
            "@id(types_do_not_fit)\n@because(\"the change of step {Index} of {Plan} has a type error\")\nrollback(Plan, Index) :- latest_attempt(Plan, Index, _, /type_error, _).\n",
            "@id(write_given_up)\n@because(\"step {Index} of {Plan} could not be written and is not tried again\")\nrollback(Plan, Index) :- latest_attempt(Plan, Index, _, /write_failed, _), !retried(Plan, Index).\n",
            "relation test_result(plan: string, failed: int).\n",
            "test_result(Plan, min(Failed)) :- final_tests(Plan, Failed).\n",
            "relation plan_finished(plan: string).\n",
            "plan_finished(Plan) :- test_result(Plan, _), !open_step(Plan, _).\n",
            "plan_finished(Plan) :- test_result(Plan, _), out_of_attempts(Plan).\n",
            "relation plan_incomplete(plan: string).\n",
            "plan_incomplete(Plan) :- step(Plan, Index, _), !step_done(Plan, Index).\n",
            "decision fix_pass(plan: string).\n",
            "@id(tests_fail_and_attempts_are_left)\n@because(\"every step of {Plan} is done or skipped, {Failed} tests fail, and an attempt is left\")\nfix_pass(Plan) :-\n    test_result(Plan, Failed),\n    Failed > 0,\n    !open_step(Plan, _),\n    !out_of_attempts(Plan),\n    !fix_attempt(Plan, _).\n",
            "decision plan_outcome(plan: string, outcome: /success | /partial | /failed).\n",
            "@id(plan_could_not_go_on)\n@because(\"{Plan} could not go on\")\nplan_outcome(Plan, /failed) :- plan_failed(Plan).\n",
            "@id(all_done_and_tested)\n@because(\"every step of {Plan} is done, and no test failed\")\nplan_outcome(Plan, /success) :-\n    plan_finished(Plan),\n    !plan_failed(Plan),\n    !plan_incomplete(Plan),\n    test_result(Plan, 0).\n",
            "@id(some_steps_missing)\n@because(\"some step of {Plan} is not done\")\nplan_outcome(Plan, /partial) :-\n    plan_finished(Plan),\n    !plan_failed(Plan),\n    !fix_pass(Plan),\n    plan_incomplete(Plan).\n",
            "@id(some_tests_failed)\n@because(\"{Failed} tests failed after {Plan}\")\nplan_outcome(Plan, /partial) :-\n    plan_finished(Plan),\n    !plan_failed(Plan),\n    !fix_pass(Plan),\n    test_result(Plan, Failed),\n    Failed > 0.\n",
            "relation changing_tool(tool: name).\n",
            "changing_tool(/write).\n",
            "changing_tool(/edit).\n",
            "relation checking_tool(tool: name).\n",
            "checking_tool(/test).\n",
            "checking_tool(/typecheck).\n",
            "relation call_waits(chain: string, call: string, other: string).\n",
            "@id(waits_for_what_it_needs)\n@because(\"{Call} needs {Other}\")\ncall_waits(Chain, Call, Other) :- call_needs(Chain, Call, Other).\n",
            "@id(check_waits_for_changes_before_it)\n@because(\"{Call} checks what {Other}, before it in {Chain}, changed\")\ncall_waits(Chain, Call, Other) :-\n    call(Chain, Call, Check),\n    checking_tool(Check),\n    call_place(Chain, Call, Place),\n    call(Chain, Other, Change),\n    changing_tool(Change),\n    call_place(Chain, Other, Before),\n    Before < Place.\n",
            "relation call_depends(chain: string, call: string, other: string).\n",
            "call_depends(Chain, Call, Other) :- call_waits(Chain, Call, Other).\n",
            "call_depends(Chain, Call, Other) :-\n    call_depends(Chain, Call, Middle),\n    call_waits(Chain, Middle, Other).\n",
            "relation checked_call(chain: string, call: string).\n",
            "checked_call(Chain, Call) :-\n    call_depends(Chain, Check, Call),\n    call(Chain, Check, Tool),\n    checking_tool(Tool).\n",
            "decision chain_invalid(chain: string, reason: /cycle | /missing_call | /unchecked_change).\n",
            "@id(call_needs_itself)\n@because(\"call {Call} of {Chain} waits for itself\")\nchain_invalid(Chain, /cycle) :- call_depends(Chain, Call, Call).\n",
            "@id(needing_call_missing)\n@because(\"{Call} needs another call, and {Chain} has no {Call}\")\nchain_invalid(Chain, /missing_call) :- call_needs(Chain, Call, _), !call(Chain, Call, _).\n",
            "@id(needed_call_missing)\n@because(\"{Call} needs {Other}, which {Chain} does not have\")\nchain_invalid(Chain, /missing_call) :- call_needs(Chain, Call, Other), !call(Chain, Other, _).\n",
            "@id(change_never_checked)\n@because(\"nothing checks the change of call {Call} of {Chain}\")\nchain_invalid(Chain, /unchecked_change) :-\n    call(Chain, Call, Tool),\n    changing_tool(Tool),\n    !checked_call(Chain, Call).\n",
            "relation calls_before(chain: string, call: string, calls: int).\n",
            "calls_before(Chain, Call, 0) :- call(Chain, Call, _), !chain_invalid(Chain, _).\n",
            "calls_before(Chain, Call, Calls + 1) :-\n    call_waits(Chain, Call, Other),\n    calls_before(Chain, Other, Calls).\n",
            "relation call_wave(chain: string, call: string, wave: int).\n",
            "call_wave(Chain, Call, max(Calls)) :- calls_before(Chain, Call, Calls).\n",
            "relation risk_penalty(risk: /low | /medium | /high, penalty: float).\n",
            "risk_penalty(/low, 0.0).\n",
            "risk_penalty(/medium, 0.2).\n",
            "risk_penalty(/high, 0.5).\n",
            "relation fresh_score(task: string, approach: string, score: float).\n",
            "fresh_score(Task, Approach, Confidence * (1.0 - Penalty) / float(max(Iterations, 1))) :-\n    approach(Task, Approach, Confidence, Risk, Iterations),\n    risk_penalty(Risk, Penalty).\n",
            "relation approach_score(task: string, approach: string, score: float).\n",
            "approach_score(Task, Approach, Score) :-\n    fresh_score(Task, Approach, Score),\n    !approach_failed_before(Task, Approach).\n",
            "approach_score(Task, Approach, Score * failed_before_factor) :-\n    fresh_score(Task, Approach, Score),\n    approach_failed_before(Task, Approach).\n",
            "relation ranked_approach(task: string, approach: string, score: float, rank: int).\n",
            "ranked_approach(Task, Approach, Score, Rank) :-\n    approach_score(Task, Approach, Score)\n    limit 2 per Task by Score desc as Rank.\n",
            "decision choose_approach(task: string, approach: string, score: float).\n",
            "@id(best_approach)\n@because(\"{Approach} has the best score for {Task}: {Score}\")\nchoose_approach(Task, Approach, Score) :- ranked_approach(Task, Approach, Score, 1).\n",
            "relation runner_up(task: string, approach: string).\n",
            "runner_up(Task, Approach) :- ranked_approach(Task, Approach, _, 2).\n",
            "relation protected_name(name: string).\n",
            "protected_name(\"trust.ts\").\n",
            "protected_name(\"shell.ts\").\n",
            "protected_name(\"guardrails.ts\").\n",
            "protected_name(\"signal.ts\").\n",
            "protected_name(\"config.json\").\n",
            "protected_name(\".env\").\n",
            "protected_name(\"package.json\").\n",
            "relation files_changed(task: string, files: int).\n",
            "files_changed(Task, count(File)) :- change(task: Task, file: File).\n",
            "relation trust(level: int).\n",
            "trust(min(Level)) :- trust_level(Level).\n",
            "trust(0) :- !trust_level(_).\n",
            "decision change_refused(task: string, reason: name, file: string).\n",
            "@id(file_protected)\n@because(\"{File} is protected\")\nchange_refused(Task, /protected, File) :- change(task: Task, file: File), protected(File).\n",
            "@id(name_protected)\n@because(\"{File} is called {Name}, which the agent never changes\")\nchange_refused(Task, /protected, File) :-\n    change(task: Task, file: File),\n    Name in captures(File, r\"[^/]+$\", 0),\n    protected_name(Name).\n",
            "@id(many_files)\n@because(\"{Task} changes {Files} files; {files_allowed} are the most\")\nchange_refused(Task, /too_many_files, File) :-\n    files_changed(Task, Files),\n    Files > files_allowed,\n    change(task: Task, file: File).\n",
            "@id(many_lines)\n@because(\"{Task} changes {Lines} lines of {File}; {lines_allowed} are the most\")\nchange_refused(Task, /too_many_lines, File) :-\n    change(task: Task, file: File, lines: Lines),\n    Lines > lines_allowed.\n",
            "@id(risk_above_trust)\n@because(\"changing {File} is of high risk and needs trust {high_risk_trust}; it is {Level}\")\nchange_refused(Task, /high_risk_low_trust, File) :-\n    change(task: Task, file: File, risk: /high),\n    trust(Level),\n    Level < high_risk_trust.\n",
            "@id(destroys_unasked)\n@because(\"nobody asked for {Task}, and it destroys part of {File}\")\nchange_refused(Task, /self_initiated_destructive, File) :-\n    change(task: Task, file: File, self_initiated: true, destructive: true).\n",
        ),
    ];
}
