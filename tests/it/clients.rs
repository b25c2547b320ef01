//! The examples that live with hence: the agent's day in Rust, and the clients of `hence decide --follow`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hence::session::{DecisionId, Drawn, RuleSource, Session, shipped};
use hence_ledger::{Ledger, OpenOptions};

use super::command;

#[path = "../../examples/embed.rs"]
#[expect(dead_code, reason = "the example's own main is not called here")]
mod embed;

#[test]
fn on_the_day_of_the_embedded_agent_each_pack_decides_and_is_asked_why() {
    let folder = crate::memory::folder();
    let ledger = Ledger::open(folder.path().join("store"), &OpenOptions::default()).unwrap();
    let mut log = Vec::new();
    let asked = embed::day(ledger, &mut log).unwrap();
    let packs: Vec<&str> = asked.keys().map(String::as_str).collect();
    // The gate decides about the calls of a host's agent, and has a session of its own.
    let alone = shipped::packs().into_iter().filter(|pack| ![shipped::JOINING, "gate"].contains(pack));
    assert_eq!(packs, alone.collect::<Vec<_>>());
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains("the agent does not call deploy"), "{log}");
    assert!(log.contains("not yet: rule earliest_escalation_review"), "{log}");
    assert!(log.contains("review_rejected(\"r1\", /not_eligible)"), "{log}");
}

#[test]
fn the_embedded_agents_day_is_the_same_each_time() {
    let day = || {
        let mut log = Vec::new();
        embed::day(Ledger::memory().unwrap(), &mut log).unwrap();
        log
    };
    assert_eq!(day(), day());
}

/// Runs a client, unless its language isn't here.
fn client(language: &str, file: &str) {
    if Command::new(language).arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: there is no {language}");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script: PathBuf = root.join("examples").join(file);
    let folder = crate::memory::folder();
    let mut client = Command::new(language);
    client.arg(script).arg(folder.path().join("store")).env("HENCE", env!("CARGO_BIN_EXE_hence"));
    let output = command::plain(client, root).output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{errors}");
    for line in [
        "tool_allowed: web_search is safe at level 1",
        "tool_blocked: deploy is none of the tools that are safe at level 1",
        "a bad line: ",
        "run-1 is an error of the kind /dependency",
        "asserted by client.",
    ] {
        assert!(said.contains(line), "no `{line}` in\n{said}{errors}");
    }
}

#[test]
fn the_client_in_python_is_answered() {
    client("python3", "client.py");
}

#[test]
fn the_client_in_javascript_is_answered() {
    client("node", "client.mjs");
}

/// The agent's week through `hence decide --follow`, a batch of some hundred facts at a time; whatever became of a
/// decision since, a replay draws it again, and so is its proof.
#[test]
fn every_decision_of_the_week_is_proved_again_after_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let week = std::fs::read_to_string(root.join("facts/agent_week.jsonl")).unwrap();
    let lines: Vec<&str> = week.lines().collect();
    let mut said = String::from("{\"now\": [\"2026-02-09T09:00:00Z\"]}\n\n");
    for batch in lines.chunks(300) {
        said.push_str(&batch.join("\n"));
        said.push_str("\n\n");
    }
    let folder = crate::memory::folder();
    let input = folder.path().join("week.jsonl");
    std::fs::write(&input, said).unwrap();
    let store = folder.path().join("store");
    let output = command::hence(root, &["decide", "--follow", "--batch", "--as", "agent", "--store"])
        .arg(&store)
        .stdin(std::fs::File::open(&input).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<serde_json::Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.iter().filter(|answer| answer["change"] == "error").count(), 0);
    let committed = answers.iter().filter(|answer| answer["change"] == "committed").count();
    assert_eq!(committed, lines.len().div_ceil(300) + 1);
    let rules = RuleSource { paths: vec![root.join("rules")], ..RuleSource::default() }.build().unwrap();
    let session = Session::over_ledger(rules, Ledger::open(&store, &OpenOptions::default()).unwrap());
    let drawn: Vec<&serde_json::Value> =
        answers.iter().filter(|answer| answer["change"] == "drawn").collect();
    assert!(drawn.len() > 150, "{}", drawn.len());
    let replayed = session.replay(None, 1, u64::MAX).unwrap().run(&mut |_| {}, &mut |_| true).unwrap();
    assert_eq!((replayed.evaluated as usize, replayed.flips), (committed - 1, 0));
    let mut asked: BTreeMap<u64, Vec<Drawn>> = BTreeMap::new();
    for answer in drawn {
        let id: DecisionId = answer["id"].as_str().unwrap().parse().unwrap();
        let again = asked.entry(id.tx).or_insert_with(|| session.why_all_drawn(id.tx, None).unwrap());
        let again = &again[id.place as usize - 1];
        assert_eq!(again.decision.fact.relation.as_str(), answer["relation"].as_str().unwrap());
        assert_eq!(again.decision.sentence.as_deref(), answer["because"].as_str());
        assert!(again.proof.is_some() && again.is_covered(), "{answer}");
    }
}
