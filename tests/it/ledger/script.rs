//! A history that anyone can continue or check from the number of its last transaction alone.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::{Decision, Draft, EffectRound, Ledger, RecordedRules, StepChange};

use super::support::{draft, fact};

/// The facts that transaction `tx` asserts; every seventh transaction is large.
fn asserted(tx: u64) -> Vec<Fact> {
    let count = if tx % 7 == 3 { 40 } else { 1 + tx % 3 };
    let text = if tx.is_multiple_of(5) { "long ".repeat(60) } else { format!("text of {tx}") };
    (0..count).map(|n| fact("p", (tx * 100 + n) as i64, &text)).collect()
}

/// Transaction `tx`: it retracts half of what the third before it asserted, and draws a decision that the next lapses.
pub(super) fn step(tx: u64) -> Draft {
    let gone = if tx > 3 { asserted(tx - 3).into_iter().step_by(2).collect() } else { vec![] };
    let rules = RecordedRules::new(vec![("d.dl".into(), "d(1, \"drawn\").".into())], vec![]);
    Draft {
        rules: Some(rules),
        steps: (!tx.is_multiple_of(3)).then(|| steps(tx)),
        drawn: vec![Decision::new(fact("d", tx as i64, "drawn"))],
        lapsed: vec![fact("d", tx as i64 - 1, "drawn").into()],
        ..draft(tx as i64, asserted(tx), gone)
    }
}

/// Some steps: every fact of one asserted by a rule of its own.
fn steps(tx: u64) -> Vec<EffectRound> {
    let change =
        |fact| StepChange { fact, asserted: tx.is_multiple_of(2), rule: format!("r{tx}"), sentence: None };
    asserted(tx)
        .chunks(3)
        .map(|facts| EffectRound { changes: facts.iter().cloned().map(change).collect() })
        .collect()
}

/// The facts that stand after transaction `tx`.
fn standing(tx: u64) -> BTreeSet<Fact> {
    let mut facts = BTreeSet::new();
    for step in (1..=tx).map(step) {
        step.retractions.iter().for_each(|fact| {
            facts.remove(fact);
        });
        facts.extend(step.assertions);
    }
    facts
}

/// Checks the facts and decisions of `ledger`, whose last transaction is `last`.
pub(super) fn check_facts(ledger: &Ledger, last: u64) {
    let facts: BTreeSet<Fact> = ledger.facts(Symbol::new("p")).map(|row| row.unwrap().0).collect();
    assert_eq!(facts, standing(last));
    let decisions: Vec<_> = ledger.decisions().unwrap().into_iter().map(|standing| standing.tx).collect();
    assert_eq!(decisions, if last > 0 { vec![last] } else { vec![] });
}

/// Checks that `ledger` holds exactly the history up to its last transaction, which is at least `acknowledged`.
pub(super) fn check(ledger: &Ledger, acknowledged: u64) {
    let last = ledger.last_tx();
    assert!(last >= acknowledged, "transaction {acknowledged} was acknowledged, the last one is {last}");
    check_facts(ledger, last);
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
    for info in ledger.log(1..=last).map(Result::unwrap) {
        assert_eq!(
            info.steps,
            (!info.tx.is_multiple_of(3)).then(|| steps(info.tx)),
            "the steps of transaction {}",
            info.tx
        );
    }
}
