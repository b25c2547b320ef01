//! Logs: what `HENCE_LOG` shows of a commit, that it is on standard error, and that nothing in it is obeyed or hidden.

use serde_json::Value as Json;

use super::settings::{RULES, Ran, folder, run};

const FACTS: &str = "{\"n\": [3]}\n{\"n\": [0]}\n";

fn decide(variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let here = folder(&[("rules/mine.dl", RULES), ("facts.jsonl", FACTS)]);
    let args = [&["decide", "--facts", "facts.jsonl", "--now", "2026-02-09T09:00:00Z"], args].concat();
    run(here.path(), &args, variables, "")
}

/// The spans of this name that have ended, with their fields.
fn spans(log: &str, name: &str) -> Vec<Json> {
    let lines = log.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let ended = lines.filter(|line| line["fields"]["message"] == "close" && line["span"]["name"] == name);
    ended.map(|line| line["span"].clone()).collect()
}

#[test]
fn the_span_of_a_commit_carries_transaction_rules_and_counts() {
    let here = folder(&[("rules/mine.dl", RULES), ("facts.jsonl", FACTS)]);
    let variables = [("HENCE_LOG", "info"), ("HENCE_LOG_FORMAT", "json")];
    let decided = run(here.path(), &["--quiet", "decide", "--facts", "facts.jsonl"], &variables, "");
    let commits = spans(&decided.2, "commit");
    let [commit] = commits.as_slice() else { panic!("{}", decided.2) };
    let log = run(here.path(), &["log", "--format", "jsonl"], &[], "").1;
    let recorded: Json = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(commit["rules"], recorded["rules"]);
    for (field, value) in [("transaction", 1), ("asserted", 2), ("retracted", 0), ("drawn", 1), ("lapsed", 0)]
    {
        assert_eq!(commit[field], value, "{field}");
    }
    let retract = ["--quiet", "decide", "--set", "floor=3", "--facts", "facts.jsonl"];
    let again = run(here.path(), &retract, &variables, "");
    let commit = spans(&again.2, "commit").remove(0);
    for (field, value) in [("transaction", 2), ("asserted", 0), ("drawn", 0), ("lapsed", 1)] {
        assert_eq!(commit[field], value, "{field}");
    }
}

#[test]
fn ledger_evaluation_and_strata_tell_what_they_do() {
    let ran = decide(&[("HENCE_LOG", "hence=trace"), ("HENCE_LOG_FORMAT", "json")], &["--quiet"]);
    for (name, field, value) in [
        ("open_ledger", "transactions", 0),
        ("evaluate", "facts", 4),
        ("stratum", "derived", 1),
        ("append", "changes", 3),
        ("fsync", "segment", 1),
        ("apply_to_base", "to", 1),
    ] {
        let found = spans(&ran.2, name);
        assert!(found.iter().any(|span| span[field] == value), "{name}: {found:?}");
    }
}

const JSON: [(&str, &str); 2] = [("HENCE_LOG", "debug"), ("HENCE_LOG_FORMAT", "json")];

#[test]
fn observing_is_a_span_with_what_was_seen_of_a_file_and_of_what_grows() {
    let here = folder(&[("build.log", "error[E0308]: mismatched types\n")]);
    for args in [
        &["--quiet", "observe", "error-text", "build.log"][..],
        &["--quiet", "observe", "error-text", "--follow", "-"],
    ] {
        let ran = run(here.path(), args, &JSON, "error[E0308]: mismatched types\n");
        let seen = ran.1.lines().count();
        assert!(ran.0 == 0 && seen > 0, "{}", ran.2);
        let observed = spans(&ran.2, "observe");
        let [observed] = observed.as_slice() else { panic!("{}", ran.2) };
        assert_eq!((&observed["observer"], &observed["facts"]), (&Json::from("error-text"), &seen.into()));
        assert_eq!(observed["records"], 1);
    }
}

#[test]
fn each_change_that_is_maintained_has_a_span_of_its_own() {
    let here = folder(&[("rules/mine.dl", RULES)]);
    let lines: String = (3..7).map(|n| format!("{{\"n\": [{n}]}}\n")).collect();
    let ran = run(here.path(), &["--quiet", "decide", "--follow"], &JSON, &lines);
    // What falls due at the beginning prepares for more; each line brings a fact, and the clock moves by itself.
    let edits: Vec<_> = spans(&ran.2, "maintain").into_iter().map(|span| span["edits"].clone()).collect();
    assert_eq!(edits, [1, 1, 1, 1], "{}", ran.2);
}

#[cfg(unix)]
#[test]
fn what_carries_a_decision_out_is_a_span_with_the_decision() {
    let command = "[run_command]\nbig = { program = \"true\" }\n";
    let files = [("rules/mine.dl", RULES), ("hence.toml", command), ("facts.jsonl", FACTS)];
    let here = folder(&files);
    let ran = run(here.path(), &["--quiet", "decide", "--carry-out", "--facts", "facts.jsonl"], &JSON, "");
    assert_eq!(ran.0, 0, "{}", ran.2);
    let carried = spans(&ran.2, "carry_out");
    let [carried] = carried.as_slice() else { panic!("{}", ran.2) };
    assert_eq!((&carried["carrier"], &carried["decision"]), (&"run_command".into(), &"1.1".into()));
}

#[test]
fn nothing_is_logged_unless_it_is_asked_for_and_never_to_standard_output() {
    let silent = decide(&[], &["--quiet", "--format", "json"]);
    assert_eq!(silent.2, "");
    assert_eq!(decide(&[("HENCE_LOG", "")], &["--quiet", "--format", "json"]).2, "");
    for form in ["text", "json"] {
        let variables = [("HENCE_LOG", "trace"), ("HENCE_LOG_FORMAT", form)];
        let told = decide(&variables, &["--quiet", "--format", "json"]);
        assert_eq!(told.1, silent.1);
        assert!(told.2.contains("commit"), "{}", told.2);
    }
}

#[test]
fn what_is_no_filter_or_form_is_refused() {
    // A word alone is a part of the program: a misspelt level would be one that says nothing.
    for filter in ["hence=loud", "inof", "warn,debgu"] {
        let refused = decide(&[("HENCE_LOG", filter)], &[]);
        let said = format!(
            "error: HENCE_LOG: `{filter}` is not a filter; expected one such as `info` or `hence_ledger=debug`\n"
        );
        assert_eq!((refused.0, refused.2), (2, said));
    }
    assert_eq!(decide(&[("HENCE_LOG", "warn, hence_ledger")], &[]).0, 0);
    let refused = decide(&[("HENCE_LOG_FORMAT", "xml")], &[]);
    assert_eq!(refused.2, "error: HENCE_LOG_FORMAT: `xml` is not a log format; expected `text` or `json`\n");
}

#[cfg(unix)]
#[test]
fn a_hostile_name_ends_no_line_and_reaches_no_terminal() {
    let store = "led\u{1b}[2J\n2026-01-01T00:00:00Z ERROR forged\u{202e}";
    for form in ["text", "json"] {
        let variables = [("HENCE_LOG", "debug"), ("HENCE_LOG_FORMAT", form)];
        let told = decide(&variables, &["--quiet", "--store", store]).2;
        assert!(told.contains("forged"), "{told}");
        let hidden = |c: char| c == '\u{1b}' || c == '\u{202e}';
        assert!(!told.contains(hidden) && !told.lines().any(|line| line.starts_with("2026-01-01")), "{told}");
    }
}
