//! Transactions: what a commit reports, records and refuses.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};
use hence_ledger::{
    Changes, Committed, Decision, Draft, Interval, Ledger, LedgerError, OpenOptions, RecordedRules, Tally,
    When,
};

use super::support::{draft, fact, facts};
use crate::memory;

/// Commits, and what was known of the changes before.
fn committed(ledger: &mut Ledger, draft: &Draft) -> (Committed, Changes) {
    let mut resolved = draft.clone();
    let (changes, facts) = ledger.resolve(&mut resolved).unwrap();
    let committed = ledger.commit_resolved(&resolved, facts).unwrap();
    let len = |facts: &[Fact]| facts.len() as u64;
    let tally = Tally {
        added: len(&changes.added),
        removed: len(&changes.removed),
        present: len(&changes.present),
        missing: len(&changes.missing),
    };
    assert_eq!(committed.tally, tally);
    (committed, changes)
}

#[test]
fn a_commit_reports_what_changed_and_what_did_not() {
    let mut ledger = Ledger::memory().unwrap();
    let (a, b, c) = (fact("p", 1, "a"), fact("p", 2, "b"), fact("q", 3, "c"));
    let (first, changes) =
        committed(&mut ledger, &draft(10, vec![b.clone(), a.clone(), a.clone()], vec![c.clone()]));
    assert_eq!((first.tx, first.recorded, first.time, first.facts), (1, true, 10, 2));
    assert_eq!(changes.added, vec![a.clone(), b.clone()]);
    assert_eq!(changes.missing, vec![c.clone()]);
    let (second, changes) = committed(&mut ledger, &draft(20, vec![a.clone(), c.clone()], vec![b.clone()]));
    assert_eq!(changes.added, vec![c.clone()]);
    assert_eq!(changes.removed, vec![b.clone()]);
    assert_eq!(changes.present, vec![a.clone()]);
    assert_eq!(facts(&ledger, "p"), vec![a.clone()]);
    assert_eq!(facts(&ledger, "q"), vec![c]);
    let info = ledger.info(2).unwrap();
    assert_eq!((info.added, info.removed, info.present, info.missing), (1, 1, 1, 0));
    assert_eq!(info.previous, first.head);
    assert_eq!(info.hash, second.head);
}

#[test]
fn a_fact_asserted_and_retracted_at_once_stands() {
    let mut ledger = Ledger::memory().unwrap();
    let a = fact("p", 1, "a");
    let both = draft(1, vec![a.clone()], vec![a.clone()]);
    assert_eq!(committed(&mut ledger, &both).1.added, vec![a.clone()]);
    let (_, again) = committed(&mut ledger, &both);
    assert!(again.is_empty());
    assert_eq!(again.present, vec![a]);
}

#[test]
fn a_draft_without_proposals_is_not_recorded() {
    let mut ledger = Ledger::memory().unwrap();
    let nothing = ledger.commit(&draft(1, vec![], vec![])).unwrap();
    assert_eq!((nothing.recorded, nothing.tx, ledger.last_tx()), (false, 0, 0));
}

#[test]
fn time_never_goes_back() {
    let mut ledger = Ledger::memory().unwrap();
    for (tx, (given, recorded)) in [(-50, -50), (100, 100), (40, 100), (101, 101)].into_iter().enumerate() {
        let committed = ledger.commit(&draft(given, vec![fact("p", tx as i64, "")], vec![])).unwrap();
        assert_eq!(committed.time, recorded);
    }
    let at = [(-51, 0), (-50, 1), (99, 1), (100, 3), (101, 4), (i64::MAX, 4)];
    for (time, tx) in at {
        assert_eq!(ledger.tx_at(time).unwrap(), tx);
    }
    let stood = ledger.facts_at(Symbol::new("p"), When::Time(100)).unwrap().count();
    assert_eq!(stood, 3);
}

#[test]
fn effective_changes_are_known_before_the_commit() {
    let mut ledger = Ledger::memory().unwrap();
    ledger.commit(&draft(1, vec![fact("p", 1, "")], vec![])).unwrap();
    let next = draft(2, vec![fact("p", 1, ""), fact("p", 2, "")], vec![fact("p", 3, "")]);
    let (before, _) = ledger.resolve(&mut next.clone()).unwrap();
    assert_eq!(ledger.last_tx(), 1);
    assert_eq!(committed(&mut ledger, &next).1, before);
    assert_eq!(facts(&ledger, "p"), vec![fact("p", 1, ""), fact("p", 2, "")]);
}

#[test]
fn a_writer_that_read_an_older_state_is_refused() {
    let mut ledger = Ledger::memory().unwrap();
    ledger.commit(&draft(1, vec![fact("p", 1, "")], vec![])).unwrap();
    let late = Draft { expect_tx: Some(0), ..draft(2, vec![fact("p", 2, "")], vec![]) };
    let refused = ledger.commit(&late).unwrap_err();
    assert!(matches!(refused, LedgerError::Expected { expected: 0, actual: 1 }));
    assert_eq!(ledger.last_tx(), 1);
    ledger.commit(&Draft { expect_tx: Some(1), ..late }).unwrap();
}

#[test]
fn facts_that_were_resolved_against_an_older_state_are_refused() {
    let mut ledger = Ledger::memory().unwrap();
    let mut late = draft(2, vec![fact("p", 1, "")], vec![]);
    let (_, resolved) = ledger.resolve(&mut late).unwrap();
    ledger.commit(&draft(1, vec![fact("p", 1, "")], vec![])).unwrap();
    let refused = ledger.commit_resolved(&late, resolved).unwrap_err();
    assert!(matches!(refused, LedgerError::Expected { expected: 0, actual: 1 }));
    assert_eq!(ledger.last_tx(), 1);
}

#[test]
fn decisions_are_drawn_and_lapse_with_their_reasons() {
    let mut ledger = Ledger::memory().unwrap();
    let rules = RecordedRules::new(vec![("a.dl".into(), "p(1).".into())], vec![("x".into(), "2".into())]);
    let decision = Decision {
        fact: fact("refine", 1, "x"),
        rule: Some("refine#1".into()),
        sentence: Some("because ".repeat(300)),
    };
    let drawn = Draft {
        clock: Some(77),
        rules: Some(rules.clone()),
        drawn: vec![decision.clone()],
        ..draft(1, vec![fact("p", 1, "")], vec![])
    };
    assert_eq!(ledger.commit(&drawn).unwrap().tx, 1);
    assert_eq!(ledger.transaction(1).unwrap().drawn, vec![decision.clone()]);
    assert_eq!(ledger.commit(&drawn).unwrap().tx, 2);
    assert!(ledger.transaction(2).unwrap().drawn.is_empty());
    let present = ledger.decisions().unwrap();
    assert_eq!((present.len(), present[0].tx, &present[0].decision), (1, 1, &decision));
    let lapse = Draft {
        lapsed: vec![decision.fact.clone().into()],
        rules: Some(rules.clone()),
        ..draft(3, vec![], vec![])
    };
    assert_eq!(ledger.commit(&lapse).unwrap().tx, 3);
    assert_eq!(ledger.transaction(3).unwrap().lapsed, vec![(decision.fact.clone().into(), 1)]);
    assert!(ledger.decisions().unwrap().is_empty());
    assert_eq!(ledger.decisions_at(When::Tx(2)).unwrap(), present);
    assert_eq!(ledger.decision_history(&decision.fact).unwrap(), vec![Interval { from: 1, until: Some(3) }]);
    let record = ledger.transaction(1).unwrap();
    assert_eq!((record.drawn, record.info.clock), (vec![decision.clone()], Some(77)));
    assert_eq!(ledger.rules(record.info.rules.unwrap()).unwrap(), Some(rules));
    assert_eq!(ledger.transaction(3).unwrap().lapsed, vec![(decision.fact.into(), 1)]);
}

#[test]
fn provenance_names_who_asserted_what_stands() {
    let mut ledger = Ledger::memory().unwrap();
    let a = fact("p", 1, "a");
    let noted = Draft { note: Some("first".into()), ..draft(5, vec![a.clone()], vec![]) };
    ledger.commit(&noted).unwrap();
    ledger.commit(&draft(6, vec![], vec![a.clone()])).unwrap();
    assert_eq!(ledger.assertion(&a).unwrap(), None);
    let again = Draft { author: "bo".into(), ..draft(7, vec![a.clone()], vec![]) };
    ledger.commit(&again).unwrap();
    let now = ledger.assertion(&a).unwrap().unwrap();
    assert_eq!((now.tx, now.time, now.author.as_str()), (3, 7, "bo"));
    let then = ledger.assertion_at(&a, When::Tx(1)).unwrap().unwrap();
    assert_eq!((then.tx, then.note.as_deref()), (1, Some("first")));
    let spans = vec![Interval { from: 1, until: Some(2) }, Interval { from: 3, until: None }];
    assert_eq!(ledger.history(&a).unwrap(), spans);
}

#[test]
fn every_kind_and_length_of_value_comes_back() {
    let mut ledger = Ledger::memory().unwrap();
    let long = |n: usize| Value::String(Symbol::new(&"x\0é".repeat(n)));
    let float = |value| Value::Float(Float::new(value).unwrap());
    let values = vec![
        vec![],
        vec![Value::Bool(false), Value::Int(i64::MIN), float(-1.5), Value::Name(Symbol::new("/a/b"))],
        vec![Value::Bool(true), Value::Int(i64::MAX), float(1e300), Value::Time(-1)],
        vec![Value::Duration(i64::MIN), long(0)],
        vec![long(10)],
        vec![long(100)],
        vec![long(100), Value::Int(1)],
        vec![long(100), Value::Int(2)],
        vec![long(30_000)],
    ];
    let all: Vec<Fact> = values.into_iter().map(|values| Fact::new("p", values)).collect();
    ledger.commit(&draft(1, all.clone(), vec![])).unwrap();
    let sorted = |mut facts: Vec<Fact>| {
        facts.sort();
        facts
    };
    assert_eq!(sorted(facts(&ledger, "p")), sorted(all.clone()));
    assert_eq!(sorted(ledger.transaction(1).unwrap().added), sorted(all.clone()));
    let first = ledger.facts_with(Symbol::new("p"), &[long(100)]).count();
    assert_eq!(first, 3);
    assert_eq!(ledger.commit(&draft(2, vec![], all.clone())).unwrap().tally.removed as usize, all.len());
    let then: Vec<Fact> =
        ledger.facts_at(Symbol::new("p"), When::Tx(1)).unwrap().map(|row| row.unwrap().0).collect();
    assert_eq!(sorted(then), sorted(all));
    assert_eq!(facts(&ledger, "p"), vec![]);
}

#[test]
fn many_facts_at_once_stand_as_if_they_had_come_one_by_one() {
    let long = "x".repeat(300);
    let mut many: Vec<Fact> = (0..3_000).map(|n| fact("p", n * 7 % 3_000, "")).collect();
    many.extend((0..200).map(|n| fact("q", n, &long)));
    many.push(fact("p", 5, ""));
    let first = draft(1, vec![fact("p", 5, ""), fact("p", 4_000, "")], vec![]);
    let mut ledgers = [usize::MAX, 10].map(|bulk| {
        let options = OpenOptions { bulk, ..OpenOptions::default() };
        let dir = memory::folder();
        let mut ledger = Ledger::open(dir.path(), &options).unwrap();
        ledger.commit(&first).unwrap();
        let committed = ledger.commit_owned(draft(2, many.clone(), vec![fact("p", 4_000, "")])).unwrap();
        assert_eq!(committed.tally, Tally { added: 3_199, removed: 1, present: 1, missing: 0 });
        assert!(ledger.verify().unwrap().differences.is_empty());
        assert_eq!(ledger.facts(Symbol::new("p")).count(), 3_000);
        assert_eq!(ledger.facts(Symbol::new("q")).count(), 200);
        assert_eq!(ledger.facts_at(Symbol::new("p"), When::Tx(1)).unwrap().count(), 2);
        drop(ledger);
        (Ledger::open(dir.path(), &options).unwrap(), dir)
    });
    let [(one, _), (other, _)] = &mut ledgers;
    assert_eq!(one.head(), other.head());
    assert_eq!(facts(one, "p"), facts(other, "p"));
    assert_eq!(facts(one, "q"), facts(other, "q"));
    assert!(other.verify().unwrap().differences.is_empty());
}
