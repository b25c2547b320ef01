//! `analytics`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: what is normal, and what belongs together.

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

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event {
    /// `event`
    pub event: String,
    /// `source`
    pub source: Name,
    /// `type`
    pub r#type: Name,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Event {
    const TABLE: usize = 1;
    const RELATION: &'static str = "event";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("source", &self.source);
        row.put("type", &self.r#type);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), source: columns.take(), r#type: columns.take(), at: columns.take() }
    }
}

/// How alike two events are, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct EventSimilarity {
    /// `a`
    pub a: String,
    /// `b`
    pub b: String,
    /// `similarity`
    pub similarity: f64,
}

impl Record for EventSimilarity {
    const TABLE: usize = 2;
    const RELATION: &'static str = "event_similarity";

    fn write(&self, row: &mut Row) {
        row.put("a", &self.a);
        row.put("b", &self.b);
        row.put("similarity", &self.similarity);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { a: columns.take(), b: columns.take(), similarity: columns.take() }
    }
}

/// What is normal in an hour of the week, given by hand; it goes before what was learned.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Baseline {
    /// `source`
    pub source: Name,
    /// `type`
    pub r#type: Name,
    /// `weekday`
    pub weekday: i64,
    /// `hour`
    pub hour: i64,
    /// `mean`
    pub mean: f64,
    /// `stddev`
    pub stddev: f64,
}

impl Record for Baseline {
    const TABLE: usize = 3;
    const RELATION: &'static str = "baseline";

    fn write(&self, row: &mut Row) {
        row.put("source", &self.source);
        row.put("type", &self.r#type);
        row.put("weekday", &self.weekday);
        row.put("hour", &self.hour);
        row.put("mean", &self.mean);
        row.put("stddev", &self.stddev);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            source: columns.take(),
            r#type: columns.take(),
            weekday: columns.take(),
            hour: columns.take(),
            mean: columns.take(),
            stddev: columns.take(),
        }
    }
}

/// More happened in the last full hour than is normal.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Anomaly {
    /// `source`
    pub source: Name,
    /// `type`
    pub r#type: Name,
    /// `count`
    pub count: i64,
    /// `threshold`
    pub threshold: f64,
}

impl Record for Anomaly {
    const TABLE: usize = 11;
    const RELATION: &'static str = "anomaly";

    fn write(&self, row: &mut Row) {
        row.put("source", &self.source);
        row.put("type", &self.r#type);
        row.put("count", &self.count);
        row.put("threshold", &self.threshold);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            source: columns.take(),
            r#type: columns.take(),
            count: columns.take(),
            threshold: columns.take(),
        }
    }
}

/// Look for the one cause of these events.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RootCauseWanted {
    /// `leader`
    pub leader: String,
    /// `sources`
    pub sources: i64,
    /// `events`
    pub events: i64,
}

impl Record for RootCauseWanted {
    const TABLE: usize = 17;
    const RELATION: &'static str = "root_cause_wanted";

    fn write(&self, row: &mut Row) {
        row.put("leader", &self.leader);
        row.put("sources", &self.sources);
        row.put("events", &self.events);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { leader: columns.take(), sources: columns.take(), events: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// So many events of an hour are never an anomaly.
    pub anomaly_floor: f64,
    /// So many standard deviations above the mean are still normal.
    pub anomaly_width: f64,
    /// Events more alike than this belong together.
    pub correlated_above: f64,
    /// Only events younger than this are connected.
    pub correlation_span: i64,
    /// Events of so many sources that belong together want a root cause.
    pub sources_needed: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            anomaly_floor: 2.0,
            anomaly_width: 2.0,
            correlated_above: 0.7,
            correlation_span: 7200000000,
            sources_needed: 2,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("anomaly_floor", &self.anomaly_floor);
        row.put("anomaly_width", &self.anomaly_width);
        row.put("correlated_above", &self.correlated_above);
        row.put("correlation_span", &self.correlation_span);
        row.put("sources_needed", &self.sources_needed);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// Something that happened.
    pub event: Vec<Event>,
    /// How alike two events are, from 0 to 1.
    pub event_similarity: Vec<EventSimilarity>,
    /// What is normal in an hour of the week, given by hand; it goes before what was learned.
    pub baseline: Vec<Baseline>,
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
            anomaly: drawn(&decided.tables),
            root_cause_wanted: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.event)?;
        fill(tables, &self.event_similarity)?;
        fill(tables, &self.baseline)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Event> for Facts {
    fn extend<Many: IntoIterator<Item = Event>>(&mut self, facts: Many) {
        self.event.extend(facts);
    }
}

impl Extend<EventSimilarity> for Facts {
    fn extend<Many: IntoIterator<Item = EventSimilarity>>(&mut self, facts: Many) {
        self.event_similarity.extend(facts);
    }
}

impl Extend<Baseline> for Facts {
    fn extend<Many: IntoIterator<Item = Baseline>>(&mut self, facts: Many) {
        self.baseline.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// More happened in the last full hour than is normal.
    pub anomaly: Vec<Anomaly>,
    /// Look for the one cause of these events.
    pub root_cause_wanted: Vec<RootCauseWanted>,
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
        name: "analytics",
        fingerprint: "3feac4c217f1c24bfbf1f99f5201d51d",
        relations: &["now", "event", "event_similarity", "baseline", "judged_hour", "event_hour", "hour_count", "week_count", "learned_baseline", "judged_count", "normal", "anomaly", "recent_event", "alike_events", "connected_events", "correlated", "group_size", "root_cause_wanted"],
        params: &["anomaly_floor", "anomaly_width", "correlated_above", "correlation_span", "sources_needed"],
        rule_ids: &["judged_hour#1", "event_hour#1", "hour_count#1", "week_count#1", "week_count#2", "learned_baseline#1", "judged_count#1", "normal_as_given", "normal_as_learned", "normal_unknown", "more_than_normal", "recent_event#1", "alike_events#1", "alike_events#2", "connected_events#1", "connected_events#2", "correlated#1", "group_size#1", "several_sources_at_once"],
        arities: &[1, 4, 3, 6, 1, 5, 6, 6, 6, 3, 4, 4, 1, 2, 2, 2, 3, 3, 5, 6, 5, 2, 5],
        rules: &[&RULE_0, &RULE_1, &RULE_2, &RULE_5, &RULE_6, &RULE_10, &RULE_11, &RULE_16, &RULE_17],
        decisions: &["anomaly", "root_cause_wanted"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 18, &RULE_2, params);
        aggregate(tables, 20, &RULE_6, params);
        aggregate(tables, 21, &RULE_16, params);
        program_1::run(tables, params);
        aggregate(tables, 19, &RULE_5, params);
        aggregate(tables, 22, &RULE_17, params);
        program_2::run(tables, params);
    }

    fn facts(_: &mut Tables) {}

    // judged_hour#1
    fn judged_hour_0_0(now_1: Word) -> Eval {
        two(Op::SubTime, 0, two(Op::Truncate, 1, now_1, int(3600000000))?, int(3600000000))
    }

    // event_hour#1
    fn event_hour_1_0(at_5: Word) -> Eval {
        two(Op::Truncate, 0, at_5, int(3600000000))
    }

    fn event_hour_1_1(at_5: Word, judged_6: Word) -> Word {
        sure(Op::Less, &[at_5, judged_6])
    }

    #[rustfmt::skip]
    fn event_hour_1_2(judged_6: Word, start_3: Word) -> Eval {
        two(Op::SubInt, 1, one(Op::Ceil, 2, two(Op::DivDuration, 3, two(Op::SubInt, 4, judged_6, start_3)?, int(604800000000))?)?, int(1))
    }

    fn event_hour_1_3(week_4: Word) -> Word {
        sure(Op::Less, &[week_4, int(4)])
    }

    // hour_count#1
    fn hour_count_2_0(start_2: Word) -> Word {
        sure(Op::Weekday, &[start_2])
    }

    fn hour_count_2_1(start_2: Word) -> Word {
        sure(Op::Hour, &[start_2])
    }

    // judged_count#1
    fn judged_count_6_0(at_3: Word, start_4: Word) -> Word {
        sure(Op::GreaterEqual, &[at_3, start_4])
    }

    fn judged_count_6_1(at_3: Word, start_4: Word) -> Eval {
        Ok(sure(Op::Less, &[at_3, two(Op::AddTime, 0, start_4, int(3600000000))?]))
    }

    // normal_as_given
    fn normal_7_0(start_4: Word) -> Word {
        sure(Op::Weekday, &[start_4])
    }

    fn normal_7_1(start_4: Word) -> Word {
        sure(Op::Hour, &[start_4])
    }

    // normal_as_learned
    fn normal_8_0(start_4: Word) -> Word {
        sure(Op::Weekday, &[start_4])
    }

    fn normal_8_1(start_4: Word) -> Word {
        sure(Op::Hour, &[start_4])
    }

    fn normal_8_2(start_4: Word) -> Word {
        sure(Op::Weekday, &[start_4])
    }

    fn normal_8_3(start_4: Word) -> Word {
        sure(Op::Hour, &[start_4])
    }

    // normal_unknown
    fn normal_9_0(start_2: Word) -> Word {
        sure(Op::Weekday, &[start_2])
    }

    fn normal_9_1(start_2: Word) -> Word {
        sure(Op::Hour, &[start_2])
    }

    fn normal_9_2(start_2: Word) -> Word {
        sure(Op::Weekday, &[start_2])
    }

    fn normal_9_3(start_2: Word) -> Word {
        sure(Op::Hour, &[start_2])
    }

    // more_than_normal
    fn anomaly_10_0(p0: Word, mean_4: Word, p1: Word, deviation_5: Word) -> Eval {
        Ok(sure(Op::Max, &[p0, two(Op::AddFloat, 0, mean_4, two(Op::MulFloat, 1, p1, deviation_5)?)?]))
    }

    fn anomaly_10_1(count_2: Word, threshold_3: Word) -> Word {
        sure(Op::Greater, &[sure(Op::FloatOfInt, &[count_2]), threshold_3])
    }

    // recent_event#1
    fn recent_event_11_0(now_2: Word, at_1: Word, p3: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, now_2, at_1)?, p3]))
    }

    // alike_events#1
    fn alike_events_12_0(similarity_2: Word, p2: Word) -> Word {
        sure(Op::Greater, &[similarity_2, p2])
    }

    fn alike_events_12_1(a_0: Word, b_1: Word) -> Word {
        sure(Op::NotEqual, &[a_0, b_1])
    }

    // several_sources_at_once
    fn root_cause_wanted_18_0(sources_1: Word, p4: Word) -> Word {
        sure(Op::GreaterEqual, &[sources_1, p4])
    }

    /// The rule `judged_hour#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_0: Rule = Rule {
        number: 0,
        id: "judged_hour#1",
        head: 4,
        variables: &[("Start", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(0, &[Arg::Var(1)]),
            Step::Bind(0, &[1], |m| judged_hour_0_0(m.var(1))),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:30:41", "truncate(Now, 1h) - 1h"), ("rules/analytics/analytics.dl:30:41", "truncate(Now, 1h)")],
    };

    /// The rule `event_hour#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "event_hour#1",
        head: 5,
        variables: &[("Event", Type::String), ("Source", Type::Name), ("Type", Type::Name), ("Start", Type::Time), ("Week", Type::Int), ("At", Type::Time), ("Judged", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(5)]),
            Step::Atom(4, &[Arg::Var(6)]),
            Step::Test(&[5, 6], |m| Ok(event_hour_1_1(m.var(5), m.var(6)))),
            Step::Bind(3, &[5], |m| event_hour_1_0(m.var(5))),
            Step::Bind(4, &[3, 6], |m| event_hour_1_2(m.var(6), m.var(3))),
            Step::Test(&[4], |m| Ok(event_hour_1_3(m.var(4)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Var(4),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:39:13", "truncate(At, 1h)"), ("rules/analytics/analytics.dl:40:12", "ceil((Judged - Start) / 7d) - 1"), ("rules/analytics/analytics.dl:40:12", "ceil((Judged - Start) / 7d)"), ("rules/analytics/analytics.dl:40:17", "(Judged - Start) / 7d"), ("rules/analytics/analytics.dl:40:18", "Judged - Start")],
    };

    /// The rule `hour_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_2: Rule = Rule {
        number: 2,
        id: "hour_count#1",
        head: 6,
        variables: &[("Source", Type::Name), ("Type", Type::Name), ("Start", Type::Time), ("Week", Type::Int)],
        body: &[
            Step::Atom(5, &[Arg::Any, Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| Ok(hour_count_2_0(m.var(2)))),
            Term::Plain(|m| Ok(hour_count_2_1(m.var(2)))),
            Term::Var(3),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:46:61", "count()")],
    };

    /// The rule `learned_baseline#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "learned_baseline#1",
        head: 8,
        variables: &[("Source", Type::Name), ("Type", Type::Name), ("Weekday", Type::Int), ("Hour", Type::Int), ("Count", Type::Int)],
        body: &[
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Any, Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Of(Aggregate::Mean, &[(Type::Int, |m| Ok(m.var(4)))], 0),
            Term::Of(Aggregate::StdDev, &[(Type::Int, |m| Ok(m.var(4)))], 1),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:69:47", "mean(Count)"), ("rules/analytics/analytics.dl:69:60", "stddev(Count)")],
    };

    /// The rule `judged_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "judged_count#1",
        head: 9,
        variables: &[("Source", Type::Name), ("Type", Type::Name), ("Event", Type::String), ("At", Type::Time), ("Start", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Var(2), Arg::Var(0), Arg::Var(1), Arg::Var(3)]),
            Step::Atom(4, &[Arg::Var(4)]),
            Step::Test(&[3, 4], |m| Ok(judged_count_6_0(m.var(3), m.var(4)))),
            Step::Test(&[3, 4], |m| judged_count_6_1(m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 1),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:79:10", "Start + 1h"), ("rules/analytics/analytics.dl:75:28", "count(Event)")],
    };

    /// The rule `more_than_normal`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_10: Rule = Rule {
        number: 10,
        id: "more_than_normal",
        head: 11,
        variables: &[("Source", Type::Name), ("Type", Type::Name), ("Count", Type::Int), ("Threshold", Type::Float), ("Mean", Type::Float), ("Deviation", Type::Float)],
        body: &[
            Step::Atom(9, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(10, &[Arg::Var(0), Arg::Var(1), Arg::Var(4), Arg::Var(5)]),
            Step::Bind(3, &[4, 5], |m| anomaly_10_0(m.param(0), m.var(4), m.param(1), m.var(5))),
            Step::Test(&[2, 3], |m| Ok(anomaly_10_1(m.var(2), m.var(3)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:115:36", "Mean + anomaly_width * Deviation"), ("rules/analytics/analytics.dl:115:43", "anomaly_width * Deviation")],
    };

    /// The rule `recent_event#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_11: Rule = Rule {
        number: 11,
        id: "recent_event#1",
        head: 12,
        variables: &[("Event", Type::String), ("At", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| recent_event_11_0(m.var(2), m.var(1), m.param(3))),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:121:63", "Now - At")],
    };

    /// The rule `correlated#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_16: Rule = Rule {
        number: 16,
        id: "correlated#1",
        head: 15,
        variables: &[("Event", Type::String), ("Other", Type::String)],
        body: &[
            Step::Atom(14, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:143:19", "min(Other)")],
    };

    /// The rule `group_size#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_17: Rule = Rule {
        number: 17,
        id: "group_size#1",
        head: 16,
        variables: &[("Leader", Type::String), ("Source", Type::Name), ("Event", Type::String)],
        body: &[
            Step::Atom(15, &[Arg::Var(2), Arg::Var(0)]),
            Step::Atom(1, &[Arg::Var(2), Arg::Var(1), Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::Name, |m| Ok(m.var(1)))], 0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 1),
        ],
        limit: None,
        places: &[("rules/analytics/analytics.dl:148:20", "count(Source)"), ("rules/analytics/analytics.dl:148:35", "count(Event)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R4JudgedHour,
            Row5 as R5EventHour,
            Row1 as R12RecentEvent,
            Row2 as R13AlikeEvents,
            Row2 as R14ConnectedEvents,
            Row5 as M2,
            Row5 as M6,
            Row2 as M16,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R4JudgedHour(Word);
            @output
            #[cfg(any())]
            struct R5EventHour(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12RecentEvent(Word);
            @output
            #[cfg(any())]
            struct R13AlikeEvents(Word, Word);
            @output
            #[cfg(any())]
            struct R14ConnectedEvents(Word, Word);
            @output
            #[cfg(any())]
            struct M2(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M16(Word, Word);

            // judged_hour#1
            R4JudgedHour(start_0) <-
                Source(input),
                for row_1 in input.rows(0),
                let [now_1] = row_1,
                let Some(start_0) = tried(0, judged_hour_0_0(now_1)),
                (go());

            // event_hour#1
            R5EventHour(event_0, source_1, type_2, start_3, week_4) <-
                Source(input),
                for row_1 in input.rows(1),
                let [event_0, source_1, type_2, at_5] = row_1,
                let Some(start_3) = tried(1, event_hour_1_0(at_5)),
                R4JudgedHour(judged_6),
                (event_hour_1_1(at_5, judged_6).as_bool()),
                let Some(week_4) = tried(1, event_hour_1_2(judged_6, start_3)),
                (event_hour_1_3(week_4).as_bool()),
                (go());

            // hour_count#1
            M2(source_0, type_1, start_2, week_3, open_1) <-
                R5EventHour(open_1, source_0, type_1, start_2, week_3),
                (go());

            // judged_count#1
            M6(source_0, type_1, event_2, at_3, start_4) <-
                Source(input),
                for row_1 in input.rows(1),
                let [event_2, source_0, type_1, at_3] = row_1,
                R4JudgedHour(start_4),
                (judged_count_6_0(at_3, start_4).as_bool()),
                let Some(true) = held(6, judged_count_6_1(at_3, start_4)),
                (go());

            // recent_event#1
            R12RecentEvent(event_0) <-
                Source(input),
                let p3 = input.param(3),
                for row_2 in input.rows(1),
                let [event_0, _, _, at_1] = row_2,
                for row_4 in input.rows(0),
                let [now_2] = row_4,
                let Some(true) = held(11, recent_event_11_0(now_2, at_1, p3)),
                (go());

            // alike_events#1
            R13AlikeEvents(a_0, b_1) <-
                Source(input),
                let p2 = input.param(2),
                for row_2 in input.rows(2),
                let [a_0, b_1, similarity_2] = row_2,
                (alike_events_12_0(similarity_2, p2).as_bool()),
                (alike_events_12_1(a_0, b_1).as_bool()),
                R12RecentEvent(a_0),
                R12RecentEvent(b_1),
                (go());

            // alike_events#2
            R13AlikeEvents(b_0, a_1) <-
                R13AlikeEvents(a_1, b_0),
                (go());

            // connected_events#1
            R14ConnectedEvents(a_0, b_1) <-
                R13AlikeEvents(a_0, b_1),
                (go());

            // connected_events#2
            R14ConnectedEvents(a_0, c_1) <-
                R14ConnectedEvents(a_0, b_2),
                R13AlikeEvents(b_2, c_1),
                (go());

            // correlated#1
            M16(event_0, other_1) <-
                R14ConnectedEvents(event_0, other_1),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r4_judged_hour, r5_event_hour, r12_recent_event, r13_alike_events, r14_connected_events, m2, m6, m16) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(4, &r4_judged_hour);
            tables.set(5, &r5_event_hour);
            tables.set(12, &r12_recent_event);
            tables.set(13, &r13_alike_events);
            tables.set(14, &r14_connected_events);
            tables.set(18, &m2);
            tables.set(20, &m6);
            tables.set(21, &m16);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row4 as R1Event,
            Row6 as R6HourCount,
            Row6 as R7WeekCount,
            Row6 as M5,
            Row5 as M17,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R7WeekCount(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M5(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M17(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1Event(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R6HourCount(Word, Word, Word, Word, Word, Word);

            R1Event(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(1);

            R6HourCount(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(6);

            // week_count#1
            R7WeekCount(source_0, type_1, weekday_2, hour_3, week_4, count_5) <-
                R6HourCount(source_0, type_1, weekday_2, hour_3, week_4, count_5),
                (go());

            // week_count#2
            R7WeekCount(source_0, type_1, weekday_2, hour_3, week_4, int(0)) <-
                for element_4 in each(Generator::Range, &[int(0), int(4)]),
                let week_4 = element_4,
                R6HourCount(source_0, type_1, weekday_2, hour_3, _, _),
                !R6HourCount(source_0, type_1, weekday_2, hour_3, week_4, _),
                (go());

            // learned_baseline#1
            M5(source_0, type_1, weekday_2, hour_3, count_4, open_1) <-
                R7WeekCount(source_0, type_1, weekday_2, hour_3, open_1, count_4),
                (go());

            // group_size#1
            M17(leader_0, source_1, event_2, open_1, open_2) <-
                Source(input),
                for row_1 in input.rows(15),
                let [event_2, leader_0] = row_1,
                R1Event(event_2, source_1, open_1, open_2),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r7_week_count, m5, m17, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(7, &r7_week_count);
            tables.set(19, &m5);
            tables.set(22, &m17);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row6 as R3Baseline,
            Row6 as R8LearnedBaseline,
            Row4 as R10Normal,
            Row4 as R11Anomaly,
            Row3 as R17RootCauseWanted,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R10Normal(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R11Anomaly(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R17RootCauseWanted(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R3Baseline(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8LearnedBaseline(Word, Word, Word, Word, Word, Word);

            R3Baseline(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(3);

            R8LearnedBaseline(c0, c1, c2, c3, c4, c5) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5] in input.rows(8);

            // normal_as_given
            R10Normal(source_0, type_1, mean_2, deviation_3) <-
                Source(input),
                for row_1 in input.rows(9),
                let [source_0, type_1, _] = row_1,
                for row_3 in input.rows(4),
                let [start_4] = row_3,
                let value_5 = normal_7_0(start_4),
                let value_6 = normal_7_1(start_4),
                R3Baseline(source_0, type_1, value_5, value_6, mean_2, deviation_3),
                (go());

            // normal_as_learned
            R10Normal(source_0, type_1, mean_2, deviation_3) <-
                Source(input),
                for row_1 in input.rows(9),
                let [source_0, type_1, _] = row_1,
                for row_3 in input.rows(4),
                let [start_4] = row_3,
                let value_5 = normal_8_0(start_4),
                let value_6 = normal_8_1(start_4),
                !R3Baseline(source_0, type_1, value_5, value_6, _, _),
                let value_7 = normal_8_2(start_4),
                let value_8 = normal_8_3(start_4),
                R8LearnedBaseline(source_0, type_1, value_7, value_8, mean_2, deviation_3),
                (go());

            // normal_unknown
            R10Normal(source_0, type_1, float(0.0), float(0.0)) <-
                Source(input),
                for row_1 in input.rows(9),
                let [source_0, type_1, _] = row_1,
                for row_3 in input.rows(4),
                let [start_2] = row_3,
                let value_3 = normal_9_0(start_2),
                let value_4 = normal_9_1(start_2),
                !R3Baseline(source_0, type_1, value_3, value_4, _, _),
                let value_5 = normal_9_2(start_2),
                let value_6 = normal_9_3(start_2),
                !R8LearnedBaseline(source_0, type_1, value_5, value_6, _, _),
                (go());

            // more_than_normal
            R11Anomaly(source_0, type_1, count_2, threshold_3) <-
                Source(input),
                let p0 = input.param(0),
                let p1 = input.param(1),
                for row_3 in input.rows(9),
                let [source_0, type_1, count_2] = row_3,
                R10Normal(source_0, type_1, mean_4, deviation_5),
                let Some(threshold_3) = tried(10, anomaly_10_0(p0, mean_4, p1, deviation_5)),
                (anomaly_10_1(count_2, threshold_3).as_bool()),
                (go());

            // several_sources_at_once
            R17RootCauseWanted(leader_0, sources_1, events_2) <-
                Source(input),
                let p4 = input.param(4),
                for row_2 in input.rows(16),
                let [leader_0, sources_1, events_2] = row_2,
                (root_cause_wanted_18_0(sources_1, p4).as_bool()),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r10_normal, r11_anomaly, r17_root_cause_wanted, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(10, &r10_normal);
            tables.set(11, &r11_anomaly);
            tables.set(17, &r17_root_cause_wanted);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input event(event: string, source: name, type: name, at: time).\n",
            "input event_similarity(a: string, b: string, similarity: float).\n",
            "input baseline(source: name, type: name, weekday: int, hour: int, mean: float, stddev: float).\n",
            "param anomaly_floor: float = 2.0.\n",
            "param anomaly_width: float = 2.0.\n",
            "param correlated_above: float = 0.7.\n",
            "param correlation_span: duration = 2h.\n",
            "param sources_needed: int = 2.\n",
            "relation judged_hour(start: time).\n",
            "judged_hour(Start) :- now(Now), Start = truncate(Now, 1h) - 1h.\n",
            "relation event_hour(event: string, source: name, type: name, start: time, week: int).\n",
            "event_hour(Event, Source, Type, Start, Week) :-\n    event(Event, Source, Type, At),\n    judged_hour(Judged),\n    At < Judged,\n    Start = truncate(At, 1h),\n    Week = ceil((Judged - Start) / 7d) - 1,\n    Week < 4.\n",
            "relation hour_count(source: name, type: name, weekday: int, hour: int, week: int, count: int).\n",
            "hour_count(Source, Type, weekday(Start), hour(Start), Week, count()) :-\n    event_hour(_, Source, Type, Start, Week).\n",
            "relation week_count(source: name, type: name, weekday: int, hour: int, week: int, count: int).\n",
            "week_count(Source, Type, Weekday, Hour, Week, Count) :-\n    hour_count(Source, Type, Weekday, Hour, Week, Count).\n",
            "week_count(Source, Type, Weekday, Hour, Week, 0) :-\n    hour_count(Source, Type, Weekday, Hour, _, _),\n    Week in range(0, 4),\n    !hour_count(Source, Type, Weekday, Hour, Week, _).\n",
            "relation learned_baseline(\n    source: name,\n    type: name,\n    weekday: int,\n    hour: int,\n    mean: float,\n    stddev: float\n).\n",
            "learned_baseline(Source, Type, Weekday, Hour, mean(Count), stddev(Count)) :-\n    week_count(Source, Type, Weekday, Hour, _, Count).\n",
            "relation judged_count(source: name, type: name, count: int).\n",
            "judged_count(Source, Type, count(Event)) :-\n    event(Event, Source, Type, At),\n    judged_hour(Start),\n    At >= Start,\n    At < Start + 1h.\n",
            "relation normal(source: name, type: name, mean: float, stddev: float).\n",
            "@id(normal_as_given)\n@because(\"{Mean} events were said to be normal, give or take {Deviation}\")\nnormal(Source, Type, Mean, Deviation) :-\n    judged_count(Source, Type, _),\n    judged_hour(Start),\n    baseline(Source, Type, weekday(Start), hour(Start), Mean, Deviation).\n",
            "@id(normal_as_learned)\n@because(\"four weeks had {Mean} events in this hour on average, give or take {Deviation}\")\nnormal(Source, Type, Mean, Deviation) :-\n    judged_count(Source, Type, _),\n    judged_hour(Start),\n    !baseline(Source, Type, weekday(Start), hour(Start), _, _),\n    learned_baseline(Source, Type, weekday(Start), hour(Start), Mean, Deviation).\n",
            "@id(normal_unknown)\n@because(\"nothing is known of this hour\")\nnormal(Source, Type, 0.0, 0.0) :-\n    judged_count(Source, Type, _),\n    judged_hour(Start),\n    !baseline(Source, Type, weekday(Start), hour(Start), _, _),\n    !learned_baseline(Source, Type, weekday(Start), hour(Start), _, _).\n",
            "decision anomaly(source: name, type: name, count: int, threshold: float).\n",
            "@id(more_than_normal)\n@because(\"{Source} had {Count} events of {Type} in an hour, above the threshold of {Threshold}\")\nanomaly(Source, Type, Count, Threshold) :-\n    judged_count(Source, Type, Count),\n    normal(Source, Type, Mean, Deviation),\n    Threshold = max(anomaly_floor, Mean + anomaly_width * Deviation),\n    float(Count) > Threshold.\n",
            "relation recent_event(event: string).\n",
            "recent_event(Event) :- event(event: Event, at: At), now(Now), Now - At < correlation_span.\n",
            "relation alike_events(a: string, b: string).\n",
            "alike_events(A, B) :-\n    event_similarity(A, B, Similarity),\n    Similarity > correlated_above,\n    A != B,\n    recent_event(A),\n    recent_event(B).\n",
            "alike_events(B, A) :- alike_events(A, B).\n",
            "relation connected_events(a: string, b: string).\n",
            "connected_events(A, B) :- alike_events(A, B).\n",
            "connected_events(A, C) :- connected_events(A, B), alike_events(B, C).\n",
            "relation correlated(event: string, leader: string).\n",
            "correlated(Event, min(Other)) :- connected_events(Event, Other).\n",
            "relation group_size(leader: string, sources: int, events: int).\n",
            "group_size(Leader, count(Source), count(Event)) :-\n    correlated(Event, Leader),\n    event(event: Event, source: Source).\n",
            "decision root_cause_wanted(leader: string, sources: int, events: int).\n",
            "@id(several_sources_at_once)\n@because(\"{Events} events of {Sources} sources belong together with {Leader}\")\nroot_cause_wanted(Leader, Sources, Events) :-\n    group_size(Leader, Sources, Events),\n    Sources >= sources_needed.\n",
        ),
    ];
}
