//! The command over a year of an agent's log, with all shipped packs: the first decisions, those after one run more, questions,
//! and the checks of an auditor.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::options::Options;
use crate::report::table;
use crate::{batch, child, cold};

/// One run more, which goes wrong.
const ONE_MORE: &str = r#"{"tool_run": [9999999, "tool_000001", "/crypto", false, "90ms", "2026-12-31T23:10:00Z"]}
{"error": ["run_9999999", 80]}
{"error_signal": ["run_9999999", "/timed_out"]}
"#;

/// When the year is decided.
const NOW: &str = "2027-01-01T00:00:00Z";

/// What is done, in order: in words, and the command's words.
const STEPS: [(&str, &[&str]); 6] = [
    ("the year", &["decide", "--facts", "year.jsonl", "--now", NOW, "--format", "jsonl"]),
    ("one run more", &["decide", "--facts", "more.jsonl", "--now", NOW, "--format", "jsonl"]),
    (
        "which tool",
        &["query", r#"select_tool("goal_000017", Tool, Score)"#, "--now", NOW, "--format", "jsonl"],
    ),
    ("why this answer to an error", &["why", r#"handle_error("run_9999999", _, _, _, _)"#, "--now", NOW]),
    ("verify", &["verify"]),
    ("replay", &["replay", "--up-to", "1"]),
];

/// The section; whether every step succeeded.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let Some(hence) = cold::hence("log") else { return false };
    let facts = batch::facts("year", options);
    let all: Vec<Vec<Json>> = (0..options.runs).map(|_| steps(&hence, &facts)).collect();
    let (mut rows, mut done) = (Vec::new(), true);
    for (at, (what, words)) in STEPS.iter().enumerate() {
        let runs: Vec<Json> = all.iter().filter_map(|steps| steps.get(at).cloned()).collect();
        done &= runs.len() == options.runs && runs.iter().all(|run| run["status"] == 0);
        let (row, figure) = cold::of_command(format!("{what}: `hence {}`", words.join(" ")), &runs);
        rows.push(row);
        figures["log"][*what] = figure;
    }
    println!("\n## a year of an agent's log, by the command with all shipped packs\n");
    table(&["done", "wall s", "CPU s", "peak MB", "rows"], &rows);
    done
}

/// The steps over a new ledger, in a folder of their own so that no settings are found.
fn steps(hence: &str, facts: &Path) -> Vec<Json> {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(facts.join("year.jsonl"), folder.path().join("year.jsonl")).unwrap();
    fs::write(folder.path().join("more.jsonl"), ONE_MORE).unwrap();
    let place = folder.path().to_string_lossy();
    let step = |words: &&[&str]| child::ask(&[&["command", "in", &place, hence], *words].concat());
    STEPS.iter().map_while(|(_, words)| step(words)).collect()
}
