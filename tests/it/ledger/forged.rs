//! Forged records with proper hashes: what no commit would have written, `verify` names and an import refuses.

use std::fs;
use std::path::{Path, PathBuf};

use hence::session::{CommitRequest, Loader, Session, check};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Limits;
use hence_ledger::{Draft, Ledger, LedgerError, OpenOptions};

use crate::memory;

const RULES: &str = "input reading(sensor: string, value: int).\n\
                     decision alarm(sensor: string). alarm(S) :- reading(S, V), V > 50.";

/// A ledger with a fact, a decision, a schema and a run.
fn honest(dir: &Path) -> PathBuf {
    let mut loader = Loader::default();
    loader.text("m.dl", RULES);
    let rules = *check(loader.finish(), &[]).rules.unwrap();
    let ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
    let mut session = Session::over_ledger(rules, ledger).with_limits(Limits::default());
    let fact = Fact::new("reading", [Value::String(Symbol::new("attic")), Value::Int(60)]);
    session.commit(CommitRequest { assertions: vec![fact], ..CommitRequest::default() }, false).unwrap();
    drop(session.into_ledger());
    dir.join("journal/00000001.journal")
}

/// The one record of a journal with `old` in its content replaced by `new`, and proper hashes.
fn rewritten(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let (head, record) = bytes.split_at(60);
    let content = &record[56..record.len() - 8];
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
    [head, &out].concat()
}

/// What an import takes and `verify` finds.
const OF_NOTHING: &str = "that relation was never recorded";

/// What is forged, what stands there, what is put in its place, and what must be said of it.
const FORGERIES: [(&[u8], &[u8], &str); 6] = [
    (b"\x07reading\x00", b"\x07reading\x01", "it restarts a relation that was never recorded"),
    (b"\x07reading\x00", b"\x07heading\x00", OF_NOTHING),
    (b"\x05value\x03int", b"\x05value\x06string", "doesn't match the recorded columns"),
    (b"\x05value\x03int", b"\x06sensor\x03int", "duplicate column"),
    // Ten million rounds, and no more than none.
    (b"\x80\xad\xe2\x04", b"\x00", "a limit of 0 on rounds"),
    (b"\x08embedded", b"\x00", "a run without an engine"),
];

#[test]
fn schemas_and_limits_that_nobody_recorded_are_found_and_refused() {
    for (old, new, said) in FORGERIES {
        let dir = memory::folder();
        let path = honest(dir.path());
        let bytes = fs::read(&path).unwrap();
        assert_eq!(rewritten(&bytes, b"attic", b"attic"), bytes, "an honest record is written as it was");
        fs::write(&path, rewritten(&bytes, old, new)).unwrap();
        fs::remove_dir_all(dir.path().join("base")).unwrap();
        fs::remove_file(dir.path().join("LOCK")).unwrap();
        let forged = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
        let differences = forged.verify().unwrap().differences;
        assert!(differences.iter().any(|told| told.contains(said)), "{said}: {differences:?}");
        let mut text = Vec::new();
        forged.export(1..=1, &mut text).unwrap();
        let mut copy = Ledger::memory().unwrap();
        if said == OF_NOTHING {
            copy.import(&mut text.as_slice(), None).unwrap();
            let differences = copy.verify().unwrap().differences;
            assert!(differences.iter().any(|told| told.contains(said)), "{differences:?}");
            continue;
        }
        let refused = copy.import(&mut text.as_slice(), None).unwrap_err();
        assert!(matches!(refused, LedgerError::Import { .. }), "{refused}");
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[test]
fn a_commit_takes_no_such_schema_or_run() {
    let dir = memory::folder();
    honest(dir.path());
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
    let info = ledger.info(1).unwrap();
    let mut run = info.run.unwrap();
    run.limits.time = Some(0);
    let draft =
        Draft { rules: ledger.rules(info.rules.unwrap()).unwrap(), run: Some(run), ..Draft::default() };
    assert!(ledger.remark(&draft).unwrap_err().to_string().contains("a limit of 0 on time"));
    let mut schema = info.schemas[0].clone();
    schema.relation = Symbol::new("heading");
    let draft = Draft { schemas: vec![schema], ..Draft::default() };
    assert!(ledger.remark(&draft).unwrap_err().to_string().contains("never recorded"));
}
