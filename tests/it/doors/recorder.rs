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
    let log = hence(at, &["log"], "").0;
    assert!(log.contains("by ada from decide --follow, brought by rec"), "{log}");
    let why = hence(at, &["why", "go(\"r\")"], "").0;
    assert!(why.contains("by: \"ada\"") && why.contains("asserted by ada at"), "{why}");
    let retracted = "{\"as\": \"ada\", \"retract\": {\"review\": [\"r\", true, \"ada\"]}}\n";
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], retracted);
    assert_eq!((status, reviews(at)), (0, 0), "{said}");
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
        let refused = format!("`{author}` may not speak for `ada`: that takes the role `recorder`; `rec` has it");
        assert!(said.contains(&refused), "{said}");
    }
    // For oneself takes no role.
    let (said, status) = hence(at, &["decide", "--follow", "--as", "ada"], SAID);
    assert_eq!((status, reviews(at)), (0, 1), "{said}");
}

#[test]
fn a_transaction_has_one_author_and_a_name_is_a_text() {
    let folder = recorded();
    let at = folder.path();
    let follow = ["decide", "--follow", "--batch", "--as", "rec"];
    let (said, status) = hence(at, &follow, SAID);
    assert_eq!((status, reviews(at)), (2, 0), "{said}");
    assert!(said.contains("`ada` says this line and `rec` those before it"), "{said}");
    for name in ["3", "\"\"", "null", "[\"ada\"]"] {
        let line = format!("{{\"as\": {name}, \"open\": [\"r\"]}}\n");
        let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], &line);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("`as` names who says the line: expected a string"), "{said}");
    }
    let (said, status) = hence(at, &["decide", "--follow", "--as", "rec"], "{\"as\": \"ada\"}\n");
    assert_eq!(status, 2, "{said}");
}
