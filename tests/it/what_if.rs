//! What a hypothesis tells is what a commit of the same change then does, undetermined rows included.

use hence::session::{CommitRequest, Hypothesis, Loader, RuleSet, Session, check};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::Ledger;
use hence_proof::difference::ComparedRelations;
use hence_proof::proof::FactPattern;

use crate::random::Dice;

const BODIES: [&str; 8] = [
    "d(X) :- a(X, Y), 10 / Y > 1.",
    "d(X) :- a(X, Y), !e(Y, _).",
    "d(X) :- a(X, _), !b(X), N = count { b(Z), 6 / Z > 1 }, N < 3.",
    "d(X) :- b(X), M = max(12 / Y) { a(X, Y) }, M > 3.",
    "e(X, 12 / Y) :- a(X, Y), b(X).",
    "e(X, Y) :- a(X, Y), 6 % Y < 3.",
    "e(X, 9 / Y) :- a(_, Y), b(X), 9 / Y > 2.",
    "e(X, max(8 / Y)) :- a(X, Y).",
];

fn rules(dice: &mut Dice) -> RuleSet {
    let mut text = String::from(
        "input a(x: int, y: int). input b(x: int). decision d(x: int). decision e(x: int, y: int).",
    );
    for body in BODIES {
        if dice.below(2) == 0 {
            text.push(' ');
            text.push_str(body);
        }
    }
    let mut loader = Loader::default();
    loader.text("random.dl", &text);
    *check(loader.finish(), &[]).rules.unwrap()
}

fn fact(dice: &mut Dice) -> Fact {
    let mut value = || Value::Int(dice.below(3) as i64);
    let (one, two) = (value(), value());
    if dice.below(3) == 0 { Fact::new("b", [one]) } else { Fact::new("a", [one, two]) }
}

/// Drawn, lapsed, and the rows that become undetermined and no longer are.
type Told = (Vec<Fact>, Vec<Fact>, Vec<FactPattern>, Vec<FactPattern>);

fn supposed(session: &Session, hypothesis: &Hypothesis) -> Told {
    let found = session.what_if(hypothesis, 1, &ComparedRelations::Decisions, 3).unwrap();
    let mut told = Told::default();
    for relation in found {
        told.0.extend(relation.drawn.iter().map(|change| change.fact.fact().unwrap()));
        told.1.extend(relation.lapsed.iter().map(|change| change.fact.fact().unwrap()));
        told.2.extend(relation.undetermined.into_iter().map(|change| change.fact));
        told.3.extend(relation.determined.into_iter().map(|change| change.fact));
    }
    told
}

/// What a commit does beside rows that were undetermined before; those that are then.
fn committed(session: &mut Session, change: CommitRequest, open: &[FactPattern]) -> (Told, Vec<FactPattern>) {
    let outcome = session.commit(change, false).unwrap();
    let only = |one: &[FactPattern], other: &[FactPattern]| -> Vec<FactPattern> {
        one.iter().filter(|row| !other.contains(row)).cloned().collect()
    };
    let told = (
        outcome.drawn.iter().map(|drawn| drawn.fact.clone()).collect(),
        outcome.lapsed.iter().map(|lapsed| lapsed.fact.clone()).collect(),
        only(&outcome.undetermined, open),
        only(open, &outcome.undetermined),
    );
    (told, outcome.undetermined)
}

#[test]
fn a_hypothesis_tells_what_a_commit_then_does() {
    let mut open_rows = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let rules = rules(&mut dice);
        let mut session = Session::over_ledger(rules, Ledger::memory().unwrap());
        let request = |facts: Vec<Fact>, gone: Vec<Fact>| CommitRequest {
            assertions: facts,
            retractions: gone,
            author: String::from("ada"),
            time: 1,
            now: 1,
            ..CommitRequest::default()
        };
        let first = (0..3).map(|_| fact(&mut dice)).collect();
        let (_, mut open) = committed(&mut session, request(first, Vec::new()), &[]);
        for step in 0..6 {
            let assertions: Vec<Fact> = (0..dice.below(3)).map(|_| fact(&mut dice)).collect();
            let mut retractions: Vec<Fact> = (0..dice.below(3)).map(|_| fact(&mut dice)).collect();
            retractions.retain(|fact| !assertions.contains(fact));
            let hypothesis = Hypothesis {
                assertions: assertions.clone(),
                retractions: retractions.clone(),
                ..Hypothesis::default()
            };
            let expected = supposed(&session, &hypothesis);
            let (told, now_open) = committed(&mut session, request(assertions, retractions), &open);
            assert_eq!(expected, told, "seed {seed}, step {step}");
            open_rows += told.2.len() + told.3.len();
            open = now_open;
        }
    }
    assert!(open_rows > 50, "only {open_rows} rows: the histories say nothing");
}

#[test]
fn a_decision_in_force_that_is_undetermined_lapses_by_rules_that_deny_it() {
    let of = |text: &str| {
        let mut loader = Loader::default();
        loader.text("r.dl", text);
        *check(loader.finish(), &[]).rules.unwrap()
    };
    let head = "input a(x: int, y: int). decision d(x: int).";
    let mut session =
        Session::over_ledger(of(&format!("{head} d(X) :- a(X, Y), 10 / Y > 1.")), Ledger::memory().unwrap());
    let a = |y| Fact::new("a", [Value::Int(1), Value::Int(y)]);
    let change =
        |assertions, retractions| CommitRequest { assertions, retractions, ..CommitRequest::default() };
    session.commit(change(vec![a(2)], vec![]), false).unwrap();
    session.commit(change(vec![a(0)], vec![a(2)]), false).unwrap();
    let rules = Some(of(&format!("{head} d(X) :- a(X, Y), Y > 0, 10 / Y > 1.")));
    let (_, lapsed, undetermined, determined) =
        supposed(&session, &Hypothesis { rules, ..Hypothesis::default() });
    let row = FactPattern { relation: Symbol::new("d"), args: vec![Some(Value::Int(1))] };
    assert_eq!((lapsed.len(), undetermined, determined), (1, vec![], vec![row]));
}
