//! Export and import: the same facts, the same past, the same chain; and a ledger of the first version, kept.

use std::path::Path;
use std::sync::Arc;

use hence::fact::Fact;
use hence::ledger::{
    Decision, Draft, Lapsed, Ledger, LedgerError, OpenOptions, RuleSet, Run, RunLimits, Schema,
};
use hence::schema::{Column, ColumnType, NameSet};
use hence::symbol::Symbol;
use hence::value::{Float, Type, Value};

use super::script;
use super::support::{draft, small};

fn every_type() -> Fact {
    let text = Symbol::new("a \"quoted\" line\n\u{1f600}\0");
    let values = vec![
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Float(Float::new(0.1 + 0.2).unwrap()),
        Value::Float(Float::new(-1e300).unwrap()),
        Value::String(text),
        Value::Name(Symbol::new("/error/syntax")),
        Value::Time(i64::MAX),
        Value::Duration(-1),
    ];
    Fact::new("typed", values)
}

/// A history with every kind of change, value and label.
fn history(ledger: &mut Ledger) {
    for tx in 1..=20 {
        ledger.commit(&script::step(tx)).unwrap();
    }
    let fact = every_type();
    let full = Draft {
        note: Some("a note".into()),
        clock: Some(-5),
        rules: Some(RuleSet { files: vec![("a.dl".into(), "p(1).".into())], params: vec![] }),
        drawn: vec![Decision { fact: fact.clone(), rule: Some("r#1".into()), sentence: Some("so".into()) }],
        ..draft(30, vec![fact.clone(), fact.clone()], vec![])
    };
    ledger.commit(&full).unwrap();
    let low_or_high = NameSet { name: None, members: ["/low", "/high"].map(Symbol::new).to_vec() };
    let level = ColumnType { ty: Type::Name, set: Some(Arc::new(low_or_high)) };
    let columns = vec![Column::new("a", ColumnType::plain(Type::Int)), Column::new("b", level)];
    let limits = RunLimits { facts: 1, iterations: 2, time: Some(3), memory: None };
    let lapsing = Draft {
        time: 31,
        run: Some(Run { engine: "naive".into(), lenient: true, limits }),
        schemas: vec![Schema { relation: Symbol::new("typed"), columns, renews: true }],
        drawn: vec![],
        lapsed: vec![Lapsed { fact: fact.clone(), reason: Some("the rules no longer have it".into()) }],
        retractions: vec![fact],
        ..full
    };
    ledger.commit(&lapsing).unwrap();
    let last = ledger.transaction(ledger.last_tx()).unwrap();
    assert_eq!((&last.info.run, &last.info.schemas), (&lapsing.run, &lapsing.schemas));
    assert_eq!(last.lapsed[0].0, lapsing.lapsed[0]);
}

fn exported(ledger: &Ledger) -> String {
    let mut out = Vec::new();
    ledger.export(1..=u64::MAX, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn an_imported_ledger_has_the_same_chain_and_the_same_answers() {
    let dir = tempfile::tempdir().unwrap();
    let mut one = Ledger::open(dir.path(), &small()).unwrap();
    history(&mut one);
    let text = exported(&one);
    assert_eq!(text.lines().count() as u64, one.last_tx());
    let mut two = Ledger::memory().unwrap();
    assert_eq!(two.import(&mut text.as_bytes()).unwrap(), one.last_tx());
    assert_eq!(two.head(), one.head());
    for tx in 1..=one.last_tx() {
        assert_eq!(two.transaction(tx).unwrap(), one.transaction(tx).unwrap());
    }
    assert_eq!(two.relations(), one.relations());
    assert_eq!(exported(&two), text);
    assert_eq!(two.verify().unwrap().differences, Vec::<String>::new());
}

#[test]
fn a_changed_line_is_refused_where_it_stands_and_the_lines_before_it_are_kept() {
    let mut one = Ledger::memory().unwrap();
    history(&mut one);
    let text = exported(&one);
    let changes = [
        ("\"author\":\"ada\"", "\"author\":\"eve\""),
        ("text of 4", "text of five"),
        ("\"standing\":0", "\"standing\":1"),
        ("\"time\":4", "\"time\":5"),
        ("{\"assert\":[\"p\"", "{\"assert\":[\"q\""),
        ("\"tx\":4", "\"tx\":5"),
        ("{\"tx\"", "{\"what\":1,\"tx\""),
        ("{\"tx\"", "\"tx\""),
    ];
    for (from, to) in changes {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut changed = lines.clone();
        changed[3] = lines[3].replacen(from, to, 1);
        assert_ne!(changed[3], lines[3], "{from}");
        let mut two = Ledger::memory().unwrap();
        let refused = two.import(&mut changed.join("\n").as_bytes()).unwrap_err();
        assert!(matches!(refused, LedgerError::Import { line: 4, .. }), "{from}: {refused}");
        assert_eq!(two.last_tx(), 3);
        script::check(&two, 3);
    }
}

#[test]
fn an_import_continues_where_the_ledger_ends() {
    let mut one = Ledger::memory().unwrap();
    history(&mut one);
    let text = exported(&one);
    let mut two = Ledger::memory().unwrap();
    let (first, rest) = text.split_at(text.match_indices('\n').nth(6).unwrap().0 + 1);
    assert_eq!(two.import(&mut first.as_bytes()).unwrap(), 7);
    assert!(two.import(&mut first.as_bytes()).is_err());
    two.import(&mut rest.as_bytes()).unwrap();
    assert_eq!(two.head(), one.head());
}

/// Written once by version 1 with `UPDATE_FIXTURE=1`; never to be written again.
#[test]
fn a_ledger_of_version_1_opens_for_ever() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1");
    if std::env::var_os("UPDATE_FIXTURE").is_some() && !kept.exists() {
        let dir = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
        history(&mut ledger);
        std::fs::create_dir_all(kept.join("journal")).unwrap();
        std::fs::write(kept.join("export.jsonl"), exported(&ledger)).unwrap();
        drop(ledger);
        std::fs::copy(dir.path().join("FORMAT"), kept.join("FORMAT")).unwrap();
        for entry in std::fs::read_dir(dir.path().join("journal")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), kept.join("journal").join(entry.file_name())).unwrap();
        }
    }
    let reading = OpenOptions { read_only: true, ..OpenOptions::default() };
    let ledger = Ledger::open(&kept, &reading).unwrap();
    assert_eq!(exported(&ledger), std::fs::read_to_string(kept.join("export.jsonl")).unwrap());
    assert_eq!(ledger.head().to_string(), "fe8a6ea0d832e8646e18fed0dfecd929b7c16bb2610a20547dbe1f396e8c5646");
    assert_eq!(ledger.transaction(21).unwrap().added, vec![every_type()]);
    let mut fresh = Ledger::memory().unwrap();
    let export = std::fs::read(kept.join("export.jsonl")).unwrap();
    fresh.import(&mut export.as_slice()).unwrap();
    assert_eq!(fresh.head(), ledger.head());
}
