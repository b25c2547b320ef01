//! One change to a standing base: 52 rules, so many facts, one fact asserted or retracted at a time, with the decisions
//! drawn and lapsed.

mod dataflow;
mod differential;
pub mod durable;

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use hence::session::{CommitOutcome, CommitRequest, RuleSet, Session};
use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Value, Word};
use hence_engine::{Database, Limits};
use hence_engine::{FactChange, Incremental};
use hence_lang::ir::Program;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::child;
use crate::measure::{Moment, Pieces, Series, peak_kib, reset_peak_kib};
use crate::options::Options;
use crate::peers::hence::rules;
use crate::random::Random;
use crate::report::{digits, spread, table};

pub const RULES: &str = include_str!("../../rules/standing.dl");
const DOMAINS: u32 = 20;
const MOST: usize = 20_000;

/// How many changes without facts are measured after the others.
const EMPTY: usize = 500;

/// The base as it grows.
struct Base {
    random: Random,
    tools: u32,
    runs: u32,
    incidents: u32,
    tasks: u32,
}

fn name(text: &str) -> Value {
    Value::Name(text.into())
}

fn numbered(text: &str, number: u32) -> Value {
    Value::String(format!("{text}_{number}").as_str().into())
}

fn int(number: u32) -> Value {
    Value::Int(i64::from(number))
}

impl Base {
    fn new(facts: u32) -> Self {
        Self { random: Random::new(2001), tools: (facts / 50).max(10), runs: 0, incidents: 0, tasks: 0 }
    }

    fn some_tool(&mut self) -> Value {
        // Some are used far more often than others.
        let tool = (f64::from(self.tools) * self.random.unit().powf(1.5)) as u32;
        numbered("tool", tool)
    }

    fn some_domain(&mut self) -> Value {
        name(&format!("/domain_{}", self.random.below(DOMAINS)))
    }

    fn run(&mut self) -> Fact {
        self.runs += 1;
        let (tool, domain) = (self.some_tool(), self.some_domain());
        let ok = Value::Bool(self.random.unit() < 0.7);
        let (latency, cost) = (int(self.random.below(1_000)), int(self.random.below(50)));
        Fact::new("tool_run", [int(self.runs), tool, domain, ok, latency, cost])
    }

    fn failure(&mut self) -> Fact {
        let run = int(1 + self.random.below(self.runs.max(1)));
        let mode = self.random.below(8);
        Fact::new("failure", [run, name(&format!("/mode_{mode}"))])
    }

    fn incident(&mut self) -> Fact {
        self.incidents += 1;
        let (tool, severity) = (self.some_tool(), int(1 + self.random.below(5)));
        Fact::new("incident", [int(self.incidents), tool, severity])
    }

    fn task(&mut self) -> Fact {
        self.tasks += 1;
        let (domain, tool) = (self.some_domain(), self.some_tool());
        Fact::new("task", [int(self.tasks), domain, tool, int(self.random.below(10))])
    }

    fn done(&mut self) -> Fact {
        Fact::new("done", [int(1 + self.random.below(self.tasks.max(1)))])
    }

    fn resolved(&mut self) -> Fact {
        Fact::new("resolved", [int(1 + self.random.below(self.incidents.max(1)))])
    }

    fn review(&mut self) -> Fact {
        let (tool, approved) = (self.some_tool(), self.random.unit() < 0.8);
        Fact::new("review", [tool, Value::Bool(approved)])
    }

    /// A fact of those that come and go, in the shares in which they stand.
    fn any(&mut self) -> Fact {
        match self.random.below(100) {
            0..76 => self.run(),
            76..84 => self.failure(),
            84..88 => self.task(),
            88..92 => self.done(),
            92..94 => self.incident(),
            94..96 => self.resolved(),
            96..98 => self.review(),
            _ => {
                let (task, on) =
                    (1 + self.random.below(self.tasks.max(1)), 1 + self.random.below(self.tasks.max(1)));
                Fact::new("blocked_by", [int(task), int(on)])
            }
        }
    }

    /// About so many facts, each once.
    fn facts(&mut self, count: u32) -> Vec<Fact> {
        let mut facts = HashSet::new();
        for tool in 0..self.tools {
            facts.insert(Fact::new("tool", [numbered("tool", tool)]));
            if tool % 3 > 0 {
                facts.insert(Fact::new("owner", [numbered("tool", tool), numbered("person", tool % 97)]));
            }
            // Chains of tools that call one another.
            if tool % 8 > 0 {
                facts.insert(Fact::new("depends", [numbered("tool", tool), numbered("tool", tool - 1)]));
            }
            if tool % 101 == 0 {
                facts.insert(Fact::new("banned", [numbered("tool", tool)]));
            }
        }
        facts.extend((0..50).map(|person| Fact::new("trusted", [numbered("person", person)])));
        for domain in 0..DOMAINS {
            let cents = int(count / DOMAINS * 19 + domain * 10);
            facts.insert(Fact::new("budget", [name(&format!("/domain_{domain}")), cents]));
        }
        while facts.len() < count as usize {
            facts.insert(self.any());
        }
        let mut facts: Vec<Fact> = facts.into_iter().collect();
        facts.sort_unstable();
        facts
    }
}

/// The decisions that a change drew, and those that lapsed.
struct Difference {
    drawn: Vec<Fact>,
    lapsed: Vec<Fact>,
}

/// What takes changes one by one.
enum Taker {
    /// The public face: [`Session::commit`] over facts in memory, with the reason of every decision drawn.
    Session(Box<Session>),
    /// The same over a ledger: each change is on the disk before it is answered.
    Ledger { session: Box<Session>, _folder: TempDir },
    /// The engine below it, which keeps everything derived: [`Standing::apply`].
    Engine(Box<Incremental>, Program, Vec<RelationId>),
    /// The same rules by hand for differential dataflow.
    Differential(Box<differential::Flow>),
}

impl Taker {
    /// Takes the facts in; the decisions that follow from them.
    fn new(kind: &str, rules: &RuleSet, facts: Vec<Fact>) -> (Self, Difference) {
        if kind == "session" {
            let mut taker = Self::Session(Box::new(Session::over_facts(rules.clone(), facts).unwrap()));
            let first = taker.take(CommitRequest::default());
            // One commit alone keeps nothing; it is the second that sets up what the later ones go on from.
            taker.take(CommitRequest::default());
            return (taker, first);
        }
        if kind == "ledger" {
            let (_folder, session, first) = durable::session(facts);
            return (Self::Ledger { session: Box::new(session), _folder }, first);
        }
        if kind == "differential" {
            let (flow, first) = differential::Flow::new(&facts);
            return (Self::Differential(Box::new(flow)), first);
        }
        let program = rules.program.clone();
        let mut input = Database::new(&program);
        for fact in &facts {
            input.push(program.find(fact.relation).unwrap(), &words(fact));
        }
        drop(facts);
        let mut standing = Incremental::new(&program, &input, &Limits::default()).unwrap();
        // The load is put behind, as a session does before its first change.
        standing.apply(&[]).unwrap();
        let ids = (0..program.relations.len() as u32).map(RelationId);
        let decisions: Vec<RelationId> = ids
            .filter(|id| program.relation(*id).is_some_and(|found| found.kind == Kind::Decision))
            .collect();
        let rows =
            |id: &RelationId| standing.rows(*id).map(|row| fact(&program, *id, &row)).collect::<Vec<_>>();
        let drawn = decisions.iter().flat_map(rows).collect();
        (Self::Engine(Box::new(standing), program, decisions), Difference { drawn, lapsed: Vec::new() })
    }

    fn take(&mut self, change: CommitRequest) -> Difference {
        match self {
            Self::Session(session) | Self::Ledger { session, .. } => {
                difference(session.commit(change, false).unwrap())
            }
            Self::Engine(standing, program, decisions) => {
                let asserted = change.assertions.iter().map(|fact| (fact, true));
                let rows: Vec<(RelationId, Vec<Word>, bool)> = asserted
                    .chain(change.retractions.iter().map(|fact| (fact, false)))
                    .map(|(fact, stands)| (program.find(fact.relation).unwrap(), words(fact), stands))
                    .collect();
                let edits: Vec<FactChange<'_>> = rows
                    .iter()
                    .map(|(relation, row, stands)| FactChange { relation: *relation, row, asserted: *stands })
                    .collect();
                standing.apply(&edits).unwrap();
                let mut difference = Difference { drawn: Vec::new(), lapsed: Vec::new() };
                for id in decisions {
                    for (row, came) in standing.changes(*id) {
                        let list = if came { &mut difference.drawn } else { &mut difference.lapsed };
                        list.push(fact(program, *id, &row));
                    }
                }
                difference
            }
            Self::Differential(flow) => flow.take(&change),
        }
    }
}

fn difference(outcome: CommitOutcome) -> Difference {
    let drawn = outcome.drawn.into_iter().map(|decision| decision.fact).collect();
    let lapsed = outcome.lapsed.into_iter().map(|lapsed| lapsed.fact).collect();
    Difference { drawn, lapsed }
}

fn words(fact: &Fact) -> Vec<Word> {
    fact.values.iter().map(|value| value.word()).collect()
}

fn fact(program: &Program, relation: RelationId, row: &[Word]) -> Fact {
    let schema = program.relation(relation).unwrap();
    let values: Vec<Value> = schema.types().zip(row).map(|(ty, word)| Value::from_word(ty, *word)).collect();
    Fact::new(schema.name, values)
}

/// The decisions that stand by what every change said.
#[derive(Default)]
struct Decisions(BTreeSet<Fact>);

impl Decisions {
    fn take(&mut self, difference: Difference) -> usize {
        let count = difference.drawn.len() + difference.lapsed.len();
        for fact in &difference.lapsed {
            assert!(self.0.remove(fact), "{fact} lapsed and did not stand");
        }
        for fact in difference.drawn {
            assert!(self.0.insert(fact), "a decision was drawn that stood");
        }
        count
    }
}

/// Facts one after the other, asserted twice as often as retracted; and which stand.
struct Stream {
    base: Base,
    order: Vec<Fact>,
    /// Of each that stands a hash, which takes less memory than the fact.
    held: HashSet<u64>,
    changes: usize,
    /// Whether the last change asserted what stood.
    repeats: bool,
}

impl Stream {
    fn new(mut base: Base, count: u32) -> Self {
        let order = base.facts(count);
        let held = order.iter().map(hash).collect();
        Self { base, order, held, changes: 0, repeats: false }
    }

    fn next(&mut self) -> CommitRequest {
        let mut change = CommitRequest::default();
        self.changes += 1;
        if self.changes.is_multiple_of(3) {
            self.repeats = false;
            let at = self.base.random.below(self.order.len() as u32) as usize;
            let gone = self.order.swap_remove(at);
            self.held.remove(&hash(&gone));
            change.retractions.push(gone);
        } else {
            let fact = self.base.any();
            self.repeats = !self.held.insert(hash(&fact));
            if !self.repeats {
                self.order.push(fact.clone());
            }
            change.assertions.push(fact);
        }
        change
    }
}

fn hash(fact: &Fact) -> u64 {
    ahash::RandomState::with_seeds(1, 2, 3, 4).hash_one(fact)
}

/// Changes over a base of about `count` facts for some `seconds`; then everything is compared with a fresh session.
pub fn measure(kind: &str, count: u32, seconds: f64) -> Json {
    let rules = rules("standing.dl", RULES);
    let mut stream = Stream::new(Base::new(count), count);
    let facts = stream.order.clone();
    let before = reset_peak_kib();
    let begun = Moment::now();
    let (mut taker, first) = Taker::new(kind, &rules, facts);
    let first_cpu = begun.elapsed().cpu;
    let mut decisions = Decisions::default();
    let standing = decisions.take(first);
    let (mut times, mut differences) = (Pieces::default(), 0);
    let begun = Instant::now();
    while times.len() < MOST && begun.elapsed().as_secs_f64() < seconds {
        let mut change = stream.next();
        if kind == "differential" && stream.repeats {
            // It would count the fact twice.
            change.assertions.clear();
        }
        let difference = times.time(|| taker.take(change));
        differences += decisions.take(difference);
    }
    let (changes, peak) = (times.len(), peak_kib());
    let mut empty = Pieces::default();
    for _ in 0..EMPTY {
        empty.time(|| taker.take(CommitRequest::default()));
    }
    let fresh = Session::over_facts(rules, stream.order).unwrap().derive(&[], 0).unwrap();
    let fresh: BTreeSet<Fact> = fresh.relations.into_iter().flat_map(|(_, _, facts)| facts).collect();
    let mut figures = times.json();
    let more = [
        ("facts", json!(count)),
        ("first_cpu", json!(first_cpu)),
        ("changes", json!(changes)),
        ("empty_cpu", empty.json()["cpu_median"].take()),
        ("standing", json!(standing)),
        ("drawn_and_lapsed", json!(differences)),
        ("exact", json!(fresh == decisions.0)),
        ("peak_kib", json!(peak)),
        ("harness_kib", json!(before)),
    ];
    more.into_iter().for_each(|(name, figure)| figures[name] = figure);
    figures
}

/// The section; whether the decisions were those of a fresh session after all changes.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let sizes: &[(&str, &str)] =
        if options.quick() { &[("10000", "1")] } else { &[("10000", "10"), ("1000000", "30")] };
    let (mut rows, mut exact) = (Vec::new(), true);
    for (facts, seconds) in sizes {
        for kind in ["session", "ledger", "engine", "differential"] {
            if !options.wants(if kind == "differential" { kind } else { "hence" }) {
                continue;
            }
            let runs = child::ask_often(&["change", kind, facts, seconds], options.runs);
            let right = !runs.is_empty() && runs.iter().all(|run| run["exact"] == true);
            exact &= right;
            let series = |name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
            rows.push(vec![
                format!("{facts}, {}{kind}", if kind == "differential" { "" } else { "hence, " }),
                digits(series("first_cpu").median()),
                spread(&series("cpu_median"), digits),
                digits(series("cpu_p99").median()),
                digits(series("cpu").median()),
                digits(series("cpu_most").median() / 1e3),
                digits(series("empty_cpu").median()),
                digits(series("median").median()),
                digits(series("p99").median()),
                digits(series("changes").median()),
                digits(series("standing").median()),
                digits((series("peak_kib").median() - series("harness_kib").median()) / 1024.0),
                String::from(if right { "yes" } else { "NO" }),
            ]);
            figures["change"][*facts][kind] = Json::from(runs);
        }
    }
    println!("\n## one change to a standing base of 52 rules\n");
    let header = [
        "facts",
        "first s",
        "CPU µs, median",
        "CPU µs, p99",
        "CPU µs, mean",
        "CPU ms, most",
        "empty, CPU µs",
        "wall µs, median",
        "wall µs, p99",
        "changes",
        "decisions",
        "MB above input",
        "exact",
    ];
    table(&header, &rows);
    clients(sizes, options, figures);
    exact
}

/// Commits that are durable when they are answered, by one client and by several.
fn clients(sizes: &[(&str, &str)], options: &Options, figures: &mut Json) {
    let mut rows = Vec::new();
    for (facts, seconds) in sizes {
        for clients in ["1", "8", "64"] {
            let runs = child::ask_often(&["clients", facts, clients, seconds], options.runs);
            let series = |name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
            let (commits, syncs) = (series("commits").median(), series("syncs").median());
            rows.push(vec![
                format!("{facts}, clients: {clients}"),
                spread(&series("second"), digits),
                digits(commits / syncs),
                spread(&series("median"), digits),
                digits(series("p99").median()),
                digits(series("cpu").median()),
            ]);
            figures["change"][*facts]["clients"][clients] = Json::from(runs);
        }
    }
    println!("\n## durable commits of one fact over the same base in a ledger\n");
    let header =
        ["facts", "a second", "a sync", "wall µs, median", "wall µs, p99", "CPU µs each, clients too"];
    table(&header, &rows);
}
