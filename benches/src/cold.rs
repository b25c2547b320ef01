//! Cold start: `hence query` and `hence why`, the whole process, over a ledger of a million facts that was written by another one.

use std::path::Path;

use hence_core::fact::Fact;
use hence_core::schema::{Column, ColumnType};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_ledger::{Draft, Ledger, OpenOptions, Schema};
use serde_json::{Value as Json, json};

use crate::batch;
use crate::child;
use crate::facts::each;
use crate::measure::Series;
use crate::options::{Options, home};
use crate::report::{digits, spread, table};

/// What is asked: in words, the command, the question, and the rules.
const QUESTIONS: [(&str, &str, &str, &str); 6] = [
    ("all facts: the slow tools", "query", "slow(T, D)", "agg"),
    ("all facts: the best tool of a domain", "query", "best(7, T)", "agg"),
    // Its division can be without a result anywhere, and the tool doesn't stand first.
    ("all facts: the rate of a tool in a domain", "query", "rate(7, 3, R)", "agg"),
    ("one fact", "query", "tool_run(4321, T, D, Ok, L)", "agg"),
    ("a few: a decision about one run", "query", "look(4321, T)", "cold"),
    ("a few: why", "why", "look(4321, _)", "cold"),
];

/// Writes the facts of `folder` into a new ledger.
pub fn write(folder: &Path, store: &Path) -> Json {
    let _ = std::fs::remove_dir_all(store);
    let mut facts = Vec::new();
    let int = |value: u32| Value::Int(i64::from(value));
    each::<5>(folder, "tool_run", |row| facts.push(Fact::new("tool_run", row.map(int))));
    each::<1>(folder, "tool", |row| facts.push(Fact::new("tool", row.map(int))));
    let count = facts.len();
    let mut ledger = Ledger::open(store, &OpenOptions::default()).unwrap();
    let schemas =
        vec![schema("tool_run", &["run", "tool", "domain", "ok", "latency"]), schema("tool", &["tool"])];
    let draft = Draft { time: 1, author: "bench".into(), assertions: facts, schemas, ..Draft::default() };
    ledger.commit(&draft).unwrap();
    assert!(ledger.close().is_empty());
    json!({"facts": count})
}

/// A relation of integers, as a ledger records it. Without it each reader looks at all facts first.
fn schema(relation: &str, columns: &[&str]) -> Schema {
    let columns = columns.iter().map(|name| Column::new(*name, ColumnType::plain(Type::Int))).collect();
    Schema { relation: Symbol::new(relation), columns, renews: false }
}

/// The command that is started: the one that `HENCE` names, else the release build of this checkout; none, with a line on
/// standard error, where it isn't there.
pub fn hence(section: &str) -> Option<String> {
    let built = home().join("../target/release/hence");
    let hence = std::env::var("HENCE").unwrap_or_else(|_| built.to_string_lossy().into_owned());
    if Path::new(&hence).is_file() {
        return Some(hence);
    }
    eprintln!(
        "`{section}` starts `{hence}`, which isn't there: `cargo build --release` builds it, HENCE names another"
    );
    None
}

/// The section; whether every question was answered.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let Some(hence) = hence("cold") else { return false };
    let folder = batch::facts("agg", options);
    let store = home().join("target/facts/ledger");
    let store = store.to_string_lossy();
    let Some(written) = child::ask(&["ledger", &folder.to_string_lossy(), &store]) else { return false };
    let (mut rows, mut answered) = (Vec::new(), true);
    for (what, command, body, rules) in QUESTIONS {
        let rules = home().join(format!("rules/{rules}.dl"));
        let form = if command == "why" { "json" } else { "jsonl" };
        let rules = rules.to_string_lossy();
        let words =
            ["command", &hence, command, body, "--rules", &rules, "--store", &store, "--format", form];
        let runs: Vec<Json> = (0..options.runs).filter_map(|_| child::ask(&words)).collect();
        answered &= !runs.is_empty() && runs.iter().all(|run| run["status"] == 0);
        let (row, figure) = of_command(format!("{what}: `{command} {body}`"), &runs);
        rows.push(row);
        figures["cold"][format!("{command} {body}")] = figure;
    }
    println!("\n## cold start: `hence query` and `hence why` over a ledger of {} facts\n", written["facts"]);
    table(&["asked for", "wall s", "CPU s", "peak MB", "rows"], &rows);
    answered
}

/// The row of a table and the figures of the runs of one command: times, memory, and how many lines it printed.
pub fn of_command(what: String, runs: &[Json]) -> (Vec<String>, Json) {
    let series = |name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
    let lines = runs.first().and_then(|run| run["output"].as_str()).unwrap_or("").lines().count();
    let row = vec![
        what,
        spread(&series("wall"), digits),
        spread(&series("cpu"), digits),
        digits(series("peak_kib").median() / 1024.0),
        lines.to_string(),
    ];
    let figure = |name: &str| series(name).json();
    let figures = json!({
        "wall": figure("wall"), "cpu": figure("cpu"), "peak_kib": figure("peak_kib"), "rows": lines,
    });
    (row, figures)
}
