//! Erasure: personal values lie nowhere in a store but under their key, and are gone with it; the chain holds.

use crate::slow;
use std::fs;
use std::path::{Path, PathBuf};

use super::command;
use super::folders::copy;
use super::ledger::media::failing;
use super::settings::{Ran, folder, run, said};
use super::small_disk::SmallDisk;

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

/// The files below a folder that hold a text.
pub(crate) fn holding(at: &Path, text: &str) -> Vec<String> {
    holding_bytes(at, text.as_bytes())
}

fn holding_bytes(at: &Path, wanted: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding_bytes(&path, wanted));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(wanted.len()).any(|window| window == wanted)
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
        verified.contains("the chain of 6 transactions holds") && verified.contains("as recorded, but for"),
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
fn what_is_computed_from_a_personal_text_is_refused_or_goes_with_it() {
    let rules = |decision: &str| {
        format!(
            "## Ages.\ninput aged(id: string, age: string @personal(id)).\n{decision}\n@because(\"{{Id}} is {{N}}\")\n"
        )
    };
    let leaking = rules("## Years.\ndecision years(id: string, n: int).")
        + "years(Id, N) :- aged(Id, Age), N = int(Age).\n";
    let sound = rules("## Years.\ndecision years(id: string, n: string @personal(id)).")
        + "years(Id, string(N)) :- aged(Id, Age), N = int(Age) + 1.\n";
    let project = folder(&[("rules.dl", &leaking), ("hence.toml", SETTINGS)]);
    let at = project.path();
    let told = said(at, 2, &["decide"]);
    assert!(told.contains("error[E513]: `years.n` carries personal values of `aged.age`"), "{told}");
    fs::write(at.join("rules.dl"), sound).unwrap();
    said(at, 0, &["assert", "aged(\"u1\", \"481516\")"]);
    let told = said(at, 0, &["decide", "--now", "2026-02-03T12:00:00Z"]);
    assert!(told.contains("481517") && told.contains("u1 is (personal)"), "{told}");
    let store = at.join(".hence");
    let is_nowhere = || {
        for number in [481_516_i64, 481_517] {
            assert_eq!(holding(&store, &number.to_string()), Vec::<String>::new());
            for bytes in [&number.to_le_bytes()[..3], &number.to_be_bytes()[5..]] {
                assert_eq!(holding_bytes(&store, bytes), Vec::<String>::new(), "{number}");
            }
        }
    };
    is_nowhere();
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    is_nowhere();
    for args in [&["decisions", "--as-of", "2"][..], &["log", "--facts-too"], &["verify"], &["replay"]] {
        let told = said(at, 0, args);
        assert!(!told.contains("48151"), "{told}");
    }
}

#[test]
fn an_export_of_facts_is_read_back_after_an_erasure() {
    let project = project();
    let at = project.path();
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    for (format, file) in [("jsonl", "again.jsonl"), ("dl", "again.dl"), ("csv", "tables")] {
        said(at, 0, &["export", "--format", format, "--output", file]);
        let facts = match format {
            "csv" => ["person.csv", "request.csv"].map(|name| format!("{file}/{name}")).to_vec(),
            _ => vec![file.to_owned()],
        };
        let store = format!("of-{format}");
        let mut args = vec!["decide", "--store", &store, "--now", "2026-02-03T14:00:00Z"];
        facts.iter().for_each(|file| args.extend(["--facts", file]));
        said(at, 0, &args);
        let listed = |store: &str| said(at, 0, &["facts", "person", "--format", "jsonl", "--store", store]);
        assert_eq!(listed(&store), listed(".hence"), "{format}");
    }
    let named = said(at, 0, &["export", "--format", "jsonl", "--relation", "hence.erased"]);
    assert!(named.contains("{\"hence.erased\": ["), "{named}");
}

/// Erases as a process does that ends after the record is durable, and before the key is destroyed: the file of keys, and
/// what is in it.
fn interrupted(at: &Path) -> (PathBuf, Vec<u8>) {
    let keys = at.join(".hence/personal.keys");
    let before = fs::read(&keys).unwrap();
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    fs::write(&keys, &before).unwrap();
    (keys, before)
}

#[test]
fn an_erasure_that_was_interrupted_has_happened_or_has_not() {
    let project = project();
    let at = project.path();
    let (keys, before) = interrupted(at);
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
fn a_ledger_that_is_read_up_to_before_an_erasure_that_was_interrupted_shows_nothing_of_it() {
    let project = project();
    let at = project.path();
    let (keys, before) = interrupted(at);
    for last in ["1", "3", "5", "6"] {
        for args in [
            &["facts", "person", "--format", "jsonl"][..],
            &["decisions", "--format", "csv"],
            &["derive", "known", "--format", "jsonl"],
            &["log", "--facts-too"],
            &["export"],
        ] {
            let Ran(status, out, err) = run(at, &[args, &["--up-to", last]].concat(), &[], "");
            assert!(status < 3, "{args:?} {last}: {err}");
            for secret in SECRETS.iter().chain(&["alice@home.example"]) {
                assert!(!out.contains(secret) && !err.contains(secret), "{args:?} {last}: {out}{err}");
            }
        }
        let facts = said(at, 0, &["facts", "person", "--format", "jsonl", "--up-to", last]);
        assert!(facts.contains("Bob"), "{last}: {facts}");
        assert_eq!(facts.contains("(erased "), last != "6", "{last}: {facts}");
    }
    assert_eq!(fs::read(&keys).unwrap(), before, "who reads writes nothing");
}

#[test]
fn what_an_effect_asserted_and_a_carrier_was_to_be_handed_is_erased_too() {
    let rules = format!(
        "{RULES}## Whom we told of it.\ninput told(id: string, email: string @personal(id)) from rules.\n\
         then told(Id, Email) :- write(Id, Email).\n\
         ## What a clerk wrote about them.\n\
         input remark(id: string, text: string @personal(id), by: string) from clerk as by.\n"
    );
    let carry = "[carry]\nwrite = { carrier = \"command\", program = \"sh\", \
        args = [\"-c\", \"cat >> handed; exit 3\"], attempts = 9 }\n";
    let settings = format!("{SETTINGS}{carry}[roles]\nclerk = [\"ada\"]\n");
    let project = folder(&[("rules.dl", &rules), ("hence.toml", &settings), ("facts.jsonl", FACTS)]);
    let at = project.path();
    said(at, 0, &["decide", "--facts", "facts.jsonl", "--now", "2026-02-03T12:00:00Z"]);
    let told = said(at, 0, &["facts", "told", "--format", "jsonl"]);
    assert!(told.contains("alice@wonder.example"), "{told}");
    said(at, 0, &["assert", "remark(\"u1\", \"write to alice@home\", \"ada\")", "--as", "ada"]);
    // `ops` has neither role, and erases all the same; nothing else goes with it.
    said(at, 2, &["retract", "remark(\"u1\", \"write to alice@home\", \"ada\")"]);
    said(at, 1, &["carry", "--now", "2026-02-03T12:00:00Z"]);
    assert!(fs::read_to_string(at.join("handed")).unwrap().contains("alice@wonder.example"));
    fs::remove_file(at.join("handed")).unwrap();
    said(at, 0, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    for (status, args) in [
        (1, &["carry", "--now", "2026-02-03T15:00:00Z"][..]),
        (0, &["outbox", "list", "--all"]),
        (0, &["outbox", "show", "1.3"]),
        (0, &["facts", "told", "--as-of", "1"]),
        (0, &["facts", "remark", "--as-of", "2"]),
        (0, &["log", "--facts-too"]),
        (0, &["verify"]),
    ] {
        let told = said(at, status, args);
        assert!(!told.contains("alice@"), "{args:?}: {told}");
    }
    let handed = fs::read_to_string(at.join("handed")).unwrap();
    assert!(handed.contains("bob@wonder.example") && !handed.contains("alice@"), "{handed}");
    assert_eq!(holding(&at.join(".hence"), "alice@"), Vec::<String>::new());
    // Whoever imports that history has no role either.
    said(at, 0, &["export", "--output", "whole.jsonl"]);
    let other = folder(&[("rules.dl", &rules), ("hence.toml", &settings)]);
    said(other.path(), 0, &["import", at.join("whole.jsonl").to_str().unwrap()]);
    said(other.path(), 0, &["verify"]);
}

/// One `erase` that is killed before its `nth` call on the store; whether it came so far.
fn killed(at: &Path, library: &Path, nth: usize) -> bool {
    let mut erase = command::hence(at, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    erase.env("LD_PRELOAD", library).env("FAIL_UNDER", at.join(".hence")).env("FAIL_CALL", "any");
    let status = erase.env("FAIL_KILL", "1").env("FAIL_NTH", nth.to_string()).output().unwrap().status;
    assert!(status.code().is_none_or(|code| code == 0), "{nth}: {status}");
    status.code().is_none()
}

#[test]
fn an_erase_that_is_killed_before_any_call_has_happened_or_has_not() {
    let project = project();
    let at = project.path();
    let Some(library) = failing(at) else { return };
    let (store, before) = (at.join(".hence"), at.join("before"));
    copy(&store, &before);
    let step = slow::size(13, 1);
    let (mut done, mut undone) = (0, 0);
    for nth in (1..).step_by(step) {
        fs::remove_dir_all(&store).unwrap();
        copy(&before, &store);
        if !killed(at, &library, nth) {
            break;
        }
        let log = said(at, 0, &["log", "--facts-too"]);
        let erased = log.contains("from erase");
        assert_eq!(log.contains("Alice Liddell"), !erased, "{nth}: {log}");
        let verified = said(at, 0, &["verify"]);
        assert_eq!(
            verified.contains("rests on personal values that were erased"),
            erased,
            "{nth}: {verified}"
        );
        // Whoever writes next ends what was begun.
        said(at, i32::from(erased), &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
        let keys = fs::read_to_string(store.join("personal.keys")).unwrap();
        assert!(keys.contains("\"u2\"") && holding(&store, "\"u1\"").is_empty(), "{nth}: {keys}");
        nowhere(at, "killed");
        assert!(said(at, 0, &["facts", "person", "--format", "jsonl"]).contains("Bob"));
        *if erased { &mut done } else { &mut undone } += 1;
    }
    assert!(done > 0 && undone > 0, "{done} happened, {undone} did not");
}

#[test]
fn an_erase_on_a_full_disk_has_happened_or_says_why_not() {
    let project = project();
    let at = project.path().join("disk");
    let Some(disk) = SmallDisk::mounted(&at, "32m") else { return };
    for name in ["rules.dl", "hence.toml"] {
        fs::copy(project.path().join(name), at.join(name)).unwrap();
    }
    copy(&project.path().join(".hence"), &at.join(".hence"));
    disk.fill();
    let Ran(status, out, err) = run(&at, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"], &[], "");
    assert!(status == 0 || status == 2 && err.contains("error: "), "{status}: {out}{err}");
    disk.free();
    let log = said(&at, 0, &["log", "--facts-too"]);
    let erased = log.contains("from erase");
    assert_eq!(log.contains("Alice Liddell"), !erased, "{log}");
    assert!(erased || status == 2, "{out}{err}");
    said(&at, i32::from(erased), &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
    said(&at, 0, &["verify"]);
    let keys = fs::read_to_string(at.join(".hence/personal.keys")).unwrap();
    assert!(keys.contains("\"u2\"") && holding(&at.join(".hence"), "\"u1\"").is_empty(), "{keys}");
    drop(disk);
}

#[test]
fn personal_values_are_salvaged_as_they_are_recorded_and_can_be_erased_there() {
    let project = project();
    let at = project.path();
    said(at, 0, &["erase", "u2", "--now", "2026-02-03T14:00:00Z"]);
    fs::remove_dir_all(at.join(".hence/journal")).unwrap();
    said(at, 0, &["rebuild", "--from-base", "--as", "ops"]);
    nowhere(at, "salvaged");
    let facts = said(at, 0, &["facts", "person", "--format", "jsonl"]);
    assert!(
        facts.contains("\"Alice Liddell\", \"alice@wonder.example\"") && !facts.contains("Bob"),
        "{facts}"
    );
    let same = said(at, 0, &["assert", "person(\"u1\", \"Alice Liddell\", \"alice@wonder.example\")"]);
    assert!(same.contains("already present"), "{same}");
    said(at, 0, &["verify"]);
    said(at, 0, &["erase", "u1"]);
    said(at, 0, &["verify"]);
    nowhere(at, "salvaged and erased");
    let keys = fs::read_to_string(at.join(".hence/personal.keys")).unwrap();
    assert!(!keys.contains("\"u1\"") && !keys.contains("\"u2\""), "{keys}");
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
fn no_log_and_no_temporary_file_holds_personal_values() {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let at = project.path();
    let temporary = at.join("tmp");
    fs::create_dir(&temporary).unwrap();
    let variables = [("HENCE_LOG", "trace"), ("TMPDIR", temporary.to_str().unwrap())];
    for args in [
        &["decide", "--quiet", "--facts", "facts.jsonl", "--now", "2026-02-03T12:00:00Z"][..],
        &["why", "inside(\"u1\")"],
        &["verify"],
        &["replay"],
        &["export", "--output", "export.jsonl"],
        &["backup", "copy"],
        &["compact"],
        &["erase", "u1", "--now", "2026-02-03T14:00:00Z"],
        &["rebuild"],
    ] {
        let Ran(status, _, err) = run(at, args, &variables, "");
        assert!(status == 0 && err.contains("TRACE") | err.contains("DEBUG"), "{args:?}: {status} {err}");
        for secret in SECRETS {
            assert!(!err.contains(secret), "{args:?}: {err}");
            assert_eq!(holding(&temporary, secret), Vec::<String>::new(), "{args:?}");
        }
    }
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
