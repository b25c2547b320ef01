//! Where the facts of each input come from: the table of `docs/packs.md` against rules and observers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hence::session::shipped;
use hence_actuators as actuators;

/// The rows of the table: pack, input, and what is said of it, part by part.
fn rows() -> Vec<(String, String, Vec<String>)> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/packs.md")).unwrap();
    let table = page.split("| pack | input | where its facts come from |").nth(1).unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let word = |cell: &str| cell.trim().trim_matches('`').to_owned();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').splitn(3, '|').collect();
            (word(cells[0]), word(cells[1]), cells[2].split(';').map(|part| part.trim().to_owned()).collect())
        })
        .collect()
}

/// The clauses of the shipped packs that begin with `word`: head and body.
fn clauses(word: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for pack in shipped::packs() {
        for (_, text) in shipped::pack(pack).unwrap() {
            for clause in text.split(&format!("\n{word} ")).skip(1) {
                let clause = clause.split(".\n").next().unwrap();
                let (head, body) = clause.split_once(":-").unwrap_or((clause, ""));
                let name = head.trim().trim_start_matches('!').split('(').next().unwrap();
                found.push((name.to_owned(), body.to_owned()));
            }
        }
    }
    found
}

/// The decisions of the packs.
fn decisions() -> BTreeSet<String> {
    clauses("decision").into_iter().map(|(name, _)| name).collect()
}

/// Whether what is said of a carrier's answer is so, where the carrier is one of hence's own.
fn is_answered(input: &str, answer: &str) -> bool {
    let filed = include_str!("../../crates/hence-actuators/src/file_requests.rs");
    match quoted(answer).first() {
        Some(&"file_requests") => filed.contains(&format!("Fact::new(\"{input}\"")),
        Some(&"assert") => include_str!("../../examples/day/hence.toml").contains(&format!("\"{input}(")),
        _ => answer.starts_with("it answers "),
    }
}

/// Whether the gate states an input.
fn is_of_the_gate(input: &str) -> bool {
    let texts = [
        include_str!("../../crates/hence-gate/src/facts.rs"),
        include_str!("../../crates/hence-cli/src/gate/calls.rs"),
        include_str!("../../crates/hence-cli/src/gate/approve.rs"),
    ];
    texts.iter().any(|text| text.contains(&format!("\"{input}\"")) || text.contains(&format!("\"{input}(")))
}

/// The words between back quotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The relations that each observer states.
fn observed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let relations = |name: &'static str| {
        let observer = actuators::observer(name, None).unwrap();
        (name, actuators::relations(observer.as_ref()).collect())
    };
    actuators::names().map(relations).collect()
}

#[test]
fn every_input_of_every_pack_is_in_the_table() {
    let mut declared = Vec::new();
    for pack in shipped::packs() {
        for (_, text) in shipped::pack(pack).unwrap() {
            let inputs = text.lines().filter_map(|line| line.strip_prefix("input "));
            declared.extend(inputs.map(|line| (pack.to_owned(), line.split('(').next().unwrap().to_owned())));
        }
    }
    let listed: Vec<_> = rows().into_iter().map(|(pack, input, _)| (pack, input)).collect();
    assert_eq!(listed, declared);
}

#[test]
fn what_the_table_says_of_an_input_is_true() {
    let (feeds, effects, observed, decided) = (clauses("feed"), clauses("then"), observed(), decisions());
    let reads = |rules: &[(String, String)], input: &str, from: &str| {
        rules.iter().any(|(head, body)| head == input && body.contains(&format!("{from}(")))
    };
    for (_, input, parts) in rows() {
        for part in parts {
            let words = quoted(&part);
            let is_true = if part.starts_with("feed from ") {
                words.iter().all(|from| reads(&feeds, &input, from))
            } else if part.starts_with("effect of ") {
                words.iter().all(|from| reads(&effects, &input, from))
            } else if part.starts_with("observer ") {
                words.iter().all(|name| observed[name].contains(input.as_str()))
            } else if part.starts_with("`hence gate") {
                is_of_the_gate(&input)
            } else if part == "`hence review`" {
                input.contains("review")
            } else if let Some((decisions, answer)) =
                part.strip_prefix("carrier of ").and_then(|it| it.split_once(": "))
            {
                quoted(decisions).iter().all(|name| decided.contains(*name)) && is_answered(&input, answer)
            } else if let Some(reason) = part.strip_prefix("by hand: ") {
                reason.split(' ').count() > 3
            } else {
                ["tick", "next_tick", "carried_run_automation"].contains(&input.as_str())
                    && part.starts_with("hence, ")
            };
            assert!(is_true, "`{input}`: `{part}` is not so");
        }
    }
}

#[test]
fn what_feeds_or_states_an_input_is_in_the_table() {
    let said: BTreeMap<String, String> =
        rows().into_iter().map(|(_, input, parts)| (input, parts.join("; "))).collect();
    for (word, said_as) in [("feed", "feed from "), ("then", "effect of ")] {
        for (input, _) in clauses(word) {
            assert!(said[&input].contains(said_as), "`{input}` is not said to have a `{word}` rule");
        }
    }
    for (name, relations) in observed() {
        for relation in relations {
            assert!(said[relation].contains(&format!("`{name}`")), "`{name}` states `{relation}`");
        }
    }
}
