//! After an erasure a record that is forged is found as before: what is excused rests on the values that are gone.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::settings::{Ran, folder, run, said};

const RULES: &str = "\
## People, and how they are reached.
input person(id: string, email: string @personal(id)).
## What they ask for.
input request(id: string, n: int).
## Who is marked.
input marked(id: string) from rules.
near(Id) :- person(Id, Email), contains(Email, \"@wonder\").
## Those who are near.
decision inside(id: string).
@because(\"{Id} asks {N} and is inside\")
inside(Id) :- near(Id), request(Id, N).
## Those who are not.
decision outside(id: string).
@because(\"{Id} is outside\")
outside(Id) :- request(Id, _), !near(Id).
## Write to them.
decision write(id: string, email: string @personal(id)).
@because(\"{Id} asks {N} and is reached at {Email}\")
write(Id, Email) :- person(Id, Email), request(Id, N).
## How many are inside.
decision crowd(n: int).
@because(\"{N} are inside\")
crowd(N) :- N = count { inside(_) }, N > 0.
## The one who asks for most.
decision first(id: string).
@because(\"{Id} asks most\")
first(Id) :- near(Id), request(Id, N) limit 1 by N desc.
@id(mark)
@because(\"{Id} is marked\")
then marked(Id) :- near(Id), request(Id, N), N > 1.
";
const SETTINGS: &str = "rules = [\"rules.dl\"]\nauthor = \"ops\"\n";
const FACTS: &str = "\
{\"person\": [\"u1\", \"alice@wonder.example\"]}
{\"person\": [\"u2\", \"bob@home.example\"]}
{\"person\": [\"u3\", \"cat@wonder.example\"]}
{\"request\": [\"u1\", 2]}
{\"request\": [\"u2\", 9]}
{\"request\": [\"u3\", 1]}
{\"request\": [\"u4\", 1]}
";

/// A ledger in which u1 was erased.
fn project() -> tempfile::TempDir {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let at = project.path();
    said(at, 0, &["decide", "--facts", "facts.jsonl", "--now", "2026-02-03T12:00:00Z"]);
    said(at, 0, &["assert", "request(\"u3\", 7)"]);
    said(at, 0, &["decide", "--now", "2026-02-03T13:00:00Z"]);
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    said(at, 0, &["export", "--output", "honest.jsonl"]);
    project
}

/// Another ledger of these transactions, whose hashes are put right, with the keys of the first.
fn forged(at: &Path, transactions: &[Json], keys: bool) {
    let mut lines = transactions.to_vec();
    let _ = fs::remove_dir_all(at.join("forged"));
    for _ in 0..=lines.len() {
        let text: Vec<String> = lines.iter().map(Json::to_string).collect();
        fs::write(at.join("forged.jsonl"), text.join("\n")).unwrap();
        let Ran(status, _, err) = run(at, &["import", "forged.jsonl", "--store", "forged"], &[], "");
        let Some((_, wrong)) = err.split_once("error: line ") else {
            assert_eq!(status, 0, "{err}");
            break;
        };
        let (line, rest) = wrong.split_once(": its hash is ").unwrap_or_else(|| panic!("{err}"));
        let line: usize = line.parse().unwrap();
        lines[line - 1]["hash"] = json!(rest[..64]);
        let _ = fs::remove_dir_all(at.join("forged"));
    }
    if keys {
        fs::copy(at.join(".hence/personal.keys"), at.join("forged/personal.keys")).unwrap();
    }
}

fn honest(at: &Path) -> Vec<Json> {
    let text = fs::read_to_string(at.join("honest.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn changes(transaction: &mut Json) -> &mut Vec<Json> {
    transaction["changes"].as_array_mut().unwrap()
}

#[test]
fn what_rests_on_erased_values_is_excused() {
    let project = project();
    let at = project.path();
    let told = said(at, 0, &["verify"]);
    assert!(told.contains("as recorded, but for 7 differences that can't be told"), "{told}");
    for decision in ["inside(\"u1\")", "outside(\"u1\")", "crowd(2)", "crowd(1)", "first(\"u1\")"] {
        assert!(
            told.contains(&format!("{decision}: it rests on personal values that were erased")),
            "{told}"
        );
    }
    let told = said(at, 0, &["replay"]);
    assert!(told.contains("no decision flips") && !told.contains("other ones than recorded"), "{told}");
    forged(at, &honest(at), true);
    said(at, 0, &["verify", "--store", "forged"]);
    forged(at, &honest(at), false);
    let told = said(at, 0, &["verify", "--store", "forged"]);
    assert!(told.contains("inside(\"u3\"): it rests on personal values"), "{told}");
    said(at, 0, &["replay", "--store", "forged"]);
}

#[test]
fn a_decision_that_is_forged_after_an_erasure_is_found() {
    let project = project();
    let at = project.path();
    let honest = honest(at);
    let drawn = |relation: &str, values: Json, sentence: &str| json!({ "draw": [relation, values, format!("{relation}#1"), sentence] });
    let forgeries = [
        // Somebody of whom nothing was erased, and nobody at all.
        (drawn("inside", json!(["u2"]), "u2 asks 9 and is inside"), true),
        (drawn("inside", json!(["u4"]), "u4 asks 1 and is inside"), true),
        (drawn("inside", json!(["u9"]), "u9 asks 1 and is inside"), true),
        (drawn("outside", json!(["u3"]), "u3 is outside"), true),
        (drawn("outside", json!(["u9"]), "u9 is outside"), true),
        (
            drawn("write", json!(["u2", "mallory@evil.example"]), "u2 asks 9 and is reached at (personal)"),
            true,
        ),
        (
            drawn("write", json!(["u9", "mallory@evil.example"]), "u9 asks 9 and is reached at (personal)"),
            true,
        ),
        (drawn("first", json!(["u2"]), "u2 asks most"), true),
        (drawn("crowd", json!([9]), "8 are inside"), false),
    ];
    for (forgery, flips) in forgeries {
        let mut lines = honest.clone();
        changes(&mut lines[0]).push(forgery.clone());
        forged(at, &lines, true);
        let told = said(at, 1, &["verify", "--store", "forged"]);
        assert!(told.contains("error: transaction 1, decision"), "{forgery}: {told}");
        if flips {
            let told = said(at, 1, &["replay", "--store", "forged"]);
            assert!(!told.contains("no decision flips"), "{forgery}: {told}");
        }
    }
}

#[test]
fn a_record_that_is_changed_after_an_erasure_is_found() {
    let project = project();
    let at = project.path();
    let honest = honest(at);
    let first = |change: &Json, verb: &str, relation: &str, id: &str| {
        change[verb][0] == json!(relation) && change[verb][1][0] == json!(id)
    };
    // Sentences: the values in them which are known have to be those, and all that is between them.
    for (id, sentence) in
        [("u1", "u1 asks 3 and is inside"), ("u1", "u1 is to be shot"), ("u3", "u3 asks 2 and is inside")]
    {
        let mut lines = honest.clone();
        let change = changes(&mut lines[0]).iter_mut().find(|change| first(change, "draw", "inside", id));
        change.unwrap()["draw"][3] = json!(sentence);
        forged(at, &lines, true);
        let told = said(at, 1, &["verify", "--store", "forged"]);
        assert!(told.contains(&format!("inside(\"{id}\"): recorded as drawn")), "{sentence}: {told}");
    }
    // What is left out: of u3, whose values are there, and what an effect did to it.
    let mut lines = honest.clone();
    changes(&mut lines[0]).retain(|change| !first(change, "draw", "inside", "u3"));
    changes(&mut lines[3]).retain(|change| !first(change, "lapse", "inside", "u3"));
    forged(at, &lines, true);
    assert!(said(at, 1, &["verify", "--store", "forged"]).contains("inside(\"u3\"): not recorded"));
    // An effect on somebody else.
    let mut lines = honest.clone();
    lines[0]["steps"][0]
        .as_array_mut()
        .unwrap()
        .push(json!({ "assert": ["marked", ["u2"], "mark", "u2 is marked"] }));
    changes(&mut lines[0]).push(json!({ "assert": ["marked", ["u2"]] }));
    forged(at, &lines, true);
    let told = said(at, 1, &["verify", "--store", "forged"]);
    assert!(told.contains("step 1 is recorded as asserting marked(\"u2\")"), "{told}");
    assert!(said(at, 0, &["replay", "--store", "forged"]).contains("other ones than recorded"));
}

#[test]
fn what_is_between_unknown_values_of_a_sentence_has_to_be_as_recorded() {
    let rules = "\
## People, and how they are reached.
input person(id: string, email: string @personal(id)).
## What they ask for.
input request(id: string, n: int).
near(Id) :- person(Id, Email), contains(Email, \"@wonder\").
## The one to call first.
decision first(id: string).
@because(\"{Id}, asking {N} times, is called by {Id}\")
first(Id) :- near(Id), request(Id, N) limit 1 by N desc.
";
    let project = folder(&[("rules.dl", rules), ("hence.toml", SETTINGS)]);
    let at = project.path();
    said(at, 0, &["assert", "person(\"u1\", \"alice@wonder.example\")", "request(\"u1\", 2)"]);
    said(at, 0, &["decide", "--now", "2026-02-03T12:00:00Z"]);
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    said(at, 0, &["export", "--output", "honest.jsonl"]);
    let honest = honest(at);
    for (sentence, status) in [
        ("u1, asking 7 times, is called by u1", 0),
        ("u1, asked 7 times, is called by u1", 1),
        ("u2, asking 7 times, is called by u1", 1),
        ("u1, asking 7 times, is called by u2", 1),
        ("u1, asking 7 times, was called by u1", 1),
        ("u1, asking 7 times, is called by u1 twice", 1),
        ("so u1, asking 7 times, is called by u1", 1),
    ] {
        let mut lines = honest.clone();
        let drawn = lines.iter_mut().flat_map(changes).find(|change| change["draw"][0] == json!("first"));
        drawn.unwrap()["draw"][3] = json!(sentence);
        forged(at, &lines, true);
        let told = said(at, status, &["verify", "--store", "forged"]);
        assert_eq!(told.contains("first(\"u1\"): recorded as drawn"), status == 1, "{sentence}: {told}");
    }
}
