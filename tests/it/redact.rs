//! Redaction: what matches a pattern leaves no actuator.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::Redaction;

use super::command;

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
    let dir = crate::memory::folder();
    let settings = "[redact]\npatterns = [\"s3cret[0-9]+\"]\n[roles]\nreviewer = [\"ada\"]\n";
    std::fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

/// Runs the binary on `input`; it must end well.
fn run(dir: &Path, args: &[&str], input: &str) -> String {
    let mut child = command::hence(dir, args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the ledger holds facts, in which something was replaced, and nowhere the secret.
fn check_stored(dir: &Path, what: &str) {
    check_absent(dir, what);
    let exported = run(dir, &["export"], "");
    assert!(exported.contains("[redacted]"), "{what}: {exported}");
}

/// Checks that the secret is in no file of the ledger.
fn check_absent(dir: &Path, what: &str) {
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

/// A rule set and facts with the secret in all that a ledger takes.
fn with_rules() -> tempfile::TempDir {
    let dir = guarded();
    let rules = "## Said.\ninput said(who: string, what: string).\n\n## Told.\ninput told(what: string).\n\n\
        ## Keep it.\ndecision keep(what: string).\n\n\
        @id(keeps)\n@because(\"{Who} said {What}\")\nkeep(What) :- said(Who, What).\n";
    std::fs::create_dir(dir.path().join("rules")).unwrap();
    std::fs::write(dir.path().join("rules/keep.dl"), rules).unwrap();
    let line = format!("{{\"said\": [\"ada {SECRET}\", \"it is {SECRET}\"]}}\n");
    std::fs::write(dir.path().join(format!("{SECRET}.jsonl")), line).unwrap();
    dir
}

#[test]
fn no_command_stores_what_a_pattern_matches() {
    let fact = format!("said(\"ada {SECRET}\", \"it is {SECRET}\")");
    let file = format!("{SECRET}.jsonl");
    let label = format!("for {SECRET}");
    let line = format!("{{\"said\": [\"ada {SECRET}\", \"it is {SECRET}\"]}}\n");
    let cases: [(&[&str], &str); 7] = [
        (&["assert", &fact, "--as", &label, "--note", &label], ""),
        (&["assert", "--facts", &file], ""),
        (&["assert", "-"], &line),
        (&["decide", "--facts", &file, "--as", &label, "--note", &label], ""),
        (&["decide", "--follow"], &line),
        (&["decide", "--follow", "--batch", "--as", &label], &line),
        (&["decide", "--facts", "-", "--engine", "naive"], &line),
    ];
    for (args, input) in cases {
        let dir = with_rules();
        run(dir.path(), args, input);
        check_stored(dir.path(), &format!("{args:?}"));
        // What is replaced is found again by what it was.
        run(dir.path(), &["retract", &fact, "--note", &label], "");
        check_stored(dir.path(), &format!("{args:?}, then retracted"));
        assert_eq!(run(dir.path(), &["facts"], "").lines().count(), 4, "{args:?}: a fact still stands");
        run(dir.path(), &["decide"], "");
        run(dir.path(), &["verify"], "");
        run(dir.path(), &["compact"], "");
        check_stored(dir.path(), &format!("{args:?}, then compacted"));
    }
}

#[test]
fn an_answer_of_a_reviewer_stores_nothing_that_a_pattern_matches() {
    let dir = guarded();
    let facts = ["reviewer(\"ada\")", "escalation_request(\"r1\", 3, \"why not\", @2026-02-09T09:00:00Z)"];
    let packs = ["--pack", "autonomy"];
    run(dir.path(), &[&["assert"][..], &facts, &packs].concat(), "");
    let comment = format!("because {SECRET}");
    let args = ["review", "approve", "r1", "--as", "ada", "--comment", &comment, "--pack", "autonomy"];
    run(dir.path(), &args, "");
    check_stored(dir.path(), "review");
}

#[test]
fn an_import_keeps_its_hashes_and_warns() {
    let dir = with_rules();
    let config = dir.path().join("hence.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, "").unwrap();
    run(dir.path(), &["decide", "--facts", &format!("{SECRET}.jsonl"), "--note", SECRET], "");
    run(dir.path(), &["export", "-o", "all.jsonl"], "");
    std::fs::write(&config, text).unwrap();
    let (good, told) = try_run(dir.path(), &["import", "all.jsonl", "--store", "other"]);
    assert!(good, "{told}");
    for part in ["1 of `said`", "1 of `keep`", "2 in authors, sources and notes"] {
        assert!(told.contains(part), "{told}");
    }
    let (good, told) = try_run(dir.path(), &["check"]);
    assert!(good && told.contains("1 fact of `said`"), "{told}");
    let rules = dir.path().join("rules/keep.dl");
    let text = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, format!("{text}\n# {SECRET}\n")).unwrap();
    let (good, told) = try_run(dir.path(), &["check"]);
    assert!(good && told.contains("matches the text of rules/keep.dl"), "{told}");
    let (good, told) = try_run(dir.path(), &["decide", "--store", "third"]);
    assert!(good && told.contains("matches the text of rules/keep.dl"), "{told}");
}

#[test]
fn a_number_that_a_pattern_matches_is_refused() {
    let dir = crate::memory::folder();
    std::fs::write(dir.path().join("hence.toml"), "[redact]\npatterns = [\"[0-9]{16}\"]\n").unwrap();
    std::fs::write(dir.path().join("r.dl"), "## A card.\ninput card(n: int).\n").unwrap();
    let (good, told) = try_run(dir.path(), &["assert", "card(4111111111111111)", "--rules", "r.dl"]);
    assert!(!good && told.contains("a number in a fact of `card`"), "{told}");
    run(dir.path(), &["assert", "card(41)", "--rules", "r.dl"], "");
}

#[test]
fn what_is_left_matches_nothing() {
    let patterns = |patterns: &[&str]| patterns.iter().map(|text| String::from(*text)).collect::<Vec<_>>();
    let redaction = Redaction::new(&patterns(&["ab"]), "").unwrap();
    assert_eq!(redaction.text("aaabbb c"), " c");
    let grows = Redaction::new(&patterns(&["ab", "ba"]), "bb").unwrap();
    assert!(!grows.matches(&grows.text("abababab")));
    assert!(Redaction::new(&patterns(&["red"]), "[redacted]").is_err());
    let names = Redaction::new(&patterns(&["redacted"]), "…").unwrap();
    let name = |name: &str| Fact::new("f", [Value::Name(name.into())]);
    assert_eq!(names.fact(name("/redacted/more")), name("/hidden"));
    assert!(Redaction::new(&patterns(&[""]), "x").is_err());
}

#[test]
fn the_environment_lets_nothing_in() {
    let dir = with_rules();
    let output = command::hence(dir.path(), &["decide", "--facts", &format!("{SECRET}.jsonl")])
        .env("HENCE_REDACT", "nothing-at-all")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    check_stored(dir.path(), "HENCE_REDACT");
}

/// Whether a call ends well, and what it says to standard error.
fn try_run(dir: &Path, args: &[&str]) -> (bool, String) {
    let output = command::hence(dir, args).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}
