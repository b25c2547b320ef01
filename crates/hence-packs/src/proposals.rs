//! `proposals`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: nothing learned takes effect without a yes.

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

/// Something learned that would take effect: its type, how sure it is from 0 to 1, and when it was made.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Proposal {
    /// `proposal`
    pub proposal: String,
    /// `type`
    pub r#type: Name,
    /// `confidence`
    pub confidence: f64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Proposal {
    const TABLE: usize = 4;
    const RELATION: &'static str = "proposal";

    fn write(&self, row: &mut Row) {
        row.put("proposal", &self.proposal);
        row.put("type", &self.r#type);
        row.put("confidence", &self.confidence);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            proposal: columns.take(),
            r#type: columns.take(),
            confidence: columns.take(),
            at: columns.take(),
        }
    }
}

/// What somebody says of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalReview {
    /// `proposal`
    pub proposal: String,
    /// `approved`
    pub approved: bool,
    /// `by`
    pub by: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for ProposalReview {
    const TABLE: usize = 5;
    const RELATION: &'static str = "proposal_review";

    fn write(&self, row: &mut Row) {
        row.put("proposal", &self.proposal);
        row.put("approved", &self.approved);
        row.put("by", &self.by);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { proposal: columns.take(), approved: columns.take(), by: columns.take(), at: columns.take() }
    }
}

/// A part of what a proposal would do, such as the tool, the code or the message, and its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalContent {
    /// `proposal`
    pub proposal: String,
    /// `part`
    pub part: Name,
    /// `text`
    pub text: String,
}

impl Record for ProposalContent {
    const TABLE: usize = 6;
    const RELATION: &'static str = "proposal_content";

    fn write(&self, row: &mut Row) {
        row.put("proposal", &self.proposal);
        row.put("part", &self.part);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { proposal: columns.take(), part: columns.take(), text: columns.take() }
    }
}

/// Let an approved proposal take effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApplyProposal {
    /// `proposal`
    pub proposal: String,
    /// `effect`
    pub effect: Name,
}

impl Record for ApplyProposal {
    const TABLE: usize = 10;
    const RELATION: &'static str = "apply_proposal";

    fn write(&self, row: &mut Row) {
        row.put("proposal", &self.proposal);
        row.put("effect", &self.effect);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { proposal: columns.take(), effect: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// A proposal waits so long for a review.
    pub proposal_life: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            proposal_life: 604800000000,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("proposal_life", &self.proposal_life);
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
    /// Something learned that would take effect: its type, how sure it is from 0 to 1, and when it was made.
    pub proposal: Vec<Proposal>,
    /// What somebody says of a proposal.
    pub proposal_review: Vec<ProposalReview>,
    /// A part of what a proposal would do, such as the tool, the code or the message, and its text.
    pub proposal_content: Vec<ProposalContent>,
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
            apply_proposal: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.reviewer)?;
        fill(tables, &self.review_reason)?;
        fill(tables, &self.review_edit)?;
        fill(tables, &self.proposal)?;
        fill(tables, &self.proposal_review)?;
        fill(tables, &self.proposal_content)?;
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

impl Extend<Proposal> for Facts {
    fn extend<Many: IntoIterator<Item = Proposal>>(&mut self, facts: Many) {
        self.proposal.extend(facts);
    }
}

impl Extend<ProposalReview> for Facts {
    fn extend<Many: IntoIterator<Item = ProposalReview>>(&mut self, facts: Many) {
        self.proposal_review.extend(facts);
    }
}

impl Extend<ProposalContent> for Facts {
    fn extend<Many: IntoIterator<Item = ProposalContent>>(&mut self, facts: Many) {
        self.proposal_content.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Let an approved proposal take effect.
    pub apply_proposal: Vec<ApplyProposal>,
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
        name: "proposals",
        fingerprint: "c3b07135176b27f2a4d1a83be410d1d4",
        relations: &["now", "reviewer", "review_reason", "review_edit", "proposal", "proposal_review", "proposal_content", "proposal_effect", "proposal_reviewed", "proposal_status", "apply_proposal", "proposal_count"],
        params: &["proposal_life"],
        rule_ids: &["earliest_proposal_review", "proposal_approved", "proposal_rejected", "proposal_expired", "proposal_pending", "apply_approved", "proposal_count#1"],
        arities: &[1, 1, 5, 6, 4, 4, 3, 2, 4, 2, 2, 3, 7, 5],
        rules: &[&RULE_0, &RULE_3, &RULE_4, &RULE_6],
        decisions: &["apply_proposal"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 12, &RULE_0, params);
        program_1::run(tables, params);
        aggregate(tables, 13, &RULE_6, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(7, &FACTS_7);
    }

    /// The facts of `proposal_effect`.
    #[rustfmt::skip]
    static FACTS_7: [[Cell; 2]; 8] = [
        [Cell::T("/learned_rule"), Cell::T("/store_rule")],
        [Cell::T("/strong_rule"), Cell::T("/store_strong_rule")],
        [Cell::T("/tool_creation"), Cell::T("/register_tool")],
        [Cell::T("/automation"), Cell::T("/activate_automation")],
        [Cell::T("/mcp_server"), Cell::T("/connect_server")],
        [Cell::T("/guardrail_override"), Cell::T("/republish_event")],
        [Cell::T("/threshold_adjustment"), Cell::T("/update_baseline")],
        [Cell::T("/playbook_suggestion"), Cell::T("/suggest_playbook_edit")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/approved",
        "/rejected",
        "/expired",
        "/pending",
    ]);

    // earliest_proposal_review
    fn proposal_reviewed_0_0(at_3: Word, made_4: Word, p0: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, at_3, made_4)?, p0]))
    }

    // proposal_expired
    fn proposal_status_3_0(now_2: Word, made_1: Word, p0: Word) -> Eval {
        Ok(sure(Op::GreaterEqual, &[two(Op::SubInt, 0, now_2, made_1)?, p0]))
    }

    // proposal_pending
    fn proposal_status_4_0(now_2: Word, made_1: Word, p0: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, now_2, made_1)?, p0]))
    }

    /// The rule `earliest_proposal_review`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "earliest_proposal_review",
        head: 8,
        variables: &[("Proposal", Type::String), ("Approved", Type::Bool), ("By", Type::String), ("At", Type::Time), ("Made", Type::Time)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(4)]),
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3)]),
            Step::Atom(1, &[Arg::Var(2)]),
            Step::Test(&[3, 4], |m| proposal_reviewed_0_0(m.var(3), m.var(4), m.param(0))),
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
        places: &[("rules/proposals/proposals.dl:39:5", "At - Made")],
    };

    /// The rule `proposal_expired`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_3: Rule = Rule {
        number: 3,
        id: "proposal_expired",
        head: 9,
        variables: &[("Proposal", Type::String), ("Made", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Not(8, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| proposal_status_3_0(m.var(2), m.var(1), m.param(0))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(2))),
        ],
        limit: None,
        places: &[("rules/proposals/proposals.dl:59:5", "Now - Made")],
    };

    /// The rule `proposal_pending`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "proposal_pending",
        head: 9,
        variables: &[("Proposal", Type::String), ("Made", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Not(8, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| proposal_status_4_0(m.var(2), m.var(1), m.param(0))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(3))),
        ],
        limit: None,
        places: &[("rules/proposals/proposals.dl:67:5", "Now - Made")],
    };

    /// The rule `proposal_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "proposal_count#1",
        head: 11,
        variables: &[("Type", Type::Name), ("Status", Type::Name), ("Proposal", Type::String)],
        body: &[
            Step::Atom(4, &[Arg::Var(2), Arg::Var(0), Arg::Any, Arg::Any]),
            Step::Atom(9, &[Arg::Var(2), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/proposals/proposals.dl:89:30", "count(Proposal)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R1Reviewer,
            Row4 as R5ProposalReview,
            Row7 as M0,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct M0(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Reviewer(Word);
            @output
            #[cfg(any())]
            struct R5ProposalReview(Word, Word, Word, Word);

            R1Reviewer(c0) <-
                Source(input),
                for [c0] in input.rows(1);

            R5ProposalReview(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(5);

            // earliest_proposal_review
            M0(proposal_0, approved_1, by_2, at_3, made_4, open_1, open_2) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(4),
                let [proposal_0, open_1, open_2, made_4] = row_2,
                R5ProposalReview(proposal_0, approved_1, by_2, at_3),
                let Some(true) = held(0, proposal_reviewed_0_0(at_3, made_4, p0)),
                R1Reviewer(by_2),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (m0, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(12, &m0);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row4 as R4Proposal,
            Row4 as R5ProposalReview,
            Row2 as R7ProposalEffect,
            Row4 as R8ProposalReviewed,
            Row2 as R9ProposalStatus,
            Row2 as R10ApplyProposal,
            Row5 as M6,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R9ProposalStatus(Word, Word);
            @output
            #[cfg(any())]
            struct R10ApplyProposal(Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4Proposal(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5ProposalReview(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7ProposalEffect(Word, Word);
            @output
            #[cfg(any())]
            struct R8ProposalReviewed(Word, Word, Word, Word);

            R4Proposal(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(4);

            R5ProposalReview(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(5);

            R7ProposalEffect(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(7);

            R8ProposalReviewed(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(8);

            // proposal_approved
            R9ProposalStatus(proposal_0, TEXTS.word(0)) <-
                R8ProposalReviewed(proposal_0, Word::from_bool(true), _, _),
                (go());

            // proposal_rejected
            R9ProposalStatus(proposal_0, TEXTS.word(1)) <-
                R8ProposalReviewed(proposal_0, Word::from_bool(false), _, _),
                (go());

            // proposal_expired
            R9ProposalStatus(proposal_0, TEXTS.word(2)) <-
                Source(input),
                let p0 = input.param(0),
                R4Proposal(proposal_0, _, _, made_1),
                !R8ProposalReviewed(proposal_0, _, _, _),
                for row_4 in input.rows(0),
                let [now_2] = row_4,
                let Some(true) = held(3, proposal_status_3_0(now_2, made_1, p0)),
                (go());

            // proposal_pending
            R9ProposalStatus(proposal_0, TEXTS.word(3)) <-
                Source(input),
                let p0 = input.param(0),
                R4Proposal(proposal_0, _, _, made_1),
                !R8ProposalReviewed(proposal_0, _, _, _),
                for row_4 in input.rows(0),
                let [now_2] = row_4,
                let Some(true) = held(4, proposal_status_4_0(now_2, made_1, p0)),
                (go());

            // apply_approved
            R10ApplyProposal(proposal_0, effect_1) <-
                R8ProposalReviewed(proposal_0, Word::from_bool(true), by_2, at_3),
                R5ProposalReview(proposal_0, Word::from_bool(true), by_2, at_3),
                R4Proposal(proposal_0, type_4, _, _),
                R7ProposalEffect(type_4, effect_1),
                (go());

            // proposal_count#1
            M6(type_0, status_1, proposal_2, open_1, open_2) <-
                R4Proposal(proposal_2, type_0, open_1, open_2),
                R9ProposalStatus(proposal_2, status_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r9_proposal_status, r10_apply_proposal, m6, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(9, &r9_proposal_status);
            tables.set(10, &r10_apply_proposal);
            tables.set(13, &m6);
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
            "input proposal(proposal: string, type: name, confidence: float, at: time).\n",
            "input proposal_review(proposal: string, approved: bool, by: string, at: time)\n    from reviewer as by, at at.\n",
            "input proposal_content(proposal: string, part: name, text: string).\n",
            "param proposal_life: duration = 7d.\n",
            "relation proposal_effect(type: name, effect: name).\n",
            "proposal_effect(/learned_rule, /store_rule).\n",
            "proposal_effect(/strong_rule, /store_strong_rule).\n",
            "proposal_effect(/tool_creation, /register_tool).\n",
            "proposal_effect(/automation, /activate_automation).\n",
            "proposal_effect(/mcp_server, /connect_server).\n",
            "proposal_effect(/guardrail_override, /republish_event).\n",
            "proposal_effect(/threshold_adjustment, /update_baseline).\n",
            "proposal_effect(/playbook_suggestion, /suggest_playbook_edit).\n",
            "relation proposal_reviewed(proposal: string, approved: bool, by: string, at: time).\n",
            "@id(earliest_proposal_review)\n@because(\"{By} was the first reviewer to answer proposal {Proposal} in time\")\nproposal_reviewed(Proposal, Approved, By, At) :-\n    proposal(proposal: Proposal, at: Made),\n    proposal_review(Proposal, Approved, By, At),\n    reviewer(By),\n    At - Made < proposal_life\n    limit 1 per Proposal by At, Approved, By.\n",
            "relation proposal_status(proposal: string, status: /pending | /approved | /rejected | /expired).\n",
            "@id(proposal_approved)\n@because(\"{By} approved proposal {Proposal}\")\nproposal_status(Proposal, /approved) :- proposal_reviewed(Proposal, true, By, _).\n",
            "@id(proposal_rejected)\n@because(\"{By} rejected proposal {Proposal}\")\nproposal_status(Proposal, /rejected) :- proposal_reviewed(Proposal, false, By, _).\n",
            "@id(proposal_expired)\n@because(\"nobody answered proposal {Proposal} within {proposal_life}\")\nproposal_status(Proposal, /expired) :-\n    proposal(proposal: Proposal, at: Made),\n    !proposal_reviewed(Proposal, _, _, _),\n    now(Now),\n    Now - Made >= proposal_life.\n",
            "@id(proposal_pending)\n@because(\"nobody has answered proposal {Proposal} yet\")\nproposal_status(Proposal, /pending) :-\n    proposal(proposal: Proposal, at: Made),\n    !proposal_reviewed(Proposal, _, _, _),\n    now(Now),\n    Now - Made < proposal_life.\n",
            "decision apply_proposal(proposal: string, effect: name)\n    requires proposal_review(proposal: proposal, approved: true).\n",
            "@id(apply_approved)\n@because(\"{By} approved the {Type} {Proposal}: {Effect}\")\napply_proposal(Proposal, Effect) :-\n    proposal_reviewed(Proposal, true, By, At),\n    proposal_review(Proposal, true, By, At),\n    proposal(proposal: Proposal, type: Type),\n    proposal_effect(Type, Effect).\n",
            "relation proposal_count(\n    type: name,\n    status: /pending | /approved | /rejected | /expired,\n    count: int\n).\n",
            "proposal_count(Type, Status, count(Proposal)) :-\n    proposal(proposal: Proposal, type: Type),\n    proposal_status(Proposal, Status).\n",
        ),
    ];
}
