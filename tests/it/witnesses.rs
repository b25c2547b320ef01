//! Witnesses: the tree over a ledger, notes of it, and receipts; what is forged or rewritten is told.

use std::fs;
use std::path::Path;

use hence_ledger::merkle::{Node, Tree, includes, is_consistent, leaf};
use hence_ledger::{Checkpoint, Hash, Note, Receipt, SecretKey};
use serde_json::Value as Json;

use super::settings::{Ran, folder, run};

/// The leaves that implementations of RFC 6962 test with, and the roots over the first none to eight of them.
const LEAVES: [&[u8]; 8] = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
];
const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

fn tree(size: u64, salt: u64) -> (Tree, Vec<Node>) {
    let leaves: Vec<Node> =
        (0..size).map(|at| leaf(&[at.to_le_bytes(), salt.to_le_bytes()].concat())).collect();
    (Tree::new(leaves.clone()), leaves)
}

/// A path with something wrong, in every way.
fn forged(path: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for at in 0..path.len() {
        let mut bent = path.to_vec();
        bent[at][at % 32] ^= 1;
        let mut short = path.to_vec();
        short.remove(at);
        let mut long = path.to_vec();
        long.insert(at, path[at]);
        all.extend([bent, short, long]);
        if at > 0 {
            let mut swapped = path.to_vec();
            swapped.swap(at - 1, at);
            all.push(swapped);
        }
    }
    all.push([path, &[[7; 32]]].concat());
    all
}

#[test]
fn roots_are_those_of_rfc_6962() {
    let tree = Tree::new(LEAVES.iter().map(|data| leaf(data)).collect());
    for (size, root) in ROOTS.iter().enumerate() {
        let found: String =
            tree.root(size as u64).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, *root);
    }
    assert_eq!(tree.root(9), None);
}

#[test]
fn what_is_in_a_tree_is_proved_and_nothing_else() {
    for size in (0..34).chain([63, 64, 65, 1000]) {
        let (tree, leaves) = tree(size, 1);
        let root = tree.root(size).unwrap();
        assert_eq!(tree.inclusion(size, size), None);
        let indexes = (0..size).step_by(if size > 100 { 37 } else { 1 });
        for index in indexes {
            let (own, path) = (leaves[index as usize], tree.inclusion(index, size).unwrap());
            assert!(includes(own, index, size, &path, &root));
            assert!(!includes(leaf(b"other"), index, size, &path, &root));
            assert!(!includes(own, index, size, &path, &leaf(b"other")));
            assert!(!includes(own, index, 0, &path, &root));
            for other in (0..size + 2).filter(|other| *other != index) {
                assert!(!includes(own, other, size, &path, &root), "{index} as {other} of {size}");
            }
            for path in forged(&path) {
                assert!(!includes(own, index, size, &path, &root), "{index} of {size}");
            }
        }
    }
}

#[test]
fn a_tree_that_goes_on_is_proved_and_a_rewritten_one_is_not() {
    for new in 1..30 {
        let (tree, mut leaves) = tree(new, 1);
        let root = tree.root(new).unwrap();
        for old in 1..=new {
            let (before, path) = (tree.root(old).unwrap(), tree.consistency(old, new).unwrap());
            assert!(is_consistent((old, &before), (new, &root), &path));
            assert!(!is_consistent((old, &leaf(b"x")), (new, &root), &path));
            assert!(!is_consistent((old, &before), (new, &leaf(b"x")), &path));
            assert!(!is_consistent((new + 1, &before), (new, &root), &path));
            for path in forged(&path) {
                assert!(!is_consistent((old, &before), (new, &root), &path), "{old} to {new}");
            }
            // The one leaf that was rewritten, wherever it is, and the best proof that the new tree has.
            for at in 0..old as usize {
                let own = std::mem::replace(&mut leaves[at], leaf(b"rewritten"));
                let other = Tree::new(leaves.clone());
                leaves[at] = own;
                let (path, root) = (other.consistency(old, new).unwrap(), other.root(new).unwrap());
                assert!(!is_consistent((old, &before), (new, &root), &path), "{at} of {old} to {new}");
            }
        }
    }
}

#[test]
fn a_note_has_one_text_and_no_changed_one_is_signed() {
    let key = SecretKey::new([7; 32]);
    let checkpoint = Checkpoint { first: Hash([1; 32]), size: 12, root: leaf(b"a"), head: Hash([2; 32]) };
    let note = checkpoint.clone().signed(&key);
    let text = note.text();
    assert_eq!(Note::parse(&text), Ok(note.clone()));
    assert!(note.is_by(key.public()) && !note.is_by(SecretKey::new([8; 32]).public()));
    assert!(!checkpoint.unsigned().is_by(key.public()));
    let chars: Vec<char> = text.chars().collect();
    for at in 0..chars.len() {
        for other in ['0', '1', 'a', 'B', '=', '\n', ' '] {
            let mut changed = chars.clone();
            changed[at] = other;
            let changed: String = changed.into_iter().collect();
            let is_by = Note::parse(&changed).is_ok_and(|note| note.is_by(key.public()));
            assert!(changed == text || !is_by, "{changed}");
        }
        let cut: String = chars[..at].iter().collect();
        assert!(!Note::parse(&cut).is_ok_and(|note| note.is_by(key.public())), "{cut}");
    }
}

const RULES: &str =
    "input n(x: int).\ndecision big(x: int).\n@because(\"{X} is above 1\")\nbig(X) :- n(X), X > 1.\n";

/// What a command in a project says; its principals have their keys there.
fn said(at: &Path, status: i32, args: &[&str]) -> String {
    let config = at.join("config");
    let Ran(found, out, err) = run(at, args, &[("XDG_CONFIG_HOME", config.to_str().unwrap())], "");
    assert_eq!(found, status, "{args:?}: {out}{err}");
    format!("{out}{err}")
}

/// A ledger whose third transaction is made by `last`, and a note of it in the file `note`, signed by ada.
fn project(last: &str) -> tempfile::TempDir {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", "rules = [\"rules.dl\"]\n")]);
    let at = project.path();
    said(at, 0, &["principal", "add", "ada"]);
    said(at, 0, &["assert", "n(1)", "n(2)", "n(3)", "--as", "ada"]);
    said(at, 0, &["assert", last, "--as", "ada"]);
    said(at, 0, &["decide", "--as", "ada", "--now", "2026-02-03T12:00:00Z"]);
    fs::write(at.join("note"), said(at, 0, &["head", "--sign", "--as", "ada"])).unwrap();
    project
}

fn key_of(at: &Path) -> String {
    said(at, 0, &["principal", "key", "ada"]).trim().to_owned()
}

fn copied(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copied(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn two_notes_of_a_ledger_that_goes_on_are_proved_and_those_of_a_rewritten_one_are_told() {
    let project = project("n(4)");
    let (at, key) = (project.path(), key_of(project.path()));
    let fork = crate::memory::folder();
    copied(at, fork.path());
    // The rewritten ledger has the first two transactions, and others after them.
    let export = said(at, 0, &["export", "--quiet"]);
    fs::remove_dir_all(fork.path().join(".hence")).unwrap();
    let lines: Vec<&str> = export.lines().filter(|line| line.starts_with('{')).take(2).collect();
    let last = lines[1].trim_end_matches('}');
    fs::write(fork.path().join("export.jsonl"), format!("{}\n{last},\"last\":true}}\n", lines[0])).unwrap();
    said(fork.path(), 0, &["import", "export.jsonl"]);
    for fact in ["n(5)", "n(6)", "n(7)"] {
        said(fork.path(), 0, &["assert", fact, "--as", "ada"]);
    }
    said(at, 0, &["assert", "n(9)", "--as", "ada"]);
    for (at, status) in [(at, 0), (fork.path(), 1)] {
        fs::write(at.join("later"), said(at, 0, &["head", "--sign", "--as", "ada"])).unwrap();
        fs::write(at.join("proof"), said(at, 0, &["head", "prove", "--since", "note"])).unwrap();
        said(at, status, &["head", "check", "note", "later", "proof", "--key", &key]);
        let told = said(at, status, &["verify", "--since", "note", "--no-replay"]);
        assert_eq!(
            told.contains("the ledger goes on from the note of 4 transactions; signed by ada"),
            status == 0
        );
        assert_eq!(told.contains("the ledger was rewritten"), status == 1, "{told}");
    }
    let on_trust = said(at, 4, &["head", "check", "note", "later", "proof"]);
    assert!(on_trust.contains("on trust: who wrote them"));
    let other = SecretKey::new([9; 32]).public().to_string();
    said(at, 1, &["head", "check", "note", "later", "proof", "--key", &other]);
    said(at, 1, &["head", "check", "later", "note", "proof", "--key", &key]);
    let short = said(at, 1, &["verify", "--since", "later", "--no-replay", "--up-to", "4"]);
    assert!(short.contains("it was truncated"), "{short}");
}

#[test]
fn a_receipt_holds_without_the_ledger_and_no_changed_one_does() {
    let project = project("n(4)");
    let (at, key) = (project.path(), key_of(project.path()));
    let text = said(at, 0, &["receipt", "4.2", "--sign", "--as", "ada"]);
    let elsewhere =
        folder(&[("receipt.json", &text), ("note", &fs::read_to_string(at.join("note")).unwrap())]);
    let check = |status, more: &[&str]| {
        said(elsewhere.path(), status, &[&["receipt", "check", "receipt.json"], more].concat())
    };
    let told = check(0, &["--key", &key]);
    assert!(told.starts_with("decision 4.2 big(3)\n    because 3 is above 1\n"), "{told}");
    assert!(check(0, &["--note", "note"]).contains("one of 4 transactions"));
    assert!(check(4, &[]).contains("on trust: the note"));
    check(1, &["--key", &SecretKey::new([9; 32]).public().to_string()]);

    let json: Json = serde_json::from_str(&text).unwrap();
    let (receipt, _) = Receipt::read(&json).unwrap();
    let received = receipt.check().unwrap();
    let public = hence_ledger::PublicKey::parse(&key).unwrap();
    let mut tried = 0;
    let mut refused = |changed: Receipt| {
        tried += 1;
        let holds = changed.check().is_ok() && changed.note.is_by(public);
        assert!(!holds, "{changed:?}");
    };
    for at in 0..receipt.records[0].len() {
        let mut changed = receipt.clone();
        changed.records[0][at] ^= 1 << (at % 8);
        refused(changed);
    }
    for path in forged(&receipt.path) {
        refused(Receipt { path, ..receipt.clone() });
    }
    for tx in [0, 1, 2, 3, 5, u64::MAX] {
        refused(Receipt { tx, ..receipt.clone() });
    }
    refused(Receipt { records: Vec::new(), ..receipt.clone() });
    refused(Receipt {
        records: [receipt.records.clone(), receipt.records.clone()].concat(),
        ..receipt.clone()
    });
    let mut noted = |change: &dyn Fn(&mut Checkpoint)| {
        let mut note = receipt.note.clone();
        change(&mut note.checkpoint);
        refused(Receipt { note, ..receipt.clone() });
    };
    for size in [0, 3, 5, 100] {
        noted(&|checkpoint| checkpoint.size = size);
    }
    noted(&|checkpoint| checkpoint.root = leaf(b"x"));
    noted(&|checkpoint| checkpoint.head = Hash([3; 32]));
    noted(&|checkpoint| checkpoint.first = Hash([3; 32]));
    assert!(tried > 200, "{tried}");
    assert_eq!(received.drawn.len(), 3);
    said(at, 2, &["receipt", "4.9"]);
    said(at, 2, &["receipt", "9.1"]);
}

#[test]
fn a_receipt_of_another_ledger_is_not_under_this_ones_note() {
    let (here, there) = (project("n(4)"), project("n(5)"));
    let text = said(there.path(), 0, &["receipt", "4.1"]);
    fs::write(here.path().join("receipt.json"), text).unwrap();
    said(here.path(), 1, &["receipt", "check", "receipt.json", "--note", "note"]);
    let key = key_of(here.path());
    said(here.path(), 1, &["receipt", "check", "receipt.json", "--key", &key]);
}

#[test]
fn a_decision_of_an_archived_transaction_has_the_receipt_that_it_had() {
    let project = project("n(4)");
    let (at, key) = (project.path(), key_of(project.path()));
    let before = said(at, 0, &["receipt", "4.2", "--note", "note"]);
    said(at, 0, &["compact", "--as", "ada"]);
    assert_eq!(said(at, 0, &["receipt", "4.2", "--note", "note"]), before);
    fs::write(at.join("receipt.json"), said(at, 0, &["receipt", "4.2", "--sign", "--as", "ada"])).unwrap();
    let told = said(at, 0, &["receipt", "check", "receipt.json", "--key", &key]);
    assert!(told.contains("one of 5 transactions"), "{told}");

    fs::rename(at.join(".hence/archive"), at.join("kept")).unwrap();
    let told = said(at, 2, &["receipt", "4.2", "--note", "note"]);
    assert!(told.contains("archive") && !told.contains("damaged"), "{told}");
    said(at, 0, &["receipt", "check", "receipt.json", "--key", &key]);
    fs::rename(at.join("kept"), at.join(".hence/archive")).unwrap();
    assert_eq!(said(at, 0, &["receipt", "4.2", "--note", "note"]), before);
}
