//! From the start of the command to its end, where it has little to do: its version, a question about ten lines of rules,
//! and the first command of the README.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::child;
use crate::cold::hence;
use crate::measure::Series;
use crate::options::{Options, home};
use crate::report::{digits, spread, table};

/// How often each command is started for one of the runs.
const STARTS: usize = 20;

/// The section; whether every command ended well.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let Some(hence) = hence("start") else { return false };
    let path = |name: &str| home().join("rules").join(name).to_string_lossy().into_owned();
    let (rules, facts) = (path("start.dl"), path("start.jsonl"));
    let store = home().join("target/facts/started");
    let store_text = store.to_string_lossy();
    let decide = ["decide", "--facts", "facts/agent_week.jsonl", "--now", "2026-02-09T09:00:00Z", "--store"];
    let commands: [(&str, Vec<&str>); 3] = [
        ("`--version`", vec!["--version"]),
        ("`query` of ten lines", vec!["query", "retry(Job)", "--rules", &rules, "--facts", &facts]),
        ("`decide` of the README, recorded", decide.into_iter().chain([&*store_text]).collect()),
    ];
    let (mut rows, mut ended) = (Vec::new(), true);
    for (what, words) in &commands {
        let runs: Vec<Json> =
            (0..options.runs * STARTS).filter_map(|_| started(&hence, words, &store)).collect();
        ended &= !runs.is_empty() && runs.iter().all(|run| run["status"] == 0);
        let series = |name: &str| {
            Series::new(runs.iter().filter_map(|run| run[name].as_f64()).map(|s| s * 1e3).collect())
        };
        let (wall, cpu) = (series("wall"), series("cpu"));
        rows.push(vec![String::from(*what), spread(&wall, digits), spread(&cpu, digits)]);
        figures["start"][*what] = json!({"wall_ms": wall.json(), "cpu_ms": cpu.json()});
    }
    println!("\n## start of the command: from `exec` to its end\n");
    table(&["command", "wall ms", "CPU ms"], &rows);
    ended
}

/// One run, in the folder of the repository; without the ledger of the run before.
fn started(hence: &str, words: &[&str], store: &Path) -> Option<Json> {
    let _ = std::fs::remove_dir_all(store);
    let folder = home().join("..");
    let before = ["command", "in", &folder.to_string_lossy(), hence].map(String::from);
    let words: Vec<String> = before.into_iter().chain(words.iter().map(|word| String::from(*word))).collect();
    child::ask(&words.iter().map(String::as_str).collect::<Vec<_>>())
}
