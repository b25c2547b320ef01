//! A year of an agent's log: what its tools did and what went wrong, what it was asked for, and what people said of its tools,
//! as the shipped packs take it. Facts are rows of small numbers; [`Kind`] says which value one stands for.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

use crate::facts::each;
use crate::generate::{Size, write_rows};
use crate::random::Random;

/// Thursday 2026-01-01 00:00:00 UTC, in microseconds.
const BEGIN: i64 = 1_767_225_600_000_000;
const SECONDS_OF_A_DAY: u32 = 86_400;

/// Domains, in the order of their names.
pub const DOMAINS: [&str; 5] = ["crypto", "engineering", "global", "marketing", "operations"];
/// The place of the domain that stands for all.
pub const GLOBAL: u32 = 2;
/// How often each domain occurs, in percent.
const DOMAIN_SHARES: [u32; 5] = [18, 31, 3, 28, 20];

/// What error texts may show, with the place of the category that it speaks for by itself (none for half of a pair).
pub const SIGNALS: [(&str, Option<u32>); 16] = [
    ("connection_refused", Some(2)),
    ("timed_out", Some(2)),
    ("cannot_find_module", Some(2)),
    ("unexpected_token", Some(3)),
    ("assertion_error", Some(4)),
    ("access_denied", Some(1)),
    ("expected", None),
    ("received", None),
    ("syntax_error", Some(3)),
    ("not_assignable", Some(3)),
    ("npm_error", Some(2)),
    ("property", None),
    ("does_not_exist", None),
    ("circular_dependency", Some(5)),
    ("stack_overflow", Some(5)),
    ("trust_level", Some(1)),
];

/// The places of the signals that speak for a category in pairs.
pub const EXPECTED: u32 = 6;
pub const RECEIVED: u32 = 7;
pub const PROPERTY: u32 = 11;
pub const DOES_NOT_EXIST: u32 = 12;

/// The categories of errors in the order in which they are looked for, from 1.
pub const CATEGORIES: [&str; 6] = ["permission", "dependency", "syntax", "logic", "architecture", "unknown"];

const VERDICTS: [&str; 3] = ["negative", "positive", "correction"];
const ACTIONS: [&str; 4] = ["penalize", "boost", "constraint", "correct"];

/// What the numbers of a column stand for.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Int,
    /// A text that begins so; the order of texts is that of their numbers.
    Text(&'static str),
    /// A name of this list.
    Name(&'static [&'static str]),
    Signal,
    Bool,
    Milliseconds,
    /// Seconds since the year began.
    Moment,
    Thousandths,
}

use Kind::{Bool, Int, Milliseconds, Moment, Name, Signal, Text, Thousandths};

const TOOL: Kind = Text("tool");
const GOAL: Kind = Text("goal");
const FEEDBACK: Kind = Text("feedback");
const DOMAIN: Kind = Name(&DOMAINS);

/// The relations of the log with their columns.
pub const RELATIONS: [(&str, &[Kind]); 17] = [
    ("tool", &[TOOL]),
    ("tool_run", &[Int, TOOL, DOMAIN, Bool, Milliseconds, Moment]),
    ("failure_mode", &[Int, Text("mode")]),
    ("goal", &[GOAL, Text("look into subject")]),
    ("goal_domain_given", &[GOAL, DOMAIN]),
    ("domain_signal", &[GOAL, DOMAIN]),
    ("pattern_match", &[GOAL, TOOL, Int, Int]),
    ("tool_memory", &[Text("memory"), DOMAIN, TOOL, Thousandths]),
    ("error", &[Text("run"), Int]),
    ("error_signal", &[Text("run"), Signal]),
    ("feedback", &[FEEDBACK, TOOL, DOMAIN, Name(&VERDICTS), Name(&ACTIONS), Moment]),
    ("feedback_by", &[FEEDBACK, Text("person")]),
    ("feedback_text", &[FEEDBACK, Text("reason"), Text("evidence")]),
    ("feedback_goal", &[FEEDBACK, Text("subject")]),
    ("feedback_lasts", &[FEEDBACK, Milliseconds]),
    ("feedback_replacement", &[FEEDBACK, TOOL]),
    ("feedback_withdrawn", &[FEEDBACK, Moment]),
];

/// The results that are compared, and how many of their columns.
pub const RESULTS: [(&str, usize); 5] =
    [("tool_stats", 6), ("recent_failure_mode", 4), ("select_tool", 3), ("no_tool", 2), ("handle_error", 2)];

impl Kind {
    /// The value that a number stands for.
    pub fn value(self, number: u32) -> Value {
        let name = |name: &str| Value::Name(Symbol::from(name));
        match self {
            Int => Value::Int(i64::from(number)),
            Text(prefix) => Value::String(Symbol::from(format!("{prefix}_{number:06}").as_str())),
            Name(names) => name(&format!("/{}", names[number as usize])),
            Signal => name(&format!("/{}", SIGNALS[number as usize].0)),
            Bool => Value::Bool(number != 0),
            Milliseconds => Value::Duration(i64::from(number) * 1_000),
            Moment => Value::Time(microseconds(number)),
            Thousandths => Value::Float(Float::new(f64::from(number) / 1_000.0).unwrap()),
        }
    }
}

/// What a value of a result is as a number, of the text of a name or string.
pub fn number_of_text(text: &str) -> u64 {
    let name = text.trim_start_matches('/');
    let place = |names: &[&str]| names.iter().position(|known| *known == name);
    let known = place(&DOMAINS).or_else(|| place(&CATEGORIES).map(|place| place + 1));
    known.map_or_else(|| name.rsplit('_').next().unwrap().parse().unwrap(), |place| place as u64)
}

/// A second of the year in microseconds since 1970, as hence has times.
pub fn microseconds(second: u32) -> i64 {
    BEGIN + i64::from(second) * 1_000_000
}

/// The log while it is written.
struct Log<'a> {
    folder: &'a Path,
    random: Random,
    tools: u32,
}

/// Writes the log: a `.facts` file a relation, and `year.jsonl` as the command takes it.
pub fn write(size: Size, folder: &Path) {
    let (runs, goals, tools, feedbacks) = match size {
        Size::Full => (500_000, 20_000, 48, 400),
        Size::Quick => (20_000, 800, 12, 40),
    };
    let mut log = Log { folder, random: Random::new(1012), tools };
    log.relation("tool", (0..tools).map(|tool| [tool]).collect());
    log.runs(runs);
    log.goals(goals);
    log.feedback(feedbacks);
    let mut lines = String::new();
    for (relation, kinds) in RELATIONS {
        rows_of(folder, relation, |row| line(&mut lines, relation, kinds, row));
    }
    fs::write(folder.join("year.jsonl"), lines).unwrap();
}

/// Calls `take` with each row of a relation of the log.
pub fn rows_of(folder: &Path, relation: &str, mut take: impl FnMut(&[u32])) {
    let (_, kinds) = RELATIONS.iter().find(|(name, _)| *name == relation).unwrap();
    match kinds.len() {
        1 => each::<1>(folder, relation, |row| take(&row)),
        2 => each::<2>(folder, relation, |row| take(&row)),
        3 => each::<3>(folder, relation, |row| take(&row)),
        4 => each::<4>(folder, relation, |row| take(&row)),
        _ => each::<6>(folder, relation, |row| take(&row)),
    }
}

/// A fact as JSON Lines have it.
fn line(lines: &mut String, relation: &str, kinds: &[Kind], row: &[u32]) {
    let _ = write!(lines, "{{\"{relation}\": [");
    for (at, (kind, number)) in kinds.iter().zip(row).enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let value = kind.value(*number);
        let _ = match kind {
            Int | Bool | Thousandths => write!(lines, "{comma}{value}"),
            _ => write!(lines, "{comma}\"{}\"", value.to_string().trim_matches(['"', '@'])),
        };
    }
    lines.push_str("]}\n");
}

impl Log<'_> {
    fn relation<const N: usize>(&self, name: &str, rows: Vec<[u32; N]>) {
        write_rows(self.folder, name, rows.into_iter());
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.random.below(100) < chance
    }

    fn domain(&mut self) -> u32 {
        let mut left = self.random.below(100);
        let shares = DOMAIN_SHARES.iter();
        let past = shares.take_while(|share| {
            let within = left < **share;
            left = left.saturating_sub(**share);
            !within
        });
        past.count() as u32
    }

    /// A tool; a few are used most.
    fn tool(&mut self) -> u32 {
        (f64::from(self.tools) * self.random.unit().powi(2)) as u32
    }

    /// A second of the year, mostly of working hours.
    fn second(&mut self) -> u32 {
        let hour = if self.percent(92) { 7 + self.random.below(13) } else { self.random.below(24) };
        self.random.below(365) * SECONDS_OF_A_DAY + hour * 3_600 + self.random.below(3_600)
    }

    /// What tools did, in the order of time, and what went wrong.
    fn runs(&mut self, count: u32) {
        let pairs = self.tools as usize * DOMAINS.len();
        let succeeds: Vec<u32> = (0..pairs).map(|_| 50 + self.random.below(48)).collect();
        let takes: Vec<u32> =
            (0..self.tools).map(|_| (20.0 * 1_000_f64.powf(self.random.unit())) as u32).collect();
        let mut moments: Vec<u32> = (0..count).map(|_| self.second()).collect();
        moments.sort_unstable();
        let (mut runs, mut modes, mut errors, mut signals) = (vec![], vec![], vec![], vec![]);
        for (run, moment) in (1..).zip(moments) {
            let (tool, domain) = (self.tool(), self.domain());
            let ok = self.percent(succeeds[tool as usize * DOMAINS.len() + domain as usize]);
            let takes = takes[tool as usize];
            let latency =
                (takes / 2 + self.random.below(takes)) * if !ok && self.percent(20) { 6 } else { 1 };
            runs.push([run, tool, domain, u32::from(ok), latency, moment]);
            if ok {
                continue;
            }
            if self.percent(80) {
                modes.push([run, (40.0 * self.random.unit().powi(2)) as u32]);
            }
            let length =
                if self.percent(4) { 2_001 + self.random.below(9_000) } else { 20 + self.random.below(700) };
            errors.push([run, length]);
            let mut shown: Vec<u32> = (0..self.random.below(4))
                .map(|_| (SIGNALS.len() as f64 * self.random.unit().powi(2)) as u32)
                .collect();
            shown.sort_unstable();
            shown.dedup();
            signals.extend(shown.into_iter().map(|signal| [run, signal]));
        }
        self.relation("tool_run", runs);
        self.relation("failure_mode", modes);
        self.relation("error", errors);
        self.relation("error_signal", signals);
    }

    /// What the agent was asked for, what points to a domain or a tool, and what it remembers of tools.
    fn goals(&mut self, count: u32) {
        let (mut goals, mut given, mut signals, mut matches) = (vec![], vec![], vec![], vec![]);
        for goal in 0..count {
            goals.push([goal, self.random.below(300)]);
            if self.percent(20) {
                given.push([goal, self.domain()]);
            }
            if self.percent(75) {
                let (one, other) = (self.domain(), self.domain());
                signals.push([goal, one]);
                if other != one {
                    signals.push([goal, other]);
                }
            }
            let fitting = self.random.below(6);
            for tool in self.random.sample(self.tools, fitting) {
                let total = 3 + self.random.below(6);
                matches.push([goal, tool, 1 + self.random.below(total), total]);
            }
        }
        let memories = (0..count / 10)
            .map(|memory| [memory, self.domain(), self.tool(), 100 + self.random.below(901)])
            .collect();
        self.relation("goal", goals);
        self.relation("goal_domain_given", given);
        self.relation("domain_signal", signals);
        self.relation("pattern_match", matches);
        self.relation("tool_memory", memories);
    }

    /// What people said of tools.
    fn feedback(&mut self, count: u32) {
        let (mut all, mut by, mut texts, mut goals) = (vec![], vec![], vec![], vec![]);
        let (mut lasts, mut replacements, mut withdrawn) = (vec![], vec![], vec![]);
        for feedback in 0..count {
            let said = [[0, 0], [0, 0], [1, 1], [0, 2], [2, 3]][self.random.below(5) as usize];
            let [verdict, action] = said;
            all.push([feedback, self.tool(), self.domain(), verdict, action, self.second()]);
            by.push([feedback, self.random.below(5)]);
            texts.push([feedback, self.random.below(40), feedback]);
            // A constraint on every goal would soon leave no tool.
            if action == 2 || self.percent(60) {
                goals.push([feedback, self.random.below(300)]);
            }
            if self.percent(20) {
                lasts.push([feedback, (1 + self.random.below(14)) * SECONDS_OF_A_DAY * 1_000]);
            }
            if action == 3 {
                replacements.push([feedback, self.tool()]);
            }
            if self.percent(10) {
                withdrawn.push([feedback, 364 * SECONDS_OF_A_DAY]);
            }
        }
        self.relation("feedback", all);
        self.relation("feedback_by", by);
        self.relation("feedback_text", texts);
        self.relation("feedback_goal", goals);
        self.relation("feedback_lasts", lasts);
        self.relation("feedback_replacement", replacements);
        self.relation("feedback_withdrawn", withdrawn);
    }
}
