//! `decide --follow` on the wall clock: decisions and ticks fall due at their instants, with no line to bring them. The wall
//! clock is a file, so no test waits for time to pass.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hence::session::{self, CommitRequest, Loader, Session};
use hence_core::fact::Fact;
use hence_core::literal::parse_time;
use hence_core::value::Value;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::command;
use super::settings::{folder, run};

const LEASES: &str = "\
## A resource is leased until a moment.
input lease(resource: string, ends: time).

## Take the resource back.
decision take_back(resource: string).

@because(\"{Resource} was due at {Ends}\")
take_back(Resource) :- lease(Resource, Ends), now(At), Ends <= At, At - Ends < 1h.
";

const SCHEDULES: &str = "\
## What ticks when.
input schedule(name: string, cron: string, zone: string).

## A schedule ticked.
input tick(name: string, at: time, late: bool).

## Do what is scheduled.
decision work(name: string, at: time).

@because(\"it is time\")
work(Name, At) :- tick(Name, At, _), now(Now), Now - At < 30m.
";

/// A session at work whose wall clock is a file.
struct Following {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    clock: PathBuf,
}

impl Following {
    fn new(folder: &Path, at: &str) -> Self {
        let clock = folder.join("clock");
        fs::write(&clock, at).unwrap();
        let mut command = command::hence(folder, &["decide", "--follow", "--as", "ada"]);
        command.env("HENCE_CLOCK", &clock);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { child, input, lines, clock }
    }

    /// Sets the clock; whoever reads it never sees it half-written.
    fn set(&self, at: &str) {
        let next = self.clock.with_extension("next");
        fs::write(&next, at).unwrap();
        fs::rename(next, &self.clock).unwrap();
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&self) -> Json {
        let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("an answer within a minute");
        serde_json::from_str(&line).unwrap()
    }

    /// Ends the input; what was said after what is heard already, and the status.
    fn end(mut self) -> (Vec<String>, String, i32) {
        drop(self.input.take());
        let left = self.lines.iter().collect();
        let output = self.child.wait_with_output().unwrap();
        (left, String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
    }
}

fn told(line: &Json) -> (&str, &str) {
    (line["change"].as_str().unwrap(), line["relation"].as_str().unwrap_or_default())
}

#[test]
fn a_decision_falls_due_at_its_instant_and_lapses_at_another() {
    let folder = folder(&[("hence.toml", "rules = [\"lease.dl\"]\n"), ("lease.dl", LEASES)]);
    let mut following = Following::new(folder.path(), "2026-02-03T11:00:00Z");
    following.say(r#"{"lease": ["printer", "2026-02-03T12:00:00Z"]}"#);
    assert_eq!(following.hear()["drawn"], 0);

    following.set("2026-02-03T12:10:00Z");
    assert_eq!(told(&following.hear()), ("drawn", "take_back"));
    let committed = following.hear();
    assert_eq!((&committed["line"], &committed["now"]), (&Json::Null, &Json::from("2026-02-03T12:00:00Z")));

    following.set("2026-02-03T15:00:00Z");
    assert_eq!(told(&following.hear()), ("lapsed", "take_back"));
    assert_eq!(following.hear()["now"], "2026-02-03T13:00:00Z");
    let (left, errors, status) = following.end();
    assert_eq!((left.as_slice(), errors.as_str(), status), ([].as_slice(), "", 0));

    let log = run(folder.path(), &["why", "2.1"], &[], "");
    assert!(log.1.contains("at 2026-02-03T12:00:00Z"), "{}", log.1);
    assert_eq!(run(folder.path(), &["verify"], &[], "").0, 0);
}

#[test]
fn what_fell_due_while_nobody_followed_falls_due_at_the_beginning() {
    let folder = folder(&[("hence.toml", "rules = [\"lease.dl\"]\n"), ("lease.dl", LEASES)]);
    let mut following = Following::new(folder.path(), "2026-02-03T11:00:00Z");
    following.say(r#"{"lease": ["printer", "2026-02-03T12:00:00Z"]}"#);
    following.hear();
    following.end();

    let following = Following::new(folder.path(), "2026-02-03T12:30:00Z");
    assert_eq!(told(&following.hear()), ("drawn", "take_back"));
    assert_eq!(following.hear()["now"], "2026-02-03T12:30:00Z");
    following.end();
}

#[test]
fn an_earlier_wall_clock_waits_at_the_last_recorded_instant_and_says_so() {
    let folder = folder(&[("hence.toml", "rules = [\"lease.dl\"]\n"), ("lease.dl", LEASES)]);
    let mut following = Following::new(folder.path(), "2026-02-03T12:30:00Z");
    following.say(r#"{"lease": ["printer", "2026-02-03T12:00:00Z"]}"#);
    assert_eq!(told(&following.hear()), ("drawn", "take_back"));
    following.end();

    let mut following = Following::new(folder.path(), "2026-02-03T10:00:00Z");
    following.say(r#"{"lease": ["scanner", "2026-02-03T12:20:00Z"]}"#);
    assert_eq!(told(&following.hear()), ("drawn", "take_back"));
    let (_, errors, _) = following.end();
    assert!(errors.contains("earlier than the last recorded instant 2026-02-03T12:30:00Z"), "{errors}");
}

#[test]
fn a_review_on_an_earlier_wall_clock_is_given_at_the_last_recorded_instant() {
    let settings = "packs = [\"proposals\"]\n\n[roles]\nreviewer = [\"ada\"]\n";
    let folder = folder(&[("hence.toml", settings), ("clock", "2027-03-01T09:00:00Z")]);
    let clock = folder.path().join("clock");
    let at = |instant: &str, args: &[&str]| {
        fs::write(&clock, instant).unwrap();
        run(folder.path(), args, &[("HENCE_CLOCK", clock.to_str().unwrap())], "")
    };
    let proposal = |id: &str| format!("proposal(\"{id}\", /playbook_suggestion, 0.9, @2027-03-01T09:00:00Z)");
    let (first, second) = (proposal("o"), proposal("p"));
    at("2027-03-01T09:00:00Z", &["assert", "reviewer(\"ada\")", &first, &second, "--as", "ada"]);
    let approved = at("2027-03-01T09:00:00Z", &["review", "approve", "o", "--as", "ada"]);
    assert_eq!(approved.0, 0, "{}", approved.2);
    let approved = at("2026-03-01T09:00:00Z", &["review", "approve", "p", "--as", "ada"]);
    assert_eq!(approved.0, 0, "{}", approved.2);
    assert!(approved.2.contains("earlier than the last recorded instant"), "{}", approved.2);
    let said = at(
        "2026-03-01T09:00:00Z",
        &["assert", "proposal_review(proposal: \"q\", approved: true)", "--as", "ada"],
    );
    assert_eq!(said.0, 0, "{}", said.2);
    let reviews = at("2026-03-01T09:00:00Z", &["facts", "proposal_review", "--format", "jsonl"]).1;
    assert_eq!(reviews.matches("2027-03-01T09:00:00Z").count(), 3, "{reviews}");
}

#[test]
fn an_answer_to_the_outbox_on_an_earlier_wall_clock_is_noted_at_the_last_recorded_instant() {
    let rules = "input f(n: int).\ndecision act(n: int).\nact(N) :- f(N).\n";
    let settings = "rules = [\"act.dl\"]\n\n[carry]\nact = { carrier = \"command\", program = \"false\" }\n";
    let folder = folder(&[("act.dl", rules), ("hence.toml", settings), ("clock", "2027-03-01T09:00:00Z")]);
    let clock = folder.path().join("clock");
    let at = |instant: &str, args: &[&str]| {
        fs::write(&clock, instant).unwrap();
        run(folder.path(), args, &[("HENCE_CLOCK", clock.to_str().unwrap())], "")
    };
    at("2027-03-01T09:00:00Z", &["assert", "f(1)"]);
    at("2027-03-01T09:00:00Z", &["carry"]);
    for answer in ["retry", "skip"] {
        let answered = at("2026-03-01T09:00:00Z", &["outbox", answer, "2.1"]);
        assert_eq!(answered.0, 0, "{}", answered.2);
        assert!(answered.2.contains("earlier than the last recorded instant"), "{}", answered.2);
    }
    let noted = at("2026-03-01T09:00:00Z", &["outbox", "show", "2.1"]).1;
    assert_eq!(noted.matches("2027-03-01T09:00:00Z").count(), 4, "{noted}");
    assert!(!noted.contains("2026-"), "{noted}");
}

#[test]
fn schedules_tick_at_their_instants_and_missed_ones_once() {
    let folder = folder(&[("hence.toml", "rules = [\"work.dl\"]\n"), ("work.dl", SCHEDULES)]);
    let mut following = Following::new(folder.path(), "2026-03-28T07:00:00Z");
    following.say(r#"{"schedule": ["mornings", "0 9 * * *", "Europe/Berlin"]}"#);
    assert_eq!(following.hear()["asserted"], 1);

    following.set("2026-03-28T08:00:10Z");
    let drawn = following.hear();
    assert_eq!(told(&drawn), ("drawn", "work"));
    assert_eq!(drawn["values"], serde_json::json!(["mornings", "2026-03-28T08:00:00Z"]));
    assert_eq!(following.hear()["asserted"], 1);
    following.end();
    let facts = run(folder.path(), &["facts", "tick", "--format", "jsonl"], &[], "");
    assert!(facts.1.contains("\"2026-03-28T08:00:00Z\", false"), "{}", facts.1);

    // Clocks changed in Berlin in between, and two mornings went by.
    let following = Following::new(folder.path(), "2026-03-30T07:10:00Z");
    assert_eq!(told(&following.hear()).0, "drawn");
    following.hear();
    following.end();
    let facts = run(folder.path(), &["facts", "tick", "--format", "jsonl"], &[], "");
    assert!(facts.1.contains("\"2026-03-30T07:00:00Z\", true"), "{}", facts.1);
    assert!(!facts.1.contains("2026-03-29"), "{}", facts.1);
}

#[test]
fn a_clock_that_jumps_ticks_each_schedule_once() {
    let folder = folder(&[("hence.toml", "rules = [\"work.dl\"]\n"), ("work.dl", SCHEDULES)]);
    let mut following = Following::new(folder.path(), "2026-03-01T07:00:00Z");
    for schedule in [r#"["mornings", "0 9 * * *", "UTC"]"#, r#"["minutes", "* * * * *", "UTC"]"#] {
        following.say(&format!("{{\"schedule\": {schedule}}}"));
        assert_eq!(following.hear()["asserted"], 1);
    }
    // As where the machine slept for a year: half a million minutes went by.
    following.set("2027-03-01T12:00:30Z");
    // Drawn in the morning, lapsed half an hour later, drawn by the last minute; each with a line that commits.
    let lines = [(); 6].map(|()| following.hear());
    let drawn = lines.iter().filter(|line| line["change"] == "drawn");
    let values: Vec<String> = drawn.map(|line| line["values"].to_string()).collect();
    assert_eq!(values.len(), 2, "{values:?}");
    assert!(values.contains(&String::from("[\"mornings\",\"2027-03-01T09:00:00Z\"]")), "{values:?}");
    assert!(values.contains(&String::from("[\"minutes\",\"2027-03-01T12:00:00Z\"]")), "{values:?}");
    following.end();
    let facts = run(folder.path(), &["facts", "tick", "--format", "jsonl"], &[], "").1;
    assert_eq!(facts.lines().filter(|line| line.contains("true")).count(), 2, "{facts}");
    assert_eq!(facts.lines().count(), 2, "{facts}");
}

#[test]
fn the_next_tick_of_each_schedule_is_a_fact() {
    let next = "## When a schedule ticks next.\ninput next_tick(name: string, at: time).\n";
    let rules = format!("{SCHEDULES}\n{next}");
    let folder = folder(&[("hence.toml", "rules = [\"work.dl\"]\n"), ("work.dl", &rules)]);
    let known = |folder: &Path| run(folder, &["facts", "next_tick", "--format", "jsonl"], &[], "").1;
    let mut following = Following::new(folder.path(), "2026-03-28T07:00:00Z");
    following.say(r#"{"schedule": ["mornings", "0 9 * * *", "Europe/Berlin"]}"#);
    assert_eq!(following.hear()["asserted"], 1);
    following.say(r#"{"schedule": ["fridays", "0 18 * * 5", "UTC"]}"#);
    assert_eq!(following.hear()["asserted"], 1);
    following.set("2026-03-28T08:00:10Z");
    assert_eq!(told(&following.hear()), ("drawn", "work"));
    following.hear();
    following.say(r#"{"retract": {"schedule": ["fridays", "0 18 * * 5", "UTC"]}}"#);
    following.hear();
    let (_, errors, status) = following.end();
    assert_eq!((errors.as_str(), status), ("", 0));
    // Clocks change in Berlin in between.
    let facts = known(folder.path());
    assert!(
        facts.contains("\"mornings\", \"2026-03-29T07:00:00Z\"") && facts.lines().count() == 1,
        "{facts}"
    );
    let friday = "next_tick(\"fridays\", @2026-04-03T18:00:00Z)";
    let history = run(folder.path(), &["history", friday], &[], "");
    assert!(history.1.contains("retracted"), "{} {}", history.1, history.2);
}

#[test]
fn a_leap_day_is_waited_for_where_a_century_has_none() {
    let folder = folder(&[("hence.toml", "rules = [\"work.dl\"]\n"), ("work.dl", SCHEDULES)]);
    let mut following = Following::new(folder.path(), "2096-03-01T00:00:00Z");
    following.say(r#"{"schedule": ["leap", "0 0 29 2 *", "UTC"]}"#);
    assert_eq!(following.hear()["asserted"], 1);
    following.set("2104-02-29T00:00:10Z");
    let drawn = following.hear();
    assert_eq!(drawn["values"], serde_json::json!(["leap", "2104-02-29T00:00:00Z"]));
    following.hear();
    let (_, errors, status) = following.end();
    assert_eq!((errors.as_str(), status), ("", 0));
}

#[test]
fn a_faulty_schedule_is_named_and_the_stream_goes_on() {
    let folder = folder(&[("hence.toml", "rules = [\"work.dl\"]\n"), ("work.dl", SCHEDULES)]);
    let mut following = Following::new(folder.path(), "2026-03-28T07:00:00Z");
    following.say(r#"{"schedule": ["a", "61 9 * * *", "Europe/Berlin"]}"#);
    following.say(r#"{"schedule": ["b", "0 9 * *", "Europe/Berlin"]}"#);
    following.say(r#"{"schedule": ["c", "0 9 * * *", "Europe/Berlim"]}"#);
    following.say(r#"{"schedule": ["d", "0 0 31 2 *", "Europe/Berlin"]}"#);
    (0..4).for_each(|_| assert_eq!(following.hear()["asserted"], 1));
    let (_, errors, status) = following.end();
    assert_eq!(status, 0, "{errors}");
    for fault in [
        "`0 0 31 2 *` names no instant of the 40 years to come",
        "`61 9 * * *` is no cron expression",
        "has 4 fields, expected 5",
        "unknown time zone `Europe/Berlim`",
    ] {
        assert!(errors.contains(fault), "{fault} in {errors}");
    }
}

#[test]
fn a_file_of_the_clock_without_an_instant_is_an_error() {
    let folder: TempDir =
        folder(&[("hence.toml", "rules = [\"lease.dl\"]\n"), ("lease.dl", LEASES), ("clock", "soon")]);
    let ran = run(folder.path(), &["decide"], &[("HENCE_CLOCK", "clock")], "");
    assert_eq!(ran.0, 2);
    assert!(ran.2.contains("HENCE_CLOCK: `clock` holds no instant: `soon` is not a time"), "{}", ran.2);
}

#[test]
fn a_session_tells_when_time_alone_changes_something() {
    let mut loader = Loader::default();
    loader.text("lease.dl", LEASES);
    let rules = *session::check(loader.finish(), &[]).rules.unwrap();
    let mut session = Session::over_facts(rules, Vec::new()).unwrap();
    assert_eq!(session.next_change().unwrap(), None);

    let at = |text: &str| parse_time(text).unwrap();
    let ends = Value::Time(at("2026-02-03T12:00:00Z"));
    let lease = Fact::new("lease", [Value::String("printer".into()), ends]);
    let begin = at("2026-02-03T11:00:00Z");
    let change = CommitRequest { assertions: vec![lease], now: begin, ..CommitRequest::default() };
    assert!(session.commit(change, false).unwrap().drawn.is_empty());
    let due = session.next_change().unwrap();
    assert_eq!(due, Some(at("2026-02-03T12:00:00Z")));

    let just_before = CommitRequest { now: due.unwrap() - 1, ..CommitRequest::default() };
    assert!(session.commit(just_before, false).unwrap().drawn.is_empty());
    let then = CommitRequest { now: due.unwrap(), ..CommitRequest::default() };
    assert_eq!(session.commit(then, false).unwrap().drawn.len(), 1);
    assert_eq!(session.next_change().unwrap(), Some(at("2026-02-03T13:00:00Z")));
    let over = CommitRequest { now: at("2026-02-03T13:00:00Z"), ..CommitRequest::default() };
    assert_eq!(session.commit(over, false).unwrap().lapsed.len(), 1);
    assert_eq!(session.next_change().unwrap(), None);
}
