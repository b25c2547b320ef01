//! `traces`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: was the reasoning recorded.

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

/// What column `phase` of `trace_step` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraceStepPhase {
    /// `/observe`
    Observe,
    /// `/orient`
    Orient,
    /// `/decide`
    Decide,
    /// `/act`
    Act,
}

impl TraceStepPhase {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Observe => "/observe",
            Self::Orient => "/orient",
            Self::Decide => "/decide",
            Self::Act => "/act",
        }
    }
}

impl Column for TraceStepPhase {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/observe" => Self::Observe,
            "/orient" => Self::Orient,
            "/decide" => Self::Decide,
            "/act" => Self::Act,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// A thought recorded in a phase of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceStep {
    /// `task`
    pub task: String,
    /// `phase`
    pub phase: TraceStepPhase,
    /// `thought`
    pub thought: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for TraceStep {
    const TABLE: usize = 1;
    const RELATION: &'static str = "trace_step";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("phase", &self.phase);
        row.put("thought", &self.thought);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), phase: columns.take(), thought: columns.take(), at: columns.take() }
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceOutcome {
    /// `task`
    pub task: String,
    /// `outcome`
    pub outcome: Name,
}

impl Record for TraceOutcome {
    const TABLE: usize = 2;
    const RELATION: &'static str = "trace_outcome";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("outcome", &self.outcome);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), outcome: columns.take() }
    }
}

/// The task ended, and its reasoning is not all there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TraceIncomplete {
    /// `task`
    pub task: String,
}

impl Record for TraceIncomplete {
    const TABLE: usize = 7;
    const RELATION: &'static str = "trace_incomplete";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take() }
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
    /// A thought recorded in a phase of a task.
    pub trace_step: Vec<TraceStep>,
    /// How a task ended.
    pub trace_outcome: Vec<TraceOutcome>,
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
            trace_incomplete: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.trace_step)?;
        fill(tables, &self.trace_outcome)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<TraceStep> for Facts {
    fn extend<Many: IntoIterator<Item = TraceStep>>(&mut self, facts: Many) {
        self.trace_step.extend(facts);
    }
}

impl Extend<TraceOutcome> for Facts {
    fn extend<Many: IntoIterator<Item = TraceOutcome>>(&mut self, facts: Many) {
        self.trace_outcome.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// The task ended, and its reasoning is not all there.
    pub trace_incomplete: Vec<TraceIncomplete>,
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
        name: "traces",
        fingerprint: "5647cdce6d5c75eac7defd71fcf786f6",
        relations: &["now", "trace_step", "trace_outcome", "phase", "traced_task", "phase_recorded", "trace_gap", "trace_incomplete"],
        params: &[],
        rule_ids: &["traced_task#1", "traced_task#2", "phase_recorded#1", "phase_not_recorded", "ended_with_a_gap"],
        arities: &[1, 4, 2, 1, 1, 2, 2, 1],
        rules: &[],
        decisions: &["trace_incomplete"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(3, &FACTS_3);
    }

    /// The facts of `phase`.
    #[rustfmt::skip]
    static FACTS_3: [[Cell; 1]; 4] = [
        [Cell::T("/observe")],
        [Cell::T("/orient")],
        [Cell::T("/decide")],
        [Cell::T("/act")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "",
        "/in_progress",
    ]);

    // phase_recorded#1
    fn phase_recorded_2_0(thought_2: Word) -> Word {
        sure(Op::NotEqual, &[sure(Op::Trim, &[thought_2]), TEXTS.word(0)])
    }

    // ended_with_a_gap
    fn trace_incomplete_4_0(outcome_2: Word) -> Word {
        sure(Op::NotEqual, &[outcome_2, TEXTS.word(1)])
    }

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R2TraceOutcome,
            Row1 as R4TracedTask,
            Row2 as R5PhaseRecorded,
            Row2 as R6TraceGap,
            Row1 as R7TraceIncomplete,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R4TracedTask(Word);
            @output
            #[cfg(any())]
            struct R5PhaseRecorded(Word, Word);
            @output
            #[cfg(any())]
            struct R6TraceGap(Word, Word);
            @output
            #[cfg(any())]
            struct R7TraceIncomplete(Word);
            @output
            #[cfg(any())]
            struct R2TraceOutcome(Word, Word);

            R2TraceOutcome(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(2);

            // traced_task#1
            R4TracedTask(task_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [task_0, _, _, _] = row_1,
                (go());

            // traced_task#2
            R4TracedTask(task_0) <-
                R2TraceOutcome(task_0, _),
                (go());

            // phase_recorded#1
            R5PhaseRecorded(task_0, phase_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [task_0, phase_1, thought_2, _] = row_1,
                (phase_recorded_2_0(thought_2).as_bool()),
                (go());

            // phase_not_recorded
            R6TraceGap(task_0, phase_1) <-
                Source(input),
                R4TracedTask(task_0),
                for row_2 in input.rows(3),
                let [phase_1] = row_2,
                !R5PhaseRecorded(task_0, phase_1),
                (go());

            // ended_with_a_gap
            R7TraceIncomplete(task_0) <-
                R6TraceGap(task_0, _),
                R2TraceOutcome(task_0, outcome_2),
                (trace_incomplete_4_0(outcome_2).as_bool()),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r4_traced_task, r5_phase_recorded, r6_trace_gap, r7_trace_incomplete, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(4, &r4_traced_task);
            tables.set(5, &r5_phase_recorded);
            tables.set(6, &r6_trace_gap);
            tables.set(7, &r7_trace_incomplete);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input trace_step(\n    task: string,\n    phase: /observe | /orient | /decide | /act,\n    thought: string,\n    at: time\n).\n",
            "input trace_outcome(task: string, outcome: name).\n",
            "relation phase(phase: /observe | /orient | /decide | /act).\n",
            "phase(/observe).\n",
            "phase(/orient).\n",
            "phase(/decide).\n",
            "phase(/act).\n",
            "relation traced_task(task: string).\n",
            "traced_task(Task) :- trace_step(task: Task).\n",
            "traced_task(Task) :- trace_outcome(Task, _).\n",
            "relation phase_recorded(task: string, phase: /observe | /orient | /decide | /act).\n",
            "phase_recorded(Task, Phase) :- trace_step(Task, Phase, Thought, _), trim(Thought) != \"\".\n",
            "relation trace_gap(task: string, phase: /observe | /orient | /decide | /act).\n",
            "@id(phase_not_recorded)\n@because(\"nothing is recorded of the phase {Phase} of {Task}\")\ntrace_gap(Task, Phase) :- traced_task(Task), phase(Phase), !phase_recorded(Task, Phase).\n",
            "decision trace_incomplete(task: string).\n",
            "@id(ended_with_a_gap)\n@because(\"{Task} ended as {Outcome} without a record of {Phase}\")\ntrace_incomplete(Task) :-\n    trace_gap(Task, Phase),\n    trace_outcome(Task, Outcome),\n    Outcome != /in_progress.\n",
        ),
    ];
}
