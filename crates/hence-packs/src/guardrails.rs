//! `guardrails`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: block loudly.

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

/// An event that a guardrail stops, and the guardrail's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuardedEvent {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
}

impl Record for GuardedEvent {
    const TABLE: usize = 4;
    const RELATION: &'static str = "guarded_event";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take() }
    }
}

/// What somebody says of letting an event past a guardrail.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OverrideReview {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
    /// `approved`
    pub approved: bool,
    /// `by`
    pub by: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for OverrideReview {
    const TABLE: usize = 5;
    const RELATION: &'static str = "override_review";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
        row.put("approved", &self.approved);
        row.put("by", &self.by);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            event: columns.take(),
            rule: columns.take(),
            approved: columns.take(),
            by: columns.take(),
            at: columns.take(),
        }
    }
}

/// The event was let past the guardrail; whoever carries `republish` out asserts it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Republished {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Republished {
    const TABLE: usize = 6;
    const RELATION: &'static str = "republished";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take(), at: columns.take() }
    }
}

/// The guardrail stops the event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
}

impl Record for Block {
    const TABLE: usize = 8;
    const RELATION: &'static str = "block";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take() }
    }
}

/// Tell people that the guardrail stops the event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Notify {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
}

impl Record for Notify {
    const TABLE: usize = 9;
    const RELATION: &'static str = "notify";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take() }
    }
}

/// Ask a reviewer whether the event may pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposeOverride {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
}

impl Record for ProposeOverride {
    const TABLE: usize = 10;
    const RELATION: &'static str = "propose_override";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take() }
    }
}

/// Let the event past this guardrail, once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Republish {
    /// `event`
    pub event: String,
    /// `rule`
    pub rule: Name,
}

impl Record for Republish {
    const TABLE: usize = 11;
    const RELATION: &'static str = "republish";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("rule", &self.rule);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), rule: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params;

impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        Ok(Vec::new())
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
    /// An event that a guardrail stops, and the guardrail's name.
    pub guarded_event: Vec<GuardedEvent>,
    /// What somebody says of letting an event past a guardrail.
    pub override_review: Vec<OverrideReview>,
    /// The event was let past the guardrail; whoever carries `republish` out asserts it.
    pub republished: Vec<Republished>,
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
            block: drawn(&decided.tables),
            notify: drawn(&decided.tables),
            propose_override: drawn(&decided.tables),
            republish: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.reviewer)?;
        fill(tables, &self.review_reason)?;
        fill(tables, &self.review_edit)?;
        fill(tables, &self.guarded_event)?;
        fill(tables, &self.override_review)?;
        fill(tables, &self.republished)?;
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

impl Extend<GuardedEvent> for Facts {
    fn extend<Many: IntoIterator<Item = GuardedEvent>>(&mut self, facts: Many) {
        self.guarded_event.extend(facts);
    }
}

impl Extend<OverrideReview> for Facts {
    fn extend<Many: IntoIterator<Item = OverrideReview>>(&mut self, facts: Many) {
        self.override_review.extend(facts);
    }
}

impl Extend<Republished> for Facts {
    fn extend<Many: IntoIterator<Item = Republished>>(&mut self, facts: Many) {
        self.republished.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// The guardrail stops the event.
    pub block: Vec<Block>,
    /// Tell people that the guardrail stops the event.
    pub notify: Vec<Notify>,
    /// Ask a reviewer whether the event may pass.
    pub propose_override: Vec<ProposeOverride>,
    /// Let the event past this guardrail, once.
    pub republish: Vec<Republish>,
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
        name: "guardrails",
        fingerprint: "4bd55fd0680a4566c872c3607714c713",
        relations: &["now", "reviewer", "review_reason", "review_edit", "guarded_event", "override_review", "republished", "override_reviewed", "block", "notify", "propose_override", "republish"],
        params: &[],
        rule_ids: &["earliest_override_review", "guarded_and_not_overridden", "blocked_loudly", "blocked_and_unanswered", "override_approved"],
        arities: &[1, 1, 5, 6, 2, 5, 3, 5, 2, 2, 2, 2, 5],
        rules: &[&RULE_0],
        decisions: &["block", "notify", "propose_override", "republish"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 12, &RULE_0, params);
        program_1::run(tables, params);
    }

    fn facts(_: &mut Tables) {}

    /// The rule `earliest_override_review`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "earliest_override_review",
        head: 7,
        variables: &[("Event", Type::String), ("Rule", Type::Name), ("Approved", Type::Bool), ("By", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
            Step::Atom(1, &[Arg::Var(3)]),
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
            by: &[(|m| Ok(m.var(4)), Type::Time, false), (|m| Ok(m.var(2)), Type::Bool, false), (|m| Ok(m.var(3)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::Name, Type::Bool, Type::String, Type::Time],
        }),
        places: &[],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R1Reviewer,
            Row5 as M0,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct M0(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Reviewer(Word);

            R1Reviewer(c0) <-
                Source(input),
                for [c0] in input.rows(1);

            // earliest_override_review
            M0(event_0, rule_1, approved_2, by_3, at_4) <-
                Source(input),
                for row_1 in input.rows(5),
                let [event_0, rule_1, approved_2, by_3, at_4] = row_1,
                R1Reviewer(by_3),
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
            Row5 as R5OverrideReview,
            Row3 as R6Republished,
            Row5 as R7OverrideReviewed,
            Row2 as R8Block,
            Row2 as R9Notify,
            Row2 as R10ProposeOverride,
            Row2 as R11Republish,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R8Block(Word, Word);
            @output
            #[cfg(any())]
            struct R9Notify(Word, Word);
            @output
            #[cfg(any())]
            struct R10ProposeOverride(Word, Word);
            @output
            #[cfg(any())]
            struct R11Republish(Word, Word);
            @output
            #[cfg(any())]
            struct R5OverrideReview(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R6Republished(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7OverrideReviewed(Word, Word, Word, Word, Word);

            R5OverrideReview(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(5);

            R6Republished(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(6);

            R7OverrideReviewed(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(7);

            // guarded_and_not_overridden
            R8Block(event_0, rule_1) <-
                Source(input),
                for row_1 in input.rows(4),
                let [event_0, rule_1] = row_1,
                !R7OverrideReviewed(event_0, rule_1, Word::from_bool(true), _, _),
                (go());

            // blocked_loudly
            R9Notify(event_0, rule_1) <-
                R8Block(event_0, rule_1),
                (go());

            // blocked_and_unanswered
            R10ProposeOverride(event_0, rule_1) <-
                R8Block(event_0, rule_1),
                !R7OverrideReviewed(event_0, rule_1, _, _, _),
                (go());

            // override_approved
            R11Republish(event_0, rule_1) <-
                Source(input),
                for row_1 in input.rows(4),
                let [event_0, rule_1] = row_1,
                !R6Republished(event_0, rule_1, _),
                R7OverrideReviewed(event_0, rule_1, Word::from_bool(true), by_2, at_3),
                R5OverrideReview(event_0, rule_1, Word::from_bool(true), by_2, at_3),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r8_block, r9_notify, r10_propose_override, r11_republish, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(8, &r8_block);
            tables.set(9, &r9_notify);
            tables.set(10, &r10_propose_override);
            tables.set(11, &r11_republish);
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
            "input guarded_event(event: string, rule: name).\n",
            "input override_review(event: string, rule: name, approved: bool, by: string, at: time)\n    from reviewer as by, at at.\n",
            "input republished(event: string, rule: name, at: time).\n",
            "relation override_reviewed(event: string, rule: name, approved: bool, by: string, at: time).\n",
            "@id(earliest_override_review)\n@because(\"{By} was the first reviewer to answer for {Event} and {Rule}\")\noverride_reviewed(Event, Rule, Approved, By, At) :-\n    override_review(Event, Rule, Approved, By, At),\n    reviewer(By)\n    limit 1 per Event, Rule by At, Approved, By.\n",
            "decision block(event: string, rule: name).\n",
            "@id(guarded_and_not_overridden)\n@because(\"{Rule} guards {Event}, and no reviewer let it past\")\nblock(Event, Rule) :- guarded_event(Event, Rule), !override_reviewed(Event, Rule, true, _, _).\n",
            "decision notify(event: string, rule: name).\n",
            "@id(blocked_loudly)\n@because(\"{Rule} blocks {Event}, and somebody must know\")\nnotify(Event, Rule) :- block(Event, Rule).\n",
            "decision propose_override(event: string, rule: name).\n",
            "@id(blocked_and_unanswered)\n@because(\"{Rule} blocks {Event}, and no reviewer has answered\")\npropose_override(Event, Rule) :- block(Event, Rule), !override_reviewed(Event, Rule, _, _, _).\n",
            "decision republish(event: string, rule: name)\n    requires override_review(event: event, rule: rule, approved: true).\n",
            "@id(override_approved)\n@because(\"{By} let {Event} past {Rule}\")\nrepublish(Event, Rule) :-\n    guarded_event(Event, Rule),\n    override_reviewed(Event, Rule, true, By, At),\n    override_review(Event, Rule, true, By, At),\n    !republished(Event, Rule, _).\n",
        ),
    ];
}
