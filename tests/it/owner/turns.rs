//! Turns: commands on an owned store, reviews beside an open stream, two at once, a second owner.

use std::fs;
use std::process::Stdio;

use super::{Client, Owner, Stream, assert_fact, facts, folder, run, said, socket};
use crate::command::hence;

#[test]
fn commands_on_an_owned_store_do_what_they_do_on_a_free_one() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let (status, out, said) = run(dir.path(), &["assert", "failed(\"backup\", 1)"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert!(out.contains("recorded as transaction 1"), "{out}");
    // The owner draws what follows as soon as the turn is over.
    let (status, out, said) = run(dir.path(), &["decide", "--all", "--format", "jsonl"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert!(out.contains("stands") && out.contains("retry"), "{out}");
    let (_, status, _) = run(dir.path(), &["status"]);
    assert!(status.contains("base          up to transaction 2"), "{status}");
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!socket(dir.path()).exists());
}

#[test]
fn an_open_stream_sees_what_others_recorded() {
    let dir = folder();
    let mut stream = Stream::new(dir.path());
    for job in ["a", "b", "c"] {
        let answer = stream.say(&format!("{{\"failed\": [\"{job}\", 1]}}"));
        assert!(answer.contains("\"drawn\": 1"), "{answer}");
    }
    // Drawn by the other process, so not by the stream once more; recorded only, so drawn by the stream after the turn.
    let now = ["--now", "2026-02-09T09:00:00Z"];
    let (status, out, said) = run(dir.path(), &[&["decide", "--facts", "more.jsonl"], &now[..]].concat());
    assert_eq!(status, 2, "{out}{said}");
    fs::write(dir.path().join("more.jsonl"), "{\"allowed\": [\"d\"]}\n").unwrap();
    assert_eq!(run(dir.path(), &[&["decide", "--facts", "more.jsonl"], &now[..]].concat()).0, 0);
    assert_fact(dir.path(), "allowed(\"e\")");
    let answer = stream.hear();
    assert!(answer.contains("\"values\": [\"e\"]") && !answer.contains("[\"d\"]"), "{answer}");
    assert!(answer.contains("\"line\": null") && answer.contains("\"drawn\": 1, \"lapsed\": 0"), "{answer}");
    assert_eq!(run(dir.path(), &["retract", "failed(\"b\", 1)"]).0, 0);
    let answer = stream.hear();
    assert!(answer.contains("\"change\": \"lapsed\"") && answer.contains("[\"b\"]"), "{answer}");
    let answer = stream.say("{\"allowed\": [\"f\"]}");
    assert!(answer.contains("\"line\": 4") && answer.contains("\"drawn\": 1, \"lapsed\": 0"), "{answer}");
    assert!(answer.contains("\"standing\": 5"), "{answer}");
    assert_eq!(stream.end(), 0);
    assert!(!socket(dir.path()).exists());
    let (status, out, said) = run(dir.path(), &["verify"]);
    assert_eq!(status, 0, "{out}{said}");
}

#[test]
fn the_second_owner_is_told_of_the_first() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let known = format!("the ledger is owned by process {} (hence serve)", owner.process.id());
    for second in [&["serve"][..], &["decide", "--follow"]] {
        let (status, _, said) = run(dir.path(), second);
        assert_eq!(status, 2);
        assert!(said.contains(&known), "{said}");
    }
    let _turn = Client::turn(dir.path());
    assert!(run(dir.path(), &["serve"]).2.contains(&known));
}

#[test]
fn two_clients_take_turns() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let first = Client::turn(dir.path());
    let waiting: Vec<_> = (0..4)
        .map(|at| {
            let fact = format!("failed(\"job {at}\", 1)");
            let assert = ["assert", fact.as_str(), "--wait", "60s"];
            hence(dir.path(), &assert).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut asker = Client::new(dir.path());
    asker.say("{\"hence\": 1, \"status\": {}}\n");
    assert!(asker.hear().contains("\"waiting\":"));
    let late = run(dir.path(), &["assert", "failed(\"late\", 1)", "--wait", "50ms"]);
    drop(first);
    for client in waiting {
        let (status, _, said) = said(client.wait_with_output().unwrap());
        assert_eq!((status, said.as_str()), (0, ""));
    }
    assert_eq!(facts(dir.path()), 4 + usize::from(late.0 == 0));
    assert_eq!(owner.stop(), (String::new(), 0));
}

#[test]
fn an_owner_that_is_told_to_stop_twice_stops_in_good_order() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    let process = owner.process.id();
    let twice = format!("kill -TERM {process}; kill -TERM {process}; kill -TERM {process}");
    std::process::Command::new("sh").args(["-c", &twice]).output().unwrap();
    assert_eq!(owner.process.wait().unwrap().code(), Some(0));
    assert!(!socket(dir.path()).exists());
}
