//! `refinement`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: when a tool must be made again, and when a new one is missing.

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

/// One execution of a generated tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolExecution {
    /// `run`
    pub run: i64,
    /// `tool`
    pub tool: String,
    /// `ok`
    pub ok: bool,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ToolExecution {
    const TABLE: usize = 2;
    const RELATION: &'static str = "tool_execution";

    fn write(&self, row: &mut Row) {
        row.put("run", &self.run);
        row.put("tool", &self.tool);
        row.put("ok", &self.ok);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { run: columns.take(), tool: columns.take(), ok: columns.take(), at: columns.take() }
    }
}

/// How good the output of a run was, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Quality {
    /// `run`
    pub run: i64,
    /// `completeness`
    pub completeness: f64,
    /// `accuracy`
    pub accuracy: f64,
    /// `efficiency`
    pub efficiency: f64,
    /// `relevance`
    pub relevance: f64,
}

impl Record for Quality {
    const TABLE: usize = 3;
    const RELATION: &'static str = "quality";

    fn write(&self, row: &mut Row) {
        row.put("run", &self.run);
        row.put("completeness", &self.completeness);
        row.put("accuracy", &self.accuracy);
        row.put("efficiency", &self.efficiency);
        row.put("relevance", &self.relevance);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            run: columns.take(),
            completeness: columns.take(),
            accuracy: columns.take(),
            efficiency: columns.take(),
            relevance: columns.take(),
        }
    }
}

/// The type `quality_issue_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QualityIssueKind {
    /// `/incomplete`
    Incomplete,
    /// `/pagination`
    Pagination,
    /// `/rate_limit`
    RateLimit,
    /// `/slow`
    Slow,
    /// `/partial_failure`
    PartialFailure,
}

impl QualityIssueKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incomplete => "/incomplete",
            Self::Pagination => "/pagination",
            Self::RateLimit => "/rate_limit",
            Self::Slow => "/slow",
            Self::PartialFailure => "/partial_failure",
        }
    }
}

impl Column for QualityIssueKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/incomplete" => Self::Incomplete,
            "/pagination" => Self::Pagination,
            "/rate_limit" => Self::RateLimit,
            "/slow" => Self::Slow,
            "/partial_failure" => Self::PartialFailure,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What was wrong with the output of a run, and how badly, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct QualityIssue {
    /// `run`
    pub run: i64,
    /// `issue`
    pub issue: QualityIssueKind,
    /// `severity`
    pub severity: f64,
}

impl Record for QualityIssue {
    const TABLE: usize = 4;
    const RELATION: &'static str = "quality_issue";

    fn write(&self, row: &mut Row) {
        row.put("run", &self.run);
        row.put("issue", &self.issue);
        row.put("severity", &self.severity);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { run: columns.take(), issue: columns.take(), severity: columns.take() }
    }
}

/// The tool is being made again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActiveRefinement {
    /// `tool`
    pub tool: String,
}

impl Record for ActiveRefinement {
    const TABLE: usize = 5;
    const RELATION: &'static str = "active_refinement";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take() }
    }
}

/// An improvement that the tool already got.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppliedFix {
    /// `tool`
    pub tool: String,
    /// `suggestion`
    pub suggestion: Name,
}

impl Record for AppliedFix {
    const TABLE: usize = 6;
    const RELATION: &'static str = "applied_fix";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("suggestion", &self.suggestion);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), suggestion: columns.take() }
    }
}

/// What the tool is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CapabilityOf {
    /// `tool`
    pub tool: String,
    /// `capability`
    pub capability: String,
}

impl Record for CapabilityOf {
    const TABLE: usize = 7;
    const RELATION: &'static str = "capability_of";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("capability", &self.capability);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), capability: columns.take() }
    }
}

/// Something the user wants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserIntent {
    /// `intent`
    pub intent: String,
}

impl Record for UserIntent {
    const TABLE: usize = 8;
    const RELATION: &'static str = "user_intent";

    fn write(&self, row: &mut Row) {
        row.put("intent", &self.intent);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { intent: columns.take() }
    }
}

/// What an intent needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntentRequires {
    /// `intent`
    pub intent: String,
    /// `capability`
    pub capability: String,
}

impl Record for IntentRequires {
    const TABLE: usize = 9;
    const RELATION: &'static str = "intent_requires";

    fn write(&self, row: &mut Row) {
        row.put("intent", &self.intent);
        row.put("capability", &self.capability);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { intent: columns.take(), capability: columns.take() }
    }
}

/// What the agent can do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HasCapability {
    /// `capability`
    pub capability: String,
}

impl Record for HasCapability {
    const TABLE: usize = 10;
    const RELATION: &'static str = "has_capability";

    fn write(&self, row: &mut Row) {
        row.put("capability", &self.capability);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { capability: columns.take() }
    }
}

/// What column `why` of `refine_tool` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefineToolWhy {
    /// `/poor_quality`
    PoorQuality,
    /// `/pagination`
    Pagination,
}

impl RefineToolWhy {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PoorQuality => "/poor_quality",
            Self::Pagination => "/pagination",
        }
    }
}

impl Column for RefineToolWhy {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/poor_quality" => Self::PoorQuality,
            "/pagination" => Self::Pagination,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Make this tool again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefineTool {
    /// `tool`
    pub tool: String,
    /// `why`
    pub why: RefineToolWhy,
}

impl Record for RefineTool {
    const TABLE: usize = 24;
    const RELATION: &'static str = "refine_tool";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("why", &self.why);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), why: columns.take() }
    }
}

/// Make a tool that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GenerateTool {
    /// `intent`
    pub intent: String,
    /// `capability`
    pub capability: String,
}

impl Record for GenerateTool {
    const TABLE: usize = 25;
    const RELATION: &'static str = "generate_tool";

    fn write(&self, row: &mut Row) {
        row.put("intent", &self.intent);
        row.put("capability", &self.capability);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { intent: columns.take(), capability: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What completeness weighs in the quality of a run.
    pub completeness_weight: f64,
    /// What accuracy weighs in the quality of a run.
    pub accuracy_weight: f64,
    /// What efficiency weighs in the quality of a run.
    pub efficiency_weight: f64,
    /// What relevance weighs in the quality of a run.
    pub relevance_weight: f64,
    /// Below this mean quality a tool counts as poor.
    pub poor_quality: f64,
    /// A tool is called poor only after so many executions.
    pub poor_executions: i64,
    /// A tool that misses pages is made again only after so many executions.
    pub pagination_executions: i64,
    /// So often an issue must occur to be a pattern.
    pub pattern_occurrences: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            completeness_weight: 1.0,
            accuracy_weight: 1.0,
            efficiency_weight: 1.0,
            relevance_weight: 1.0,
            poor_quality: 0.5,
            poor_executions: 3,
            pagination_executions: 2,
            pattern_occurrences: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("completeness_weight", &self.completeness_weight);
        row.put("accuracy_weight", &self.accuracy_weight);
        row.put("efficiency_weight", &self.efficiency_weight);
        row.put("relevance_weight", &self.relevance_weight);
        row.put("poor_quality", &self.poor_quality);
        row.put("poor_executions", &self.poor_executions);
        row.put("pagination_executions", &self.pagination_executions);
        row.put("pattern_occurrences", &self.pattern_occurrences);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// One execution of a generated tool.
    pub tool_execution: Vec<ToolExecution>,
    /// How good the output of a run was, each from 0 to 1.
    pub quality: Vec<Quality>,
    /// What was wrong with the output of a run, and how badly, from 0 to 1.
    pub quality_issue: Vec<QualityIssue>,
    /// The tool is being made again.
    pub active_refinement: Vec<ActiveRefinement>,
    /// An improvement that the tool already got.
    pub applied_fix: Vec<AppliedFix>,
    /// What the tool is for.
    pub capability_of: Vec<CapabilityOf>,
    /// Something the user wants.
    pub user_intent: Vec<UserIntent>,
    /// What an intent needs.
    pub intent_requires: Vec<IntentRequires>,
    /// What the agent can do.
    pub has_capability: Vec<HasCapability>,
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
            refine_tool: drawn(&decided.tables),
            generate_tool: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.tool_execution)?;
        fill(tables, &self.quality)?;
        fill(tables, &self.quality_issue)?;
        fill(tables, &self.active_refinement)?;
        fill(tables, &self.applied_fix)?;
        fill(tables, &self.capability_of)?;
        fill(tables, &self.user_intent)?;
        fill(tables, &self.intent_requires)?;
        fill(tables, &self.has_capability)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<ToolExecution> for Facts {
    fn extend<Many: IntoIterator<Item = ToolExecution>>(&mut self, facts: Many) {
        self.tool_execution.extend(facts);
    }
}

impl Extend<Quality> for Facts {
    fn extend<Many: IntoIterator<Item = Quality>>(&mut self, facts: Many) {
        self.quality.extend(facts);
    }
}

impl Extend<QualityIssue> for Facts {
    fn extend<Many: IntoIterator<Item = QualityIssue>>(&mut self, facts: Many) {
        self.quality_issue.extend(facts);
    }
}

impl Extend<ActiveRefinement> for Facts {
    fn extend<Many: IntoIterator<Item = ActiveRefinement>>(&mut self, facts: Many) {
        self.active_refinement.extend(facts);
    }
}

impl Extend<AppliedFix> for Facts {
    fn extend<Many: IntoIterator<Item = AppliedFix>>(&mut self, facts: Many) {
        self.applied_fix.extend(facts);
    }
}

impl Extend<CapabilityOf> for Facts {
    fn extend<Many: IntoIterator<Item = CapabilityOf>>(&mut self, facts: Many) {
        self.capability_of.extend(facts);
    }
}

impl Extend<UserIntent> for Facts {
    fn extend<Many: IntoIterator<Item = UserIntent>>(&mut self, facts: Many) {
        self.user_intent.extend(facts);
    }
}

impl Extend<IntentRequires> for Facts {
    fn extend<Many: IntoIterator<Item = IntentRequires>>(&mut self, facts: Many) {
        self.intent_requires.extend(facts);
    }
}

impl Extend<HasCapability> for Facts {
    fn extend<Many: IntoIterator<Item = HasCapability>>(&mut self, facts: Many) {
        self.has_capability.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Make this tool again.
    pub refine_tool: Vec<RefineTool>,
    /// Make a tool that does not exist yet.
    pub generate_tool: Vec<GenerateTool>,
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
        name: "refinement",
        fingerprint: "2c3464b6b413fb3900905232024936a1",
        relations: &["now", "issue_suggestion", "tool_execution", "quality", "quality_issue", "active_refinement", "applied_fix", "capability_of", "user_intent", "intent_requires", "has_capability", "run_quality", "execution_record", "assessed_quality", "tool_learning", "issue_occurrences", "issue_pattern", "tool_quality_poor", "tool_needs_refinement", "learning_pattern_detected", "suggestion", "missing_tool_for", "teaches", "tool_generation_hint", "refine_tool", "generate_tool"],
        params: &["completeness_weight", "accuracy_weight", "efficiency_weight", "relevance_weight", "poor_quality", "poor_executions", "pagination_executions", "pattern_occurrences"],
        rule_ids: &["run_quality#1", "execution_record#1", "assessed_quality#1", "learned_from_runs", "issue_occurrences#1", "issue_pattern#1", "poor_on_average", "needs_better_quality", "needs_pagination", "issue_is_a_pattern", "improve_against_issue", "capability_missing", "teaches#1", "teaches#2", "hint_from_pattern", "hint_from_fix", "refine_now", "generate_missing"],
        arities: &[1, 2, 4, 5, 3, 1, 2, 2, 1, 2, 1, 2, 3, 2, 4, 3, 4, 1, 2, 2, 2, 2, 2, 2, 2, 2, 4, 5, 6],
        rules: &[&RULE_0, &RULE_1, &RULE_2, &RULE_4, &RULE_5],
        decisions: &["generate_tool", "refine_tool"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 26, &RULE_1, params);
        aggregate(tables, 27, &RULE_2, params);
        aggregate(tables, 28, &RULE_4, params);
        program_1::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(1, &FACTS_1);
    }

    /// The facts of `issue_suggestion`.
    #[rustfmt::skip]
    static FACTS_1: [[Cell; 2]; 5] = [
        [Cell::T("/incomplete"), Cell::T("/increase_limit")],
        [Cell::T("/pagination"), Cell::T("/add_pagination")],
        [Cell::T("/rate_limit"), Cell::T("/add_caching")],
        [Cell::T("/slow"), Cell::T("/parallelize")],
        [Cell::T("/partial_failure"), Cell::T("/add_retry")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/poor_quality",
        "/pagination",
    ]);

    // run_quality#1
    #[rustfmt::skip]
    fn run_quality_0_0(completeness_1: Word, p0: Word, accuracy_2: Word, p1: Word, efficiency_3: Word, p2: Word, relevance_4: Word, p3: Word) -> Eval {
        two(Op::DivFloat, 0, two(Op::AddFloat, 1, two(Op::AddFloat, 2, two(Op::AddFloat, 3, two(Op::MulFloat, 4, completeness_1, p0)?, two(Op::MulFloat, 5, accuracy_2, p1)?)?, two(Op::MulFloat, 6, efficiency_3, p2)?)?, two(Op::MulFloat, 7, relevance_4, p3)?)?, two(Op::AddFloat, 8, two(Op::AddFloat, 9, two(Op::AddFloat, 10, p0, p1)?, p2)?, p3)?)
    }

    // execution_record#1
    fn execution_record_1_0(ok_1: Word) -> Word {
        pick(ok_1, float(1.0), float(0.0))
    }

    // issue_pattern#1
    #[rustfmt::skip]
    fn issue_pattern_5_0(count_2: Word) -> Eval {
        Ok(sure(Op::Min, &[float(0.95), two(Op::AddFloat, 0, float(0.1), two(Op::MulFloat, 1, float(0.2), sure(Op::FloatOfInt, &[count_2]))?)?]))
    }

    // poor_on_average
    fn tool_quality_poor_6_0(executions_1: Word, p5: Word) -> Word {
        sure(Op::GreaterEqual, &[executions_1, p5])
    }

    fn tool_quality_poor_6_1(quality_2: Word, p4: Word) -> Word {
        sure(Op::Less, &[quality_2, p4])
    }

    // needs_pagination
    fn tool_needs_refinement_8_0(executions_2: Word, p6: Word) -> Word {
        sure(Op::GreaterEqual, &[executions_2, p6])
    }

    // issue_is_a_pattern
    fn learning_pattern_detected_9_0(count_2: Word, p7: Word) -> Word {
        sure(Op::GreaterEqual, &[count_2, p7])
    }

    /// The rule `run_quality#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "run_quality#1",
        head: 11,
        variables: &[("Run", Type::Int), ("Completeness", Type::Float), ("Accuracy", Type::Float), ("Efficiency", Type::Float), ("Relevance", Type::Float)],
        body: &[
            Step::Atom(3, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| run_quality_0_0(m.var(1), m.param(0), m.var(2), m.param(1), m.var(3), m.param(2), m.var(4), m.param(3))),
        ],
        limit: None,
        places: &[("rules/refinement/refinement.dl:61:5", "( Completeness * completeness_weight + Accuracy * accuracy_weight + Efficiency * efficiency_weight + Relevance * relevance_weight ) / (completeness_weight + accuracy_weight + efficiency_weight + relevance_weight)"), ("rules/refinement/refinement.dl:62:9", "Completeness * completeness_weight + Accuracy * accuracy_weight + Efficiency * efficiency_weight + Relevance * relevance_weight"), ("rules/refinement/refinement.dl:62:9", "Completeness * completeness_weight + Accuracy * accuracy_weight + Efficiency * efficiency_weight"), ("rules/refinement/refinement.dl:62:9", "Completeness * completeness_weight + Accuracy * accuracy_weight"), ("rules/refinement/refinement.dl:62:9", "Completeness * completeness_weight"), ("rules/refinement/refinement.dl:63:15", "Accuracy * accuracy_weight"), ("rules/refinement/refinement.dl:64:15", "Efficiency * efficiency_weight"), ("rules/refinement/refinement.dl:65:15", "Relevance * relevance_weight"), ("rules/refinement/refinement.dl:67:12", "completeness_weight + accuracy_weight + efficiency_weight + relevance_weight"), ("rules/refinement/refinement.dl:67:12", "completeness_weight + accuracy_weight + efficiency_weight"), ("rules/refinement/refinement.dl:67:12", "completeness_weight + accuracy_weight")],
    };

    /// The rule `execution_record#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "execution_record#1",
        head: 12,
        variables: &[("Tool", Type::String), ("Ok", Type::Bool)],
        body: &[
            Step::Atom(2, &[Arg::Any, Arg::Var(0), Arg::Var(1), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(execution_record_1_0(m.var(1))))], 1),
        ],
        limit: None,
        places: &[("rules/refinement/refinement.dl:74:24", "count()"), ("rules/refinement/refinement.dl:74:33", "mean(if(Ok, 1.0, 0.0))")],
    };

    /// The rule `assessed_quality#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_2: Rule = Rule {
        number: 2,
        id: "assessed_quality#1",
        head: 13,
        variables: &[("Tool", Type::String), ("Score", Type::Float), ("Run", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(2), Arg::Var(0), Arg::Any, Arg::Any]),
            Step::Atom(11, &[Arg::Var(2), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/refinement/refinement.dl:79:24", "mean(Score)")],
    };

    /// The rule `issue_occurrences#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "issue_occurrences#1",
        head: 15,
        variables: &[("Tool", Type::String), ("Issue", Type::Name), ("Run", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(2), Arg::Var(0), Arg::Any, Arg::Any]),
            Step::Atom(4, &[Arg::Var(2), Arg::Var(1), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::Int, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/refinement/refinement.dl:93:32", "count(Run)")],
    };

    /// The rule `issue_pattern#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "issue_pattern#1",
        head: 16,
        variables: &[("Tool", Type::String), ("Issue", Type::Name), ("Count", Type::Int)],
        body: &[
            Step::Atom(15, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Plain(|m| issue_pattern_5_0(m.var(2))),
        ],
        limit: None,
        places: &[("rules/refinement/refinement.dl:100:45", "0.1 + 0.2 * float(Count)"), ("rules/refinement/refinement.dl:100:51", "0.2 * float(Count)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R4QualityIssue,
            Row2 as R9IntentRequires,
            Row1 as R10HasCapability,
            Row2 as R11RunQuality,
            Row2 as R21MissingToolFor,
            Row2 as R25GenerateTool,
            Row4 as M1,
            Row5 as M2,
            Row6 as M4,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R11RunQuality(Word, Word);
            @output
            #[cfg(any())]
            struct R21MissingToolFor(Word, Word);
            @output
            #[cfg(any())]
            struct R25GenerateTool(Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M2(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M4(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4QualityIssue(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R9IntentRequires(Word, Word);
            @output
            #[cfg(any())]
            struct R10HasCapability(Word);

            R4QualityIssue(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(4);

            R9IntentRequires(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(9);

            R10HasCapability(c0) <-
                Source(input),
                for [c0] in input.rows(10);

            // run_quality#1
            R11RunQuality(run_0, head_1) <-
                Source(input),
                let p0 = input.param(0),
                let p1 = input.param(1),
                let p2 = input.param(2),
                let p3 = input.param(3),
                for row_5 in input.rows(3),
                let [run_0, completeness_1, accuracy_2, efficiency_3, relevance_4] = row_5,
                let Some(head_1) = tried(0, run_quality_0_0(completeness_1, p0, accuracy_2, p1, efficiency_3, p2, relevance_4, p3)),
                (go());

            // execution_record#1
            M1(tool_0, ok_1, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [open_1, tool_0, ok_1, open_2] = row_1,
                (go());

            // assessed_quality#1
            M2(tool_0, score_1, run_2, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [run_2, tool_0, open_1, open_2] = row_1,
                R11RunQuality(run_2, score_1),
                (go());

            // issue_occurrences#1
            M4(tool_0, issue_1, run_2, open_1, open_2, open_3) <-
                Source(input),
                for row_1 in input.rows(2),
                let [run_2, tool_0, open_1, open_2] = row_1,
                R4QualityIssue(run_2, issue_1, open_3),
                (go());

            // capability_missing
            R21MissingToolFor(intent_0, capability_1) <-
                Source(input),
                for row_1 in input.rows(8),
                let [intent_0] = row_1,
                R9IntentRequires(intent_0, capability_1),
                !R10HasCapability(capability_1),
                (go());

            // generate_missing
            R25GenerateTool(intent_0, capability_1) <-
                R21MissingToolFor(intent_0, capability_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r11_run_quality, r21_missing_tool_for, r25_generate_tool, m1, m2, m4, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(11, &r11_run_quality);
            tables.set(21, &r21_missing_tool_for);
            tables.set(25, &r25_generate_tool);
            tables.set(26, &m1);
            tables.set(27, &m2);
            tables.set(28, &m4);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R1IssueSuggestion,
            Row1 as R5ActiveRefinement,
            Row2 as R6AppliedFix,
            Row2 as R7CapabilityOf,
            Row2 as R13AssessedQuality,
            Row3 as R15IssueOccurrences,
            Row4 as R14ToolLearning,
            Row4 as R16IssuePattern,
            Row1 as R17ToolQualityPoor,
            Row2 as R18ToolNeedsRefinement,
            Row2 as R19LearningPatternDetected,
            Row2 as R20Suggestion,
            Row2 as R22Teaches,
            Row2 as R23ToolGenerationHint,
            Row2 as R24RefineTool,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R14ToolLearning(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R16IssuePattern(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R17ToolQualityPoor(Word);
            @output
            #[cfg(any())]
            struct R18ToolNeedsRefinement(Word, Word);
            @output
            #[cfg(any())]
            struct R19LearningPatternDetected(Word, Word);
            @output
            #[cfg(any())]
            struct R20Suggestion(Word, Word);
            @output
            #[cfg(any())]
            struct R22Teaches(Word, Word);
            @output
            #[cfg(any())]
            struct R23ToolGenerationHint(Word, Word);
            @output
            #[cfg(any())]
            struct R24RefineTool(Word, Word);
            @output
            #[cfg(any())]
            struct R1IssueSuggestion(Word, Word);
            @output
            #[cfg(any())]
            struct R5ActiveRefinement(Word);
            @output
            #[cfg(any())]
            struct R6AppliedFix(Word, Word);
            @output
            #[cfg(any())]
            struct R7CapabilityOf(Word, Word);
            @output
            #[cfg(any())]
            struct R13AssessedQuality(Word, Word);
            @output
            #[cfg(any())]
            struct R15IssueOccurrences(Word, Word, Word);

            R1IssueSuggestion(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(1);

            R5ActiveRefinement(c0) <-
                Source(input),
                for [c0] in input.rows(5);

            R6AppliedFix(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(6);

            R7CapabilityOf(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(7);

            R13AssessedQuality(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(13);

            R15IssueOccurrences(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(15);

            // learned_from_runs
            R14ToolLearning(tool_0, executions_1, success_rate_2, quality_3) <-
                Source(input),
                for row_1 in input.rows(12),
                let [tool_0, executions_1, success_rate_2] = row_1,
                R13AssessedQuality(tool_0, quality_3),
                (go());

            // issue_pattern#1
            R16IssuePattern(tool_0, issue_1, count_2, head_3) <-
                R15IssueOccurrences(tool_0, issue_1, count_2),
                let Some(head_3) = tried(5, issue_pattern_5_0(count_2)),
                (go());

            // poor_on_average
            R17ToolQualityPoor(tool_0) <-
                Source(input),
                let p4 = input.param(4),
                let p5 = input.param(5),
                R14ToolLearning(tool_0, executions_1, _, quality_2),
                (tool_quality_poor_6_0(executions_1, p5).as_bool()),
                (tool_quality_poor_6_1(quality_2, p4).as_bool()),
                (go());

            // needs_better_quality
            R18ToolNeedsRefinement(tool_0, TEXTS.word(0)) <-
                R17ToolQualityPoor(tool_0),
                (go());

            // needs_pagination
            R18ToolNeedsRefinement(tool_0, TEXTS.word(1)) <-
                Source(input),
                let p6 = input.param(6),
                R15IssueOccurrences(tool_0, TEXTS.word(1), _),
                R14ToolLearning(tool_0, executions_2, _, _),
                (tool_needs_refinement_8_0(executions_2, p6).as_bool()),
                (go());

            // issue_is_a_pattern
            R19LearningPatternDetected(tool_0, issue_1) <-
                Source(input),
                let p7 = input.param(7),
                R15IssueOccurrences(tool_0, issue_1, count_2),
                (learning_pattern_detected_9_0(count_2, p7).as_bool()),
                (go());

            // improve_against_issue
            R20Suggestion(tool_0, suggestion_1) <-
                R15IssueOccurrences(tool_0, issue_2, _),
                R1IssueSuggestion(issue_2, suggestion_1),
                !R6AppliedFix(tool_0, suggestion_1),
                (go());

            // teaches#1
            R22Teaches(tool_0, capability_1) <-
                R19LearningPatternDetected(tool_0, _),
                R7CapabilityOf(tool_0, capability_1),
                (go());

            // teaches#2
            R22Teaches(tool_0, capability_1) <-
                Source(input),
                R19LearningPatternDetected(tool_0, _),
                for row_2 in input.rows(21),
                let [_, capability_1] = row_2,
                (go());

            // hint_from_pattern
            R23ToolGenerationHint(capability_0, suggestion_1) <-
                R22Teaches(tool_2, capability_0),
                R19LearningPatternDetected(tool_2, issue_3),
                R1IssueSuggestion(issue_3, suggestion_1),
                (go());

            // hint_from_fix
            R23ToolGenerationHint(capability_0, suggestion_1) <-
                R22Teaches(tool_2, capability_0),
                R6AppliedFix(tool_2, suggestion_1),
                (go());

            // refine_now
            R24RefineTool(tool_0, why_1) <-
                R18ToolNeedsRefinement(tool_0, why_1),
                !R5ActiveRefinement(tool_0),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r14_tool_learning, r16_issue_pattern, r17_tool_quality_poor, r18_tool_needs_refinement, r19_learning_pattern_detected, r20_suggestion, r22_teaches, r23_tool_generation_hint, r24_refine_tool, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(14, &r14_tool_learning);
            tables.set(16, &r16_issue_pattern);
            tables.set(17, &r17_tool_quality_poor);
            tables.set(18, &r18_tool_needs_refinement);
            tables.set(19, &r19_learning_pattern_detected);
            tables.set(20, &r20_suggestion);
            tables.set(22, &r22_teaches);
            tables.set(23, &r23_tool_generation_hint);
            tables.set(24, &r24_refine_tool);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 2] = [
        concat!(
            "type quality_issue_kind = /incomplete | /pagination | /rate_limit | /slow | /partial_failure.\n",
            "type improvement = /add_pagination | /increase_limit | /add_retry | /add_caching | /parallelize.\n",
            "relation issue_suggestion(issue: quality_issue_kind, suggestion: improvement).\n",
            "issue_suggestion(/incomplete, /increase_limit).\n",
            "issue_suggestion(/pagination, /add_pagination).\n",
            "issue_suggestion(/rate_limit, /add_caching).\n",
            "issue_suggestion(/slow, /parallelize).\n",
            "issue_suggestion(/partial_failure, /add_retry).\n",
        ),
        concat!(
            "input tool_execution(run: int, tool: string, ok: bool, at: time).\n",
            "input quality(run: int, completeness: float, accuracy: float, efficiency: float, relevance: float).\n",
            "input quality_issue(run: int, issue: quality_issue_kind, severity: float).\n",
            "input active_refinement(tool: string).\n",
            "input applied_fix(tool: string, suggestion: name).\n",
            "input capability_of(tool: string, capability: string).\n",
            "input user_intent(intent: string).\n",
            "input intent_requires(intent: string, capability: string).\n",
            "input has_capability(capability: string).\n",
            "param completeness_weight: float = 1.0.\n",
            "param accuracy_weight: float = 1.0.\n",
            "param efficiency_weight: float = 1.0.\n",
            "param relevance_weight: float = 1.0.\n",
            "param poor_quality: float = 0.5.\n",
            "param poor_executions: int = 3.\n",
            "param pagination_executions: int = 2.\n",
            "param pattern_occurrences: int = 3.\n",
            "relation run_quality(run: int, score: float).\n",
            "run_quality(\n    Run,\n    (\n        Completeness * completeness_weight\n            + Accuracy * accuracy_weight\n            + Efficiency * efficiency_weight\n            + Relevance * relevance_weight\n    )\n        / (completeness_weight + accuracy_weight + efficiency_weight + relevance_weight)\n) :-\n    quality(Run, Completeness, Accuracy, Efficiency, Relevance).\n",
            "relation execution_record(tool: string, executions: int, success_rate: float).\n",
            "execution_record(Tool, count(), mean(if(Ok, 1.0, 0.0))) :- tool_execution(_, Tool, Ok, _).\n",
            "relation assessed_quality(tool: string, quality: float).\n",
            "assessed_quality(Tool, mean(Score)) :- tool_execution(Run, Tool, _, _), run_quality(Run, Score).\n",
            "relation tool_learning(tool: string, executions: int, success_rate: float, quality: float).\n",
            "@id(learned_from_runs)\n@because(\"{Tool} ran {Executions} times, with a mean quality of {Quality}\")\ntool_learning(Tool, Executions, SuccessRate, Quality) :-\n    execution_record(Tool, Executions, SuccessRate),\n    assessed_quality(Tool, Quality).\n",
            "relation issue_occurrences(tool: string, issue: quality_issue_kind, count: int).\n",
            "issue_occurrences(Tool, Issue, count(Run)) :-\n    tool_execution(Run, Tool, _, _),\n    quality_issue(Run, Issue, _).\n",
            "relation issue_pattern(tool: string, issue: quality_issue_kind, count: int, confidence: float).\n",
            "issue_pattern(Tool, Issue, Count, min(0.95, 0.1 + 0.2 * float(Count))) :-\n    issue_occurrences(Tool, Issue, Count).\n",
            "relation tool_quality_poor(tool: string).\n",
            "@id(poor_on_average)\n@because(\"{Tool} averaged {Quality} over {Executions} runs; the floor is {poor_quality}\")\ntool_quality_poor(Tool) :-\n    tool_learning(Tool, Executions, _, Quality),\n    Executions >= poor_executions,\n    Quality < poor_quality.\n",
            "relation tool_needs_refinement(tool: string, why: /poor_quality | /pagination).\n",
            "@id(needs_better_quality)\n@because(\"the output of {Tool} is poor\")\ntool_needs_refinement(Tool, /poor_quality) :- tool_quality_poor(Tool).\n",
            "@id(needs_pagination)\n@because(\"{Tool} missed pages in {Count} of {Executions} runs\")\ntool_needs_refinement(Tool, /pagination) :-\n    issue_occurrences(Tool, /pagination, Count),\n    tool_learning(Tool, Executions, _, _),\n    Executions >= pagination_executions.\n",
            "relation learning_pattern_detected(tool: string, issue: quality_issue_kind).\n",
            "@id(issue_is_a_pattern)\n@because(\"{Tool} showed {Issue} in {Count} runs\")\nlearning_pattern_detected(Tool, Issue) :-\n    issue_occurrences(Tool, Issue, Count),\n    Count >= pattern_occurrences.\n",
            "relation suggestion(tool: string, suggestion: improvement).\n",
            "@id(improve_against_issue)\n@because(\"{Tool} showed {Issue} {Count} times: {Suggestion}\")\nsuggestion(Tool, Suggestion) :-\n    issue_occurrences(Tool, Issue, Count),\n    issue_suggestion(Issue, Suggestion),\n    !applied_fix(Tool, Suggestion).\n",
            "relation missing_tool_for(intent: string, capability: string).\n",
            "@id(capability_missing)\n@because(\"intent {Intent} needs {Capability}, which the agent does not have\")\nmissing_tool_for(Intent, Capability) :-\n    user_intent(Intent),\n    intent_requires(Intent, Capability),\n    !has_capability(Capability).\n",
            "relation teaches(tool: string, capability: string).\n",
            "teaches(Tool, Capability) :- learning_pattern_detected(Tool, _), capability_of(Tool, Capability).\n",
            "teaches(Tool, Capability) :- learning_pattern_detected(Tool, _), missing_tool_for(_, Capability).\n",
            "relation tool_generation_hint(capability: string, suggestion: name).\n",
            "@id(hint_from_pattern)\n@because(\"{Tool} shows {Issue} again and again; a tool for {Capability} should not\")\ntool_generation_hint(Capability, Suggestion) :-\n    teaches(Tool, Capability),\n    learning_pattern_detected(Tool, Issue),\n    issue_suggestion(Issue, Suggestion).\n",
            "@id(hint_from_fix)\n@because(\"{Tool} had to get {Suggestion}; a tool for {Capability} should have it from the start\")\ntool_generation_hint(Capability, Suggestion) :-\n    teaches(Tool, Capability),\n    applied_fix(Tool, Suggestion).\n",
            "decision refine_tool(tool: string, why: /poor_quality | /pagination).\n",
            "@id(refine_now)\n@because(\"{Tool} needs refinement ({Why}) and is not being refined yet\")\nrefine_tool(Tool, Why) :- tool_needs_refinement(Tool, Why), !active_refinement(Tool).\n",
            "decision generate_tool(intent: string, capability: string).\n",
            "@id(generate_missing)\n@because(\"intent {Intent} needs a tool for {Capability}\")\ngenerate_tool(Intent, Capability) :- missing_tool_for(Intent, Capability).\n",
        ),
    ];
}
