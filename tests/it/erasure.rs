//! Erasure: personal values lie nowhere in a store but under their key, and are gone with it; the chain holds.

use std::fs;
use std::path::Path;

use super::settings::{Ran, folder, run};

const RULES: &str = "\
## People, and how they are reached.
input person(id: string, name: string @personal(id), email: string @personal(id)).
## What they asked for.
input request(id: string, text: string @personal(id)).
## Whom we know by which address.
known(Email, Id) :- person(Id, _, Email).
## Write to them.
decision write(id: string, email: string @personal(id)).
@because(\"{Id} is reached at {Email}\")
write(Id, Email) :- known(Email, Id), request(Id, _).
## Those of a domain.
decision inside(id: string).
@because(\"{Id} is inside\")
inside(Id) :- person(Id, _, Email), contains(Email, \"@wonder.example\").
";
const SETTINGS: &str = "rules = [\"rules.dl\"]\nauthor = \"ops\"\n";
/// What must not be found; each under another key than the last.
const SECRETS: [&str; 3] = ["Alice Liddell", "alice@wonder.example", "a rabbit with a watch"];
const FACTS: &str = "\
{\"person\": [\"u1\", \"Alice Liddell\", \"alice@wonder.example\"]}
{\"person\": [\"u2\", \"Bob\", \"bob@wonder.example\"]}
{\"request\": [\"u1\", \"a rabbit with a watch\"]}
{\"request\": [\"u2\", \"nothing\"]}
";

fn said(at: &Path, status: i32, args: &[&str]) -> String {
    let Ran(found, out, err) = run(at, args, &[], "");
    assert_eq!(found, status, "{args:?}: {out}{err}");
    format!("{out}{err}")
}

/// The files below a folder that hold a text.
fn holding(at: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(text.len()).any(|window| window == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// A ledger whose history goes through base, archive, export and copy.
fn project() -> tempfile::TempDir {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let at = project.path();
    said(at, 0, &["decide", "--facts", "facts.jsonl", "--now", "2026-02-03T12:00:00Z"]);
    said(at, 0, &["compact"]);
    said(at, 0, &["assert", "person(\"u1\", \"Alice Liddell\", \"alice@home.example\")"]);
    said(at, 0, &["decide", "--now", "2026-02-03T13:00:00Z"]);
    said(at, 0, &["retract", "person(\"u1\", \"Alice Liddell\", \"alice@home.example\")"]);
    fs::create_dir(at.join("out")).unwrap();
    said(at, 0, &["export", "--output", "out/export.jsonl"]);
    said(at, 0, &["backup", "out/copy"]);
    said(at, 0, &["export", "--format", "decisions", "--output", "out/log"]);
    project
}

fn nowhere(at: &Path, what: &str) {
    for place in [".hence", "out"] {
        for secret in SECRETS.iter().chain(&["alice@home.example"]) {
            assert_eq!(holding(&at.join(place), secret), Vec::<String>::new(), "{what}: {secret}");
        }
    }
}

#[test]
fn personal_values_lie_nowhere_as_they_are_and_are_read_as_they_were() {
    let project = project();
    let at = project.path();
    nowhere(at, "before");
    let facts = said(at, 0, &["facts", "person", "--format", "jsonl"]);
    assert!(facts.contains("\"Alice Liddell\", \"alice@wonder.example\""), "{facts}");
    let found = said(at, 0, &["query", "person(Id, Name, \"alice@wonder.example\")", "--format", "csv"]);
    assert!(found.contains("u1,Alice Liddell"), "{found}");
    let decided = said(at, 0, &["decisions", "--relation", "write", "--format", "csv"]);
    assert!(
        decided.contains("alice@wonder.example") && decided.contains("u1 is reached at (personal)"),
        "{decided}"
    );
    said(at, 0, &["history", "person(\"u1\", \"Alice Liddell\", \"alice@wonder.example\")"]);
    said(at, 0, &["why", "write(\"u1\", \"alice@wonder.example\")"]);
    said(at, 0, &["decide", "--now", "2026-02-03T13:00:00Z"]);
    let same = said(at, 0, &["decide", "--now", "2026-02-03T13:00:00Z", "--facts", "facts.jsonl"]);
    assert!(same.contains("4 already present") && same.contains("nothing to record"), "{same}");
    assert!(said(at, 0, &["verify"]).contains("each as recorded"));
}

#[test]
fn what_is_erased_is_gone_everywhere_and_the_chain_holds() {
    let project = project();
    let at = project.path();
    let told = said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    assert!(told.contains("is destroyed; 2 facts retracted, 0 decisions drawn, 3 lapsed"), "{told}");
    nowhere(at, "after");
    let keys = fs::read_to_string(at.join(".hence/personal.keys")).unwrap();
    assert!(keys.contains("\"u2\"") && !keys.contains("\"u1\""), "{keys}");
    let facts = said(at, 0, &["facts", "person", "--format", "jsonl"]);
    assert!(facts.contains("\"Bob\", \"bob@wonder.example\"") && !facts.contains("u1"), "{facts}");

    let told = said(at, 0, &["history", "person(\"u1\", \"Alice Liddell\", \"alice@wonder.example\")"]);
    assert!(told.contains("(erased ") && told.contains("asserted in transaction 1"), "{told}");
    assert!(told.contains("by ops from erase"), "{told}");
    let log = said(at, 0, &["log", "--facts-too"]);
    assert!(log.contains("asserted request(\"u1\", \"(erased "), "{log}");
    let verified = said(at, 0, &["verify"]);
    assert!(
        verified.contains("the chain of 6 transactions holds") && verified.contains("each as recorded"),
        "{verified}"
    );
    assert!(verified.contains("rests on personal values that were erased"), "{verified}");
    let replayed = said(at, 0, &["replay"]);
    assert!(
        replayed.contains("no decision flips") && replayed.contains("1 decision can't be drawn again"),
        "{replayed}"
    );
    said(at, 1, &["erase", "u1"]);

    // What was taken elsewhere is of no more use.
    said(at, 0, &["import", "out/export.jsonl", "--store", "out/imported"]);
    for store in ["out/imported", "out/copy"] {
        let facts = said(at, 0, &["facts", "person", "--format", "jsonl", "--store", store]);
        assert!(facts.contains("\"u1\", \"(sealed "), "{facts}");
        said(at, 0, &["verify", "--store", store]);
    }
    said(at, 0, &["rebuild"]);
    nowhere(at, "rebuilt");
    // A new key: the same person may come back.
    said(at, 0, &["assert", "person(\"u1\", \"Alice Liddell\", \"alice@wonder.example\")"]);
    nowhere(at, "again");
    said(at, 0, &["verify"]);
}

#[test]
fn an_erasure_that_was_interrupted_has_happened_or_has_not() {
    let project = project();
    let at = project.path();
    let keys = at.join(".hence/personal.keys");
    let before = fs::read(&keys).unwrap();
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    // As if the process had ended after the record was durable, and before the key was destroyed.
    fs::write(&keys, &before).unwrap();
    let log = said(at, 0, &["log", "--facts-too"]);
    assert!(log.contains("(erased ") && !log.contains("Alice"), "{log}");
    assert_eq!(fs::read(&keys).unwrap(), before, "who reads writes nothing");
    said(at, 0, &["assert", "request(\"u2\", \"more\")"]);
    assert!(!fs::read_to_string(&keys).unwrap().contains("\"u1\""));
    // A file of which the new name isn't there yet is none.
    fs::write(at.join(".hence/personal.new"), "half").unwrap();
    said(at, 0, &["assert", "person(\"u3\", \"Cat\", \"cat@wonder.example\")"]);
    let facts = said(at, 0, &["facts", "person", "--format", "jsonl"]);
    assert!(facts.contains("\"Cat\"") && facts.contains("\"Bob\""), "{facts}");
}

#[test]
fn a_column_that_was_recorded_as_it_is_does_not_become_personal() {
    let plain = RULES.replace(" @personal(id)", "");
    let project = folder(&[("rules.dl", &plain), ("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let at = project.path();
    said(at, 0, &["decide", "--facts", "facts.jsonl"]);
    fs::write(at.join("rules.dl"), RULES).unwrap();
    let told = said(at, 2, &["assert", "person(\"u9\", \"Alice\", \"alice@wonder.example\")"]);
    assert!(told.contains("was recorded before a column of it was personal"), "{told}");
}

#[test]
fn what_a_person_types_is_in_no_lock() {
    let project = project();
    let at = project.path();
    said(at, 0, &["assert", "person(\"u9\", \"Alice Liddell\", \"alice@wonder.example\")"]);
    let lock = fs::read_to_string(at.join(".hence/LOCK")).unwrap();
    assert!(lock.contains("command hence assert\n"), "{lock}");
    said(at, 0, &["erase", "u9"]);
    let lock = fs::read_to_string(at.join(".hence/LOCK")).unwrap();
    assert!(lock.contains("command hence erase\n"), "{lock}");
}
