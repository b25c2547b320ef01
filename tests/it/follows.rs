//! A session that only reads follows the writer of its ledger, and what it supposes for a request is what an evaluation
//! from scratch gives; after the request nothing of it is left.

use crate::slow;
use hence::session::{CommitRequest, RuleSet, Session, facts_of};
use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_ledger::{Draft, Ledger, OpenOptions};

use super::effects::{fact, program};
use super::random::Dice;

fn facts(dice: &mut Dice, most: usize) -> Vec<Fact> {
    (0..dice.below(most)).map(|_| fact(dice)).collect()
}

fn reader(dir: &std::path::Path, rules: &RuleSet, tx: u64) -> Session {
    let options = OpenOptions { up_to: Some(tx), ..OpenOptions::default() };
    Session::over_ledger(rules.clone(), Ledger::open_to_ask(dir, &options).unwrap())
}

/// All facts of all decisions, as the reader sees them with those of a request.
fn supposed(reader: &mut Session, asked: &[Fact], now: i64) -> Vec<Fact> {
    let seen = reader.supposing((asked, "somebody"), now, |supposed| {
        let program = &supposed.rules().program;
        let ids = (0..program.relations.len() as u32).map(RelationId);
        let decided = ids.filter(|id| program[*id].kind == Kind::Decision);
        Ok(decided
            .flat_map(|id| supposed.facts(id, &vec![None; program[id].columns.len()]))
            .collect::<Vec<_>>())
    });
    let mut seen = seen.unwrap();
    seen.sort();
    seen
}

/// The same from scratch.
fn fresh(rules: &RuleSet, given: Vec<Fact>, now: i64) -> Vec<Fact> {
    let evaluation = Session::over_facts(rules.clone(), given).unwrap().evaluate(now).unwrap();
    let program = &rules.program;
    let ids = (0..program.relations.len() as u32).map(RelationId);
    let decided = ids.filter(|id| program[*id].kind == Kind::Decision);
    let mut all: Vec<Fact> = decided.flat_map(|id| facts_of(program, &evaluation.model, id)).collect();
    all.sort();
    all
}

#[test]
fn what_a_reader_supposes_is_what_an_evaluation_from_scratch_gives() {
    let (mut followed, mut decided) = (0, 0);
    let seeds = slow::size(20, 600);
    for seed in 0..seeds {
        let mut dice = Dice::new(seed);
        let rules = program(&mut dice);
        let dir = crate::memory::folder();
        let ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
        let mut writer = Session::over_ledger(rules.clone(), ledger);
        let mut reader = reader(dir.path(), &rules, 0);
        for now in 1..12 {
            let (assertions, retractions) = (facts(&mut dice, 4), facts(&mut dice, 3));
            let change =
                CommitRequest { assertions, retractions, time: now, now, ..CommitRequest::default() };
            if writer.commit(change, false).is_err() || dice.chance(40) {
                continue;
            }
            reader.follow(writer.last_tx()).unwrap();
            assert_eq!(reader.last_tx(), writer.last_tx(), "seed {seed}");
            let given = writer.given().unwrap();
            assert_eq!(reader.given().unwrap(), given, "facts at seed {seed}, {now}");
            let asked = facts(&mut dice, 4);
            let all = [given.clone(), asked.clone()].concat();
            let seen = supposed(&mut reader, &asked, now);
            assert_eq!(seen, fresh(&rules, all, now), "with {asked:?} at seed {seed}, {now}");
            assert_eq!(
                supposed(&mut reader, &[], now),
                fresh(&rules, given, now),
                "after {asked:?} at seed {seed}, {now}"
            );
            followed += 1;
            decided += seen.len();
        }
    }
    assert!(followed > 50 && decided > 50, "{followed} {decided}");
}

#[test]
fn a_reader_goes_on_over_many_segments() {
    let dir = crate::memory::folder();
    let options = OpenOptions { segment_limit: 2000, ..OpenOptions::default() };
    let mut writer = Ledger::open(dir.path(), &options).unwrap();
    let asking = OpenOptions { up_to: Some(0), ..OpenOptions::default() };
    let mut reader = Ledger::open_to_ask(dir.path(), &asking).unwrap();
    for number in 0..200 {
        let value = hence_core::value::Value::Int(number);
        let draft = Draft { assertions: vec![Fact::new("p", [value])], time: number, ..Draft::default() };
        writer.commit(&draft).unwrap();
        reader.follow(writer.last_tx()).unwrap();
        assert_eq!((reader.last_tx(), reader.head()), (writer.last_tx(), writer.head()));
        assert_eq!(reader.transaction(writer.last_tx()).unwrap().added.len(), 1);
    }
    assert!(reader.follow(1000).is_err(), "there is no such transaction");
}
