//! Carriers at the door: what they answer is asserted with them as author, and so far as that author may.

use std::fs;

use super::{RULES, folder, hence, reviews};

/// A folder in which the decisions `go` are carried out by a program that answers a review and an open request.
fn carried(author: &str) -> tempfile::TempDir {
    let folder = folder();
    let at = folder.path();
    let rules =
        format!("{RULES}decision ask(id: string).\n@because(\"{{Id}} is open\")\nask(Id) :- open(Id).\n");
    fs::write(at.join("rules.dl"), rules).unwrap();
    let settings = fs::read_to_string(at.join("hence.toml")).unwrap();
    let carry = format!(
        "[carry]\nask = {{ carrier = \"command\", program = \"sh\", args = [\"ask.sh\"], as = \"{author}\" }}\n"
    );
    fs::write(at.join("hence.toml"), settings + &carry).unwrap();
    let answer =
        "cat > /dev/null\necho '{\"review\": {\"id\": \"r\", \"ok\": true}}'\necho '{\"seen\": [\"r\"]}'\n";
    fs::write(at.join("ask.sh"), answer).unwrap();
    assert_eq!(hence(at, &["assert", "open(\"r\")", "--as", "bob"], "").1, 0);
    folder
}

#[test]
fn a_carrier_asserts_what_it_may_and_no_more() {
    // An observer may say what it saw, and approves nothing.
    let folder = carried("probe");
    let at = folder.path();
    let (said, status) = hence(at, &["decide", "--carry-out", "--as", "bob"], "");
    assert_eq!((status, reviews(at)), (0, 0), "{said}");
    assert!(said.contains("`probe` may not assert `review`: that takes the role `reviewer`"), "{said}");
    let seen = hence(at, &["facts", "seen", "--format", "jsonl"], "").0;
    assert!(seen.contains("{\"seen\": [\"r\"]}"), "{seen}");
    let shown = hence(at, &["outbox", "show", "2.1"], "").0;
    assert!(
        shown.contains("carried by command") && shown.contains("`probe` may not assert `review`"),
        "{shown}"
    );
    assert!(!hence(at, &["decide", "--all", "--as", "bob"], "").0.contains("go(\"r\")"));
}

#[test]
fn a_carrier_that_is_a_reviewer_reviews_as_itself() {
    let folder = carried("grace");
    let at = folder.path();
    let (said, status) = hence(at, &["decide", "--carry-out", "--as", "bob"], "");
    assert_eq!((status, reviews(at)), (0, 1), "{said}");
    let facts = hence(at, &["facts", "review", "--format", "jsonl"], "").0;
    assert!(facts.contains("[\"r\", true, \"grace\"]"), "{facts}");
    assert!(said.contains("`grace` may not assert `seen`"), "{said}");
}

#[test]
fn a_carrier_of_facts_that_may_not_assert_them_fails() {
    let folder = carried("probe");
    let at = folder.path();
    let settings = fs::read_to_string(at.join("hence.toml")).unwrap();
    let settings = settings.split("[carry]").next().unwrap();
    let carry = "[carry]\nask = { carrier = \"assert\", facts = [\"seen(id = id)\"], as = \"grace\" }\n";
    fs::write(at.join("hence.toml"), format!("{settings}{carry}")).unwrap();
    let (said, _) = hence(at, &["decide", "--carry-out", "--as", "bob"], "");
    assert!(said.contains("`grace` may not assert `seen`"), "{said}");
    let outbox = hence(at, &["outbox", "--format", "jsonl"], "").0;
    assert!(outbox.contains("\"state\": \"failed\""), "{outbox}");
}
