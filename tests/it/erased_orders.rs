//! Erasure, salvage, archive and lost keys in every order: each ends as the book says, for the ledger and for what was
//! taken of it before.

use crate::slow;
use std::fs;
use std::path::Path;

use super::erasure::holding;
use super::folders::copy;
use super::settings::{Ran, folder, run};

const RULES: &str = "\
## People, and how they are reached.
input person(id: string, email: string @personal(id)).
## Write to them.
decision write(id: string, email: string @personal(id)).
@because(\"{Id} is reached at {Email}\")
write(Id, Email) :- person(Id, Email).
## Those of a domain.
decision inside(id: string).
@because(\"{Id} is inside\")
inside(Id) :- person(Id, Email), contains(Email, \"@wonder\").
";
const SETTINGS: &str = "rules = [\"rules.dl\"]\nauthor = \"ops\"\n";
const FACTS: &str = "\
{\"person\": [\"u1\", \"alice@wonder.example\"]}
{\"person\": [\"u2\", \"bob@wonder.example\"]}
";

fn done(at: &Path, args: &[&str]) -> (i32, String) {
    let config = at.join("config");
    let Ran(status, out, err) = run(at, args, &[("XDG_CONFIG_HOME", config.to_str().unwrap())], "");
    (status, format!("{out}{err}"))
}

/// The same of a command that ends with `status`.
fn said(at: &Path, status: i32, args: &[&str]) -> String {
    let (found, told) = done(at, args);
    assert_eq!(found, status, "{args:?}: {told}");
    told
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Erase,
    Salvage,
    Archive,
    LoseKeys,
    LoseArchive,
}

use Deed::{Archive, Erase, LoseArchive, LoseKeys, Salvage};

/// All orders of these.
fn orders(of: &[Deed]) -> Vec<Vec<Deed>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let begun = of.iter().enumerate().flat_map(|(at, first)| {
        let rest = [&of[..at], &of[at + 1..]].concat();
        orders(&rest).into_iter().map(move |order| [&[*first], order.as_slice()].concat())
    });
    begun.collect()
}

/// A ledger, and what was taken of it: a note that is signed, one that isn't, a receipt, a proof.
fn project(signed: bool) -> tempfile::TempDir {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let at = project.path();
    said(at, 0, &["decide", "--facts", "facts.jsonl", "--now", "2026-02-03T12:00:00Z"]);
    said(at, 0, &["assert", "person(\"u3\", \"cat@wonder.example\")"]);
    said(at, 0, &["decide", "--now", "2026-02-03T13:00:00Z"]);
    if signed {
        said(at, 0, &["principal", "add", "ops"]);
        fs::write(at.join("signed"), said(at, 0, &["head", "--sign"])).unwrap();
    }
    for (file, args) in [
        ("note", &["head"][..]),
        ("receipt.json", &["receipt", "1.3"]),
        ("proof.json", &["why", "1.1", "--format", "json"]),
        ("personal.json", &["why", "1.3", "--format", "json"]),
    ] {
        fs::write(at.join(file), said(at, 0, args)).unwrap();
    }
    let receipt = fs::read_to_string(at.join("receipt.json")).unwrap();
    assert!(!receipt.contains("alice"), "a receipt holds what is recorded: {receipt}");
    project
}

fn does(at: &Path, deed: Deed) {
    let store = at.join(".hence");
    match deed {
        Erase => {
            let (status, told) = done(at, &["erase", "u1", "--now", "2026-02-03T14:00:00Z"]);
            assert!(status == 0 || status == 1 && told.contains("no key here"), "{status}: {told}");
        }
        Salvage => {
            fs::remove_dir_all(store.join("journal")).unwrap();
            said(at, 0, &["rebuild", "--from-base", "--as", "ops"]);
        }
        Archive => drop(said(at, 0, &["compact"])),
        LoseKeys => fs::remove_file(store.join("personal.keys")).unwrap(),
        LoseArchive => {
            let _ = fs::remove_dir_all(store.join("archive"));
        }
    }
}

/// What the book says of the ledger after these.
fn check(at: &Path, order: &[Deed], signed: bool) {
    let place = |deed: Deed| order.iter().position(|one| *one == deed);
    let (lost, salvaged) = (place(LoseKeys), place(Salvage).is_some());
    let erased = place(Erase) < lost || lost.is_none();
    let verified = said(at, 0, &["verify"]);
    assert!(!verified.contains("error:") && !verified.contains("difference:"), "{order:?}: {verified}");
    said(at, 0, &["replay"]);
    // The chain goes on from a note, unless the ledger was salvaged, of which the base may lack something.
    for note in ["note", "signed"].into_iter().take(1 + usize::from(signed)) {
        let (status, told) = done(at, &["verify", "--no-replay", "--since", note]);
        assert!(status <= i32::from(salvaged), "{order:?} {note}: {status} {told}");
        let is_signed = told.contains("signed by ops");
        assert_eq!(is_signed, status == 0 && note == "signed", "{order:?} {note}: {told}");
    }
    // Whoever has the signed note and a later one knows that nothing between them was rewritten.
    if signed {
        fs::write(at.join("later"), said(at, 0, &["head", "--sign"])).unwrap();
        let (status, proof) = done(at, &["head", "prove", "--since", "signed"]);
        assert!(status == 0 || proof.contains(" is archived: "), "{order:?}: {status} {proof}");
        if status == 0 {
            fs::write(at.join("proof"), proof).unwrap();
            let key = said(at, 0, &["principal", "key", "ops"]);
            said(at, 0, &["head", "check", "signed", "later", "proof", "--key", key.trim()]);
        }
    }
    if lost.is_some() {
        let told = said(at, 1, &["erase", "u2"]);
        assert!(told.contains("put `personal.keys` back and erase again"), "{order:?}: {told}");
    }
    let facts = said(at, 0, &["facts", "person", "--format", "jsonl"]);
    assert_eq!(facts.contains("bob@wonder.example"), lost.is_none(), "{order:?}: {facts}");
    assert_eq!(facts.contains("\"u1\""), !erased, "{order:?}: {facts}");
    for args in [
        &["history", "person(\"u1\", \"alice@wonder.example\")"][..],
        &["history", "write(\"u1\", _)"],
        &["log", "--facts-too"],
        &["decisions", "--format", "csv"],
        &["why", "write(\"u1\", _)"],
        &["status"],
    ] {
        let (status, told) = done(at, args);
        assert!(status < 2 || told.contains(" is archived: "), "{order:?} {args:?}: {status} {told}");
        // The question itself may be told back.
        let told = told.replace("`person(\"u1\", \"alice@wonder.example\")`", "");
        assert!(!told.contains("alice@wonder.example"), "{order:?} {args:?}: {told}");
    }
    assert_eq!(holding(&at.join(".hence"), "alice@wonder.example"), Vec::<String>::new(), "{order:?}");
    said(at, 4, &["receipt", "check", "receipt.json"]);
    // What a proof that was kept says of an erased value, nothing confirms any more.
    for proof in ["proof.json", "personal.json"] {
        let (status, told) = done(at, &["check-proof", proof, "--store", ".hence"]);
        assert!(status != 0 || !erased && lost.is_none(), "{order:?} {proof}: {status} {told}");
    }
}

#[test]
fn every_order_ends_as_the_book_says() {
    let all = slow::size(9, 1);
    // A salvaged ledger has neither the signatures of its transactions nor those that named who signs.
    for (signed, deeds) in [
        (true, &[Erase, Archive, LoseKeys][..]),
        (false, &[Erase, Salvage, Archive, LoseKeys]),
        (false, &[Erase, Salvage, Archive, LoseArchive]),
    ] {
        let project = project(signed);
        let at = project.path();
        let fresh = at.join("fresh");
        copy(&at.join(".hence"), &fresh);
        for order in orders(deeds).into_iter().step_by(all) {
            fs::remove_dir_all(at.join(".hence")).unwrap();
            copy(&fresh, &at.join(".hence"));
            order.iter().for_each(|deed| does(at, *deed));
            check(at, &order, signed);
        }
    }
}

#[test]
fn decisions_lapse_though_what_changed_since_is_archived_elsewhere() {
    let project = project(false);
    let at = project.path();
    said(at, 0, &["assert", "person(\"u4\", \"dodo@wonder.example\")"]);
    said(at, 0, &["compact"]);
    fs::rename(at.join(".hence/archive"), at.join("elsewhere")).unwrap();
    said(at, 0, &["retract", "person(\"u2\", \"bob@wonder.example\")"]);
    let told = said(at, 0, &["decide", "--now", "2026-02-03T14:00:00Z"]);
    assert!(told.contains("what changed by transaction 4 is archived"), "{told}");
    said(at, 0, &["verify"]);
    fs::rename(at.join("elsewhere"), at.join(".hence/archive")).unwrap();
    assert!(said(at, 0, &["verify"]).contains("each as recorded"));
}
