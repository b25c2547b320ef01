//! What was recorded before sentences showed floats in at most six digits stays right: a ledger and a proof of then.

use std::path::{Path, PathBuf};

use hence::session::{Audit, Loader, check};
use hence_engine::{Limits, SemiNaive};
use hence_ledger::Ledger;
use hence_proof::check::{Known, check as check_proof};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exact-sentences").join(name)
}

#[test]
fn a_ledger_with_exact_sentences_is_as_recorded() {
    let export = std::fs::read_to_string(fixture("export.jsonl")).unwrap();
    assert!(export.contains("ruff scored 0.1234567891"));
    let mut ledger = Ledger::memory().unwrap();
    ledger.import(&mut export.as_bytes(), None).unwrap();
    let (engine, limits) = (&SemiNaive, Limits::default());
    let audit = Audit { ledger: &ledger, from: 1, to: 2, engine, limits, lenient: false };
    let audited = audit.run(&mut |_| {}, &mut |finding| panic!("{finding}")).unwrap();
    assert_eq!((audited.evaluated, audited.faults), (2, 0));
}

#[test]
fn a_proof_with_an_exact_sentence_is_accepted_and_no_other() {
    let mut loader = Loader::default();
    loader.path(&fixture("rules.dl")).unwrap();
    let rules = check(loader.finish(), &[]).rules.unwrap();
    let known = Known::default();
    let written = std::fs::read_to_string(fixture("proof.json")).unwrap();
    let accepted = |sentence: &str| {
        let proof = written.replace("ruff scored 0.1234567891", sentence);
        check_proof(&rules.program, &serde_json::from_str(&proof).unwrap(), &known).is_ok()
    };
    assert!(accepted("ruff scored 0.1234567891"));
    assert!(accepted("ruff scored 0.123457"));
    assert!(!accepted("ruff scored 0.12346"));
    assert!(!accepted("ruff scored 0.123456"));
}
