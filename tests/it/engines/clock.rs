//! The clock of incremental evaluations against the naive engine: random rules over the clock, random moves of it and
//! random changes, each compared with an evaluation from scratch at that instant; and nothing changes between two
//! instants at which something may.

use crate::slow;
use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::{Database, Engine, FactChange, Incremental, Limits, Model, Naive};
use hence_lang::ir::Program;

use crate::random::clocked::{self, BEGIN, Clocked};
use crate::random::{self, Dice, LIMITS};

use super::check::same;

const HOUR: i64 = 3_600_000_000;

/// Rules over the clock at work, beside the facts that they were told.
struct Clock {
    program: Program,
    now: RelationId,
    incremental: Incremental,
    input: Database,
    at: i64,
    restless: bool,
}

impl Clock {
    /// None where the rules reach a limit.
    fn new(of: &Clocked, at: i64) -> Result<Option<Self>, String> {
        let (rules, input) = random::load(&of.text())?;
        let program = rules.program;
        let now = program.find("now".into()).ok_or("there is no clock")?;
        if scratch(&program, &input, now, at).is_none() {
            return Ok(None);
        }
        let incremental = Incremental::with_clock(&program, &input, at, &Limits::default());
        let incremental = incremental.map_err(|stop| format!("{stop:?}"))?;
        Ok(Some(Self { program, now, incremental, input, at, restless: of.restless }))
    }

    fn scratch(&self, at: i64) -> Option<Model> {
        scratch(&self.program, &self.input, self.now, at)
    }

    /// Whether everything is as from scratch, and stays so until the clock may change something; false where that can't be told.
    fn check(&self, dice: &mut Dice) -> Result<bool, String> {
        let Some(expected) = self.scratch(self.at) else { return Ok(false) };
        same(&self.program, &expected, &self.incremental.model())?;
        if self.restless {
            return Ok(true);
        }
        let until = self.incremental.next_change();
        if until.is_some_and(|until| until <= self.at) {
            return Err(format!("the next change {until:?} is not after {}", self.at));
        }
        let last = until.map_or(self.at + 3_000 * HOUR, |until| until - 1);
        let span = (last - self.at) as u64 + 1;
        for instant in [last, self.at + (dice.roll() % span) as i64] {
            let Some(mut found) = self.scratch(instant) else { return Ok(false) };
            found.undefined.clone_from(&expected.undefined);
            found.relations[self.now.0 as usize].clone_from(&expected.relations[self.now.0 as usize]);
            same(&self.program, &expected, &found)
                .map_err(|how| format!("at {instant}, before the next change {until:?}: {how}"))?;
        }
        Ok(true)
    }

    /// Moves the clock and changes facts; what came and went must be the difference.
    fn advance(&mut self, at: i64, steps: &[(RelationId, Vec<Word>, bool)]) -> Result<bool, String> {
        let before = self.incremental.model();
        for (relation, row, asserted) in steps {
            let rows = &mut self.input.relations[relation.0 as usize];
            let mut left = hence_engine::Rows::new(rows.arity());
            rows.iter().filter(|other| other != row).for_each(|row| left.push(row));
            asserted.then(|| left.push(row));
            *rows = left;
        }
        self.at = at;
        if self.scratch(at).is_none() {
            return Ok(false);
        }
        let edits: Vec<FactChange<'_>> = steps
            .iter()
            .map(|(relation, row, asserted)| FactChange { relation: *relation, row, asserted: *asserted })
            .collect();
        self.incremental.advance(&edits, at).map_err(|stop| format!("{stop:?}"))?;
        let after = self.incremental.model();
        for relation in (0..self.program.relations.len() as u32).map(RelationId) {
            let (old, new) = (rows(&before, relation), rows(&after, relation));
            let came = new.difference(&old).map(|row| (row.clone(), true));
            let expected: BTreeSet<_> =
                came.chain(old.difference(&new).map(|row| (row.clone(), false))).collect();
            let found: BTreeSet<_> =
                self.incremental.changes(relation).map(|(row, came)| (row.to_vec(), came)).collect();
            if expected != found {
                return Err(format!("changes of {relation:?}: expected {expected:?}, found {found:?}"));
            }
        }
        Ok(true)
    }
}

fn rows(model: &Model, relation: RelationId) -> BTreeSet<Vec<Word>> {
    model.relations[relation.0 as usize].rows.iter().map(<[Word]>::to_vec).collect()
}

fn scratch(program: &Program, input: &Database, now: RelationId, at: i64) -> Option<Model> {
    let mut input = input.clone();
    input.push(now, &[Word::from_int(at)]);
    Naive.evaluate(program, input, &LIMITS).ok()
}

/// Where the clock goes next.
fn next(dice: &mut Dice, clock: &Clock) -> i64 {
    let change = clock.incremental.next_change().unwrap_or(clock.at + HOUR);
    match dice.below(12) {
        0 => clock.at,
        1 => clock.at + 1,
        2 | 3 => clock.at + (dice.roll() % (6 * HOUR) as u64) as i64,
        4 => clock.at + (dice.roll() % (30 * HOUR) as u64) as i64,
        5 => change - 1,
        6 => clocked::time(dice).max(clock.at),
        7 if dice.one_in(4) => clocked::time(dice),
        _ => change.min(clock.at + 1000 * HOUR),
    }
}

/// How rules at work differ from those from scratch, if they do; and how many steps were compared.
fn difference(of: &Clocked, seed: u64) -> Result<u64, String> {
    let caught = std::panic::catch_unwind(|| compared(of, seed));
    caught.unwrap_or_else(|_| Err(String::from("a step panics")))
}

fn compared(of: &Clocked, seed: u64) -> Result<u64, String> {
    let mut dice = Dice::new(seed);
    let begin = BEGIN + (dice.roll() % (40 * HOUR) as u64) as i64;
    let Some(mut clock) = Clock::new(of, begin)? else { return Ok(0) };
    let mut compared = 0;
    for step in 0..12 {
        match clock.check(&mut dice).map_err(|how| format!("after step {step}: {how}"))? {
            true => compared += 1,
            false => return Ok(compared),
        }
        let at = next(&mut dice, &clock);
        let mut steps = Vec::new();
        if dice.chance(40) {
            let known = &of.facts;
            let fact = if dice.chance(50) { dice.pick(known) } else { clocked::fact(&mut dice) };
            let of_fact = Clocked { facts: vec![fact], ..of.clone() };
            let (_, rows) = random::load(&of_fact.text())?;
            let relations = (0..).map(RelationId).zip(&rows.relations);
            let rows = relations.flat_map(|(id, rows)| rows.iter().map(move |row| (id, row.to_vec())));
            steps.extend(rows.map(|(id, row)| (id, row, dice.chance(50))));
        }
        let done = clock.advance(at, &steps).map_err(|how| format!("step {step} to {at}: {how}"))?;
        if !done {
            return Ok(compared);
        }
    }
    Ok(compared)
}

/// The smallest rules and facts that still differ.
fn shrunk(mut of: Clocked, seed: u64) -> Clocked {
    let mut shrinks = true;
    while std::mem::take(&mut shrinks) {
        for at in (0..of.rules.len()).rev() {
            let mut fewer = of.clone();
            fewer.rules.remove(at);
            if matches!(difference(&fewer, seed), Err(how) if how.contains("step")) {
                (of, shrinks) = (fewer, true);
            }
        }
        for at in (0..of.facts.len()).rev().filter(|_| of.facts.len() > 1).collect::<Vec<_>>() {
            let mut fewer = of.clone();
            fewer.facts.remove(at);
            if !fewer.facts.is_empty() && matches!(difference(&fewer, seed), Err(how) if how.contains("step"))
            {
                (of, shrinks) = (fewer, true);
            }
        }
    }
    of
}

fn run(seeds: std::ops::Range<u64>) {
    let (mut compared, total) = (0, seeds.end - seeds.start);
    for seed in seeds {
        let of = clocked::clocked(seed);
        match difference(&of, seed) {
            Ok(count) => compared += count,
            Err(how) => {
                let small = shrunk(of, seed);
                let how = difference(&small, seed).err().unwrap_or(how);
                panic!("seed {seed}: {how}\n{}\n{}", small.rules.join("\n"), small.facts.join("\n"));
            }
        }
    }
    assert!(compared > total * 6, "only {compared} steps were compared");
}

/// Whoever asserts facts of the clock's relation has rules read it as any other.
#[test]
fn facts_beside_the_clock_are_read_as_any_others() {
    let facts = vec![format!("ev(1, {})", hence_core::value::Value::Time(BEGIN + HOUR))];
    let of = Clocked {
        rules: vec![String::from("due(K) :- ev(K, A), now(Now), A <= Now.")],
        facts,
        restless: false,
    };
    let mut clock = Clock::new(&of, BEGIN).unwrap().unwrap();
    let (mut dice, now) = (Dice::new(0), clock.now);
    assert!(clock.check(&mut dice).unwrap());
    clock.restless = true;
    for (at, step) in [(1, vec![(now, vec![Word::from_int(BEGIN + 2 * HOUR)], true)]), (2, Vec::new())] {
        assert!(clock.advance(BEGIN + at, &step).unwrap());
        assert!(clock.check(&mut dice).unwrap());
    }
    assert!(clock.advance(BEGIN + 3, &[(now, vec![Word::from_int(BEGIN + 2 * HOUR)], false)]).unwrap());
    assert!(clock.check(&mut dice).unwrap());
}

#[test]
fn a_clock_that_moves_leaves_what_an_evaluation_from_scratch_gives() {
    run(0..300);
}

#[test]
fn a_clock_that_moves_for_long_leaves_what_an_evaluation_from_scratch_gives() {
    slow::seeds(5_000, run);
}
