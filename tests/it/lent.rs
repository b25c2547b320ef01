//! A session that lends its ledger: what it decides after others wrote there is what one that starts afresh decides.

use crate::memory;
use crate::slow;
use hence::session::{CommitOutcome, CommitRequest, RuleSet, Session};
use hence_core::fact::Fact;
use hence_engine::Naive;
use hence_ledger::{Draft, Ledger, OpenOptions};

use super::effects::{fact, program};
use super::random::Dice;

fn facts(dice: &mut Dice, most: usize) -> Vec<Fact> {
    (0..dice.below(most)).map(|_| fact(dice)).collect()
}

fn change(dice: &mut Dice, now: i64) -> CommitRequest {
    let (assertions, retractions) = (facts(dice, 3), facts(dice, 3));
    CommitRequest { assertions, retractions, time: now, now, list: true, ..CommitRequest::default() }
}

fn open(dir: &std::path::Path) -> Ledger {
    Ledger::open(dir, &OpenOptions::default()).unwrap()
}

/// What others do with a ledger while they have it: nothing, facts alone, decisions by the same rules or by other ones.
fn others(dice: &mut Dice, dir: &std::path::Path, rules: [&RuleSet; 2], now: i64) {
    for _ in 0..dice.below(3) {
        match dice.below(4) {
            0 => {
                let (assertions, retractions) = (facts(dice, 3), facts(dice, 3));
                let draft = Draft { time: now, assertions, retractions, ..Draft::default() };
                open(dir).commit(&draft).unwrap();
            }
            1 | 2 => drop(Session::over_ledger(rules[0].clone(), open(dir)).commit(change(dice, now), false)),
            _ => drop(Session::over_ledger(rules[1].clone(), open(dir)).commit(change(dice, now), false)),
        }
    }
}

fn same(at: &str, kept: &CommitOutcome, fresh: &CommitOutcome) {
    assert_eq!(kept.steps, fresh.steps, "steps {at}");
    assert_eq!(kept.changes, fresh.changes, "changes {at}");
    assert_eq!(kept.drawn, fresh.drawn, "drawn {at}");
    assert_eq!(kept.lapsed, fresh.lapsed, "lapsed {at}");
    assert_eq!(kept.standing, fresh.standing, "standing {at}");
    assert_eq!(kept.stands, fresh.stands, "counts {at}");
    assert_eq!(kept.undetermined, fresh.undetermined, "undetermined {at}");
    assert_eq!(kept.reports, fresh.reports, "reports {at}");
}

#[test]
fn a_session_that_lent_its_ledger_decides_as_one_that_starts_afresh() {
    let (mut decided, mut stepped, mut refused) = (0, 0, 0);
    let seeds = slow::size(8, 600);
    for seed in 0..seeds as u64 {
        let mut dice = Dice::new(seed);
        let (rules, other) = (program(&mut dice), program(&mut dice));
        let dir = memory::folder();
        let mut session = Session::over_ledger(rules.clone(), open(dir.path()));
        for now in 1..12 {
            if dice.chance(60) {
                let (lent, _) = session.lend().unwrap_or_else(|_| panic!("it has a ledger"));
                others(&mut dice, dir.path(), [&rules, &other], now);
                session = lent.resume(open(dir.path())).unwrap();
            }
            let change = change(&mut dice, now);
            let (lent, _) = session.lend().unwrap_or_else(|_| panic!("it has a ledger"));
            let fresh = Session::over_ledger(rules.clone(), open(dir.path())).with_engine(Box::new(Naive));
            let expected = { fresh }.commit(change.clone(), true);
            session = lent.resume(open(dir.path())).unwrap();
            match (session.commit(change, false), expected) {
                (Ok(found), Ok(expected)) => {
                    same(&format!("at {now} of {seed}"), &found, &expected);
                    decided += found.drawn.len() + found.lapsed.len();
                    stepped += found.steps.len();
                }
                (Err(found), Err(expected)) => {
                    assert_eq!(found.to_string(), expected.to_string(), "at {now} of {seed}");
                    refused += 1;
                }
                (found, expected) => panic!("at {now} of {seed}: {found:?}, expected {expected:?}"),
            }
        }
    }
    assert!(
        decided * 7 > seeds * 30 && stepped * 7 > seeds * 10,
        "too plain: {decided} decided, {stepped} steps, {refused} refused"
    );
}

#[test]
fn a_ledger_that_lost_what_it_had_is_not_taken_back() {
    let (dir, other) = (memory::folder(), memory::folder());
    let rules = program(&mut Dice::new(1));
    let mut session = Session::over_ledger(rules.clone(), open(dir.path()));
    let change = CommitRequest {
        assertions: vec![Fact::new("a", [hence_core::value::Value::Int(1)])],
        ..CommitRequest::default()
    };
    session.commit(change, false).unwrap();
    let (lent, _) = session.lend().unwrap_or_else(|_| panic!("it has a ledger"));
    let refused = lent.resume(open(other.path())).err().unwrap().to_string();
    assert_eq!(refused, "the ledger ended with transaction 1 when it was lent, and ends with 0 now");
    let memory = Session::over_facts(rules, Vec::new()).unwrap();
    assert!(memory.lend().is_err());
}
