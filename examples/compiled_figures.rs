//! What compiled packs are worth: for each pack, one decision from scratch over 50 facts and a batch of a million,
//! by the embedded engine and by compiled code in turn. `FACTS=N` takes another size of batch, `PACK=NAME` one pack.
//!
//! `cargo run --release --features packs --example compiled_figures` prints a table; times are those of the
//! processor, where the system tells them.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use hence::engine::SemiNaive;
use hence::engine::{Database, Engine, Limits};
use hence::fact::Fact;
use hence::session::compiled::Compiled;
use hence::session::{RuleSet, RuleSource, read_fact_lines, shipped};
use hence::value::Value;

/// The time that this thread had the processor for.
fn processor_time(start: Instant) -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// The facts of a pack's golden cases, `wanted` of them: copies differ in their texts.
fn facts(pack: &str, rules: &RuleSet, wanted: usize) -> Result<Vec<Fact>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(pack);
    let mut files =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    files.sort();
    let mut lines = Vec::new();
    for file in files {
        let case: serde_json::Value = serde_json::from_str(&fs::read_to_string(file)?)?;
        lines.extend(
            case.get("facts")
                .and_then(serde_json::Value::as_array)
                .into_iter()
                .flatten()
                .map(serde_json::Value::to_string),
        );
    }
    let first = read_fact_lines(rules, "golden", &lines.join("\n"))?;
    let value = |value: &Value, at: usize| match value {
        Value::String(text) => Value::String(format!("{text}{at}").as_str().into()),
        other => *other,
    };
    let copy = |fact: &Fact, at| {
        Fact::new(fact.relation, fact.values.iter().map(|one| value(one, at)).collect::<Vec<_>>())
    };
    Ok((0..).flat_map(|at| first.iter().map(move |fact| copy(fact, at))).take(wanted).collect())
}

fn input(rules: &RuleSet, facts: &[Fact]) -> Database {
    let mut input = Database::new(&rules.program);
    for fact in facts {
        if let Some(id) = rules.program.find(fact.relation) {
            input.push(id, &fact.values.iter().map(|value| value.word()).collect::<Vec<_>>());
        }
    }
    input
}

/// The median time of an evaluation by each engine, in milliseconds, over 5 turns of `times` evaluations: the system
/// tells the time of the processor too coarsely for one.
fn medians(rules: &RuleSet, input: &Database, engines: [&dyn Engine; 2], times: u32) -> [f64; 2] {
    let start = Instant::now();
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        for (engine, all) in engines.iter().zip(&mut all) {
            let before = processor_time(start);
            for _ in 0..times {
                drop(engine.evaluate(&rules.program, input.clone(), &Limits::default()));
            }
            all.push((processor_time(start) - before).as_secs_f64() * 1e3 / f64::from(times));
        }
    }
    all.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let batch = std::env::var("FACTS").map_or(Ok(1_000_000), |text| text.parse())?;
    let only = std::env::var("PACK").unwrap_or_default();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| pack | rules | 50 facts: embedded, compiled (µs) | {batch} facts: embedded, compiled (ms) |"
    )?;
    writeln!(out, "| --- | --- | --- | --- |")?;
    for pack in shipped::packs().into_iter().filter(|pack| pack.contains(&only)) {
        let rules = RuleSource { packs: vec![pack.to_owned()], ..RuleSource::default() }.build()?;
        let code = Compiled::default();
        let engines: [&dyn Engine; 2] = [&SemiNaive, &code];
        let [embedded, compiled] = medians(&rules, &input(&rules, &facts(pack, &rules, 50)?), engines, 4_000);
        let [many_embedded, many_compiled] =
            medians(&rules, &input(&rules, &facts(pack, &rules, batch)?), engines, 1);
        writeln!(
            out,
            "| `{pack}` | {} | {:.0}, {:.0} | {:.0}, {:.0} |",
            rules.program.rules.len(),
            embedded * 1e3,
            compiled * 1e3,
            many_embedded,
            many_compiled
        )?;
    }
    Ok(())
}
