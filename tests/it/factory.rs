//! The tool factory: from a capability that is missing to a tool that is generated, checked, registered, run and made again,
//! with a scripted model.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value as Json, json};

use super::command;

const SCHEMA: &str = r#"{"type": "object", "required": ["tool", "language", "code", "tests"], "properties":
    {"tool": {"type": "string"}, "language": {"type": "string"}, "code": {"type": "string"}, "tests": {"type": "string"}}}"#;

/// It gets the first page only.
const FIRST: &str = r#""""Docs of a library."""
import json


def run(given):
    pages = []
    for page in [1]:
        pages.append("docs of " + given["library"] + " page %d of 3" % page)
    return {"pages": pages}
"#;
/// It gets all of them.
const SECOND: &str = r#"def run(given):
    pages = []
    for page in [1, 2, 3]:
        pages.append("docs of " + given["library"] + " part %d " % page + "x" * 100)
    return {"pages": pages}
"#;
/// It has all that log points are put at.
const ALL: &str = r#""""A tool."""
from __future__ import annotations
import json


class C:
    @staticmethod
    def other(a, b=2): return a

    def method(self):
        while True: break


def run(given):
    text = '''keeps
  its lines'''
    try:
        for x in given: y = http_get(x)
    except (ValueError,
            KeyError) as why:
        # told
        return text
    if http_get(
        'http://a'): return text
    return text
"#;
const GO: &str = r#"package main

import (
	"net/http"
)

func fetch(url string, _ int) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	for i := 0; i < 3; i++ {
		switch i {
		case 1:
			http.Get(url)
		}
	}
	return resp.Status, nil
}
"#;

/// A server that gives these answers, one to each connection; what it was asked.
fn server(answers: Vec<Json>) -> (String, JoinHandle<Vec<Json>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serve = move || {
        let mut got = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut bytes = vec![0; length];
            reader.read_exact(&mut bytes).unwrap();
            got.push(serde_json::from_slice(&bytes).unwrap());
            let choice = json!({ "message": { "content": answer.to_string() }, "finish_reason": "stop" });
            let usage = json!({ "prompt_tokens": 10, "completion_tokens": 5 });
            let body = json!({ "choices": [choice], "usage": usage }).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
        }
        got
    };
    (url, thread::spawn(serve))
}

fn folder(url: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let ask = |prompt: &str| {
        format!(
            "{{ carrier = \"model\", api = \"openai\", url = \"{url}\", model = \"small\", attempts = 1, \
            prompt = \"{prompt}\", schema = \"schema.json\", facts = [\"tool_draft(draft = $id, tool = $answer.tool, \
            capability = capability, language = $answer.language, text = $answer.code, tests = $answer.tests, at = $now)\"] }}"
        )
    };
    let config = format!(
        "author = \"ada\"\npacks = [\"loop\"]\n[tools]\nfolder = \"tools\"\ntimeout = \"3s\"\n[carry]\n\
        generate_tool = {}\nremake_tool = {}\n",
        ask("Write a tool for {{capability}}. Hints: {{rows tool_generation_hint}}"),
        ask(
            "Write {{tool}} again, for {{why}}: {{rows tool_source}} {{rows quality_issue}} {{rows failure_text}}"
        )
    );
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    fs::write(dir.path().join("schema.json"), SCHEMA).unwrap();
    dir
}

fn draft(tool: &str, language: &str, code: &str, tests: &str) -> Json {
    json!({ "tool": tool, "language": language, "code": code, "tests": tests })
}

fn run(dir: &Path, words: &[&str]) -> Output {
    command::hence(dir, words).stdin(Stdio::null()).output().unwrap()
}

fn carry_out(dir: &Path, at: &str, facts: &[&str]) -> String {
    fs::write(dir.join("facts.jsonl"), facts.join("\n")).unwrap();
    let output = run(dir, &["decide", "--carry-out", "--facts", "facts.jsonl", "--now", at]);
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat()
}

fn facts(dir: &Path, relation: &str) -> Vec<String> {
    let output = run(dir, &["query", relation, "--format", "csv", "--now", "2026-02-10T12:00:00Z"]);
    String::from_utf8(output.stdout).unwrap().lines().skip(1).map(str::to_owned).collect()
}

/// Whether a body holds.
fn holds(dir: &Path, body: &str) -> bool {
    run(dir, &["query", body, "--exit-status", "--now", "2026-02-10T12:00:00Z"]).status.success()
}

const WANTED: [&str; 2] =
    [r#"{"goal": ["g1", "read the docs of a library"]}"#, r#"{"intent_requires": ["g1", "fetch_docs"]}"#];

fn request(run: u32, input: &str) -> String {
    json!({ "tool_request": [run, "docs", "/engineering", input] }).to_string()
}

/// Takes one draft as far as it gets; what was said.
fn taken(draft: Json) -> (tempfile::TempDir, String) {
    let (url, server) = server(vec![draft]);
    let dir = folder(&url);
    // What the draft lacks is not asked for again: there is no second answer.
    let set = fs::read_to_string(dir.path().join("hence.toml")).unwrap();
    fs::write(dir.path().join("hence.toml"), set + "[params]\nversions_allowed = 1\n").unwrap();
    let said = carry_out(dir.path(), "2026-02-10T09:00:00Z", &WANTED);
    server.join().unwrap();
    (dir, said)
}

#[test]
fn a_missing_capability_becomes_a_tool_that_is_run_and_made_again() {
    let tests = "assert run({'library': 'a'})['pages']";
    let drafts = vec![draft("docs", "/python", FIRST, tests), draft("docs", "/python", SECOND, tests)];
    let (url, server) = server(drafts);
    let dir = folder(&url);
    let dir = dir.path();
    let said = carry_out(dir, "2026-02-10T09:00:00Z", &WANTED);
    let passed = facts(dir, "stage_passed(\"docs@1\", Stage)");
    assert_eq!(passed, ["/compilation", "/registration", "/safety_check", "/specification"], "{said}");
    assert_eq!(facts(dir, "tool(T)"), ["docs"]);
    assert!(!holds(dir, "generate_tool(_, _)"));

    // It is run, and leaves out most of what there is.
    let expected = r#"{"tool_expectation": ["docs", 300, "1m", "docs pages"]}"#;
    let said = carry_out(dir, "2026-02-10T10:00:00Z", &[expected, &request(1, r#"{"library": "serde"}"#)]);
    assert!(holds(dir, "tool_run(1, \"docs\", /engineering, true, L, _), L > 0s"), "{said}");
    assert!(facts(dir, "tool_output(1, O)")[0].contains("docs of serde page 1 of 3"));
    assert_eq!(facts(dir, "quality_issue(1, I, _)"), ["/incomplete", "/pagination"]);
    for tag in ["/entry", "/exit", "/timing", "/iteration"] {
        assert_eq!(facts(dir, &format!("tool_log(1, {tag}, N)")), ["1"]);
    }
    assert!(holds(dir, "stage_passed(\"docs@1\", /execution)"));

    // The second run shows that it misses pages: it is made again, checked again, and in service.
    carry_out(dir, "2026-02-10T10:10:00Z", &[&request(2, r#"{"library": "serde"}"#)]);
    let asked = server.join().unwrap();
    let prompt = asked[1]["messages"][0]["content"].as_str().unwrap();
    assert!(prompt.starts_with("Write docs again, for /pagination:"), "{prompt}");
    assert!(prompt.contains("page %d of 3") && prompt.contains("/incomplete"), "{prompt}");
    assert_eq!(facts(dir, "registered_version(\"docs\", V)"), ["2"]);
    assert_eq!(facts(dir, "applied_fix(\"docs\", S)"), ["/add_pagination", "/increase_limit"]);
    assert!(holds(dir, "stage_passed(\"docs@1\", /refinement)"));
    let registry: Json = serde_json::from_slice(&fs::read(dir.join("tools/registry.json")).unwrap()).unwrap();
    assert_eq!(registry["docs"]["source"], "docs@2");
    assert_eq!(registry["docs"]["file"], "docs/2.py");

    carry_out(dir, "2026-02-10T10:20:00Z", &[&request(3, r#"{"library": "serde"}"#)]);
    assert_eq!(facts(dir, "version_run(S, 3)"), ["docs@2"]);
    assert!(!holds(dir, "quality_issue(3, _, _)") && !holds(dir, "remake_tool(_, _, _, _)"));
    let quality = |run: u32| facts(dir, &format!("run_quality({run}, Q)"))[0].parse::<f64>().unwrap();
    assert!(quality(3) > 0.9 && quality(1) < 0.8, "{} {}", quality(1), quality(3));
    assert!(holds(dir, "audit_totals(2, 1.0, Quality), Quality > 0.5"));
    let verified = run(dir, &["verify"]);
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn log_points_are_put_into_a_tool_in_python() {
    let (dir, said) = taken(draft("docs", "/python", ALL, ""));
    let logged = fs::read_to_string(dir.path().join("tools/docs/1.py")).unwrap();
    for tag in ["ENTRY", "EXIT", "ERROR", "TIMING", "API_CALL", "ITERATION"] {
        assert!(logged.contains(&format!("[TOOL_{tag}]")), "{tag}: {logged} {said}");
    }
    assert!(logged.contains("    @staticmethod\n    @_tool_logged\n    def other"), "{logged}");
    assert!(logged.contains("'''keeps\n  its lines'''"), "{logged}");
    assert_eq!(logged.matches("@_tool_logged").count(), 3);
    assert_eq!(facts(dir.path(), "source_log(\"docs@1\", T)").len(), 6);
    // An interpreter takes it as it is.
    let read = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    let file = dir.path().join("tools/docs/1.py");
    let parsed = Command::new("python3").args(["-c", read]).arg(file).output().unwrap();
    assert!(parsed.status.success(), "{parsed:?}\n{logged}");
}

#[test]
fn log_points_are_put_into_a_tool_in_go_which_goes_no_further() {
    let (dir, said) = taken(draft("docs", "/go", GO, ""));
    let logged = fs::read_to_string(dir.path().join("tools/docs/1.go")).unwrap();
    for tag in ["ENTRY", "EXIT", "ERROR", "TIMING", "API_CALL", "ITERATION"] {
        assert!(logged.contains(&format!("[TOOL_{tag}]")), "{tag}: {logged} {said}");
    }
    assert!(logged.contains("[TOOL_ENTRY] fetch: starting, input=%v\", []any{url})"), "{logged}");
    assert!(logged.contains("[TOOL_ERROR] fetch: %v\", err);"), "{logged}");
    assert_eq!(logged.matches("[TOOL_API_CALL]").count(), 2);
    assert_eq!(facts(dir.path(), "source_log(\"docs@1\", T)").len(), 6);
    // The network is not granted.
    assert_eq!(facts(dir.path(), "reject_tool(\"docs@1\", R)"), ["/forbidden_import"]);
    carry_out(dir.path(), "2026-02-10T09:30:00Z", &[r#"{"import_granted": ["docs@1", "net/http"]}"#]);
    assert_eq!(facts(dir.path(), "tool_failed(\"docs@1\", S, E)"), ["/compilation,docs@1/compilation"]);
}

#[test]
fn what_must_not_run_is_not_registered() {
    for (code, stage, told) in [
        ("def run(given:\n    return 1\n", "/specification", "SyntaxError"),
        ("import os\n\n\ndef run(given):\n    return 1\n", "/compilation", "may not be imported"),
        ("def other(given):\n    return 1\n", "/compilation", "not defined"),
        ("def run(given):\n    return 2\n", "/compilation", "AssertionError"),
        ("def run(given):\n    return 1\n\n\nwhile True:\n    pass\n", "/compilation", "it was stopped"),
    ] {
        let (dir, said) = taken(draft("docs", "/python", code, "assert run(0) == 1"));
        let failed = facts(dir.path(), "tool_failed(\"docs@1\", S, E)");
        assert!(failed.first().is_some_and(|failed| failed.starts_with(stage)), "{code}: {failed:?} {said}");
        let texts = facts(dir.path(), "failure_text(E, T)").join("\n");
        assert!(texts.contains(told), "{code}: {texts}");
        assert!(!dir.path().join("tools/registry.json").exists());
    }
    let (dir, _) = taken(draft("docs", "/python", "def run(given):\n    return eval(given)\n", ""));
    assert_eq!(facts(dir.path(), "refuse_source(S, P)"), ["docs@1,/dynamic_code"]);
    assert!(!holds(dir.path(), "pass_stage(_, _, _, _, _, _)"));
    let (dir, _) = taken(draft("../up", "/python", "def run(given):\n    return 1\n", ""));
    assert_eq!(facts(dir.path(), "tool_failed(S, G, E)").len(), 1);
    assert!(!dir.path().join("up").exists());
}

#[test]
fn what_was_registered_is_what_runs() {
    let (dir, said) = taken(draft("docs", "/python", "def run(given):\n    return given\n", ""));
    assert_eq!(facts(dir.path(), "registered_version(T, V)"), ["docs,1"], "{said}");
    let file = dir.path().join("tools/docs/1.py");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("return given", "return 'other'")).unwrap();
    let said = carry_out(dir.path(), "2026-02-10T10:00:00Z", &[&request(1, "1")]);
    assert!(said.contains("is not what was registered"), "{said}");
    assert!(!holds(dir.path(), "tool_run(_, _, _, _, _, _)"));
}

#[test]
fn a_run_that_fails_is_a_run() {
    let (dir, _) = taken(draft("docs", "/python", "def run(given):\n    return 1 / given\n", ""));
    carry_out(dir.path(), "2026-02-10T10:00:00Z", &[&request(1, "0"), &request(2, "no JSON")]);
    assert_eq!(facts(dir.path(), "tool_run(R, \"docs\", D, false, L, A)").len(), 2);
    assert_eq!(facts(dir.path(), "quality_issue(1, I, S)"), ["/partial_failure,1.0"]);
    assert_eq!(facts(dir.path(), "tool_log(1, /error, N)"), ["1"]);
    assert!(facts(dir.path(), "failure_text(\"run-1\", T)")[0].contains("ZeroDivisionError"));
}
