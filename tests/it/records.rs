//! Records can't lie: an audit accepts every history that was honestly written, whatever the rules, parameters, engines
//! and manners of its runs, and finds every forged record.

use hence::session::compiled::Compiled;
use hence::session::{
    Audit, CommitRequest, Finding, Flip, Replay, Replayed, RuleSet, Session, read_fact_lines,
};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Engine;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_ledger::{Decision, Draft, Lapsed, Ledger, OpenOptions, RecordedRules, Run};
use serde_json::Value as Json;

use super::golden;
use super::sensors::{self, Dice};
use crate::slow;

const INPUTS: &str = r#"
input reading(sensor: string, value: int).
input weight(sensor: string, by: int).
input link(sensor: string, to: string).
param loud: int = 50.
"#;

const ALARM: &str = r#"
relation near(sensor: string, to: string).
near(A, B) :- link(A, B).
near(A, C) :- near(A, B), link(B, C).
decision alarm(sensor: string).
@because("{S} is at {V}, above {loud}")
alarm(S) :- reading(S, V), V > loud.
decision told(sensor: string, of: string).
@id(by_way)
@because("{S} hears of {O}")
told(S, O) :- near(S, O), alarm(O).
@id(by_level)
@because("{S} is as loud as {O}: {V}")
told(S, O) :- reading(S, V), reading(O, V), S != O.
decision late(sensor: string, at: time).
@because("{S} is loud at {T}")
late(S, T) :- reading(S, V), V > 60, now(T).
decision loudest(sensor: string, value: int).
@because("of all sensors, {S} is loudest with {V}")
loudest(S, V) :- reading(S, V) limit 1 by V desc.
decision level(sensor: string, mean: float, of: int).
@because("{S} was read {of} times")
level(S, mean(V), count()) :- reading(S, V).
"#;

const SHARE: &str = r#"
decision share(sensor: string, each: int).
@because("{V} by {W}")
share(S, V / W) :- reading(S, V), weight(S, W).
"#;

/// The same name for what is not a decision any more, and for one with another column.
const PLAIN_SHARE: &str = "relation share(sensor: string, each: int). share(S, W) :- weight(S, W).";
const WIDE_SHARE: &str =
    "decision share(sensor: string, by: int, value: int). share(S, W, V) :- weight(S, W), reading(S, V).";

fn rules(parts: &[&str], loud: i64) -> RuleSet {
    sensors::rules(parts, &[(Symbol::new("loud"), Value::Int(loud))])
}

/// Some of the rules, with some level.
fn some_rules(dice: &mut Dice) -> RuleSet {
    let parts: &[&str] = match dice.roll(6) {
        0 => &[INPUTS, ALARM],
        1 => &[INPUTS, SHARE],
        2 => &[INPUTS, ALARM, PLAIN_SHARE],
        3 => &[INPUTS, ALARM, WIDE_SHARE],
        _ => &[INPUTS, ALARM, SHARE],
    };
    rules(parts, 45 + 5 * dice.roll(3) as i64)
}

/// A ledger with a random history: stretches of commits by one rule set in one manner each, and facts asserted without
/// rules between them.
fn history(seed: u64, mut ledger: Ledger) -> Ledger {
    let mut dice = Dice::new(seed, 4);
    let mut time = 0;
    for _ in 0..5 {
        let direct = Draft { assertions: vec![dice.fact()], time, ..Draft::default() };
        ledger.commit(&direct).unwrap();
        let mut session = Session::over_ledger(some_rules(&mut dice), ledger).with_lenient(dice.roll(3) == 0);
        session = match dice.roll(4) {
            0 => session.with_engine(Box::new(Naive)),
            1 => session.with_engine(Box::<Compiled>::default()),
            _ => session,
        };
        for _ in 0..1 + dice.roll(6) {
            time += 1;
            let change = CommitRequest {
                assertions: (0..1 + dice.roll(2)).map(|_| dice.fact()).collect(),
                retractions: (0..dice.roll(3)).map(|_| dice.fact()).collect(),
                time,
                now: time / 2,
                ..CommitRequest::default()
            };
            session.commit(change, dice.roll(6) == 0).unwrap();
        }
        ledger = session.into_ledger().unwrap();
    }
    ledger
}

fn audit(ledger: &Ledger, engine: &dyn Engine) -> (u64, Vec<Finding>) {
    let first = ledger.archived().map_or(1, |(last, _)| last + 1);
    let mut found = Vec::new();
    let audit = Audit {
        ledger,
        from: first,
        to: ledger.last_tx(),
        engine,
        limits: hence_engine::Limits::default(),
        lenient: false,
    };
    let audited = audit.run(&mut |_| {}, &mut |finding| {
        found.push(finding.clone());
        true
    });
    (audited.unwrap().evaluated, found)
}

fn told(found: &[Finding]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn honest_histories_are_accepted() {
    let (mut evaluated, mut lapsed, mut lenient) = (0, 0, 0);
    for seed in 0..60 {
        let ledger = history(seed, Ledger::memory().unwrap());
        for engine in [&SemiNaive as &dyn Engine, &Naive] {
            let (count, found) = audit(&ledger, engine);
            assert_eq!(told(&found), Vec::<String>::new(), "seed {seed}");
            evaluated += count;
        }
        for tx in 1..=ledger.last_tx() {
            let transaction = ledger.transaction(tx).unwrap();
            lapsed += transaction.lapsed.iter().filter(|(lapsed, _)| lapsed.reason.is_some()).count();
            lenient += usize::from(transaction.info.run.is_some_and(|run| run.lenient));
        }
    }
    assert!(evaluated > 1_000 && lapsed > 100 && lenient > 100, "{evaluated} {lapsed} {lenient}");
}

#[test]
fn an_honest_history_is_accepted_when_it_was_compacted_and_goes_on() {
    for seed in 0..3 {
        let folder = crate::memory::folder();
        let open = || Ledger::open(folder.path(), &OpenOptions::default()).unwrap();
        let mut ledger = history(seed, open());
        ledger.compact(1_000, "test").unwrap();
        drop(ledger.close());
        let ledger = history(seed + 100, open());
        let (evaluated, found) = audit(&ledger, &SemiNaive);
        assert_eq!(told(&found), Vec::<String>::new(), "seed {seed}");
        assert!(evaluated > 5, "{evaluated}");
    }
}

#[test]
fn the_golden_cases_of_every_pack_are_accepted() {
    let mut drawn = 0;
    for pack in crate::golden::packs() {
        let mut rules = golden::rules(pack);
        // The cases suppose their facts, whoever may assert them.
        rules.program.relations.iter_mut().for_each(|relation| relation.authors = None);
        let mut session = Session::over_ledger(rules, Ledger::memory().unwrap());
        for (at, case) in golden::cases(pack).iter().enumerate() {
            let lines: Vec<String> = case["facts"].as_array().unwrap().iter().map(Json::to_string).collect();
            let facts = read_fact_lines(session.rules(), "case", &lines.join("\n")).unwrap();
            let now = case["now"].as_str().and_then(literal::parse_time).unwrap_or(0);
            // What stood before goes with what comes, so that decisions lapse as well.
            let before = session.given().unwrap();
            let before = before.into_iter().filter(|fact| fact.relation.as_str() != "now");
            let change = CommitRequest {
                assertions: facts,
                retractions: if at % 3 == 2 { before.collect() } else { Vec::new() },
                time: at as i64,
                now,
                ..CommitRequest::default()
            };
            let outcome = session.commit(change, false).unwrap();
            drawn += outcome.drawn.len();
        }
        let ledger = session.into_ledger().unwrap();
        let engines: [Box<dyn Engine>; 2] = [Box::new(SemiNaive), Box::<Compiled>::default()];
        for engine in &engines {
            assert_eq!(told(&audit(&ledger, engine.as_ref()).1), Vec::<String>::new(), "{pack}");
        }
    }
    assert!(drawn > 200, "{drawn}");
}

/// The transactions of a ledger as they were proposed.
pub(crate) fn drafts(ledger: &Ledger) -> Vec<Draft> {
    let draft = |tx| {
        let transaction = ledger.transaction(tx).unwrap();
        let info = transaction.info;
        Draft {
            time: info.time,
            author: info.author,
            source: info.source,
            note: info.note,
            assertions: transaction.added,
            retractions: transaction.removed.into_iter().map(|(fact, _)| fact).collect(),
            clock: info.clock,
            rules: info.rules.map(|hash| ledger.rules(hash).unwrap().unwrap()),
            run: info.run,
            schemas: info.schemas,
            steps: info.steps,
            said: info.said,
            drawn: transaction.drawn,
            lapsed: transaction.lapsed.into_iter().map(|(lapsed, _)| lapsed).collect(),
            expect_tx: None,
            always: false,
            deferred: false,
        }
    };
    (1..=ledger.last_tx()).map(draft).collect()
}

/// A ledger of these drafts; the number of the first that is refused.
fn recorded(drafts: &[Draft]) -> Result<Ledger, u64> {
    let mut ledger = Ledger::memory().unwrap();
    for (draft, number) in drafts.iter().zip(1_u64..) {
        ledger.commit(draft).map_err(|_| number)?;
    }
    Ok(ledger)
}

fn written(drafts: &[Draft]) -> Ledger {
    recorded(drafts).unwrap()
}

type Forge = (&'static str, fn(&mut Draft) -> bool);

/// Ways to forge a transaction; each tells whether there was anything to forge.
const FORGERIES: [Forge; 13] = [
    ("a sentence", |draft| {
        let first = draft.drawn.iter_mut().find_map(|decision| decision.sentence.as_mut());
        first.map(|sentence| *sentence = String::from("eve signed for it")).is_some()
    }),
    ("no sentence", |draft| draft.drawn.iter_mut().any(|decision| decision.sentence.take().is_some())),
    ("a rule", |draft| {
        let first = draft.drawn.first_mut();
        first.map(|decision| decision.rule = Some(String::from("by_king"))).is_some()
    }),
    ("another rule of the decision", |draft| {
        let by_way = draft.drawn.iter_mut().find(|decision| decision.rule.as_deref() == Some("by_way"));
        by_way.map(|decision| decision.rule = Some(String::from("by_level"))).is_some()
    }),
    ("a decision that doesn't follow", |draft| {
        let fact = Fact::new("alarm", [Value::String(Symbol::new("mallory"))]);
        draft.drawn.push(Decision { fact, rule: Some(String::from("alarm#1")), sentence: None });
        draft.rules.is_some()
    }),
    ("a decision less", |draft| draft.drawn.pop().is_some()),
    ("a lapse less", |draft| draft.lapsed.pop().is_some()),
    ("a reason of a lapse", |draft| {
        let first = draft.lapsed.first_mut();
        first.map(|lapsed| lapsed.reason = Some(String::from("nobody wanted it"))).is_some()
    }),
    ("no reason of a lapse", |draft| draft.lapsed.iter_mut().any(|lapsed| lapsed.reason.take().is_some())),
    ("no rules", |draft| {
        (draft.clock, draft.rules) = (None, None);
        !draft.drawn.is_empty() || !draft.lapsed.is_empty()
    }),
    ("no clock", |draft| {
        draft.clock = None;
        draft.rules.is_some()
    }),
    ("a parameter", |draft| {
        let Some(rules) = &mut draft.rules else { return false };
        let loud = (String::from("loud"), String::from("\"very\""));
        *rules = RecordedRules::new(rules.files().to_vec(), vec![loud]);
        true
    }),
    ("an engine", |draft| {
        let Some(Run { engine, .. }) = &mut draft.run else { return false };
        *engine = String::from("oracle");
        true
    }),
];

#[test]
fn every_forged_record_is_found() {
    let mut forged = [0; FORGERIES.len()];
    for seed in 0..4 {
        // A copy of a copy: what changed nothing is not a transaction there.
        let honest = drafts(&written(&drafts(&history(seed, Ledger::memory().unwrap()))));
        assert_eq!(told(&audit(&written(&honest), &SemiNaive).1), Vec::<String>::new(), "a copy of {seed}");
        for (at, (what, forge)) in FORGERIES.iter().enumerate() {
            for tx in (0..honest.len()).skip(at % 3).step_by(3) {
                let mut drafts = honest.clone();
                let reasoned = |draft: &Draft| draft.lapsed.iter().any(|lapsed| lapsed.reason.is_some());
                if *what == "no reason of a lapse" && !honest[..tx].iter().any(reasoned) {
                    // As an earlier version would have recorded it.
                    continue;
                }
                if !forge(&mut drafts[tx]) {
                    continue;
                }
                forged[at] += 1;
                let ledger = match recorded(&drafts) {
                    Ok(ledger) => ledger,
                    Err(refused) => {
                        assert_eq!((*what, refused), ("no rules", tx as u64 + 1));
                        continue;
                    }
                };
                let (_, found) = audit(&ledger, &SemiNaive);
                let first = found.first().unwrap_or_else(|| panic!("{what} in {} of {seed}", tx + 1));
                assert_eq!(first.tx, tx as u64 + 1, "{what}: {first}");
                assert!(found.iter().any(|finding| finding.what.is_lie()), "{what}: {first}");
            }
        }
    }
    let names = FORGERIES.iter().map(|(what, _)| what);
    assert!(forged.iter().all(|count| *count > 0), "{:?}", names.zip(forged).collect::<Vec<_>>());
}

#[test]
fn a_lapse_of_what_still_follows_and_another_clock_are_found() {
    let honest = drafts(&written(&drafts(&history(3, Ledger::memory().unwrap()))));
    let (mut lapses, mut clocks) = (0, 0);
    for tx in 1..honest.len() {
        let standing = written(&honest[..tx]).decisions().unwrap();
        let gone = |fact: &Fact| honest[tx].lapsed.iter().any(|lapsed| lapsed.fact == *fact);
        let kept = standing.into_iter().map(|standing| standing.decision.fact).find(|fact| !gone(fact));
        if let Some(fact) = kept.filter(|_| honest[tx].rules.is_some()) {
            let mut drafts = honest.clone();
            drafts[tx].lapsed.push(Lapsed::from(fact));
            assert!(!audit(&written(&drafts), &SemiNaive).1.is_empty(), "a lapse in {}", tx + 1);
            lapses += 1;
        }
        if honest[tx].drawn.iter().any(|decision| decision.fact.relation.as_str() == "late") {
            let mut drafts = honest.clone();
            drafts[tx].clock = drafts[tx].clock.map(|clock| clock + 1);
            assert!(!audit(&written(&drafts), &SemiNaive).1.is_empty(), "the clock of {}", tx + 1);
            clocks += 1;
        }
    }
    assert!(lapses > 3 && clocks > 0, "{lapses} {clocks}");
    let runs: Vec<usize> = (0..honest.len()).filter(|tx| honest[*tx].run.is_some()).collect();
    for tx in &runs[1..] {
        let mut drafts = honest.clone();
        drafts[*tx].run = None;
        assert_eq!(audit(&written(&drafts), &SemiNaive).1[0].tx, *tx as u64 + 1, "a run that was taken out");
    }
}

#[test]
fn a_record_from_before_runs_may_tell_another_derivation_and_no_other() {
    let text = format!(
        "{INPUTS} decision hot(sensor: string). @id(hot) @because(\"{{S}} at {{V}}\") hot(S) :- reading(S, V)."
    );
    let mut session = Session::over_ledger(rules(&[&text], 50), Ledger::memory().unwrap());
    let fact = |value| Fact::new("reading", [Value::String(Symbol::new("attic")), Value::Int(value)]);
    let change = CommitRequest { assertions: vec![fact(1), fact(2)], ..CommitRequest::default() };
    session.commit(change, false).unwrap();
    let mut drafts = drafts(&session.into_ledger().unwrap());
    assert_eq!(drafts[0].drawn[0].sentence.as_deref(), Some("attic at 1"));
    drafts[0].run = None;
    for (sentence, lies) in [("attic at 1", None), ("attic at 2", Some(false)), ("attic at 3", Some(true))] {
        drafts[0].drawn[0].sentence = Some(sentence.to_owned());
        let (_, found) = audit(&written(&drafts), &SemiNaive);
        assert_eq!(found.first().map(|finding| finding.what.is_lie()), lies, "{sentence}");
    }
}

/// What a replay says: each flip, and what it came to.
fn replayed(
    ledger: &Ledger,
    (rules, sets): Others<'_>,
    explained: usize,
    threads: usize,
) -> (Vec<Flip>, Replayed) {
    let last = ledger.last_tx();
    let replay = Replay {
        ledger,
        rules,
        sets,
        from: last / 5,
        to: last,
        engine: &SemiNaive,
        limits: hence_engine::Limits::default(),
        lenient: false,
        explained,
        threads,
    };
    let mut flips = Vec::new();
    let replayed = replay.run(&mut |_| {}, &mut |flip| {
        flips.push(flip);
        true
    });
    (flips, replayed.unwrap())
}

/// Other rules, and parameters that are set otherwise.
type Others<'a> = (Option<&'a RuleSet>, &'a [(Symbol, Value)]);

#[test]
fn a_replay_in_parts_says_what_one_in_one_go_says() {
    let (louder, others) = ([(Symbol::new("loud"), Value::Int(60))], rules(&[INPUTS, ALARM, SHARE], 50));
    let mut flipped = 0;
    let seeds = slow::size(15, 400);
    for seed in 0..seeds as u64 {
        let ledger = history(seed, Ledger::memory().unwrap());
        // Each number of threads comes to each question and each way to explain in turn.
        let mut threads = [2, 3, 7].into_iter().cycle().skip(seed as usize);
        for asked in [(None, &[][..]), (None, &louder[..]), (Some(&others), &[][..])] {
            for explained in [1, usize::MAX] {
                let whole = replayed(&ledger, asked, explained, 1);
                flipped += whole.0.len();
                let parts = replayed(&ledger, asked, explained, threads.next().unwrap());
                assert_eq!(parts, whole, "seed {seed}");
            }
        }
    }
    assert!(flipped * 2 > seeds * 25, "{flipped}");
}

#[test]
fn a_replay_in_parts_ends_where_nobody_wants_more() {
    let (ledger, others) = (history(3, Ledger::memory().unwrap()), rules(&[INPUTS, ALARM, SHARE], 60));
    let all = replayed(&ledger, (Some(&others), &[]), 1, 1).0.len();
    assert!(all > 2, "{all}");
    let session = Session::over_ledger(others.clone(), ledger);
    let mut replay = session.replay(Some(&others), 1, session.ledger().unwrap().last_tx()).unwrap();
    replay.threads = 3;
    let mut seen = 0;
    let replayed = replay.run(&mut |_| {}, &mut |_| {
        seen += 1;
        seen < 2
    });
    assert_eq!((replayed.unwrap().flips, seen), (2, 2));
}
