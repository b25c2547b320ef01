//! `solutions`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: build it or not, and whether a script may run.

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

/// Something went wrong in a known way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Incident {
    /// `incident`
    pub incident: String,
    /// `pattern`
    pub pattern: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Incident {
    const TABLE: usize = 1;
    const RELATION: &'static str = "incident";

    fn write(&self, row: &mut Row) {
        row.put("incident", &self.incident);
        row.put("pattern", &self.pattern);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { incident: columns.take(), pattern: columns.take(), at: columns.take() }
    }
}

/// A capability that was asked for and is not there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CapabilityGap {
    /// `gap`
    pub gap: String,
    /// `capability`
    pub capability: String,
}

impl Record for CapabilityGap {
    const TABLE: usize = 2;
    const RELATION: &'static str = "capability_gap";

    fn write(&self, row: &mut Row) {
        row.put("gap", &self.gap);
        row.put("capability", &self.capability);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { gap: columns.take(), capability: columns.take() }
    }
}

/// Steps that a person did by hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ManualSteps {
    /// `task`
    pub task: String,
    /// `signature`
    pub signature: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ManualSteps {
    const TABLE: usize = 3;
    const RELATION: &'static str = "manual_steps";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("signature", &self.signature);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), signature: columns.take(), at: columns.take() }
    }
}

/// Somebody asked for something to be built.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuildRequest {
    /// `request`
    pub request: String,
}

impl Record for BuildRequest {
    const TABLE: usize = 4;
    const RELATION: &'static str = "build_request";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { request: columns.take() }
    }
}

/// A module that a script imports.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScriptImport {
    /// `script`
    pub script: String,
    /// `module`
    pub module: String,
}

impl Record for ScriptImport {
    const TABLE: usize = 5;
    const RELATION: &'static str = "script_import";

    fn write(&self, row: &mut Row) {
        row.put("script", &self.script);
        row.put("module", &self.module);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { script: columns.take(), module: columns.take() }
    }
}

/// A builtin that a script uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScriptBuiltin {
    /// `script`
    pub script: String,
    /// `name`
    pub name: String,
}

impl Record for ScriptBuiltin {
    const TABLE: usize = 6;
    const RELATION: &'static str = "script_builtin";

    fn write(&self, row: &mut Row) {
        row.put("script", &self.script);
        row.put("name", &self.name);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { script: columns.take(), name: columns.take() }
    }
}

/// What a script wants: seconds, megabytes of memory, characters of output.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct ScriptLimits {
    /// `script`
    pub script: String,
    /// `seconds`
    pub seconds: f64,
    /// `memory_mb`
    pub memory_mb: f64,
    /// `output_chars`
    pub output_chars: i64,
}

impl Record for ScriptLimits {
    const TABLE: usize = 7;
    const RELATION: &'static str = "script_limits";

    fn write(&self, row: &mut Row) {
        row.put("script", &self.script);
        row.put("seconds", &self.seconds);
        row.put("memory_mb", &self.memory_mb);
        row.put("output_chars", &self.output_chars);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            script: columns.take(),
            seconds: columns.take(),
            memory_mb: columns.take(),
            output_chars: columns.take(),
        }
    }
}

/// A server that could close a gap, and how well it fits, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct McpMatch {
    /// `gap`
    pub gap: String,
    /// `server`
    pub server: String,
    /// `score`
    pub score: f64,
}

impl Record for McpMatch {
    const TABLE: usize = 8;
    const RELATION: &'static str = "mcp_match";

    fn write(&self, row: &mut Row) {
        row.put("gap", &self.gap);
        row.put("server", &self.server);
        row.put("score", &self.score);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { gap: columns.take(), server: columns.take(), score: columns.take() }
    }
}

/// What column `trigger` of `automation` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AutomationTrigger {
    /// `/cron`
    Cron,
    /// `/event`
    Event,
    /// `/monitor`
    Monitor,
    /// `/integration`
    Integration,
}

impl AutomationTrigger {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cron => "/cron",
            Self::Event => "/event",
            Self::Monitor => "/monitor",
            Self::Integration => "/integration",
        }
    }
}

impl Column for AutomationTrigger {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/cron" => Self::Cron,
            "/event" => Self::Event,
            "/monitor" => Self::Monitor,
            "/integration" => Self::Integration,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// An automation that there is already, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Automation {
    /// `automation`
    pub automation: String,
    /// `trigger`
    pub trigger: AutomationTrigger,
    /// `subject`
    pub subject: String,
}

impl Record for Automation {
    const TABLE: usize = 9;
    const RELATION: &'static str = "automation";

    fn write(&self, row: &mut Row) {
        row.put("automation", &self.automation);
        row.put("trigger", &self.trigger);
        row.put("subject", &self.subject);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { automation: columns.take(), trigger: columns.take(), subject: columns.take() }
    }
}

/// Propose to build something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposeSolution {
    /// `trigger`
    pub trigger: Name,
    /// `subject`
    pub subject: String,
}

impl Record for ProposeSolution {
    const TABLE: usize = 15;
    const RELATION: &'static str = "propose_solution";

    fn write(&self, row: &mut Row) {
        row.put("trigger", &self.trigger);
        row.put("subject", &self.subject);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { trigger: columns.take(), subject: columns.take() }
    }
}

/// A script may not run, and what in it is the reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScriptRefused {
    /// `script`
    pub script: String,
    /// `reason`
    pub reason: Name,
    /// `what`
    pub what: String,
}

impl Record for ScriptRefused {
    const TABLE: usize = 16;
    const RELATION: &'static str = "script_refused";

    fn write(&self, row: &mut Row) {
        row.put("script", &self.script);
        row.put("reason", &self.reason);
        row.put("what", &self.what);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { script: columns.take(), reason: columns.take(), what: columns.take() }
    }
}

/// A script may run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScriptAccepted {
    /// `script`
    pub script: String,
}

impl Record for ScriptAccepted {
    const TABLE: usize = 17;
    const RELATION: &'static str = "script_accepted";

    fn write(&self, row: &mut Row) {
        row.put("script", &self.script);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { script: columns.take() }
    }
}

/// Propose to connect a server, by rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposeMcp {
    /// `gap`
    pub gap: String,
    /// `server`
    pub server: String,
    /// `rank`
    pub rank: i64,
}

impl Record for ProposeMcp {
    const TABLE: usize = 18;
    const RELATION: &'static str = "propose_mcp";

    fn write(&self, row: &mut Row) {
        row.put("gap", &self.gap);
        row.put("server", &self.server);
        row.put("rank", &self.rank);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { gap: columns.take(), server: columns.take(), rank: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// So often an incident must recur.
    pub incidents_needed: i64,
    /// Incidents older than this don't count.
    pub incident_span: i64,
    /// So often the same steps must be done by hand.
    pub repeats_needed: i64,
    /// The longest time that a script may ask for, in seconds.
    pub script_seconds: f64,
    /// The most memory that a script may ask for, in megabytes.
    pub script_memory_mb: f64,
    /// The most output that a script may ask for, in characters.
    pub script_output_chars: i64,
    /// So many servers are proposed for a gap.
    pub servers_proposed: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            incidents_needed: 3,
            incident_span: 604800000000,
            repeats_needed: 3,
            script_seconds: 60.0,
            script_memory_mb: 128.0,
            script_output_chars: 50000,
            servers_proposed: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("incidents_needed", &self.incidents_needed);
        row.put("incident_span", &self.incident_span);
        row.put("repeats_needed", &self.repeats_needed);
        row.put("script_seconds", &self.script_seconds);
        row.put("script_memory_mb", &self.script_memory_mb);
        row.put("script_output_chars", &self.script_output_chars);
        row.put("servers_proposed", &self.servers_proposed);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// Something went wrong in a known way.
    pub incident: Vec<Incident>,
    /// A capability that was asked for and is not there.
    pub capability_gap: Vec<CapabilityGap>,
    /// Steps that a person did by hand.
    pub manual_steps: Vec<ManualSteps>,
    /// Somebody asked for something to be built.
    pub build_request: Vec<BuildRequest>,
    /// A module that a script imports.
    pub script_import: Vec<ScriptImport>,
    /// A builtin that a script uses.
    pub script_builtin: Vec<ScriptBuiltin>,
    /// What a script wants: seconds, megabytes of memory, characters of output.
    pub script_limits: Vec<ScriptLimits>,
    /// A server that could close a gap, and how well it fits, from 0 to 1.
    pub mcp_match: Vec<McpMatch>,
    /// An automation that there is already, and what it is about.
    pub automation: Vec<Automation>,
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
            propose_solution: drawn(&decided.tables),
            script_refused: drawn(&decided.tables),
            script_accepted: drawn(&decided.tables),
            propose_mcp: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.incident)?;
        fill(tables, &self.capability_gap)?;
        fill(tables, &self.manual_steps)?;
        fill(tables, &self.build_request)?;
        fill(tables, &self.script_import)?;
        fill(tables, &self.script_builtin)?;
        fill(tables, &self.script_limits)?;
        fill(tables, &self.mcp_match)?;
        fill(tables, &self.automation)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Incident> for Facts {
    fn extend<Many: IntoIterator<Item = Incident>>(&mut self, facts: Many) {
        self.incident.extend(facts);
    }
}

impl Extend<CapabilityGap> for Facts {
    fn extend<Many: IntoIterator<Item = CapabilityGap>>(&mut self, facts: Many) {
        self.capability_gap.extend(facts);
    }
}

impl Extend<ManualSteps> for Facts {
    fn extend<Many: IntoIterator<Item = ManualSteps>>(&mut self, facts: Many) {
        self.manual_steps.extend(facts);
    }
}

impl Extend<BuildRequest> for Facts {
    fn extend<Many: IntoIterator<Item = BuildRequest>>(&mut self, facts: Many) {
        self.build_request.extend(facts);
    }
}

impl Extend<ScriptImport> for Facts {
    fn extend<Many: IntoIterator<Item = ScriptImport>>(&mut self, facts: Many) {
        self.script_import.extend(facts);
    }
}

impl Extend<ScriptBuiltin> for Facts {
    fn extend<Many: IntoIterator<Item = ScriptBuiltin>>(&mut self, facts: Many) {
        self.script_builtin.extend(facts);
    }
}

impl Extend<ScriptLimits> for Facts {
    fn extend<Many: IntoIterator<Item = ScriptLimits>>(&mut self, facts: Many) {
        self.script_limits.extend(facts);
    }
}

impl Extend<McpMatch> for Facts {
    fn extend<Many: IntoIterator<Item = McpMatch>>(&mut self, facts: Many) {
        self.mcp_match.extend(facts);
    }
}

impl Extend<Automation> for Facts {
    fn extend<Many: IntoIterator<Item = Automation>>(&mut self, facts: Many) {
        self.automation.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Propose to build something.
    pub propose_solution: Vec<ProposeSolution>,
    /// A script may not run, and what in it is the reason.
    pub script_refused: Vec<ScriptRefused>,
    /// A script may run.
    pub script_accepted: Vec<ScriptAccepted>,
    /// Propose to connect a server, by rank.
    pub propose_mcp: Vec<ProposeMcp>,
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
        name: "solutions",
        fingerprint: "b69a9f53c5c236d2b27bcf59cc7a186a",
        relations: &["now", "incident", "capability_gap", "manual_steps", "build_request", "script_import", "script_builtin", "script_limits", "mcp_match", "automation", "allowed_module", "forbidden_builtin", "automated", "recent_incidents", "repeated_steps", "propose_solution", "script_refused", "script_accepted", "propose_mcp"],
        params: &["incidents_needed", "incident_span", "repeats_needed", "script_seconds", "script_memory_mb", "script_output_chars", "servers_proposed"],
        rule_ids: &["automated#1", "recent_incidents#1", "repeated_steps#1", "incident_recurs", "gap_reported", "steps_repeated", "solution_requested", "module_not_allowed", "builtin_not_allowed", "too_many_seconds", "too_much_memory", "too_much_output", "nothing_against_it", "best_fitting_servers"],
        arities: &[1, 3, 2, 3, 1, 2, 2, 4, 3, 3, 1, 1, 1, 2, 2, 2, 3, 1, 3, 4, 3, 5],
        rules: &[&RULE_1, &RULE_2, &RULE_13],
        decisions: &["propose_mcp", "propose_solution", "script_accepted", "script_refused"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 19, &RULE_1, params);
        aggregate(tables, 20, &RULE_2, params);
        limit(tables, 21, &RULE_13, params);
        program_1::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(10, &FACTS_10);
        tables.facts(11, &FACTS_11);
    }

    /// The facts of `allowed_module`.
    #[rustfmt::skip]
    static FACTS_10: [[Cell; 1]; 14] = [
        [Cell::T("requests")],
        [Cell::T("httpx")],
        [Cell::T("json")],
        [Cell::T("csv")],
        [Cell::T("re")],
        [Cell::T("datetime")],
        [Cell::T("urllib.parse")],
        [Cell::T("math")],
        [Cell::T("statistics")],
        [Cell::T("collections")],
        [Cell::T("itertools")],
        [Cell::T("textwrap")],
        [Cell::T("string")],
        [Cell::T("html")],
    ];

    /// The facts of `forbidden_builtin`.
    #[rustfmt::skip]
    static FACTS_11: [[Cell; 1]; 5] = [
        [Cell::T("open")],
        [Cell::T("eval")],
        [Cell::T("compile")],
        [Cell::T("exec")],
        [Cell::T("__import__")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/import_not_allowed",
        "/builtin_not_allowed",
        "/limit_exceeded",
        "seconds",
        "memory_mb",
        "output_chars",
        "/recurring_incident",
        "/capability_gap",
        "/manual_work",
        "/request",
    ]);

    // recent_incidents#1
    fn recent_incidents_1_0(now_3: Word, at_2: Word, p1: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, now_3, at_2)?, p1]))
    }

    // incident_recurs
    fn propose_solution_3_0(count_1: Word, p0: Word) -> Word {
        sure(Op::GreaterEqual, &[count_1, p0])
    }

    // steps_repeated
    fn propose_solution_5_0(count_1: Word, p2: Word) -> Word {
        sure(Op::GreaterEqual, &[count_1, p2])
    }

    // too_many_seconds
    fn script_refused_9_0(seconds_1: Word, p3: Word) -> Word {
        sure(Op::Greater, &[seconds_1, p3])
    }

    // too_much_memory
    fn script_refused_10_0(memory_1: Word, p4: Word) -> Word {
        sure(Op::Greater, &[memory_1, p4])
    }

    // too_much_output
    fn script_refused_11_0(output_1: Word, p5: Word) -> Word {
        sure(Op::Greater, &[output_1, p5])
    }

    /// The rule `recent_incidents#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "recent_incidents#1",
        head: 13,
        variables: &[("Pattern", Type::String), ("Incident", Type::String), ("At", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Var(1), Arg::Var(0), Arg::Var(2)]),
            Step::Atom(0, &[Arg::Var(3)]),
            Step::Test(&[2, 3], |m| recent_incidents_1_0(m.var(3), m.var(2), m.param(1))),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 1),
        ],
        limit: None,
        places: &[("rules/solutions/solutions.dl:93:5", "Now - At"), ("rules/solutions/solutions.dl:90:27", "count(Incident)")],
    };

    /// The rule `repeated_steps#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_2: Rule = Rule {
        number: 2,
        id: "repeated_steps#1",
        head: 14,
        variables: &[("Signature", Type::String)],
        body: &[
            Step::Atom(3, &[Arg::Any, Arg::Var(0), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/solutions/solutions.dl:98:27", "count()")],
    };

    /// The rule `best_fitting_servers`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_13: Rule = Rule {
        number: 13,
        id: "best_fitting_servers",
        head: 18,
        variables: &[("Gap", Type::String), ("Server", Type::String), ("Rank", Type::Int), ("Score", Type::Float)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any]),
            Step::Atom(8, &[Arg::Var(0), Arg::Var(1), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(6)),
            per: &[0],
            by: &[(|m| Ok(m.var(3)), Type::Float, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: Some(2),
            types: &[Type::String, Type::String, Type::Int],
        }),
        places: &[],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R8McpMatch,
            Row1 as R10AllowedModule,
            Row1 as R11ForbiddenBuiltin,
            Row1 as R12Automated,
            Row3 as R16ScriptRefused,
            Row1 as R17ScriptAccepted,
            Row4 as M1,
            Row3 as M2,
            Row5 as M13,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R12Automated(Word);
            @output
            #[cfg(any())]
            struct R16ScriptRefused(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R17ScriptAccepted(Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M2(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M13(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8McpMatch(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R10AllowedModule(Word);
            @output
            #[cfg(any())]
            struct R11ForbiddenBuiltin(Word);

            R8McpMatch(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(8);

            R10AllowedModule(c0) <-
                Source(input),
                for [c0] in input.rows(10);

            R11ForbiddenBuiltin(c0) <-
                Source(input),
                for [c0] in input.rows(11);

            // automated#1
            R12Automated(subject_0) <-
                Source(input),
                for row_1 in input.rows(9),
                let [_, _, subject_0] = row_1,
                (go());

            // recent_incidents#1
            M1(pattern_0, incident_1, at_2, now_3) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(1),
                let [incident_1, pattern_0, at_2] = row_2,
                for row_4 in input.rows(0),
                let [now_3] = row_4,
                let Some(true) = held(1, recent_incidents_1_0(now_3, at_2, p1)),
                (go());

            // repeated_steps#1
            M2(signature_0, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(3),
                let [open_1, signature_0, open_2] = row_1,
                (go());

            // module_not_allowed
            R16ScriptRefused(script_0, TEXTS.word(0), module_1) <-
                Source(input),
                for row_1 in input.rows(5),
                let [script_0, module_1] = row_1,
                !R10AllowedModule(module_1),
                (go());

            // builtin_not_allowed
            R16ScriptRefused(script_0, TEXTS.word(1), name_1) <-
                Source(input),
                for row_1 in input.rows(6),
                let [script_0, name_1] = row_1,
                R11ForbiddenBuiltin(name_1),
                (go());

            // too_many_seconds
            R16ScriptRefused(script_0, TEXTS.word(2), TEXTS.word(3)) <-
                Source(input),
                let p3 = input.param(3),
                for row_2 in input.rows(7),
                let [script_0, seconds_1, _, _] = row_2,
                (script_refused_9_0(seconds_1, p3).as_bool()),
                (go());

            // too_much_memory
            R16ScriptRefused(script_0, TEXTS.word(2), TEXTS.word(4)) <-
                Source(input),
                let p4 = input.param(4),
                for row_2 in input.rows(7),
                let [script_0, _, memory_1, _] = row_2,
                (script_refused_10_0(memory_1, p4).as_bool()),
                (go());

            // too_much_output
            R16ScriptRefused(script_0, TEXTS.word(2), TEXTS.word(5)) <-
                Source(input),
                let p5 = input.param(5),
                for row_2 in input.rows(7),
                let [script_0, _, _, output_1] = row_2,
                (script_refused_11_0(output_1, p5).as_bool()),
                (go());

            // nothing_against_it
            R17ScriptAccepted(script_0) <-
                Source(input),
                for row_1 in input.rows(7),
                let [script_0, _, _, _] = row_1,
                !R16ScriptRefused(script_0, _, _),
                (go());

            // best_fitting_servers
            M13(gap_0, server_1, Word(0), score_3, open_1) <-
                Source(input),
                for row_1 in input.rows(2),
                let [gap_0, open_1] = row_1,
                R8McpMatch(gap_0, server_1, score_3),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r12_automated, r16_script_refused, r17_script_accepted, m1, m2, m13, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(12, &r12_automated);
            tables.set(16, &r16_script_refused);
            tables.set(17, &r17_script_accepted);
            tables.set(19, &m1);
            tables.set(20, &m2);
            tables.set(21, &m13);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R12Automated,
            Row2 as R15ProposeSolution,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R15ProposeSolution(Word, Word);
            @output
            #[cfg(any())]
            struct R12Automated(Word);

            R12Automated(c0) <-
                Source(input),
                for [c0] in input.rows(12);

            // incident_recurs
            R15ProposeSolution(TEXTS.word(6), pattern_0) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(13),
                let [pattern_0, count_1] = row_2,
                (propose_solution_3_0(count_1, p0).as_bool()),
                !R12Automated(pattern_0),
                (go());

            // gap_reported
            R15ProposeSolution(TEXTS.word(7), gap_0) <-
                Source(input),
                for row_1 in input.rows(2),
                let [gap_0, _] = row_1,
                !R12Automated(gap_0),
                (go());

            // steps_repeated
            R15ProposeSolution(TEXTS.word(8), signature_0) <-
                Source(input),
                let p2 = input.param(2),
                for row_2 in input.rows(14),
                let [signature_0, count_1] = row_2,
                (propose_solution_5_0(count_1, p2).as_bool()),
                !R12Automated(signature_0),
                (go());

            // solution_requested
            R15ProposeSolution(TEXTS.word(9), request_0) <-
                Source(input),
                for row_1 in input.rows(4),
                let [request_0] = row_1,
                !R12Automated(request_0),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r15_propose_solution, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(15, &r15_propose_solution);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input incident(incident: string, pattern: string, at: time).\n",
            "input capability_gap(gap: string, capability: string).\n",
            "input manual_steps(task: string, signature: string, at: time).\n",
            "input build_request(request: string).\n",
            "input script_import(script: string, module: string).\n",
            "input script_builtin(script: string, name: string).\n",
            "input script_limits(script: string, seconds: float, memory_mb: float, output_chars: int).\n",
            "input mcp_match(gap: string, server: string, score: float).\n",
            "input automation(\n    automation: string,\n    trigger: /cron | /event | /monitor | /integration,\n    subject: string\n).\n",
            "param incidents_needed: int = 3.\n",
            "param incident_span: duration = 7d.\n",
            "param repeats_needed: int = 3.\n",
            "param script_seconds: float = 60.0.\n",
            "param script_memory_mb: float = 128.0.\n",
            "param script_output_chars: int = 50000.\n",
            "param servers_proposed: int = 3.\n",
            "relation allowed_module(module: string).\n",
            "allowed_module(\"requests\").\n",
            "allowed_module(\"httpx\").\n",
            "allowed_module(\"json\").\n",
            "allowed_module(\"csv\").\n",
            "allowed_module(\"re\").\n",
            "allowed_module(\"datetime\").\n",
            "allowed_module(\"urllib.parse\").\n",
            "allowed_module(\"math\").\n",
            "allowed_module(\"statistics\").\n",
            "allowed_module(\"collections\").\n",
            "allowed_module(\"itertools\").\n",
            "allowed_module(\"textwrap\").\n",
            "allowed_module(\"string\").\n",
            "allowed_module(\"html\").\n",
            "relation forbidden_builtin(name: string).\n",
            "forbidden_builtin(\"open\").\n",
            "forbidden_builtin(\"eval\").\n",
            "forbidden_builtin(\"compile\").\n",
            "forbidden_builtin(\"exec\").\n",
            "forbidden_builtin(\"__import__\").\n",
            "relation automated(subject: string).\n",
            "automated(Subject) :- automation(_, _, Subject).\n",
            "relation recent_incidents(pattern: string, count: int).\n",
            "recent_incidents(Pattern, count(Incident)) :-\n    incident(Incident, Pattern, At),\n    now(Now),\n    Now - At < incident_span.\n",
            "relation repeated_steps(signature: string, count: int).\n",
            "repeated_steps(Signature, count()) :- manual_steps(_, Signature, _).\n",
            "decision propose_solution(trigger: name, subject: string).\n",
            "@id(incident_recurs)\n@because(\"{Pattern} happened {Count} times within {incident_span}\")\npropose_solution(/recurring_incident, Pattern) :-\n    recent_incidents(Pattern, Count),\n    Count >= incidents_needed,\n    !automated(Pattern).\n",
            "@id(gap_reported)\n@because(\"{Capability} was asked for and is not there\")\npropose_solution(/capability_gap, Gap) :- capability_gap(Gap, Capability), !automated(Gap).\n",
            "@id(steps_repeated)\n@because(\"the steps {Signature} were done by hand {Count} times\")\npropose_solution(/manual_work, Signature) :-\n    repeated_steps(Signature, Count),\n    Count >= repeats_needed,\n    !automated(Signature).\n",
            "@id(solution_requested)\n@because(\"request {Request} asks for it\")\npropose_solution(/request, Request) :- build_request(Request), !automated(Request).\n",
            "decision script_refused(script: string, reason: name, what: string).\n",
            "@id(module_not_allowed)\n@because(\"{Script} imports {Module}, which is none of the allowed modules\")\nscript_refused(Script, /import_not_allowed, Module) :-\n    script_import(Script, Module),\n    !allowed_module(Module).\n",
            "@id(builtin_not_allowed)\n@because(\"{Script} uses {Name}\")\nscript_refused(Script, /builtin_not_allowed, Name) :-\n    script_builtin(Script, Name),\n    forbidden_builtin(Name).\n",
            "@id(too_many_seconds)\n@because(\"{Script} wants {Seconds} seconds; {script_seconds} are the most\")\nscript_refused(Script, /limit_exceeded, \"seconds\") :-\n    script_limits(script: Script, seconds: Seconds),\n    Seconds > script_seconds.\n",
            "@id(too_much_memory)\n@because(\"{Script} wants {Memory} MB; {script_memory_mb} are the most\")\nscript_refused(Script, /limit_exceeded, \"memory_mb\") :-\n    script_limits(script: Script, memory_mb: Memory),\n    Memory > script_memory_mb.\n",
            "@id(too_much_output)\n@because(\"{Script} wants {Output} characters of output; {script_output_chars} are the most\")\nscript_refused(Script, /limit_exceeded, \"output_chars\") :-\n    script_limits(script: Script, output_chars: Output),\n    Output > script_output_chars.\n",
            "decision script_accepted(script: string).\n",
            "@id(nothing_against_it)\n@because(\"nothing speaks against {Script}\")\nscript_accepted(Script) :- script_limits(script: Script), !script_refused(Script, _, _).\n",
            "decision propose_mcp(gap: string, server: string, rank: int).\n",
            "@id(best_fitting_servers)\n@because(\"{Server} fits gap {Gap} with {Score} and is number {Rank}\")\npropose_mcp(Gap, Server, Rank) :-\n    capability_gap(Gap, _),\n    mcp_match(Gap, Server, Score)\n    limit servers_proposed per Gap by Score desc, Server as Rank.\n",
        ),
    ];
}
