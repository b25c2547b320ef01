//! `goals`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: one step or several.

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

/// What the words of a goal signal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalSignal {
    /// `goal`
    pub goal: String,
    /// `signal`
    pub signal: Name,
}

impl Record for GoalSignal {
    const TABLE: usize = 2;
    const RELATION: &'static str = "goal_signal";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("signal", &self.signal);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), signal: columns.take() }
    }
}

/// How a subgoal went: confidence and effectiveness from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct SubgoalResult {
    /// `goal`
    pub goal: String,
    /// `index`
    pub index: i64,
    /// `confidence`
    pub confidence: f64,
    /// `effectiveness`
    pub effectiveness: f64,
}

impl Record for SubgoalResult {
    const TABLE: usize = 3;
    const RELATION: &'static str = "subgoal_result";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("index", &self.index);
        row.put("confidence", &self.confidence);
        row.put("effectiveness", &self.effectiveness);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            goal: columns.take(),
            index: columns.take(),
            confidence: columns.take(),
            effectiveness: columns.take(),
        }
    }
}

/// Do this step next.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunSubgoal {
    /// `goal`
    pub goal: String,
    /// `index`
    pub index: i64,
}

impl Record for RunSubgoal {
    const TABLE: usize = 14;
    const RELATION: &'static str = "run_subgoal";

    fn write(&self, row: &mut Row) {
        row.put("goal", &self.goal);
        row.put("index", &self.index);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { goal: columns.take(), index: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What each subgoal adds to the complexity of a goal.
    pub complexity_step: f64,
    /// The complexity of a goal of one step.
    pub atomic_complexity: f64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            complexity_step: 0.15,
            atomic_complexity: 0.1,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("complexity_step", &self.complexity_step);
        row.put("atomic_complexity", &self.atomic_complexity);
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
    /// What the words of a goal signal.
    pub goal_signal: Vec<GoalSignal>,
    /// How a subgoal went: confidence and effectiveness from 0 to 1.
    pub subgoal_result: Vec<SubgoalResult>,
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
            run_subgoal: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.goal)?;
        fill(tables, &self.goal_signal)?;
        fill(tables, &self.subgoal_result)?;
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

impl Extend<GoalSignal> for Facts {
    fn extend<Many: IntoIterator<Item = GoalSignal>>(&mut self, facts: Many) {
        self.goal_signal.extend(facts);
    }
}

impl Extend<SubgoalResult> for Facts {
    fn extend<Many: IntoIterator<Item = SubgoalResult>>(&mut self, facts: Many) {
        self.subgoal_result.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Do this step next.
    pub run_subgoal: Vec<RunSubgoal>,
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
        name: "goals",
        fingerprint: "5d23cab0936ed4417d47bce11aa625fb",
        relations: &["now", "goal", "goal_signal", "subgoal_result", "composite_signal", "goal_template", "step_words", "composite", "template_of", "subgoal", "subgoal_text", "subgoal_count", "complexity", "open_subgoal", "run_subgoal", "goal_outcome"],
        params: &["complexity_step", "atomic_complexity"],
        rule_ids: &["words_of_several_steps", "template_of#1", "template_of#2", "template_of#3", "step_of_template", "words_of_step", "subgoal_count#1", "complexity#1", "complexity#2", "open_subgoal#1", "first_open_step", "goal_outcome#1"],
        arities: &[1, 2, 2, 4, 1, 4, 3, 1, 2, 4, 3, 2, 2, 2, 2, 3, 4, 2, 6],
        rules: &[&RULE_5, &RULE_6, &RULE_7, &RULE_10, &RULE_11],
        decisions: &["run_subgoal"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 16, &RULE_6, params);
        limit(tables, 17, &RULE_10, params);
        aggregate(tables, 18, &RULE_11, params);
        program_1::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(4, &FACTS_4);
        tables.facts(5, &FACTS_5);
        tables.facts(6, &FACTS_6);
    }

    /// The facts of `composite_signal`.
    #[rustfmt::skip]
    static FACTS_4: [[Cell; 1]; 5] = [
        [Cell::T("/build_and")],
        [Cell::T("/compare_with")],
        [Cell::T("/sequence")],
        [Cell::T("/before_then")],
        [Cell::T("/build_deliverable")],
    ];

    /// The facts of `goal_template`.
    #[rustfmt::skip]
    static FACTS_5: [[Cell; 4]; 8] = [
        [Cell::T("/design"), Cell::I(0), Cell::T("/research"), Cell::F(0.9)],
        [Cell::T("/design"), Cell::I(1), Cell::T("/analysis"), Cell::F(0.85)],
        [Cell::T("/design"), Cell::I(2), Cell::T("/strategy"), Cell::F(0.8)],
        [Cell::T("/design"), Cell::I(3), Cell::T("/synthesis"), Cell::F(0.8)],
        [Cell::T("/compare"), Cell::I(0), Cell::T("/research"), Cell::F(0.9)],
        [Cell::T("/compare"), Cell::I(1), Cell::T("/research"), Cell::F(0.9)],
        [Cell::T("/compare"), Cell::I(2), Cell::T("/synthesis"), Cell::F(0.85)],
        [Cell::T("/other"), Cell::I(0), Cell::T("/general"), Cell::F(0.9)],
    ];

    /// The facts of `step_words`.
    #[rustfmt::skip]
    static FACTS_6: [[Cell; 3]; 8] = [
        [Cell::T("/design"), Cell::I(0), Cell::T("Research background and context for: ")],
        [Cell::T("/design"), Cell::I(1), Cell::T("Analyze requirements and constraints for: ")],
        [Cell::T("/design"), Cell::I(2), Cell::T("Draft a plan for: ")],
        [Cell::T("/design"), Cell::I(3), Cell::T("Synthesize the findings into an actionable plan for: ")],
        [Cell::T("/compare"), Cell::I(0), Cell::T("Research details on first subject in: ")],
        [Cell::T("/compare"), Cell::I(1), Cell::T("Research details on second subject in: ")],
        [Cell::T("/compare"), Cell::I(2), Cell::T("Compare and synthesize findings from: ")],
        [Cell::T("/other"), Cell::I(0), Cell::T("")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/design",
        "/compare",
        "/other",
    ]);

    // words_of_step
    fn subgoal_text_5_0(words_2: Word, text_3: Word) -> Eval {
        two(Op::Concat, 0, words_2, text_3)
    }

    // complexity#1
    fn complexity_7_0(p0: Word, subgoals_1: Word) -> Eval {
        Ok(sure(Op::Min, &[float(1.0), two(Op::MulFloat, 0, p0, sure(Op::FloatOfInt, &[subgoals_1]))?]))
    }

    /// The rule `words_of_step`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "words_of_step",
        head: 10,
        variables: &[("Goal", Type::String), ("Index", Type::Int), ("Words", Type::String), ("Text", Type::String), ("Template", Type::Name)],
        body: &[
            Step::Atom(8, &[Arg::Var(0), Arg::Var(4)]),
            Step::Atom(6, &[Arg::Var(4), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(1, &[Arg::Var(0), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| subgoal_text_5_0(m.var(2), m.var(3))),
        ],
        limit: None,
        places: &[("rules/goals/goals.dl:84:27", "concat(Words, Text)")],
    };

    /// The rule `subgoal_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "subgoal_count#1",
        head: 11,
        variables: &[("Goal", Type::String), ("Index", Type::Int)],
        body: &[
            Step::Atom(9, &[Arg::Var(0), Arg::Var(1), Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/goals/goals.dl:92:21", "count(Index)")],
    };

    /// The rule `complexity#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_7: Rule = Rule {
        number: 7,
        id: "complexity#1",
        head: 12,
        variables: &[("Goal", Type::String), ("Subgoals", Type::Int)],
        body: &[
            Step::Atom(11, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| complexity_7_0(m.param(0), m.var(1))),
        ],
        limit: None,
        places: &[("rules/goals/goals.dl:97:27", "complexity_step * float(Subgoals)")],
    };

    /// The rule `first_open_step`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_10: Rule = Rule {
        number: 10,
        id: "first_open_step",
        head: 14,
        variables: &[("Goal", Type::String), ("Index", Type::Int)],
        body: &[
            Step::Atom(13, &[Arg::Var(0), Arg::Var(1)]),
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

    /// The rule `goal_outcome#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_11: Rule = Rule {
        number: 11,
        id: "goal_outcome#1",
        head: 15,
        variables: &[("Goal", Type::String), ("Confidence", Type::Float), ("Effectiveness", Type::Float), ("Index", Type::Int)],
        body: &[
            Step::Atom(9, &[Arg::Var(0), Arg::Var(3), Arg::Any, Arg::Any]),
            Step::Atom(3, &[Arg::Var(0), Arg::Var(3), Arg::Var(1), Arg::Var(2)]),
            Step::Not(13, &[Arg::Var(0), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(1)))], 0),
            Term::Of(Aggregate::Mean, &[(Type::Float, |m| Ok(m.var(2)))], 1),
        ],
        limit: None,
        places: &[("rules/goals/goals.dl:115:20", "mean(Confidence)"), ("rules/goals/goals.dl:115:38", "mean(Effectiveness)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R1Goal,
            Row2 as R2GoalSignal,
            Row4 as R3SubgoalResult,
            Row1 as R4CompositeSignal,
            Row4 as R5GoalTemplate,
            Row3 as R6StepWords,
            Row1 as R7Composite,
            Row2 as R8TemplateOf,
            Row4 as R9Subgoal,
            Row3 as R10SubgoalText,
            Row2 as R13OpenSubgoal,
            Row4 as M6,
            Row2 as M10,
            Row6 as M11,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R7Composite(Word);
            @output
            #[cfg(any())]
            struct R8TemplateOf(Word, Word);
            @output
            #[cfg(any())]
            struct R9Subgoal(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R10SubgoalText(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R13OpenSubgoal(Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M10(Word, Word);
            @output
            #[cfg(any())]
            struct M11(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Goal(Word, Word);
            @output
            #[cfg(any())]
            struct R2GoalSignal(Word, Word);
            @output
            #[cfg(any())]
            struct R3SubgoalResult(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4CompositeSignal(Word);
            @output
            #[cfg(any())]
            struct R5GoalTemplate(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R6StepWords(Word, Word, Word);

            R1Goal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(1);

            R2GoalSignal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(2);

            R3SubgoalResult(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(3);

            R4CompositeSignal(c0) <-
                Source(input),
                for [c0] in input.rows(4);

            R5GoalTemplate(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(5);

            R6StepWords(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(6);

            // words_of_several_steps
            R7Composite(goal_0) <-
                R1Goal(goal_0, _),
                R2GoalSignal(goal_0, signal_1),
                R4CompositeSignal(signal_1),
                (go());

            // template_of#1
            R8TemplateOf(goal_0, TEXTS.word(0)) <-
                R7Composite(goal_0),
                R2GoalSignal(goal_0, TEXTS.word(0)),
                (go());

            // template_of#2
            R8TemplateOf(goal_0, TEXTS.word(1)) <-
                R7Composite(goal_0),
                !R2GoalSignal(goal_0, TEXTS.word(0)),
                R2GoalSignal(goal_0, TEXTS.word(1)),
                (go());

            // template_of#3
            R8TemplateOf(goal_0, TEXTS.word(2)) <-
                R7Composite(goal_0),
                !R2GoalSignal(goal_0, TEXTS.word(0)),
                !R2GoalSignal(goal_0, TEXTS.word(1)),
                (go());

            // step_of_template
            R9Subgoal(goal_0, index_1, type_2, confidence_3) <-
                R8TemplateOf(goal_0, template_4),
                R5GoalTemplate(template_4, index_1, type_2, confidence_3),
                (go());

            // words_of_step
            R10SubgoalText(goal_0, index_1, head_2) <-
                R8TemplateOf(goal_0, template_4),
                R6StepWords(template_4, index_1, words_2),
                R1Goal(goal_0, text_3),
                let Some(head_2) = tried(5, subgoal_text_5_0(words_2, text_3)),
                (go());

            // subgoal_count#1
            M6(goal_0, index_1, open_1, open_2) <-
                R9Subgoal(goal_0, index_1, open_1, open_2),
                (go());

            // open_subgoal#1
            R13OpenSubgoal(goal_0, index_1) <-
                R9Subgoal(goal_0, index_1, _, _),
                !R3SubgoalResult(goal_0, index_1, _, _),
                (go());

            // first_open_step
            M10(goal_0, index_1) <-
                R13OpenSubgoal(goal_0, index_1),
                (go());

            // goal_outcome#1
            M11(goal_0, confidence_1, effectiveness_2, index_3, open_1, open_2) <-
                R9Subgoal(goal_0, index_3, open_1, open_2),
                !R13OpenSubgoal(goal_0, _),
                R3SubgoalResult(goal_0, index_3, confidence_1, effectiveness_2),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r7_composite, r8_template_of, r9_subgoal, r10_subgoal_text, r13_open_subgoal, m6, m10, m11, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(7, &r7_composite);
            tables.set(8, &r8_template_of);
            tables.set(9, &r9_subgoal);
            tables.set(10, &r10_subgoal_text);
            tables.set(13, &r13_open_subgoal);
            tables.set(16, &m6);
            tables.set(17, &m10);
            tables.set(18, &m11);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R7Composite,
            Row2 as R12Complexity,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R12Complexity(Word, Word);
            @output
            #[cfg(any())]
            struct R7Composite(Word);

            R7Composite(c0) <-
                Source(input),
                for [c0] in input.rows(7);

            // complexity#1
            R12Complexity(goal_0, head_1) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(11),
                let [goal_0, subgoals_1] = row_2,
                let Some(head_1) = tried(7, complexity_7_0(p0, subgoals_1)),
                (go());

            // complexity#2
            R12Complexity(goal_0, p1) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(1),
                let [goal_0, _] = row_2,
                !R7Composite(goal_0),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r12_complexity, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(12, &r12_complexity);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 2] = [
        concat!(
            "input goal(goal: string, text: string).\n",
        ),
        concat!(
            "input goal_signal(goal: string, signal: name).\n",
            "input subgoal_result(goal: string, index: int, confidence: float, effectiveness: float).\n",
            "param complexity_step: float = 0.15.\n",
            "param atomic_complexity: float = 0.1.\n",
            "relation composite_signal(signal: name).\n",
            "composite_signal(/build_and).\n",
            "composite_signal(/compare_with).\n",
            "composite_signal(/sequence).\n",
            "composite_signal(/before_then).\n",
            "composite_signal(/build_deliverable).\n",
            "relation goal_template(template: name, index: int, type: name, confidence: float).\n",
            "goal_template(/design, 0, /research, 0.9).\n",
            "goal_template(/design, 1, /analysis, 0.85).\n",
            "goal_template(/design, 2, /strategy, 0.8).\n",
            "goal_template(/design, 3, /synthesis, 0.8).\n",
            "goal_template(/compare, 0, /research, 0.9).\n",
            "goal_template(/compare, 1, /research, 0.9).\n",
            "goal_template(/compare, 2, /synthesis, 0.85).\n",
            "goal_template(/other, 0, /general, 0.9).\n",
            "relation step_words(template: name, index: int, words: string).\n",
            "step_words(/design, 0, \"Research background and context for: \").\n",
            "step_words(/design, 1, \"Analyze requirements and constraints for: \").\n",
            "step_words(/design, 2, \"Draft a plan for: \").\n",
            "step_words(/design, 3, \"Synthesize the findings into an actionable plan for: \").\n",
            "step_words(/compare, 0, \"Research details on first subject in: \").\n",
            "step_words(/compare, 1, \"Research details on second subject in: \").\n",
            "step_words(/compare, 2, \"Compare and synthesize findings from: \").\n",
            "step_words(/other, 0, \"\").\n",
            "relation composite(goal: string).\n",
            "@id(words_of_several_steps)\n@because(\"the words of goal {Goal} speak of several steps ({Signal})\")\ncomposite(Goal) :- goal(Goal, _), goal_signal(Goal, Signal), composite_signal(Signal).\n",
            "relation template_of(goal: string, template: name).\n",
            "template_of(Goal, /design) :- composite(Goal), goal_signal(Goal, /design).\n",
            "template_of(Goal, /compare) :-\n    composite(Goal),\n    goal_signal(Goal, /compare),\n    !goal_signal(Goal, /design).\n",
            "template_of(Goal, /other) :-\n    composite(Goal),\n    !goal_signal(Goal, /design),\n    !goal_signal(Goal, /compare).\n",
            "relation subgoal(goal: string, index: int, type: name, confidence: float).\n",
            "@id(step_of_template)\n@because(\"goal {Goal} is taken apart as {Template}; its step {Index} is {Type}\")\nsubgoal(Goal, Index, Type, Confidence) :-\n    template_of(Goal, Template),\n    goal_template(Template, Index, Type, Confidence).\n",
            "relation subgoal_text(goal: string, index: int, text: string).\n",
            "@id(words_of_step)\n@because(\"step {Index} of goal {Goal}, taken apart as {Template}\")\nsubgoal_text(Goal, Index, concat(Words, Text)) :-\n    template_of(Goal, Template),\n    step_words(Template, Index, Words),\n    goal(Goal, Text).\n",
            "relation subgoal_count(goal: string, subgoals: int).\n",
            "subgoal_count(Goal, count(Index)) :- subgoal(Goal, Index, _, _).\n",
            "relation complexity(goal: string, score: float).\n",
            "complexity(Goal, min(1.0, complexity_step * float(Subgoals))) :- subgoal_count(Goal, Subgoals).\n",
            "complexity(Goal, atomic_complexity) :- goal(Goal, _), !composite(Goal).\n",
            "relation open_subgoal(goal: string, index: int).\n",
            "open_subgoal(Goal, Index) :- subgoal(Goal, Index, _, _), !subgoal_result(Goal, Index, _, _).\n",
            "decision run_subgoal(goal: string, index: int).\n",
            "@id(first_open_step)\n@because(\"step {Index} is the first of goal {Goal} without a result\")\nrun_subgoal(Goal, Index) :- open_subgoal(Goal, Index) limit 1 per Goal by Index.\n",
            "relation goal_outcome(goal: string, confidence: float, effectiveness: float).\n",
            "goal_outcome(Goal, mean(Confidence), mean(Effectiveness)) :-\n    subgoal(Goal, Index, _, _),\n    subgoal_result(Goal, Index, Confidence, Effectiveness),\n    !open_subgoal(Goal, _).\n",
        ),
    ];
}
