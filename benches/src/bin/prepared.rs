//! One decision from scratch over prepared rules: microseconds a request, answers checked against a function written by
//! hand. `cargo run --release --manifest-path benches/Cargo.toml --bin prepared -- FOLDER [REQUESTS]`, where the
//! folder holds `policy.txt` and `requests.txt` as the generator of `decision` writes them.
#![allow(missing_docs, reason = "a program, no library")]

use std::path::Path;
use std::time::Instant;

use hence_engine::{Prepared, SemiNaive, PreparedModel};
use hence_engine::{Database, Engine, Limits};
use hence_lang::ir::Program;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::{Value, Word};
use hence::{analysis, lower, syntax};

const POLICY: [&str; 8] =
    ["level", "level_req", "tool_risk", "tool_kind", "safe_tool", "banned", "depends", "needs_role"];
const REQUEST: [&str; 5] = ["metric", "run", "role", "requested", "incident"];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let folder = Path::new(args.get(1).map_or("decision", String::as_str));
    let program = program(include_str!("../../rules/decision.dl"));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the generated files");
    let policy = policy(&program, &read("policy.txt"));
    let most = args.get(2).and_then(|text| text.parse().ok()).unwrap_or(usize::MAX);
    let requests: Vec<Request> = read("requests.txt").lines().take(most).map(Request::read).collect();
    let mut bench = Bench::new(&program, &policy);
    bench.verify(&requests);
    bench.rows(&requests);
    bench.facts(&requests);
    bench.fresh(&requests);
}

fn program(text: &str) -> Program {
    let mut sources = Sources::default();
    let file = sources.add("decision.dl", text);
    let (tree, faults) = syntax::parse(file, text);
    assert!(faults.is_empty(), "{faults:?}");
    let (checked, faults) = analysis::check(&[tree], &sources, &[]);
    assert!(faults.iter().all(|fault| !fault.is_error()), "{faults:?}");
    lower::lower(&checked).expect("rules without faults")
}

fn int(value: i64) -> Word {
    Word::from_int(value)
}

fn find(program: &Program, name: &str) -> RelationId {
    program.find(name.into()).expect("a relation of the rules")
}

/// The policy's facts: a name and ints a line.
fn policy(program: &Program, text: &str) -> Vec<(RelationId, Vec<i64>)> {
    let row = |line: &str| {
        let mut words = line.split(' ');
        let relation = find(program, words.next().unwrap_or(""));
        (relation, words.map(|word| word.parse().expect("an int")).collect())
    };
    text.lines().map(row).collect()
}

/// What is known of an agent and what it asks for, in the order of [`REQUEST`].
struct Request {
    rows: [Vec<[i64; 2]>; 5],
}

impl Request {
    fn read(line: &str) -> Self {
        let ints: Vec<i64> = line.split(' ').map(|word| word.parse().expect("an int")).collect();
        let pairs = |from: usize, to: usize| ints[from..to].chunks(2).map(|pair| [pair[0], pair[1]]);
        let ones = |from: usize, to: usize| ints[from..to].iter().map(|one| [*one, 0]).collect();
        let metric = pairs(0, 20).filter(|[_, value]| *value >= 0).collect();
        Self { rows: [metric, pairs(20, 76).collect(), ones(76, 78), ones(78, 84), pairs(84, 92).collect()] }
    }

    fn push(&self, inputs: &[RelationId; 5], database: &mut Database) {
        for (at, (relation, rows)) in inputs.iter().zip(&self.rows).enumerate() {
            let width = if at == 2 || at == 3 { 1 } else { 2 };
            rows.iter().for_each(|row| database.push(*relation, &row.map(int)[..width]));
        }
    }
}

/// What is decided; sets of tools as bits.
#[derive(Debug, PartialEq)]
struct Decided {
    granted: i64,
    denied: u64,
    allow: u64,
    approval: u64,
    autonomous: bool,
}

/// The rules by hand.
fn by_hand(policy: &ByName, request: &Request) -> Decided {
    let [metric, run, role, requested, incident] = &request.rows;
    let set = |ints: &mut dyn Iterator<Item = i64>| ints.fold(0u64, |all, one| all | 1 << one);
    let value = |asked: i64| metric.iter().find(|[metric, _]| *metric == asked).map(|[_, value]| *value);
    let fails = policy
        .level_req
        .iter()
        .filter(|[_, metric, least]| value(*metric).is_none_or(|value| value < *least));
    let fails = set(&mut fails.map(|[level, ..]| *level));
    let mut granted = 0;
    while policy.level.contains(&(granted + 1)) && fails >> (granted + 1) & 1 == 0 {
        granted += 1;
    }
    let mut blocked = set(&mut policy.banned.iter().copied());
    for _ in 0..policy.depends.len() {
        let more = policy.depends.iter().filter(|[_, on]| blocked >> on & 1 == 1);
        blocked |= set(&mut more.map(|[tool, _]| *tool));
    }
    let requested = set(&mut requested.iter().map(|[tool, _]| *tool));
    let failed = set(&mut run.iter().filter(|[_, ok]| *ok == 0).map(|[tool, _]| *tool));
    let severe = set(&mut incident.iter().filter(|[_, severity]| *severity >= 3).map(|[kind, _]| *kind));
    let roles = set(&mut role.iter().map(|[role, _]| *role));
    let mut safe = set(&mut policy.safe_tool.iter().copied());
    let mut denied = blocked;
    for [tool, risk] in &policy.tool_risk {
        safe |= u64::from(*risk <= granted) << tool;
        denied |= (failed >> tool & u64::from(*risk >= 4)) << tool;
    }
    policy.tool_kind.iter().for_each(|[tool, kind]| denied |= (severe >> kind & 1) << tool);
    let needs = set(&mut policy.needs_role.iter().map(|[tool, _]| *tool));
    let has = policy.needs_role.iter().filter(|[_, role]| roles >> role & 1 == 1);
    let has = set(&mut has.map(|[tool, _]| *tool));
    let denied = denied & requested;
    let allow = requested & safe & (!needs | has) & !denied;
    Decided {
        granted,
        denied,
        allow,
        approval: requested & !allow & !denied,
        autonomous: granted >= 2 && allow == requested,
    }
}

/// The policy for the rules by hand.
#[derive(Default)]
struct ByName {
    level: Vec<i64>,
    level_req: Vec<[i64; 3]>,
    tool_risk: Vec<[i64; 2]>,
    tool_kind: Vec<[i64; 2]>,
    safe_tool: Vec<i64>,
    banned: Vec<i64>,
    depends: Vec<[i64; 2]>,
    needs_role: Vec<[i64; 2]>,
}

impl ByName {
    fn new(program: &Program, policy: &[(RelationId, Vec<i64>)]) -> Self {
        let rows = |name: &str| {
            let relation = find(program, name);
            policy.iter().filter(move |(other, _)| *other == relation).map(|(_, row)| row.clone())
        };
        let ones = |name: &str| rows(name).map(|row| row[0]).collect();
        let twos = |name: &str| rows(name).map(|row| [row[0], row[1]]).collect();
        let level_req = rows("level_req").map(|row| [row[0], row[1], row[2]]).collect();
        let [level, safe_tool, banned] = [POLICY[0], POLICY[4], POLICY[5]].map(ones);
        let [tool_risk, tool_kind, depends, needs_role] =
            [POLICY[2], POLICY[3], POLICY[6], POLICY[7]].map(twos);
        Self { level, level_req, tool_risk, tool_kind, safe_tool, banned, depends, needs_role }
    }
}

struct Bench<'p> {
    program: &'p Program,
    standing: Database,
    inputs: [RelationId; 5],
    results: [RelationId; 5],
    policy: ByName,
    prepared: Prepared,
}

impl<'p> Bench<'p> {
    fn new(program: &'p Program, policy: &[(RelationId, Vec<i64>)]) -> Self {
        let mut standing = Database::new(program);
        for (relation, row) in policy {
            standing.push(*relation, &row.iter().copied().map(int).collect::<Vec<_>>());
        }
        let prepared = Prepared::new(program.clone(), standing.clone(), Limits::default()).expect("no limit");
        let ids = |names: [&str; 5]| names.map(|name| find(program, name));
        let results = ids(["granted", "denied", "allow", "approval", "autonomous"]);
        Self {
            program,
            standing,
            inputs: ids(REQUEST),
            results,
            policy: ByName::new(program, policy),
            prepared,
        }
    }

    fn verify(&mut self, requests: &[Request]) {
        let mut database = Database::new(self.program);
        for request in requests {
            database.clear();
            request.push(&self.inputs, &mut database);
            let view = self.prepared.evaluate(&database).expect("no limit");
            assert_eq!(decided(&view, &self.results), by_hand(&self.policy, request));
        }
        println!("{} answers are those of the rules by hand", requests.len());
    }

    /// Requests as rows in buffers that are used again.
    fn rows(&mut self, requests: &[Request]) {
        let mut database = Database::new(self.program);
        let Self { inputs, results, prepared, .. } = self;
        report("rows", requests, |request| {
            database.clear();
            request.push(inputs, &mut database);
            decided(&prepared.evaluate(&database).expect("no limit"), results).granted
        });
    }

    /// Requests as values with types.
    fn facts(&mut self, requests: &[Request]) {
        let Self { inputs, results, prepared, program, .. } = self;
        let mut database = Database::new(program);
        let mut all: Vec<(RelationId, Vec<Value>)> = Vec::new();
        report("values", requests, |request| {
            all.clear();
            for (at, (relation, rows)) in inputs.iter().zip(&request.rows).enumerate() {
                let width = if at == 2 || at == 3 { 1 } else { 2 };
                all.extend(
                    rows.iter()
                        .map(|row| (*relation, row[..width].iter().map(|one| Value::Int(*one)).collect())),
                );
            }
            database.clear();
            for (relation, values) in &all {
                database.push(*relation, &values.iter().map(|value| value.word()).collect::<Vec<_>>());
            }
            decided(&prepared.evaluate(&database).expect("no limit"), results).granted
        });
    }

    /// The engine without preparation.
    fn fresh(&mut self, requests: &[Request]) {
        let some = &requests[..requests.len().min(5_000)];
        report("not prepared", some, |request| {
            let mut database = self.standing.clone();
            request.push(&self.inputs, &mut database);
            let model = SemiNaive.evaluate(self.program, database, &Limits::default()).expect("no limit");
            model.extent(self.results[0]).map_or(0, |extent| extent.rows.len() as i64)
        });
    }
}

fn decided(view: &PreparedModel<'_>, results: &[RelationId; 5]) -> Decided {
    let set = |at: usize| view.rows(results[at]).fold(0u64, |all, row| all | 1 << row[0].0);
    Decided {
        granted: view.rows(results[0]).next().map_or(-1, |row| row[0].as_int()),
        denied: set(1),
        allow: set(2),
        approval: set(3),
        autonomous: !view.is_empty(results[4]),
    }
}

/// Runs every request once, and prints the median, the 99th and the 99.9th percentile of five passes.
fn report(name: &str, requests: &[Request], mut decide: impl FnMut(&Request) -> i64) {
    for pass in 0..5 {
        let mut times = Vec::with_capacity(requests.len());
        let (start, mut sum) = (processor_time(), 0);
        for request in requests {
            let start = Instant::now();
            sum += decide(request);
            times.push(start.elapsed().as_nanos() as u64);
        }
        let cpu = (processor_time() - start) / requests.len() as f64;
        times.sort_unstable();
        let micros = |share: f64| times[((times.len() - 1) as f64 * share) as usize] as f64 / 1e3;
        println!(
            "{name}, pass {pass}: median {:.2} µs, p99 {:.2}, p99.9 {:.2}, processor {cpu:.2} µs each (sum {sum})",
            micros(0.5),
            micros(0.99),
            micros(0.999)
        );
    }
}

/// Microseconds of processor time that this process has taken.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(0.0) / 1e3
}
