//! Commits of a standing session: what is drawn, lapses and stays undetermined is what a session tells that evaluates
//! everything from scratch for each commit, with the same sentences.

use hence::session::{CommitOutcome, CommitRequest, Session};
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_engine::Naive;
use hence_ledger::Ledger;

use super::sensors::{self, Dice};

const RULES: &str = r#"
input reading(sensor: string, value: int).
input weight(sensor: string, by: int).
input link(sensor: string, to: string).

## Who hears of whom.
relation near(sensor: string, to: string).
near(A, B) :- link(A, B).
near(A, C) :- near(A, B), link(B, C).

relation mean_of(sensor: string, value: float).
mean_of(S, mean(V)) :- reading(S, V).

decision alarm(sensor: string).
@because("{S} is at {V}")
alarm(S) :- reading(S, V), V > 50.

decision share(sensor: string, each: int).
@because("{V} by {W}")
share(S, V / W) :- reading(S, V), weight(S, W).

decision told(sensor: string, of: string).
@because("{S} hears of {O}")
told(S, O) :- near(S, O), alarm(O).
@because("{S} has the mean of {O}, {V}")
told(S, O) :- mean_of(S, V), mean_of(O, V), S != O.

decision quiet(sensor: string).
quiet(S) :- weight(S, _), !reading(S, _).

decision late(sensor: string, at: time).
late(S, T) :- reading(S, V), V > 60, now(T).

# Which match is told depends on which of both relations is the smaller one.
decision paired(at: time).
@because("{S} at {V} with {O} by {W}")
paired(T) :- now(T), reading(S, V), weight(O, W), V = 45 + 5 * W.
"#;

fn same(seed: u64, at: i64, kept: &CommitOutcome, fresh: &CommitOutcome) {
    assert_eq!(kept.drawn, fresh.drawn, "drawn of change {at} of {seed}");
    assert_eq!(kept.lapsed, fresh.lapsed, "lapsed of change {at} of {seed}");
    assert_eq!(kept.standing, fresh.standing, "standing after change {at} of {seed}");
    assert_eq!(kept.stands, fresh.stands, "counts after change {at} of {seed}");
    assert_eq!(kept.undetermined, fresh.undetermined, "undetermined after change {at} of {seed}");
    assert_eq!(kept.reports, fresh.reports, "reports of change {at} of {seed}");
    assert_eq!(kept.changes, fresh.changes, "changes of change {at} of {seed}");
}

/// Histories in which some decision was undetermined, and was drawn again.
fn run(make: impl Fn() -> Session, seeds: std::ops::Range<u64>) {
    let (mut drawn, mut undetermined) = (0, 0);
    for seed in seeds {
        let mut dice = Dice::new(seed, 6);
        let (mut kept, mut fresh) = (make(), make().with_engine(Box::new(Naive)));
        for at in 0..24 {
            let change = CommitRequest {
                assertions: (0..1 + dice.roll(2)).map(|_| dice.fact()).collect(),
                retractions: (0..dice.roll(4)).map(|_| dice.fact()).collect(),
                time: at,
                now: at / 3,
                list: dice.roll(2) == 0,
                ..CommitRequest::default()
            };
            let dry = dice.roll(6) == 0;
            let outcome = kept.commit(change.clone(), dry).unwrap();
            same(seed, at, &outcome, &fresh.commit(change, dry).unwrap());
            drawn += outcome.drawn.len();
            undetermined += outcome.undetermined.len();
        }
    }
    assert!(drawn > 500 && undetermined > 100, "too plain: {drawn} drawn, {undetermined} undetermined");
}

#[test]
fn a_session_in_memory_decides_as_one_that_starts_afresh() {
    let rules = sensors::rules(&[RULES], &[]);
    run(|| Session::over_facts(rules.clone(), Vec::new()).unwrap(), 0..60);
}

#[test]
fn a_session_with_a_ledger_decides_as_one_that_starts_afresh() {
    let rules = sensors::rules(&[RULES], &[]);
    run(|| Session::over_ledger(rules.clone(), Ledger::memory().unwrap()), 0..30);
}

/// Facts of a session without a ledger, some of them given twice at first.
#[test]
fn a_session_in_memory_holds_the_set_of_what_came_and_went() {
    let rules = sensors::rules(&["input p(x: int). q(X) :- p(X)."], &[]);
    let facts =
        |numbers: &[i64]| numbers.iter().map(|x| Fact::new("p", [Value::Int(*x)])).collect::<Vec<_>>();
    let mut session = Session::over_facts(rules, facts(&[3, 1, 3, 2, 1])).unwrap();
    let mut change = |retracted: &[i64], asserted: &[i64], missing: &[i64]| {
        let request = CommitRequest {
            assertions: facts(asserted),
            retractions: facts(retracted),
            ..CommitRequest::default()
        };
        assert_eq!(session.commit(request, false).unwrap().changes.missing, facts(missing));
        let mut given = session.given().unwrap();
        given.sort();
        given
    };
    assert_eq!(change(&[3], &[], &[]), facts(&[1, 2]));
    assert_eq!(change(&[3, 1, 7], &[2, 4, 4, 3], &[7]), facts(&[2, 3, 4]));
    assert_eq!(change(&[2, 3, 4], &[1], &[]), facts(&[1]));
}
