//! Principals: what is signed holds, and what isn't is found and is not there for the rules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hence::session::{CommitRequest, Loader, Roles, RuleSet, Session, SessionError, check};
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::{
    ADMIN, Draft, Keyring, Ledger, LedgerError, OpenOptions, REVOKED, SecretKey, When, principal,
};

const RULES: &str = "input review(id: string, ok: bool, by: string) from reviewer as by.\n\
                     input open(id: string).\n\
                     decision go(id: string) requires review(id: id, ok: true).\n\
                     go(I) :- open(I), review(I, true, _).\n";

fn rules() -> RuleSet {
    let mut loader = Loader::default();
    loader.text("p.dl", RULES);
    *check(loader.finish(), &[]).rules.unwrap()
}

fn key(name: &str) -> SecretKey {
    let mut seed = [7; 32];
    seed.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    SecretKey::new(seed)
}

fn options(names: &[&str]) -> OpenOptions {
    let keys = names.iter().map(|name| (name.to_string(), key(name)));
    OpenOptions { keys: Some(Arc::new(Keyring(keys.collect()))), ..OpenOptions::default() }
}

fn open(dir: &Path, names: &[&str]) -> Ledger {
    Ledger::open(dir, &options(names)).unwrap()
}

fn by(author: &str, assertions: Vec<Fact>) -> Draft {
    Draft { author: author.into(), assertions, ..Draft::default() }
}

fn review(id: &str, by: &str) -> Fact {
    Fact::new("review", [Value::String(id.into()), Value::Bool(true), Value::String(by.into())])
}

fn request(id: &str) -> Fact {
    Fact::new("open", [Value::String(id.into())])
}

fn named(name: &str, role: &str) -> Fact {
    principal(name, role, key(name).public())
}

/// A ledger with the administrator ada, the reviewer grace, and a request `r` that grace approved, in its last
/// transaction.
fn signed(dir: &Path) {
    let mut ledger = open(dir, &["ada", "grace"]);
    ledger.commit(&by("ada", vec![named("ada", ADMIN)])).unwrap();
    ledger.commit(&by("ada", vec![named("grace", "reviewer")])).unwrap();
    let mut session = Session::over_ledger(rules(), ledger);
    let change = |author: &str, fact| CommitRequest {
        author: author.into(),
        assertions: vec![fact],
        ..CommitRequest::default()
    };
    session.commit(change("agent", request("r")), false).unwrap();
    let outcome = session.commit(change("grace", review("r", "grace")), false).unwrap();
    assert_eq!(outcome.drawn.len(), 1);
    session.close();
}

/// What the rules decide, and what `verify` finds.
fn asked(dir: &Path) -> (Vec<Fact>, Vec<String>) {
    let ledger = Ledger::open_to_ask(dir, &OpenOptions::default()).unwrap();
    let mut found = ledger.verify().unwrap().differences;
    let untrusted = Session::untrusted(&rules(), &ledger).unwrap();
    found.extend(untrusted.into_iter().map(|untrusted| untrusted.why));
    let session = Session::over_ledger(rules(), ledger);
    let derived = session.derive(&[String::from("go")], 0).unwrap();
    (derived.relations.into_iter().flat_map(|(_, _, facts)| facts).collect(), found)
}

#[test]
fn what_is_signed_holds_and_is_said_to_be() {
    let dir = crate::memory::folder();
    signed(dir.path());
    let (decided, found) = asked(dir.path());
    assert_eq!((decided.len(), found), (1, Vec::new()));
    let ledger = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    let strength: Vec<_> = (1..=4).map(|tx| ledger.is_signed(tx).unwrap()).collect();
    assert_eq!(strength, [Ok(true), Ok(true), Ok(false), Ok(true)]);
    let because = Session::over_ledger(rules(), ledger).why("go(\"r\")", 0, None).unwrap();
    let text = hence_proof::render::json(&because.proofs[0]).to_string();
    assert!(text.contains(r#""author":"grace","strength":"signed""#), "{text}");
    assert!(text.contains(r#""author":"agent","strength":"claimed""#), "{text}");
}

#[test]
fn nobody_acts_for_a_principal_without_the_key() {
    let dir = crate::memory::folder();
    signed(dir.path());
    let refused =
        |names: &[&str], draft: Draft| open(dir.path(), names).commit(&draft).unwrap_err().to_string();
    let said = refused(&[], by("grace", vec![request("q")]));
    assert!(said.contains("there is no key of `grace` here"), "{said}");
    let said = refused(&["ada"], by("ada", vec![principal("ada", "reviewer", key("eve").public())]));
    assert!(said.contains("`ada` has another key"), "{said}");
    let said = refused(&["grace"], by("grace", vec![named("eve", "reviewer")]));
    assert!(said.contains("without the role `admin`"), "{said}");
    let said = refused(&["eve"], by("eve", vec![named("eve", ADMIN)]));
    assert!(said.contains("`eve` is not a principal"), "{said}");
    let other = OpenOptions {
        keys: Some(Arc::new(Keyring(BTreeMap::from([(String::from("grace"), key("eve"))])))),
        ..OpenOptions::default()
    };
    let said =
        Ledger::open(dir.path(), &other).unwrap().commit(&by("grace", vec![request("q")])).unwrap_err();
    assert!(said.to_string().contains("is not the one in the ledger"), "{said}");
    let draft =
        Draft { author: "ada".into(), retractions: vec![named("grace", "reviewer")], ..Draft::default() };
    let said = refused(&["ada"], draft);
    assert!(said.contains("it retracts a principal"), "{said}");
    // `[roles]` says nothing here.
    let roles = Roles::new(BTreeMap::from([(String::from("reviewer"), vec![String::from("eve")])]));
    let mut session = Session::over_ledger(rules(), open(dir.path(), &["eve"])).with_roles(roles);
    let change = CommitRequest {
        author: "eve".into(),
        assertions: vec![review("q", "eve")],
        ..CommitRequest::default()
    };
    let said = session.commit(change, false).unwrap_err();
    assert!(
        matches!(&said, SessionError::NotAllowed { message } if message.contains("`grace` has it")),
        "{said}"
    );
}

#[test]
fn a_fact_that_nobody_signed_is_found_and_not_there() {
    let dir = crate::memory::folder();
    signed(dir.path());
    // The ledger itself knows no rules: it records what an author who is no principal says.
    open(dir.path(), &[]).commit(&by("mallory", vec![request("q"), review("q", "grace")])).unwrap();
    let (decided, found) = asked(dir.path());
    assert_eq!(decided.len(), 1);
    assert_eq!(found, ["transaction 5 of `mallory` is not signed"]);
    // Taking it back changes nothing that was there.
    let mut session = Session::over_ledger(rules(), open(dir.path(), &["grace"]));
    let outcome =
        session.commit(CommitRequest { author: "grace".into(), ..CommitRequest::default() }, false).unwrap();
    assert_eq!(outcome.standing_count(), 1);
    let retractions = vec![review("q", "grace")];
    let change = CommitRequest { author: "grace".into(), retractions, ..CommitRequest::default() };
    let outcome = session.commit(change, false).unwrap();
    assert_eq!((outcome.changes.removed.len(), outcome.standing_count(), outcome.lapsed.len()), (1, 1, 0));
    drop(session);
    assert_eq!(asked(dir.path()).1, Vec::<String>::new());
}

/// The last record of a journal with `old` in its content replaced by `new`, and proper hashes.
fn forge(dir: &Path, old: &[u8], new: &[u8]) {
    let path = dir.join("journal/00000001.journal");
    let bytes = fs::read(&path).unwrap();
    let length = |at: usize| u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize + 64;
    let mut last = 60;
    while bytes.get(last + length(last)..).is_some_and(|rest| rest.starts_with(b"hrec")) {
        last += length(last);
    }
    let (before, record) = bytes.split_at(last);
    let content = &record[56..length(last) - 8];
    let at = content.windows(old.len()).position(|window| window == old).expect("it is there");
    let content = [&content[..at], new, &content[at + old.len()..]].concat();
    let mut out = record[..8].to_vec();
    out.extend((content.len() as u32).to_le_bytes());
    out.extend(&record[12..20]);
    let check = blake3::hash(&out);
    out.extend(&check.as_bytes()[..4]);
    out.extend(&record[24..56]);
    out.extend(content);
    let check = blake3::hash(&out);
    out.extend(&check.as_bytes()[..8]);
    fs::write(&path, [before, &out].concat()).unwrap();
    fs::remove_dir_all(dir.join("base")).unwrap();
    fs::remove_file(dir.join("LOCK")).unwrap();
}

#[test]
fn who_writes_files_forges_no_review() {
    let signature = |dir: &Path| {
        let ledger = Ledger::open_to_ask(dir, &OpenOptions::default()).unwrap();
        ledger.info(4).unwrap().signature.unwrap().0
    };
    type Forge<'a> = &'a dyn Fn(&Path);
    let forgeries: [(Forge<'_>, &str); 4] = [
        (&|dir| forge(dir, b"\x05grace", b"\x03ada"), "the signature of `ada` is wrong"),
        (&|dir| forge(dir, b"\x05grace", b"\x03eve"), "`eve` signs and is not a principal"),
        (
            &|dir| {
                let honest = signature(dir);
                let mut other = honest;
                other[3] ^= 1;
                forge(dir, &honest, &other);
            },
            "the signature of `grace` is wrong",
        ),
        (
            &|dir| {
                let honest = signature(dir);
                forge(dir, &[&[1][..], &honest].concat(), &[0]);
            },
            "the signature of `grace` is missing",
        ),
    ];
    for (forge, said) in forgeries {
        let dir = crate::memory::folder();
        signed(dir.path());
        let mut export = Vec::new();
        forge(dir.path());
        let ledger = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
        ledger.export(1..=u64::MAX, &mut export).unwrap();
        drop(ledger);
        let (decided, found) = asked(dir.path());
        assert_eq!(decided, Vec::new(), "{said}");
        assert!(found.iter().any(|told| told == &format!("transaction 4: {said}")), "{said}: {found:?}");
        // An import takes the honest transactions and stops there.
        let mut copy = Ledger::memory().unwrap();
        let refused = copy.import(&mut export.as_slice(), None).unwrap_err();
        assert!(matches!(refused, LedgerError::Import { line: 4, .. }), "{refused}");
        // Nothing is recorded in the form that the last one has: an import writes it otherwise, and finds another hash.
        let said = if said.contains("missing") { "but the file says" } else { said };
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[test]
fn a_revoked_key_signs_no_more_and_what_it_signed_stays() {
    let dir = crate::memory::folder();
    signed(dir.path());
    let mut ledger = open(dir.path(), &["ada", "grace"]);
    ledger.commit(&by("ada", vec![named("grace", REVOKED)])).unwrap();
    let said = ledger.commit(&by("grace", vec![request("q")])).unwrap_err().to_string();
    assert_eq!(said, "the key of `grace` was revoked in transaction 5");
    let said = ledger.commit(&by("ada", vec![named("grace", "observer")])).unwrap_err().to_string();
    assert!(said.contains("that key of `grace` was revoked"), "{said}");
    drop(ledger);
    let (decided, found) = asked(dir.path());
    assert_eq!((decided.len(), found), (1, Vec::new()));
}

#[test]
fn signatures_survive_export_compaction_and_backup() {
    let dir = crate::memory::folder();
    signed(dir.path());
    let mut ledger = open(dir.path(), &["ada"]);
    let mut export = Vec::new();
    ledger.export(1..=u64::MAX, &mut export).unwrap();
    let mut copy = Ledger::memory().unwrap();
    copy.import(&mut export.as_slice(), None).unwrap();
    assert_eq!(copy.head(), ledger.head());
    assert_eq!(copy.is_signed(4).unwrap(), Ok(true));
    ledger.compact(1, "ada").unwrap();
    assert_eq!(ledger.is_signed(5).unwrap(), Ok(true));
    drop(ledger.close());
    assert_eq!(asked(dir.path()).0.len(), 1);
    let target = crate::memory::folder();
    Ledger::backup(dir.path(), target.path(), &OpenOptions::default()).unwrap();
    let (decided, found) = asked(target.path());
    assert_eq!((decided.len(), found), (1, Vec::new()));
}

#[test]
fn what_was_claimed_before_the_first_principal_is_there_until_then() {
    let dir = crate::memory::folder();
    let mut ledger = open(dir.path(), &["ada"]);
    ledger.commit(&by("eve", vec![request("r"), review("r", "eve")])).unwrap();
    assert_eq!(asked(dir.path()).0.len(), 1);
    ledger.commit(&by("ada", vec![named("ada", ADMIN)])).unwrap();
    drop(ledger.close());
    let (decided, found) = asked(dir.path());
    assert_eq!(decided.len(), 0);
    assert_eq!(found, ["transaction 1 of `eve` is not signed"]);
    let ledger = open(dir.path(), &[]);
    let session = Session::over_ledger(rules(), ledger).with_as_of(When::Tx(1));
    assert_eq!(session.derive(&[String::from("go")], 0).unwrap().relations[0].2.len(), 1);
}

#[test]
fn a_signature_holds_at_its_place_alone() {
    let dir = crate::memory::folder();
    signed(dir.path());
    let mut ledger = open(dir.path(), &["grace"]);
    let taken_back =
        Draft { author: "grace".into(), retractions: vec![review("r", "grace")], ..Draft::default() };
    ledger.commit(&taken_back).unwrap();
    ledger.commit(&by("grace", vec![review("r", "grace")])).unwrap();
    let signature = |tx| ledger.info(tx).unwrap().signature.unwrap().0;
    let (first, last) = (signature(4), signature(6));
    drop(ledger.close());
    assert_eq!(asked(dir.path()).0.len(), 1);
    // What grace signed once is repeated after she took it back.
    forge(dir.path(), &last, &first);
    let (decided, found) = asked(dir.path());
    assert_eq!(decided, Vec::new());
    assert!(found.iter().any(|told| told == "transaction 6: the signature of `grace` is wrong"), "{found:?}");
}
