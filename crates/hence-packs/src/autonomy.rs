//! `autonomy`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: may the agent be given more freedom.

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

/// A person who may approve and refuse; a review by anybody else counts nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reviewer {
    /// `by`
    pub by: String,
}

impl Record for Reviewer {
    const TABLE: usize = 1;
    const RELATION: &'static str = "reviewer";

    fn write(&self, row: &mut Row) {
        row.put("by", &self.by);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { by: columns.take() }
    }
}

/// What column `kind` of `review_reason` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReviewReasonKind {
    /// `/escalation`
    Escalation,
    /// `/override`
    Override,
    /// `/proposal`
    Proposal,
}

impl ReviewReasonKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Escalation => "/escalation",
            Self::Override => "/override",
            Self::Proposal => "/proposal",
        }
    }
}

impl Column for ReviewReasonKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/escalation" => Self::Escalation,
            "/override" => Self::Override,
            "/proposal" => Self::Proposal,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Why a reviewer refused, by the kind and the id of what waited.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReviewReason {
    /// `kind`
    pub kind: ReviewReasonKind,
    /// `id`
    pub id: String,
    /// `reason`
    pub reason: String,
    /// `by`
    pub by: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ReviewReason {
    const TABLE: usize = 2;
    const RELATION: &'static str = "review_reason";

    fn write(&self, row: &mut Row) {
        row.put("kind", &self.kind);
        row.put("id", &self.id);
        row.put("reason", &self.reason);
        row.put("by", &self.by);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            kind: columns.take(),
            id: columns.take(),
            reason: columns.take(),
            by: columns.take(),
            at: columns.take(),
        }
    }
}

/// What column `kind` of `review_edit` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReviewEditKind {
    /// `/escalation`
    Escalation,
    /// `/override`
    Override,
    /// `/proposal`
    Proposal,
}

impl ReviewEditKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Escalation => "/escalation",
            Self::Override => "/override",
            Self::Proposal => "/proposal",
        }
    }
}

impl Column for ReviewEditKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/escalation" => Self::Escalation,
            "/override" => Self::Override,
            "/proposal" => Self::Proposal,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What a reviewer wrote anew when approving: a part of the content, and its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReviewEdit {
    /// `kind`
    pub kind: ReviewEditKind,
    /// `id`
    pub id: String,
    /// `part`
    pub part: Name,
    /// `text`
    pub text: String,
    /// `by`
    pub by: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ReviewEdit {
    const TABLE: usize = 3;
    const RELATION: &'static str = "review_edit";

    fn write(&self, row: &mut Row) {
        row.put("kind", &self.kind);
        row.put("id", &self.id);
        row.put("part", &self.part);
        row.put("text", &self.text);
        row.put("by", &self.by);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            kind: columns.take(),
            id: columns.take(),
            part: columns.take(),
            text: columns.take(),
            by: columns.take(),
            at: columns.take(),
        }
    }
}

/// The level given to the agent from a moment on; the latest counts, without one level 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AutonomyLevel {
    /// `level`
    pub level: i64,
    /// `since`, in microseconds since the epoch
    pub since: i64,
}

impl Record for AutonomyLevel {
    const TABLE: usize = 4;
    const RELATION: &'static str = "autonomy_level";

    fn write(&self, row: &mut Row) {
        row.put("level", &self.level);
        row.put("since", &self.since);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { level: columns.take(), since: columns.take() }
    }
}

/// A session of the agent: whether it succeeded, and how confident it was, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Session {
    /// `session`
    pub session: String,
    /// `ok`
    pub ok: bool,
    /// `confidence`
    pub confidence: f64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Session {
    const TABLE: usize = 5;
    const RELATION: &'static str = "session";

    fn write(&self, row: &mut Row) {
        row.put("session", &self.session);
        row.put("ok", &self.ok);
        row.put("confidence", &self.confidence);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { session: columns.take(), ok: columns.take(), confidence: columns.take(), at: columns.take() }
    }
}

/// The agent asked for a tool that it must not use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnsafeRequest {
    /// `session`
    pub session: String,
    /// `tool`
    pub tool: String,
}

impl Record for UnsafeRequest {
    const TABLE: usize = 6;
    const RELATION: &'static str = "unsafe_request";

    fn write(&self, row: &mut Row) {
        row.put("session", &self.session);
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { session: columns.take(), tool: columns.take() }
    }
}

/// What column `what` of `demonstrated` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DemonstratedWhat {
    /// `/goal_chaining`
    GoalChaining,
    /// `/cross_goal`
    CrossGoal,
}

impl DemonstratedWhat {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GoalChaining => "/goal_chaining",
            Self::CrossGoal => "/cross_goal",
        }
    }
}

impl Column for DemonstratedWhat {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/goal_chaining" => Self::GoalChaining,
            "/cross_goal" => Self::CrossGoal,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// A session that showed what a higher level asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Demonstrated {
    /// `session`
    pub session: String,
    /// `what`
    pub what: DemonstratedWhat,
}

impl Record for Demonstrated {
    const TABLE: usize = 7;
    const RELATION: &'static str = "demonstrated";

    fn write(&self, row: &mut Row) {
        row.put("session", &self.session);
        row.put("what", &self.what);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { session: columns.take(), what: columns.take() }
    }
}

/// The agent asks for a level.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EscalationRequest {
    /// `request`
    pub request: String,
    /// `level`
    pub level: i64,
    /// `reason`
    pub reason: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for EscalationRequest {
    const TABLE: usize = 8;
    const RELATION: &'static str = "escalation_request";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
        row.put("level", &self.level);
        row.put("reason", &self.reason);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { request: columns.take(), level: columns.take(), reason: columns.take(), at: columns.take() }
    }
}

/// What somebody says of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EscalationReview {
    /// `request`
    pub request: String,
    /// `approved`
    pub approved: bool,
    /// `by`
    pub by: String,
    /// `comment`
    pub comment: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for EscalationReview {
    const TABLE: usize = 9;
    const RELATION: &'static str = "escalation_review";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
        row.put("approved", &self.approved);
        row.put("by", &self.by);
        row.put("comment", &self.comment);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            request: columns.take(),
            approved: columns.take(),
            by: columns.take(),
            comment: columns.take(),
            at: columns.take(),
        }
    }
}

/// The agent is about to call a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolCall {
    /// `call`
    pub call: String,
    /// `tool`
    pub tool: String,
}

impl Record for ToolCall {
    const TABLE: usize = 10;
    const RELATION: &'static str = "tool_call";

    fn write(&self, row: &mut Row) {
        row.put("call", &self.call);
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { call: columns.take(), tool: columns.take() }
    }
}

/// Offer to ask for the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OfferEscalation {
    /// `level`
    pub level: i64,
}

impl Record for OfferEscalation {
    const TABLE: usize = 35;
    const RELATION: &'static str = "offer_escalation";

    fn write(&self, row: &mut Row) {
        row.put("level", &self.level);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { level: columns.take() }
    }
}

/// Give the agent the level that it asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Escalate {
    /// `request`
    pub request: String,
    /// `from`
    pub from: i64,
    /// `to`
    pub to: i64,
}

impl Record for Escalate {
    const TABLE: usize = 38;
    const RELATION: &'static str = "escalate";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
        row.put("from", &self.from);
        row.put("to", &self.to);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { request: columns.take(), from: columns.take(), to: columns.take() }
    }
}

/// Refuse the level that the agent asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DenyEscalation {
    /// `request`
    pub request: String,
    /// `by`
    pub by: String,
}

impl Record for DenyEscalation {
    const TABLE: usize = 39;
    const RELATION: &'static str = "deny_escalation";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
        row.put("by", &self.by);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { request: columns.take(), by: columns.take() }
    }
}

/// An approval that has no effect, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReviewRejected {
    /// `request`
    pub request: String,
    /// `reason`
    pub reason: Name,
}

impl Record for ReviewRejected {
    const TABLE: usize = 40;
    const RELATION: &'static str = "review_rejected";

    fn write(&self, row: &mut Row) {
        row.put("request", &self.request);
        row.put("reason", &self.reason);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { request: columns.take(), reason: columns.take() }
    }
}

/// The tool may be called at the current level.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolAllowed {
    /// `tool`
    pub tool: String,
}

impl Record for ToolAllowed {
    const TABLE: usize = 41;
    const RELATION: &'static str = "tool_allowed";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take() }
    }
}

/// The tool may not be called at the current level.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolBlocked {
    /// `tool`
    pub tool: String,
    /// `reason`
    pub reason: Name,
}

impl Record for ToolBlocked {
    const TABLE: usize = 42;
    const RELATION: &'static str = "tool_blocked";

    fn write(&self, row: &mut Row) {
        row.put("tool", &self.tool);
        row.put("reason", &self.reason);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { tool: columns.take(), reason: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The level of an agent that was never given one.
    pub first_level: i64,
    /// The highest level.
    pub highest_level: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            first_level: 1,
            highest_level: 5,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("first_level", &self.first_level);
        row.put("highest_level", &self.highest_level);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A person who may approve and refuse; a review by anybody else counts nowhere.
    pub reviewer: Vec<Reviewer>,
    /// Why a reviewer refused, by the kind and the id of what waited.
    pub review_reason: Vec<ReviewReason>,
    /// What a reviewer wrote anew when approving: a part of the content, and its text.
    pub review_edit: Vec<ReviewEdit>,
    /// The level given to the agent from a moment on; the latest counts, without one level 1.
    pub autonomy_level: Vec<AutonomyLevel>,
    /// A session of the agent: whether it succeeded, and how confident it was, from 0 to 1.
    pub session: Vec<Session>,
    /// The agent asked for a tool that it must not use.
    pub unsafe_request: Vec<UnsafeRequest>,
    /// A session that showed what a higher level asks for.
    pub demonstrated: Vec<Demonstrated>,
    /// The agent asks for a level.
    pub escalation_request: Vec<EscalationRequest>,
    /// What somebody says of a request.
    pub escalation_review: Vec<EscalationReview>,
    /// The agent is about to call a tool.
    pub tool_call: Vec<ToolCall>,
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
            offer_escalation: drawn(&decided.tables),
            escalate: drawn(&decided.tables),
            deny_escalation: drawn(&decided.tables),
            review_rejected: drawn(&decided.tables),
            tool_allowed: drawn(&decided.tables),
            tool_blocked: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.reviewer)?;
        fill(tables, &self.review_reason)?;
        fill(tables, &self.review_edit)?;
        fill(tables, &self.autonomy_level)?;
        fill(tables, &self.session)?;
        fill(tables, &self.unsafe_request)?;
        fill(tables, &self.demonstrated)?;
        fill(tables, &self.escalation_request)?;
        fill(tables, &self.escalation_review)?;
        fill(tables, &self.tool_call)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Reviewer> for Facts {
    fn extend<Many: IntoIterator<Item = Reviewer>>(&mut self, facts: Many) {
        self.reviewer.extend(facts);
    }
}

impl Extend<ReviewReason> for Facts {
    fn extend<Many: IntoIterator<Item = ReviewReason>>(&mut self, facts: Many) {
        self.review_reason.extend(facts);
    }
}

impl Extend<ReviewEdit> for Facts {
    fn extend<Many: IntoIterator<Item = ReviewEdit>>(&mut self, facts: Many) {
        self.review_edit.extend(facts);
    }
}

impl Extend<AutonomyLevel> for Facts {
    fn extend<Many: IntoIterator<Item = AutonomyLevel>>(&mut self, facts: Many) {
        self.autonomy_level.extend(facts);
    }
}

impl Extend<Session> for Facts {
    fn extend<Many: IntoIterator<Item = Session>>(&mut self, facts: Many) {
        self.session.extend(facts);
    }
}

impl Extend<UnsafeRequest> for Facts {
    fn extend<Many: IntoIterator<Item = UnsafeRequest>>(&mut self, facts: Many) {
        self.unsafe_request.extend(facts);
    }
}

impl Extend<Demonstrated> for Facts {
    fn extend<Many: IntoIterator<Item = Demonstrated>>(&mut self, facts: Many) {
        self.demonstrated.extend(facts);
    }
}

impl Extend<EscalationRequest> for Facts {
    fn extend<Many: IntoIterator<Item = EscalationRequest>>(&mut self, facts: Many) {
        self.escalation_request.extend(facts);
    }
}

impl Extend<EscalationReview> for Facts {
    fn extend<Many: IntoIterator<Item = EscalationReview>>(&mut self, facts: Many) {
        self.escalation_review.extend(facts);
    }
}

impl Extend<ToolCall> for Facts {
    fn extend<Many: IntoIterator<Item = ToolCall>>(&mut self, facts: Many) {
        self.tool_call.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Offer to ask for the next level.
    pub offer_escalation: Vec<OfferEscalation>,
    /// Give the agent the level that it asked for.
    pub escalate: Vec<Escalate>,
    /// Refuse the level that the agent asked for.
    pub deny_escalation: Vec<DenyEscalation>,
    /// An approval that has no effect, and why.
    pub review_rejected: Vec<ReviewRejected>,
    /// The tool may be called at the current level.
    pub tool_allowed: Vec<ToolAllowed>,
    /// The tool may not be called at the current level.
    pub tool_blocked: Vec<ToolBlocked>,
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
        name: "autonomy",
        fingerprint: "41968901d03522d4fa77fbf0bc0fdab2",
        relations: &["now", "reviewer", "review_reason", "review_edit", "autonomy_level", "session", "unsafe_request", "demonstrated", "escalation_request", "escalation_review", "tool_call", "level_name", "sessions_needed", "error_rate_allowed", "confidence_needed", "unsafe_allowed", "demonstration_needed", "read_only_tool", "safe_tool", "level_given", "current_level", "escalation_reviewed", "judging_view", "session_in_view", "session_after_review", "view_metrics", "unsafe_in_view", "unsafe_count", "shown_in_view", "session_metrics", "unmet_in_view", "unmet", "level_barred", "eligible", "pending_review", "offer_escalation", "level_given_before", "level_at_review", "escalate", "deny_escalation", "review_rejected", "tool_allowed", "tool_blocked"],
        params: &["first_level", "highest_level"],
        rule_ids: &["safe_tool#1", "level_given#1", "level_as_given", "level_never_given", "earliest_escalation_review", "judging_view#2", "session_in_view#1", "session_in_view#2", "session_after_review#1", "view_metrics#1", "unsafe_in_view#1", "unsafe_in_view#2", "unsafe_count#1", "unsafe_count#2", "shown_in_view#1", "shown_in_view#2", "figures_of_all_sessions", "too_few_successes", "no_successes", "too_many_errors", "no_error_rate", "too_little_confidence", "no_confidence", "too_many_unsafe_requests", "not_demonstrated", "requirement_not_met", "barred_by_a_requirement", "level_reached", "request_unanswered", "next_level_reached", "level_given_before#1", "level_at_review#1", "level_at_review#2", "approved_and_eligible", "refused_by_reviewer", "approved_level_not_above", "approved_level_too_high", "approved_too_early", "approved_by_a_stranger", "safe_at_this_level", "not_safe_at_this_level"],
        arities: &[1, 1, 5, 6, 2, 4, 2, 2, 4, 5, 2, 2, 2, 2, 2, 2, 2, 1, 2, 1, 1, 4, 2, 6, 2, 6, 4, 3, 3, 5, 6, 4, 3, 1, 2, 1, 2, 2, 3, 2, 2, 1, 2, 2, 5, 6, 4, 6],
        rules: &[&RULE_1, &RULE_4, &RULE_9, &RULE_12, &RULE_29, &RULE_30],
        decisions: &["deny_escalation", "escalate", "offer_escalation", "review_rejected", "tool_allowed", "tool_blocked"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 43, &RULE_1, params);
        limit(tables, 44, &RULE_4, params);
        program_1::run(tables, params);
        aggregate(tables, 45, &RULE_9, params);
        aggregate(tables, 46, &RULE_12, params);
        limit(tables, 47, &RULE_30, params);
        program_2::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(11, &FACTS_11);
        tables.facts(12, &FACTS_12);
        tables.facts(13, &FACTS_13);
        tables.facts(14, &FACTS_14);
        tables.facts(15, &FACTS_15);
        tables.facts(16, &FACTS_16);
        tables.facts(17, &FACTS_17);
        tables.facts(22, &FACTS_22);
    }

    /// The facts of `level_name`.
    #[rustfmt::skip]
    static FACTS_11: [[Cell; 2]; 5] = [
        [Cell::I(1), Cell::T("suggest_only")],
        [Cell::I(2), Cell::T("draft_and_queue")],
        [Cell::I(3), Cell::T("execute_safe_tools")],
        [Cell::I(4), Cell::T("schedule_tasks")],
        [Cell::I(5), Cell::T("cross_goal_optimization")],
    ];

    /// The facts of `sessions_needed`.
    #[rustfmt::skip]
    static FACTS_12: [[Cell; 2]; 4] = [
        [Cell::I(2), Cell::I(10)],
        [Cell::I(3), Cell::I(50)],
        [Cell::I(4), Cell::I(100)],
        [Cell::I(5), Cell::I(200)],
    ];

    /// The facts of `error_rate_allowed`.
    #[rustfmt::skip]
    static FACTS_13: [[Cell; 2]; 4] = [
        [Cell::I(2), Cell::F(0.1)],
        [Cell::I(3), Cell::F(0.05)],
        [Cell::I(4), Cell::F(0.05)],
        [Cell::I(5), Cell::F(0.03)],
    ];

    /// The facts of `confidence_needed`.
    #[rustfmt::skip]
    static FACTS_14: [[Cell; 2]; 2] = [
        [Cell::I(2), Cell::F(0.7)],
        [Cell::I(3), Cell::F(0.75)],
    ];

    /// The facts of `unsafe_allowed`.
    #[rustfmt::skip]
    static FACTS_15: [[Cell; 2]; 1] = [
        [Cell::I(3), Cell::I(0)],
    ];

    /// The facts of `demonstration_needed`.
    #[rustfmt::skip]
    static FACTS_16: [[Cell; 2]; 2] = [
        [Cell::I(4), Cell::T("/goal_chaining")],
        [Cell::I(5), Cell::T("/cross_goal")],
    ];

    /// The facts of `read_only_tool`.
    #[rustfmt::skip]
    static FACTS_17: [[Cell; 1]; 9] = [
        [Cell::T("web_search")],
        [Cell::T("calculate")],
        [Cell::T("read_file")],
        [Cell::T("list_directory")],
        [Cell::T("get_time")],
        [Cell::T("repo_index")],
        [Cell::T("file_summary")],
        [Cell::T("dependency_map")],
        [Cell::T("reflect")],
    ];

    /// The facts of `judging_view`.
    #[rustfmt::skip]
    static FACTS_22: [[Cell; 2]; 1] = [
        [Cell::T("/now"), Cell::T("")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/review",
        "/now",
        "",
        "/not_safe_at_level",
        "/successful_sessions",
        "0",
        "/error_rate",
        "none",
        "/confidence",
        "/unsafe_requests",
        "no",
        "yes",
        "/not_above_current",
        "/above_maximum",
        "/not_eligible",
        "/not_a_reviewer",
    ]);

    // session_in_view#2
    fn session_in_view_7_0(at_4: Word, reviewed_5: Word) -> Word {
        sure(Op::LessEqual, &[at_4, reviewed_5])
    }

    // session_after_review#1
    fn session_after_review_8_0(at_3: Word, reviewed_2: Word) -> Word {
        sure(Op::Greater, &[at_3, reviewed_2])
    }

    // view_metrics#1
    fn view_metrics_9_0(ok_2: Word) -> Word {
        pick(ok_2, int(1), int(0))
    }

    fn view_metrics_9_1(ok_2: Word) -> Word {
        pick(ok_2, float(0.0), float(1.0))
    }

    // too_few_successes
    fn unmet_in_view_17_0(have_3: Word, need_4: Word) -> Word {
        sure(Op::Less, &[have_3, need_4])
    }

    fn unmet_in_view_17_1(have_3: Word) -> Word {
        sure(Op::StringOf(Type::Int), &[have_3])
    }

    fn unmet_in_view_17_2(need_4: Word) -> Word {
        sure(Op::StringOf(Type::Int), &[need_4])
    }

    // no_successes
    fn unmet_in_view_18_0(need_3: Word) -> Word {
        sure(Op::StringOf(Type::Int), &[need_3])
    }

    // too_many_errors
    fn unmet_in_view_19_0(have_3: Word, need_4: Word) -> Word {
        sure(Op::Greater, &[have_3, need_4])
    }

    fn unmet_in_view_19_1(have_3: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[have_3])
    }

    fn unmet_in_view_19_2(need_4: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[need_4])
    }

    // no_error_rate
    fn unmet_in_view_20_0(need_3: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[need_3])
    }

    // too_little_confidence
    fn unmet_in_view_21_0(have_3: Word, need_4: Word) -> Word {
        sure(Op::Less, &[have_3, need_4])
    }

    fn unmet_in_view_21_1(have_3: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[have_3])
    }

    fn unmet_in_view_21_2(need_4: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[need_4])
    }

    // no_confidence
    fn unmet_in_view_22_0(need_3: Word) -> Word {
        sure(Op::StringOf(Type::Float), &[need_3])
    }

    // too_many_unsafe_requests
    fn unmet_in_view_23_0(have_3: Word, need_4: Word) -> Word {
        sure(Op::Greater, &[have_3, need_4])
    }

    fn unmet_in_view_23_1(have_3: Word) -> Word {
        sure(Op::StringOf(Type::Int), &[have_3])
    }

    fn unmet_in_view_23_2(need_4: Word) -> Word {
        sure(Op::StringOf(Type::Int), &[need_4])
    }

    // barred_by_a_requirement
    fn level_barred_26_0(lower_3: Word, level_2: Word) -> Word {
        sure(Op::LessEqual, &[lower_3, level_2])
    }

    // level_reached
    fn eligible_27_0(level_0: Word, current_1: Word) -> Word {
        sure(Op::Greater, &[level_0, current_1])
    }

    // request_unanswered
    fn pending_review_28_0(level_1: Word, current_2: Word) -> Word {
        sure(Op::Greater, &[level_1, current_2])
    }

    // next_level_reached
    fn offer_escalation_29_0(level_0: Word, current_1: Word) -> Eval {
        Ok(sure(Op::Equal, &[level_0, two(Op::AddInt, 0, current_1, int(1))?]))
    }

    // level_given_before#1
    fn level_given_before_30_0(since_3: Word, reviewed_2: Word) -> Word {
        sure(Op::Less, &[since_3, reviewed_2])
    }

    // approved_and_eligible
    fn escalate_33_0(to_2: Word, p1: Word) -> Word {
        sure(Op::LessEqual, &[to_2, p1])
    }

    fn escalate_33_1(to_2: Word, from_1: Word) -> Word {
        sure(Op::Greater, &[to_2, from_1])
    }

    // approved_level_not_above
    fn review_rejected_35_0(level_1: Word, from_3: Word) -> Word {
        sure(Op::LessEqual, &[level_1, from_3])
    }

    // approved_level_too_high
    fn review_rejected_36_0(level_1: Word, p1: Word) -> Word {
        sure(Op::Greater, &[level_1, p1])
    }

    fn review_rejected_36_1(level_1: Word, from_2: Word) -> Word {
        sure(Op::Greater, &[level_1, from_2])
    }

    // approved_too_early
    fn review_rejected_37_0(level_1: Word, p1: Word) -> Word {
        sure(Op::LessEqual, &[level_1, p1])
    }

    fn review_rejected_37_1(level_1: Word, from_3: Word) -> Word {
        sure(Op::Greater, &[level_1, from_3])
    }

    /// The rule `level_given#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "level_given#1",
        head: 19,
        variables: &[("Level", Type::Int), ("Since", Type::Time)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[],
            by: &[(|m| Ok(m.var(1)), Type::Time, true), (|m| Ok(m.var(0)), Type::Int, false)],
            rank: None,
            types: &[Type::Int],
        }),
        places: &[],
    };

    /// The rule `earliest_escalation_review`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "earliest_escalation_review",
        head: 21,
        variables: &[("Request", Type::String), ("Approved", Type::Bool), ("By", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(9, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Any, Arg::Var(3)]),
            Step::Atom(1, &[Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(3)), Type::Time, false), (|m| Ok(m.var(1)), Type::Bool, false), (|m| Ok(m.var(2)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::Bool, Type::String, Type::Time],
        }),
        places: &[],
    };

    /// The rule `view_metrics#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_9: Rule = Rule {
        number: 9,
        id: "view_metrics#1",
        head: 25,
        variables: &[("View", Type::Name), ("Request", Type::String), ("Ok", Type::Bool), ("Confidence", Type::Float)],
        body: &[
            Step::Atom(23, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Var(2), Arg::Var(3), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Count, &[], 0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(view_metrics_9_0(m.var(2))))], 1),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(view_metrics_9_1(m.var(2))))], 2),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(3)))], 3),
        ],
        limit: None,
        places: &[("rules/autonomy/autonomy.dl:161:29", "count()"), ("rules/autonomy/autonomy.dl:161:38", "sum(if(Ok, 1, 0))"), ("rules/autonomy/autonomy.dl:161:57", "mean(if(Ok, 0.0, 1.0))"), ("rules/autonomy/autonomy.dl:161:81", "mean(Confidence)")],
    };

    /// The rule `unsafe_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_12: Rule = Rule {
        number: 12,
        id: "unsafe_count#1",
        head: 27,
        variables: &[("View", Type::Name), ("Request", Type::String)],
        body: &[
            Step::Atom(26, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/autonomy/autonomy.dl:176:29", "count()")],
    };

    /// The rule `next_level_reached`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_29: Rule = Rule {
        number: 29,
        id: "next_level_reached",
        head: 35,
        variables: &[("Level", Type::Int), ("Current", Type::Int)],
        body: &[
            Step::Atom(20, &[Arg::Var(1)]),
            Step::Atom(33, &[Arg::Var(0)]),
            Step::Test(&[0, 1], |m| offer_escalation_29_0(m.var(0), m.var(1))),
            Step::Not(34, &[Arg::Any, Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: None,
        places: &[("rules/autonomy/autonomy.dl:307:13", "Current + 1")],
    };

    /// The rule `level_given_before#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_30: Rule = Rule {
        number: 30,
        id: "level_given_before#1",
        head: 36,
        variables: &[("Request", Type::String), ("Level", Type::Int), ("Reviewed", Type::Time), ("Since", Type::Time)],
        body: &[
            Step::Atom(21, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(2)]),
            Step::Atom(4, &[Arg::Var(1), Arg::Var(3)]),
            Step::Test(&[2, 3], |m| Ok(level_given_before_30_0(m.var(3), m.var(2)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(3)), Type::Time, true), (|m| Ok(m.var(1)), Type::Int, false)],
            rank: None,
            types: &[Type::String, Type::Int],
        }),
        places: &[],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R1Reviewer,
            Row2 as R18SafeTool,
            Row2 as M1,
            Row5 as M4,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R18SafeTool(Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word);
            @output
            #[cfg(any())]
            struct M4(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Reviewer(Word);

            R1Reviewer(c0) <-
                Source(input),
                for [c0] in input.rows(1);

            // safe_tool#1
            R18SafeTool(level_0, tool_1) <-
                Source(input),
                for row_1 in input.rows(11),
                let [level_0, _] = row_1,
                for row_3 in input.rows(17),
                let [tool_1] = row_3,
                (go());

            // level_given#1
            M1(level_0, since_1) <-
                Source(input),
                for row_1 in input.rows(4),
                let [level_0, since_1] = row_1,
                (go());

            // earliest_escalation_review
            M4(request_0, approved_1, by_2, at_3, open_1) <-
                Source(input),
                for row_1 in input.rows(9),
                let [request_0, approved_1, by_2, open_1, at_3] = row_1,
                R1Reviewer(by_2),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r18_safe_tool, m1, m4, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(18, &r18_safe_tool);
            tables.set(43, &m1);
            tables.set(44, &m4);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R4AutonomyLevel,
            Row2 as R7Demonstrated,
            Row2 as R18SafeTool,
            Row4 as R21EscalationReviewed,
            Row1 as R20CurrentLevel,
            Row2 as R22JudgingView,
            Row6 as R23SessionInView,
            Row2 as R24SessionAfterReview,
            Row4 as R26UnsafeInView,
            Row3 as R28ShownInView,
            Row2 as R34PendingReview,
            Row2 as R39DenyEscalation,
            Row1 as R41ToolAllowed,
            Row2 as R42ToolBlocked,
            Row6 as M9,
            Row4 as M12,
            Row6 as M30,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R20CurrentLevel(Word);
            @output
            #[cfg(any())]
            struct R22JudgingView(Word, Word);
            @output
            #[cfg(any())]
            struct R23SessionInView(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R24SessionAfterReview(Word, Word);
            @output
            #[cfg(any())]
            struct R26UnsafeInView(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R28ShownInView(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R34PendingReview(Word, Word);
            @output
            #[cfg(any())]
            struct R39DenyEscalation(Word, Word);
            @output
            #[cfg(any())]
            struct R41ToolAllowed(Word);
            @output
            #[cfg(any())]
            struct R42ToolBlocked(Word, Word);
            @output
            #[cfg(any())]
            struct M9(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M12(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M30(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4AutonomyLevel(Word, Word);
            @output
            #[cfg(any())]
            struct R7Demonstrated(Word, Word);
            @output
            #[cfg(any())]
            struct R18SafeTool(Word, Word);
            @output
            #[cfg(any())]
            struct R21EscalationReviewed(Word, Word, Word, Word);

            R4AutonomyLevel(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(4);

            R7Demonstrated(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(7);

            R18SafeTool(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(18);

            R21EscalationReviewed(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(21);

            R22JudgingView(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(22);

            // level_as_given
            R20CurrentLevel(level_0) <-
                Source(input),
                for row_1 in input.rows(19),
                let [level_0] = row_1,
                (go());

            // level_never_given
            R20CurrentLevel(p0) <-
                Source(input),
                let p0 = input.param(0),
                !R4AutonomyLevel(_, _),
                (go());

            // judging_view#2
            R22JudgingView(TEXTS.word(0), request_0) <-
                R21EscalationReviewed(request_0, _, _, _),
                (go());

            // session_in_view#1
            R23SessionInView(TEXTS.word(1), TEXTS.word(2), session_0, ok_1, confidence_2, at_3) <-
                Source(input),
                for row_1 in input.rows(5),
                let [session_0, ok_1, confidence_2, at_3] = row_1,
                (go());

            // session_in_view#2
            R23SessionInView(TEXTS.word(0), request_0, session_1, ok_2, confidence_3, at_4) <-
                Source(input),
                R21EscalationReviewed(request_0, _, _, reviewed_5),
                for row_2 in input.rows(5),
                let [session_1, ok_2, confidence_3, at_4] = row_2,
                (session_in_view_7_0(at_4, reviewed_5).as_bool()),
                (go());

            // session_after_review#1
            R24SessionAfterReview(request_0, session_1) <-
                Source(input),
                R21EscalationReviewed(request_0, _, _, reviewed_2),
                for row_2 in input.rows(5),
                let [session_1, _, _, at_3] = row_2,
                (session_after_review_8_0(at_3, reviewed_2).as_bool()),
                (go());

            // view_metrics#1
            M9(view_0, request_1, ok_2, confidence_3, open_1, open_2) <-
                R23SessionInView(view_0, request_1, open_1, ok_2, confidence_3, open_2),
                (go());

            // unsafe_in_view#1
            R26UnsafeInView(TEXTS.word(1), TEXTS.word(2), session_0, tool_1) <-
                Source(input),
                for row_1 in input.rows(6),
                let [session_0, tool_1] = row_1,
                (go());

            // unsafe_in_view#2
            R26UnsafeInView(TEXTS.word(0), request_0, session_1, tool_2) <-
                Source(input),
                R22JudgingView(TEXTS.word(0), request_0),
                for row_2 in input.rows(6),
                let [session_1, tool_2] = row_2,
                !R24SessionAfterReview(request_0, session_1),
                (go());

            // unsafe_count#1
            M12(view_0, request_1, open_1, open_2) <-
                R26UnsafeInView(view_0, request_1, open_1, open_2),
                (go());

            // shown_in_view#1
            R28ShownInView(TEXTS.word(1), TEXTS.word(2), what_0) <-
                R7Demonstrated(_, what_0),
                (go());

            // shown_in_view#2
            R28ShownInView(TEXTS.word(0), request_0, what_1) <-
                R23SessionInView(TEXTS.word(0), request_0, session_2, _, _, _),
                R7Demonstrated(session_2, what_1),
                (go());

            // request_unanswered
            R34PendingReview(request_0, level_1) <-
                Source(input),
                for row_1 in input.rows(8),
                let [request_0, level_1, _, _] = row_1,
                !R21EscalationReviewed(request_0, _, _, _),
                R20CurrentLevel(current_2),
                (pending_review_28_0(level_1, current_2).as_bool()),
                (go());

            // level_given_before#1
            M30(request_0, level_1, reviewed_2, since_3, open_1, open_2) <-
                R21EscalationReviewed(request_0, open_1, open_2, reviewed_2),
                R4AutonomyLevel(level_1, since_3),
                (level_given_before_30_0(since_3, reviewed_2).as_bool()),
                (go());

            // refused_by_reviewer
            R39DenyEscalation(request_0, by_1) <-
                Source(input),
                for row_1 in input.rows(8),
                let [request_0, _, _, _] = row_1,
                R21EscalationReviewed(request_0, Word::from_bool(false), by_1, _),
                (go());

            // safe_at_this_level
            R41ToolAllowed(tool_0) <-
                Source(input),
                for row_1 in input.rows(10),
                let [_, tool_0] = row_1,
                R18SafeTool(level_1, tool_0),
                R20CurrentLevel(level_1),
                (go());

            // not_safe_at_this_level
            R42ToolBlocked(tool_0, TEXTS.word(3)) <-
                Source(input),
                for row_1 in input.rows(10),
                let [_, tool_0] = row_1,
                R20CurrentLevel(level_1),
                !R18SafeTool(level_1, tool_0),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r20_current_level, r22_judging_view, r23_session_in_view, r24_session_after_review, r26_unsafe_in_view, r28_shown_in_view, r34_pending_review, r39_deny_escalation, r41_tool_allowed, r42_tool_blocked, m9, m12, m30, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(20, &r20_current_level);
            tables.set(22, &r22_judging_view);
            tables.set(23, &r23_session_in_view);
            tables.set(24, &r24_session_after_review);
            tables.set(26, &r26_unsafe_in_view);
            tables.set(28, &r28_shown_in_view);
            tables.set(34, &r34_pending_review);
            tables.set(39, &r39_deny_escalation);
            tables.set(41, &r41_tool_allowed);
            tables.set(42, &r42_tool_blocked);
            tables.set(45, &m9);
            tables.set(46, &m12);
            tables.set(47, &m30);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R1Reviewer,
            Row5 as R9EscalationReview,
            Row4 as R21EscalationReviewed,
            Row6 as R25ViewMetrics,
            Row4 as R26UnsafeInView,
            Row3 as R28ShownInView,
            Row2 as R34PendingReview,
            Row2 as R36LevelGivenBefore,
            Row3 as R27UnsafeCount,
            Row5 as R29SessionMetrics,
            Row6 as R30UnmetInView,
            Row4 as R31Unmet,
            Row3 as R32LevelBarred,
            Row1 as R33Eligible,
            Row1 as R35OfferEscalation,
            Row2 as R37LevelAtReview,
            Row3 as R38Escalate,
            Row2 as R40ReviewRejected,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R27UnsafeCount(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R29SessionMetrics(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R30UnmetInView(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R31Unmet(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R32LevelBarred(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R33Eligible(Word);
            @output
            #[cfg(any())]
            struct R35OfferEscalation(Word);
            @output
            #[cfg(any())]
            struct R37LevelAtReview(Word, Word);
            @output
            #[cfg(any())]
            struct R38Escalate(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R40ReviewRejected(Word, Word);
            @output
            #[cfg(any())]
            struct R1Reviewer(Word);
            @output
            #[cfg(any())]
            struct R9EscalationReview(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R21EscalationReviewed(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R25ViewMetrics(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R26UnsafeInView(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R28ShownInView(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R34PendingReview(Word, Word);
            @output
            #[cfg(any())]
            struct R36LevelGivenBefore(Word, Word);

            R1Reviewer(c0) <-
                Source(input),
                for [c0] in input.rows(1);

            R9EscalationReview(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(9);

            R21EscalationReviewed(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(21);

            R25ViewMetrics(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(25);

            R26UnsafeInView(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(26);

            R28ShownInView(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(28);

            R34PendingReview(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(34);

            R36LevelGivenBefore(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(36);

            R27UnsafeCount(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(27);

            // unsafe_count#2
            R27UnsafeCount(view_0, request_1, int(0)) <-
                Source(input),
                for row_1 in input.rows(22),
                let [view_0, request_1] = row_1,
                !R26UnsafeInView(view_0, request_1, _, _),
                (go());

            // figures_of_all_sessions
            R29SessionMetrics(total_0, successful_1, error_rate_2, confidence_3, unsafe_4) <-
                R25ViewMetrics(TEXTS.word(1), TEXTS.word(2), total_0, successful_1, error_rate_2, confidence_3),
                R27UnsafeCount(TEXTS.word(1), TEXTS.word(2), unsafe_4),
                (go());

            // too_few_successes
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(4), head_4, head_5) <-
                Source(input),
                R25ViewMetrics(view_0, request_1, _, have_3, _, _),
                for row_2 in input.rows(12),
                let [level_2, need_4] = row_2,
                (unmet_in_view_17_0(have_3, need_4).as_bool()),
                let head_4 = unmet_in_view_17_1(have_3),
                let head_5 = unmet_in_view_17_2(need_4),
                (go());

            // no_successes
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(4), TEXTS.word(5), head_5) <-
                Source(input),
                for row_1 in input.rows(22),
                let [view_0, request_1] = row_1,
                !R25ViewMetrics(view_0, request_1, _, _, _, _),
                for row_4 in input.rows(12),
                let [level_2, need_3] = row_4,
                let head_5 = unmet_in_view_18_0(need_3),
                (go());

            // too_many_errors
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(6), head_4, head_5) <-
                Source(input),
                R25ViewMetrics(view_0, request_1, _, _, have_3, _),
                for row_2 in input.rows(13),
                let [level_2, need_4] = row_2,
                (unmet_in_view_19_0(have_3, need_4).as_bool()),
                let head_4 = unmet_in_view_19_1(have_3),
                let head_5 = unmet_in_view_19_2(need_4),
                (go());

            // no_error_rate
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(6), TEXTS.word(7), head_5) <-
                Source(input),
                for row_1 in input.rows(22),
                let [view_0, request_1] = row_1,
                !R25ViewMetrics(view_0, request_1, _, _, _, _),
                for row_4 in input.rows(13),
                let [level_2, need_3] = row_4,
                let head_5 = unmet_in_view_20_0(need_3),
                (go());

            // too_little_confidence
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(8), head_4, head_5) <-
                Source(input),
                R25ViewMetrics(view_0, request_1, _, _, _, have_3),
                for row_2 in input.rows(14),
                let [level_2, need_4] = row_2,
                (unmet_in_view_21_0(have_3, need_4).as_bool()),
                let head_4 = unmet_in_view_21_1(have_3),
                let head_5 = unmet_in_view_21_2(need_4),
                (go());

            // no_confidence
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(8), TEXTS.word(7), head_5) <-
                Source(input),
                for row_1 in input.rows(22),
                let [view_0, request_1] = row_1,
                !R25ViewMetrics(view_0, request_1, _, _, _, _),
                for row_4 in input.rows(14),
                let [level_2, need_3] = row_4,
                let head_5 = unmet_in_view_22_0(need_3),
                (go());

            // too_many_unsafe_requests
            R30UnmetInView(view_0, request_1, level_2, TEXTS.word(9), head_4, head_5) <-
                Source(input),
                R27UnsafeCount(view_0, request_1, have_3),
                for row_2 in input.rows(15),
                let [level_2, need_4] = row_2,
                (unmet_in_view_23_0(have_3, need_4).as_bool()),
                let head_4 = unmet_in_view_23_1(have_3),
                let head_5 = unmet_in_view_23_2(need_4),
                (go());

            // not_demonstrated
            R30UnmetInView(view_0, request_1, level_2, what_3, TEXTS.word(10), TEXTS.word(11)) <-
                Source(input),
                for row_1 in input.rows(22),
                let [view_0, request_1] = row_1,
                for row_3 in input.rows(16),
                let [level_2, what_3] = row_3,
                !R28ShownInView(view_0, request_1, what_3),
                (go());

            // requirement_not_met
            R31Unmet(level_0, requirement_1, have_2, need_3) <-
                R30UnmetInView(TEXTS.word(1), TEXTS.word(2), level_0, requirement_1, have_2, need_3),
                (go());

            // barred_by_a_requirement
            R32LevelBarred(view_0, request_1, level_2) <-
                Source(input),
                for row_1 in input.rows(12),
                let [level_2, _] = row_1,
                R30UnmetInView(view_0, request_1, lower_3, _, _, _),
                (level_barred_26_0(lower_3, level_2).as_bool()),
                (go());

            // level_reached
            R33Eligible(level_0) <-
                Source(input),
                for row_1 in input.rows(12),
                let [level_0, _] = row_1,
                !R32LevelBarred(TEXTS.word(1), TEXTS.word(2), level_0),
                for row_4 in input.rows(20),
                let [current_1] = row_4,
                (eligible_27_0(level_0, current_1).as_bool()),
                (go());

            // next_level_reached
            R35OfferEscalation(level_0) <-
                Source(input),
                for row_1 in input.rows(20),
                let [current_1] = row_1,
                R33Eligible(level_0),
                !R34PendingReview(_, level_0),
                let Some(true) = held(29, offer_escalation_29_0(level_0, current_1)),
                (go());

            // level_at_review#1
            R37LevelAtReview(request_0, level_1) <-
                R36LevelGivenBefore(request_0, level_1),
                (go());

            // level_at_review#2
            R37LevelAtReview(request_0, p0) <-
                Source(input),
                let p0 = input.param(0),
                R21EscalationReviewed(request_0, _, _, _),
                !R36LevelGivenBefore(request_0, _),
                (go());

            // approved_and_eligible
            R38Escalate(request_0, from_1, to_2) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [request_0, to_2, _, _] = row_2,
                (escalate_33_0(to_2, p1).as_bool()),
                !R32LevelBarred(TEXTS.word(0), request_0, to_2),
                R21EscalationReviewed(request_0, Word::from_bool(true), by_3, at_4),
                R9EscalationReview(request_0, Word::from_bool(true), by_3, _, at_4),
                R37LevelAtReview(request_0, from_1),
                (escalate_33_1(to_2, from_1).as_bool()),
                (go());

            // approved_level_not_above
            R40ReviewRejected(request_0, TEXTS.word(12)) <-
                Source(input),
                for row_1 in input.rows(8),
                let [request_0, level_1, _, _] = row_1,
                R21EscalationReviewed(request_0, Word::from_bool(true), _, _),
                R37LevelAtReview(request_0, from_3),
                (review_rejected_35_0(level_1, from_3).as_bool()),
                (go());

            // approved_level_too_high
            R40ReviewRejected(request_0, TEXTS.word(13)) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [request_0, level_1, _, _] = row_2,
                (review_rejected_36_0(level_1, p1).as_bool()),
                R21EscalationReviewed(request_0, Word::from_bool(true), _, _),
                R37LevelAtReview(request_0, from_2),
                (review_rejected_36_1(level_1, from_2).as_bool()),
                (go());

            // approved_too_early
            R40ReviewRejected(request_0, TEXTS.word(14)) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [request_0, level_1, _, _] = row_2,
                (review_rejected_37_0(level_1, p1).as_bool()),
                R32LevelBarred(TEXTS.word(0), request_0, level_1),
                R21EscalationReviewed(request_0, Word::from_bool(true), _, _),
                R37LevelAtReview(request_0, from_3),
                (review_rejected_37_1(level_1, from_3).as_bool()),
                (go());

            // approved_by_a_stranger
            R40ReviewRejected(request_0, TEXTS.word(15)) <-
                Source(input),
                for row_1 in input.rows(8),
                let [request_0, _, _, _] = row_1,
                R9EscalationReview(request_0, Word::from_bool(true), by_1, _, _),
                !R1Reviewer(by_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r27_unsafe_count, r29_session_metrics, r30_unmet_in_view, r31_unmet, r32_level_barred, r33_eligible, r35_offer_escalation, r37_level_at_review, r38_escalate, r40_review_rejected, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(27, &r27_unsafe_count);
            tables.set(29, &r29_session_metrics);
            tables.set(30, &r30_unmet_in_view);
            tables.set(31, &r31_unmet);
            tables.set(32, &r32_level_barred);
            tables.set(33, &r33_eligible);
            tables.set(35, &r35_offer_escalation);
            tables.set(37, &r37_level_at_review);
            tables.set(38, &r38_escalate);
            tables.set(40, &r40_review_rejected);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 2] = [
        concat!(
            "input reviewer(by: string).\n",
            "input review_reason(\n    kind: /escalation | /override | /proposal,\n    id: string,\n    reason: string,\n    by: string,\n    at: time\n)\n    from reviewer as by.\n",
            "input review_edit(\n    kind: /escalation | /override | /proposal,\n    id: string,\n    part: name,\n    text: string,\n    by: string,\n    at: time\n)\n    from reviewer as by.\n",
        ),
        concat!(
            "input autonomy_level(level: int, since: time) from reviewer, rules.\n",
            "input session(session: string, ok: bool, confidence: float, at: time).\n",
            "input unsafe_request(session: string, tool: string).\n",
            "input demonstrated(session: string, what: /goal_chaining | /cross_goal).\n",
            "input escalation_request(request: string, level: int, reason: string, at: time).\n",
            "input escalation_review(request: string, approved: bool, by: string, comment: string, at: time)\n    from reviewer as by, at at.\n",
            "input tool_call(call: string, tool: string).\n",
            "param first_level: int = 1 from reviewer, rules.\n",
            "param highest_level: int = 5 from reviewer, rules.\n",
            "relation level_name(level: int, name: string).\n",
            "level_name(1, \"suggest_only\").\n",
            "level_name(2, \"draft_and_queue\").\n",
            "level_name(3, \"execute_safe_tools\").\n",
            "level_name(4, \"schedule_tasks\").\n",
            "level_name(5, \"cross_goal_optimization\").\n",
            "relation sessions_needed(level: int, sessions: int).\n",
            "sessions_needed(2, 10).\n",
            "sessions_needed(3, 50).\n",
            "sessions_needed(4, 100).\n",
            "sessions_needed(5, 200).\n",
            "relation error_rate_allowed(level: int, rate: float).\n",
            "error_rate_allowed(2, 0.1).\n",
            "error_rate_allowed(3, 0.05).\n",
            "error_rate_allowed(4, 0.05).\n",
            "error_rate_allowed(5, 0.03).\n",
            "relation confidence_needed(level: int, confidence: float).\n",
            "confidence_needed(2, 0.7).\n",
            "confidence_needed(3, 0.75).\n",
            "relation unsafe_allowed(level: int, requests: int).\n",
            "unsafe_allowed(3, 0).\n",
            "relation demonstration_needed(level: int, what: name).\n",
            "demonstration_needed(4, /goal_chaining).\n",
            "demonstration_needed(5, /cross_goal).\n",
            "relation read_only_tool(tool: string).\n",
            "read_only_tool(\"web_search\").\n",
            "read_only_tool(\"calculate\").\n",
            "read_only_tool(\"read_file\").\n",
            "read_only_tool(\"list_directory\").\n",
            "read_only_tool(\"get_time\").\n",
            "read_only_tool(\"repo_index\").\n",
            "read_only_tool(\"file_summary\").\n",
            "read_only_tool(\"dependency_map\").\n",
            "read_only_tool(\"reflect\").\n",
            "relation safe_tool(level: int, tool: string).\n",
            "safe_tool(Level, Tool) :- level_name(Level, _), read_only_tool(Tool).\n",
            "relation level_given(level: int).\n",
            "level_given(Level) :- autonomy_level(Level, Since) limit 1 by Since desc, Level.\n",
            "relation current_level(level: int).\n",
            "@id(level_as_given)\n@because(\"level {Level} was given last\")\ncurrent_level(Level) :- level_given(Level).\n",
            "@id(level_never_given)\n@because(\"no level was ever given, so it is {first_level}\")\ncurrent_level(first_level) :- !autonomy_level(_, _).\n",
            "relation escalation_reviewed(request: string, approved: bool, by: string, at: time).\n",
            "@id(earliest_escalation_review)\n@because(\"{By} was the first reviewer to answer request {Request}, at {At}\")\nescalation_reviewed(Request, Approved, By, At) :-\n    escalation_review(Request, Approved, By, _, At),\n    reviewer(By)\n    limit 1 per Request by At, Approved, By.\n",
            "relation judging_view(view: /now | /review, request: string).\n",
            "judging_view(/now, \"\").\n",
            "judging_view(/review, Request) :- escalation_reviewed(Request, _, _, _).\n",
            "relation session_in_view(\n    view: /now | /review,\n    request: string,\n    session: string,\n    ok: bool,\n    confidence: float,\n    at: time\n).\n",
            "session_in_view(/now, \"\", Session, Ok, Confidence, At) :- session(Session, Ok, Confidence, At).\n",
            "session_in_view(/review, Request, Session, Ok, Confidence, At) :-\n    escalation_reviewed(Request, _, _, Reviewed),\n    session(Session, Ok, Confidence, At),\n    At <= Reviewed.\n",
            "relation session_after_review(request: string, session: string).\n",
            "session_after_review(Request, Session) :-\n    escalation_reviewed(Request, _, _, Reviewed),\n    session(session: Session, at: At),\n    At > Reviewed.\n",
            "relation view_metrics(\n    view: /now | /review,\n    request: string,\n    total: int,\n    successful: int,\n    error_rate: float,\n    confidence: float\n).\n",
            "view_metrics(View, Request, count(), sum(if(Ok, 1, 0)), mean(if(Ok, 0.0, 1.0)), mean(Confidence)) :-\n    session_in_view(View, Request, _, Ok, Confidence, _).\n",
            "relation unsafe_in_view(view: /now | /review, request: string, session: string, tool: string).\n",
            "unsafe_in_view(/now, \"\", Session, Tool) :- unsafe_request(Session, Tool).\n",
            "unsafe_in_view(/review, Request, Session, Tool) :-\n    judging_view(/review, Request),\n    unsafe_request(Session, Tool),\n    !session_after_review(Request, Session).\n",
            "relation unsafe_count(view: /now | /review, request: string, requests: int).\n",
            "unsafe_count(View, Request, count()) :- unsafe_in_view(View, Request, _, _).\n",
            "unsafe_count(View, Request, 0) :- judging_view(View, Request), !unsafe_in_view(View, Request, _, _).\n",
            "relation shown_in_view(view: /now | /review, request: string, what: name).\n",
            "shown_in_view(/now, \"\", What) :- demonstrated(_, What).\n",
            "shown_in_view(/review, Request, What) :-\n    session_in_view(/review, Request, Session, _, _, _),\n    demonstrated(Session, What).\n",
            "relation session_metrics(\n    total: int,\n    successful: int,\n    error_rate: float,\n    confidence: float,\n    unsafe: int\n).\n",
            "@id(figures_of_all_sessions)\n@because(\"of {Total} sessions {Successful} succeeded; mean confidence {Confidence}\")\nsession_metrics(Total, Successful, ErrorRate, Confidence, Unsafe) :-\n    view_metrics(/now, \"\", Total, Successful, ErrorRate, Confidence),\n    unsafe_count(/now, \"\", Unsafe).\n",
            "relation unmet_in_view(\n    view: /now | /review,\n    request: string,\n    level: int,\n    requirement: name,\n    have: string,\n    need: string\n).\n",
            "@id(too_few_successes)\nunmet_in_view(View, Request, Level, /successful_sessions, string(Have), string(Need)) :-\n    view_metrics(View, Request, _, Have, _, _),\n    sessions_needed(Level, Need),\n    Have < Need.\n",
            "@id(no_successes)\nunmet_in_view(View, Request, Level, /successful_sessions, \"0\", string(Need)) :-\n    judging_view(View, Request),\n    !view_metrics(View, Request, _, _, _, _),\n    sessions_needed(Level, Need).\n",
            "@id(too_many_errors)\nunmet_in_view(View, Request, Level, /error_rate, string(Have), string(Need)) :-\n    view_metrics(View, Request, _, _, Have, _),\n    error_rate_allowed(Level, Need),\n    Have > Need.\n",
            "@id(no_error_rate)\nunmet_in_view(View, Request, Level, /error_rate, \"none\", string(Need)) :-\n    judging_view(View, Request),\n    !view_metrics(View, Request, _, _, _, _),\n    error_rate_allowed(Level, Need).\n",
            "@id(too_little_confidence)\nunmet_in_view(View, Request, Level, /confidence, string(Have), string(Need)) :-\n    view_metrics(View, Request, _, _, _, Have),\n    confidence_needed(Level, Need),\n    Have < Need.\n",
            "@id(no_confidence)\nunmet_in_view(View, Request, Level, /confidence, \"none\", string(Need)) :-\n    judging_view(View, Request),\n    !view_metrics(View, Request, _, _, _, _),\n    confidence_needed(Level, Need).\n",
            "@id(too_many_unsafe_requests)\nunmet_in_view(View, Request, Level, /unsafe_requests, string(Have), string(Need)) :-\n    unsafe_count(View, Request, Have),\n    unsafe_allowed(Level, Need),\n    Have > Need.\n",
            "@id(not_demonstrated)\nunmet_in_view(View, Request, Level, What, \"no\", \"yes\") :-\n    judging_view(View, Request),\n    demonstration_needed(Level, What),\n    !shown_in_view(View, Request, What).\n",
            "relation unmet(level: int, requirement: name, have: string, need: string).\n",
            "@id(requirement_not_met)\n@because(\"level {Level} needs {Requirement} {Need}, and there is {Have}\")\nunmet(Level, Requirement, Have, Need) :- unmet_in_view(/now, \"\", Level, Requirement, Have, Need).\n",
            "relation level_barred(view: /now | /review, request: string, level: int).\n",
            "@id(barred_by_a_requirement)\n@because(\"level {Level} can't be reached: {Requirement} of level {Lower} is {Have} and must be {Need}\")\nlevel_barred(View, Request, Level) :-\n    sessions_needed(Level, _),\n    unmet_in_view(View, Request, Lower, Requirement, Have, Need),\n    Lower <= Level.\n",
            "relation eligible(level: int).\n",
            "@id(level_reached)\n@because(\"nothing that level {Level} or a lower one asks for is missing\")\neligible(Level) :-\n    sessions_needed(Level, _),\n    current_level(Current),\n    Level > Current,\n    !level_barred(/now, \"\", Level).\n",
            "relation pending_review(request: string, level: int).\n",
            "@id(request_unanswered)\n@because(\"no reviewer has answered request {Request} for level {Level}\")\npending_review(Request, Level) :-\n    escalation_request(request: Request, level: Level),\n    !escalation_reviewed(Request, _, _, _),\n    current_level(Current),\n    Level > Current.\n",
            "decision offer_escalation(level: int).\n",
            "@id(next_level_reached)\n@because(\"the agent is at level {Current} and meets all that level {Level} asks for\")\noffer_escalation(Level) :-\n    current_level(Current),\n    eligible(Level),\n    Level = Current + 1,\n    !pending_review(_, Level).\n",
            "relation level_given_before(request: string, level: int).\n",
            "level_given_before(Request, Level) :-\n    escalation_reviewed(Request, _, _, Reviewed),\n    autonomy_level(Level, Since),\n    Since < Reviewed\n    limit 1 per Request by Since desc, Level.\n",
            "relation level_at_review(request: string, level: int).\n",
            "level_at_review(Request, Level) :- level_given_before(Request, Level).\n",
            "level_at_review(Request, first_level) :-\n    escalation_reviewed(Request, _, _, _),\n    !level_given_before(Request, _).\n",
            "decision escalate(request: string, from: int, to: int)\n    requires escalation_review(request: request, approved: true).\n",
            "@id(approved_and_eligible)\n@because(\"{By} approved request {Request}, and the agent met all that level {To} asks for\")\nescalate(Request, From, To) :-\n    escalation_request(request: Request, level: To),\n    escalation_reviewed(Request, true, By, At),\n    escalation_review(request: Request, approved: true, by: By, at: At),\n    level_at_review(Request, From),\n    To > From,\n    To <= highest_level,\n    !level_barred(/review, Request, To).\n",
            "decision deny_escalation(request: string, by: string).\n",
            "@id(refused_by_reviewer)\n@because(\"{By} refused request {Request} for level {Level}\")\ndeny_escalation(Request, By) :-\n    escalation_request(request: Request, level: Level),\n    escalation_reviewed(Request, false, By, _).\n",
            "decision review_rejected(request: string, reason: name).\n",
            "@id(approved_level_not_above)\n@because(\"request {Request} asks for level {Level}, and {From} counted when {By} approved it\")\nreview_rejected(Request, /not_above_current) :-\n    escalation_request(request: Request, level: Level),\n    escalation_reviewed(Request, true, By, _),\n    level_at_review(Request, From),\n    Level <= From.\n",
            "@id(approved_level_too_high)\n@because(\"request {Request} asks for level {Level}, above the highest, {highest_level}\")\nreview_rejected(Request, /above_maximum) :-\n    escalation_request(request: Request, level: Level),\n    escalation_reviewed(Request, true, _, _),\n    level_at_review(Request, From),\n    Level > From,\n    Level > highest_level.\n",
            "@id(approved_too_early)\n@because(\"the agent did not meet all that level {Level} asks for when {By} approved {Request}\")\nreview_rejected(Request, /not_eligible) :-\n    escalation_request(request: Request, level: Level),\n    escalation_reviewed(Request, true, By, _),\n    level_at_review(Request, From),\n    Level > From,\n    Level <= highest_level,\n    level_barred(/review, Request, Level).\n",
            "@id(approved_by_a_stranger)\n@because(\"{By} approved request {Request} and is no reviewer\")\nreview_rejected(Request, /not_a_reviewer) :-\n    escalation_request(request: Request),\n    escalation_review(request: Request, approved: true, by: By),\n    !reviewer(By).\n",
            "decision tool_allowed(tool: string).\n",
            "@id(safe_at_this_level)\n@because(\"{Tool} is safe at level {Level}\")\ntool_allowed(Tool) :- tool_call(_, Tool), current_level(Level), safe_tool(Level, Tool).\n",
            "decision tool_blocked(tool: string, reason: name).\n",
            "@id(not_safe_at_this_level)\n@because(\"{Tool} is none of the tools that are safe at level {Level}\")\ntool_blocked(Tool, /not_safe_at_level) :-\n    tool_call(_, Tool),\n    current_level(Level),\n    !safe_tool(Level, Tool).\n",
        ),
    ];
}
