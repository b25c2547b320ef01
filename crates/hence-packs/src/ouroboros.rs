//! `ouroboros`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: may this generated tool go on, what earlier generations teach, and what a task asks for.

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

/// An import of the tool's source, whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceImport {
    /// `tool`
    pub tool: String,
    /// `import`
    pub import: String,
}

impl Record for SourceImport {
    const TABLE: usize = 2;
    const RELATION: &'static str = "source_import";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("import", &self.import);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), import: columns.take() }
    }
}

/// A call in the tool's source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceCall {
    /// `tool`
    pub tool: String,
    /// `call`
    pub call: String,
}

impl Record for SourceCall {
    const TABLE: usize = 3;
    const RELATION: &'static str = "source_call";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("call", &self.call);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), call: columns.take() }
    }
}

/// A log tag that the tool's source writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLog {
    /// `tool`
    pub tool: String,
    /// `tag`
    pub tag: Name,
}

impl Record for SourceLog {
    const TABLE: usize = 4;
    const RELATION: &'static str = "source_log";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("tag", &self.tag);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), tag: columns.take() }
    }
}

/// A person lets the tool import this.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImportGranted {
    /// `tool`
    pub tool: String,
    /// `import`
    pub import: String,
}

impl Record for ImportGranted {
    const TABLE: usize = 5;
    const RELATION: &'static str = "import_granted";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("import", &self.import);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), import: columns.take() }
    }
}

/// A stage that the tool has behind it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StagePassed {
    /// `tool`
    pub tool: String,
    /// `stage`
    pub stage: Name,
}

impl Record for StagePassed {
    const TABLE: usize = 6;
    const RELATION: &'static str = "stage_passed";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("stage", &self.stage);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), stage: columns.take() }
    }
}

/// A tool was generated under a trace, with the quality of its output from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Generation {
    /// `trace`
    pub trace: String,
    /// `tool`
    pub tool: String,
    /// `ok`
    pub ok: bool,
    /// `quality`
    pub quality: f64,
}

impl Record for Generation {
    const TABLE: usize = 7;
    const RELATION: &'static str = "generation";

    fn write(&self, row: &mut Row) {
        row.put("trace", &self.trace);
        row.put("tool", &self.tool);
        row.put("ok", &self.ok);
        row.put("quality", &self.quality);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { trace: columns.take(), tool: columns.take(), ok: columns.take(), quality: columns.take() }
    }
}

/// A choice made during a generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GenerationDecision {
    /// `trace`
    pub trace: String,
    /// `topic`
    pub topic: String,
    /// `choice`
    pub choice: String,
}

impl Record for GenerationDecision {
    const TABLE: usize = 8;
    const RELATION: &'static str = "generation_decision";

    fn write(&self, row: &mut Row) {
        row.put("trace", &self.trace);
        row.put("topic", &self.topic);
        row.put("choice", &self.choice);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { trace: columns.take(), topic: columns.take(), choice: columns.take() }
    }
}

/// An issue of a generated tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GenerationIssue {
    /// `trace`
    pub trace: String,
    /// `issue`
    pub issue: Name,
}

impl Record for GenerationIssue {
    const TABLE: usize = 9;
    const RELATION: &'static str = "generation_issue";

    fn write(&self, row: &mut Row) {
        row.put("trace", &self.trace);
        row.put("issue", &self.issue);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { trace: columns.take(), issue: columns.take() }
    }
}

/// Something that the agent was asked to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Task {
    /// `task`
    pub task: String,
    /// `text`
    pub text: String,
}

impl Record for Task {
    const TABLE: usize = 10;
    const RELATION: &'static str = "task";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), text: columns.take() }
    }
}

/// What the words of a task signal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskSignal {
    /// `task`
    pub task: String,
    /// `signal`
    pub signal: Name,
}

impl Record for TaskSignal {
    const TABLE: usize = 11;
    const RELATION: &'static str = "task_signal";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("signal", &self.signal);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), signal: columns.take() }
    }
}

/// The tool may not go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RejectTool {
    /// `tool`
    pub tool: String,
    /// `reason`
    pub reason: Name,
}

impl Record for RejectTool {
    const TABLE: usize = 25;
    const RELATION: &'static str = "reject_tool";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("reason", &self.reason);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), reason: columns.take() }
    }
}

/// What column `stage` of `next_stage` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NextStageStage {
    /// `/specification`
    Specification,
    /// `/safety_check`
    SafetyCheck,
    /// `/compilation`
    Compilation,
    /// `/registration`
    Registration,
    /// `/execution`
    Execution,
    /// `/refinement`
    Refinement,
}

impl NextStageStage {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Specification => "/specification",
            Self::SafetyCheck => "/safety_check",
            Self::Compilation => "/compilation",
            Self::Registration => "/registration",
            Self::Execution => "/execution",
            Self::Refinement => "/refinement",
        }
    }
}

impl Column for NextStageStage {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/specification" => Self::Specification,
            "/safety_check" => Self::SafetyCheck,
            "/compilation" => Self::Compilation,
            "/registration" => Self::Registration,
            "/execution" => Self::Execution,
            "/refinement" => Self::Refinement,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// The stage that comes next for a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NextStage {
    /// `tool`
    pub tool: String,
    /// `stage`
    pub stage: NextStageStage,
}

impl Record for NextStage {
    const TABLE: usize = 29;
    const RELATION: &'static str = "next_stage";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("stage", &self.stage);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), stage: columns.take() }
    }
}

/// Improve how tools are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OptimiseGeneration {
    /// `issue`
    pub issue: Name,
    /// `suggestion`
    pub suggestion: Name,
}

impl Record for OptimiseGeneration {
    const TABLE: usize = 32;
    const RELATION: &'static str = "optimise_generation";

    fn write(&self, row: &mut Row) {
        row.put("issue", &self.issue);
        row.put("suggestion", &self.suggestion);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { issue: columns.take(), suggestion: columns.take() }
    }
}

/// The task is large enough for a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StartCampaign {
    /// `task`
    pub task: String,
}

impl Record for StartCampaign {
    const TABLE: usize = 34;
    const RELATION: &'static str = "start_campaign";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take() }
    }
}

/// The task needs an agent that stays.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeepAgent {
    /// `task`
    pub task: String,
}

impl Record for KeepAgent {
    const TABLE: usize = 35;
    const RELATION: &'static str = "keep_agent";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// An issue of so many generations is worth mending where tools are generated.
    pub common_issue: i64,
    /// So many signals of size make a task a campaign.
    pub campaign_signals_needed: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            common_issue: 3,
            campaign_signals_needed: 2,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("common_issue", &self.common_issue);
        row.put("campaign_signals_needed", &self.campaign_signals_needed);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// An import of the tool's source, whole.
    pub source_import: Vec<SourceImport>,
    /// A call in the tool's source.
    pub source_call: Vec<SourceCall>,
    /// A log tag that the tool's source writes.
    pub source_log: Vec<SourceLog>,
    /// A person lets the tool import this.
    pub import_granted: Vec<ImportGranted>,
    /// A stage that the tool has behind it.
    pub stage_passed: Vec<StagePassed>,
    /// A tool was generated under a trace, with the quality of its output from 0 to 1.
    pub generation: Vec<Generation>,
    /// A choice made during a generation.
    pub generation_decision: Vec<GenerationDecision>,
    /// An issue of a generated tool.
    pub generation_issue: Vec<GenerationIssue>,
    /// Something that the agent was asked to do.
    pub task: Vec<Task>,
    /// What the words of a task signal.
    pub task_signal: Vec<TaskSignal>,
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
            reject_tool: drawn(&decided.tables),
            next_stage: drawn(&decided.tables),
            optimise_generation: drawn(&decided.tables),
            start_campaign: drawn(&decided.tables),
            keep_agent: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.source_import)?;
        fill(tables, &self.source_call)?;
        fill(tables, &self.source_log)?;
        fill(tables, &self.import_granted)?;
        fill(tables, &self.stage_passed)?;
        fill(tables, &self.generation)?;
        fill(tables, &self.generation_decision)?;
        fill(tables, &self.generation_issue)?;
        fill(tables, &self.task)?;
        fill(tables, &self.task_signal)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<SourceImport> for Facts {
    fn extend<Many: IntoIterator<Item = SourceImport>>(&mut self, facts: Many) {
        self.source_import.extend(facts);
    }
}

impl Extend<SourceCall> for Facts {
    fn extend<Many: IntoIterator<Item = SourceCall>>(&mut self, facts: Many) {
        self.source_call.extend(facts);
    }
}

impl Extend<SourceLog> for Facts {
    fn extend<Many: IntoIterator<Item = SourceLog>>(&mut self, facts: Many) {
        self.source_log.extend(facts);
    }
}

impl Extend<ImportGranted> for Facts {
    fn extend<Many: IntoIterator<Item = ImportGranted>>(&mut self, facts: Many) {
        self.import_granted.extend(facts);
    }
}

impl Extend<StagePassed> for Facts {
    fn extend<Many: IntoIterator<Item = StagePassed>>(&mut self, facts: Many) {
        self.stage_passed.extend(facts);
    }
}

impl Extend<Generation> for Facts {
    fn extend<Many: IntoIterator<Item = Generation>>(&mut self, facts: Many) {
        self.generation.extend(facts);
    }
}

impl Extend<GenerationDecision> for Facts {
    fn extend<Many: IntoIterator<Item = GenerationDecision>>(&mut self, facts: Many) {
        self.generation_decision.extend(facts);
    }
}

impl Extend<GenerationIssue> for Facts {
    fn extend<Many: IntoIterator<Item = GenerationIssue>>(&mut self, facts: Many) {
        self.generation_issue.extend(facts);
    }
}

impl Extend<Task> for Facts {
    fn extend<Many: IntoIterator<Item = Task>>(&mut self, facts: Many) {
        self.task.extend(facts);
    }
}

impl Extend<TaskSignal> for Facts {
    fn extend<Many: IntoIterator<Item = TaskSignal>>(&mut self, facts: Many) {
        self.task_signal.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// The tool may not go on.
    pub reject_tool: Vec<RejectTool>,
    /// The stage that comes next for a tool.
    pub next_stage: Vec<NextStage>,
    /// Improve how tools are generated.
    pub optimise_generation: Vec<OptimiseGeneration>,
    /// The task is large enough for a campaign.
    pub start_campaign: Vec<StartCampaign>,
    /// The task needs an agent that stays.
    pub keep_agent: Vec<KeepAgent>,
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
        name: "ouroboros",
        fingerprint: "58adb1f20333f21af27d3983ee80b85b",
        relations: &["now", "issue_suggestion", "source_import", "source_call", "source_log", "import_granted", "stage_passed", "generation", "generation_decision", "generation_issue", "task", "task_signal", "forbidden_import", "grantable_import", "forbidden_call", "log_always_needed", "network_import", "stage_order", "campaign_signal", "lasting_signal", "import_allowed", "violation", "tool_with_source", "log_needed", "missing_log", "reject_tool", "tool_under_way", "open_stage", "held_back", "next_stage", "audit_decision", "audit_issue", "optimise_generation", "campaign_signals", "start_campaign", "keep_agent"],
        params: &["common_issue", "campaign_signals_needed"],
        rule_ids: &["import_allowed#1", "imports_what_it_must_not", "calls_what_it_must_not", "tool_with_source#1", "tool_with_source#2", "tool_with_source#3", "log_needed#1", "log_needed#2", "log_needed#3", "log_tag_missing", "rejected_for_import", "rejected_for_call", "rejected_for_log", "tool_under_way#1", "tool_under_way#2", "open_stage#1", "held_back#1", "held_back#2", "stage_before_compilation", "stage_of_a_free_tool", "audit_decision#1", "audit_issue#1", "common_generation_issue", "campaign_signals#1", "large_task", "lasting_task"],
        arities: &[1, 2, 2, 2, 2, 2, 2, 4, 3, 2, 2, 2, 1, 1, 1, 1, 1, 2, 1, 1, 2, 3, 1, 2, 2, 2, 1, 3, 1, 2, 4, 2, 2, 2, 1, 1, 3, 6, 5, 3],
        rules: &[&RULE_15, &RULE_20, &RULE_21, &RULE_23],
        decisions: &["keep_agent", "next_stage", "optimise_generation", "reject_tool", "start_campaign"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 36, &RULE_15, params);
        aggregate(tables, 37, &RULE_20, params);
        aggregate(tables, 38, &RULE_21, params);
        aggregate(tables, 39, &RULE_23, params);
        program_1::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(1, &FACTS_1);
        tables.facts(12, &FACTS_12);
        tables.facts(13, &FACTS_13);
        tables.facts(14, &FACTS_14);
        tables.facts(15, &FACTS_15);
        tables.facts(16, &FACTS_16);
        tables.facts(17, &FACTS_17);
        tables.facts(18, &FACTS_18);
        tables.facts(19, &FACTS_19);
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

    /// The facts of `forbidden_import`.
    #[rustfmt::skip]
    static FACTS_12: [[Cell; 1]; 7] = [
        [Cell::T("unsafe")],
        [Cell::T("syscall")],
        [Cell::T("runtime/cgo")],
        [Cell::T("plugin")],
        [Cell::T("os/exec")],
        [Cell::T("net")],
        [Cell::T("net/http")],
    ];

    /// The facts of `grantable_import`.
    #[rustfmt::skip]
    static FACTS_13: [[Cell; 1]; 3] = [
        [Cell::T("os/exec")],
        [Cell::T("net")],
        [Cell::T("net/http")],
    ];

    /// The facts of `forbidden_call`.
    #[rustfmt::skip]
    static FACTS_14: [[Cell; 1]; 5] = [
        [Cell::T("os.RemoveAll")],
        [Cell::T("os.Remove")],
        [Cell::T("os.Chmod")],
        [Cell::T("os.Chown")],
        [Cell::T("unsafe.Pointer")],
    ];

    /// The facts of `log_always_needed`.
    #[rustfmt::skip]
    static FACTS_15: [[Cell; 1]; 4] = [
        [Cell::T("/entry")],
        [Cell::T("/exit")],
        [Cell::T("/error")],
        [Cell::T("/timing")],
    ];

    /// The facts of `network_import`.
    #[rustfmt::skip]
    static FACTS_16: [[Cell; 1]; 2] = [
        [Cell::T("net")],
        [Cell::T("net/http")],
    ];

    /// The facts of `stage_order`.
    #[rustfmt::skip]
    static FACTS_17: [[Cell; 2]; 6] = [
        [Cell::T("/specification"), Cell::I(1)],
        [Cell::T("/safety_check"), Cell::I(2)],
        [Cell::T("/compilation"), Cell::I(3)],
        [Cell::T("/registration"), Cell::I(4)],
        [Cell::T("/execution"), Cell::I(5)],
        [Cell::T("/refinement"), Cell::I(6)],
    ];

    /// The facts of `campaign_signal`.
    #[rustfmt::skip]
    static FACTS_18: [[Cell; 1]; 4] = [
        [Cell::T("/multi_phase")],
        [Cell::T("/multi_file")],
        [Cell::T("/whole_project")],
        [Cell::T("/migration")],
    ];

    /// The facts of `lasting_signal`.
    #[rustfmt::skip]
    static FACTS_19: [[Cell; 1]; 3] = [
        [Cell::T("/recurring")],
        [Cell::T("/monitoring")],
        [Cell::T("/remember")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/import",
        "/call",
        "/specification",
        "/api_call",
        "/forbidden_import",
        "/forbidden_call",
        "/missing_log",
        "/compilation",
    ]);

    // stage_before_compilation
    fn next_stage_18_0(place_2: Word, compilation_3: Word) -> Word {
        sure(Op::Less, &[place_2, compilation_3])
    }

    // audit_decision#1
    fn audit_decision_20_0(ok_3: Word) -> Word {
        pick(ok_3, float(1.0), float(0.0))
    }

    // common_generation_issue
    fn optimise_generation_22_0(occurrences_2: Word, p0: Word) -> Word {
        sure(Op::GreaterEqual, &[occurrences_2, p0])
    }

    // large_task
    fn start_campaign_24_0(signals_1: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[signals_1, p1])
    }

    /// The rule `open_stage#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_15: Rule = Rule {
        number: 15,
        id: "open_stage#1",
        head: 27,
        variables: &[("Tool", Type::String), ("Stage", Type::Name), ("Place", Type::Int)],
        body: &[
            Step::Atom(26, &[Arg::Var(0)]),
            Step::Atom(17, &[Arg::Var(1), Arg::Var(2)]),
            Step::Not(6, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Int, false)],
            rank: None,
            types: &[Type::String, Type::Name, Type::Int],
        }),
        places: &[],
    };

    /// The rule `audit_decision#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_20: Rule = Rule {
        number: 20,
        id: "audit_decision#1",
        head: 30,
        variables: &[("Topic", Type::String), ("Choice", Type::String), ("Trace", Type::String), ("Ok", Type::Bool)],
        body: &[
            Step::Atom(8, &[Arg::Var(2), Arg::Var(0), Arg::Var(1)]),
            Step::Atom(7, &[Arg::Var(2), Arg::Any, Arg::Var(3), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(audit_decision_20_0(m.var(3))))], 1),
        ],
        limit: None,
        places: &[("rules/ouroboros/ouroboros.dl:203:31", "count(Trace)"), ("rules/ouroboros/ouroboros.dl:203:45", "mean(if(Ok, 1.0, 0.0))")],
    };

    /// The rule `audit_issue#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_21: Rule = Rule {
        number: 21,
        id: "audit_issue#1",
        head: 31,
        variables: &[("Issue", Type::Name), ("Trace", Type::String)],
        body: &[
            Step::Atom(9, &[Arg::Var(1), Arg::Var(0)]),
            Step::Atom(7, &[Arg::Var(1), Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/ouroboros/ouroboros.dl:210:20", "count(Trace)")],
    };

    /// The rule `campaign_signals#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_23: Rule = Rule {
        number: 23,
        id: "campaign_signals#1",
        head: 33,
        variables: &[("Task", Type::String), ("Signal", Type::Name)],
        body: &[
            Step::Atom(10, &[Arg::Var(0), Arg::Any]),
            Step::Atom(11, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(18, &[Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::Name, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/ouroboros/ouroboros.dl:225:24", "count(Signal)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R4SourceLog,
            Row2 as R6StagePassed,
            Row4 as R7Generation,
            Row2 as R11TaskSignal,
            Row1 as R12ForbiddenImport,
            Row1 as R13GrantableImport,
            Row1 as R14ForbiddenCall,
            Row1 as R16NetworkImport,
            Row1 as R18CampaignSignal,
            Row1 as R19LastingSignal,
            Row2 as R20ImportAllowed,
            Row3 as R21Violation,
            Row1 as R22ToolWithSource,
            Row2 as R23LogNeeded,
            Row2 as R24MissingLog,
            Row2 as R25RejectTool,
            Row1 as R26ToolUnderWay,
            Row1 as R28HeldBack,
            Row1 as R35KeepAgent,
            Row3 as M15,
            Row6 as M20,
            Row5 as M21,
            Row3 as M23,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R20ImportAllowed(Word, Word);
            @output
            #[cfg(any())]
            struct R21Violation(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R22ToolWithSource(Word);
            @output
            #[cfg(any())]
            struct R23LogNeeded(Word, Word);
            @output
            #[cfg(any())]
            struct R24MissingLog(Word, Word);
            @output
            #[cfg(any())]
            struct R25RejectTool(Word, Word);
            @output
            #[cfg(any())]
            struct R26ToolUnderWay(Word);
            @output
            #[cfg(any())]
            struct R28HeldBack(Word);
            @output
            #[cfg(any())]
            struct R35KeepAgent(Word);
            @output
            #[cfg(any())]
            struct M15(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M20(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M21(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M23(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4SourceLog(Word, Word);
            @output
            #[cfg(any())]
            struct R6StagePassed(Word, Word);
            @output
            #[cfg(any())]
            struct R7Generation(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R11TaskSignal(Word, Word);
            @output
            #[cfg(any())]
            struct R12ForbiddenImport(Word);
            @output
            #[cfg(any())]
            struct R13GrantableImport(Word);
            @output
            #[cfg(any())]
            struct R14ForbiddenCall(Word);
            @output
            #[cfg(any())]
            struct R16NetworkImport(Word);
            @output
            #[cfg(any())]
            struct R18CampaignSignal(Word);
            @output
            #[cfg(any())]
            struct R19LastingSignal(Word);

            R4SourceLog(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(4);

            R6StagePassed(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(6);

            R7Generation(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(7);

            R11TaskSignal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(11);

            R12ForbiddenImport(c0) <-
                Source(input),
                for [c0] in input.rows(12);

            R13GrantableImport(c0) <-
                Source(input),
                for [c0] in input.rows(13);

            R14ForbiddenCall(c0) <-
                Source(input),
                for [c0] in input.rows(14);

            R16NetworkImport(c0) <-
                Source(input),
                for [c0] in input.rows(16);

            R18CampaignSignal(c0) <-
                Source(input),
                for [c0] in input.rows(18);

            R19LastingSignal(c0) <-
                Source(input),
                for [c0] in input.rows(19);

            // import_allowed#1
            R20ImportAllowed(tool_0, import_1) <-
                Source(input),
                for row_1 in input.rows(5),
                let [tool_0, import_1] = row_1,
                R13GrantableImport(import_1),
                (go());

            // imports_what_it_must_not
            R21Violation(tool_0, TEXTS.word(0), import_1) <-
                Source(input),
                for row_1 in input.rows(2),
                let [tool_0, import_1] = row_1,
                !R20ImportAllowed(tool_0, import_1),
                R12ForbiddenImport(import_1),
                (go());

            // calls_what_it_must_not
            R21Violation(tool_0, TEXTS.word(1), call_1) <-
                Source(input),
                for row_1 in input.rows(3),
                let [tool_0, call_1] = row_1,
                R14ForbiddenCall(call_1),
                (go());

            // tool_with_source#1
            R22ToolWithSource(tool_0) <-
                Source(input),
                for row_1 in input.rows(2),
                let [tool_0, _] = row_1,
                (go());

            // tool_with_source#2
            R22ToolWithSource(tool_0) <-
                Source(input),
                for row_1 in input.rows(3),
                let [tool_0, _] = row_1,
                (go());

            // tool_with_source#3
            R22ToolWithSource(tool_0) <-
                R4SourceLog(tool_0, _),
                (go());

            // log_needed#1
            R23LogNeeded(tool_0, tag_1) <-
                Source(input),
                R22ToolWithSource(tool_0),
                for row_2 in input.rows(15),
                let [tag_1] = row_2,
                (go());

            // log_needed#2
            R23LogNeeded(tool_0, tag_1) <-
                Source(input),
                R6StagePassed(tool_0, TEXTS.word(2)),
                for row_2 in input.rows(15),
                let [tag_1] = row_2,
                (go());

            // log_needed#3
            R23LogNeeded(tool_0, TEXTS.word(3)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [tool_0, import_1] = row_1,
                R16NetworkImport(import_1),
                (go());

            // log_tag_missing
            R24MissingLog(tool_0, tag_1) <-
                R23LogNeeded(tool_0, tag_1),
                !R4SourceLog(tool_0, tag_1),
                (go());

            // rejected_for_import
            R25RejectTool(tool_0, TEXTS.word(4)) <-
                R21Violation(tool_0, TEXTS.word(0), _),
                (go());

            // rejected_for_call
            R25RejectTool(tool_0, TEXTS.word(5)) <-
                R21Violation(tool_0, TEXTS.word(1), _),
                (go());

            // rejected_for_log
            R25RejectTool(tool_0, TEXTS.word(6)) <-
                R24MissingLog(tool_0, _),
                (go());

            // tool_under_way#1
            R26ToolUnderWay(tool_0) <-
                R22ToolWithSource(tool_0),
                (go());

            // tool_under_way#2
            R26ToolUnderWay(tool_0) <-
                R6StagePassed(tool_0, _),
                (go());

            // open_stage#1
            M15(tool_0, stage_1, place_2) <-
                Source(input),
                R26ToolUnderWay(tool_0),
                for row_2 in input.rows(17),
                let [stage_1, place_2] = row_2,
                !R6StagePassed(tool_0, stage_1),
                (go());

            // held_back#1
            R28HeldBack(tool_0) <-
                R21Violation(tool_0, _, _),
                (go());

            // held_back#2
            R28HeldBack(tool_0) <-
                R24MissingLog(tool_0, _),
                (go());

            // audit_decision#1
            M20(topic_0, choice_1, trace_2, ok_3, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(8),
                let [trace_2, topic_0, choice_1] = row_1,
                R7Generation(trace_2, open_1, ok_3, open_2),
                (go());

            // audit_issue#1
            M21(issue_0, trace_1, open_1, open_2, open_3) <-
                Source(input),
                for row_1 in input.rows(9),
                let [trace_1, issue_0] = row_1,
                R7Generation(trace_1, open_1, open_2, open_3),
                (go());

            // campaign_signals#1
            M23(task_0, signal_1, open_1) <-
                Source(input),
                for row_1 in input.rows(10),
                let [task_0, open_1] = row_1,
                R11TaskSignal(task_0, signal_1),
                R18CampaignSignal(signal_1),
                (go());

            // lasting_task
            R35KeepAgent(task_0) <-
                Source(input),
                for row_1 in input.rows(10),
                let [task_0, _] = row_1,
                R11TaskSignal(task_0, signal_1),
                R19LastingSignal(signal_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r20_import_allowed, r21_violation, r22_tool_with_source, r23_log_needed, r24_missing_log, r25_reject_tool, r26_tool_under_way, r28_held_back, r35_keep_agent, m15, m20, m21, m23, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(20, &r20_import_allowed);
            tables.set(21, &r21_violation);
            tables.set(22, &r22_tool_with_source);
            tables.set(23, &r23_log_needed);
            tables.set(24, &r24_missing_log);
            tables.set(25, &r25_reject_tool);
            tables.set(26, &r26_tool_under_way);
            tables.set(28, &r28_held_back);
            tables.set(35, &r35_keep_agent);
            tables.set(36, &m15);
            tables.set(37, &m20);
            tables.set(38, &m21);
            tables.set(39, &m23);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R1IssueSuggestion,
            Row2 as R17StageOrder,
            Row1 as R28HeldBack,
            Row2 as R29NextStage,
            Row2 as R32OptimiseGeneration,
            Row1 as R34StartCampaign,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R29NextStage(Word, Word);
            @output
            #[cfg(any())]
            struct R32OptimiseGeneration(Word, Word);
            @output
            #[cfg(any())]
            struct R34StartCampaign(Word);
            @output
            #[cfg(any())]
            struct R1IssueSuggestion(Word, Word);
            @output
            #[cfg(any())]
            struct R17StageOrder(Word, Word);
            @output
            #[cfg(any())]
            struct R28HeldBack(Word);

            R1IssueSuggestion(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(1);

            R17StageOrder(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(17);

            R28HeldBack(c0) <-
                Source(input),
                for [c0] in input.rows(28);

            // stage_before_compilation
            R29NextStage(tool_0, stage_1) <-
                Source(input),
                for row_1 in input.rows(27),
                let [tool_0, stage_1, place_2] = row_1,
                R17StageOrder(TEXTS.word(7), compilation_3),
                (next_stage_18_0(place_2, compilation_3).as_bool()),
                (go());

            // stage_of_a_free_tool
            R29NextStage(tool_0, stage_1) <-
                Source(input),
                for row_1 in input.rows(27),
                let [tool_0, stage_1, _] = row_1,
                !R28HeldBack(tool_0),
                (go());

            // common_generation_issue
            R32OptimiseGeneration(issue_0, suggestion_1) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(31),
                let [issue_0, occurrences_2] = row_2,
                (optimise_generation_22_0(occurrences_2, p0).as_bool()),
                R1IssueSuggestion(issue_0, suggestion_1),
                (go());

            // large_task
            R34StartCampaign(task_0) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(33),
                let [task_0, signals_1] = row_2,
                (start_campaign_24_0(signals_1, p1).as_bool()),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r29_next_stage, r32_optimise_generation, r34_start_campaign, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(29, &r29_next_stage);
            tables.set(32, &r32_optimise_generation);
            tables.set(34, &r34_start_campaign);
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
            "input source_import(tool: string, import: string).\n",
            "input source_call(tool: string, call: string).\n",
            "input source_log(tool: string, tag: name).\n",
            "input import_granted(tool: string, import: string).\n",
            "input stage_passed(tool: string, stage: name).\n",
            "input generation(trace: string, tool: string, ok: bool, quality: float).\n",
            "input generation_decision(trace: string, topic: string, choice: string).\n",
            "input generation_issue(trace: string, issue: name).\n",
            "input task(task: string, text: string).\n",
            "input task_signal(task: string, signal: name).\n",
            "param common_issue: int = 3.\n",
            "param campaign_signals_needed: int = 2.\n",
            "relation forbidden_import(import: string).\n",
            "forbidden_import(\"unsafe\").\n",
            "forbidden_import(\"syscall\").\n",
            "forbidden_import(\"runtime/cgo\").\n",
            "forbidden_import(\"plugin\").\n",
            "forbidden_import(\"os/exec\").\n",
            "forbidden_import(\"net\").\n",
            "forbidden_import(\"net/http\").\n",
            "relation grantable_import(import: string).\n",
            "grantable_import(\"os/exec\").\n",
            "grantable_import(\"net\").\n",
            "grantable_import(\"net/http\").\n",
            "relation forbidden_call(call: string).\n",
            "forbidden_call(\"os.RemoveAll\").\n",
            "forbidden_call(\"os.Remove\").\n",
            "forbidden_call(\"os.Chmod\").\n",
            "forbidden_call(\"os.Chown\").\n",
            "forbidden_call(\"unsafe.Pointer\").\n",
            "relation log_always_needed(tag: name).\n",
            "log_always_needed(/entry).\n",
            "log_always_needed(/exit).\n",
            "log_always_needed(/error).\n",
            "log_always_needed(/timing).\n",
            "relation network_import(import: string).\n",
            "network_import(\"net\").\n",
            "network_import(\"net/http\").\n",
            "relation stage_order(stage: name, place: int).\n",
            "stage_order(/specification, 1).\n",
            "stage_order(/safety_check, 2).\n",
            "stage_order(/compilation, 3).\n",
            "stage_order(/registration, 4).\n",
            "stage_order(/execution, 5).\n",
            "stage_order(/refinement, 6).\n",
            "relation campaign_signal(signal: name).\n",
            "campaign_signal(/multi_phase).\n",
            "campaign_signal(/multi_file).\n",
            "campaign_signal(/whole_project).\n",
            "campaign_signal(/migration).\n",
            "relation lasting_signal(signal: name).\n",
            "lasting_signal(/recurring).\n",
            "lasting_signal(/monitoring).\n",
            "lasting_signal(/remember).\n",
            "relation import_allowed(tool: string, import: string).\n",
            "import_allowed(Tool, Import) :- import_granted(Tool, Import), grantable_import(Import).\n",
            "relation violation(tool: string, kind: /import | /call, what: string).\n",
            "@id(imports_what_it_must_not)\n@because(\"{Tool} imports {Import}, which nobody granted\")\nviolation(Tool, /import, Import) :-\n    source_import(Tool, Import),\n    forbidden_import(Import),\n    !import_allowed(Tool, Import).\n",
            "@id(calls_what_it_must_not)\n@because(\"{Tool} calls {Call}\")\nviolation(Tool, /call, Call) :- source_call(Tool, Call), forbidden_call(Call).\n",
            "relation tool_with_source(tool: string).\n",
            "tool_with_source(Tool) :- source_import(Tool, _).\n",
            "tool_with_source(Tool) :- source_call(Tool, _).\n",
            "tool_with_source(Tool) :- source_log(Tool, _).\n",
            "relation log_needed(tool: string, tag: name).\n",
            "log_needed(Tool, Tag) :- tool_with_source(Tool), log_always_needed(Tag).\n",
            "log_needed(Tool, Tag) :- stage_passed(Tool, /specification), log_always_needed(Tag).\n",
            "log_needed(Tool, /api_call) :- source_import(Tool, Import), network_import(Import).\n",
            "relation missing_log(tool: string, tag: name).\n",
            "@id(log_tag_missing)\n@because(\"{Tool} never logs {Tag}\")\nmissing_log(Tool, Tag) :- log_needed(Tool, Tag), !source_log(Tool, Tag).\n",
            "decision reject_tool(tool: string, reason: name).\n",
            "@id(rejected_for_import)\n@because(\"{Tool} imports {Import}\")\nreject_tool(Tool, /forbidden_import) :- violation(Tool, /import, Import).\n",
            "@id(rejected_for_call)\n@because(\"{Tool} calls {Call}\")\nreject_tool(Tool, /forbidden_call) :- violation(Tool, /call, Call).\n",
            "@id(rejected_for_log)\n@because(\"{Tool} never logs {Tag}\")\nreject_tool(Tool, /missing_log) :- missing_log(Tool, Tag).\n",
            "relation tool_under_way(tool: string).\n",
            "tool_under_way(Tool) :- tool_with_source(Tool).\n",
            "tool_under_way(Tool) :- stage_passed(Tool, _).\n",
            "relation open_stage(tool: string, stage: name, place: int).\n",
            "open_stage(Tool, Stage, Place) :-\n    tool_under_way(Tool),\n    stage_order(Stage, Place),\n    !stage_passed(Tool, Stage)\n    limit 1 per Tool by Place.\n",
            "relation held_back(tool: string).\n",
            "held_back(Tool) :- violation(Tool, _, _).\n",
            "held_back(Tool) :- missing_log(Tool, _).\n",
            "decision next_stage(\n    tool: string,\n    stage: /specification | /safety_check | /compilation | /registration | /execution | /refinement\n).\n",
            "@id(stage_before_compilation)\n@because(\"{Tool} has not passed {Stage}\")\nnext_stage(Tool, Stage) :-\n    open_stage(Tool, Stage, Place),\n    stage_order(/compilation, Compilation),\n    Place < Compilation.\n",
            "@id(stage_of_a_free_tool)\n@because(\"{Tool} has not passed {Stage}, and nothing holds it back\")\nnext_stage(Tool, Stage) :- open_stage(Tool, Stage, _), !held_back(Tool).\n",
            "relation audit_decision(topic: string, choice: string, uses: int, success_rate: float).\n",
            "audit_decision(Topic, Choice, count(Trace), mean(if(Ok, 1.0, 0.0))) :-\n    generation_decision(Trace, Topic, Choice),\n    generation(trace: Trace, ok: Ok).\n",
            "relation audit_issue(issue: name, occurrences: int).\n",
            "audit_issue(Issue, count(Trace)) :- generation_issue(Trace, Issue), generation(trace: Trace).\n",
            "decision optimise_generation(issue: name, suggestion: name).\n",
            "@id(common_generation_issue)\n@because(\"{Issue} occurred in {Occurrences} generations: {Suggestion}\")\noptimise_generation(Issue, Suggestion) :-\n    audit_issue(Issue, Occurrences),\n    Occurrences >= common_issue,\n    issue_suggestion(Issue, Suggestion).\n",
            "relation campaign_signals(task: string, signals: int).\n",
            "campaign_signals(Task, count(Signal)) :-\n    task(Task, _),\n    task_signal(Task, Signal),\n    campaign_signal(Signal).\n",
            "decision start_campaign(task: string).\n",
            "@id(large_task)\n@because(\"task {Task} shows {Signals} signals of size\")\nstart_campaign(Task) :- campaign_signals(Task, Signals), Signals >= campaign_signals_needed.\n",
            "decision keep_agent(task: string).\n",
            "@id(lasting_task)\n@because(\"task {Task} is {Signal}\")\nkeep_agent(Task) :- task(Task, _), task_signal(Task, Signal), lasting_signal(Signal).\n",
        ),
    ];
}
