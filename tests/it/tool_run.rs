//! The log of tool runs: lines of an agent's own, and exports of OpenTelemetry in each of their forms.

use std::fs;

use hence_actuators::{Input, observe_path, observer};
use hence_core::fact::Fact;
use serde_json::Value as Json;

use crate::actuators::{observe, observe_bytes, refused, root};

pub(crate) const RUN: &str = r#"{"run": 1, "tool": "shell", "domain": "engineering", "ok": false, "latency_ms": 1200.5,
 "at": "2026-02-03T15:23:45+01:00", "failure_mode": ["timeout", "nonzero_exit"], "error": "EPERM", "session": "s", "host": "a"}"#;

/// A call of a model, and a step of reasoning.
pub(crate) const OTHERS: &str = r#"{"call": "c1", "model": "large", "input_tokens": 1200, "output_tokens": 30, "cost": 0.25, "latency": "2s", "at": "2026-02-03T14:23:45Z", "session": "s"}
{"task": "t", "phase": "decide", "thought": "Search first", "at": "2026-02-03T14:23:45Z", "confidence": 0.8, "alternatives": ["ask", "guess"], "latency_ms": 12}"#;

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
            r#"session_run("s", 1)"#,
            r#"tool_run(2, "calculate", /global, true, 40ms, @2026-02-03T14:23:46Z)"#,
        ]
    );
    assert_eq!((summary.records, summary.facts, summary.ignored.get("host")), (2, 7, Some(&1)));
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
        "in.jsonl:1: expected `gen_ai.tool.name` of a span to be a string, found no such field"
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
        r#"model_call("00f067aa0ba902b7", "large", 812, 0, 4s, @2026-02-03T14:25:00Z)"#,
        r#"tool_run(17, "web_search", /engineering, true, 1s250ms, @2026-02-03T14:25:01Z)"#,
        r#"tool_run(18, "read_file", /engineering, false, 15ms, @2026-02-03T14:25:03Z)"#,
        r#"failure_mode(18, "FileNotFoundError")"#,
        r#"error("run-18", 56)"#,
    ];
    assert_eq!(recorded("tests/actuators/otlp_pretty.json"), (facts.map(str::to_owned).to_vec(), 3, 0));
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

#[test]
fn calls_of_models_and_steps_are_read_beside_runs() {
    assert_eq!(
        observe("tool-run", "in.jsonl", None, OTHERS),
        [
            r#"model_call("c1", "large", 1200, 30, 2s, @2026-02-03T14:23:45Z)"#,
            r#"model_cost("c1", 0.25)"#,
            r#"session_model_call("s", "c1")"#,
            r#"trace_step("t", /decide, "Search first", @2026-02-03T14:23:45Z)"#,
            r#"trace_confidence("t", /decide, @2026-02-03T14:23:45Z, 0.8)"#,
            r#"trace_alternative("t", /decide, @2026-02-03T14:23:45Z, "ask")"#,
            r#"trace_alternative("t", /decide, @2026-02-03T14:23:45Z, "guess")"#,
            r#"trace_duration("t", /decide, @2026-02-03T14:23:45Z, 12ms)"#,
        ]
    );
    let fault = |from: &str, to: &str| refused("tool-run", &OTHERS.replace(from, to));
    assert_eq!(fault("1200", "-1"), "in.jsonl:1: expected `input_tokens` to be an int, 0 or more, found -1");
    assert_eq!(
        fault("\"decide\"", "\"doubt\""),
        r#"in.jsonl:2: expected `phase` to be "observe", "orient", "decide" or "act", found "doubt""#
    );
    assert_eq!(
        fault("0.8", "1.8"),
        "in.jsonl:2: expected `confidence` to be a number from 0 to 1, found 1.8"
    );
}

#[test]
fn what_a_model_was_told_and_answered_belongs_to_the_step() {
    let line = r#"{"task": "t", "phase": "act", "thought": "Write it", "at": "2026-02-03T14:23:45Z",
        "system_prompt": "You write tools", "user_prompt": "One that adds", "response": "def add", "assumptions": ["ints", "two"]}"#;
    assert_eq!(
        observe("tool-run", "in.jsonl", None, line),
        [
            r#"trace_step("t", /act, "Write it", @2026-02-03T14:23:45Z)"#,
            r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /system_prompt, "You write tools")"#,
            r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /user_prompt, "One that adds")"#,
            r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /response, "def add")"#,
            r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /assumption, "ints")"#,
            r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /assumption, "two")"#,
        ]
    );
    assert_eq!(
        refused("tool-run", &on_one_line(&line.replace("\"def add\"", "7"))),
        "in.jsonl:1: expected `response` to be a text: a string, found 7"
    );
}

/// Three spans of a session: a call of a model, a step, and a run of a tool that failed.
const EXPORT: &str = r#"{"resourceSpans": [{
    "resource": {"attributes": [{"key": "hence.domain", "value": {"stringValue": "crypto"}}]},
    "scopeSpans": [{"spans": [
        {"spanId": "00000000000000aa", "startTimeUnixNano": 1770128625000000000, "endTimeUnixNano": 1770128627000000000,
         "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.request.model", "value": {"stringValue": "large"}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": 7}},
            {"key": "gen_ai.usage.cost", "value": {"doubleValue": 0.5}},
            {"key": "gen_ai.conversation.id", "value": {"stringValue": "s"}}]},
        {"spanId": "00000000000000ab", "startTimeUnixNano": 1770128625000000000, "endTimeUnixNano": 1770128625000001000,
         "attributes": [
            {"key": "hence.phase", "value": {"stringValue": "act"}},
            {"key": "hence.task", "value": {"stringValue": "t"}},
            {"key": "hence.thought", "value": {"stringValue": "Call it"}},
            {"key": "hence.alternatives", "value": {"arrayValue": {"values": [{"stringValue": "wait"}]}}},
            {"key": "hence.assumptions", "value": {"arrayValue": {"values": [{"stringValue": "it is up"}]}}},
            {"key": "gen_ai.system_instructions", "value": {"stringValue": "Be brief"}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": "[{}]"}}]},
        {"spanId": "0000000000000009", "startTimeUnixNano": 1770128625000000000, "endTimeUnixNano": 1770128626000000000,
         "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "shell"}},
            {"key": "session.id", "value": {"stringValue": "s"}}],
         "events": [{"name": "exception", "attributes": [
            {"key": "exception.message", "value": {"stringValue": "EPERM"}}]}],
         "status": {"code": 2, "message": "no"}},
        {"spanId": "000000000000000c", "startTimeUnixNano": 1, "endTimeUnixNano": 2}
    ]}]}]}"#;

const SEEN: [&str; 12] = [
    r#"model_call("00000000000000aa", "large", 7, 0, 2s, @2026-02-03T14:23:45Z)"#,
    r#"model_cost("00000000000000aa", 0.5)"#,
    r#"session_model_call("s", "00000000000000aa")"#,
    r#"trace_step("t", /act, "Call it", @2026-02-03T14:23:45Z)"#,
    r#"trace_alternative("t", /act, @2026-02-03T14:23:45Z, "wait")"#,
    r#"trace_duration("t", /act, @2026-02-03T14:23:45Z, 1us)"#,
    r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /system_prompt, "Be brief")"#,
    r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /response, "[{}]")"#,
    r#"trace_text("t", /act, @2026-02-03T14:23:45Z, /assumption, "it is up")"#,
    r#"tool_run(9, "shell", /crypto, false, 1s, @2026-02-03T14:23:45Z)"#,
    r#"error("run-9", 8)"#,
    r#"error_signal("run-9", /eperm)"#,
];

/// A field of a message.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut length = bytes.len();
    let mut out = vec![number << 3 | 2];
    while length > 127 {
        out.push(length as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(bytes);
    out
}

/// The wire form of what OTLP has in JSON.
fn encoded(kind: &str, json: &Json) -> Vec<u8> {
    let all = |name: &str, number, kind| -> Vec<u8> {
        json[name]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|item| field(number, &encoded(kind, item)))
            .collect()
    };
    let text = |name: &str, number| {
        json[name].as_str().map(|text| field(number, text.as_bytes())).unwrap_or_default()
    };
    let fixed = |name: &str, number: u8| {
        let mut out = vec![number << 3 | 1];
        out.extend(json[name].as_u64().unwrap().to_le_bytes());
        out
    };
    match kind {
        "export" => all("resourceSpans", 1, "resource spans"),
        "resource spans" => {
            [field(1, &encoded("resource", &json["resource"])), all("scopeSpans", 2, "scope spans")].concat()
        }
        "resource" => all("attributes", 1, "attribute"),
        "scope spans" => all("spans", 2, "span"),
        "span" => {
            let id = u64::from_str_radix(json["spanId"].as_str().unwrap(), 16).unwrap().to_be_bytes();
            let status = if json["status"].is_object() {
                field(15, &encoded("status", &json["status"]))
            } else {
                vec![]
            };
            let times = [fixed("startTimeUnixNano", 7), fixed("endTimeUnixNano", 8)].concat();
            [field(2, &id), times, all("attributes", 9, "attribute"), all("events", 11, "event"), status]
                .concat()
        }
        "event" => [text("name", 2), all("attributes", 3, "attribute")].concat(),
        "status" => [text("message", 2), vec![3 << 3, json["code"].as_u64().unwrap() as u8]].concat(),
        "attribute" => [text("key", 1), field(2, &encoded("value", &json["value"]))].concat(),
        "value" => {
            let int = json["intValue"].as_u64().map(|int| vec![3 << 3, int as u8]).unwrap_or_default();
            let double = json["doubleValue"].as_f64();
            let double = double
                .map(|value| [vec![4 << 3 | 1], value.to_le_bytes().to_vec()].concat())
                .unwrap_or_default();
            let list = json["arrayValue"]["values"].as_array().map(|values| {
                field(
                    5,
                    &values.iter().flat_map(|value| field(1, &encoded("value", value))).collect::<Vec<_>>(),
                )
            });
            [text("stringValue", 1), int, double, list.unwrap_or_default()].concat()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn an_export_says_the_same_in_json_and_in_protobuf() {
    let seen = |name: &str, bytes: &[u8]| {
        let (facts, summary) = observe_bytes("tool-run", name, None, bytes).unwrap();
        (facts.iter().map(Fact::to_string).collect::<Vec<_>>(), summary.records, summary.skipped)
    };
    let mut expected: Vec<String> = SEEN.map(str::to_owned).to_vec();
    expected.push(String::from(r#"session_run("s", 9)"#));
    assert_eq!(seen("in.jsonl", EXPORT.as_bytes()), (expected.clone(), 3, 1));
    let binary = encoded("export", &serde_json::from_str(EXPORT).unwrap());
    assert_eq!(seen("in.pb", &binary), (expected.clone(), 3, 1));
    // As a collector writes them to a file: each after its length.
    let mut framed = (binary.len() as u32).to_be_bytes().to_vec();
    framed.extend(&binary);
    let twice = [framed.clone(), framed.clone()].concat();
    assert_eq!(seen("in.pb", &twice), ([expected.clone(), expected].concat(), 6, 2));
    let cut = observe_bytes("tool-run", "in.pb", None, &twice[..twice.len() - 1]).unwrap_err().to_string();
    assert_eq!(cut, "in.pb:2: expected the whole of an export, found the end of the input");
}

#[test]
fn broken_protobuf_is_refused_and_takes_no_more_than_it_is_long() {
    let binary = encoded("export", &serde_json::from_str(EXPORT).unwrap());
    let runs = observer("tool-run", None).unwrap();
    for end in 1..binary.len() {
        let cut = runs.observe(Input::new("in.pb", None, &mut &binary[..end]), &mut |_| Ok(()));
        let fault = cut.unwrap_err().to_string();
        assert!(fault.starts_with("in.pb:1: expected "), "{end}: {fault}");
    }
    let refused = |bytes: &[u8]| observe_bytes("tool-run", "in.pb", None, bytes).unwrap_err().to_string();
    assert_eq!(
        refused(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        "in.pb:1: expected an OTLP export of traces in protobuf, found something else"
    );
    assert!(refused(b"not protobuf at all").contains("found something else"));
    // Values inside values inside values.
    let mut value = field(1, b"x");
    for _ in 0..100 {
        value = field(5, &field(1, &value));
    }
    let attribute = [field(1, b"k"), field(2, &value)].concat();
    let export = field(1, &field(2, &field(2, &field(9, &attribute))));
    assert!(refused(&export).contains("found something else"));
    assert!(refused(&field(1, &field(2, &field(2, &[0x83; 64])))).contains("found something else"));
}
