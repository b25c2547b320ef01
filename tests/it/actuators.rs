//! Observers: what they see in an input, how they name it, and what they refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hence::actuators::error_text::ErrorText;
use hence::actuators::goal::Goal;
use hence::actuators::{ActuatorError, Form, Input, Observer, Summary, names, observe_path, observer};
use hence::fact::Fact;
use hence::value::Value;
use serde_json::Value as Json;

fn root(path: &str) -> PathBuf {
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
fn observe(name: &str, input: &str, form: Option<Form>, text: &str) -> Vec<String> {
    let (facts, _) = observe_bytes(name, input, form, text.as_bytes()).unwrap();
    facts.iter().map(Fact::to_string).collect()
}

fn observe_bytes(
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

fn refused(name: &str, text: &str) -> String {
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
        let patterns = ["/build_and", "/compare_with", "/sequence", "/before_then"];
        let composite = of("goal_signal").iter().any(|signal| patterns.contains(&signal.as_str()));
        assert_eq!(
            (domain, composite),
            (field(&case, "domain"), case["composite"].as_bool().unwrap()),
            "{case}"
        );
    }
}
