//! Observers: what they see in an input, how they name it, and what they refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hence_actuators::error_text::ErrorText;
use hence_actuators::goal::Goal;
use hence_actuators::{ActuatorError, Form, Input, Summary, names, observe_path, observer};
use hence_core::fact::Fact;
use hence_core::value::Value;
use serde_json::Value as Json;

use crate::tool_run;

pub(crate) fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap()
}

fn objects(path: &str) -> Vec<Json> {
    read(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn field<'a>(object: &'a Json, name: &str) -> &'a str {
    object[name].as_str().unwrap()
}

/// The facts that the observer `name` returns for `text`, as rule files write them.
pub(crate) fn observe(name: &str, input: &str, form: Option<Form>, text: &str) -> Vec<String> {
    let (facts, _) = observe_bytes(name, input, form, text.as_bytes()).unwrap();
    facts.iter().map(Fact::to_string).collect()
}

pub(crate) fn observe_bytes(
    name: &str,
    input: &str,
    form: Option<Form>,
    mut bytes: &[u8],
) -> Result<(Vec<Fact>, Summary), ActuatorError> {
    let mut facts = Vec::new();
    let summary = observer(name, None)?.observe(Input::new(input, form, &mut bytes), &mut |fact| {
        facts.push(fact);
        Ok(())
    })?;
    Ok((facts, summary))
}

pub(crate) fn refused(name: &str, text: &str) -> String {
    observe_bytes(name, "in.jsonl", None, text.as_bytes()).unwrap_err().to_string()
}

/// `signal_category` as its rule file states it.
fn signal_categories() -> BTreeMap<String, String> {
    let text = read("rules/errors/signal_category.dl");
    let facts = text.lines().filter_map(|line| line.strip_prefix("signal_category(")?.strip_suffix(")."));
    facts
        .map(|fact| fact.split_once(", ").unwrap())
        .map(|(signal, category)| (signal.to_owned(), category.to_owned()))
        .collect()
}

/// The category of an error, by the fixed order and nothing else.
fn category(signals: &BTreeSet<String>, length: i64, table: &BTreeMap<String, String>) -> &'static str {
    let shown =
        |category: &str| signals.iter().any(|signal| table.get(signal).is_some_and(|c| c == category));
    let both = |a: &str, b: &str| signals.contains(a) && signals.contains(b);
    if shown("/permission") {
        "/permission"
    } else if shown("/dependency") {
        "/dependency"
    } else if shown("/syntax") || both("/property", "/does_not_exist") {
        "/syntax"
    } else if shown("/logic") || both("/expected", "/received") {
        "/logic"
    } else if shown("/architecture") || length > 2000 {
        "/architecture"
    } else {
        "/unknown"
    }
}

fn check_error_texts(path: &str) -> usize {
    let observer = ErrorText::from_tables(None).unwrap();
    let table = signal_categories();
    let cases = objects(path);
    let mut wrong = Vec::new();
    for case in &cases {
        let text = field(case, "text");
        let facts = observer.facts("e", text);
        let Value::Int(length) = facts[0].values[1] else { panic!("a length is an int") };
        let signals: BTreeSet<String> = facts[1..].iter().map(|fact| fact.values[1].to_string()).collect();
        let found = category(&signals, length, &table);
        if found != field(case, "category") {
            wrong.push(format!("{found} for {case}: {signals:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    cases.len()
}

#[test]
fn golden_error_texts_get_their_category() {
    assert_eq!(check_error_texts("tests/golden/error_texts.jsonl"), 25);
}

#[test]
fn error_texts_of_all_tool_chains_get_their_category() {
    assert!(check_error_texts("tests/actuators/error_texts.jsonl") > 150);
}

#[test]
fn every_signal_has_a_category_or_is_half_of_a_conjunction() {
    let table = signal_categories();
    let halves = ["/property", "/does_not_exist", "/expected", "/received"];
    let signals: BTreeSet<String> =
        ErrorText::from_tables(None).unwrap().signals().iter().map(ToString::to_string).collect();
    let unknown: Vec<_> =
        signals.iter().filter(|s| !table.contains_key(*s) && !halves.contains(&s.as_str())).collect();
    let unused: Vec<_> = table.keys().filter(|signal| !signals.contains(*signal)).collect();
    assert_eq!((unknown, unused), (vec![], vec![]));
    assert!(halves.iter().all(|half| signals.contains(*half) && !table.contains_key(*half)));
}

#[test]
fn golden_goals_show_their_domain_and_shape() {
    let observer = Goal::from_tables(None).unwrap();
    for case in objects("tests/golden/texts.jsonl") {
        let facts = observer.facts("g", field(&case, "text"));
        let of = |relation: &str| -> Vec<String> {
            let facts = facts.iter().filter(|fact| fact.relation.as_str() == relation);
            facts.map(|fact| fact.values[1].to_string()).collect()
        };
        let signalled = of("domain_signal");
        let order = ["/marketing", "/crypto", "/engineering", "/operations"];
        let domain = order.into_iter().find(|d| signalled.iter().any(|s| s == d)).unwrap_or("/global");
        let patterns = ["/build_and", "/compare_with", "/sequence", "/before_then", "/build_deliverable"];
        let composite = of("goal_signal").iter().any(|signal| patterns.contains(&signal.as_str()));
        assert_eq!(
            (domain, composite),
            (field(&case, "domain"), case["composite"].as_bool().unwrap()),
            "{case}"
        );
    }
}

#[test]
fn facts_are_of_declared_relations_and_types() {
    let goal = [
        r#"{"goal": "g", "text": "Design and debug the API in cart.py", "domain_given": "engineering"}"#,
        r#"{"task": "t", "text": "the whole project"}"#,
        r#"{"learning": "l", "fix": "build"}"#,
        r#"{"fingerprint": "c", "text": "build"}"#,
        r#"{"frame": "f", "goal_text": "build", "text": "build"}"#,
    ];
    let edit = [
        r#"{"event": "e", "before": "x", "after": "sorry"}"#,
        r#"{"event": "e", "before": "x", "rejected": "no"}"#,
    ]
    .join("\n");
    let alike = [
        r#"{"event": "a", "text": "late parcel", "sender": "x", "at": "2026-02-03T14:23:45Z"}"#,
        r#"{"event": "b", "text": "late parcel", "sender": "x", "at": "2026-02-03T14:23:46Z"}"#,
        r#"{"edit": "c", "text": "late parcel"}"#,
        r#"{"edit": "d", "text": "late parcel"}"#,
    ];
    let assumed = r#"{"task": "u", "phase": "orient", "thought": "a", "at": "2026-02-03T14:23:45Z", "assumptions": ["b"]}"#;
    let source = [
        r#"{"tool": "t", "text": "import \"log\"; func f() { for { log.Print(\"[TOOL_EXIT]\") } }"}"#,
        r#"{"script": "s", "text": "import os\neval(x)\n"}"#,
    ];
    let tests = [
        r#"{"plan": "p", "text": "AssertionError\n1 failed in 0.1s"}"#,
        r#"{"plan": "p", "index": 0, "n": 1, "exit": 0}"#,
        r#"{"plan": "p", "index": 0, "n": 2, "exit": 1, "text": "EPERM"}"#,
    ];
    let inputs = [
        ("edit", edit.as_str()),
        ("error-text", r#"{"error": "e", "text": "EACCES"}"#),
        ("event", r#"{"source": "s", "type": "t", "at": "2026-02-03T14:23:45Z", "text": "refund"}"#),
        ("goal", &goal.join("\n")),
        (
            "quality",
            r#"{"run": 1, "output": "x", "min_size": 9, "latency_ms": 1, "max_latency_ms": 1, "intent": "y"}"#,
        ),
        ("similarity", &alike.join("\n")),
        ("source", &source.join("\n")),
        ("test-output", &tests.join("\n")),
        ("tool-run", &[&tool_run::on_one_line(tool_run::RUN), tool_run::OTHERS, assumed].join("\n")),
    ];
    let reading: Vec<_> = names().filter(|name| !["codebase", "git"].contains(name)).collect();
    assert_eq!(reading, inputs.map(|(name, _)| name));
    for (name, text) in inputs {
        let declarations = observer(name, None).unwrap().declarations();
        let declared: BTreeMap<&str, Vec<&str>> = declarations.lines().map(columns).collect();
        let (facts, summary) = observe_bytes(name, "in.jsonl", None, text.as_bytes()).unwrap();
        assert_eq!(
            (summary.records, summary.facts),
            (text.trim().lines().count() as u64, facts.len() as u64)
        );
        for fact in &facts {
            let types: Vec<_> = fact.values.iter().map(|value| value.ty().keyword()).collect();
            assert_eq!(declared.get(fact.relation.as_str()), Some(&types), "{fact}");
        }
        let seen: BTreeSet<_> = facts.iter().map(|fact| fact.relation.as_str()).collect();
        assert_eq!(seen.len(), declared.len(), "each declared relation has a fact: {seen:?}");
    }
}

/// `input r(a: int, b: name).` as `("r", ["int", "name"])`.
fn columns(declaration: &str) -> (&str, Vec<&str>) {
    let rest = declaration.strip_prefix("input ").unwrap().strip_suffix(").").unwrap();
    let (name, columns) = rest.split_once('(').unwrap();
    (name, columns.split(", ").map(|column| column.split_once(": ").unwrap().1).collect())
}

#[test]
fn an_error_text_has_its_length_and_each_signal_once() {
    let text = "PermissionError: [Errno 13] Permission denied: '/straße'\n";
    assert_eq!(
        observe("error-text", "build.log", None, text),
        [r#"error("build.log", 56)"#, r#"error_signal("build.log", /permission_denied)"#]
    );
    assert_eq!(observe("error-text", "empty.log", None, ""), [r#"error("empty.log", 0)"#]);
}

#[test]
fn forms_cut_an_input_into_texts_named_by_their_line() {
    let blocks = "\n\nNameError: x\n  at 1\n\n \nEPERM\n";
    assert_eq!(
        observe("error-text", "two.txt", Some(Form::Blocks), blocks),
        [
            r#"error("two.txt:3", 19)"#,
            r#"error_signal("two.txt:3", /python_name_error)"#,
            r#"error("two.txt:7", 5)"#,
            r#"error_signal("two.txt:7", /eperm)"#
        ]
    );
    assert_eq!(
        observe("error-text", "two.txt", Some(Form::Lines), "EPERM\n\nfine\n"),
        [r#"error("two.txt:1", 5)"#, r#"error_signal("two.txt:1", /eperm)"#, r#"error("two.txt:3", 4)"#]
    );
}

#[test]
fn a_log_shows_only_what_has_a_signal_with_the_lines_that_belong_to_it() {
    let log = "10:00 started\n10:01 boom\n    caused by EPERM\n\n10:02 done\n";
    let (facts, summary) = observe_bytes("error-text", "app.log", Some(Form::Log), log.as_bytes()).unwrap();
    let facts: Vec<_> = facts.iter().map(Fact::to_string).collect();
    assert_eq!(facts, [r#"error("app.log:2", 30)"#, r#"error_signal("app.log:2", /eperm)"#]);
    assert_eq!((summary.records, summary.skipped), (1, 2));
}

#[test]
fn standard_input_has_ids_that_follow_from_the_text() {
    let first = observe("error-text", "-", None, "EPERM");
    assert!(first[0].starts_with("error(\"error-"), "{first:?}");
    assert_eq!(first, observe("error-text", "-", Some(Form::Lines), "EPERM\n"));
    assert_ne!(first, observe("error-text", "-", None, "EPERM!"));
    let goals = observe("goal", "-", None, "Ship it\n");
    assert!(goals[0].starts_with("goal(\"goal-"), "{goals:?}");
}

#[test]
fn json_lines_give_ids_or_get_them() {
    let text = "{\"error\": 7, \"text\": \"EPERM\"}\n\n{\"text\": \"x\", \"why\": 1}\r\n";
    let (facts, summary) = observe_bytes("error-text", "e.jsonl", None, text.as_bytes()).unwrap();
    let facts: Vec<_> = facts.iter().map(Fact::to_string).collect();
    assert_eq!(facts, [r#"error("7", 5)"#, r#"error_signal("7", /eperm)"#, r#"error("e.jsonl:3", 1)"#]);
    assert_eq!(summary.ignored, BTreeMap::from([(String::from("why"), 1)]));
}

#[test]
fn a_text_of_any_length_is_matched_whole() {
    let observer = observer("error-text", None).unwrap();
    for at in (0..200_000).step_by(29_973).chain([65_530, 65_536, 61_440, 131_070]) {
        for line in ["", "\n", "é\n"] {
            let mut text = format!("x{line}").repeat(at / (1 + line.len()));
            text.push_str(" Maximum call stack ");
            text.push_str(&"y".repeat(70_000));
            let mut facts = Vec::new();
            let mut bytes = text.as_bytes();
            let input = Input::new("long", None, &mut bytes);
            observer
                .observe(input, &mut |fact| {
                    facts.push(fact.to_string());
                    Ok(())
                })
                .unwrap();
            let length = text.chars().count();
            let signal = String::from(r#"error_signal("long", /maximum_call_stack)"#);
            assert_eq!(facts, [format!("error(\"long\", {length})"), signal], "at {at} with {line:?}");
        }
    }
}

#[test]
fn lines_and_texts_begin_only_where_they_do() {
    let observer = ErrorText::from_csv("t.csv", "signal,pattern\n/text,\\Afirst\n/line,^second\n").unwrap();
    let signals = |text: &str| observer.facts("e", text).len() - 1;
    assert_eq!(signals("first\nsecond"), 2);
    let far = "a".repeat(65_537 - 4_096);
    assert_eq!(signals(&format!("{far}first{}", "z".repeat(4_091))), 0);
    assert_eq!(signals(&format!("{far}second{}", "z".repeat(4_090))), 0);
    assert_eq!(signals(&format!("{far}\nsecond{}", "z".repeat(4_090))), 1);
}

#[test]
fn bytes_that_are_no_text_count_and_hide_nothing() {
    let mut bytes = vec![0xff, b' '];
    bytes.extend("é".repeat(40_000).bytes()); // a character stands across the end of a piece
    bytes.extend(b" EPERM \xe2\x82");
    let (facts, _) = observe_bytes("error-text", "b", None, &bytes).unwrap();
    assert_eq!(facts[0].values[1], Value::Int(40_010));
    assert_eq!(facts[1].to_string(), r#"error_signal("b", /eperm)"#);
}

#[test]
fn a_faulty_table_names_its_line() {
    let fault = |csv: &str| ErrorText::from_csv("my.csv", csv).err().unwrap().to_string();
    assert_eq!(
        fault("signal,regex\n/a,b\n"),
        "my.csv:1: expected the columns `signal,pattern`, found `signal,regex`"
    );
    assert_eq!(fault("signal,pattern\n/a,b\nNo Name,c\n"), "my.csv:3: expected a name, found `No Name`");
    assert_eq!(fault("signal,pattern\n/a,\n"), "my.csv:2: expected a pattern, found nothing");
    assert!(
        fault("signal,pattern\n/a,b\n/b,(\n").starts_with("my.csv:3: expected a regular expression, found ")
    );
}

#[test]
fn tables_of_a_folder_stand_in_for_the_shipped_ones() {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("error_signals.csv"), "signal,pattern\nout_of_milk,no milk\n").unwrap();
    let file = folder.path().join("e.txt");
    fs::write(&file, "there is no milk, EPERM").unwrap();
    let mut facts = Vec::new();
    let own = observer("error-text", Some(folder.path())).unwrap();
    observe_path(own.as_ref(), file.to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        facts.push(fact.values[1].to_string());
        Ok(())
    })
    .unwrap();
    assert_eq!(facts, ["23", "/out_of_milk"]);
    assert!(observer("goal", Some(folder.path())).is_ok(), "missing tables are the shipped ones");
}

#[test]
fn unknown_observers_forms_and_files_are_errors_that_help() {
    assert_eq!(
        observer("tool-runs", None).err().unwrap().to_string(),
        "unknown observer `tool-runs` (did you mean `tool-run`?); the observers are codebase, edit, error-text, event, git, goal, quality, similarity, source, test-output, tool-run"
    );
    assert_eq!(
        observe_bytes("tool-run", "x", Some(Form::Log), b"").unwrap_err().to_string(),
        "unknown form `log` of `tool-run`; expected `jsonl`, `protobuf`"
    );
    let error_text = observer("error-text", None).unwrap();
    let missing = observe_path(error_text.as_ref(), "no/such.log", None, &|_, _| {}, &mut |_| Ok(()));
    assert!(missing.unwrap_err().to_string().starts_with("can't read `no/such.log`: "));
}

#[test]
fn what_the_sink_refuses_ends_the_observation() {
    let mut count = 0;
    let refusal = observer("goal", None).unwrap().observe(
        Input::new("g.txt", None, &mut "a\nb\nc\n".as_bytes()),
        &mut |_| {
            count += 1;
            if count == 2 { Err("the store is full".into()) } else { Ok(()) }
        },
    );
    assert_eq!((refusal.unwrap_err().to_string().as_str(), count), ("the store is full", 2));
}

#[test]
fn goals_show_domains_shapes_and_tools() {
    let lines = "Analyze competitors in the snack market\n\n  Read the CODE of cart.py  \n";
    assert_eq!(
        observe("goal", "todo.txt", None, lines),
        [
            r#"goal("todo.txt:1", "Analyze competitors in the snack market")"#,
            r#"domain_signal("todo.txt:1", /marketing)"#,
            r#"goal_signal("todo.txt:1", /compare)"#,
            r#"pattern_match("todo.txt:1", "web_search", 3, 5)"#,
            r#"pattern_match("todo.txt:1", "competitor_db", 1, 2)"#,
            r#"goal("todo.txt:3", "Read the CODE of cart.py")"#,
            r#"domain_signal("todo.txt:3", /engineering)"#,
            r#"pattern_match("todo.txt:3", "file_summary", 1, 2)"#,
        ]
    );
    let placed = "I'm thinking about adding a persistence module. Where should it go?\n";
    assert_eq!(
        observe("goal", "where.txt", None, placed)[1..],
        [
            r#"pattern_match("where.txt:1", "file_summary", 1, 2)"#,
            r#"pattern_match("where.txt:1", "dependency_map", 1, 2)"#,
        ]
    );
    let given = r#"{"goal": "g1", "text": "planet of customs", "domain_given": "crypto"}"#;
    assert_eq!(
        observe("goal", "g.jsonl", None, given),
        [r#"goal("g1", "planet of customs")"#, r#"goal_domain_given("g1", /crypto)"#]
    );
    assert_eq!(
        refused("goal", r#"{"text": "x", "domain_given": "No Name"}"#),
        r#"in.jsonl:1: expected `domain_given` to be a name such as "/marketing", found "No Name""#
    );
}

#[test]
fn a_task_shows_its_size_and_whether_it_lasts() {
    let signals = |text: &str| -> Vec<String> {
        let line = serde_json::json!({ "task": "t", "text": text }).to_string();
        let facts = observe("goal", "in.jsonl", None, &line);
        let signal =
            |fact: &String| Some(fact.strip_prefix("task_signal(\"t\", ")?.trim_end_matches(')').to_owned());
        facts.iter().filter_map(signal).collect()
    };
    let none: [&str; 0] = [];
    let large =
        signals("Migrate the whole codebase to the new version of the API in three phases, all files");
    assert_eq!(large, ["/multi_phase", "/multi_file", "/whole_project", "/migration"]);
    assert_eq!(
        signals("Every Monday, monitor the queue and remember what was slow"),
        ["/recurring", "/monitoring", "/remember"]
    );
    assert_eq!(signals("Fix the typo on the login page"), none);
    // Words that only look alike.
    assert_eq!(signals("Stage fright, an everyday migraine, the file system"), ["/multi_phase"]);
}

#[test]
fn words_have_more_than_three_letters_and_overlap_counts_those_that_both_have() {
    let lines = r#"
{"task": "t", "text": "Fix the Login-page: FIX it, über-fix 2026!"}
{"learning": "l", "trigger": "login fails", "lesson": "check the token", "fix": null}
{"fingerprint": "fp", "text": "How should we rate-limit the API? At 3 a minute, or 100"}
{"frame": "f", "goal_text": "Make the login page work", "text": "Make the token work"}
{"frame": "g", "goal_text": "a b c", "text": "the"}
"#;
    let (facts, summary) = observe_bytes("goal", "in.jsonl", None, lines.as_bytes()).unwrap();
    let facts: Vec<String> = facts.iter().map(ToString::to_string).collect();
    let expected = [
        r#"task("t", "Fix the Login-page: FIX it, über-fix 2026!")"#,
        r#"task_word("t", "2026")"#,
        r#"task_word("t", "login")"#,
        r#"task_word("t", "page")"#,
        r#"task_word("t", "über")"#,
        r#"topic_word("t", "2026")"#,
        r#"topic_word("t", "berfix")"#,
        r#"topic_word("t", "fix")"#,
        r#"topic_word("t", "loginpage")"#,
        r#"learning_word("l", /trigger, "fails")"#,
        r#"learning_word("l", /trigger, "login")"#,
        r#"learning_word("l", /lesson, "check")"#,
        r#"learning_word("l", /lesson, "token")"#,
        r#"cached_word("fp", "100")"#,
        r#"cached_word("fp", "api")"#,
        r#"cached_word("fp", "minute")"#,
        r#"cached_word("fp", "ratelimit")"#,
        r#"potential_goal("f", 0.4)"#,
        r#"potential_goal("g", 0.0)"#,
    ];
    assert_eq!(facts, expected);
    assert_eq!(summary.records, 5);
    let faulty = observe_bytes("goal", "in.jsonl", None, br#"{"frame": "f", "text": "x"}"#);
    let message =
        "in.jsonl:1: expected `goal_text` to be the goal of the frame: a string, found no such field";
    assert_eq!(faulty.unwrap_err().to_string(), message);
}
