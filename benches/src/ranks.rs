//! What ranks cost in batch. The rank of a fact is known from its place: all that is kept for it is, for each relation,
//! how many facts there were at the end of each round. There is nothing to be switched off, so what is done is counted,
//! and timed by itself.

use std::hint::black_box;
use std::path::Path;

use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Model};
use serde_json::{Value as Json, json};

use crate::child;
use crate::measure::{Moment, Series, peak_kib};
use crate::options::Options;
use crate::peers::{Task, hence as ours};
use crate::report::{digits, table};

/// Of time and of memory, in hundredths.
const GOAL: f64 = 5.0;

/// One fact a round, for many rounds.
const STEPS: &str = "## From, to.
input step(x: int, y: int).

## What is reached.
relation reached(x: int).

reached(0).
reached(Y) :- reached(X), step(X, Y).
";

/// Counts what one evaluation of a workload keeps for ranks, and times as much of the same.
pub fn measure(workload: &str, folder: &Path) -> Json {
    let input = ours::load(Task::of(workload), folder);
    let begun = Moment::now();
    let (_, model) = ours::eval(input);
    let (eval, peak) = (begun.elapsed().cpu, peak_kib());
    let ends: usize = model.relations.iter().map(|extent| extent.rounds.len()).sum();
    let rounds = model.relations.iter().map(|extent| extent.rounds.len()).max().unwrap_or(0);
    let bytes: usize =
        model.relations.iter().map(|extent| extent.rounds.capacity() * size_of::<usize>()).sum();
    json!({
        "eval_cpu": eval, "rounds": rounds, "ends": ends, "ends_cpu": again(&model), "ends_bytes": bytes,
        "peak_kib": peak, "round_cpu": a_round(),
    })
}

/// Seconds to note all ends of rounds once more, and to find the last that derived facts, as the engine does it.
fn again(model: &Model) -> f64 {
    const TURNS: u32 = 1_000;
    let begun = Moment::now();
    for _ in 0..TURNS {
        for extent in &model.relations {
            let mut rounds: Vec<usize> = Vec::new();
            // With the round that derives nothing.
            for end in extent.rounds.iter().chain(extent.rounds.last()) {
                rounds.push(black_box(*end));
            }
            let last = rounds.partition_point(|end| *end < extent.rows.len());
            rounds.truncate(last + 1);
            black_box(rounds);
        }
    }
    begun.elapsed().cpu / f64::from(TURNS)
}

/// Seconds of a round that derives one fact, that fact included.
fn a_round() -> f64 {
    const ROUNDS: i64 = 100_000;
    let program = ours::program("steps.dl", STEPS);
    let mut input = Database::new(&program);
    let step = program.find("step".into()).unwrap();
    (0..ROUNDS).for_each(|at| input.push(step, &[at, at + 1].map(Word::from_int)));
    let limits = Limits { iterations: u64::MAX, ..Limits::default() };
    let begun = Moment::now();
    let model = SemiNaive.evaluate(&program, input, &limits).unwrap();
    let passed = begun.elapsed().cpu;
    let reached = model.extent(program.find("reached".into()).unwrap()).unwrap();
    assert_eq!(reached.rows.len() as i64, ROUNDS + 1);
    passed / ROUNDS as f64
}

/// The section; whether the shares are those that the issue allows.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let (mut rows, mut kept) = (Vec::new(), true);
    for workload in &options.workloads {
        let folder = crate::batch::facts(workload, options);
        let runs = child::ask_often(&["ranks", workload, &folder.to_string_lossy()], options.runs);
        let median =
            |name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect()).median();
        let time = 100.0 * median("ends_cpu") / median("eval_cpu");
        let memory = 100.0 * median("ends_bytes") / (1024.0 * median("peak_kib"));
        kept &= time < GOAL && memory < GOAL;
        rows.push(vec![
            workload.clone(),
            median("rounds").to_string(),
            median("ends").to_string(),
            digits(median("ends_cpu") * 1e6),
            digits(median("eval_cpu") * 1e3),
            format!("{time:.4} %"),
            median("ends_bytes").to_string(),
            format!("{memory:.4} %"),
            digits(100.0 * median("rounds") * median("round_cpu") / median("eval_cpu")) + " %",
        ]);
        figures["ranks"][workload] = Json::from(runs);
    }
    println!("\n## what ranks cost in batch\n");
    let header = [
        "workload",
        "rounds",
        "ends of rounds kept",
        "noting them, CPU µs",
        "eval, CPU ms",
        "of the time",
        "bytes",
        "of the memory",
        "rounds themselves, at most",
    ];
    table(&header, &rows);
    kept
}
