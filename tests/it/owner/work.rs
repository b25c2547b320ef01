//! What a line and a turn cost is what they change: nothing is evaluated afresh, told by the spans of a log.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value as Json;

use super::{assert_fact, folder, signal, until};
use crate::command::hence;

const RULES: &str = "input lease(resource: int, ends: time).\ninput other(n: int).\ndecision take_back(resource: int).\n\
    @because(\"{R} was due\")\ntake_back(R) :- lease(R, Ends), now(At), Ends <= At.\n";
/// How many lines, or turns, each of which concerns no rule.
const TIMES: usize = 5;

/// A folder in whose ledger leases stand that end long after.
fn with_leases() -> tempfile::TempDir {
    let dir = folder();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    let leases = (0..300).map(|at| format!("{{\"lease\": [{at}, \"2999-01-01T00:00:00Z\"]}}\n"));
    fs::write(dir.path().join("leases.jsonl"), leases.collect::<String>()).unwrap();
    let asserted = hence(dir.path(), &["assert", "--facts", "leases.jsonl"]).output().unwrap();
    assert!(asserted.status.success(), "{asserted:?}");
    dir
}

/// A process that owns the ledger and writes its log into a file.
fn logged(dir: &Path, args: &[&str], input: Stdio) -> Child {
    let mut owner = hence(dir, args);
    owner.env("HENCE_LOG", "debug").env("HENCE_LOG_FORMAT", "json");
    let log = File::create(dir.join("log")).unwrap();
    owner.stdin(input).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// The spans of this name that have ended, by the log.
fn spans(dir: &Path, name: &str) -> Vec<Json> {
    let log = fs::read_to_string(dir.join("log")).unwrap();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let ended = lines.filter(|line| line["fields"]["message"] == "close" && line["span"]["name"] == name);
    ended.map(|line| line["span"].clone()).collect()
}

/// Everything that stands was looked at once, at the beginning, and after that each change alone.
fn only_changes_were_evaluated(dir: &Path) {
    assert_eq!(spans(dir, "maintain_afresh").len(), 1);
    assert_eq!(spans(dir, "evaluate").len(), 0);
    let edits: Vec<u64> = spans(dir, "maintain").iter().map(|span| span["edits"].as_u64().unwrap()).collect();
    assert!(edits.iter().all(|edits| *edits <= 1), "{edits:?}");
    assert_eq!(edits.iter().sum::<u64>(), TIMES as u64, "{edits:?}");
    assert!(edits.len() <= 3 * TIMES + 1, "{edits:?}");
}

#[test]
fn lines_on_the_wall_clock_evaluate_nothing_afresh() {
    let dir = with_leases();
    let mut stream = logged(dir.path(), &["decide", "--follow"], Stdio::piped());
    let mut lines = stream.stdin.take().unwrap();
    (0..TIMES).for_each(|at| writeln!(lines, "{{\"other\": [{at}]}}").unwrap());
    drop(lines);
    assert_eq!(stream.wait().unwrap().code(), Some(0));
    only_changes_were_evaluated(dir.path());
}

#[test]
fn an_owner_evaluates_nothing_afresh_after_a_turn() {
    let dir = with_leases();
    let mut owner = logged(dir.path(), &["serve"], Stdio::null());
    until("the owner serves", || spans(dir.path(), "commit").len() == 1);
    for at in 0..TIMES {
        assert_fact(dir.path(), &format!("other({at})"));
        until("the turn is over", || spans(dir.path(), "commit").len() == at + 2);
    }
    signal(owner.id(), "TERM");
    assert_eq!(owner.wait().unwrap().code(), Some(0));
    only_changes_were_evaluated(dir.path());
}
