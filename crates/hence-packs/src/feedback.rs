//! `feedback`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: people overrule what was learned.

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

/// A goal and the words in which it was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Goal {
    /// `goal`
    pub goal: String,
    /// `text`
    pub text: String,
}

impl Record for Goal {
    const TABLE: usize = 1;
    const RELATION: &'static str = "goal";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), text: columns.take() }
    }
}

/// A tool that the agent may call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tool {
    /// `tool`
    pub tool: String,
}

impl Record for Tool {
    const TABLE: usize = 2;
    const RELATION: &'static str = "tool";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take() }
    }
}

/// One execution of a tool, as the agent logged it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolRun {
    /// `run`
    pub run: i64,
    /// `tool`
    pub tool: String,
    /// `domain`
    pub domain: Name,
    /// `ok`
    pub ok: bool,
    /// `latency`, in microseconds
    pub latency: i64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ToolRun {
    const TABLE: usize = 3;
    const RELATION: &'static str = "tool_run";

    fn write(&self, row: &mut Row) {
        row.put("run", &self.run);
        row.put("tool", &self.tool);
        row.put("domain", &self.domain);
        row.put("ok", &self.ok);
        row.put("latency", &self.latency);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            run: columns.take(),
            tool: columns.take(),
            domain: columns.take(),
            ok: columns.take(),
            latency: columns.take(),
            at: columns.take(),
        }
    }
}

/// How a run failed; a mode noted for a run that succeeded is ignored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FailureMode {
    /// `run`
    pub run: i64,
    /// `mode`
    pub mode: String,
}

impl Record for FailureMode {
    const TABLE: usize = 4;
    const RELATION: &'static str = "failure_mode";

    fn write(&self, row: &mut Row) {
        row.put("run", &self.run);
        row.put("mode", &self.mode);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { run: columns.take(), mode: columns.take() }
    }
}

/// The domain that whoever gave the goal named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalDomainGiven {
    /// `goal`
    pub goal: String,
    /// `domain`
    pub domain: Name,
}

impl Record for GoalDomainGiven {
    const TABLE: usize = 5;
    const RELATION: &'static str = "goal_domain_given";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("domain", &self.domain);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), domain: columns.take() }
    }
}

/// A domain whose keywords stand in the goal's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DomainSignal {
    /// `goal`
    pub goal: String,
    /// `domain`
    pub domain: Name,
}

impl Record for DomainSignal {
    const TABLE: usize = 6;
    const RELATION: &'static str = "domain_signal";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("domain", &self.domain);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), domain: columns.take() }
    }
}

/// How many of a tool's patterns the goal's text matches, of how many.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternMatch {
    /// `goal`
    pub goal: String,
    /// `tool`
    pub tool: String,
    /// `matched`
    pub matched: i64,
    /// `total`
    pub total: i64,
}

impl Record for PatternMatch {
    const TABLE: usize = 7;
    const RELATION: &'static str = "pattern_match";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("tool", &self.tool);
        row.put("matched", &self.matched);
        row.put("total", &self.total);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), tool: columns.take(), matched: columns.take(), total: columns.take() }
    }
}

/// What a memory of earlier work says of a tool's usefulness, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct ToolMemory {
    /// `memory`
    pub memory: String,
    /// `domain`
    pub domain: Name,
    /// `tool`
    pub tool: String,
    /// `usefulness`
    pub usefulness: f64,
}

impl Record for ToolMemory {
    const TABLE: usize = 8;
    const RELATION: &'static str = "tool_memory";

    fn write(&self, row: &mut Row) {
        row.put("memory", &self.memory);
        row.put("domain", &self.domain);
        row.put("tool", &self.tool);
        row.put("usefulness", &self.usefulness);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            memory: columns.take(),
            domain: columns.take(),
            tool: columns.take(),
            usefulness: columns.take(),
        }
    }
}

/// What column `verdict` of `feedback` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeedbackVerdict {
    /// `/positive`
    Positive,
    /// `/negative`
    Negative,
    /// `/correction`
    Correction,
}

impl FeedbackVerdict {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "/positive",
            Self::Negative => "/negative",
            Self::Correction => "/correction",
        }
    }
}

impl Column for FeedbackVerdict {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/positive" => Self::Positive,
            "/negative" => Self::Negative,
            "/correction" => Self::Correction,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What column `action` of `feedback` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeedbackAction {
    /// `/penalize`
    Penalize,
    /// `/boost`
    Boost,
    /// `/constraint`
    Constraint,
    /// `/correct`
    Correct,
}

impl FeedbackAction {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Penalize => "/penalize",
            Self::Boost => "/boost",
            Self::Constraint => "/constraint",
            Self::Correct => "/correct",
        }
    }
}

impl Column for FeedbackAction {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/penalize" => Self::Penalize,
            "/boost" => Self::Boost,
            "/constraint" => Self::Constraint,
            "/correct" => Self::Correct,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What somebody said of a tool in a domain, and what is to follow from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Feedback {
    /// `feedback`
    pub feedback: String,
    /// `tool`
    pub tool: String,
    /// `domain`
    pub domain: Name,
    /// `verdict`
    pub verdict: FeedbackVerdict,
    /// `action`
    pub action: FeedbackAction,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Feedback {
    const TABLE: usize = 33;
    const RELATION: &'static str = "feedback";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("tool", &self.tool);
        row.put("domain", &self.domain);
        row.put("verdict", &self.verdict);
        row.put("action", &self.action);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            feedback: columns.take(),
            tool: columns.take(),
            domain: columns.take(),
            verdict: columns.take(),
            action: columns.take(),
            at: columns.take(),
        }
    }
}

/// Who gave a feedback.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackBy {
    /// `feedback`
    pub feedback: String,
    /// `human`
    pub human: String,
}

impl Record for FeedbackBy {
    const TABLE: usize = 34;
    const RELATION: &'static str = "feedback_by";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("human", &self.human);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), human: columns.take() }
    }
}

/// The reason given, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackText {
    /// `feedback`
    pub feedback: String,
    /// `reason`
    pub reason: String,
    /// `evidence`
    pub evidence: String,
}

impl Record for FeedbackText {
    const TABLE: usize = 35;
    const RELATION: &'static str = "feedback_text";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("reason", &self.reason);
        row.put("evidence", &self.evidence);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), reason: columns.take(), evidence: columns.take() }
    }
}

/// The feedback speaks only of goals whose text contains this, letter case ignored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackGoal {
    /// `feedback`
    pub feedback: String,
    /// `pattern`
    pub pattern: String,
}

impl Record for FeedbackGoal {
    const TABLE: usize = 36;
    const RELATION: &'static str = "feedback_goal";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("pattern", &self.pattern);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), pattern: columns.take() }
    }
}

/// How long the feedback holds; without this it is permanent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackLasts {
    /// `feedback`
    pub feedback: String,
    /// `lasts`, in microseconds
    pub lasts: i64,
}

impl Record for FeedbackLasts {
    const TABLE: usize = 37;
    const RELATION: &'static str = "feedback_lasts";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("lasts", &self.lasts);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), lasts: columns.take() }
    }
}

/// The tool to use instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackReplacement {
    /// `feedback`
    pub feedback: String,
    /// `tool`
    pub tool: String,
}

impl Record for FeedbackReplacement {
    const TABLE: usize = 38;
    const RELATION: &'static str = "feedback_replacement";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), tool: columns.take() }
    }
}

/// The feedback was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FeedbackWithdrawn {
    /// `feedback`
    pub feedback: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for FeedbackWithdrawn {
    const TABLE: usize = 39;
    const RELATION: &'static str = "feedback_withdrawn";

    fn write(&self, row: &mut Row) {
        row.put("feedback", &self.feedback);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { feedback: columns.take(), at: columns.take() }
    }
}

/// Use this tool for the goal.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct SelectTool {
    /// `goal`
    pub goal: String,
    /// `tool`
    pub tool: String,
    /// `score`
    pub score: f64,
}

impl Record for SelectTool {
    const TABLE: usize = 30;
    const RELATION: &'static str = "select_tool";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("tool", &self.tool);
        row.put("score", &self.score);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), tool: columns.take(), score: columns.take() }
    }
}

/// No tool suits the goal well enough.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct NoTool {
    /// `goal`
    pub goal: String,
    /// `best`
    pub best: f64,
}

impl Record for NoTool {
    const TABLE: usize = 32;
    const RELATION: &'static str = "no_tool";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("best", &self.best);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), best: columns.take() }
    }
}

/// Use the replacement where this tool would have been used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReplaceTool {
    /// `goal`
    pub goal: String,
    /// `tool`
    pub tool: String,
    /// `replacement`
    pub replacement: String,
    /// `feedback`
    pub feedback: String,
}

impl Record for ReplaceTool {
    const TABLE: usize = 51;
    const RELATION: &'static str = "replace_tool";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("tool", &self.tool);
        row.put("replacement", &self.replacement);
        row.put("feedback", &self.feedback);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            goal: columns.take(),
            tool: columns.take(),
            replacement: columns.take(),
            feedback: columns.take(),
        }
    }
}

/// So many people complain alike that a constraint should be proposed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposeConstraint {
    /// `tool`
    pub tool: String,
    /// `domain`
    pub domain: Name,
    /// `pattern`
    pub pattern: String,
    /// `count`
    pub count: i64,
}

impl Record for ProposeConstraint {
    const TABLE: usize = 56;
    const RELATION: &'static str = "propose_constraint";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("domain", &self.domain);
        row.put("pattern", &self.pattern);
        row.put("count", &self.count);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), domain: columns.take(), pattern: columns.take(), count: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What the match of the goal's text weighs in a score.
    pub pattern_weight: f64,
    /// What a tool's usefulness weighs in a score.
    pub usefulness_weight: f64,
    /// What the success rate weighs in the usefulness.
    pub success_weight: f64,
    /// What the neutral value weighs in the usefulness.
    pub neutral_weight: f64,
    /// The usefulness of a tool that nothing is known of.
    pub neutral_usefulness: f64,
    /// From so many calls on a success rate is trusted in full.
    pub trusted_calls: i64,
    /// A memory below this usefulness speaks against a tool.
    pub avoid_below: f64,
    /// What is left of the score of a tool that a memory speaks against.
    pub avoid_factor: f64,
    /// A score below this selects nothing.
    pub lowest_score: f64,
    /// So many of the latest failure modes are kept for each tool and domain.
    pub failure_modes_kept: i64,
    /// How much weight people's words have beside what was learned, from 0 to 1.
    pub human_importance: f64,
    /// What a complaint leaves of a score.
    pub penalty_factor: f64,
    /// What praise makes of a score.
    pub boost_factor: f64,
    /// So many alike complaints make a constraint worth proposing.
    pub complaints_needed: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            pattern_weight: 0.8,
            usefulness_weight: 0.2,
            success_weight: 0.7,
            neutral_weight: 0.3,
            neutral_usefulness: 0.5,
            trusted_calls: 10,
            avoid_below: 0.3,
            avoid_factor: 0.3,
            lowest_score: 0.15,
            failure_modes_kept: 10,
            human_importance: 0.95,
            penalty_factor: 0.3,
            boost_factor: 1.2,
            complaints_needed: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("pattern_weight", &self.pattern_weight);
        row.put("usefulness_weight", &self.usefulness_weight);
        row.put("success_weight", &self.success_weight);
        row.put("neutral_weight", &self.neutral_weight);
        row.put("neutral_usefulness", &self.neutral_usefulness);
        row.put("trusted_calls", &self.trusted_calls);
        row.put("avoid_below", &self.avoid_below);
        row.put("avoid_factor", &self.avoid_factor);
        row.put("lowest_score", &self.lowest_score);
        row.put("failure_modes_kept", &self.failure_modes_kept);
        row.put("human_importance", &self.human_importance);
        row.put("penalty_factor", &self.penalty_factor);
        row.put("boost_factor", &self.boost_factor);
        row.put("complaints_needed", &self.complaints_needed);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A goal and the words in which it was given.
    pub goal: Vec<Goal>,
    /// A tool that the agent may call.
    pub tool: Vec<Tool>,
    /// One execution of a tool, as the agent logged it.
    pub tool_run: Vec<ToolRun>,
    /// How a run failed; a mode noted for a run that succeeded is ignored.
    pub failure_mode: Vec<FailureMode>,
    /// The domain that whoever gave the goal named.
    pub goal_domain_given: Vec<GoalDomainGiven>,
    /// A domain whose keywords stand in the goal's text.
    pub domain_signal: Vec<DomainSignal>,
    /// How many of a tool's patterns the goal's text matches, of how many.
    pub pattern_match: Vec<PatternMatch>,
    /// What a memory of earlier work says of a tool's usefulness, from 0 to 1.
    pub tool_memory: Vec<ToolMemory>,
    /// What somebody said of a tool in a domain, and what is to follow from it.
    pub feedback: Vec<Feedback>,
    /// Who gave a feedback.
    pub feedback_by: Vec<FeedbackBy>,
    /// The reason given, and what it rests on.
    pub feedback_text: Vec<FeedbackText>,
    /// The feedback speaks only of goals whose text contains this, letter case ignored.
    pub feedback_goal: Vec<FeedbackGoal>,
    /// How long the feedback holds; without this it is permanent.
    pub feedback_lasts: Vec<FeedbackLasts>,
    /// The tool to use instead.
    pub feedback_replacement: Vec<FeedbackReplacement>,
    /// The feedback was taken back.
    pub feedback_withdrawn: Vec<FeedbackWithdrawn>,
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
            select_tool: drawn(&decided.tables),
            no_tool: drawn(&decided.tables),
            replace_tool: drawn(&decided.tables),
            propose_constraint: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.goal)?;
        fill(tables, &self.tool)?;
        fill(tables, &self.tool_run)?;
        fill(tables, &self.failure_mode)?;
        fill(tables, &self.goal_domain_given)?;
        fill(tables, &self.domain_signal)?;
        fill(tables, &self.pattern_match)?;
        fill(tables, &self.tool_memory)?;
        fill(tables, &self.feedback)?;
        fill(tables, &self.feedback_by)?;
        fill(tables, &self.feedback_text)?;
        fill(tables, &self.feedback_goal)?;
        fill(tables, &self.feedback_lasts)?;
        fill(tables, &self.feedback_replacement)?;
        fill(tables, &self.feedback_withdrawn)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Goal> for Facts {
    fn extend<Many: IntoIterator<Item = Goal>>(&mut self, facts: Many) {
        self.goal.extend(facts);
    }
}

impl Extend<Tool> for Facts {
    fn extend<Many: IntoIterator<Item = Tool>>(&mut self, facts: Many) {
        self.tool.extend(facts);
    }
}

impl Extend<ToolRun> for Facts {
    fn extend<Many: IntoIterator<Item = ToolRun>>(&mut self, facts: Many) {
        self.tool_run.extend(facts);
    }
}

impl Extend<FailureMode> for Facts {
    fn extend<Many: IntoIterator<Item = FailureMode>>(&mut self, facts: Many) {
        self.failure_mode.extend(facts);
    }
}

impl Extend<GoalDomainGiven> for Facts {
    fn extend<Many: IntoIterator<Item = GoalDomainGiven>>(&mut self, facts: Many) {
        self.goal_domain_given.extend(facts);
    }
}

impl Extend<DomainSignal> for Facts {
    fn extend<Many: IntoIterator<Item = DomainSignal>>(&mut self, facts: Many) {
        self.domain_signal.extend(facts);
    }
}

impl Extend<PatternMatch> for Facts {
    fn extend<Many: IntoIterator<Item = PatternMatch>>(&mut self, facts: Many) {
        self.pattern_match.extend(facts);
    }
}

impl Extend<ToolMemory> for Facts {
    fn extend<Many: IntoIterator<Item = ToolMemory>>(&mut self, facts: Many) {
        self.tool_memory.extend(facts);
    }
}

impl Extend<Feedback> for Facts {
    fn extend<Many: IntoIterator<Item = Feedback>>(&mut self, facts: Many) {
        self.feedback.extend(facts);
    }
}

impl Extend<FeedbackBy> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackBy>>(&mut self, facts: Many) {
        self.feedback_by.extend(facts);
    }
}

impl Extend<FeedbackText> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackText>>(&mut self, facts: Many) {
        self.feedback_text.extend(facts);
    }
}

impl Extend<FeedbackGoal> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackGoal>>(&mut self, facts: Many) {
        self.feedback_goal.extend(facts);
    }
}

impl Extend<FeedbackLasts> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackLasts>>(&mut self, facts: Many) {
        self.feedback_lasts.extend(facts);
    }
}

impl Extend<FeedbackReplacement> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackReplacement>>(&mut self, facts: Many) {
        self.feedback_replacement.extend(facts);
    }
}

impl Extend<FeedbackWithdrawn> for Facts {
    fn extend<Many: IntoIterator<Item = FeedbackWithdrawn>>(&mut self, facts: Many) {
        self.feedback_withdrawn.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Use this tool for the goal.
    pub select_tool: Vec<SelectTool>,
    /// No tool suits the goal well enough.
    pub no_tool: Vec<NoTool>,
    /// Use the replacement where this tool would have been used.
    pub replace_tool: Vec<ReplaceTool>,
    /// So many people complain alike that a constraint should be proposed.
    pub propose_constraint: Vec<ProposeConstraint>,
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
        name: "feedback",
        fingerprint: "6653d8c61ec4cfdb5f479dda08b5a638",
        relations: &["now", "goal", "tool", "tool_run", "failure_mode", "goal_domain_given", "domain_signal", "pattern_match", "tool_memory", "domain_order", "score_factor", "set_aside", "handed_over", "given_domain", "signalled_domain", "goal_domain", "tool_stats", "known_domain", "stats_source", "stats_source_own", "usefulness_evidence", "usefulness", "recent_failure_mode", "avoid", "pattern_share", "plain_score", "remembered_score", "tool_score", "in_the_running", "first_choice", "select_tool", "best_allowed", "no_tool", "feedback", "feedback_by", "feedback_text", "feedback_goal", "feedback_lasts", "feedback_replacement", "feedback_withdrawn", "feedback_over", "feedback_active", "feedback_importance", "feedback_in_domain", "feedback_applies", "factor_asked", "feedback_factor", "excluded", "constrained", "usable_correction", "correction", "replace_tool", "alike_complaints", "constraint_on", "constraint_nearby", "complaints_covered", "propose_constraint", "feedback_stats", "feedback_by_tool"],
        params: &["pattern_weight", "usefulness_weight", "success_weight", "neutral_weight", "neutral_usefulness", "trusted_calls", "avoid_below", "avoid_factor", "lowest_score", "failure_modes_kept", "human_importance", "penalty_factor", "boost_factor", "complaints_needed"],
        rule_ids: &["given_domain#1", "signalled_domain#1", "domain_as_given", "domain_by_signal", "domain_unknown", "stats_of_a_domain", "stats_of_all_runs", "known_domain#2", "known_domain#3", "own_history", "history_of_all_runs", "no_history", "stats_source_own#1", "usefulness_evidence#1", "usefulness_evidence#2", "usefulness_unknown", "usefulness_by_runs", "latest_failure_modes", "avoid_in_this_domain", "avoid_everywhere", "pattern_share#1", "pattern_share#2", "score_by_fit_and_record", "nothing_remembered_against", "remembered_against", "score_as_it_is", "score_after_feedback", "in_the_running#1", "in_the_running#2", "highest_score", "best_tool", "replacement_tool", "best_allowed#1", "none_good_enough", "none_at_all", "feedback_time_over", "feedback_counts", "feedback_importance#1", "feedback_in_domain#1", "feedback_in_domain#2", "feedback_for_every_goal", "feedback_for_such_goals", "factor_asked#1", "factor_asked#2", "latest_factor", "score_factor#1", "excluded_by_constraint", "excluded_by_correction", "set_aside#1", "constrained#1", "usable_correction#1", "latest_correction", "handed_over#1", "replace_first_choice", "alike_complaints#1", "constraint_on#1", "constraint_nearby#1", "constraint_nearby#2", "complaints_covered#1", "complaints_covered#2", "complaints_alike", "feedback_stats#1", "feedback_by_tool#1"],
        arities: &[1, 2, 1, 6, 2, 2, 2, 4, 4, 2, 3, 2, 3, 2, 2, 2, 6, 1, 3, 2, 4, 3, 4, 2, 3, 3, 3, 3, 3, 3, 3, 2, 2, 6, 2, 3, 2, 2, 2, 2, 1, 1, 2, 3, 6, 5, 4, 3, 2, 5, 4, 4, 4, 3, 4, 3, 4, 2, 2, 3, 4, 6, 6, 6, 5, 3, 3, 5, 5, 6, 6, 6],
        rules: &[&RULE_0, &RULE_1, &RULE_5, &RULE_6, &RULE_16, &RULE_17, &RULE_20, &RULE_22, &RULE_24, &RULE_26, &RULE_29, &RULE_32, &RULE_35, &RULE_44, &RULE_51, &RULE_54, &RULE_61, &RULE_62],
        decisions: &["no_tool", "propose_constraint", "replace_tool", "select_tool"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 59, &RULE_0, params);
        limit(tables, 60, &RULE_1, params);
        aggregate(tables, 61, &RULE_5, params);
        aggregate(tables, 62, &RULE_6, params);
        limit(tables, 63, &RULE_17, params);
        aggregate(tables, 64, &RULE_20, params);
        aggregate(tables, 69, &RULE_54, params);
        aggregate(tables, 70, &RULE_61, params);
        aggregate(tables, 71, &RULE_62, params);
        program_1::run(tables, params);
        limit(tables, 67, &RULE_44, params);
        limit(tables, 68, &RULE_51, params);
        program_2::run(tables, params);
        limit(tables, 65, &RULE_29, params);
        aggregate(tables, 66, &RULE_32, params);
        program_3::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(9, &FACTS_9);
        tables.facts(17, &FACTS_17);
    }

    /// The facts of `domain_order`.
    #[rustfmt::skip]
    static FACTS_9: [[Cell; 2]; 4] = [
        [Cell::T("/marketing"), Cell::I(1)],
        [Cell::T("/crypto"), Cell::I(2)],
        [Cell::T("/engineering"), Cell::I(3)],
        [Cell::T("/operations"), Cell::I(4)],
    ];

    /// The facts of `known_domain`.
    #[rustfmt::skip]
    static FACTS_17: [[Cell; 1]; 1] = [
        [Cell::T("/global")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/global",
        "/negative",
        "/constraint",
        "/domain",
        "/none",
        "/penalize",
        "/positive",
        "/correction",
    ]);

    // stats_of_a_domain
    fn tool_stats_5_0(domain_1: Word) -> Word {
        sure(Op::NotEqual, &[domain_1, TEXTS.word(0)])
    }

    fn tool_stats_5_1(ok_2: Word) -> Word {
        pick(ok_2, int(1), int(0))
    }

    fn tool_stats_5_2(ok_2: Word) -> Word {
        pick(ok_2, int(0), int(1))
    }

    // stats_of_all_runs
    fn tool_stats_6_0(ok_1: Word) -> Word {
        pick(ok_1, int(1), int(0))
    }

    fn tool_stats_6_1(ok_1: Word) -> Word {
        pick(ok_1, int(0), int(1))
    }

    // own_history
    fn stats_source_9_0(domain_1: Word) -> Word {
        sure(Op::NotEqual, &[domain_1, TEXTS.word(0)])
    }

    // stats_source_own#1
    fn stats_source_own_12_0(domain_1: Word) -> Word {
        sure(Op::NotEqual, &[domain_1, TEXTS.word(0)])
    }

    // usefulness_by_runs
    #[rustfmt::skip]
    fn usefulness_16_0(successes_2: Word, calls_3: Word, p2: Word, p4: Word, p3: Word, p5: Word) -> Eval {
        two(Op::MulFloat, 0, two(Op::AddFloat, 1, two(Op::MulFloat, 2, two(Op::DivFloat, 3, sure(Op::FloatOfInt, &[successes_2]), sure(Op::FloatOfInt, &[calls_3]))?, p2)?, two(Op::MulFloat, 4, p4, p3)?)?, sure(Op::Min, &[float(1.0), two(Op::DivFloat, 5, sure(Op::FloatOfInt, &[calls_3]), sure(Op::FloatOfInt, &[p5]))?]))
    }

    // avoid_in_this_domain
    fn avoid_18_0(usefulness_4: Word, p6: Word) -> Word {
        sure(Op::Less, &[usefulness_4, p6])
    }

    // avoid_everywhere
    fn avoid_19_0(usefulness_3: Word, p6: Word) -> Word {
        sure(Op::Less, &[usefulness_3, p6])
    }

    // pattern_share#1
    #[rustfmt::skip]
    fn pattern_share_20_0(total_2: Word, matched_3: Word) -> Eval {
        Ok(if sure(Op::Greater, &[total_2, int(0)]).as_bool() { two(Op::DivFloat, 0, sure(Op::FloatOfInt, &[matched_3]), sure(Op::FloatOfInt, &[total_2]))? } else { float(0.0) })
    }

    // score_by_fit_and_record
    fn plain_score_22_0(share_2: Word, p0: Word, usefulness_3: Word, p1: Word) -> Eval {
        two(Op::AddFloat, 0, two(Op::MulFloat, 1, share_2, p0)?, two(Op::MulFloat, 2, usefulness_3, p1)?)
    }

    // remembered_against
    fn remembered_score_24_0(score_2: Word, p7: Word) -> Eval {
        two(Op::MulFloat, 0, score_2, p7)
    }

    // score_after_feedback
    fn tool_score_26_0(score_2: Word, factor_3: Word) -> Eval {
        Ok(sure(Op::Clamp, &[two(Op::MulFloat, 0, score_2, factor_3)?, float(0.0), float(1.0)]))
    }

    // best_tool
    fn select_tool_30_0(score_2: Word, p8: Word) -> Word {
        sure(Op::GreaterEqual, &[score_2, p8])
    }

    // replacement_tool
    fn select_tool_31_0(best_4: Word, p8: Word) -> Word {
        sure(Op::GreaterEqual, &[best_4, p8])
    }

    // feedback_time_over
    fn feedback_over_35_0(now_3: Word, at_1: Word, lasts_2: Word) -> Eval {
        Ok(sure(Op::GreaterEqual, &[two(Op::SubInt, 0, now_3, at_1)?, lasts_2]))
    }

    // feedback_for_such_goals
    fn feedback_applies_41_0(text_8: Word, pattern_7: Word) -> Word {
        sure(Op::Contains, &[sure(Op::Lower, &[text_8]), sure(Op::Lower, &[pattern_7])])
    }

    // replace_first_choice
    fn replace_tool_53_0(score_4: Word, p8: Word) -> Word {
        sure(Op::GreaterEqual, &[score_4, p8])
    }

    // complaints_alike
    fn propose_constraint_60_0(count_3: Word, p13: Word) -> Word {
        sure(Op::GreaterEqual, &[count_3, p13])
    }

    /// The rule `given_domain#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "given_domain#1",
        head: 13,
        variables: &[("Goal", Type::String), ("Domain", Type::Name)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Any]),
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::Name, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:76:20", "min(Domain)")],
    };

    /// The rule `signalled_domain#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "signalled_domain#1",
        head: 14,
        variables: &[("Goal", Type::String), ("Domain", Type::Name), ("Place", Type::Int)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Any]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(9, &[Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Int, false)],
            rank: None,
            types: &[Type::String, Type::Name],
        }),
        places: &[],
    };

    /// The rule `stats_of_a_domain`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "stats_of_a_domain",
        head: 16,
        variables: &[("Tool", Type::String), ("Domain", Type::Name), ("Ok", Type::Bool), ("Latency", Type::Duration)],
        body: &[
            Step::Atom(3, &[Arg::Any, Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Any]),
            Step::Test(&[1], |m| Ok(tool_stats_5_0(m.var(1)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Count, &[], 0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(tool_stats_5_1(m.var(2))))], 1),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(tool_stats_5_2(m.var(2))))], 2),
            Term::Of(Aggregate::Mean, &[(Type::Duration, |m| Ok(m.var(3)))], 3),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:114:26", "count()"), ("rules/tool_scoring/tool_scoring.dl:114:35", "sum(if(Ok, 1, 0))"), ("rules/tool_scoring/tool_scoring.dl:114:54", "sum(if(Ok, 0, 1))"), ("rules/tool_scoring/tool_scoring.dl:114:73", "mean(Latency)")],
    };

    /// The rule `stats_of_all_runs`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "stats_of_all_runs",
        head: 16,
        variables: &[("Tool", Type::String), ("Ok", Type::Bool), ("Latency", Type::Duration)],
        body: &[
            Step::Atom(3, &[Arg::Any, Arg::Var(0), Arg::Any, Arg::Var(1), Arg::Var(2), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Of(Aggregate::Count, &[], 0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(tool_stats_6_0(m.var(1))))], 1),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(tool_stats_6_1(m.var(1))))], 2),
            Term::Of(Aggregate::Mean, &[(Type::Duration, |m| Ok(m.var(2)))], 3),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:120:27", "count()"), ("rules/tool_scoring/tool_scoring.dl:120:36", "sum(if(Ok, 1, 0))"), ("rules/tool_scoring/tool_scoring.dl:120:55", "sum(if(Ok, 0, 1))"), ("rules/tool_scoring/tool_scoring.dl:120:74", "mean(Latency)")],
    };

    /// The rule `usefulness_by_runs`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_16: Rule = Rule {
        number: 16,
        id: "usefulness_by_runs",
        head: 21,
        variables: &[("Tool", Type::String), ("Domain", Type::Name), ("Successes", Type::Int), ("Calls", Type::Int)],
        body: &[
            Step::Atom(20, &[Arg::Var(0), Arg::Var(1), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| usefulness_16_0(m.var(2), m.var(3), m.param(2), m.param(4), m.param(3), m.param(5))),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:183:5", "(float(Successes) / float(Calls) * success_weight + neutral_usefulness * neutral_weight) * min(1.0, float(Calls) / float(trusted_calls))"), ("rules/tool_scoring/tool_scoring.dl:183:6", "float(Successes) / float(Calls) * success_weight + neutral_usefulness * neutral_weight"), ("rules/tool_scoring/tool_scoring.dl:183:6", "float(Successes) / float(Calls) * success_weight"), ("rules/tool_scoring/tool_scoring.dl:183:6", "float(Successes) / float(Calls)"), ("rules/tool_scoring/tool_scoring.dl:183:57", "neutral_usefulness * neutral_weight"), ("rules/tool_scoring/tool_scoring.dl:184:20", "float(Calls) / float(trusted_calls)")],
    };

    /// The rule `latest_failure_modes`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_17: Rule = Rule {
        number: 17,
        id: "latest_failure_modes",
        head: 22,
        variables: &[("Tool", Type::String), ("Domain", Type::Name), ("Mode", Type::String), ("At", Type::Time), ("Run", Type::Int)],
        body: &[
            Step::Atom(3, &[Arg::Var(4), Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(Word::from_bool(false))), Arg::Any, Arg::Var(3)]),
            Step::Atom(4, &[Arg::Var(4), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(9)),
            per: &[0, 1],
            by: &[(|m| Ok(m.var(3)), Type::Time, true), (|m| Ok(m.var(2)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::Name, Type::String, Type::Time],
        }),
        places: &[],
    };

    /// The rule `pattern_share#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_20: Rule = Rule {
        number: 20,
        id: "pattern_share#1",
        head: 24,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Total", Type::Int), ("Matched", Type::Int)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Any]),
            Step::Atom(2, &[Arg::Var(1)]),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Max, &[(Type::Float, |m| pattern_share_20_0(m.var(2), m.var(3)))], 1),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:220:45", "float(Matched) / float(Total)"), ("rules/tool_scoring/tool_scoring.dl:220:27", "max(if(Total > 0, float(Matched) / float(Total), 0.0))")],
    };

    /// The rule `score_by_fit_and_record`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_22: Rule = Rule {
        number: 22,
        id: "score_by_fit_and_record",
        head: 25,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Share", Type::Float), ("Usefulness", Type::Float), ("Domain", Type::Name)],
        body: &[
            Step::Atom(15, &[Arg::Var(0), Arg::Var(4)]),
            Step::Atom(24, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(21, &[Arg::Var(1), Arg::Var(4), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| plain_score_22_0(m.var(2), m.param(0), m.var(3), m.param(1))),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:231:25", "Share * pattern_weight + Usefulness * usefulness_weight"), ("rules/tool_scoring/tool_scoring.dl:231:25", "Share * pattern_weight"), ("rules/tool_scoring/tool_scoring.dl:231:50", "Usefulness * usefulness_weight")],
    };

    /// The rule `remembered_against`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_24: Rule = Rule {
        number: 24,
        id: "remembered_against",
        head: 26,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Score", Type::Float)],
        body: &[
            Step::Atom(25, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(23, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| remembered_score_24_0(m.var(2), m.param(7))),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:244:30", "Score * avoid_factor")],
    };

    /// The rule `score_after_feedback`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_26: Rule = Rule {
        number: 26,
        id: "score_after_feedback",
        head: 27,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Score", Type::Float), ("Factor", Type::Float)],
        body: &[
            Step::Atom(26, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(10, &[Arg::Var(0), Arg::Var(1), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| tool_score_26_0(m.var(2), m.var(3))),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:257:30", "Score * Factor")],
    };

    /// The rule `highest_score`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_29: Rule = Rule {
        number: 29,
        id: "highest_score",
        head: 29,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Score", Type::Float)],
        body: &[
            Step::Atom(28, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Float, true)],
            rank: None,
            types: &[Type::String, Type::String, Type::Float],
        }),
        places: &[],
    };

    /// The rule `best_allowed#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_32: Rule = Rule {
        number: 32,
        id: "best_allowed#1",
        head: 31,
        variables: &[("Goal", Type::String), ("Score", Type::Float), ("Tool", Type::String)],
        body: &[
            Step::Atom(27, &[Arg::Var(0), Arg::Var(2), Arg::Var(1)]),
            Step::Not(11, &[Arg::Var(0), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Max, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/tool_scoring/tool_scoring.dl:295:20", "max(Score)")],
    };

    /// The rule `feedback_time_over`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_35: Rule = Rule {
        number: 35,
        id: "feedback_time_over",
        head: 40,
        variables: &[("Feedback", Type::String), ("At", Type::Time), ("Lasts", Type::Duration), ("Now", Type::Time)],
        body: &[
            Step::Atom(33, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Atom(37, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(0, &[Arg::Var(3)]),
            Step::Test(&[1, 2, 3], |m| feedback_over_35_0(m.var(3), m.var(1), m.var(2))),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: None,
        places: &[("rules/feedback/feedback.dl:55:5", "Now - At")],
    };

    /// The rule `latest_factor`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_44: Rule = Rule {
        number: 44,
        id: "latest_factor",
        head: 46,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Factor", Type::Float), ("Feedback", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(45, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0, 1],
            by: &[(|m| Ok(m.var(4)), Type::Time, true), (|m| Ok(m.var(3)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::String, Type::Float, Type::String],
        }),
        places: &[],
    };

    /// The rule `latest_correction`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_51: Rule = Rule {
        number: 51,
        id: "latest_correction",
        head: 50,
        variables: &[("Goal", Type::String), ("Tool", Type::String), ("Replacement", Type::String), ("Feedback", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(49, &[Arg::Var(0), Arg::Var(1), Arg::Var(3), Arg::Var(2), Arg::Var(4)]),
            Step::Not(48, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0, 1],
            by: &[(|m| Ok(m.var(4)), Type::Time, true), (|m| Ok(m.var(3)), Type::String, false), (|m| Ok(m.var(2)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::String, Type::String, Type::String],
        }),
        places: &[],
    };

    /// The rule `alike_complaints#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_54: Rule = Rule {
        number: 54,
        id: "alike_complaints#1",
        head: 52,
        variables: &[("Tool", Type::String), ("Domain", Type::Name), ("Pattern", Type::String), ("Feedback", Type::String)],
        body: &[
            Step::Atom(41, &[Arg::Var(3)]),
            Step::Atom(33, &[Arg::Var(3), Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(1))), Arg::Any, Arg::Any]),
            Step::Atom(36, &[Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(3)))], 0),
        ],
        limit: None,
        places: &[("rules/feedback/feedback.dl:189:41", "count(Feedback)")],
    };

    /// The rule `feedback_stats#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_61: Rule = Rule {
        number: 61,
        id: "feedback_stats#1",
        head: 57,
        variables: &[("Verdict", Type::Name), ("Feedback", Type::String)],
        body: &[
            Step::Atom(33, &[Arg::Var(1), Arg::Any, Arg::Any, Arg::Var(0), Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/feedback/feedback.dl:234:25", "count(Feedback)")],
    };

    /// The rule `feedback_by_tool#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_62: Rule = Rule {
        number: 62,
        id: "feedback_by_tool#1",
        head: 58,
        variables: &[("Tool", Type::String), ("Feedback", Type::String)],
        body: &[
            Step::Atom(33, &[Arg::Var(1), Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/feedback/feedback.dl:239:24", "count(Feedback)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R2Tool,
            Row6 as R3ToolRun,
            Row2 as R4FailureMode,
            Row2 as R5GoalDomainGiven,
            Row2 as R6DomainSignal,
            Row4 as R7PatternMatch,
            Row2 as R9DomainOrder,
            Row6 as R33Feedback,
            Row2 as R36FeedbackGoal,
            Row2 as R37FeedbackLasts,
            Row2 as R39FeedbackWithdrawn,
            Row1 as R40FeedbackOver,
            Row1 as R41FeedbackActive,
            Row2 as R42FeedbackImportance,
            Row3 as R53ConstraintOn,
            Row3 as M0,
            Row4 as M1,
            Row6 as M5,
            Row6 as M6,
            Row6 as M17,
            Row5 as M20,
            Row6 as M54,
            Row6 as M61,
            Row6 as M62,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R40FeedbackOver(Word);
            @output
            #[cfg(any())]
            struct R41FeedbackActive(Word);
            @output
            #[cfg(any())]
            struct R42FeedbackImportance(Word, Word);
            @output
            #[cfg(any())]
            struct R53ConstraintOn(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M0(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M5(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M17(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M20(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M54(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M61(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M62(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R2Tool(Word);
            @output
            #[cfg(any())]
            struct R3ToolRun(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4FailureMode(Word, Word);
            @output
            #[cfg(any())]
            struct R5GoalDomainGiven(Word, Word);
            @output
            #[cfg(any())]
            struct R6DomainSignal(Word, Word);
            @output
            #[cfg(any())]
            struct R7PatternMatch(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R9DomainOrder(Word, Word);
            @output
            #[cfg(any())]
            struct R33Feedback(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R36FeedbackGoal(Word, Word);
            @output
            #[cfg(any())]
            struct R37FeedbackLasts(Word, Word);
            @output
            #[cfg(any())]
            struct R39FeedbackWithdrawn(Word, Word);

            R2Tool(c0) <-
                Source(input),
                for [c0] in input.rows(2);

            R3ToolRun(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(3);

            R4FailureMode(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(4);

            R5GoalDomainGiven(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(5);

            R6DomainSignal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(6);

            R7PatternMatch(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(7);

            R9DomainOrder(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(9);

            R33Feedback(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(33);

            R36FeedbackGoal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(36);

            R37FeedbackLasts(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(37);

            R39FeedbackWithdrawn(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(39);

            // given_domain#1
            M0(goal_0, domain_1, open_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [goal_0, open_1] = row_1,
                R5GoalDomainGiven(goal_0, domain_1),
                (go());

            // signalled_domain#1
            M1(goal_0, domain_1, place_2, open_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [goal_0, open_1] = row_1,
                R6DomainSignal(goal_0, domain_1),
                R9DomainOrder(domain_1, place_2),
                (go());

            // stats_of_a_domain
            M5(tool_0, domain_1, ok_2, latency_3, open_1, open_2) <-
                R3ToolRun(open_1, tool_0, domain_1, ok_2, latency_3, open_2),
                (tool_stats_5_0(domain_1).as_bool()),
                (go());

            // stats_of_all_runs
            M6(tool_0, ok_1, latency_2, open_1, open_2, open_3) <-
                R3ToolRun(open_1, tool_0, open_2, ok_1, latency_2, open_3),
                (go());

            // latest_failure_modes
            M17(tool_0, domain_1, mode_2, at_3, run_4, open_1) <-
                R3ToolRun(run_4, tool_0, domain_1, Word::from_bool(false), open_1, at_3),
                R4FailureMode(run_4, mode_2),
                (go());

            // pattern_share#1
            M20(goal_0, tool_1, total_2, matched_3, open_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [goal_0, open_1] = row_1,
                R7PatternMatch(goal_0, tool_1, matched_3, total_2),
                R2Tool(tool_1),
                (go());

            // feedback_time_over
            R40FeedbackOver(feedback_0) <-
                Source(input),
                R33Feedback(feedback_0, _, _, _, _, at_1),
                R37FeedbackLasts(feedback_0, lasts_2),
                for row_3 in input.rows(0),
                let [now_3] = row_3,
                let Some(true) = held(35, feedback_over_35_0(now_3, at_1, lasts_2)),
                (go());

            // feedback_counts
            R41FeedbackActive(feedback_0) <-
                R33Feedback(feedback_0, _, _, _, _, _),
                !R39FeedbackWithdrawn(feedback_0, _),
                !R40FeedbackOver(feedback_0),
                (go());

            // feedback_importance#1
            R42FeedbackImportance(feedback_0, p10) <-
                Source(input),
                let p10 = input.param(10),
                R33Feedback(feedback_0, _, _, _, _, _),
                (go());

            // alike_complaints#1
            M54(tool_0, domain_1, pattern_2, feedback_3, open_1, open_2) <-
                R41FeedbackActive(feedback_3),
                R33Feedback(feedback_3, tool_0, domain_1, TEXTS.word(1), open_1, open_2),
                R36FeedbackGoal(feedback_3, pattern_2),
                (go());

            // constraint_on#1
            R53ConstraintOn(tool_0, domain_1, feedback_2) <-
                R41FeedbackActive(feedback_2),
                R33Feedback(feedback_2, tool_0, domain_1, TEXTS.word(1), TEXTS.word(2), _),
                (go());

            // feedback_stats#1
            M61(verdict_0, feedback_1, open_1, open_2, open_3, open_4) <-
                R33Feedback(feedback_1, open_1, open_2, verdict_0, open_3, open_4),
                (go());

            // feedback_by_tool#1
            M62(tool_0, feedback_1, open_1, open_2, open_3, open_4) <-
                R33Feedback(feedback_1, tool_0, open_1, open_2, open_3, open_4),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r40_feedback_over, r41_feedback_active, r42_feedback_importance, r53_constraint_on, m0, m1, m5, m6, m17, m20, m54, m61, m62, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(40, &r40_feedback_over);
            tables.set(41, &r41_feedback_active);
            tables.set(42, &r42_feedback_importance);
            tables.set(53, &r53_constraint_on);
            tables.set(59, &m0);
            tables.set(60, &m1);
            tables.set(61, &m5);
            tables.set(62, &m6);
            tables.set(63, &m17);
            tables.set(64, &m20);
            tables.set(69, &m54);
            tables.set(70, &m61);
            tables.set(71, &m62);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R1Goal,
            Row1 as R2Tool,
            Row4 as R7PatternMatch,
            Row4 as R8ToolMemory,
            Row2 as R13GivenDomain,
            Row2 as R14SignalledDomain,
            Row6 as R16ToolStats,
            Row6 as R33Feedback,
            Row2 as R36FeedbackGoal,
            Row2 as R38FeedbackReplacement,
            Row3 as R53ConstraintOn,
            Row2 as R11SetAside,
            Row2 as R15GoalDomain,
            Row1 as R17KnownDomain,
            Row3 as R18StatsSource,
            Row2 as R19StatsSourceOwn,
            Row4 as R20UsefulnessEvidence,
            Row3 as R21Usefulness,
            Row2 as R23Avoid,
            Row3 as R24PatternShare,
            Row3 as R25PlainScore,
            Row3 as R26RememberedScore,
            Row3 as R43FeedbackInDomain,
            Row6 as R44FeedbackApplies,
            Row5 as R45FactorAsked,
            Row3 as R47Excluded,
            Row2 as R48Constrained,
            Row5 as R49UsableCorrection,
            Row4 as R54ConstraintNearby,
            Row3 as R55ComplaintsCovered,
            Row4 as R56ProposeConstraint,
            Row5 as M44,
            Row5 as M51,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R11SetAside(Word, Word);
            @output
            #[cfg(any())]
            struct R15GoalDomain(Word, Word);
            @output
            #[cfg(any())]
            struct R17KnownDomain(Word);
            @output
            #[cfg(any())]
            struct R18StatsSource(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R19StatsSourceOwn(Word, Word);
            @output
            #[cfg(any())]
            struct R20UsefulnessEvidence(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R21Usefulness(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R23Avoid(Word, Word);
            @output
            #[cfg(any())]
            struct R24PatternShare(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R25PlainScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R26RememberedScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R43FeedbackInDomain(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R44FeedbackApplies(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R45FactorAsked(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R47Excluded(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R48Constrained(Word, Word);
            @output
            #[cfg(any())]
            struct R49UsableCorrection(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R54ConstraintNearby(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R55ComplaintsCovered(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R56ProposeConstraint(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M44(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M51(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Goal(Word, Word);
            @output
            #[cfg(any())]
            struct R2Tool(Word);
            @output
            #[cfg(any())]
            struct R7PatternMatch(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8ToolMemory(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R13GivenDomain(Word, Word);
            @output
            #[cfg(any())]
            struct R14SignalledDomain(Word, Word);
            @output
            #[cfg(any())]
            struct R16ToolStats(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R33Feedback(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R36FeedbackGoal(Word, Word);
            @output
            #[cfg(any())]
            struct R38FeedbackReplacement(Word, Word);
            @output
            #[cfg(any())]
            struct R53ConstraintOn(Word, Word, Word);

            R1Goal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(1);

            R2Tool(c0) <-
                Source(input),
                for [c0] in input.rows(2);

            R7PatternMatch(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(7);

            R8ToolMemory(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(8);

            R13GivenDomain(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(13);

            R14SignalledDomain(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(14);

            R16ToolStats(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(16);

            R33Feedback(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(33);

            R36FeedbackGoal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(36);

            R38FeedbackReplacement(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(38);

            R53ConstraintOn(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(53);

            R17KnownDomain(c0) <-
                Source(input),
                for [c0] in input.rows(17);

            R24PatternShare(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(24);

            // domain_as_given
            R15GoalDomain(goal_0, domain_1) <-
                R13GivenDomain(goal_0, domain_1),
                (go());

            // domain_by_signal
            R15GoalDomain(goal_0, domain_1) <-
                R14SignalledDomain(goal_0, domain_1),
                !R13GivenDomain(goal_0, _),
                (go());

            // domain_unknown
            R15GoalDomain(goal_0, TEXTS.word(0)) <-
                R1Goal(goal_0, _),
                !R13GivenDomain(goal_0, _),
                !R14SignalledDomain(goal_0, _),
                (go());

            // known_domain#2
            R17KnownDomain(domain_0) <-
                Source(input),
                for row_1 in input.rows(3),
                let [_, _, domain_0, _, _, _] = row_1,
                (go());

            // known_domain#3
            R17KnownDomain(domain_0) <-
                R15GoalDomain(_, domain_0),
                (go());

            // own_history
            R18StatsSource(tool_0, domain_1, TEXTS.word(3)) <-
                R2Tool(tool_0),
                R16ToolStats(tool_0, domain_1, _, _, _, _),
                (stats_source_9_0(domain_1).as_bool()),
                R17KnownDomain(domain_1),
                (go());

            // history_of_all_runs
            R18StatsSource(tool_0, domain_1, TEXTS.word(0)) <-
                R2Tool(tool_0),
                R16ToolStats(tool_0, TEXTS.word(0), _, _, _, _),
                R17KnownDomain(domain_1),
                !R19StatsSourceOwn(tool_0, domain_1),
                (go());

            // no_history
            R18StatsSource(tool_0, domain_1, TEXTS.word(4)) <-
                R2Tool(tool_0),
                !R16ToolStats(tool_0, TEXTS.word(0), _, _, _, _),
                R17KnownDomain(domain_1),
                (go());

            // stats_source_own#1
            R19StatsSourceOwn(tool_0, domain_1) <-
                R16ToolStats(tool_0, domain_1, _, _, _, _),
                (stats_source_own_12_0(domain_1).as_bool()),
                (go());

            // usefulness_evidence#1
            R20UsefulnessEvidence(tool_0, domain_1, calls_2, successes_3) <-
                R18StatsSource(tool_0, domain_1, TEXTS.word(3)),
                R16ToolStats(tool_0, domain_1, calls_2, successes_3, _, _),
                (go());

            // usefulness_evidence#2
            R20UsefulnessEvidence(tool_0, domain_1, calls_2, successes_3) <-
                R18StatsSource(tool_0, domain_1, TEXTS.word(0)),
                R16ToolStats(tool_0, TEXTS.word(0), calls_2, successes_3, _, _),
                (go());

            // usefulness_unknown
            R21Usefulness(tool_0, domain_1, p4) <-
                Source(input),
                let p4 = input.param(4),
                R18StatsSource(tool_0, domain_1, TEXTS.word(4)),
                (go());

            // usefulness_by_runs
            R21Usefulness(tool_0, domain_1, head_2) <-
                Source(input),
                let p2 = input.param(2),
                let p3 = input.param(3),
                let p4 = input.param(4),
                let p5 = input.param(5),
                R20UsefulnessEvidence(tool_0, domain_1, calls_3, successes_2),
                let Some(head_2) = tried(16, usefulness_16_0(successes_2, calls_3, p2, p4, p3, p5)),
                (go());

            // avoid_in_this_domain
            R23Avoid(goal_0, tool_1) <-
                Source(input),
                let p6 = input.param(6),
                R2Tool(tool_1),
                R8ToolMemory(_, domain_2, tool_1, usefulness_4),
                (avoid_18_0(usefulness_4, p6).as_bool()),
                R15GoalDomain(goal_0, domain_2),
                (go());

            // avoid_everywhere
            R23Avoid(goal_0, tool_1) <-
                Source(input),
                let p6 = input.param(6),
                R2Tool(tool_1),
                R8ToolMemory(_, TEXTS.word(0), tool_1, usefulness_3),
                (avoid_19_0(usefulness_3, p6).as_bool()),
                R1Goal(goal_0, _),
                (go());

            // pattern_share#2
            R24PatternShare(goal_0, tool_1, float(0.0)) <-
                R1Goal(goal_0, _),
                R2Tool(tool_1),
                !R7PatternMatch(goal_0, tool_1, _, _),
                (go());

            // score_by_fit_and_record
            R25PlainScore(goal_0, tool_1, head_2) <-
                Source(input),
                let p0 = input.param(0),
                let p1 = input.param(1),
                R15GoalDomain(goal_0, domain_4),
                R24PatternShare(goal_0, tool_1, share_2),
                R21Usefulness(tool_1, domain_4, usefulness_3),
                let Some(head_2) = tried(22, plain_score_22_0(share_2, p0, usefulness_3, p1)),
                (go());

            // nothing_remembered_against
            R26RememberedScore(goal_0, tool_1, score_2) <-
                R25PlainScore(goal_0, tool_1, score_2),
                !R23Avoid(goal_0, tool_1),
                (go());

            // remembered_against
            R26RememberedScore(goal_0, tool_1, head_2) <-
                Source(input),
                let p7 = input.param(7),
                R25PlainScore(goal_0, tool_1, score_2),
                R23Avoid(goal_0, tool_1),
                let Some(head_2) = tried(24, remembered_score_24_0(score_2, p7)),
                (go());

            // feedback_in_domain#1
            R43FeedbackInDomain(goal_0, feedback_1, domain_2) <-
                Source(input),
                for row_1 in input.rows(41),
                let [feedback_1] = row_1,
                R33Feedback(feedback_1, _, domain_2, _, _, _),
                R15GoalDomain(goal_0, domain_2),
                (go());

            // feedback_in_domain#2
            R43FeedbackInDomain(goal_0, feedback_1, TEXTS.word(0)) <-
                Source(input),
                for row_1 in input.rows(41),
                let [feedback_1] = row_1,
                R33Feedback(feedback_1, _, TEXTS.word(0), _, _, _),
                R1Goal(goal_0, _),
                (go());

            // feedback_for_every_goal
            R44FeedbackApplies(goal_0, feedback_1, tool_2, verdict_3, action_4, at_5) <-
                R43FeedbackInDomain(goal_0, feedback_1, domain_6),
                !R36FeedbackGoal(feedback_1, _),
                R33Feedback(feedback_1, tool_2, domain_6, verdict_3, action_4, at_5),
                R2Tool(tool_2),
                (go());

            // feedback_for_such_goals
            R44FeedbackApplies(goal_0, feedback_1, tool_2, verdict_3, action_4, at_5) <-
                R43FeedbackInDomain(goal_0, feedback_1, domain_6),
                R33Feedback(feedback_1, tool_2, domain_6, verdict_3, action_4, at_5),
                R2Tool(tool_2),
                R36FeedbackGoal(feedback_1, pattern_7),
                R1Goal(goal_0, text_8),
                (feedback_applies_41_0(text_8, pattern_7).as_bool()),
                (go());

            // factor_asked#1
            R45FactorAsked(goal_0, tool_1, p11, feedback_2, at_3) <-
                Source(input),
                let p11 = input.param(11),
                R44FeedbackApplies(goal_0, feedback_2, tool_1, TEXTS.word(1), TEXTS.word(5), at_3),
                (go());

            // factor_asked#2
            R45FactorAsked(goal_0, tool_1, p12, feedback_2, at_3) <-
                Source(input),
                let p12 = input.param(12),
                R44FeedbackApplies(goal_0, feedback_2, tool_1, TEXTS.word(6), _, at_3),
                (go());

            // latest_factor
            M44(goal_0, tool_1, factor_2, feedback_3, at_4) <-
                R45FactorAsked(goal_0, tool_1, factor_2, feedback_3, at_4),
                (go());

            // excluded_by_constraint
            R47Excluded(goal_0, tool_1, feedback_2) <-
                R44FeedbackApplies(goal_0, feedback_2, tool_1, TEXTS.word(1), TEXTS.word(2), _),
                (go());

            // excluded_by_correction
            R47Excluded(goal_0, tool_1, feedback_2) <-
                R44FeedbackApplies(goal_0, feedback_2, tool_1, TEXTS.word(7), _, _),
                (go());

            // set_aside#1
            R11SetAside(goal_0, tool_1) <-
                R47Excluded(goal_0, tool_1, _),
                (go());

            // constrained#1
            R48Constrained(goal_0, tool_1) <-
                R44FeedbackApplies(goal_0, _, tool_1, TEXTS.word(1), TEXTS.word(2), _),
                (go());

            // usable_correction#1
            R49UsableCorrection(goal_0, tool_1, feedback_2, replacement_3, at_4) <-
                R44FeedbackApplies(goal_0, feedback_2, tool_1, TEXTS.word(7), _, at_4),
                R38FeedbackReplacement(feedback_2, replacement_3),
                !R11SetAside(goal_0, replacement_3),
                R2Tool(replacement_3),
                (go());

            // latest_correction
            M51(goal_0, tool_1, replacement_2, feedback_3, at_4) <-
                R49UsableCorrection(goal_0, tool_1, feedback_3, replacement_2, at_4),
                !R48Constrained(goal_0, tool_1),
                (go());

            // constraint_nearby#1
            R54ConstraintNearby(tool_0, domain_1, pattern_2, feedback_3) <-
                Source(input),
                for row_1 in input.rows(52),
                let [tool_0, domain_1, pattern_2, _] = row_1,
                R53ConstraintOn(tool_0, domain_1, feedback_3),
                (go());

            // constraint_nearby#2
            R54ConstraintNearby(tool_0, domain_1, pattern_2, feedback_3) <-
                Source(input),
                for row_1 in input.rows(52),
                let [tool_0, domain_1, pattern_2, _] = row_1,
                R53ConstraintOn(tool_0, TEXTS.word(0), feedback_3),
                (go());

            // complaints_covered#1
            R55ComplaintsCovered(tool_0, domain_1, pattern_2) <-
                R54ConstraintNearby(tool_0, domain_1, pattern_2, feedback_3),
                R36FeedbackGoal(feedback_3, pattern_2),
                (go());

            // complaints_covered#2
            R55ComplaintsCovered(tool_0, domain_1, pattern_2) <-
                R54ConstraintNearby(tool_0, domain_1, pattern_2, feedback_3),
                !R36FeedbackGoal(feedback_3, _),
                (go());

            // complaints_alike
            R56ProposeConstraint(tool_0, domain_1, pattern_2, count_3) <-
                Source(input),
                let p13 = input.param(13),
                for row_2 in input.rows(52),
                let [tool_0, domain_1, pattern_2, count_3] = row_2,
                (propose_constraint_60_0(count_3, p13).as_bool()),
                !R55ComplaintsCovered(tool_0, domain_1, pattern_2),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r11_set_aside, r15_goal_domain, r17_known_domain, r18_stats_source, r19_stats_source_own, r20_usefulness_evidence, r21_usefulness, r23_avoid, r24_pattern_share, r25_plain_score, r26_remembered_score, r43_feedback_in_domain, r44_feedback_applies, r45_factor_asked, r47_excluded, r48_constrained, r49_usable_correction, r54_constraint_nearby, r55_complaints_covered, r56_propose_constraint, m44, m51, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(11, &r11_set_aside);
            tables.set(15, &r15_goal_domain);
            tables.set(17, &r17_known_domain);
            tables.set(18, &r18_stats_source);
            tables.set(19, &r19_stats_source_own);
            tables.set(20, &r20_usefulness_evidence);
            tables.set(21, &r21_usefulness);
            tables.set(23, &r23_avoid);
            tables.set(24, &r24_pattern_share);
            tables.set(25, &r25_plain_score);
            tables.set(26, &r26_remembered_score);
            tables.set(43, &r43_feedback_in_domain);
            tables.set(44, &r44_feedback_applies);
            tables.set(45, &r45_factor_asked);
            tables.set(47, &r47_excluded);
            tables.set(48, &r48_constrained);
            tables.set(49, &r49_usable_correction);
            tables.set(54, &r54_constraint_nearby);
            tables.set(55, &r55_complaints_covered);
            tables.set(56, &r56_propose_constraint);
            tables.set(67, &m44);
            tables.set(68, &m51);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R11SetAside,
            Row3 as R10ScoreFactor,
            Row3 as R12HandedOver,
            Row3 as R27ToolScore,
            Row3 as R28InTheRunning,
            Row3 as M29,
            Row3 as M32,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R10ScoreFactor(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12HandedOver(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R27ToolScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R28InTheRunning(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M29(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M32(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R11SetAside(Word, Word);

            R11SetAside(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(11);

            // score_as_it_is
            R27ToolScore(goal_0, tool_1, score_2) <-
                Source(input),
                for row_1 in input.rows(26),
                let [goal_0, tool_1, score_2] = row_1,
                !R10ScoreFactor(goal_0, tool_1, _),
                (go());

            // score_after_feedback
            R27ToolScore(goal_0, tool_1, head_2) <-
                Source(input),
                for row_1 in input.rows(26),
                let [goal_0, tool_1, score_2] = row_1,
                R10ScoreFactor(goal_0, tool_1, factor_3),
                let Some(head_2) = tried(26, tool_score_26_0(score_2, factor_3)),
                (go());

            // in_the_running#1
            R28InTheRunning(goal_0, tool_1, score_2) <-
                R27ToolScore(goal_0, tool_1, score_2),
                !R11SetAside(goal_0, tool_1),
                (go());

            // in_the_running#2
            R28InTheRunning(goal_0, tool_1, score_2) <-
                R27ToolScore(goal_0, tool_1, score_2),
                R12HandedOver(goal_0, tool_1, _),
                (go());

            // highest_score
            M29(goal_0, tool_1, score_2) <-
                R28InTheRunning(goal_0, tool_1, score_2),
                (go());

            // best_allowed#1
            M32(goal_0, score_1, tool_2) <-
                R27ToolScore(goal_0, tool_2, score_1),
                !R11SetAside(goal_0, tool_2),
                (go());

            // score_factor#1
            R10ScoreFactor(goal_0, tool_1, factor_2) <-
                Source(input),
                for row_1 in input.rows(46),
                let [goal_0, tool_1, factor_2, _] = row_1,
                (go());

            // handed_over#1
            R12HandedOver(goal_0, tool_1, replacement_2) <-
                Source(input),
                for row_1 in input.rows(50),
                let [goal_0, tool_1, replacement_2, _] = row_1,
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r10_score_factor, r12_handed_over, r27_tool_score, r28_in_the_running, m29, m32, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(10, &r10_score_factor);
            tables.set(12, &r12_handed_over);
            tables.set(27, &r27_tool_score);
            tables.set(28, &r28_in_the_running);
            tables.set(65, &m29);
            tables.set(66, &m32);
        }
    }

    mod program_3 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R12HandedOver,
            Row3 as R27ToolScore,
            Row2 as R31BestAllowed,
            Row4 as R50Correction,
            Row3 as R30SelectTool,
            Row2 as R32NoTool,
            Row4 as R51ReplaceTool,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R30SelectTool(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R32NoTool(Word, Word);
            @output
            #[cfg(any())]
            struct R51ReplaceTool(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12HandedOver(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R27ToolScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R31BestAllowed(Word, Word);
            @output
            #[cfg(any())]
            struct R50Correction(Word, Word, Word, Word);

            R12HandedOver(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(12);

            R27ToolScore(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(27);

            R31BestAllowed(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(31);

            R50Correction(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(50);

            // best_tool
            R30SelectTool(goal_0, tool_1, score_2) <-
                Source(input),
                let p8 = input.param(8),
                for row_2 in input.rows(29),
                let [goal_0, tool_1, score_2] = row_2,
                (select_tool_30_0(score_2, p8).as_bool()),
                !R12HandedOver(goal_0, tool_1, _),
                (go());

            // replacement_tool
            R30SelectTool(goal_0, replacement_1, score_2) <-
                Source(input),
                let p8 = input.param(8),
                for row_2 in input.rows(29),
                let [goal_0, tool_3, best_4] = row_2,
                (select_tool_31_0(best_4, p8).as_bool()),
                R12HandedOver(goal_0, tool_3, replacement_1),
                R27ToolScore(goal_0, replacement_1, score_2),
                (go());

            // none_good_enough
            R32NoTool(goal_0, best_1) <-
                R31BestAllowed(goal_0, best_1),
                !R30SelectTool(goal_0, _, _),
                (go());

            // none_at_all
            R32NoTool(goal_0, float(0.0)) <-
                Source(input),
                for row_1 in input.rows(1),
                let [goal_0, _] = row_1,
                !R31BestAllowed(goal_0, _),
                !R30SelectTool(goal_0, _, _),
                (go());

            // replace_first_choice
            R51ReplaceTool(goal_0, tool_1, replacement_2, feedback_3) <-
                Source(input),
                let p8 = input.param(8),
                for row_2 in input.rows(29),
                let [goal_0, tool_1, score_4] = row_2,
                (replace_tool_53_0(score_4, p8).as_bool()),
                R50Correction(goal_0, tool_1, replacement_2, feedback_3),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r30_select_tool, r32_no_tool, r51_replace_tool, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(30, &r30_select_tool);
            tables.set(32, &r32_no_tool);
            tables.set(51, &r51_replace_tool);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 3] = [
        concat!(
            "input goal(goal: string, text: string).\n",
        ),
        concat!(
            "input tool(tool: string).\n",
            "input tool_run(run: int, tool: string, domain: name, ok: bool, latency: duration, at: time).\n",
            "input failure_mode(run: int, mode: string).\n",
            "input goal_domain_given(goal: string, domain: name).\n",
            "input domain_signal(goal: string, domain: name).\n",
            "input pattern_match(goal: string, tool: string, matched: int, total: int).\n",
            "input tool_memory(memory: string, domain: name, tool: string, usefulness: float).\n",
            "param pattern_weight: float = 0.8.\n",
            "param usefulness_weight: float = 0.2.\n",
            "param success_weight: float = 0.7.\n",
            "param neutral_weight: float = 0.3.\n",
            "param neutral_usefulness: float = 0.5.\n",
            "param trusted_calls: int = 10.\n",
            "param avoid_below: float = 0.3.\n",
            "param avoid_factor: float = 0.3.\n",
            "param lowest_score: float = 0.15.\n",
            "param failure_modes_kept: int = 10.\n",
            "relation domain_order(domain: name, place: int).\n",
            "domain_order(/marketing, 1).\n",
            "domain_order(/crypto, 2).\n",
            "domain_order(/engineering, 3).\n",
            "domain_order(/operations, 4).\n",
            "relation score_factor(goal: string, tool: string, factor: float).\n",
            "relation set_aside(goal: string, tool: string).\n",
            "relation handed_over(goal: string, tool: string, replacement: string).\n",
            "relation given_domain(goal: string, domain: name).\n",
            "given_domain(Goal, min(Domain)) :- goal(Goal, _), goal_domain_given(Goal, Domain).\n",
            "relation signalled_domain(goal: string, domain: name).\n",
            "signalled_domain(Goal, Domain) :-\n    goal(Goal, _),\n    domain_signal(Goal, Domain),\n    domain_order(Domain, Place)\n    limit 1 per Goal by Place.\n",
            "relation goal_domain(goal: string, domain: name).\n",
            "@id(domain_as_given)\n@because(\"goal {Goal} was given with the domain {Domain}\")\ngoal_domain(Goal, Domain) :- given_domain(Goal, Domain).\n",
            "@id(domain_by_signal)\n@because(\"the words of goal {Goal} signal {Domain}\")\ngoal_domain(Goal, Domain) :- signalled_domain(Goal, Domain), !given_domain(Goal, _).\n",
            "@id(domain_unknown)\n@because(\"nothing names a domain for goal {Goal}, so it is judged by all runs\")\ngoal_domain(Goal, /global) :- goal(Goal, _), !given_domain(Goal, _), !signalled_domain(Goal, _).\n",
            "relation tool_stats(\n    tool: string,\n    domain: name,\n    calls: int,\n    successes: int,\n    failures: int,\n    avg_latency: duration\n).\n",
            "@id(stats_of_a_domain)\n@because(\"{Tool} ran {calls} times in {Domain}, {successes} of them well\")\ntool_stats(Tool, Domain, count(), sum(if(Ok, 1, 0)), sum(if(Ok, 0, 1)), mean(Latency)) :-\n    tool_run(_, Tool, Domain, Ok, Latency, _),\n    Domain != /global.\n",
            "@id(stats_of_all_runs)\n@because(\"{Tool} ran {calls} times in all, {successes} of them well\")\ntool_stats(Tool, /global, count(), sum(if(Ok, 1, 0)), sum(if(Ok, 0, 1)), mean(Latency)) :-\n    tool_run(_, Tool, _, Ok, Latency, _).\n",
            "relation known_domain(domain: name).\n",
            "known_domain(/global).\n",
            "known_domain(Domain) :- tool_run(_, _, Domain, _, _, _).\n",
            "known_domain(Domain) :- goal_domain(_, Domain).\n",
            "relation stats_source(tool: string, domain: name, source: /domain | /global | /none).\n",
            "@id(own_history)\n@because(\"{Tool} has runs of its own in {Domain}\")\nstats_source(Tool, Domain, /domain) :-\n    tool(Tool),\n    known_domain(Domain),\n    tool_stats(tool: Tool, domain: Domain),\n    Domain != /global.\n",
            "@id(history_of_all_runs)\n@because(\"{Tool} is judged in {Domain} by all of its runs\")\nstats_source(Tool, Domain, /global) :-\n    tool(Tool),\n    known_domain(Domain),\n    tool_stats(tool: Tool, domain: /global),\n    !stats_source_own(Tool, Domain).\n",
            "@id(no_history)\n@because(\"{Tool} never ran\")\nstats_source(Tool, Domain, /none) :-\n    tool(Tool),\n    known_domain(Domain),\n    !tool_stats(tool: Tool, domain: /global).\n",
            "relation stats_source_own(tool: string, domain: name).\n",
            "stats_source_own(Tool, Domain) :- tool_stats(tool: Tool, domain: Domain), Domain != /global.\n",
            "relation usefulness_evidence(tool: string, domain: name, calls: int, successes: int).\n",
            "usefulness_evidence(Tool, Domain, Calls, Successes) :-\n    stats_source(Tool, Domain, /domain),\n    tool_stats(Tool, Domain, Calls, Successes, _, _).\n",
            "usefulness_evidence(Tool, Domain, Calls, Successes) :-\n    stats_source(Tool, Domain, /global),\n    tool_stats(Tool, /global, Calls, Successes, _, _).\n",
            "relation usefulness(tool: string, domain: name, score: float).\n",
            "@id(usefulness_unknown)\n@because(\"{Tool} never ran, so its usefulness is the neutral {neutral_usefulness}\")\nusefulness(Tool, Domain, neutral_usefulness) :- stats_source(Tool, Domain, /none).\n",
            "@id(usefulness_by_runs)\n@because(\"{Tool} succeeded {Successes} times in {Calls} calls that count for {Domain}\")\nusefulness(\n    Tool,\n    Domain,\n    (float(Successes) / float(Calls) * success_weight + neutral_usefulness * neutral_weight)\n        * min(1.0, float(Calls) / float(trusted_calls))\n) :-\n    usefulness_evidence(Tool, Domain, Calls, Successes).\n",
            "relation recent_failure_mode(tool: string, domain: name, mode: string, at: time).\n",
            "@id(latest_failure_modes)\n@because(\"{Tool} failed in {Domain} with {Mode} at {At}\")\nrecent_failure_mode(Tool, Domain, Mode, At) :-\n    tool_run(Run, Tool, Domain, false, _, At),\n    failure_mode(Run, Mode)\n    limit failure_modes_kept per Tool, Domain by At desc, Mode.\n",
            "relation avoid(goal: string, tool: string).\n",
            "@id(avoid_in_this_domain)\n@because(\"memory {Memory} of {Domain} rates {Tool} at {Usefulness}, below {avoid_below}\")\navoid(Goal, Tool) :-\n    tool(Tool),\n    goal_domain(Goal, Domain),\n    tool_memory(Memory, Domain, Tool, Usefulness),\n    Usefulness < avoid_below.\n",
            "@id(avoid_everywhere)\n@because(\"memory {Memory} of all domains rates {Tool} at {Usefulness}, below {avoid_below}\")\navoid(Goal, Tool) :-\n    tool(Tool),\n    goal(Goal, _),\n    tool_memory(Memory, /global, Tool, Usefulness),\n    Usefulness < avoid_below.\n",
            "relation pattern_share(goal: string, tool: string, share: float).\n",
            "pattern_share(Goal, Tool, max(if(Total > 0, float(Matched) / float(Total), 0.0))) :-\n    goal(Goal, _),\n    tool(Tool),\n    pattern_match(Goal, Tool, Matched, Total).\n",
            "pattern_share(Goal, Tool, 0.0) :- goal(Goal, _), tool(Tool), !pattern_match(Goal, Tool, _, _).\n",
            "relation plain_score(goal: string, tool: string, score: float).\n",
            "@id(score_by_fit_and_record)\n@because(\"{Tool} matches {Share} of its patterns and has the usefulness {Usefulness} in {Domain}\")\nplain_score(Goal, Tool, Share * pattern_weight + Usefulness * usefulness_weight) :-\n    goal_domain(Goal, Domain),\n    pattern_share(Goal, Tool, Share),\n    usefulness(Tool, Domain, Usefulness).\n",
            "relation remembered_score(goal: string, tool: string, score: float).\n",
            "@id(nothing_remembered_against)\nremembered_score(Goal, Tool, Score) :- plain_score(Goal, Tool, Score), !avoid(Goal, Tool).\n",
            "@id(remembered_against)\n@because(\"a memory speaks against {Tool}: {Score} times {avoid_factor}\")\nremembered_score(Goal, Tool, Score * avoid_factor) :-\n    plain_score(Goal, Tool, Score),\n    avoid(Goal, Tool).\n",
            "relation tool_score(goal: string, tool: string, score: float).\n",
            "@id(score_as_it_is)\n@because(\"nobody's feedback changes the score {Score} of {Tool}\")\ntool_score(Goal, Tool, Score) :- remembered_score(Goal, Tool, Score), !score_factor(Goal, Tool, _).\n",
            "@id(score_after_feedback)\n@because(\"feedback changes the score {Score} of {Tool} by the factor {Factor}\")\ntool_score(Goal, Tool, clamp(Score * Factor, 0.0, 1.0)) :-\n    remembered_score(Goal, Tool, Score),\n    score_factor(Goal, Tool, Factor).\n",
            "relation in_the_running(goal: string, tool: string, score: float).\n",
            "in_the_running(Goal, Tool, Score) :- tool_score(Goal, Tool, Score), !set_aside(Goal, Tool).\n",
            "in_the_running(Goal, Tool, Score) :- tool_score(Goal, Tool, Score), handed_over(Goal, Tool, _).\n",
            "relation first_choice(goal: string, tool: string, score: float).\n",
            "@id(highest_score)\n@because(\"of the tools in the running for {Goal}, {Tool} has the highest score, {Score}\")\nfirst_choice(Goal, Tool, Score) :- in_the_running(Goal, Tool, Score) limit 1 per Goal by Score desc.\n",
            "decision select_tool(goal: string, tool: string, score: float).\n",
            "@id(best_tool)\n@because(\"{Tool} suits {Goal} best: its score {Score} is at least {lowest_score}\")\nselect_tool(Goal, Tool, Score) :-\n    first_choice(Goal, Tool, Score),\n    Score >= lowest_score,\n    !handed_over(Goal, Tool, _).\n",
            "@id(replacement_tool)\n@because(\"people want {Replacement} where {Tool} would have been used for {Goal}\")\nselect_tool(Goal, Replacement, Score) :-\n    first_choice(Goal, Tool, Best),\n    Best >= lowest_score,\n    handed_over(Goal, Tool, Replacement),\n    tool_score(Goal, Replacement, Score).\n",
            "relation best_allowed(goal: string, score: float).\n",
            "best_allowed(Goal, max(Score)) :- tool_score(Goal, Tool, Score), !set_aside(Goal, Tool).\n",
            "decision no_tool(goal: string, best: float).\n",
            "@id(none_good_enough)\n@because(\"no tool suits {Goal}: the best score is {Best}, and {lowest_score} is needed\")\nno_tool(Goal, Best) :- best_allowed(Goal, Best), !select_tool(Goal, _, _).\n",
            "@id(none_at_all)\n@because(\"there is no tool for {Goal} that nobody excluded\")\nno_tool(Goal, 0.0) :- goal(Goal, _), !best_allowed(Goal, _), !select_tool(Goal, _, _).\n",
        ),
        concat!(
            "input feedback(\n    feedback: string,\n    tool: string,\n    domain: name,\n    verdict: /positive | /negative | /correction,\n    action: /penalize | /boost | /constraint | /correct,\n    at: time\n).\n",
            "input feedback_by(feedback: string, human: string).\n",
            "input feedback_text(feedback: string, reason: string, evidence: string).\n",
            "input feedback_goal(feedback: string, pattern: string).\n",
            "input feedback_lasts(feedback: string, lasts: duration).\n",
            "input feedback_replacement(feedback: string, tool: string).\n",
            "input feedback_withdrawn(feedback: string, at: time).\n",
            "param human_importance: float = 0.95.\n",
            "param penalty_factor: float = 0.3.\n",
            "param boost_factor: float = 1.2.\n",
            "param complaints_needed: int = 3.\n",
            "relation feedback_over(feedback: string).\n",
            "@id(feedback_time_over)\n@because(\"feedback {Feedback} was given at {At} for {Lasts} and is over\")\nfeedback_over(Feedback) :-\n    feedback(feedback: Feedback, at: At),\n    feedback_lasts(Feedback, Lasts),\n    now(Now),\n    Now - At >= Lasts.\n",
            "relation feedback_active(feedback: string).\n",
            "@id(feedback_counts)\n@because(\"feedback {Feedback} is neither withdrawn nor over\")\nfeedback_active(Feedback) :-\n    feedback(feedback: Feedback),\n    !feedback_withdrawn(Feedback, _),\n    !feedback_over(Feedback).\n",
            "relation feedback_importance(feedback: string, importance: float).\n",
            "feedback_importance(Feedback, human_importance) :- feedback(feedback: Feedback).\n",
            "relation feedback_in_domain(goal: string, feedback: string, domain: name).\n",
            "feedback_in_domain(Goal, Feedback, Domain) :-\n    feedback_active(Feedback),\n    feedback(feedback: Feedback, domain: Domain),\n    goal_domain(Goal, Domain).\n",
            "feedback_in_domain(Goal, Feedback, /global) :-\n    feedback_active(Feedback),\n    feedback(feedback: Feedback, domain: /global),\n    goal(Goal, _).\n",
            "relation feedback_applies(\n    goal: string,\n    feedback: string,\n    tool: string,\n    verdict: /positive | /negative | /correction,\n    action: /penalize | /boost | /constraint | /correct,\n    at: time\n).\n",
            "@id(feedback_for_every_goal)\n@because(\"feedback {Feedback} speaks of {Tool} in {Domain}, whatever the goal\")\nfeedback_applies(Goal, Feedback, Tool, Verdict, Action, At) :-\n    feedback_in_domain(Goal, Feedback, Domain),\n    feedback(Feedback, Tool, Domain, Verdict, Action, At),\n    tool(Tool),\n    !feedback_goal(Feedback, _).\n",
            "@id(feedback_for_such_goals)\n@because(\"feedback {Feedback} speaks of {Tool} for goals that contain `{Pattern}`\")\nfeedback_applies(Goal, Feedback, Tool, Verdict, Action, At) :-\n    feedback_in_domain(Goal, Feedback, Domain),\n    feedback(Feedback, Tool, Domain, Verdict, Action, At),\n    tool(Tool),\n    feedback_goal(Feedback, Pattern),\n    goal(Goal, Text),\n    contains(lower(Text), lower(Pattern)).\n",
            "relation factor_asked(goal: string, tool: string, factor: float, feedback: string, at: time).\n",
            "factor_asked(Goal, Tool, penalty_factor, Feedback, At) :-\n    feedback_applies(Goal, Feedback, Tool, /negative, /penalize, At).\n",
            "factor_asked(Goal, Tool, boost_factor, Feedback, At) :-\n    feedback_applies(Goal, Feedback, Tool, /positive, _, At).\n",
            "relation feedback_factor(goal: string, tool: string, factor: float, feedback: string).\n",
            "@id(latest_factor)\n@because(\"the latest feedback that weighs {Tool} for {Goal} is {Feedback}: times {Factor}\")\nfeedback_factor(Goal, Tool, Factor, Feedback) :-\n    factor_asked(Goal, Tool, Factor, Feedback, At)\n    limit 1 per Goal, Tool by At desc, Feedback.\n",
            "score_factor(Goal, Tool, Factor) :- feedback_factor(Goal, Tool, Factor, _).\n",
            "relation excluded(goal: string, tool: string, feedback: string).\n",
            "@id(excluded_by_constraint)\n@because(\"feedback {Feedback} forbids {Tool} for {Goal}\")\nexcluded(Goal, Tool, Feedback) :- feedback_applies(Goal, Feedback, Tool, /negative, /constraint, _).\n",
            "@id(excluded_by_correction)\n@because(\"feedback {Feedback} corrects the use of {Tool} for {Goal}\")\nexcluded(Goal, Tool, Feedback) :- feedback_applies(Goal, Feedback, Tool, /correction, _, _).\n",
            "set_aside(Goal, Tool) :- excluded(Goal, Tool, _).\n",
            "relation constrained(goal: string, tool: string).\n",
            "constrained(Goal, Tool) :- feedback_applies(Goal, _, Tool, /negative, /constraint, _).\n",
            "relation usable_correction(\n    goal: string,\n    tool: string,\n    feedback: string,\n    replacement: string,\n    at: time\n).\n",
            "usable_correction(Goal, Tool, Feedback, Replacement, At) :-\n    feedback_applies(Goal, Feedback, Tool, /correction, _, At),\n    feedback_replacement(Feedback, Replacement),\n    tool(Replacement),\n    !set_aside(Goal, Replacement).\n",
            "relation correction(goal: string, tool: string, replacement: string, feedback: string).\n",
            "@id(latest_correction)\n@because(\"feedback {Feedback} wants {Replacement} in the place of {Tool} for {Goal}\")\ncorrection(Goal, Tool, Replacement, Feedback) :-\n    usable_correction(Goal, Tool, Feedback, Replacement, At),\n    !constrained(Goal, Tool)\n    limit 1 per Goal, Tool by At desc, Feedback, Replacement.\n",
            "handed_over(Goal, Tool, Replacement) :- correction(Goal, Tool, Replacement, _).\n",
            "decision replace_tool(goal: string, tool: string, replacement: string, feedback: string).\n",
            "@id(replace_first_choice)\n@because(\"{Tool} would be used for {Goal}, but feedback {Feedback} wants {Replacement}\")\nreplace_tool(Goal, Tool, Replacement, Feedback) :-\n    first_choice(Goal, Tool, Score),\n    Score >= lowest_score,\n    correction(Goal, Tool, Replacement, Feedback).\n",
            "relation alike_complaints(tool: string, domain: name, pattern: string, count: int).\n",
            "alike_complaints(Tool, Domain, Pattern, count(Feedback)) :-\n    feedback_active(Feedback),\n    feedback(Feedback, Tool, Domain, /negative, _, _),\n    feedback_goal(Feedback, Pattern).\n",
            "relation constraint_on(tool: string, domain: name, feedback: string).\n",
            "constraint_on(Tool, Domain, Feedback) :-\n    feedback_active(Feedback),\n    feedback(Feedback, Tool, Domain, /negative, /constraint, _).\n",
            "relation constraint_nearby(tool: string, domain: name, pattern: string, feedback: string).\n",
            "constraint_nearby(Tool, Domain, Pattern, Feedback) :-\n    alike_complaints(Tool, Domain, Pattern, _),\n    constraint_on(Tool, Domain, Feedback).\n",
            "constraint_nearby(Tool, Domain, Pattern, Feedback) :-\n    alike_complaints(Tool, Domain, Pattern, _),\n    constraint_on(Tool, /global, Feedback).\n",
            "relation complaints_covered(tool: string, domain: name, pattern: string).\n",
            "complaints_covered(Tool, Domain, Pattern) :-\n    constraint_nearby(Tool, Domain, Pattern, Feedback),\n    feedback_goal(Feedback, Pattern).\n",
            "complaints_covered(Tool, Domain, Pattern) :-\n    constraint_nearby(Tool, Domain, Pattern, Feedback),\n    !feedback_goal(Feedback, _).\n",
            "decision propose_constraint(tool: string, domain: name, pattern: string, count: int).\n",
            "@id(complaints_alike)\n@because(\"{Count} complaints about {Tool} in {Domain} name `{Pattern}`, and no constraint covers them\")\npropose_constraint(Tool, Domain, Pattern, Count) :-\n    alike_complaints(Tool, Domain, Pattern, Count),\n    Count >= complaints_needed,\n    !complaints_covered(Tool, Domain, Pattern).\n",
            "relation feedback_stats(verdict: /positive | /negative | /correction, count: int).\n",
            "feedback_stats(Verdict, count(Feedback)) :- feedback(feedback: Feedback, verdict: Verdict).\n",
            "relation feedback_by_tool(tool: string, count: int).\n",
            "feedback_by_tool(Tool, count(Feedback)) :- feedback(feedback: Feedback, tool: Tool).\n",
        ),
    ];
}
