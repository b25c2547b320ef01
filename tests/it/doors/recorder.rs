//! Lines that name who says them: a recorder brings what others say, and nobody else does.

use std::fs;

use super::{folder, hence, reviews};

const SAID: &str = "{\"open\": [\"r\"]}\n{\"as\": \"ada\", \"review\": {\"id\": \"r\", \"ok\": true}}\n";

/// A folder in which `rec` may speak for others.
fn recorded() -> tempfile::TempDir {
    let folder = folder();
    let path = folder.path().join("hence.toml");
    let settings = fs::read_to_string(&path).unwrap();
    fs::write(path, format!("{settings}recorder = [\"rec\"]\n")).unwrap();
    folder
}

#[test]
fn a_recorder_brings_what_others_say() {
    let folder = recorded();
    let at = folder.path();
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], SAID);
    assert_eq!((status, reviews(at)), (0, 1), "{said}");
    assert!(said.contains("\"change\": \"drawn\""), "{said}");
    let history = hence(at, &["history", "review(\"r\", true, \"ada\")"], "").0;
    assert!(history.contains("by ada, brought by rec, from decide --follow"), "{history}");
    let why = hence(at, &["why", "go(\"r\")"], "").0;
    assert!(why.contains("by: \"ada\"") && why.contains("asserted by ada at"), "{why}");
}

#[test]
fn whoever_is_named_may_say_only_what_they_may() {
    let folder = recorded();
    let at = folder.path();
    let line = "{\"as\": \"eve\", \"review\": {\"id\": \"r\", \"ok\": true}}\n";
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], line);
    assert_eq!((status, reviews(at)), (2, 0), "{said}");
    assert!(said.contains("`eve` may not assert `review`"), "{said}");
    // The columns of `from … as` name whoever is named, not whoever brings it.
    let line = "{\"as\": \"ada\", \"review\": {\"id\": \"r\", \"ok\": true, \"by\": \"grace\"}}\n";
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], line);
    assert_eq!((status, reviews(at)), (2, 0), "{said}");
    assert!(said.contains("its author is `ada`"), "{said}");
}

#[test]
fn nobody_else_speaks_for_others() {
    let folder = recorded();
    let at = folder.path();
    for author in ["eve", "grace", "probe"] {
        let (said, status) = hence(at, &["decide", "--follow", "--as", author], SAID);
        assert_eq!((status, reviews(at)), (2, 0), "{said}");
        let refused =
            format!("`{author}` may not speak for `ada`: that takes the role `recorder`; `rec` has it");
        assert!(said.contains(&refused), "{said}");
    }
    // For oneself takes no role.
    let (said, status) = hence(at, &["decide", "--follow", "--as", "ada"], SAID);
    assert_eq!((status, reviews(at)), (0, 1), "{said}");
}

#[test]
fn words_of_several_make_one_transaction() {
    let folder = recorded();
    let at = folder.path();
    let lines = SAID.to_owned() + "{\"as\": \"grace\", \"review\": {\"id\": \"q\", \"ok\": false}}\n";
    let (said, status) = hence(at, &["decide", "--follow", "--batch", "--as", "rec"], &lines);
    assert_eq!((status, reviews(at)), (0, 2), "{said}");
    let told = |fact: &str| hence(at, &["history", fact], "").0;
    assert!(told("open(\"r\")").contains("by rec from decide --follow"));
    assert!(told("review(\"r\", true, \"ada\")").contains("transaction 1"));
    assert!(told("review(\"q\", false, \"grace\")").contains("by grace, brought by rec, from"));
    assert_eq!(hence(at, &["verify"], "").1, 0);
    // Another ledger asks for the same role.
    let (export, _) = hence(at, &["export"], "");
    fs::write(at.join("all.jsonl"), export).unwrap();
    assert_eq!(hence(at, &["import", "all.jsonl", "--store", "copy"], "").1, 0);
    fs::write(at.join("hence.toml"), super::SETTINGS).unwrap();
    let (said, status) = hence(at, &["import", "all.jsonl", "--store", "other"], "");
    assert_ne!(status, 0, "{said}");
    assert!(said.contains("`rec` may not speak for `"), "{said}");
}

#[test]
fn only_assertions_name_who_says_them_and_a_name_is_a_text() {
    let folder = recorded();
    let at = folder.path();
    let retracted = "{\"as\": \"ada\", \"retract\": {\"review\": [\"r\", true, \"ada\"]}}\n";
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], retracted);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("only assertions name who says them"), "{said}");
    for name in ["3", "\"\"", "null", "[\"ada\"]"] {
        let line = format!("{{\"as\": {name}, \"open\": [\"r\"]}}\n");
        let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], &line);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("`as` names who says the line: expected a name"), "{said}");
    }
    for signature in ["3", "\"abc\"", "null"] {
        let line = format!("{{\"as\": \"ada\", \"signature\": {signature}, \"open\": [\"r\"]}}\n");
        let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], &line);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("`signature`: expected 128 hexadecimal digits"), "{said}");
    }
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], "{\"as\": \"ada\"}\n");
    assert_eq!(status, 2, "{said}");
}
