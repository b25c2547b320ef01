//! Workers of differential dataflow give the model of the naive engine: facts, ranks, reports and limits.

mod parts;
mod processes;
mod strangers;

use crate::slow;
use hence::dataflow::{Dataflow, Workers};
use hence::session::{self, Loader};
use hence_core::schema::{Kind, RelationId};
use hence_engine::{Bound, Database, Engine, Limits, Naive};
use hence_lang::ir::Program;

use crate::engines::check::{agree, same};
use crate::random::{self, Dice, LIMITS};

/// How workers differ from the naive engine, over `inputs` one after the other; how many of them came to an end.
fn difference(program: &Program, inputs: &[Database], threads: usize) -> Result<usize, String> {
    let (engine, cluster) =
        Dataflow::start(program.clone(), "", Workers::of_one_process(threads), &LIMITS).unwrap();
    let mut ended = 0;
    for input in inputs {
        let naive = Naive.evaluate(program, input.clone(), &LIMITS);
        let found = engine.evaluate(program, input.clone(), &LIMITS);
        match (&naive, &found) {
            (Ok(naive), Ok(found)) => {
                same(program, naive, found)?;
                ended += 1;
            }
            // A limit ends the workers.
            (Err(_), Err(_)) => break,
            _ => drop(agree(program, naive, found)?),
        }
    }
    drop(engine);
    cluster.end().map_err(|error| error.to_string())?;
    Ok(ended)
}

/// The input, and some inputs after it, each a few facts from the one before.
fn history(seed: u64, program: &Program, input: Database) -> Vec<Database> {
    let mut dice = Dice::new(seed);
    let ids = (0..program.relations.len() as u32).map(RelationId);
    let inputs: Vec<RelationId> = ids.filter(|id| program[*id].kind == Kind::Input).collect();
    let mut all = vec![input.clone()];
    let mut now = input;
    for _ in 0..3 {
        for _ in 0..2 {
            if inputs.is_empty() {
                break;
            }
            let id = inputs[dice.below(inputs.len())];
            let gone = dice.below(now.relations[id.0 as usize].len().max(1));
            let mut rows = hence_engine::Rows::new(program[id].columns.len());
            let old = now.relations[id.0 as usize].clone();
            old.iter().enumerate().filter(|(at, _)| *at != gone).for_each(|(_, row)| rows.push(row));
            if dice.below(3) > 0 {
                rows.push(&random::row(&mut dice, program, id));
            }
            now.relations[id.0 as usize] = rows;
        }
        all.push(now.clone());
    }
    all
}

fn run(seeds: std::ops::Range<u64>) {
    let (mut programs, mut ended) = (0, 0);
    for seed in seeds {
        let (program, input) = random::program(seed);
        let history = history(seed, &program, input);
        let threads = [1, 2, 4][(seed % 3) as usize];
        match difference(&program, &history, threads) {
            Ok(count) => ended += count,
            Err(difference) => panic!("seed {seed} on {threads} workers: {difference}\n{program}"),
        }
        programs += 1;
    }
    println!("{programs} programs, {ended} transactions");
    assert!(ended > programs * 2, "too plain: {programs}, {ended}");
}

#[test]
fn random_programs_mean_the_same_to_workers() {
    run(0..120);
}

#[test]
fn many_random_programs_mean_the_same_to_workers() {
    if slow::is_slow() {
        run(120..4000);
    }
}

/// What ends workers on a program without an end.
fn stopped(text: &str, limits: Limits) -> Bound {
    let mut loader = Loader::default();
    loader.text("endless.dl", text);
    let rules = *session::check(loader.finish(), &[]).rules.unwrap();
    let input = Database::new(&rules.program);
    let (engine, cluster) =
        Dataflow::start(rules.program.clone(), "", Workers::of_one_process(2), &limits).unwrap();
    let reached = engine.evaluate(&rules.program, input.clone(), &limits).unwrap_err();
    let naive = Naive.evaluate(&rules.program, input, &limits).unwrap_err();
    assert_eq!(reached.bound, naive.bound);
    drop(engine);
    cluster.end().unwrap();
    reached.bound
}

#[test]
fn limits_end_what_has_no_end() {
    let few = Limits { facts: 500, ..Limits::default() };
    let rounds = Limits { iterations: 40, ..Limits::default() };
    let endless = "n(1).\nn(X + 1) :- n(X).\n";
    assert_eq!(stopped(endless, few), Bound::Facts(500));
    assert_eq!(stopped(endless, rounds), Bound::Iterations(40));
    let range = "n(1).\nm(Y) :- n(X), Y in range(X, 9000000000000000000).\n";
    assert_eq!(stopped(range, few), Bound::Facts(500));
    let elements = "n(1).\nm(X) :- n(X), Y in range(0, 40), Z in range(0, 40), Y > Z + 100.\n";
    assert_eq!(stopped(elements, few), Bound::Facts(500));
}

/// Two atoms bind what a test, a negation and an operation read; the first can't be looked at where an operation before it
/// has no result, and the second binds it all the same.
#[test]
fn what_is_passed_over_is_looked_at_again() {
    let text = "input a(x: int, y: int).
input b(c: int, v: int).
input d(c: int, v: int).
input no(v: int).
tested(V) :- a(X, Y), C = 12 / X, D = 12 / Y, b(C, V), d(D, V), V > 1.
negated(V) :- a(X, Y), C = 12 / X, D = 12 / Y, b(C, V), d(D, V), !no(V).
computed(E) :- a(X, Y), C = 12 / X, D = 12 / Y, b(C, V), d(D, V), E = 6 / V, b(E, _).
generated(E) :- a(X, Y), C = 12 / X, D = 12 / Y, b(C, V), d(D, V), E in range(0, V), d(E, _), E > 0.
";
    let mut loader = Loader::default();
    loader.text("twice.dl", text);
    let program = session::check(loader.finish(), &[]).rules.unwrap().program;
    let mut input = Database::new(&program);
    let mut dice = Dice::new(7);
    for name in ["a", "b", "d", "no"] {
        let id = program.find(name.into()).unwrap();
        for _ in 0..30 {
            let row: Vec<_> = program[id].columns.iter().map(|_| dice.below(5) as i64).collect();
            let row: Vec<_> = row.into_iter().map(hence_core::value::Word::from_int).collect();
            input.push(id, &row);
        }
    }
    let naive = Naive.evaluate(&program, input.clone(), &LIMITS).unwrap();
    assert!(naive.undefined.len() > 20, "{}", naive.undefined.len());
    let history = history(7, &program, input);
    for threads in [1, 2, 4] {
        difference(&program, &history, threads).unwrap();
    }
}
