//! One change to a standing base: 52 rules, so many facts, one fact asserted or retracted at a time, with the decisions
//! drawn and lapsed.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use hence::fact::Fact;
use hence::session::{Change, Outcome, Session};
use hence::value::Value;
use serde_json::{Value as Json, json};

use crate::child;
use crate::measure::{Moment, Pieces, Series, peak_kib};
use crate::options::Options;
use crate::peers::hence::rules;
use crate::random::Random;
use crate::report::{digits, spread, table};

pub const RULES: &str = include_str!("../rules/standing.dl");
const DOMAINS: u32 = 20;
const MOST: usize = 20_000;

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

/// The decisions that stand by what every commit said.
#[derive(Default)]
struct Standing(BTreeSet<Fact>);

impl Standing {
    fn take(&mut self, outcome: &Outcome) {
        outcome
            .lapsed
            .iter()
            .for_each(|fact| assert!(self.0.remove(fact), "{fact} lapsed and did not stand"));
        for decision in &outcome.drawn {
            assert!(self.0.insert(decision.fact.clone()), "{} was drawn and stood", decision.fact);
        }
    }
}

/// Changes over a base of about `facts` facts for some `seconds`; then everything is compared with a fresh session.
pub fn measure(count: u32, seconds: f64) -> Json {
    let rules = rules("standing.dl", RULES);
    let mut base = Base::new(count);
    let facts = base.facts(count);
    let mut held: HashSet<Fact> = facts.iter().cloned().collect();
    let mut order = facts.clone();
    let begun = Moment::now();
    let mut session = Session::over_facts(rules.clone(), facts);
    let mut standing = Standing::default();
    standing.take(&session.commit(Change::default(), false).unwrap());
    let first = begun.elapsed();
    let before = standing.0.len();
    let (mut times, mut decisions) = (Pieces::default(), 0);
    let begun = Instant::now();
    while times.len() < MOST && begun.elapsed().as_secs_f64() < seconds {
        let mut change = Change::default();
        if times.len() % 3 == 2 {
            let at = base.random.below(order.len() as u32) as usize;
            let gone = order.swap_remove(at);
            held.remove(&gone);
            change.retractions.push(gone);
        } else {
            let fact = base.any();
            if held.insert(fact.clone()) {
                order.push(fact.clone());
            }
            change.assertions.push(fact);
        }
        let outcome = times.time(|| session.commit(change, false).unwrap());
        decisions += outcome.drawn.len() + outcome.lapsed.len();
        standing.take(&outcome);
    }
    let changes = times.len();
    let peak = peak_kib();
    let fresh = Session::over_facts(rules, order).derive(&[], 0).unwrap();
    let fresh: BTreeSet<Fact> = fresh.relations.into_iter().flat_map(|(_, _, facts)| facts).collect();
    let mut figures = times.json();
    let more = [
        ("facts", json!(count)),
        ("first_cpu", json!(first.cpu)),
        ("changes", json!(changes)),
        ("standing", json!(before)),
        ("drawn_and_lapsed", json!(decisions)),
        ("exact", json!(fresh == standing.0)),
        ("peak_kib", json!(peak)),
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
        let runs: Vec<Json> =
            (0..options.runs).filter_map(|_| child::ask(&["change", facts, seconds])).collect();
        exact &= !runs.is_empty() && runs.iter().all(|run| run["exact"] == true);
        let series = |name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
        rows.push(vec![
            String::from(*facts),
            digits(series("first_cpu").median()),
            spread(&series("cpu_median"), digits),
            digits(series("cpu_p99").median()),
            digits(series("median").median()),
            digits(series("p99").median()),
            digits(series("changes").median()),
            digits(series("standing").median()),
            digits(series("peak_kib").median() / 1024.0),
            String::from(if runs.iter().all(|run| run["exact"] == true) { "yes" } else { "NO" }),
        ]);
        figures["change"][*facts] = Json::from(runs);
    }
    println!("\n## one change to a standing base of 52 rules\n");
    let header = [
        "facts",
        "first s",
        "CPU µs, median",
        "CPU µs, p99",
        "wall µs, median",
        "wall µs, p99",
        "changes",
        "decisions",
        "peak MB",
        "exact",
    ];
    table(&header, &rows);
    exact
}
