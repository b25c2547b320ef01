//! `frames`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: open a new frame of work, close this one, or stay.

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

/// A frame of work, and the goal it was opened for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// `frame`
    pub frame: String,
    /// `goal_text`
    pub goal_text: String,
}

impl Record for Frame {
    const TABLE: usize = 1;
    const RELATION: &'static str = "frame";

    fn write(&self, row: &mut Row) {
        row.put("frame", &self.frame);
        row.put("goal_text", &self.goal_text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { frame: columns.take(), goal_text: columns.take() }
    }
}

/// How a frame stands.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct FrameState {
    /// `frame`
    pub frame: String,
    /// `messages`
    pub messages: i64,
    /// `errors`
    pub errors: i64,
    /// `files`
    pub files: i64,
    /// `tokens`
    pub tokens: i64,
    /// `context_limit`
    pub context_limit: i64,
    /// `stalled_turns`
    pub stalled_turns: i64,
    /// `failures`
    pub failures: i64,
    /// `artifacts`
    pub artifacts: i64,
    /// `success_signals`
    pub success_signals: i64,
    /// `coverage`
    pub coverage: f64,
}

impl Record for FrameState {
    const TABLE: usize = 2;
    const RELATION: &'static str = "frame_state";

    fn write(&self, row: &mut Row) {
        row.put("frame", &self.frame);
        row.put("messages", &self.messages);
        row.put("errors", &self.errors);
        row.put("files", &self.files);
        row.put("tokens", &self.tokens);
        row.put("context_limit", &self.context_limit);
        row.put("stalled_turns", &self.stalled_turns);
        row.put("failures", &self.failures);
        row.put("artifacts", &self.artifacts);
        row.put("success_signals", &self.success_signals);
        row.put("coverage", &self.coverage);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            frame: columns.take(),
            messages: columns.take(),
            errors: columns.take(),
            files: columns.take(),
            tokens: columns.take(),
            context_limit: columns.take(),
            stalled_turns: columns.take(),
            failures: columns.take(),
            artifacts: columns.take(),
            success_signals: columns.take(),
            coverage: columns.take(),
        }
    }
}

/// The work may be turning to another goal; how many words both share, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct PotentialGoal {
    /// `frame`
    pub frame: String,
    /// `overlap`
    pub overlap: f64,
}

impl Record for PotentialGoal {
    const TABLE: usize = 3;
    const RELATION: &'static str = "potential_goal";

    fn write(&self, row: &mut Row) {
        row.put("frame", &self.frame);
        row.put("overlap", &self.overlap);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { frame: columns.take(), overlap: columns.take() }
    }
}

/// What column `mode` of `autonomy_mode` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AutonomyModeMode {
    /// `/manual`
    Manual,
    /// `/suggest`
    Suggest,
    /// `/auto`
    Auto,
}

impl AutonomyModeMode {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "/manual",
            Self::Suggest => "/suggest",
            Self::Auto => "/auto",
        }
    }
}

impl Column for AutonomyModeMode {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/manual" => Self::Manual,
            "/suggest" => Self::Suggest,
            "/auto" => Self::Auto,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What the agent may do by itself; without this it suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AutonomyMode {
    /// `mode`
    pub mode: AutonomyModeMode,
}

impl Record for AutonomyMode {
    const TABLE: usize = 4;
    const RELATION: &'static str = "autonomy_mode";

    fn write(&self, row: &mut Row) {
        row.put("mode", &self.mode);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { mode: columns.take() }
    }
}

/// A heuristic that counts in no mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeuristicDisabled {
    /// `heuristic`
    pub heuristic: Name,
}

impl Record for HeuristicDisabled {
    const TABLE: usize = 5;
    const RELATION: &'static str = "heuristic_disabled";

    fn write(&self, row: &mut Row) {
        row.put("heuristic", &self.heuristic);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { heuristic: columns.take() }
    }
}

/// What column `kind` of `frame_suggestion` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FrameSuggestionKind {
    /// `/push`
    Push,
    /// `/pop`
    Pop,
}

impl FrameSuggestionKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Push => "/push",
            Self::Pop => "/pop",
        }
    }
}

impl Column for FrameSuggestionKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/push" => Self::Push,
            "/pop" => Self::Pop,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Something that was suggested.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameSuggestion {
    /// `suggestion`
    pub suggestion: String,
    /// `frame`
    pub frame: String,
    /// `kind`
    pub kind: FrameSuggestionKind,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for FrameSuggestion {
    const TABLE: usize = 6;
    const RELATION: &'static str = "frame_suggestion";

    fn write(&self, row: &mut Row) {
        row.put("suggestion", &self.suggestion);
        row.put("frame", &self.frame);
        row.put("kind", &self.kind);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { suggestion: columns.take(), frame: columns.take(), kind: columns.take(), at: columns.take() }
    }
}

/// Somebody did what was suggested.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SuggestionActed {
    /// `suggestion`
    pub suggestion: String,
}

impl Record for SuggestionActed {
    const TABLE: usize = 7;
    const RELATION: &'static str = "suggestion_acted";

    fn write(&self, row: &mut Row) {
        row.put("suggestion", &self.suggestion);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { suggestion: columns.take() }
    }
}

/// What column `mode` of `push` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PushMode {
    /// `/manual`
    Manual,
    /// `/suggest`
    Suggest,
    /// `/auto`
    Auto,
}

impl PushMode {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "/manual",
            Self::Suggest => "/suggest",
            Self::Auto => "/auto",
        }
    }
}

impl Column for PushMode {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/manual" => Self::Manual,
            "/suggest" => Self::Suggest,
            "/auto" => Self::Auto,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Open a new frame, or suggest it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Push {
    /// `frame`
    pub frame: String,
    /// `mode`
    pub mode: PushMode,
}

impl Record for Push {
    const TABLE: usize = 21;
    const RELATION: &'static str = "push";

    fn write(&self, row: &mut Row) {
        row.put("frame", &self.frame);
        row.put("mode", &self.mode);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { frame: columns.take(), mode: columns.take() }
    }
}

/// What column `status` of `pop` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PopStatus {
    /// `/completed`
    Completed,
    /// `/blocked`
    Blocked,
    /// `/failed`
    Failed,
}

impl PopStatus {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "/completed",
            Self::Blocked => "/blocked",
            Self::Failed => "/failed",
        }
    }
}

impl Column for PopStatus {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/completed" => Self::Completed,
            "/blocked" => Self::Blocked,
            "/failed" => Self::Failed,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What column `mode` of `pop` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PopMode {
    /// `/manual`
    Manual,
    /// `/suggest`
    Suggest,
    /// `/auto`
    Auto,
}

impl PopMode {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "/manual",
            Self::Suggest => "/suggest",
            Self::Auto => "/auto",
        }
    }
}

impl Column for PopMode {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/manual" => Self::Manual,
            "/suggest" => Self::Suggest,
            "/auto" => Self::Auto,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Close this frame, or suggest it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pop {
    /// `frame`
    pub frame: String,
    /// `status`
    pub status: PopStatus,
    /// `mode`
    pub mode: PopMode,
}

impl Record for Pop {
    const TABLE: usize = 22;
    const RELATION: &'static str = "pop";

    fn write(&self, row: &mut Row) {
        row.put("frame", &self.frame);
        row.put("status", &self.status);
        row.put("mode", &self.mode);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { frame: columns.take(), status: columns.take(), mode: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// From this confidence on a frame is opened.
    pub push_threshold: f64,
    /// From this confidence on a frame is closed.
    pub pop_threshold: f64,
    /// A suggestion stands so long.
    pub suggestion_life: i64,
    /// From this goal completion on a frame counts as completed.
    pub completed_from: f64,
    /// So many failures make a frame a failed one.
    pub failed_from: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            push_threshold: 70.0,
            pop_threshold: 80.0,
            suggestion_life: 300000000,
            completed_from: 50.0,
            failed_from: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("push_threshold", &self.push_threshold);
        row.put("pop_threshold", &self.pop_threshold);
        row.put("suggestion_life", &self.suggestion_life);
        row.put("completed_from", &self.completed_from);
        row.put("failed_from", &self.failed_from);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A frame of work, and the goal it was opened for.
    pub frame: Vec<Frame>,
    /// How a frame stands.
    pub frame_state: Vec<FrameState>,
    /// The work may be turning to another goal; how many words both share, from 0 to 1.
    pub potential_goal: Vec<PotentialGoal>,
    /// What the agent may do by itself; without this it suggests.
    pub autonomy_mode: Vec<AutonomyMode>,
    /// A heuristic that counts in no mean.
    pub heuristic_disabled: Vec<HeuristicDisabled>,
    /// Something that was suggested.
    pub frame_suggestion: Vec<FrameSuggestion>,
    /// Somebody did what was suggested.
    pub suggestion_acted: Vec<SuggestionActed>,
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
            push: drawn(&decided.tables),
            pop: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.frame)?;
        fill(tables, &self.frame_state)?;
        fill(tables, &self.potential_goal)?;
        fill(tables, &self.autonomy_mode)?;
        fill(tables, &self.heuristic_disabled)?;
        fill(tables, &self.frame_suggestion)?;
        fill(tables, &self.suggestion_acted)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Frame> for Facts {
    fn extend<Many: IntoIterator<Item = Frame>>(&mut self, facts: Many) {
        self.frame.extend(facts);
    }
}

impl Extend<FrameState> for Facts {
    fn extend<Many: IntoIterator<Item = FrameState>>(&mut self, facts: Many) {
        self.frame_state.extend(facts);
    }
}

impl Extend<PotentialGoal> for Facts {
    fn extend<Many: IntoIterator<Item = PotentialGoal>>(&mut self, facts: Many) {
        self.potential_goal.extend(facts);
    }
}

impl Extend<AutonomyMode> for Facts {
    fn extend<Many: IntoIterator<Item = AutonomyMode>>(&mut self, facts: Many) {
        self.autonomy_mode.extend(facts);
    }
}

impl Extend<HeuristicDisabled> for Facts {
    fn extend<Many: IntoIterator<Item = HeuristicDisabled>>(&mut self, facts: Many) {
        self.heuristic_disabled.extend(facts);
    }
}

impl Extend<FrameSuggestion> for Facts {
    fn extend<Many: IntoIterator<Item = FrameSuggestion>>(&mut self, facts: Many) {
        self.frame_suggestion.extend(facts);
    }
}

impl Extend<SuggestionActed> for Facts {
    fn extend<Many: IntoIterator<Item = SuggestionActed>>(&mut self, facts: Many) {
        self.suggestion_acted.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Open a new frame, or suggest it.
    pub push: Vec<Push>,
    /// Close this frame, or suggest it.
    pub pop: Vec<Pop>,
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
        name: "frames",
        fingerprint: "5ccd00548eb86acf9c68badaf44b9e90",
        relations: &["now", "frame", "frame_state", "potential_goal", "autonomy_mode", "heuristic_disabled", "frame_suggestion", "suggestion_acted", "heuristic_kind", "distinct_goal", "least_overlap", "raw_score", "heuristic_score", "counted_score", "push_confidence", "looks_completed", "pop_status", "closed_by_completion", "mean_for_closing", "pop_confidence", "mode_in_force", "push", "pop", "suggestion_state", "suggestion_stats"],
        params: &["push_threshold", "pop_threshold", "suggestion_life", "completed_from", "failed_from"],
        rule_ids: &["distinct_goal#1", "least_overlap#1", "least_overlap#2", "errors_and_a_new_goal", "errors_alone", "other_words_and_files", "messages_and_files", "tokens_used", "signs_of_success", "no_progress", "context_used", "heuristic_score#1", "counted_score#1", "push_confidence#1", "looks_completed#1", "goal_looks_reached", "failed_too_often", "no_way_on", "closed_by_completion#1", "mean_for_closing#1", "goal_completion_alone", "mean_of_heuristics", "mode_in_force#1", "mode_in_force#2", "confident_push", "confident_pop", "suggestion_was_followed", "suggestion_expired", "suggestion_stands", "suggestion_stats#1"],
        arities: &[1, 2, 11, 2, 1, 1, 4, 1, 2, 1, 2, 3, 3, 4, 2, 1, 2, 2, 2, 2, 1, 2, 3, 2, 3, 2, 3, 3, 5],
        rules: &[&RULE_1, &RULE_3, &RULE_4, &RULE_5, &RULE_6, &RULE_7, &RULE_8, &RULE_9, &RULE_10, &RULE_13, &RULE_19, &RULE_27, &RULE_28, &RULE_29],
        decisions: &["pop", "push"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 25, &RULE_1, params);
        aggregate(tables, 28, &RULE_29, params);
        program_1::run(tables, params);
        aggregate(tables, 26, &RULE_13, params);
        aggregate(tables, 27, &RULE_19, params);
        program_2::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(8, &FACTS_8);
    }

    /// The facts of `heuristic_kind`.
    #[rustfmt::skip]
    static FACTS_8: [[Cell; 2]; 7] = [
        [Cell::T("/failure_boundary"), Cell::T("/push")],
        [Cell::T("/context_switch"), Cell::T("/push")],
        [Cell::T("/complexity"), Cell::T("/push")],
        [Cell::T("/duration"), Cell::T("/push")],
        [Cell::T("/goal_completion"), Cell::T("/pop")],
        [Cell::T("/stagnation"), Cell::T("/pop")],
        [Cell::T("/context_overflow"), Cell::T("/pop")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/suggest",
        "/acted",
        "/expired",
        "/pending",
        "/failure_boundary",
        "/context_switch",
        "/complexity",
        "/duration",
        "/goal_completion",
        "/stagnation",
        "/context_overflow",
        "/push",
        "/completed",
        "/failed",
        "/blocked",
        "/pop",
        "/manual",
    ]);

    // distinct_goal#1
    fn distinct_goal_0_0(overlap_1: Word) -> Word {
        sure(Op::Less, &[overlap_1, float(0.5)])
    }

    // errors_and_a_new_goal
    #[rustfmt::skip]
    fn raw_score_3_0(errors_1: Word) -> Eval {
        two(Op::AddFloat, 0, two(Op::MulFloat, 1, float(15.0), sure(Op::FloatOfInt, &[errors_1]))?, float(10.0))
    }

    // errors_alone
    fn raw_score_4_0(errors_1: Word) -> Eval {
        two(Op::MulFloat, 0, float(15.0), sure(Op::FloatOfInt, &[errors_1]))
    }

    // other_words_and_files
    #[rustfmt::skip]
    fn raw_score_5_0(overlap_1: Word, files_2: Word) -> Eval {
        two(Op::AddFloat, 0, two(Op::MulFloat, 1, float(60.0), two(Op::SubFloat, 2, float(1.0), overlap_1)?)?, two(Op::MulFloat, 3, float(10.0), sure(Op::FloatOfInt, &[sure(Op::Max, &[int(0), two(Op::SubInt, 4, files_2, int(2))?])]))?)
    }

    // messages_and_files
    #[rustfmt::skip]
    fn raw_score_6_0(messages_1: Word, files_2: Word) -> Eval {
        two(Op::AddFloat, 0, sure(Op::Min, &[float(60.0), two(Op::MulFloat, 1, float(1.25), sure(Op::FloatOfInt, &[messages_1]))?]), sure(Op::Min, &[float(40.0), two(Op::MulFloat, 2, float(5.0), sure(Op::FloatOfInt, &[files_2]))?]))
    }

    // tokens_used
    fn raw_score_7_0(tokens_1: Word) -> Eval {
        two(Op::DivFloat, 0, sure(Op::FloatOfInt, &[tokens_1]), float(1000.0))
    }

    // signs_of_success
    #[rustfmt::skip]
    fn raw_score_8_0(signals_1: Word, artifacts_2: Word, coverage_3: Word) -> Eval {
        two(Op::AddFloat, 0, two(Op::AddFloat, 1, sure(Op::Min, &[float(40.0), two(Op::MulFloat, 2, float(20.0), sure(Op::FloatOfInt, &[signals_1]))?]), pick(sure(Op::GreaterEqual, &[artifacts_2, int(1)]), float(20.0), float(0.0)))?, two(Op::MulFloat, 3, float(40.0), coverage_3)?)
    }

    // no_progress
    #[rustfmt::skip]
    fn raw_score_9_0(stalled_1: Word, failures_2: Word) -> Eval {
        two(Op::AddFloat, 0, two(Op::MulFloat, 1, float(15.0), sure(Op::FloatOfInt, &[stalled_1]))?, two(Op::MulFloat, 2, float(20.0), sure(Op::FloatOfInt, &[failures_2]))?)
    }

    // context_used
    #[rustfmt::skip]
    fn raw_score_10_0(limit_1: Word, tokens_2: Word) -> Eval {
        Ok(if sure(Op::Greater, &[limit_1, int(0)]).as_bool() { two(Op::DivFloat, 0, two(Op::MulFloat, 1, float(100.0), sure(Op::FloatOfInt, &[tokens_2]))?, sure(Op::FloatOfInt, &[limit_1]))? } else { float(0.0) })
    }

    // heuristic_score#1
    fn heuristic_score_11_0(score_2: Word) -> Word {
        sure(Op::Min, &[float(100.0), score_2])
    }

    // looks_completed#1
    fn looks_completed_14_0(completion_1: Word, p3: Word) -> Word {
        sure(Op::GreaterEqual, &[completion_1, p3])
    }

    fn looks_completed_14_1(completion_1: Word, stagnation_2: Word) -> Word {
        sure(Op::GreaterEqual, &[completion_1, stagnation_2])
    }

    // failed_too_often
    fn pop_status_16_0(failures_1: Word, p4: Word) -> Word {
        sure(Op::GreaterEqual, &[failures_1, p4])
    }

    // no_way_on
    fn pop_status_17_0(failures_1: Word, p4: Word) -> Word {
        sure(Op::Less, &[failures_1, p4])
    }

    // confident_push
    fn push_24_0(confidence_2: Word, p0: Word) -> Word {
        sure(Op::GreaterEqual, &[confidence_2, p0])
    }

    fn push_24_1(mode_1: Word) -> Word {
        sure(Op::NotEqual, &[mode_1, TEXTS.word(16)])
    }

    // confident_pop
    fn pop_25_0(confidence_3: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[confidence_3, p1])
    }

    fn pop_25_1(mode_2: Word) -> Word {
        sure(Op::NotEqual, &[mode_2, TEXTS.word(16)])
    }

    // suggestion_expired
    fn suggestion_state_27_0(now_2: Word, at_1: Word, p2: Word) -> Eval {
        Ok(sure(Op::GreaterEqual, &[two(Op::SubInt, 0, now_2, at_1)?, p2]))
    }

    // suggestion_stands
    fn suggestion_state_28_0(now_2: Word, at_1: Word, p2: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, now_2, at_1)?, p2]))
    }

    /// The rule `least_overlap#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "least_overlap#1",
        head: 10,
        variables: &[("Frame", Type::String), ("Overlap", Type::Float)],
        body: &[
            Step::Atom(3, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:70:22", "min(Overlap)")],
    };

    /// The rule `errors_and_a_new_goal`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_3: Rule = Rule {
        number: 3,
        id: "errors_and_a_new_goal",
        head: 11,
        variables: &[("Frame", Type::String), ("Errors", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Var(1), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(9, &[Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(4))),
            Term::Plain(|m| raw_score_3_0(m.var(1))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:78:37", "15.0 * float(Errors) + 10.0"), ("rules/frames/frames.dl:78:37", "15.0 * float(Errors)")],
    };

    /// The rule `errors_alone`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "errors_alone",
        head: 11,
        variables: &[("Frame", Type::String), ("Errors", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Var(1), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Not(9, &[Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(4))),
            Term::Plain(|m| raw_score_4_0(m.var(1))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:84:37", "15.0 * float(Errors)")],
    };

    /// The rule `other_words_and_files`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "other_words_and_files",
        head: 11,
        variables: &[("Frame", Type::String), ("Overlap", Type::Float), ("Files", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(2), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(10, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(5))),
            Term::Plain(|m| raw_score_5_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:90:35", "60.0 * (1.0 - Overlap) + 10.0 * float(max(0, Files - 2))"), ("rules/frames/frames.dl:90:35", "60.0 * (1.0 - Overlap)"), ("rules/frames/frames.dl:90:43", "1.0 - Overlap"), ("rules/frames/frames.dl:90:60", "10.0 * float(max(0, Files - 2))"), ("rules/frames/frames.dl:90:80", "Files - 2")],
    };

    /// The rule `messages_and_files`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "messages_and_files",
        head: 11,
        variables: &[("Frame", Type::String), ("Messages", Type::Int), ("Files", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Var(2), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(6))),
            Term::Plain(|m| raw_score_6_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:96:31", "min(60.0, 1.25 * float(Messages)) + min(40.0, 5.0 * float(Files))"), ("rules/frames/frames.dl:96:41", "1.25 * float(Messages)"), ("rules/frames/frames.dl:96:77", "5.0 * float(Files)")],
    };

    /// The rule `tokens_used`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_7: Rule = Rule {
        number: 7,
        id: "tokens_used",
        head: 11,
        variables: &[("Frame", Type::String), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Var(1), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(7))),
            Term::Plain(|m| raw_score_7_0(m.var(1))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:101:29", "float(Tokens) / 1000.0")],
    };

    /// The rule `signs_of_success`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_8: Rule = Rule {
        number: 8,
        id: "signs_of_success",
        head: 11,
        variables: &[("Frame", Type::String), ("Signals", Type::Int), ("Artifacts", Type::Int), ("Coverage", Type::Float)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(2), Arg::Var(1), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(8))),
            Term::Plain(|m| raw_score_8_0(m.var(1), m.var(2), m.var(3))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:108:5", "min(40.0, 20.0 * float(Signals)) + if(Artifacts >= 1, 20.0, 0.0) + 40.0 * Coverage"), ("rules/frames/frames.dl:108:5", "min(40.0, 20.0 * float(Signals)) + if(Artifacts >= 1, 20.0, 0.0)"), ("rules/frames/frames.dl:108:15", "20.0 * float(Signals)"), ("rules/frames/frames.dl:108:72", "40.0 * Coverage")],
    };

    /// The rule `no_progress`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_9: Rule = Rule {
        number: 9,
        id: "no_progress",
        head: 11,
        variables: &[("Frame", Type::String), ("Stalled", Type::Int), ("Failures", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(1), Arg::Var(2), Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(9))),
            Term::Plain(|m| raw_score_9_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:114:31", "15.0 * float(Stalled) + 20.0 * float(Failures)"), ("rules/frames/frames.dl:114:31", "15.0 * float(Stalled)"), ("rules/frames/frames.dl:114:55", "20.0 * float(Failures)")],
    };

    /// The rule `context_used`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_10: Rule = Rule {
        number: 10,
        id: "context_used",
        head: 11,
        variables: &[("Frame", Type::String), ("Limit", Type::Int), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Var(2), Arg::Var(1), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(10))),
            Term::Plain(|m| raw_score_10_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:119:51", "100.0 * float(Tokens) / float(Limit)"), ("rules/frames/frames.dl:119:51", "100.0 * float(Tokens)")],
    };

    /// The rule `push_confidence#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_13: Rule = Rule {
        number: 13,
        id: "push_confidence#1",
        head: 14,
        variables: &[("Frame", Type::String), ("Score", Type::Float)],
        body: &[
            Step::Atom(13, &[Arg::Var(0), Arg::Is(|_| Ok(TEXTS.word(11))), Arg::Any, Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:138:24", "mean(Score)")],
    };

    /// The rule `mean_for_closing#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_19: Rule = Rule {
        number: 19,
        id: "mean_for_closing#1",
        head: 18,
        variables: &[("Frame", Type::String), ("Score", Type::Float)],
        body: &[
            Step::Atom(13, &[Arg::Var(0), Arg::Is(|_| Ok(TEXTS.word(15))), Arg::Any, Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:180:25", "mean(Score)")],
    };

    /// The rule `suggestion_expired`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_27: Rule = Rule {
        number: 27,
        id: "suggestion_expired",
        head: 23,
        variables: &[("Suggestion", Type::String), ("At", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(6, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Not(7, &[Arg::Var(0)]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| suggestion_state_27_0(m.var(2), m.var(1), m.param(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(2))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:241:5", "Now - At")],
    };

    /// The rule `suggestion_stands`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_28: Rule = Rule {
        number: 28,
        id: "suggestion_stands",
        head: 23,
        variables: &[("Suggestion", Type::String), ("At", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(6, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Not(7, &[Arg::Var(0)]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| suggestion_state_28_0(m.var(2), m.var(1), m.param(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(3))),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:248:5", "Now - At")],
    };

    /// The rule `suggestion_stats#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_29: Rule = Rule {
        number: 29,
        id: "suggestion_stats#1",
        head: 24,
        variables: &[("Kind", Type::Name), ("State", Type::Name), ("Suggestion", Type::String)],
        body: &[
            Step::Atom(6, &[Arg::Var(2), Arg::Any, Arg::Var(0), Arg::Any]),
            Step::Atom(23, &[Arg::Var(2), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/frames/frames.dl:253:31", "count(Suggestion)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R4AutonomyMode,
            Row1 as R7SuggestionActed,
            Row1 as R9DistinctGoal,
            Row1 as R20ModeInForce,
            Row2 as R23SuggestionState,
            Row2 as M1,
            Row5 as M29,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R9DistinctGoal(Word);
            @output
            #[cfg(any())]
            struct R20ModeInForce(Word);
            @output
            #[cfg(any())]
            struct R23SuggestionState(Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word);
            @output
            #[cfg(any())]
            struct M29(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4AutonomyMode(Word);
            @output
            #[cfg(any())]
            struct R7SuggestionActed(Word);

            R4AutonomyMode(c0) <-
                Source(input),
                for [c0] in input.rows(4);

            R7SuggestionActed(c0) <-
                Source(input),
                for [c0] in input.rows(7);

            // distinct_goal#1
            R9DistinctGoal(frame_0) <-
                Source(input),
                for row_1 in input.rows(3),
                let [frame_0, overlap_1] = row_1,
                (distinct_goal_0_0(overlap_1).as_bool()),
                (go());

            // least_overlap#1
            M1(frame_0, overlap_1) <-
                Source(input),
                for row_1 in input.rows(3),
                let [frame_0, overlap_1] = row_1,
                (go());

            // mode_in_force#1
            R20ModeInForce(mode_0) <-
                R4AutonomyMode(mode_0),
                (go());

            // mode_in_force#2
            R20ModeInForce(TEXTS.word(0)) <-
                !R4AutonomyMode(_),
                (go());

            // suggestion_was_followed
            R23SuggestionState(suggestion_0, TEXTS.word(1)) <-
                Source(input),
                for row_1 in input.rows(6),
                let [suggestion_0, _, _, _] = row_1,
                R7SuggestionActed(suggestion_0),
                (go());

            // suggestion_expired
            R23SuggestionState(suggestion_0, TEXTS.word(2)) <-
                Source(input),
                let p2 = input.param(2),
                for row_2 in input.rows(6),
                let [suggestion_0, _, _, at_1] = row_2,
                !R7SuggestionActed(suggestion_0),
                for row_5 in input.rows(0),
                let [now_2] = row_5,
                let Some(true) = held(27, suggestion_state_27_0(now_2, at_1, p2)),
                (go());

            // suggestion_stands
            R23SuggestionState(suggestion_0, TEXTS.word(3)) <-
                Source(input),
                let p2 = input.param(2),
                for row_2 in input.rows(6),
                let [suggestion_0, _, _, at_1] = row_2,
                !R7SuggestionActed(suggestion_0),
                for row_5 in input.rows(0),
                let [now_2] = row_5,
                let Some(true) = held(28, suggestion_state_28_0(now_2, at_1, p2)),
                (go());

            // suggestion_stats#1
            M29(kind_0, state_1, suggestion_2, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(6),
                let [suggestion_2, open_1, kind_0, open_2] = row_1,
                R23SuggestionState(suggestion_2, state_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r9_distinct_goal, r20_mode_in_force, r23_suggestion_state, m1, m29, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(9, &r9_distinct_goal);
            tables.set(20, &r20_mode_in_force);
            tables.set(23, &r23_suggestion_state);
            tables.set(25, &m1);
            tables.set(28, &m29);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R3PotentialGoal,
            Row1 as R5HeuristicDisabled,
            Row2 as R8HeuristicKind,
            Row1 as R9DistinctGoal,
            Row2 as R10LeastOverlap,
            Row3 as R11RawScore,
            Row3 as R12HeuristicScore,
            Row4 as R13CountedScore,
            Row1 as R15LooksCompleted,
            Row2 as R16PopStatus,
            Row2 as R17ClosedByCompletion,
            Row3 as M13,
            Row3 as M19,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R10LeastOverlap(Word, Word);
            @output
            #[cfg(any())]
            struct R11RawScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12HeuristicScore(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R13CountedScore(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R15LooksCompleted(Word);
            @output
            #[cfg(any())]
            struct R16PopStatus(Word, Word);
            @output
            #[cfg(any())]
            struct R17ClosedByCompletion(Word, Word);
            @output
            #[cfg(any())]
            struct M13(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M19(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R3PotentialGoal(Word, Word);
            @output
            #[cfg(any())]
            struct R5HeuristicDisabled(Word);
            @output
            #[cfg(any())]
            struct R8HeuristicKind(Word, Word);
            @output
            #[cfg(any())]
            struct R9DistinctGoal(Word);

            R3PotentialGoal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(3);

            R5HeuristicDisabled(c0) <-
                Source(input),
                for [c0] in input.rows(5);

            R8HeuristicKind(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(8);

            R9DistinctGoal(c0) <-
                Source(input),
                for [c0] in input.rows(9);

            R10LeastOverlap(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(10);

            // least_overlap#2
            R10LeastOverlap(frame_0, float(1.0)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, _, _, _, _, _, _, _] = row_1,
                !R3PotentialGoal(frame_0, _),
                (go());

            // errors_and_a_new_goal
            R11RawScore(frame_0, TEXTS.word(4), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, errors_1, _, _, _, _, _, _, _, _] = row_1,
                R9DistinctGoal(frame_0),
                let Some(head_2) = tried(3, raw_score_3_0(errors_1)),
                (go());

            // errors_alone
            R11RawScore(frame_0, TEXTS.word(4), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, errors_1, _, _, _, _, _, _, _, _] = row_1,
                !R9DistinctGoal(frame_0),
                let Some(head_2) = tried(4, raw_score_4_0(errors_1)),
                (go());

            // other_words_and_files
            R11RawScore(frame_0, TEXTS.word(5), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, files_2, _, _, _, _, _, _, _] = row_1,
                R10LeastOverlap(frame_0, overlap_1),
                let Some(head_2) = tried(5, raw_score_5_0(overlap_1, files_2)),
                (go());

            // messages_and_files
            R11RawScore(frame_0, TEXTS.word(6), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, messages_1, _, files_2, _, _, _, _, _, _, _] = row_1,
                let Some(head_2) = tried(6, raw_score_6_0(messages_1, files_2)),
                (go());

            // tokens_used
            R11RawScore(frame_0, TEXTS.word(7), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, tokens_1, _, _, _, _, _, _] = row_1,
                let Some(head_2) = tried(7, raw_score_7_0(tokens_1)),
                (go());

            // signs_of_success
            R11RawScore(frame_0, TEXTS.word(8), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, _, _, _, _, artifacts_2, signals_1, coverage_3] = row_1,
                let Some(head_2) = tried(8, raw_score_8_0(signals_1, artifacts_2, coverage_3)),
                (go());

            // no_progress
            R11RawScore(frame_0, TEXTS.word(9), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, _, _, stalled_1, failures_2, _, _, _] = row_1,
                let Some(head_2) = tried(9, raw_score_9_0(stalled_1, failures_2)),
                (go());

            // context_used
            R11RawScore(frame_0, TEXTS.word(10), head_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, tokens_2, limit_1, _, _, _, _, _] = row_1,
                let Some(head_2) = tried(10, raw_score_10_0(limit_1, tokens_2)),
                (go());

            // heuristic_score#1
            R12HeuristicScore(frame_0, heuristic_1, head_2) <-
                R11RawScore(frame_0, heuristic_1, score_2),
                let head_2 = heuristic_score_11_0(score_2),
                (go());

            // counted_score#1
            R13CountedScore(frame_0, kind_1, heuristic_2, score_3) <-
                R12HeuristicScore(frame_0, heuristic_2, score_3),
                !R5HeuristicDisabled(heuristic_2),
                R8HeuristicKind(heuristic_2, kind_1),
                (go());

            // push_confidence#1
            M13(frame_0, score_1, open_1) <-
                R13CountedScore(frame_0, TEXTS.word(11), open_1, score_1),
                (go());

            // looks_completed#1
            R15LooksCompleted(frame_0) <-
                Source(input),
                let p3 = input.param(3),
                R12HeuristicScore(frame_0, TEXTS.word(8), completion_1),
                (looks_completed_14_0(completion_1, p3).as_bool()),
                R12HeuristicScore(frame_0, TEXTS.word(9), stagnation_2),
                (looks_completed_14_1(completion_1, stagnation_2).as_bool()),
                (go());

            // goal_looks_reached
            R16PopStatus(frame_0, TEXTS.word(12)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [frame_0, _, _, _, _, _, _, _, _, _, _] = row_1,
                R15LooksCompleted(frame_0),
                (go());

            // failed_too_often
            R16PopStatus(frame_0, TEXTS.word(13)) <-
                Source(input),
                let p4 = input.param(4),
                for row_2 in input.rows(2),
                let [frame_0, _, _, _, _, _, _, failures_1, _, _, _] = row_2,
                !R15LooksCompleted(frame_0),
                (pop_status_16_0(failures_1, p4).as_bool()),
                (go());

            // no_way_on
            R16PopStatus(frame_0, TEXTS.word(14)) <-
                Source(input),
                let p4 = input.param(4),
                for row_2 in input.rows(2),
                let [frame_0, _, _, _, _, _, _, failures_1, _, _, _] = row_2,
                !R15LooksCompleted(frame_0),
                (pop_status_17_0(failures_1, p4).as_bool()),
                (go());

            // closed_by_completion#1
            R17ClosedByCompletion(frame_0, completion_1) <-
                R16PopStatus(frame_0, TEXTS.word(12)),
                R13CountedScore(frame_0, TEXTS.word(15), TEXTS.word(8), completion_1),
                (go());

            // mean_for_closing#1
            M19(frame_0, score_1, open_1) <-
                R13CountedScore(frame_0, TEXTS.word(15), open_1, score_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r10_least_overlap, r11_raw_score, r12_heuristic_score, r13_counted_score, r15_looks_completed, r16_pop_status, r17_closed_by_completion, m13, m19, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(10, &r10_least_overlap);
            tables.set(11, &r11_raw_score);
            tables.set(12, &r12_heuristic_score);
            tables.set(13, &r13_counted_score);
            tables.set(15, &r15_looks_completed);
            tables.set(16, &r16_pop_status);
            tables.set(17, &r17_closed_by_completion);
            tables.set(26, &m13);
            tables.set(27, &m19);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R16PopStatus,
            Row2 as R17ClosedByCompletion,
            Row2 as R19PopConfidence,
            Row2 as R21Push,
            Row3 as R22Pop,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R19PopConfidence(Word, Word);
            @output
            #[cfg(any())]
            struct R21Push(Word, Word);
            @output
            #[cfg(any())]
            struct R22Pop(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R16PopStatus(Word, Word);
            @output
            #[cfg(any())]
            struct R17ClosedByCompletion(Word, Word);

            R16PopStatus(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(16);

            R17ClosedByCompletion(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(17);

            // goal_completion_alone
            R19PopConfidence(frame_0, confidence_1) <-
                R17ClosedByCompletion(frame_0, confidence_1),
                (go());

            // mean_of_heuristics
            R19PopConfidence(frame_0, confidence_1) <-
                Source(input),
                for row_1 in input.rows(18),
                let [frame_0, confidence_1] = row_1,
                !R17ClosedByCompletion(frame_0, _),
                (go());

            // confident_push
            R21Push(frame_0, mode_1) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(14),
                let [frame_0, confidence_2] = row_2,
                (push_24_0(confidence_2, p0).as_bool()),
                for row_5 in input.rows(20),
                let [mode_1] = row_5,
                (push_24_1(mode_1).as_bool()),
                (go());

            // confident_pop
            R22Pop(frame_0, status_1, mode_2) <-
                Source(input),
                let p1 = input.param(1),
                R19PopConfidence(frame_0, confidence_3),
                (pop_25_0(confidence_3, p1).as_bool()),
                R16PopStatus(frame_0, status_1),
                for row_5 in input.rows(20),
                let [mode_2] = row_5,
                (pop_25_1(mode_2).as_bool()),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r19_pop_confidence, r21_push, r22_pop, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(19, &r19_pop_confidence);
            tables.set(21, &r21_push);
            tables.set(22, &r22_pop);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input frame(frame: string, goal_text: string).\n",
            "input frame_state(\n    frame: string,\n    messages: int,\n    errors: int,\n    files: int,\n    tokens: int,\n    context_limit: int,\n    stalled_turns: int,\n    failures: int,\n    artifacts: int,\n    success_signals: int,\n    coverage: float\n).\n",
            "input potential_goal(frame: string, overlap: float).\n",
            "input autonomy_mode(mode: /manual | /suggest | /auto).\n",
            "input heuristic_disabled(heuristic: name).\n",
            "input frame_suggestion(suggestion: string, frame: string, kind: /push | /pop, at: time).\n",
            "input suggestion_acted(suggestion: string).\n",
            "param push_threshold: float = 70.0.\n",
            "param pop_threshold: float = 80.0.\n",
            "param suggestion_life: duration = 5m.\n",
            "param completed_from: float = 50.0.\n",
            "param failed_from: int = 3.\n",
            "relation heuristic_kind(heuristic: name, kind: /push | /pop).\n",
            "heuristic_kind(/failure_boundary, /push).\n",
            "heuristic_kind(/context_switch, /push).\n",
            "heuristic_kind(/complexity, /push).\n",
            "heuristic_kind(/duration, /push).\n",
            "heuristic_kind(/goal_completion, /pop).\n",
            "heuristic_kind(/stagnation, /pop).\n",
            "heuristic_kind(/context_overflow, /pop).\n",
            "relation distinct_goal(frame: string).\n",
            "distinct_goal(Frame) :- potential_goal(Frame, Overlap), Overlap < 0.5.\n",
            "relation least_overlap(frame: string, overlap: float).\n",
            "least_overlap(Frame, min(Overlap)) :- potential_goal(Frame, Overlap).\n",
            "least_overlap(Frame, 1.0) :- frame_state(frame: Frame), !potential_goal(Frame, _).\n",
            "relation raw_score(frame: string, heuristic: name, score: float).\n",
            "@id(errors_and_a_new_goal)\n@because(\"{Errors} errors, and the work turns to another goal\")\nraw_score(Frame, /failure_boundary, 15.0 * float(Errors) + 10.0) :-\n    frame_state(frame: Frame, errors: Errors),\n    distinct_goal(Frame).\n",
            "@id(errors_alone)\n@because(\"{Errors} errors\")\nraw_score(Frame, /failure_boundary, 15.0 * float(Errors)) :-\n    frame_state(frame: Frame, errors: Errors),\n    !distinct_goal(Frame).\n",
            "@id(other_words_and_files)\n@because(\"a share of {Overlap} of the words is the same, and {Files} files were touched\")\nraw_score(Frame, /context_switch, 60.0 * (1.0 - Overlap) + 10.0 * float(max(0, Files - 2))) :-\n    frame_state(frame: Frame, files: Files),\n    least_overlap(Frame, Overlap).\n",
            "@id(messages_and_files)\n@because(\"{Messages} messages and {Files} files\")\nraw_score(Frame, /complexity, min(60.0, 1.25 * float(Messages)) + min(40.0, 5.0 * float(Files))) :-\n    frame_state(frame: Frame, messages: Messages, files: Files).\n",
            "@id(tokens_used)\n@because(\"{Tokens} tokens\")\nraw_score(Frame, /duration, float(Tokens) / 1000.0) :- frame_state(frame: Frame, tokens: Tokens).\n",
            "@id(signs_of_success)\n@because(\"{Signals} signs of success, {Artifacts} artifacts, a share of {Coverage} of the goal covered\")\nraw_score(\n    Frame,\n    /goal_completion,\n    min(40.0, 20.0 * float(Signals)) + if(Artifacts >= 1, 20.0, 0.0) + 40.0 * Coverage\n) :-\n    frame_state(frame: Frame, success_signals: Signals, artifacts: Artifacts, coverage: Coverage).\n",
            "@id(no_progress)\n@because(\"{Stalled} turns without progress, {Failures} failures\")\nraw_score(Frame, /stagnation, 15.0 * float(Stalled) + 20.0 * float(Failures)) :-\n    frame_state(frame: Frame, stalled_turns: Stalled, failures: Failures).\n",
            "@id(context_used)\n@because(\"{Tokens} tokens of {Limit}\")\nraw_score(Frame, /context_overflow, if(Limit > 0, 100.0 * float(Tokens) / float(Limit), 0.0)) :-\n    frame_state(frame: Frame, tokens: Tokens, context_limit: Limit).\n",
            "relation heuristic_score(frame: string, heuristic: name, score: float).\n",
            "heuristic_score(Frame, Heuristic, min(100.0, Score)) :- raw_score(Frame, Heuristic, Score).\n",
            "relation counted_score(frame: string, kind: /push | /pop, heuristic: name, score: float).\n",
            "counted_score(Frame, Kind, Heuristic, Score) :-\n    heuristic_score(Frame, Heuristic, Score),\n    heuristic_kind(Heuristic, Kind),\n    !heuristic_disabled(Heuristic).\n",
            "relation push_confidence(frame: string, confidence: float).\n",
            "push_confidence(Frame, mean(Score)) :- counted_score(Frame, /push, _, Score).\n",
            "relation looks_completed(frame: string).\n",
            "looks_completed(Frame) :-\n    heuristic_score(Frame, /goal_completion, Completion),\n    heuristic_score(Frame, /stagnation, Stagnation),\n    Completion >= completed_from,\n    Completion >= Stagnation.\n",
            "relation pop_status(frame: string, status: /completed | /blocked | /failed).\n",
            "@id(goal_looks_reached)\n@because(\"the goal of {Frame} looks reached\")\npop_status(Frame, /completed) :- frame_state(frame: Frame), looks_completed(Frame).\n",
            "@id(failed_too_often)\n@because(\"{Frame} failed {Failures} times\")\npop_status(Frame, /failed) :-\n    frame_state(frame: Frame, failures: Failures),\n    !looks_completed(Frame),\n    Failures >= failed_from.\n",
            "@id(no_way_on)\n@because(\"{Frame} neither looks reached nor failed {failed_from} times\")\npop_status(Frame, /blocked) :-\n    frame_state(frame: Frame, failures: Failures),\n    !looks_completed(Frame),\n    Failures < failed_from.\n",
            "relation closed_by_completion(frame: string, confidence: float).\n",
            "closed_by_completion(Frame, Completion) :-\n    pop_status(Frame, /completed),\n    counted_score(Frame, /pop, /goal_completion, Completion).\n",
            "relation mean_for_closing(frame: string, confidence: float).\n",
            "mean_for_closing(Frame, mean(Score)) :- counted_score(Frame, /pop, _, Score).\n",
            "relation pop_confidence(frame: string, confidence: float).\n",
            "@id(goal_completion_alone)\n@because(\"{Frame} looks completed, so how far its goal is reached counts alone: {Confidence}\")\npop_confidence(Frame, Confidence) :- closed_by_completion(Frame, Confidence).\n",
            "@id(mean_of_heuristics)\n@because(\"the heuristics for closing {Frame} have a mean of {Confidence}\")\npop_confidence(Frame, Confidence) :-\n    mean_for_closing(Frame, Confidence),\n    !closed_by_completion(Frame, _).\n",
            "relation mode_in_force(mode: /manual | /suggest | /auto).\n",
            "mode_in_force(Mode) :- autonomy_mode(Mode).\n",
            "mode_in_force(/suggest) :- !autonomy_mode(_).\n",
            "decision push(frame: string, mode: /manual | /suggest | /auto).\n",
            "@id(confident_push)\n@because(\"the confidence {Confidence} for a new frame reaches {push_threshold}\")\npush(Frame, Mode) :-\n    push_confidence(Frame, Confidence),\n    Confidence >= push_threshold,\n    mode_in_force(Mode),\n    Mode != /manual.\n",
            "decision pop(\n    frame: string,\n    status: /completed | /blocked | /failed,\n    mode: /manual | /suggest | /auto\n).\n",
            "@id(confident_pop)\n@because(\"the confidence {Confidence} for closing {Frame} as {Status} reaches {pop_threshold}\")\npop(Frame, Status, Mode) :-\n    pop_confidence(Frame, Confidence),\n    Confidence >= pop_threshold,\n    pop_status(Frame, Status),\n    mode_in_force(Mode),\n    Mode != /manual.\n",
            "relation suggestion_state(suggestion: string, state: /pending | /acted | /expired).\n",
            "@id(suggestion_was_followed)\nsuggestion_state(Suggestion, /acted) :-\n    frame_suggestion(suggestion: Suggestion),\n    suggestion_acted(Suggestion).\n",
            "@id(suggestion_expired)\nsuggestion_state(Suggestion, /expired) :-\n    frame_suggestion(suggestion: Suggestion, at: At),\n    !suggestion_acted(Suggestion),\n    now(Now),\n    Now - At >= suggestion_life.\n",
            "@id(suggestion_stands)\nsuggestion_state(Suggestion, /pending) :-\n    frame_suggestion(suggestion: Suggestion, at: At),\n    !suggestion_acted(Suggestion),\n    now(Now),\n    Now - At < suggestion_life.\n",
            "relation suggestion_stats(kind: /push | /pop, state: /pending | /acted | /expired, count: int).\n",
            "suggestion_stats(Kind, State, count(Suggestion)) :-\n    frame_suggestion(suggestion: Suggestion, kind: Kind),\n    suggestion_state(Suggestion, State).\n",
        ),
    ];
}
