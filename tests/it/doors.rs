//! The door of `from`: every way into a ledger is tried by who may not, and by who may.

mod carriers;
mod keys;
mod level;
mod recorder;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::{Draft, Ledger, OpenOptions};

use super::folders::copy;

const RULES: &str = "
input review(id: string, ok: bool, by: string) from reviewer as by.
input seen(id: string) from agent, observer.
input open(id: string).
decision go(id: string) requires review(id: id, ok: true).
go(Id) :- open(Id), review(Id, true, _).
";

const SETTINGS: &str =
    "rules = [\"rules.dl\"]\n[roles]\nreviewer = [\"ada\", \"grace\"]\nobserver = [\"probe\"]\n";

/// A folder with the rules and the roles.
fn folder() -> tempfile::TempDir {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("rules.dl"), RULES).unwrap();
    fs::write(folder.path().join("hence.toml"), SETTINGS).unwrap();
    folder
}

/// What a command says and how it ends; `input` is what it reads.
fn hence(folder: &Path, args: &[&str], input: &str) -> (String, i32) {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_hence"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("HENCE_STORE")
        .env_remove("HENCE_AUTHOR")
        .env_remove("HENCE_SLOW")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (said, output.status.code().unwrap())
}

/// How many facts there are of `review`.
fn reviews(folder: &Path) -> usize {
    let store = folder.join(".hence");
    if !store.exists() {
        return 0;
    }
    let ledger = Ledger::open_to_ask(&store, &OpenOptions::default()).unwrap();
    ledger.facts("review".into()).count()
}

const REFUSED: &str = "`eve` may not assert `review`: that takes the role `reviewer`; `ada`, `grace` have it";
const LINE: &str = "{\"review\": {\"id\": \"r\", \"ok\": true, \"by\": \"eve\"}}\n";

#[test]
fn nobody_without_the_role_asserts_or_retracts() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("facts.jsonl"), LINE).unwrap();
    let tries: [(&[&str], &str); 5] = [
        (&["assert", "review(\"r\", true, \"eve\")", "--as", "eve"], ""),
        (&["assert", "-", "--as", "eve"], LINE),
        (&["assert", "--facts", "facts.jsonl", "--as", "eve"], ""),
        (&["decide", "--facts", "facts.jsonl", "--as", "eve"], ""),
        (&["decide", "--facts", "facts.jsonl", "--as", "eve", "--dry-run"], ""),
    ];
    for (args, input) in tries {
        let (said, status) = hence(at, args, input);
        assert_eq!(status, 2, "{args:?}: {said}");
        assert!(said.contains(REFUSED), "{args:?}: {said}");
        assert_eq!(reviews(at), 0);
    }
    assert_eq!(hence(at, &["assert", "review(\"r\", true, \"ada\")", "--as", "ada"], "").1, 0);
    let (said, status) = hence(at, &["retract", "review(\"r\", true, \"ada\")", "--as", "eve"], "");
    assert_eq!((status, reviews(at)), (2, 1));
    assert!(said.contains("`eve` may not retract `review`"), "{said}");
    assert_eq!(hence(at, &["retract", "review(\"r\", true, \"ada\")", "--as", "ada"], "").1, 0);
    assert_eq!(reviews(at), 0);
}

#[test]
fn a_stream_refuses_the_line_and_goes_on() {
    let folder = folder();
    let lines =
        format!("{LINE}{{\"retract\": {{\"review\": [\"r\", true, \"ada\"]}}}}\n{{\"open\": [\"r\"]}}\n");
    let (said, status) = hence(folder.path(), &["decide", "--follow", "--as", "eve"], &lines);
    assert_eq!(reviews(folder.path()), 0);
    assert!(
        said.contains(REFUSED) && said.contains("may not retract") && said.contains("\"asserted\": 1"),
        "{said}"
    );
    assert_ne!(status, 0);
    let lines = "{\"review\": {\"id\": \"r\", \"ok\": true}}\n";
    let (said, status) = hence(folder.path(), &["decide", "--follow", "--as", "grace"], lines);
    assert_eq!((status, reviews(folder.path())), (0, 1), "{said}");
    assert!(said.contains("\"change\": \"drawn\""), "{said}");
}

#[test]
fn the_column_of_the_author_names_nobody_else() {
    let folder = folder();
    let at = folder.path();
    let (said, status) = hence(at, &["assert", "review(\"r\", true, \"ada\")", "--as", "grace"], "");
    assert_eq!((status, reviews(at)), (2, 0));
    assert!(said.contains("names `ada` in the column `by`, but its author is `grace`"), "{said}");
    assert_eq!(hence(at, &["assert", "review(id: \"r\", ok: true)", "--as", "grace"], "").1, 0);
    assert!(hence(at, &["facts", "review"], "").0.contains("grace"));
}

#[test]
fn a_review_counts_at_the_instant_of_its_transaction() {
    let folder = folder();
    let at = folder.path();
    let rules = "input review(id: string, ok: bool, by: string, at: time) from reviewer as by, at at.\n\
                 relation first(id: string, ok: bool).\n\
                 first(I, O) :- review(id: I, ok: O, at: A) limit 1 per I by A.\n\
                 decision go(id: string) requires review(id: id, ok: true).\n\
                 go(I) :- first(I, true), review(id: I, ok: true).\n";
    fs::write(at.join("rules.dl"), rules).unwrap();
    let decide = |now: &str, line: &str| {
        fs::write(at.join("line.jsonl"), line).unwrap();
        hence(at, &["decide", "--facts", "line.jsonl", "--as", "ada", "--now", now], "")
    };
    let refusal = "{\"review\": {\"id\": \"r\", \"ok\": false}}\n";
    let approval = refusal.replace("false", "true");
    let (said, status) = decide("2026-02-03T12:00:00Z", refusal);
    assert_eq!((status, reviews(at)), (0, 1), "{said}");
    // What a column claims.
    let claimed = approval.replace("}}", ", \"at\": \"2026-02-03T11:00:00Z\"}}");
    let (said, status) = decide("2026-02-03T13:00:00Z", &claimed);
    assert_eq!((status, reviews(at)), (2, 1), "{said}");
    assert!(said.contains("its column `at` says @2026-02-03T11:00:00Z"), "{said}");
    // A clock that is set back.
    let (said, status) = decide("2026-02-03T11:00:00Z", &approval);
    assert_eq!((status, reviews(at)), (2, 1), "{said}");
    assert!(said.contains("is backdated: transaction 1 was recorded at @2026-02-03T12:00:00Z"), "{said}");
    let (said, status) = decide("2026-02-03T13:00:00Z", &approval);
    assert_eq!((status, reviews(at)), (0, 2), "{said}");
    assert!(!said.contains("go(\"r\")"), "{said}");
    // Without an evaluation, the time of the transaction; a fact that was left alone keeps its instant.
    let fact = "review(id: \"q\", ok: true)";
    let (said, status) = hence(at, &["assert", fact, "--as", "ada"], "");
    assert_eq!((status, reviews(at)), (0, 3), "{said}");
    let (said, status) =
        hence(at, &["assert", "review(\"s\", true, \"ada\", @2026-02-03T14:00:00Z)", "--as", "ada"], "");
    assert_eq!((status, reviews(at)), (2, 3), "{said}");
    assert!(said.contains("leave `at` out"), "{said}");
    let (said, status) =
        hence(at, &["retract", "review(\"r\", false, \"ada\", @2026-02-03T12:00:00Z)", "--as", "ada"], "");
    assert_eq!((status, reviews(at)), (0, 2), "{said}");
}

#[test]
fn an_import_brings_nothing_that_its_author_may_not() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(hence(at, &["assert", "open(\"r\")", "--as", "ada"], "").1, 0);
    assert_eq!(hence(at, &["decide", "--as", "ada"], "").1, 0);
    assert_eq!(hence(at, &["assert", "review(\"q\", true, \"ada\")", "--as", "ada"], "").1, 0);
    assert_eq!(hence(at, &["decide", "--as", "ada"], "").1, 0);
    // The same chain with a review of Eve's.
    let store = at.join(".hence");
    let forged = at.join("forged");
    copy(&store, &forged);
    let mut ledger = Ledger::open(&forged, &OpenOptions::default()).unwrap();
    let review = |by: &str| {
        Fact::new("review", [Value::String("r".into()), Value::Bool(true), Value::String(by.into())])
    };
    let draft = Draft { assertions: vec![review("eve")], author: String::from("eve"), ..Draft::default() };
    ledger.commit(&draft).unwrap();
    let mut export = Vec::new();
    ledger.export(1..=u64::MAX, &mut export).unwrap();
    fs::write(at.join("forged.jsonl"), &export).unwrap();
    // Into the ledger that it continues, and into an empty one.
    for store in [".hence", "empty"] {
        let (said, status) = hence(at, &["import", "forged.jsonl", "--store", store], "");
        assert_ne!(status, 0, "{said}");
        assert!(said.contains(REFUSED), "{said}");
    }
    assert_eq!(reviews(at), 1);
    let lines = String::from_utf8(export).unwrap();
    let honest: Vec<&str> = lines.lines().take(lines.lines().count() - 1).collect();
    fs::write(at.join("honest.jsonl"), honest.join("\n") + "\n").unwrap();
    let head = Ledger::open_to_ask(&store, &OpenOptions::default()).unwrap().head().to_string();
    let (said, status) = hence(at, &["import", "honest.jsonl", "--store", "copy", "--head", &head], "");
    assert_eq!(status, 0, "{said}");
}

#[test]
fn an_observer_needs_its_role() {
    let folder = folder();
    let at = folder.path();
    let rules = "input tool_run(run: int, tool: string, domain: name, ok: bool, latency: duration, at: time) from observer.\n";
    fs::write(at.join("rules.dl"), rules).unwrap();
    let line = "{\"run\": 1, \"tool\": \"grep\", \"ok\": true, \"latency_ms\": 5, \"at\": \"2026-02-03T12:00:00Z\"}\n";
    fs::write(at.join("runs.jsonl"), line).unwrap();
    let observe = |author: &str| {
        hence(at, &["observe", "tool-run", "runs.jsonl", "--into", ".hence", "--as", author], "")
    };
    let (said, status) = observe("eve");
    assert_ne!(status, 0, "{said}");
    assert!(said.contains("`eve` may not assert `tool_run`"), "{said}");
    assert!(hence(at, &["facts", "tool_run"], "").0.lines().all(|line| !line.contains("grep")));
    let (said, status) = observe("probe");
    assert_eq!(status, 0, "{said}");
}

#[test]
fn effects_enter_only_where_rules_are_listed_and_no_rule_feeds_a_closed_input() {
    let faults = |text: &str| {
        let mut loader = hence::session::Loader::default();
        loader.text("doors.dl", text);
        let findings = hence::session::check(loader.finish(), &[]);
        findings
            .faults
            .diagnostics
            .iter()
            .filter(|fault| fault.is_error())
            .map(|fault| fault.code.0)
            .collect::<Vec<_>>()
    };
    let p = "input p(x: string). input q(x: string, by: string) from reviewer as by. input r(x: string, by: string) from rules as by.\n";
    assert_eq!(faults(&format!("{p}then q(X, \"ada\") :- p(X).")), ["E226", "E229"]);
    assert_eq!(faults(&format!("{p}feed q(X, \"ada\") :- p(X).")), ["E226"]);
    assert_eq!(faults(&format!("{p}@id(me) then r(X, \"ada\") :- p(X).")), ["E229"]);
    assert_eq!(faults(&format!("{p}@id(me) then r(X, \"me\") :- p(X).")), Vec::<&str>::new());
    assert_eq!(faults(&format!("{p}q(\"x\", \"ada\").")), ["E212"]);
}

#[test]
fn a_review_needs_its_role_and_takes_effect_at_once() {
    let folder = folder();
    let at = folder.path();
    let rules = "
input escalation_request(request: string, level: int, reason: string, at: time).
input reviewer(by: string).
input escalation_review(request: string, approved: bool, by: string, comment: string, at: time) from reviewer as by.
input level(to: int).
pending_review(R, L) :- escalation_request(request: R, level: L), !escalation_review(request: R).
decision escalate(request: string, to: int) requires escalation_review(request: request, approved: true).
escalate(R, L) :- escalation_request(request: R, level: L), escalation_review(request: R, approved: true).
then level(L) :- escalate(_, L).
";
    fs::write(at.join("rules.dl"), rules).unwrap();
    let facts = [
        "escalation_request(\"r\", 2, \"why\", @2026-02-03T12:00:00Z)",
        "reviewer(\"eve\")",
        "reviewer(\"ada\")",
    ];
    let args: Vec<&str> = ["assert"].into_iter().chain(facts).chain(["--as", "bob"]).collect();
    let (said, status) = hence(at, &args, "");
    assert_eq!(status, 0, "{said}");
    let (said, status) = hence(at, &["review", "approve", "r", "--as", "eve"], "");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("`eve` may not assert `escalation_review`"), "{said}");
    let (said, status) = hence(at, &["review", "approve", "r", "--as", "ada"], "");
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("step 1 asserted level(2)"), "{said}");
}

#[test]
fn a_migration_carries_closed_facts_only_for_who_may() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(hence(at, &["assert", "review(\"r\", true, \"ada\")", "--as", "ada"], "").1, 0);
    fs::write(
        at.join("rules.dl"),
        RULES.replace("ok: bool, by", "yes: bool, by").replace("ok: true", "yes: true"),
    )
    .unwrap();
    fs::write(at.join("move.dl"), "review(Id, Ok, By) :- old.review(Id, Ok, By).\n").unwrap();
    let (said, status) = hence(at, &["migrate", "move.dl", "--apply", "--as", "eve"], "");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("`eve` may not assert `review`"), "{said}");
    let (said, status) = hence(at, &["migrate", "move.dl", "--apply", "--as", "grace"], "");
    assert_eq!(status, 0, "{said}");
}
