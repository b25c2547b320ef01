//! Effects and feeds: a standing session takes the steps of one that evaluates everything afresh, on every engine, and
//! the recorded history repeats them.

use hence::session::{
    Audit, CommitOutcome, CommitRequest, Loader, Replay, RuleSet, Session, SessionError, check,
};
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_engine::{Engine, Limits, Naive, SemiNaive};
use hence_ledger::Ledger;

use super::random::Dice;
use crate::slow;

/// Declarations of every random program.
const INPUTS: &str = "
input a(x: int).
input b(x: int).
input c(x: int, y: int).
input f(x: int).
input g(x: int, at: time).
decision out(x: int).
decision many(x: int, n: int).
d(X) :- a(X), !b(X).
d(X) :- c(X, Y), Y > 2.
e(X, count()) :- c(X, _).
r(X, Y) :- c(X, Y).
r(X, Z) :- r(X, Y), c(Y, Z).
q(X, 10 / Y) :- c(X, Y).
late() :- now(At), At >= @1970-01-01T00:00:00.000008Z.
@because(\"{X} is fed\")
out(X) :- f(X), !g(X, _).
many(X, N) :- e(X, N), N >= 2.
many(X, N) :- q(X, N).
";

/// Feeds and effects, of which a random program has some.
const RULES: [&str; 20] = [
    "feed f(X) :- d(X).",
    "feed f(Y) :- r(_, Y), a(Y).",
    "feed f(X) :- f(Y), c(Y, X).",
    "@because(\"{X} is done\")\nthen b(X) :- d(X), f(X).",
    "then !a(X) :- b(X), c(X, _).",
    "then c(X, N) :- e(X, N), N < 4.",
    "@id(noted)\nthen g(X, now) :- f(X).",
    "then !c(X, Y) :- c(X, Y), b(Y), !a(Y).",
    "then a(N) :- e(_, N), !b(N).",
    "then b(Q) :- q(_, Q).",
    "then b(X + 1) :- b(X), X < 5, late().",
    "then !b(X) :- late(), b(X), f(X).",
    "then f(X) :- many(X, _).",
    "then !f(X) :- g(X, _), late().",
    "then a(X + 1) :- a(X), b(_).",
    "then !g(X, At) :- g(X, At), !a(X).",
    "then b(X) :- a(X), !q(X, _).",
    "then f(X) :- q(X, Q), Q > 2.",
    "then !c(X, 0) :- c(X, 0), f(X).",
    "feed f(X + Y) :- c(X, Y), 8 / (X - Y) > 1.",
];

fn rules(text: &str) -> RuleSet {
    let mut loader = Loader::default();
    loader.text("effects.dl", text);
    let findings = check(loader.finish(), &[]);
    let faults: Vec<_> = findings.faults.lines().filter(|line| line.starts_with("error")).collect();
    *findings.rules.unwrap_or_else(|| panic!("{text}\n{faults:?}"))
}

/// Some of the rules.
pub(super) fn program(dice: &mut Dice) -> RuleSet {
    let mut text = String::from(INPUTS);
    for rule in RULES {
        if dice.chance(40) {
            text.push_str(rule);
            text.push('\n');
        }
    }
    rules(&text)
}

/// Some fact of an input.
pub(super) fn fact(dice: &mut Dice) -> Fact {
    let mut int = || Value::Int(dice.below(5) as i64);
    let (first, second) = (int(), int());
    match dice.below(7) {
        0 | 1 => Fact::new("a", [first]),
        2 => Fact::new("b", [first]),
        3 => Fact::new("f", [first]),
        _ => Fact::new("c", [first, second]),
    }
}

fn change(dice: &mut Dice, at: i64) -> CommitRequest {
    CommitRequest {
        assertions: (0..dice.below(3)).map(|_| fact(dice)).collect(),
        retractions: (0..dice.below(3)).map(|_| fact(dice)).collect(),
        author: String::from("ada"),
        time: at,
        now: at,
        list: true,
        ..CommitRequest::default()
    }
}

/// What a commit came to, without what differs between ledgers.
fn told(outcome: Result<CommitOutcome, SessionError>) -> (String, Option<usize>) {
    match outcome {
        Ok(mut outcome) => {
            // Which relations changed is told of what a ledger records.
            outcome.lapsed.iter_mut().for_each(|lapsed| lapsed.reason = None);
            let steps = outcome.steps.len();
            (format!("{:?}", CommitOutcome { committed: None, ..outcome }), Some(steps))
        }
        Err(error) => (error.to_string(), None),
    }
}

/// What in a ledger differs from what is drawn and stepped again, by this engine.
fn findings(ledger: &Ledger, engine: &dyn Engine) -> Vec<String> {
    let limits = Limits::default();
    let audit = Audit { ledger, from: 1, to: u64::MAX, engine, limits, lenient: false };
    let mut found = Vec::new();
    audit
        .run(&mut |_| {}, &mut |finding| {
            found.push(finding.to_string());
            true
        })
        .unwrap();
    found
}

/// Nothing does.
fn sound(ledger: &Ledger, engine: &dyn Engine) {
    assert_eq!(findings(ledger, engine), Vec::<String>::new());
}

#[test]
fn a_standing_session_takes_the_steps_of_one_that_starts_afresh() {
    let (mut steps, mut refused, mut most) = (0, 0, 0);
    let seeds = slow::size(20, 600);
    for seed in 0..seeds as u64 {
        let mut dice = Dice::new(seed);
        let rules = program(&mut dice);
        let mut kept = Session::over_ledger(rules.clone(), Ledger::memory().unwrap());
        let mut memory = Session::over_facts(rules.clone(), Vec::new()).unwrap();
        let mut ledger = Some(Ledger::memory().unwrap());
        for at in 0..14 {
            let change = change(&mut dice, at);
            let dry = dice.below(6) == 0;
            // Opened again each time, so that what held is found out from the history.
            let fresh = Session::over_ledger(rules.clone(), ledger.take().unwrap());
            let mut fresh = fresh.with_engine(Box::new(Naive));
            let outcome = told(kept.commit(change.clone(), dry));
            assert_eq!(outcome, told(fresh.commit(change.clone(), dry)), "change {at} of {seed}");
            assert_eq!(outcome, told(memory.commit(change, dry)), "change {at} of {seed} in memory");
            ledger = fresh.into_ledger();
            match outcome.1 {
                Some(taken) => {
                    steps += taken;
                    most = most.max(taken);
                }
                None => refused += 1,
            }
        }
        let (one, other) = (kept.into_ledger().unwrap(), ledger.unwrap());
        assert_eq!(one.last_tx(), other.last_tx());
        for tx in 1..=one.last_tx() {
            let (one, other) = (one.info(tx).unwrap(), other.info(tx).unwrap());
            assert_eq!((one.digest, one.steps), (other.digest, other.steps), "transaction {tx} of {seed}");
        }
        sound(&one, &SemiNaive);
        sound(&other, &Naive);
        replayed(&rules, one);
    }
    println!("{steps} steps, up to {most} in a transaction, {refused} refused");
    assert!(
        steps * 3 > seeds * 10 && refused * 15 > seeds * 2 && most > 3,
        "too plain: {steps} {refused} {most}"
    );
}

/// A ledger, and what an import makes of its export, replay as they are recorded.
fn replayed(rules: &RuleSet, ledger: Ledger) {
    let mut export = Vec::new();
    ledger.export(1..=u64::MAX, &mut export).unwrap();
    let mut copy = Ledger::memory().unwrap();
    if ledger.last_tx() > 0 {
        copy.import(&mut export.as_slice(), Some(ledger.head())).unwrap();
    }
    for ledger in [ledger, copy] {
        let last = ledger.last_tx();
        let session = Session::over_ledger(rules.clone(), ledger);
        let replay = session.replay(None, 1, last).unwrap();
        let replayed = replay.run(&mut |_| {}, &mut |flip| panic!("{flip:?}")).unwrap();
        assert_eq!((replayed.flips, replayed.stepped_otherwise), (0, 0));
    }
}

/// The recorded history under other rules is the history of a session that had them: as many decisions after each
/// transaction.
#[test]
fn a_replay_under_other_rules_takes_their_steps() {
    let (mut compared, mut otherwise) = (0, 0);
    let seeds = slow::size(30, 600);
    for seed in 500..500 + seeds {
        let mut dice = Dice::new(seed);
        let (own, others) = (program(&mut dice), program(&mut dice));
        let mut recorded = Session::over_ledger(own, Ledger::memory().unwrap());
        let mut stepped = Session::over_ledger(others.clone(), Ledger::memory().unwrap());
        let mut decisions = 0;
        for at in 0..10 {
            let mut change = change(&mut dice, at);
            change.retractions.clear();
            change.assertions.push(Fact::new("c", [Value::Int(100 + at), Value::Int(1 + at % 3)]));
            // That a fact held already, and so was not asserted, is not recorded.
            let held = |session: &Session| {
                change.assertions.iter().any(|fact| session.given().unwrap().contains(fact))
            };
            if held(&recorded) || held(&stepped) {
                break;
            }
            let copy = change.clone();
            if recorded.commit(CommitRequest { list: false, ..change }, true).is_err()
                || stepped.commit(copy.clone(), true).is_err()
            {
                break;
            }
            recorded.commit(copy.clone(), false).unwrap();
            stepped.commit(copy, false).unwrap();
            decisions += stepped.ledger().unwrap().status().unwrap().decisions;
        }
        let last = recorded.ledger().unwrap().last_tx();
        let mut replay = recorded.replay(Some(&others), 1, last).unwrap();
        let all = |replay: &Replay<'_>| {
            let mut flips = Vec::new();
            let replayed = replay.run(&mut |_| {}, &mut |flip| {
                flips.push(flip);
                true
            });
            (replayed.unwrap(), flips)
        };
        let (replayed, flips) = all(&replay);
        replay.threads = 3;
        assert_eq!(all(&replay), (replayed, flips), "seed {seed} in parts");
        assert_eq!(replayed.decisions, decisions, "seed {seed}");
        compared += last;
        otherwise += replayed.stepped_otherwise;
    }
    assert!(compared * 3 > seeds * 4 && otherwise * 3 > seeds, "too plain: {compared} {otherwise}");
}

const APPROVAL: &str = "
input request(id: string, to: int).
input review(id: string, by: string) from reviewer as by.
input level(to: int, since: time).
decision raise(id: string, to: int) requires review(id: id).
@because(\"{By} approved {Id}\")
raise(Id, To) :- request(Id, To), review(Id, By).
@id(apply)
@because(\"{Id} allows {To}\")
then level(To, now) :- raise(Id, To).
";

fn text(text: &str) -> Value {
    Value::String(text.into())
}

#[test]
fn an_effect_takes_place_once_and_where_decisions_are_drawn() {
    let rules = rules(APPROVAL);
    let mut ledger = Ledger::memory().unwrap();
    let facts =
        vec![Fact::new("request", [text("r"), Value::Int(2)]), Fact::new("review", [text("r"), text("ada")])];
    ledger.commit(&hence_ledger::Draft { assertions: facts, ..Default::default() }).unwrap();
    let levels = |session: &Session| {
        let all = session.given().unwrap();
        all.into_iter().filter(|fact| fact.relation.as_str() == "level").collect::<Vec<_>>()
    };
    let mut session = Session::over_ledger(rules.clone(), ledger);
    assert_eq!(levels(&session), []);
    let at = |now| CommitRequest { now, time: now, ..CommitRequest::default() };
    let outcome = session.commit(at(7), false).unwrap();
    assert_eq!(outcome.steps.len(), 1);
    let level = Fact::new("level", [Value::Int(2), Value::Time(7)]);
    assert_eq!(levels(&session), std::slice::from_ref(&level));
    // What holds begins no more, also for another process, and what was retracted by hand stays so.
    assert_eq!(session.commit(at(8), false).unwrap().committed, None);
    let mut session = Session::over_ledger(rules, session.into_ledger().unwrap());
    let gone = CommitRequest { retractions: vec![level], ..at(9) };
    assert_eq!(session.commit(gone, false).unwrap().steps, []);
    let mut session = Session::over_ledger(session.rules().clone(), session.into_ledger().unwrap());
    assert_eq!(session.commit(at(10), false).unwrap().steps, []);
    assert_eq!(levels(&session), []);
    sound(session.ledger().unwrap(), &SemiNaive);
}

#[test]
fn another_rule_set_does_nothing_twice() {
    let text = "input p(x: int). input q(x: int, at: time). then q(X, now) :- p(X).";
    let more = format!(
        "{text} @id(again) then q(X, now) :- p(X), X > 0. then q(X, now) :- p(X), X > 9. input r(x: int). then r(X) :- p(X)."
    );
    let mut session = Session::over_ledger(rules(text), Ledger::memory().unwrap());
    let change = CommitRequest {
        assertions: vec![Fact::new("p", [Value::Int(1)])],
        now: 1,
        time: 1,
        ..CommitRequest::default()
    };
    assert_eq!(session.commit(change, false).unwrap().steps.len(), 1);
    let mut session = Session::over_ledger(rules(&more), session.into_ledger().unwrap());
    let outcome =
        session.commit(CommitRequest { now: 2, time: 2, ..CommitRequest::default() }, false).unwrap();
    let facts: Vec<_> =
        outcome.steps.iter().flat_map(|step| &step.changes).map(|one| one.fact.to_string()).collect();
    assert_eq!(facts, ["r(1)"]);
    sound(session.ledger().unwrap(), &Naive);
}

#[test]
fn steps_that_contradict_each_other_and_steps_without_end_record_nothing() {
    let cases = [
        (
            "input p(x: int). input q(x: int). then q(X) :- p(X). then !q(X) :- q(X).",
            "step 2 would retract `q(1)` (rule `then.not.q#1`), which step 1 asserted (rule `then.q#1`)",
            2,
        ),
        (
            "input p(x: int). input q(x: int). then q(X) :- p(X). then !q(X) :- p(X), X > 0.",
            "step 1 would both",
            2,
        ),
        ("input p(x: int). then p(X + 1) :- p(X).", "more than 100 steps", 3),
    ];
    for (text, message, status) in cases {
        let mut session = Session::over_ledger(rules(text), Ledger::memory().unwrap());
        let change =
            CommitRequest { assertions: vec![Fact::new("p", [Value::Int(1)])], ..CommitRequest::default() };
        let error = session.commit(change, false).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(error.status(), status);
        assert_eq!(session.ledger().unwrap().last_tx(), 0);
        let none = session.commit(CommitRequest::default(), false).unwrap();
        assert_eq!((none.steps.len(), none.committed), (0, None));
    }
}

#[test]
fn what_is_undetermined_of_an_effect_waits_and_holds_on_until_it_is_determined() {
    let text =
        "input n(k: int, x: int, y: int). input p(k: int, q: int). then p(K, Q) :- n(K, X, Y), Q = X / Y.";
    let mut session = Session::over_ledger(rules(text), Ledger::memory().unwrap());
    let fact = |name: &str, values: &[i64]| {
        Fact::new(name, values.iter().map(|value| Value::Int(*value)).collect::<Vec<_>>())
    };
    let n = |k, x, y| fact("n", &[k, x, y]);
    let mut commit = |assertions: Vec<Fact>, retractions: Vec<Fact>, reopens: bool| {
        let change = CommitRequest { assertions, retractions, ..CommitRequest::default() };
        let steps = session.commit(change, false).unwrap().steps;
        if reopens {
            // What held is found out from the history.
            let rules = session.rules().clone();
            let ledger =
                std::mem::replace(&mut session, Session::over_facts(rules.clone(), Vec::new()).unwrap());
            session = Session::over_ledger(rules, ledger.into_ledger().unwrap());
        }
        sound(session.ledger().unwrap(), &SemiNaive);
        let changes = steps.into_iter().flat_map(|step| step.changes);
        changes.map(|change| change.fact).collect::<Vec<_>>()
    };
    for reopens in [false, true] {
        // Of two rows one is undetermined: the other one's effect takes place.
        assert_eq!(commit(vec![n(1, 1, 0), n(2, 6, 2)], vec![], reopens), [fact("p", &[2, 3])]);
        // What held and is undetermined now holds on, so it does not begin once more.
        assert_eq!(commit(vec![n(2, 6, 0)], vec![n(2, 6, 2)], reopens), []);
        assert_eq!(commit(vec![n(2, 6, 2)], vec![n(2, 6, 0)], reopens), []);
        // What waited begins once it is determined, and what no longer holds begins again when it comes back.
        assert_eq!(commit(vec![n(1, 1, 1)], vec![n(1, 1, 0), n(2, 6, 2)], reopens), [fact("p", &[1, 1])]);
        assert_eq!(commit(vec![], vec![fact("p", &[1, 1]), fact("p", &[2, 3])], reopens), []);
        assert_eq!(commit(vec![n(2, 6, 2)], vec![n(1, 1, 1)], reopens), [fact("p", &[2, 3])]);
        assert_eq!(commit(vec![], vec![n(2, 6, 2), fact("p", &[2, 3])], reopens), []);
    }
}

/// Forged steps: each tells whether there was anything to forge.
type Forge = (&'static str, fn(&mut hence_ledger::Draft) -> bool);

const FORGERIES: [Forge; 4] = [
    ("by rule `forged`", |draft| change_step(draft, |change| change.rule = String::from("forged"))),
    ("because \"forged\"", |draft| {
        change_step(draft, |change| change.sentence = Some(String::from("forged")))
    }),
    ("does not record their steps", |draft| draft.steps.take().is_some()),
    ("not recorded; done again, step", |draft| {
        // The facts of the step go with it.
        let Some(step) = draft.steps.as_mut().and_then(Vec::pop) else { return false };
        draft.assertions.retain(|fact| step.changes.iter().all(|change| change.fact != *fact));
        draft
            .schemas
            .retain(|schema| step.changes.iter().all(|change| change.fact.relation != schema.relation));
        true
    }),
];

fn change_step(draft: &mut hence_ledger::Draft, with: impl Fn(&mut hence_ledger::StepChange)) -> bool {
    let mut steps = draft.steps.iter_mut().flatten().flat_map(|step| &mut step.changes);
    steps.next().map(with).is_some()
}

#[test]
fn forged_steps_are_named() {
    let mut session = Session::over_ledger(rules(APPROVAL), Ledger::memory().unwrap()).with_roles(
        hence::session::Roles::new([(String::from("reviewer"), vec![String::from("ada")])].into()),
    );
    let facts =
        vec![Fact::new("request", [text("r"), Value::Int(2)]), Fact::new("review", [text("r"), text("ada")])];
    let change = CommitRequest { assertions: facts, author: String::from("ada"), ..CommitRequest::default() };
    session.commit(change, false).unwrap();
    let honest = session.into_ledger().unwrap();
    for (named, forge) in FORGERIES {
        let mut drafts = super::records::drafts(&honest);
        assert!(forge(&mut drafts[0]), "{named}");
        let mut ledger = Ledger::memory().unwrap();
        for draft in &drafts {
            ledger.commit(draft).unwrap();
        }
        let found = findings(&ledger, &SemiNaive);
        assert!(found.iter().any(|finding| finding.contains(named)), "{named}: {found:?}");
    }
}

#[test]
fn what_is_supposed_shows_its_steps() {
    let session = Session::over_ledger(rules(APPROVAL), Ledger::memory().unwrap());
    let hypothesis = hence::session::Hypothesis {
        assertions: vec![
            Fact::new("request", [text("r"), Value::Int(2)]),
            Fact::new("review", [text("r"), text("eve")]),
        ],
        ..Default::default()
    };
    let scope = hence_proof::difference::ComparedRelations::Decisions;
    let mut drawn = 0;
    let outcome = session
        .what_if_each(&hypothesis, 5, (&scope, 10), &mut |_, _| {
            drawn += 1;
            true
        })
        .unwrap();
    assert_eq!((drawn, outcome.steps.len()), (1, 1));
    assert_eq!(session.ledger().unwrap().last_tx(), 0);
}

#[test]
fn a_fed_fact_has_a_proof_and_an_asserted_one_an_author() {
    let text = "input p(x: int). input q(x: int). feed q(X) :- p(X). seen(X) :- q(X).";
    let int = |relation, value| Fact::new(relation, [Value::Int(value)]);
    for engine in [Box::new(SemiNaive) as Box<dyn Engine>, Box::new(Naive)] {
        let mut session = Session::over_ledger(rules(text), Ledger::memory().unwrap()).with_engine(engine);
        let facts = vec![int("p", 1), int("p", 2), int("q", 2), int("q", 3)];
        session
            .commit(
                CommitRequest { assertions: facts, author: String::from("ada"), ..CommitRequest::default() },
                false,
            )
            .unwrap();
        let proof = |value: i64| session.why(&format!("q({value})"), 0, None).unwrap().proofs.remove(0);
        use hence_proof::proof::StepKind;
        assert!(matches!(proof(1).steps[0].kind, StepKind::Derived(_)));
        assert!(matches!(proof(3).steps[0].kind, StepKind::Asserted { .. }));
        let wanted = hence::session::Wanted { every: true, ..Default::default() };
        let mut both = 0;
        session
            .why_each("q(2)", 0, wanted, &mut |_| {
                both += 1;
                true
            })
            .unwrap();
        assert_eq!(both, 2);
        // Only what was asserted is recorded.
        assert_eq!(session.ledger().unwrap().facts("q".into()).count(), 2);
        // What is fed goes with what feeds it, what is asserted stays.
        let gone = CommitRequest { retractions: vec![int("p", 1), int("p", 2)], ..CommitRequest::default() };
        session.commit(gone, false).unwrap();
        let seen = session.derive(&[String::from("seen")], 0).unwrap().relations.remove(0).2;
        assert_eq!(seen, [int("seen", 2), int("seen", 3)]);
    }
}
