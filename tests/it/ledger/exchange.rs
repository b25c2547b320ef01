//! Export and import: the same facts, the same past, the same chain; and a ledger of the first version, kept.

use std::path::Path;
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::schema::{Column, ColumnType, NameSet};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_ledger::{
    Decision, Draft, Imported, Lapsed, Ledger, LedgerError, OpenOptions, RecordedRules, Run, RunLimits,
    Schema,
};

use super::script;
use super::support::{draft, fact, small};
use crate::memory;

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
        // Some are made durable together.
        ledger.commit(&Draft { deferred: tx % 4 < 2, ..script::step(tx) }).unwrap();
    }
    let (fact, older) = (every_type(), Fact::new("levelled", [Value::Int(0)]));
    let full = Draft {
        note: Some("a note".into()),
        clock: Some(-5),
        rules: Some(RecordedRules::new(vec![("a.dl".into(), "p(1).".into())], vec![])),
        drawn: vec![Decision { fact: fact.clone(), rule: Some("r#1".into()), sentence: Some("so".into()) }],
        ..draft(30, vec![fact.clone(), fact.clone(), older.clone()], vec![])
    };
    ledger.commit(&full).unwrap();
    let low_or_high = NameSet { name: None, members: ["/low", "/high"].map(Symbol::new).to_vec() };
    let level = ColumnType { ty: Type::Name, set: Some(Arc::new(low_or_high)) };
    let columns = vec![Column::new("a", ColumnType::plain(Type::Int)), Column::new("b", level)];
    let limits = RunLimits { facts: 1, iterations: 2, time: Some(3), memory: None };
    let lapsing = Draft {
        time: 31,
        run: Some(Run { engine: "naive".into(), lenient: true, limits, zones: Some("2026f".into()) }),
        schemas: vec![Schema { relation: Symbol::new("levelled"), columns, renews: true }],
        drawn: vec![],
        assertions: vec![fact.clone()],
        lapsed: vec![Lapsed { fact: fact.clone(), reason: Some("the rules no longer have it".into()) }],
        retractions: vec![fact, older],
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
    let dir = memory::folder();
    let mut one = Ledger::open(dir.path(), &small()).unwrap();
    history(&mut one);
    let text = exported(&one);
    assert_eq!(text.lines().count() as u64, one.last_tx());
    let mut two = Ledger::memory().unwrap();
    assert_eq!(two.import(&mut text.as_bytes(), None).unwrap().appended, one.last_tx());
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
        let refused = two.import(&mut changed.join("\n").as_bytes(), None).unwrap_err();
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
    let cut = two.import(&mut first.as_bytes(), None).unwrap_err();
    assert!(matches!(&cut, LedgerError::Import { line: 8, what } if what.contains("cut off")), "{cut}");
    assert_eq!(two.last_tx(), 7);
    let again = two.import(&mut first.as_bytes(), Some(two.head())).unwrap();
    assert_eq!(again, Imported { there: 7, appended: 0 });
    assert!(two.import(&mut rest.as_bytes(), Some(two.head())).is_err());
    assert_eq!(two.head(), one.head());
    let all = Imported { there: one.last_tx(), appended: 0 };
    assert_eq!(two.import(&mut text.as_bytes(), Some(one.head())).unwrap(), all);
    let middle = &text[..text.len() - 20];
    let refused = Ledger::memory().unwrap().import(&mut middle.as_bytes(), Some(one.head())).unwrap_err();
    assert!(refused.to_string().contains("ends in the middle of a line"), "{refused}");
}

#[test]
fn another_history_is_refused_at_the_first_difference() {
    let (mut one, mut two) = (Ledger::memory().unwrap(), Ledger::memory().unwrap());
    for ledger in [&mut one, &mut two] {
        ledger.commit(&draft(1, vec![fact("p", 1, "both")], vec![])).unwrap();
    }
    one.commit(&draft(2, vec![fact("p", 2, "one")], vec![])).unwrap();
    two.commit(&draft(2, vec![fact("p", 2, "two")], vec![])).unwrap();
    let refused = two.import(&mut exported(&one).as_bytes(), None).unwrap_err();
    assert!(
        refused.to_string().starts_with("line 2: transaction 2 differs from the one in this ledger"),
        "{refused}"
    );
    assert_eq!(two.last_tx(), 2);
}

/// The export of a ledger without checks, whose last transaction's line goes through `change`, its hash recomputed.
fn refused(first: &[Fact], change: impl Fn(&str) -> String) -> String {
    let mut one = Ledger::memory().unwrap();
    one.commit(&draft(1, first.to_vec(), vec![])).unwrap();
    let line = change(exported(&one).trim_end());
    let mut two = Ledger::memory().unwrap();
    let told = two.import(&mut line.as_bytes(), None).unwrap_err().to_string();
    assert_eq!(two.last_tx(), 0);
    // With the hash that the line would have, its content is what is refused.
    match told.split_once("its hash is ") {
        Some((_, hash)) => {
            let old = line.split("\"hash\":\"").nth(1).unwrap()[..64].to_owned();
            let forged = line.replace(&old, &hash[..64]);
            two.import(&mut forged.as_bytes(), None)
                .map_or_else(|error| error.to_string(), |_| "taken".into())
        }
        None => told,
    }
}

#[test]
fn what_no_commit_takes_no_import_takes() {
    let p = [fact("p", 1, "a")];
    let named = |name: &'static str| move |line: &str| line.replace("[\"p\",", &format!("[\"{name}\","));
    for name in ["../../outside", "P", "", "a b", "a.b", "\\u001b[2J", "1a", "ä", "p\u{202e}q"] {
        let told = refused(&p, named(name));
        assert!(told.starts_with("line 1: `") && told.contains("is not the name of a relation"), "{told}");
    }
    assert_eq!(refused(&p, named("q_1A")), "taken");
    let drawn =
        |line: &str| line.replace("{\"assert\":[\"p\",[1,\"a\"]]}", "{\"draw\":[\"p\",[1,\"a\"],null,null]}");
    let told = refused(&p, drawn);
    assert!(told.contains("a decision `p` is drawn in a transaction without a rule set"), "{told}");
    let two = |line: &str| line.replace("]]}]", "]]},{\"assert\":[\"p\",[2]]}]");
    let told = refused(&p, two);
    assert!(told.contains("`p(int)` doesn't match the recorded columns `p(int, string)`"), "{told}");
    let time = |line: &str| line.replace("\"time\":1,", "\"time\":9223372036854775807,");
    assert!(refused(&p, time).contains("are outside the years"), "{}", refused(&p, time));
    let long =
        |line: &str| line.replace("\"author\":\"ada\"", &format!("\"author\":\"{}\"", "x".repeat(70_000)));
    assert!(refused(&p, long).contains("the author is larger than"), "{}", refused(&p, long));
}

/// Written once by version 1 with `UPDATE_FIXTURE=1`; never to be written again.
#[test]
fn a_ledger_of_version_1_opens_for_ever() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1");
    if std::env::var_os("UPDATE_FIXTURE").is_some() && !kept.exists() {
        let dir = memory::folder();
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
    let export = std::fs::read_to_string(kept.join("export.jsonl")).unwrap();
    assert_eq!(exported(&ledger).replace(",\"last\":true", ""), export);
    assert_eq!(ledger.head().to_string(), "fe8a6ea0d832e8646e18fed0dfecd929b7c16bb2610a20547dbe1f396e8c5646");
    assert_eq!(ledger.transaction(21).unwrap().added, vec![every_type()]);
    let mut fresh = Ledger::memory().unwrap();
    // Its decisions were drawn without rules, as no commit does any more.
    let refused = fresh.import(&mut export.as_bytes(), Some(ledger.head())).unwrap_err();
    assert!(refused.to_string().starts_with("line 1: a decision `d` is drawn"), "{refused}");
    let differences = ledger.verify().unwrap().differences;
    assert!(differences[0].contains("LOCK is missing"), "{differences:?}");
    assert!(differences[1].starts_with("transaction 1: a decision `d` is drawn"), "{differences:?}");
}
