//! `feedback_learning`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: what people's edits and rejections of drafts teach.

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

/// Somebody changed a draft.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DraftEdit {
    /// `edit`
    pub edit: String,
    /// `event`
    pub event: String,
    /// `change`
    pub change: Name,
}

impl Record for DraftEdit {
    const TABLE: usize = 1;
    const RELATION: &'static str = "draft_edit";

    fn write(&self, row: &mut Row) {
        row.put("edit", &self.edit);
        row.put("event", &self.event);
        row.put("change", &self.change);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { edit: columns.take(), event: columns.take(), change: columns.take() }
    }
}

/// Somebody threw a draft away.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DraftRejection {
    /// `rejection`
    pub rejection: String,
    /// `event`
    pub event: String,
}

impl Record for DraftRejection {
    const TABLE: usize = 2;
    const RELATION: &'static str = "draft_rejection";

    fn write(&self, row: &mut Row) {
        row.put("rejection", &self.rejection);
        row.put("event", &self.event);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { rejection: columns.take(), event: columns.take() }
    }
}

/// How alike two edits or rejections are, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Similar {
    /// `a`
    pub a: String,
    /// `b`
    pub b: String,
    /// `similarity`
    pub similarity: f64,
}

impl Record for Similar {
    const TABLE: usize = 3;
    const RELATION: &'static str = "similar";

    fn write(&self, row: &mut Row) {
        row.put("a", &self.a);
        row.put("b", &self.b);
        row.put("similarity", &self.similarity);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { a: columns.take(), b: columns.take(), similarity: columns.take() }
    }
}

/// What column `kind` of `propose_lesson` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProposeLessonKind {
    /// `/learned_rule`
    LearnedRule,
    /// `/strong_rule`
    StrongRule,
}

impl ProposeLessonKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LearnedRule => "/learned_rule",
            Self::StrongRule => "/strong_rule",
        }
    }
}

impl Column for ProposeLessonKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/learned_rule" => Self::LearnedRule,
            "/strong_rule" => Self::StrongRule,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Propose to learn this.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct ProposeLesson {
    /// `leader`
    pub leader: String,
    /// `kind`
    pub kind: ProposeLessonKind,
    /// `confidence`
    pub confidence: f64,
}

impl Record for ProposeLesson {
    const TABLE: usize = 12;
    const RELATION: &'static str = "propose_lesson";

    fn write(&self, row: &mut Row) {
        row.put("leader", &self.leader);
        row.put("kind", &self.kind);
        row.put("confidence", &self.confidence);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { leader: columns.take(), kind: columns.take(), confidence: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// From this similarity on two of them teach the same.
    pub alike: f64,
    /// So many alike items make a strong rule.
    pub strong_count: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            alike: 0.8,
            strong_count: 3,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("alike", &self.alike);
        row.put("strong_count", &self.strong_count);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// Somebody changed a draft.
    pub draft_edit: Vec<DraftEdit>,
    /// Somebody threw a draft away.
    pub draft_rejection: Vec<DraftRejection>,
    /// How alike two edits or rejections are, from 0 to 1.
    pub similar: Vec<Similar>,
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
            propose_lesson: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.draft_edit)?;
        fill(tables, &self.draft_rejection)?;
        fill(tables, &self.similar)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<DraftEdit> for Facts {
    fn extend<Many: IntoIterator<Item = DraftEdit>>(&mut self, facts: Many) {
        self.draft_edit.extend(facts);
    }
}

impl Extend<DraftRejection> for Facts {
    fn extend<Many: IntoIterator<Item = DraftRejection>>(&mut self, facts: Many) {
        self.draft_rejection.extend(facts);
    }
}

impl Extend<Similar> for Facts {
    fn extend<Many: IntoIterator<Item = Similar>>(&mut self, facts: Many) {
        self.similar.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Propose to learn this.
    pub propose_lesson: Vec<ProposeLesson>,
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
        name: "feedback_learning",
        fingerprint: "c3dd690cd5fa8ea3e913cfaf71bf78d5",
        relations: &["now", "draft_edit", "draft_rejection", "similar", "draft_item", "alike_items", "same_cluster", "cluster", "cluster_size", "rejected_cluster", "lesson", "superseded", "propose_lesson"],
        params: &["alike", "strong_count"],
        rule_ids: &["draft_item#1", "draft_item#2", "alike_items#1", "alike_items#2", "same_cluster#1", "same_cluster#2", "cluster#1", "cluster_size#1", "rejected_cluster#1", "many_alike", "a_rejection", "an_edit", "superseded#1", "propose_every_lesson"],
        arities: &[1, 3, 2, 3, 1, 2, 2, 2, 2, 1, 4, 2, 3, 2, 2],
        rules: &[&RULE_6, &RULE_7, &RULE_9],
        decisions: &["propose_lesson"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 13, &RULE_6, params);
        program_1::run(tables, params);
        aggregate(tables, 14, &RULE_7, params);
        program_2::run(tables, params);
    }

    fn facts(_: &mut Tables) {}

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/strong_rule",
        "/learned_rule",
    ]);

    // alike_items#1
    fn alike_items_2_0(s_2: Word, p0: Word) -> Word {
        sure(Op::GreaterEqual, &[s_2, p0])
    }

    // many_alike
    fn lesson_9_0(count_1: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[count_1, p1])
    }

    #[rustfmt::skip]
    fn lesson_9_1(count_1: Word) -> Eval {
        Ok(sure(Op::Min, &[float(0.95), two(Op::AddFloat, 0, float(0.6), two(Op::MulFloat, 1, float(0.1), sure(Op::FloatOfInt, &[count_1]))?)?]))
    }

    // a_rejection
    fn lesson_10_0(count_1: Word, p1: Word) -> Word {
        sure(Op::Less, &[count_1, p1])
    }

    // an_edit
    fn lesson_11_0(count_1: Word, p1: Word) -> Word {
        sure(Op::Less, &[count_1, p1])
    }

    /// The rule `cluster#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "cluster#1",
        head: 7,
        variables: &[("Item", Type::String), ("Other", Type::String)],
        body: &[
            Step::Atom(6, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/feedback_learning/feedback_learning.dl:39:15", "min(Other)")],
    };

    /// The rule `cluster_size#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_7: Rule = Rule {
        number: 7,
        id: "cluster_size#1",
        head: 8,
        variables: &[("Leader", Type::String), ("Item", Type::String)],
        body: &[
            Step::Atom(7, &[Arg::Var(1), Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/feedback_learning/feedback_learning.dl:44:22", "count(Item)")],
    };

    /// The rule `many_alike`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_9: Rule = Rule {
        number: 9,
        id: "many_alike",
        head: 10,
        variables: &[("Leader", Type::String), ("Count", Type::Int)],
        body: &[
            Step::Atom(8, &[Arg::Var(0), Arg::Var(1)]),
            Step::Test(&[1], |m| Ok(lesson_9_0(m.var(1), m.param(1)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Var(1),
            Term::Plain(|m| lesson_9_1(m.var(1))),
        ],
        limit: None,
        places: &[("rules/feedback_learning/feedback_learning.dl:56:47", "0.6 + 0.1 * float(Count)"), ("rules/feedback_learning/feedback_learning.dl:56:53", "0.1 * float(Count)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R3Similar,
            Row1 as R4DraftItem,
            Row2 as R5AlikeItems,
            Row2 as R6SameCluster,
            Row2 as M6,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R4DraftItem(Word);
            @output
            #[cfg(any())]
            struct R5AlikeItems(Word, Word);
            @output
            #[cfg(any())]
            struct R6SameCluster(Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word);
            @output
            #[cfg(any())]
            struct R3Similar(Word, Word, Word);

            R3Similar(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(3);

            // draft_item#1
            R4DraftItem(edit_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [edit_0, _, _] = row_1,
                (go());

            // draft_item#2
            R4DraftItem(rejection_0) <-
                Source(input),
                for row_1 in input.rows(2),
                let [rejection_0, _] = row_1,
                (go());

            // alike_items#1
            R5AlikeItems(a_0, b_1) <-
                Source(input),
                let p0 = input.param(0),
                R4DraftItem(a_0),
                R3Similar(a_0, b_1, s_2),
                (alike_items_2_0(s_2, p0).as_bool()),
                R4DraftItem(b_1),
                (go());

            // alike_items#2
            R5AlikeItems(b_0, a_1) <-
                R5AlikeItems(a_1, b_0),
                (go());

            // same_cluster#1
            R6SameCluster(a_0, a_0) <-
                R4DraftItem(a_0),
                (go());

            // same_cluster#2
            R6SameCluster(a_0, c_1) <-
                R6SameCluster(a_0, b_2),
                R5AlikeItems(b_2, c_1),
                (go());

            // cluster#1
            M6(item_0, other_1) <-
                R6SameCluster(item_0, other_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r4_draft_item, r5_alike_items, r6_same_cluster, m6, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(4, &r4_draft_item);
            tables.set(5, &r5_alike_items);
            tables.set(6, &r6_same_cluster);
            tables.set(13, &m6);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R2DraftRejection,
            Row1 as R9RejectedCluster,
            Row2 as M7,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R9RejectedCluster(Word);
            @output
            #[cfg(any())]
            struct M7(Word, Word);
            @output
            #[cfg(any())]
            struct R2DraftRejection(Word, Word);

            R2DraftRejection(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(2);

            // cluster_size#1
            M7(leader_0, item_1) <-
                Source(input),
                for row_1 in input.rows(7),
                let [item_1, leader_0] = row_1,
                (go());

            // rejected_cluster#1
            R9RejectedCluster(leader_0) <-
                Source(input),
                for row_1 in input.rows(7),
                let [item_1, leader_0] = row_1,
                R2DraftRejection(item_1, _),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r9_rejected_cluster, m7, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(9, &r9_rejected_cluster);
            tables.set(14, &m7);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R9RejectedCluster,
            Row4 as R10Lesson,
            Row2 as R11Superseded,
            Row3 as R12ProposeLesson,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R10Lesson(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R11Superseded(Word, Word);
            @output
            #[cfg(any())]
            struct R12ProposeLesson(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R9RejectedCluster(Word);

            R9RejectedCluster(c0) <-
                Source(input),
                for [c0] in input.rows(9);

            // many_alike
            R10Lesson(leader_0, TEXTS.word(0), count_1, head_3) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [leader_0, count_1] = row_2,
                (lesson_9_0(count_1, p1).as_bool()),
                let Some(head_3) = tried(9, lesson_9_1(count_1)),
                (go());

            // a_rejection
            R10Lesson(leader_0, TEXTS.word(1), count_1, float(0.7)) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [leader_0, count_1] = row_2,
                (lesson_10_0(count_1, p1).as_bool()),
                R9RejectedCluster(leader_0),
                (go());

            // an_edit
            R10Lesson(leader_0, TEXTS.word(1), count_1, float(0.6)) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(8),
                let [leader_0, count_1] = row_2,
                (lesson_11_0(count_1, p1).as_bool()),
                !R9RejectedCluster(leader_0),
                (go());

            // superseded#1
            R11Superseded(item_0, leader_1) <-
                Source(input),
                for row_1 in input.rows(7),
                let [item_0, leader_1] = row_1,
                R10Lesson(leader_1, TEXTS.word(0), _, _),
                (go());

            // propose_every_lesson
            R12ProposeLesson(leader_0, kind_1, confidence_2) <-
                R10Lesson(leader_0, kind_1, _, confidence_2),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r10_lesson, r11_superseded, r12_propose_lesson, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(10, &r10_lesson);
            tables.set(11, &r11_superseded);
            tables.set(12, &r12_propose_lesson);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input draft_edit(edit: string, event: string, change: name).\n",
            "input draft_rejection(rejection: string, event: string).\n",
            "input similar(a: string, b: string, similarity: float).\n",
            "param alike: float = 0.8.\n",
            "param strong_count: int = 3.\n",
            "relation draft_item(item: string).\n",
            "draft_item(Edit) :- draft_edit(edit: Edit).\n",
            "draft_item(Rejection) :- draft_rejection(rejection: Rejection).\n",
            "relation alike_items(a: string, b: string).\n",
            "alike_items(A, B) :- draft_item(A), draft_item(B), similar(A, B, S), S >= alike.\n",
            "alike_items(B, A) :- alike_items(A, B).\n",
            "relation same_cluster(a: string, b: string).\n",
            "same_cluster(A, A) :- draft_item(A).\n",
            "same_cluster(A, C) :- same_cluster(A, B), alike_items(B, C).\n",
            "relation cluster(item: string, leader: string).\n",
            "cluster(Item, min(Other)) :- same_cluster(Item, Other).\n",
            "relation cluster_size(leader: string, count: int).\n",
            "cluster_size(Leader, count(Item)) :- cluster(Item, Leader).\n",
            "relation rejected_cluster(leader: string).\n",
            "rejected_cluster(Leader) :- cluster(Item, Leader), draft_rejection(rejection: Item).\n",
            "relation lesson(leader: string, kind: /learned_rule | /strong_rule, count: int, confidence: float).\n",
            "@id(many_alike)\n@because(\"{Count} alike edits make a strong rule of {Leader}\")\nlesson(Leader, /strong_rule, Count, min(0.95, 0.6 + 0.1 * float(Count))) :-\n    cluster_size(Leader, Count),\n    Count >= strong_count.\n",
            "@id(a_rejection)\n@because(\"a draft like {Leader} was rejected\")\nlesson(Leader, /learned_rule, Count, 0.7) :-\n    cluster_size(Leader, Count),\n    Count < strong_count,\n    rejected_cluster(Leader).\n",
            "@id(an_edit)\n@because(\"{Count} edits like {Leader} were made\")\nlesson(Leader, /learned_rule, Count, 0.6) :-\n    cluster_size(Leader, Count),\n    Count < strong_count,\n    !rejected_cluster(Leader).\n",
            "relation superseded(item: string, leader: string).\n",
            "superseded(Item, Leader) :- cluster(Item, Leader), lesson(Leader, /strong_rule, _, _).\n",
            "decision propose_lesson(leader: string, kind: /learned_rule | /strong_rule, confidence: float).\n",
            "@id(propose_every_lesson)\n@because(\"{Leader} teaches a {Kind}; {Count} in all say so\")\npropose_lesson(Leader, Kind, Confidence) :- lesson(Leader, Kind, Count, Confidence).\n",
        ),
    ];
}
