//! The doors of a ledger that demands signatures: without the key of who has the role there is no way in.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use super::{RULES, folder};
use crate::command;

/// What a command says and how it ends, with the keys of this folder.
fn hence(at: &Path, args: &[&str], input: &str) -> (String, i32) {
    with_keys(at, ".config", args, input)
}

/// The same with keys elsewhere.
fn with_keys(at: &Path, keys: &str, args: &[&str], input: &str) -> (String, i32) {
    let mut command = command::hence(at, args);
    command.env("XDG_CONFIG_HOME", keys);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (said, output.status.code().unwrap())
}

/// A ledger with the principals ada (admin, reviewer), grace (reviewer) and agent, in which `r` is open.
fn signed() -> tempfile::TempDir {
    let folder = folder();
    let at = folder.path();
    for add in [
        &["ada", "--role", "reviewer"][..],
        &["grace", "--role", "reviewer", "--as", "ada"],
        &["agent", "--role", "agent", "--as", "ada"],
    ] {
        let (said, status) = hence(at, &[&["principal", "add"], add].concat(), "");
        assert_eq!(status, 0, "{said}");
    }
    assert_eq!(hence(at, &["assert", "open(\"r\")", "--as", "agent"], "").1, 0);
    folder
}

fn facts(at: &Path, relation: &str) -> String {
    hence(at, &["facts", relation, "--format", "jsonl"], "").0
}

const APPROVAL: &str = "review(id: \"r\", ok: true)";
const LINE: &str = "{\"review\": {\"id\": \"r\", \"ok\": true}}\n";

#[test]
fn a_review_takes_the_key_of_the_reviewer_by_every_way() {
    let folder = signed();
    let at = folder.path();
    fs::write(at.join("facts.jsonl"), LINE).unwrap();
    let ways: [(&[&str], &str); 4] = [
        (&["assert", APPROVAL], ""),
        (&["assert", "--facts", "facts.jsonl"], ""),
        (&["decide", "--facts", "facts.jsonl"], ""),
        (&["decide", "--follow"], LINE),
    ];
    for (way, input) in ways {
        // The agent approves itself; somebody without the key takes grace's name; somebody has a name that is no principal's.
        let tries = [
            (".config", "agent", "`agent` may not assert `review`"),
            ("elsewhere", "grace", "there is no key of `grace` here"),
            (".config", "mallory", "`mallory` may not assert `review`"),
        ];
        for (keys, author, refused) in tries {
            let (said, status) = with_keys(at, keys, &[way, &["--as", author]].concat(), input);
            assert_eq!(status, 2, "{way:?}: {said}");
            assert!(said.contains(refused), "{way:?}: {said}");
            assert_eq!(facts(at, "review"), "", "{way:?}");
        }
    }
    let (said, status) = hence(at, &["decide", "--follow", "--as", "grace"], LINE);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("\"change\": \"drawn\""), "{said}");
}

#[test]
fn a_line_that_its_author_signed_is_taken_from_anybody_once() {
    let folder = signed();
    let at = folder.path();
    let sign = ["principal", "sign", APPROVAL, "--as", "grace"];
    assert!(with_keys(at, "elsewhere", &sign, "").0.contains("there is no key of `grace` here"));
    let (line, status) = hence(at, &sign, "");
    assert_eq!(status, 0, "{line}");
    let follow = ["decide", "--follow", "--as", "agent"];
    let forged = line.replace("true", "false");
    let (said, status) = hence(at, &follow, &forged);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("the signature of `grace` does not hold"), "{said}");
    let unsigned = "{\"as\": \"grace\", \"review\": {\"id\": \"r\", \"ok\": true}}\n";
    let (said, status) = hence(at, &follow, unsigned);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("`grace` did not sign"), "{said}");
    let (said, status) = hence(at, &follow, &line);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("\"change\": \"drawn\""), "{said}");
    let why = hence(at, &["why", "go(\"r\")"], "").0;
    assert!(why.contains("asserted by grace (signed)"), "{why}");
    // In another place it is nobody's word: what was taken back does not come again.
    assert_eq!(hence(at, &["retract", "review(\"r\", true, \"grace\")", "--as", "grace"], "").1, 0);
    let (said, status) = hence(at, &follow, &line);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("does not hold for") && said.contains("in this place"), "{said}");
    assert_eq!(hence(at, &["verify"], "").1, 0);
    assert_eq!(hence(at, &["status"], "").0.matches("not there").count(), 0);
}

#[test]
fn what_needs_signing_is_said_where_nothing_does() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(hence(at, &["assert", "open(\"r\")", "--as", "bob"], "").1, 0);
    let (said, status) = hence(at, &["principal", "sign", APPROVAL, "--as", "grace"], "");
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("this ledger demands no signatures"), "{said}");
}

#[test]
fn a_carrier_of_a_principal_without_its_key_loses_its_answer_and_nothing_else() {
    let folder = signed();
    let at = folder.path();
    let rules =
        format!("{RULES}decision ask(id: string).\n@because(\"{{Id}} is open\")\nask(Id) :- open(Id).\n");
    fs::write(at.join("rules.dl"), rules).unwrap();
    let settings = fs::read_to_string(at.join("hence.toml")).unwrap();
    let carry =
        "[carry]\nask = { carrier = \"command\", program = \"sh\", args = [\"ask.sh\"], as = \"grace\" }\n";
    fs::write(at.join("hence.toml"), settings + carry).unwrap();
    let answer = "cat > /dev/null\necho \"$HENCE_ATTEMPT\" >> deeds\necho '{\"review\": {\"id\": \"r\", \"ok\": true}}'\n";
    fs::write(at.join("ask.sh"), answer).unwrap();
    fs::create_dir_all(at.join("agents/hence/keys")).unwrap();
    fs::copy(at.join(".config/hence/keys/agent"), at.join("agents/hence/keys/agent")).unwrap();
    let (said, status) = with_keys(at, "agents", &["decide", "--carry-out", "--as", "agent"], "");
    assert_eq!((status, facts(at, "review").as_str()), (0, ""), "{said}");
    assert!(said.contains("there is no key of `grace` here"), "{said}");
    assert_eq!(fs::read_to_string(at.join("deeds")).unwrap(), "1\n");
    let outbox = hence(at, &["outbox", "list", "--all", "--format", "jsonl"], "").0;
    assert!(outbox.contains("\"state\": \"carried\""), "{outbox}");
    assert_eq!(hence(at, &["carry"], "").1, 0);
    assert_eq!(fs::read_to_string(at.join("deeds")).unwrap(), "1\n", "it is done once");
}

#[test]
fn a_migration_of_signed_facts_is_an_administrators_and_what_it_carries_stays_signed() {
    let folder = signed();
    let at = folder.path();
    for (author, id) in [("grace", "r"), ("ada", "q")] {
        assert_eq!(
            hence(at, &["assert", &format!("review(id: \"{id}\", ok: true)"), "--as", author], "").1,
            0
        );
    }
    assert_eq!(hence(at, &["decide", "--as", "agent"], "").1, 0);
    let rules = RULES.replace("ok: bool", "yes: bool, why: string").replace("ok: true", "yes: true");
    fs::write(at.join("rules.dl"), rules.replace("review(Id, true, _)", "review(Id, true, _, _)")).unwrap();
    fs::write(at.join("move.dl"), "review(Id, Ok, \"none\", By) :- old.review(Id, Ok, By).\n").unwrap();
    for (keys, author, refused) in [
        (".config", "grace", "that takes the role `admin`, too"),
        (".config", "agent", "`agent` may not assert `review`"),
        ("elsewhere", "ada", "there is no key of `ada` here"),
    ] {
        let (said, status) = with_keys(at, keys, &["migrate", "move.dl", "--apply", "--as", author], "");
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(refused), "{said}");
    }
    let (said, status) = hence(at, &["migrate", "move.dl", "--apply", "--as", "ada"], "");
    assert_eq!(status, 0, "{said}");
    let sound = |store: &str| {
        let (said, status) =
            hence(at, &["decide", "--dry-run", "--all", "--as", "agent", "--store", store], "");
        assert!(status == 0 && said.contains("go(\"r\")"), "{said}");
        let why = hence(at, &["why", "go(\"r\")", "--store", store], "").0;
        assert!(why.contains("by: \"grace\"") && why.contains("asserted by ada (signed)"), "{why}");
        for check in ["verify", "replay"] {
            let (said, status) = hence(at, &[check, "--store", store], "");
            assert_eq!(status, 0, "{check}: {said}");
        }
    };
    sound(".hence");
    let before = hence(at, &["facts", "review", "--as-of", "7"], "").0;
    assert!(before.contains("ok") && !before.contains("why"), "{before}");
    let (export, _) = hence(at, &["export"], "");
    fs::write(at.join("all.jsonl"), export).unwrap();
    let (said, status) = hence(at, &["import", "all.jsonl", "--store", "copy"], "");
    assert_eq!(status, 0, "{said}");
    sound("copy");
}
