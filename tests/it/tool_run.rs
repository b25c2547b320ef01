//! The log of tool runs: lines of an agent's own, and exports of OpenTelemetry in each of their forms.

use std::fs;

use hence_actuators::{observe_path, observer};
use hence_core::fact::Fact;

use crate::actuators::{observe_bytes, refused, root};

pub(crate) const RUN: &str = r#"{"run": 1, "tool": "shell", "domain": "engineering", "ok": false, "latency_ms": 1200.5,
 "at": "2026-02-03T15:23:45+01:00", "failure_mode": ["timeout", "nonzero_exit"], "error": "EPERM", "host": "a"}"#;

pub(crate) fn on_one_line(text: &str) -> String {
    text.replace('\n', "")
}

#[test]
fn runs_are_read_with_their_failure_modes_and_errors() {
    let lines = format!(
        "{}\n{}\n",
        on_one_line(RUN),
        r#"{"run": 2, "tool": "calculate", "ok": true, "latency": "40ms", "at": "2026-02-03T14:23:46Z", "error": null}"#
    );
    let (facts, summary) = observe_bytes("tool-run", "runs.jsonl", None, lines.as_bytes()).unwrap();
    let facts: Vec<_> = facts.iter().map(Fact::to_string).collect();
    assert_eq!(
        facts,
        [
            r#"tool_run(1, "shell", /engineering, false, 1s200ms500us, @2026-02-03T14:23:45Z)"#,
            r#"failure_mode(1, "timeout")"#,
            r#"failure_mode(1, "nonzero_exit")"#,
            r#"error("run-1", 5)"#,
            r#"error_signal("run-1", /eperm)"#,
            r#"tool_run(2, "calculate", /global, true, 40ms, @2026-02-03T14:23:46Z)"#,
        ]
    );
    assert_eq!((summary.records, summary.facts, summary.ignored.get("host")), (2, 6, Some(&1)));
}

#[test]
fn a_bad_line_is_refused_with_its_place_and_what_was_expected() {
    let base = on_one_line(RUN);
    let with = |from: &str, to: &str| refused("tool-run", &format!("{base}\n{}", base.replacen(from, to, 1)));
    let cases = [
        (with("1,", "\"one\","), r#"`run` to be an int, found "one""#),
        (with("\"run\"", "\"no\""), "`run` to be an int, found no such field"),
        (with("false", "\"no\""), r#"`ok` to be true or false, found "no""#),
        (with("1200.5", "-1"), "`latency_ms` to be a number of milliseconds, 0 or more, found -1"),
        (with("\"latency_ms\": 1200.5,", ""), "`latency` or `latency_ms`, found no such field"),
        (
            with("\"latency_ms\"", "\"latency\": \"1s\", \"latency_ms\""),
            "`latency` or `latency_ms`, found both",
        ),
        (
            with("T15", " at 15"),
            r#"`at` to be a time such as "2026-02-03T14:23:45Z", found "2026-02-03 at 15:23:45+01:00""#,
        ),
        (with("\"engineering\"", "\"R&D\""), r#"`domain` to be a name such as "/marketing", found "R&D""#),
        (
            with("[\"timeout\"", "[3"),
            r#"`failure_mode` to be a string or an array of strings, found [3,"nonzero_exit"]"#,
        ),
        (refused("tool-run", &format!("{base}\n[1, 2]")), "a JSON object, found 1"),
        (refused("tool-run", &format!("{base}\n[{base}")), "`]`, found the end of the input"),
    ];
    for (found, expected) in cases {
        assert_eq!(found, format!("in.jsonl:2: expected {expected}"));
    }
    let broken = refused("tool-run", "{\"run\": 1");
    assert!(broken.starts_with("in.jsonl:1: expected a JSON object, found invalid JSON ("), "{broken}");
    // A line that was cut off does not swallow what comes after it.
    let cut = refused("tool-run", &format!("{base}\n{{\"run\": 1\n{base}"));
    assert!(cut.starts_with("in.jsonl:2: expected a JSON object, found invalid JSON ("), "{cut}");
    let deep = refused("tool-run", &"[".repeat(100_000));
    assert!(deep.contains("recursion limit"), "{deep}");
}

#[test]
fn tool_calls_are_found_among_open_telemetry_spans() {
    let path = root("tests/actuators/otlp.jsonl");
    let mut facts = Vec::new();
    let runs = observer("tool-run", None).unwrap();
    let summary = observe_path(runs.as_ref(), path.to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        facts.push(fact.to_string());
        Ok(())
    })
    .unwrap();
    assert_eq!(
        facts,
        [
            r#"tool_run(6067939131945522007, "web_search", /marketing, true, 1s250ms, @2026-02-03T14:23:45Z)"#,
            r#"tool_run(1, "shell", /engineering, false, 500ms, @2026-02-03T14:23:50Z)"#,
            r#"failure_mode(1, "PermissionError")"#,
            r#"error("run-1", 82)"#,
            r#"error_signal("run-1", /permission_denied)"#,
        ]
    );
    assert_eq!((summary.records, summary.skipped), (2, 1));
    let text = fs::read_to_string(path).unwrap();
    let broken = refused("tool-run", &text.replace("\"gen_ai.tool.name\"", "\"tool\""));
    assert_eq!(
        broken,
        "in.jsonl:1: expected `gen_ai.tool.name` of a tool call to be a string, found no such field"
    );
}

/// The facts and the summary of a recorded input.
fn recorded(path: &str) -> (Vec<String>, u64, u64) {
    let mut facts = Vec::new();
    let runs = observer("tool-run", None).unwrap();
    let summary = observe_path(runs.as_ref(), root(path).to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        facts.push(fact.to_string());
        Ok(())
    })
    .unwrap();
    (facts, summary.records, summary.skipped)
}

#[test]
fn an_export_may_go_over_many_lines() {
    let facts = [
        r#"tool_run(17, "web_search", /engineering, true, 1s250ms, @2026-02-03T14:25:01Z)"#,
        r#"tool_run(18, "read_file", /engineering, false, 15ms, @2026-02-03T14:25:03Z)"#,
        r#"failure_mode(18, "FileNotFoundError")"#,
        r#"error("run-18", 56)"#,
    ];
    assert_eq!(recorded("tests/actuators/otlp_pretty.json"), (facts.map(str::to_owned).to_vec(), 2, 1));
}

#[test]
fn exports_may_stand_in_an_array_beside_those_of_other_signals() {
    let facts = [
        r#"tool_run(33, "calculate", /global, true, 2ms, @2026-02-03T14:25:05Z)"#,
        r#"tool_run(34, "deploy", /global, false, 20s, @2026-02-03T14:25:06Z)"#,
        r#"error("run-34", 23)"#,
        r#"error_signal("run-34", /net_timeout)"#,
    ];
    assert_eq!(recorded("tests/actuators/otlp_array.json"), (facts.map(str::to_owned).to_vec(), 2, 1));
}
