//! Turns: commands on an owned store, reviews beside an open stream, two at once, a second owner.

use crate::slow;
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

const REVIEWS: &str = r#"
input escalation_request(request: string, level: int, reason: string, at: time).
input reviewer(by: string).
input escalation_review(request: string, approved: bool, by: string, comment: string, at: time) from reviewer as by.
input level(to: int).
relation first(request: string, approved: bool).
first(R, A) :- escalation_review(request: R, approved: A, by: B) limit 1 per R by B.
pending_review(R, L) :- escalation_request(request: R, level: L), !escalation_review(request: R).
decision escalate(request: string, to: int) requires escalation_review(request: request, approved: true).
@because("{R} is allowed")
escalate(R, L) :- first(R, true), escalation_request(request: R, level: L), escalation_review(request: R, approved: true).
then level(L) :- escalate(_, L).
"#;

#[test]
fn reviews_are_filed_while_a_stream_is_open_and_of_two_at_once_one_counts() {
    let dir = folder();
    fs::write(dir.path().join("retry.dl"), REVIEWS).unwrap();
    let settings = "rules = [\"retry.dl\"]\n[roles]\nreviewer = [\"ada\", \"grace\"]\n";
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    let mut stream = Stream::new(dir.path());
    for line in ["{\"reviewer\": [\"ada\"]}", "{\"reviewer\": [\"grace\"]}"] {
        stream.say(line);
    }
    let rounds = slow::size(3, 40);
    for round in 0..rounds {
        let request = format!("r{round}");
        stream.say(&format!(
            "{{\"escalation_request\": [\"{request}\", {round}, \"why\", \"2026-02-09T08:00:00Z\"]}}"
        ));
        let now = ["--now", "2026-02-09T09:00:00Z"];
        let answers: Vec<_> = [("approve", "ada"), ("reject", "grace")]
            .into_iter()
            .map(|(answer, by)| {
                let words = [&["review", answer, &request, "--as", by], &now[..]].concat();
                hence(dir.path(), &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let answered: Vec<_> =
            answers.into_iter().map(|answer| said(answer.wait_with_output().unwrap())).collect();
        let (taken, refused): (Vec<_>, Vec<_>) = answered.into_iter().partition(|(status, ..)| *status == 0);
        assert_eq!((taken.len(), refused.len()), (1, 1), "{taken:?} {refused:?}");
        assert!(refused[0].2.contains("an answer stays"), "{refused:?}");
        let level = run(dir.path(), &["facts", "level", "--format", "jsonl"]).1;
        let allowed = taken[0].1.contains("step 1 asserted level");
        assert_eq!(level.contains(&format!("[{round}]")), allowed, "{taken:?} {level}");
    }
    assert_eq!(stream.end(), 0);
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}

#[test]
fn what_falls_due_falls_due_with_an_owner_and_its_clock_never_goes_back() {
    let dir = folder();
    let rules = "input lease(resource: string, ends: time).\ndecision take_back(resource: string).\n\
        @because(\"{R} was due\")\ntake_back(R) :- lease(R, Ends), now(At), Ends <= At.\n";
    fs::write(dir.path().join("retry.dl"), rules).unwrap();
    let clock = dir.path().join("clock");
    let set = |at: &str| {
        fs::write(dir.path().join("next"), at).unwrap();
        fs::rename(dir.path().join("next"), &clock).unwrap();
    };
    set("2026-02-03T11:00:00Z");
    let mut serve = hence(dir.path(), &["serve"]);
    serve.env("HENCE_CLOCK", &clock).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = serve.spawn().unwrap();
    let mut told = std::io::BufReader::new(process.stdout.take().unwrap());
    let notes = std::io::BufReader::new(process.stderr.take().unwrap());
    let mut owner = Owner { process, said: notes };
    owner.hear("serves the ledger");
    let lease = |resource: &str| {
        let fact = format!("lease(\"{resource}\", @2026-02-03T12:00:00Z)");
        let mut assert = hence(dir.path(), &["assert", &fact]);
        let (status, _, said) = said(assert.env("HENCE_CLOCK", &clock).output().unwrap());
        assert_eq!(status, 0, "{said}");
    };
    let mut heard = || {
        let mut all = String::new();
        while !all.contains("\"committed\"") {
            assert!(std::io::BufRead::read_line(&mut told, &mut all).unwrap() > 0, "{all}");
        }
        all
    };
    lease("printer");
    set("2026-02-03T12:00:07Z");
    let due = heard();
    assert!(due.contains("take_back") && due.contains("\"now\": \"2026-02-03T12:00:00Z\""), "{due}");
    // The wall clock is set back: what is recorded then is decided at the last recorded instant.
    set("2026-02-03T09:00:00Z");
    lease("scanner");
    let waits = heard();
    assert!(waits.contains("scanner") && waits.contains("\"now\": \"2026-02-03T12:00:00Z\""), "{waits}");
    owner.hear("earlier than the last recorded instant 2026-02-03T12:00:00Z");
    assert_eq!(owner.stop().1, 0);
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}
