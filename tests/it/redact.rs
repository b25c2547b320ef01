//! Redaction: what matches a pattern leaves no actuator.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use hence::fact::Fact;
use hence::ledger::Redaction;
use hence::value::Value;

#[test]
fn strings_and_names_lose_what_matches_and_nothing_else() {
    let patterns = [r"sk-[0-9a-z]{8,}", r"(?i)bearer \S+"].map(str::to_owned);
    let redaction = Redaction::new(&patterns, "$0 [gone]").unwrap();
    let said = "curl -H 'Authorization: Bearer abc.def' sk-0123456789 failed";
    let fact = Fact::new(
        "error",
        [
            Value::String(said.into()),
            Value::Name("/sk-0123456789".into()),
            Value::Int(7),
            Value::Name("/ok".into()),
        ],
    );
    let kept = redaction.fact(fact.clone());
    let text = "curl -H 'Authorization: $0 [gone] $0 [gone] failed";
    let expected = [
        Value::String(text.into()),
        Value::Name("/redacted".into()),
        Value::Int(7),
        Value::Name("/ok".into()),
    ];
    assert_eq!(kept, Fact::new("error", expected));
    assert_eq!(Redaction::default().fact(fact.clone()), fact);
    assert!(Redaction::new(&[String::from("(")], "").is_err());
}

/// What the pattern of the tests below matches.
const SECRET: &str = "s3cret42";

/// A folder in which nothing that the pattern matches may be stored.
fn guarded() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hence.toml"), "[redact]\npatterns = [\"s3cret[0-9]+\"]\n").unwrap();
    dir
}

/// Runs the binary on `input`; it must end well.
fn run(dir: &Path, args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hence"))
        .args(args)
        .current_dir(dir)
        .env("USER", "ada")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the ledger holds facts, in which something was replaced, and nowhere the secret.
fn check_stored(dir: &Path, what: &str) {
    let mut folders = vec![dir.join(".hence")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let held = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            assert!(!held, "{what}: the secret is in {}", path.display());
        }
    }
    let exported = run(dir, &["export"], "");
    assert!(exported.contains("[redacted]"), "{what}: {exported}");
}

#[test]
fn no_observer_stores_what_a_pattern_matches() {
    let run_line = format!(
        r#"{{"run": 1, "tool": "curl {SECRET}", "domain": "x", "ok": false, "latency_ms": 5, "at": "2026-02-03T10:00:00Z", "failure_mode": "{SECRET}", "error": "error[E0308]: {SECRET}"}}"#
    );
    let python = format!(
        "\"\"\"Holds {SECRET}.\"\"\"\nimport {SECRET}\n\n\ndef f_{SECRET}():\n    \"\"\"Says {SECRET}.\"\"\"\n    {SECRET}.run(\"{SECRET}\")\n"
    );
    let text = format!("error[E0308]: mismatched {SECRET}\n");
    let named = format!("{{\"error\": \"{SECRET}\", \"text\": \"error[E0308]: {SECRET}\"}}\n");
    let cases: [(&str, String, &[&str]); 7] = [
        ("error-text", text, &[]),
        ("error-text", named, &["--follow", "--form", "jsonl"]),
        ("goal", format!("Compare {SECRET} with SOL\n"), &[]),
        ("goal", format!("Compare {SECRET} with SOL\n"), &["--follow", "--form", "lines"]),
        ("tool-run", run_line, &[]),
        ("codebase", python.clone(), &[]),
        ("source", python, &[]),
    ];
    for (observer, text, more) in cases {
        let dir = guarded();
        let (folder, file) = (format!("in_{SECRET}"), format!("in_{SECRET}/{SECRET}.py"));
        std::fs::create_dir(dir.path().join(&folder)).unwrap();
        std::fs::write(dir.path().join(&file), &text).unwrap();
        let input = match observer {
            _ if !more.is_empty() => "-",
            "codebase" => &folder,
            _ => &file,
        };
        let args = [&["observe", observer, input, "--into", ".hence"], more].concat();
        run(dir.path(), &args, &text);
        check_stored(dir.path(), &format!("{observer} {more:?}"));
    }
}

#[test]
fn no_program_that_carries_out_stores_what_a_pattern_matches() {
    let dir = guarded();
    let config = format!(
        "[redact]\npatterns = [\"s3cret[0-9]+\"]\n\n[run_command]\nwarn = {{ program = \"echo\", args = [\"{{\\\"told\\\": [\\\"{SECRET}\\\"]}}\"] }}\n"
    );
    std::fs::write(dir.path().join("hence.toml"), config).unwrap();
    let rules = "## Asked.\ninput asked(who: string).\n\n## Told.\ninput told(what: string).\n\n\
        ## Warn somebody.\ndecision warn(who: string).\n\n@id(w)\n@because(\"{Who} asked\")\nwarn(Who) :- asked(Who).\n";
    std::fs::write(dir.path().join("warn.dl"), rules).unwrap();
    let args = ["decide", "--follow", "--carry-out", "--rules", "warn.dl"];
    let said = run(dir.path(), &args, "{\"asked\": [\"ada\"]}\n");
    assert!(said.contains("\"carried\""), "{said}");
    check_stored(dir.path(), "run_command");
}
