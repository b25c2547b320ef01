//! Standing evaluations against the naive engine: random programs under random sequences of changes, each step
//! compared with an evaluation from scratch.

use std::time::Instant;

use hence::backend::naive::Naive;
use hence::backend::seminaive::standing::{Edit, Standing};
use hence::backend::{Database, Engine, Limits, Model, Rows};
use hence::ir::Program;
use hence::schema::RelationId;
use hence::value::Word;

use super::check::same;
use super::random::{self, Random};
use super::shrink::shrink;

/// A row that is asserted or retracted.
type Step = (RelationId, Vec<Word>, bool);

/// A standing evaluation, and the facts that it was told.
struct Told {
    standing: Standing,
    input: Database,
}

impl Told {
    fn new(program: &Program, input: &Database) -> Result<Self, String> {
        let standing =
            Standing::new(program, input, &Limits::default()).map_err(|stop| format!("{stop:?}"))?;
        Ok(Self { standing, input: input.clone() })
    }

    fn apply(&mut self, program: &Program, steps: &[Step]) -> Result<(), String> {
        let edits: Vec<Edit<'_>> = steps
            .iter()
            .map(|(relation, row, stands)| Edit { relation: *relation, row, stands: *stands })
            .collect();
        for (relation, row, stands) in steps {
            let rows = &mut self.input.relations[relation.0 as usize];
            let mut left = Rows::new(rows.arity());
            rows.iter().filter(|other| other != row).for_each(|row| left.push(row));
            stands.then(|| left.push(row));
            *rows = left;
        }
        // Where a program may run away, it is left alone.
        if Naive.evaluate(program, &self.input, &random::LIMITS).is_ok() {
            self.standing.apply(&edits).map_err(|stop| format!("{stop:?}"))?;
        }
        Ok(())
    }

    /// Whether everything is as an evaluation from scratch has it, and what came and went is the difference.
    fn check(&self, program: &Program, before: &Model) -> Result<Option<Model>, String> {
        let Ok(naive) = Naive.evaluate(program, &self.input, &random::LIMITS) else { return Ok(None) };
        same(program, &naive, &self.standing.model())?;
        for relation in (0..program.relations.len() as u32).map(RelationId) {
            let sorted = |model: &Model| {
                let rows = model.relations[relation.0 as usize].rows.iter().map(<[Word]>::to_vec);
                rows.collect::<std::collections::BTreeSet<_>>()
            };
            let (old, new) = (sorted(before), sorted(&naive));
            let mut expected: Vec<(Vec<Word>, bool)> =
                new.difference(&old).map(|row| (row.clone(), true)).collect();
            expected.extend(old.difference(&new).map(|row| (row.clone(), false)));
            let mut found: Vec<_> =
                self.standing.changes(relation).map(|(row, came)| (row.to_vec(), came)).collect();
            expected.sort();
            found.sort();
            if expected != found {
                return Err(format!("changes of {relation:?}: expected {expected:?}, found {found:?}"));
            }
            if self.standing.len(relation) != new.len() {
                return Err(format!("{relation:?} has another size"));
            }
        }
        Ok(Some(naive))
    }
}

/// A random sequence of changes: rows of the input and others, of any relation, now asserted, now retracted.
fn steps(program: &Program, input: &Database, seed: u64) -> Vec<Vec<Step>> {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut pool: Vec<(RelationId, Vec<Word>)> = Vec::new();
    for (at, rows) in (0..).zip(&input.relations) {
        pool.extend(rows.iter().map(|row| (RelationId(at), row.to_vec())));
    }
    for _ in 0..4 {
        let relation = RelationId(random.below(program.relations.len()) as u32);
        pool.push((relation, random::row(&mut random, program, relation)));
    }
    let changes = 2 + random.below(8);
    let change = |_| {
        let count = if random.chance(70) { 1 } else { 1 + random.below(5) };
        let step = |_| {
            let (relation, row) = pool[random.below(pool.len())].clone();
            (relation, row, random.chance(50))
        };
        (0..count).map(step).collect()
    };
    (0..changes).map(change).collect()
}

/// How a standing evaluation differs from one from scratch, if it does; and how many changes were compared.
fn difference(program: &Program, input: &Database, changes: &[Vec<Step>]) -> Result<u64, String> {
    let nothing = Model {
        relations: input.relations.iter().map(|_| Default::default()).collect(),
        undefined: Vec::new(),
    };
    if Naive.evaluate(program, input, &random::LIMITS).is_err() {
        return Ok(0);
    }
    let mut told = Told::new(program, input)?;
    let Some(mut before) = told.check(program, &nothing)? else { return Ok(0) };
    let mut compared = 0;
    for (at, change) in changes.iter().enumerate() {
        told.apply(program, change).map_err(|stop| format!("change {at}: {stop}"))?;
        match told.check(program, &before).map_err(|difference| format!("change {at}: {difference}"))? {
            Some(model) => before = model,
            None => return Ok(compared),
        }
        compared += 1;
    }
    Ok(compared)
}

fn run(seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    let total = seeds.end - seeds.start;
    for seed in seeds {
        let (program, input) = random::program(seed);
        let changes = steps(&program, &input, seed);
        match difference(&program, &input, &changes) {
            Ok(count) => compared += count,
            Err(_) => report(seed, program, input, changes),
        }
    }
    assert!(compared > total * 3, "only {compared} changes were compared");
}

/// Panics with a smallest program, input and sequence that still differ.
fn report(seed: u64, program: Program, input: Database, mut changes: Vec<Vec<Step>>) {
    let mut at = 0;
    while at < changes.len() {
        let mut fewer = changes.clone();
        fewer.remove(at);
        match difference(&program, &input, &fewer) {
            Err(_) => changes = fewer,
            Ok(_) => at += 1,
        }
    }
    let (program, input) =
        shrink(program, input, |program, input| difference(program, input, &changes).is_err());
    let difference = difference(&program, &input, &changes).unwrap_err();
    panic!("seed {seed}: {difference}\n{program}\n{:?}\n{changes:?}", input.relations);
}

#[test]
fn random_changes_leave_what_an_evaluation_from_scratch_gives() {
    run(0..6000);
}

#[test]
fn many_random_changes_leave_what_an_evaluation_from_scratch_gives() {
    if std::env::var_os("HENCE_SLOW").is_some() {
        let start = Instant::now();
        let minutes =
            std::env::var("HENCE_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_u64);
        for batch in 1.. {
            run(batch * 5_000..(batch + 1) * 5_000);
            if start.elapsed().as_secs() > minutes * 60 {
                break;
            }
        }
    }
}
