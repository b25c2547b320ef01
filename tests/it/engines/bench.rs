//! Times of the engine: `HENCE_BENCH=1 cargo test --release --test it engines::bench -- --nocapture`, on several threads
//! with `HENCE_BENCH_THREADS=N`. With `HENCE_BENCH=DIR` the facts are those that the generator of the peers' benchmarks
//! wrote to `DIR`.

#![expect(clippy::print_stdout, reason = "figures are what this is for")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_engine::SemiNaive;
use hence_engine::{Database, Limits, Threads};
use hence_lang::ir::Program;

use crate::random::Dice;

use super::build::{Build, Clause, any, constant, float, int};
use super::cases::closure;

const INTS: [Type; 2] = [Type::Int, Type::Int];

/// A name, the program, and the relation whose facts are counted.
type Workload = (&'static str, fn() -> Program, &'static str);

/// Rows by the names of relations.
type Facts = Vec<(String, Vec<Vec<i64>>)>;

#[test]
fn times() {
    let Some(asked) = std::env::var_os("HENCE_BENCH") else { return };
    let folder = Some(PathBuf::from(asked)).filter(|path| path.is_dir());
    let workloads: [Workload; 6] = [
        ("tc_rand", || closure().0, "path"),
        ("tc_chain", || closure().0, "path"),
        ("sg_tree", same_generation, "sg"),
        ("sg_rand", same_generation, "sg"),
        ("andersen", points_to, "pt"),
        ("agg", tool_runs, "stats"),
    ];
    let only = std::env::var("HENCE_BENCH_ONLY").ok();
    for (name, program, result) in workloads {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let facts = folder.as_deref().map_or_else(|| generated(name), |folder| read(&folder.join(name)));
        if !facts.is_empty() {
            measure(name, &program(), &facts, result);
        }
    }
}

fn measure(name: &str, program: &Program, facts: &Facts, result: &str) {
    let mut input = Database::new(program);
    for (relation, rows) in facts {
        let id = program.find(relation.as_str().into()).unwrap();
        for row in rows {
            input.push(id, &row.iter().map(|int| Word::from_int(*int)).collect::<Vec<_>>());
        }
    }
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let base = peak();
    let (mut times, mut walls) = (Vec::new(), Vec::new());
    let most = std::env::var("HENCE_BENCH_THREADS").ok().and_then(|most| most.parse().ok()).unwrap_or(1);
    let limits = Limits { threads: Threads::of(most), ..Limits::default() };
    let mut count = 0;
    let mut profile = None;
    for _ in 0..5 {
        let (start, wall) = (cpu(), Instant::now());
        let (model, work) = SemiNaive.evaluate_profiled(program, input.clone(), &limits).unwrap();
        times.push(cpu() - start);
        walls.push(wall.elapsed());
        count = model.extent(program.find(result.into()).unwrap()).unwrap().rows.len();
        profile = Some(work);
    }
    times.sort();
    walls.sort();
    println!(
        "{name}: {count} results, CPU {:?} median of {times:?}, wall {:?}, peak {} MB",
        times[2],
        walls[2],
        (peak() - base) >> 10
    );
    for rule in profile.into_iter().flat_map(|profile| profile.rules) {
        let id = program.rule(rule.rule).unwrap().id;
        println!("    {id}: {} matches, {} new, {:?}", rule.matches, rule.derived, rule.time);
    }
}

/// User and system time of this process.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// The largest resident size since it was reset, in KB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn read(folder: &Path) -> Facts {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let rows = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| line.split('\t').map(|field| field.parse().unwrap()).collect()).collect()
    };
    files.map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), rows(&path))).collect()
}

fn generated(name: &str) -> Facts {
    let mut random = Dice::new(1001);
    let mut below = |end: usize| random.below(end) as i64;
    match name {
        "tc_rand" => vec![("edge".into(), (0..5000).map(|_| vec![below(2500), below(2500)]).collect())],
        "agg" => {
            let run = |at| vec![at, below(1000), below(20), below(2), 5 + below(400)];
            vec![
                ("tool_run".into(), (0..1_000_000).map(run).collect()),
                ("tool".into(), (0..1000).map(|tool| vec![tool]).collect()),
            ]
        }
        _ => Facts::new(),
    }
}

/// `sg(X, Y) :- parent(P, X), parent(P, Y), X != Y. sg(X, Y) :- sg(A, B), parent(A, X), parent(B, Y).`
pub(crate) fn same_generation() -> Program {
    let mut b = Build::default();
    let (parent, sg) = (b.input("parent", &INTS), b.derived("sg", &INTS));
    let mut base = Clause::new(sg);
    let [p, x, y] = base.ints(["P", "X", "Y"]);
    let differ = b.call("!=", &[&x, &y]);
    b.rule(base.head(&[&x, &y]).atom(parent, &[&p, &x]).atom(parent, &[&p, &y]).test(differ));
    let mut step = Clause::new(sg);
    let [x, y, p, q] = step.ints(["X", "Y", "A", "B"]);
    b.rule(step.head(&[&x, &y]).atom(sg, &[&p, &q]).atom(parent, &[&p, &x]).atom(parent, &[&q, &y]));
    b.finish()
}

pub(crate) fn points_to() -> Program {
    let mut b = Build::default();
    let [address_of, assign, load, store] =
        ["addressOf", "assign", "load", "store"].map(|name| b.input(name, &INTS));
    let pt = b.derived("pt", &INTS);
    let ints = || {
        let mut rule = Clause::new(pt);
        let vars = rule.ints(["X", "Y", "Z", "W"]);
        (rule, vars)
    };
    let (rule, [x, y, ..]) = ints();
    b.rule(rule.head(&[&y, &x]).atom(address_of, &[&y, &x]));
    let (rule, [x, y, z, _]) = ints();
    b.rule(rule.head(&[&y, &x]).atom(assign, &[&y, &z]).atom(pt, &[&z, &x]));
    let (rule, [x, y, z, w]) = ints();
    b.rule(rule.head(&[&y, &w]).atom(load, &[&y, &x]).atom(pt, &[&x, &z]).atom(pt, &[&z, &w]));
    let (rule, [x, y, z, w]) = ints();
    b.rule(rule.head(&[&z, &w]).atom(store, &[&y, &x]).atom(pt, &[&y, &z]).atom(pt, &[&x, &w]));
    b.finish()
}

/// Aggregates over tool runs, and what follows from them.
fn tool_runs() -> Program {
    let mut b = Build::default();
    let (tool_run, tool) = (b.input("tool_run", &[Type::Int; 5]), b.input("tool", &[Type::Int]));
    let float_column = [Type::Int, Type::Int, Type::Float];
    let stats = [Type::Int, Type::Int, Type::Int, Type::Int, Type::Int, Type::Int, Type::Float];
    let stats = b.derived("stats", &stats);
    let (rate, useful) = (b.derived("rate", &float_column), b.derived("useful", &float_column));
    let best_u = b.derived("best_u", &[Type::Int, Type::Float]);
    let (best, poor, slow) = (b.derived("best", &INTS), b.derived("poor", &INTS), b.derived("slow", &INTS));
    let good = b.derived("good", &[Type::Int]);
    let any = any();

    let mut rule = Clause::new(stats);
    let [t, d, o, l] = rule.ints(["T", "D", "O", "L"]);
    let mut rule = rule.head(&[&t, &d]).atom(tool_run, &[&any, &t, &d, &o, &l]);
    for (name, arg) in
        [("count", None), ("sum", Some(&o)), ("min", Some(&l)), ("max", Some(&l)), ("mean", Some(&l))]
    {
        rule = rule.term(b.aggregate(name, arg.as_slice()));
    }
    b.rule(rule);
    stats_rules(&mut b, [stats, rate, useful]);

    let mut rule = Clause::new(best_u);
    let d = rule.var("D", Type::Int);
    let u = rule.var("U", Type::Float);
    let max = b.aggregate("max", &[&u]);
    b.rule(rule.head(&[&d]).term(max).atom(useful, &[&any, &d, &u]));
    let mut rule = Clause::new(best);
    let [t, d] = rule.ints(["T", "D"]);
    let u = rule.var("U", Type::Float);
    b.rule(rule.head(&[&d, &t]).atom(best_u, &[&d, &u]).atom(useful, &[&t, &d, &u]));
    let mut rule = Clause::new(poor);
    let [t, d, c] = rule.ints(["T", "D", "C"]);
    let r = rule.var("R", Type::Float);
    let (low, often) = (b.call("<", &[&r, &constant(float(0.5))]), b.call(">=", &[&c, &int(10)]));
    let rule = rule.head(&[&t, &d]).atom(rate, &[&t, &d, &r]).test(low).test(often);
    b.rule(rule.atom(stats, &[&t, &d, &c, &any, &any, &any, &any]));
    let mut rule = Clause::new(good);
    let [t] = rule.ints(["T"]);
    b.rule(rule.head(&[&t]).atom(tool, &[&t]).not(poor, &[&t, &any]));
    let mut rule = Clause::new(slow);
    let [t, d, min, max] = rule.ints(["T", "D", "Min", "Max"]);
    let mean = rule.var("Mean", Type::Float);
    let long = b.call(">", &[&mean, &constant(float(120.0))]);
    let times = b.call("*", &[&int(20), &min]);
    let wide = b.call(">", &[&max, &times]);
    let rule = rule.head(&[&t, &d]).atom(stats, &[&t, &d, &any, &any, &min, &max, &mean]);
    b.rule(rule.test(long).test(wide));
    b.finish()
}

/// Rates and usefulness of tools from their counts.
fn stats_rules(b: &mut Build, [stats, rate, useful]: [RelationId; 3]) {
    let any = any();
    let mut rule = Clause::new(rate);
    let [t, d, c, s] = rule.ints(["T", "D", "C", "S"]);
    let (count, sum) = (b.call("float", &[&c]), b.call("float", &[&s]));
    let quotient = b.call("/", &[&sum, &count]);
    b.rule(rule.head(&[&t, &d, &quotient]).atom(stats, &[&t, &d, &c, &s, &any, &any, &any]));
    let mut rule = Clause::new(useful);
    let [t, d, c] = rule.ints(["T", "D", "C"]);
    let r = rule.var("R", Type::Float);
    let weighted = b.call("*", &[&r, &constant(float(0.7))]);
    let base = b.call("+", &[&weighted, &constant(float(0.15))]);
    let count = b.call("float", &[&c]);
    let share = b.call("/", &[&count, &constant(float(10.0))]);
    let share = b.call("min", &[&constant(float(1.0)), &share]);
    let useful = b.call("*", &[&base, &share]);
    let rule = rule.head(&[&t, &d, &useful]).atom(rate, &[&t, &d, &r]);
    b.rule(rule.atom(stats, &[&t, &d, &c, &any, &any, &any, &any]));
}
