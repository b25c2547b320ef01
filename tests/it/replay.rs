//! Replay of random histories: it finds exactly the flips that an evaluation from scratch finds, and none under the rules that
//! drew the decisions.

use std::collections::BTreeSet;

use hence::session::{
    Audit, Audited, CommitRequest, Flip, Hypothesis, Loader, Replay, Replayed, RuleSet, Session, check,
};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_engine::{Engine, Limits};
use hence_ledger::{Draft, Ledger, When};

const RULES: &str = r#"
## A reading of a sensor.
input reading(sensor: string, level: int).
## A sensor that nobody should trust.
input broken(sensor: string).
## Levels from here on raise an alarm.
param alarm_from: int = 50.
## Raise an alarm.
decision alarm(sensor: string, level: int).
@because("{Sensor} reads {Level}, at least {alarm_from}")
alarm(Sensor, max(Level)) :- loud(Sensor, Level).
## A reading that counts and is loud.
relation loud(sensor: string, level: int).
loud(Sensor, Level) :- reading(Sensor, Level), !broken(Sensor), Level >= alarm_from.
## Everything is quiet.
decision quiet().
@because("no sensor is loud")
quiet() :- !loud(_, _).
"#;

fn rules(sets: &[(Symbol, Value)]) -> RuleSet {
    let mut loader = Loader::default();
    loader.text("sensors.dl", RULES);
    let findings = check(loader.finish(), sets);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// A small generator of numbers, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn fact(dice: &mut Dice) -> Fact {
    let sensor = Value::String(Symbol::new(["north", "south", "attic"][dice.roll(3) as usize]));
    if dice.roll(4) == 0 {
        Fact::new("broken", [sensor])
    } else {
        Fact::new("reading", [sensor, Value::Int(30 + 5 * dice.roll(9) as i64)])
    }
}

/// A session whose ledger has a random history of twelve changes.
fn history(seed: u64) -> Session {
    let mut dice = Dice(seed);
    let mut session = Session::over_ledger(rules(&[]), Ledger::memory().unwrap());
    for step in 0..12 {
        let assertions = (0..dice.roll(4)).map(|_| fact(&mut dice)).collect();
        let retractions = (0..dice.roll(3)).map(|_| fact(&mut dice)).collect();
        let change =
            CommitRequest { assertions, retractions, time: step, now: step, ..CommitRequest::default() };
        session.commit(change, false).unwrap();
    }
    session
}

/// The decisions that stood after each transaction, and those that other rules would have drawn.
fn flips_afresh(session: &Session, other: &RuleSet) -> Vec<(u64, Fact, bool)> {
    let ledger = session.ledger().unwrap();
    let (mut apart, mut flips) = (BTreeSet::new(), Vec::new());
    for tx in 1..=ledger.last_tx() {
        if ledger.info(tx).unwrap().clock.is_none() {
            continue;
        }
        let then: BTreeSet<Fact> = ledger
            .decisions_at(When::Tx(tx))
            .unwrap()
            .into_iter()
            .map(|standing| standing.decision.fact)
            .collect();
        let mut facts = Vec::new();
        for name in ["reading", "broken"] {
            facts.extend(ledger.facts_at(Symbol::new(name), When::Tx(tx)).unwrap().map(|row| row.unwrap().0));
        }
        let derived = Session::over_facts(other.clone(), facts).unwrap().derive(&[], 0).unwrap();
        let now: BTreeSet<Fact> = derived.relations.into_iter().flat_map(|(_, _, facts)| facts).collect();
        let differ: BTreeSet<Fact> = then.symmetric_difference(&now).cloned().collect();
        flips.extend(differ.difference(&apart).map(|fact| (tx, fact.clone(), then.contains(fact))));
        apart = differ;
    }
    flips
}

/// The flips that a replay tells.
fn flips(session: &Session, rules: Option<&RuleSet>) -> Vec<(u64, Fact, bool)> {
    let last = session.ledger().unwrap().last_tx();
    let mut found = Vec::new();
    let replayed = session.replay(rules, 1, last).unwrap().run(&mut |_| {}, &mut |flip| {
        found.push((flip.tx, flip.decision, flip.stood));
        true
    });
    assert_eq!(replayed.unwrap().flips, found.len() as u64);
    found
}

#[test]
fn unchanged_rules_flip_nothing_and_others_exactly_what_they_would_have_drawn() {
    let mut flipped = 0;
    for seed in 0..60 {
        let session = history(seed);
        assert_eq!(flips(&session, None), [], "seed {seed}");
        let other = rules(&[(Symbol::new("alarm_from"), Value::Int(60))]);
        let found = flips(&session, Some(&other));
        assert_eq!(found, flips_afresh(&session, &other), "seed {seed}");
        flipped += found.len();
    }
    assert!(flipped > 50, "only {flipped} flips: the histories say nothing");
}

#[test]
fn what_if_is_the_difference_that_a_commit_then_makes() {
    use hence_proof::difference::ComparedRelations;
    for seed in 0..40 {
        let mut session = history(seed);
        let mut dice = Dice(seed + 1_000);
        let hypothesis = Hypothesis {
            assertions: (0..3).map(|_| fact(&mut dice)).collect(),
            retractions: Vec::new(),
            ..Hypothesis::default()
        };
        let supposed = session.what_if(&hypothesis, 99, &ComparedRelations::Decisions, 10).unwrap();
        let mut expected: Vec<(Fact, bool)> = Vec::new();
        for relation in &supposed {
            expected.extend(relation.drawn.iter().map(|change| (change.fact.fact().unwrap(), true)));
            expected.extend(relation.lapsed.iter().map(|change| (change.fact.fact().unwrap(), false)));
        }
        let before = session.ledger().unwrap().head();
        let change = CommitRequest {
            assertions: hypothesis.assertions,
            time: 99,
            now: 99,
            ..CommitRequest::default()
        };
        let outcome = session.commit(change, false).unwrap();
        assert!(outcome.committed.is_none_or(|committed| committed.head != before));
        let mut found: Vec<(Fact, bool)> =
            outcome.drawn.into_iter().map(|decision| (decision.fact, true)).collect();
        found.extend(outcome.lapsed.into_iter().map(|lapsed| (lapsed.fact, false)));
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "seed {seed}");
    }
}

const CHANGING: &str = r#"
input reading(sensor: string, level: int).
input divisor(value: int).
## What is left undetermined while a divisor is 0.
decision share(sensor: string, part: int).
@because("{Sensor} gets {Part}")
share(Sensor, Part) :- reading(Sensor, Level), divisor(By), Part = Level / By.
decision low(sensor: string).
low(Sensor) :- reading(Sensor, Level), Level < 50.
"#;

/// A history in which the rules change, a column is added, decisions are undetermined for a while, and facts come
/// without decisions in between.
fn changing_history(seed: u64) -> Session {
    let mut dice = Dice(seed);
    let wider = CHANGING.replace("level: int)", "level: int, place: string = \"here\")");
    let wider = wider.replace("reading(Sensor, Level)", "reading(Sensor, Level, _)");
    let mut ledger = Ledger::memory().unwrap();
    for (part, text) in [CHANGING, &CHANGING.replace("< 50", "< 60"), &wider].into_iter().enumerate() {
        let mut session = Session::over_ledger(of(text), ledger);
        let fact = |dice: &mut Dice| {
            if dice.roll(3) == 0 {
                return Fact::new("divisor", [Value::Int(dice.roll(3) as i64)]);
            }
            let sensor = Value::String(Symbol::new(["north", "south"][dice.roll(2) as usize]));
            let mut values = vec![sensor, Value::Int(30 + 10 * dice.roll(4) as i64)];
            if part == 2 {
                values.push(Value::String(Symbol::new(["here", "there"][dice.roll(2) as usize])));
            }
            Fact::new("reading", values)
        };
        for step in 0..8 {
            let assertions = (0..dice.roll(3)).map(|_| fact(&mut dice)).collect();
            let retractions = (0..dice.roll(3)).map(|_| fact(&mut dice)).collect();
            let now = (part * 8 + step) as i64;
            let change =
                CommitRequest { assertions, retractions, time: now, now, ..CommitRequest::default() };
            session.commit(change, false).unwrap();
        }
        ledger = session.into_ledger().unwrap();
        let bare =
            Draft { retractions: vec![fact(&mut dice)], time: part as i64 * 8 + 8, ..Draft::default() };
        ledger.commit(&bare).unwrap();
    }
    Session::over_ledger(of(&wider), ledger)
}

fn of(text: &str) -> RuleSet {
    let mut loader = Loader::default();
    loader.text("shares.dl", text);
    let findings = check(loader.finish(), &[]);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// Every flip of a replay by an engine, with the reasons on both sides.
fn told(session: &Session, rules: Option<&RuleSet>, engine: &dyn Engine) -> (Vec<Flip>, Replayed) {
    let last = session.ledger().unwrap().last_tx();
    let mut found = Vec::new();
    let replay = Replay { engine, ..session.replay(rules, 1, last).unwrap() };
    let replayed = replay.run(&mut |_| {}, &mut |flip| {
        found.push(flip);
        true
    });
    (found, replayed.unwrap())
}

/// What an audit by an engine comes to, which finds nothing.
fn audited(session: &Session, engine: &dyn Engine) -> Audited {
    let ledger = session.ledger().unwrap();
    let (from, to, limits) = (1, ledger.last_tx(), Limits::default());
    let audit = Audit { ledger, from, to, engine, limits, lenient: false };
    audit.run(&mut |_| {}, &mut |finding| panic!("{finding}")).unwrap()
}

#[test]
fn following_a_history_tells_what_evaluating_each_transaction_afresh_tells() {
    let mut flipped = 0;
    for seed in 0..60 {
        let session = changing_history(seed);
        assert_eq!(told(&session, None, &SemiNaive).0, [], "seed {seed}");
        assert_eq!(audited(&session, &SemiNaive), audited(&session, &Naive), "seed {seed}");
        let wider = "level: int, place: string = \"here\")";
        let other = CHANGING
            .replace("level: int)", wider)
            .replace("reading(Sensor, Level)", "reading(Sensor, Level, _)");
        for text in [other.replace("< 50", "< 70"), other.replace("Level / By", "Level / (By - 1)")] {
            let rules = of(&text);
            let found = told(&session, Some(&rules), &SemiNaive);
            assert_eq!(found, told(&session, Some(&rules), &Naive), "seed {seed}");
            flipped += found.0.len();
        }
    }
    assert!(flipped > 100, "only {flipped} flips: the histories say nothing");
}
