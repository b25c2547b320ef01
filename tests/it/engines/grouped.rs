//! Sets and indexes of so many rows that they are kept by one of their columns, until a value comes that is too large for that.

use hence_core::value::Word;
use hence_engine::{Database, Engine, Limits, Model, Prepared, SemiNaive, Threads};
use hence_lang::ir::Program;

use super::check::{EAGER, program_of, same};

/// How many values a column has; the first relation has their cube.
const SIDE: i64 = 41;

/// Each row of `cube` is derived many times; those of `far` don't fit beside the others.
const CUBE: &str = "
input near(x: int).
input far(x: int).
relation cube(x: int, y: int, z: int).

cube(X, Y, Z) :- near(X), near(Y), near(Z).
cube(Y, Z, X) :- cube(X, Y, Z).
cube(Y, X, Z) :- cube(X, Y, Z), cube(Z, X, Y).
cube(X, Y, Z) :- far(X), cube(Y, Z, _), Y < 3.
";

/// What looks them up by two columns.
const CELL: &str = "
relation cell(a: int, b: int, c: int).
cell(X * 64 + Y, Z, X) :- cube(X, Y, Z).
found(count()) :- cube(X, Y, Z), cell(X * 64 + Y, Z, X1), X1 >= 0.
missed(count()) :- cube(X, Y, Z), not cell(X * 64 + Y, Z + 1, X).
";

fn facts(program: &Program, relation: &str, values: impl Iterator<Item = i64>) -> Database {
    let (id, mut input) = (program.find(relation.into()).unwrap(), Database::new(program));
    values.for_each(|value| input.push(id, &[Word::from_int(value)]));
    input
}

fn evaluate(program: &Program, input: &Database, threads: Threads) -> Model {
    SemiNaive.evaluate(program, input.clone(), &Limits { threads, ..Limits::default() }).unwrap()
}

/// The rows of `cube`, which are also those of `cell`, and the one count of `found` and of `missed`.
fn figures(program: &Program, model: &Model) -> [i64; 4] {
    let rows = |name: &str| &model.extent(program.find(name.into()).unwrap()).unwrap().rows;
    let count = |name| rows(name).get(0).unwrap()[0].as_int();
    [rows("cube").len() as i64, rows("cell").len() as i64, count("found"), count("missed")]
}

#[test]
fn many_rows_are_each_derived_once_on_any_number_of_threads() {
    let program = program_of(&[CUBE, CELL].concat());
    let input = facts(&program, "near", 0..SIDE);
    let alone = evaluate(&program, &input, Threads::ONE);
    let all = SIDE * SIDE * SIDE;
    assert_eq!(figures(&program, &alone), [all, all, all, SIDE * SIDE]);
    same(&program, &alone, &evaluate(&program, &input, EAGER)).unwrap();
}

#[test]
fn a_request_with_a_large_value_is_answered_and_taken_back() {
    let all = SIDE * SIDE * SIDE;
    // The large value in one of three places, beside it one below 3; or in two, and one below 3 in the third.
    let more = 3 * (SIDE * SIDE - (SIDE - 3) * (SIDE - 3)) + 3 * 3;
    answered_and_taken_back(CUBE, ["near", "cube"], SIDE, &[1 << 20, 1 << 40], [all, all + more]);
}

/// Over a `standing` relation of so many values requests with one value of `far` each, and after each one without: how many
/// rows `counted` has without and with one.
fn answered_and_taken_back(
    rules: &str,
    [standing, counted]: [&str; 2],
    values: i64,
    requests: &[i64],
    [without, with]: [i64; 2],
) {
    let program = program_of(rules);
    let counted = program.find(counted.into()).unwrap();
    let standing = facts(&program, standing, 0..values);
    let mut prepared = Prepared::new(program.clone(), standing, Limits::default()).unwrap();
    for far in requests {
        let request = facts(&program, "far", std::iter::once(*far));
        assert_eq!(prepared.evaluate(&request).unwrap().len(counted) as i64, with);
        assert_eq!(prepared.evaluate(&Database::new(&program)).unwrap().len(counted) as i64, without);
    }
}

/// How many lanes there are.
const LANES: i64 = 450;

/// Rows that are far apart at first, so that they are kept in groups, and then lie in runs of five, so that bitmaps do.
const RUNS: &str = "
input lane(x: int).
input far(x: int).
relation on(x: int, y: int).

on(X, Y * 64) :- lane(X), lane(Y).
on(X, Y + 1) :- on(X, Y), Y % 64 < 4.
on(X, Y * 64) :- far(X), lane(Y).
";

#[test]
fn rows_that_become_dense_are_each_derived_once_on_any_number_of_threads() {
    let program = program_of(RUNS);
    let input = facts(&program, "lane", 0..LANES);
    let alone = evaluate(&program, &input, Threads::ONE);
    let on = program.find("on".into()).unwrap();
    assert_eq!(alone.extent(on).unwrap().rows.len() as i64, LANES * LANES * 5);
    same(&program, &alone, &evaluate(&program, &input, EAGER)).unwrap();
}

#[test]
fn a_request_over_rows_that_became_dense_is_answered_and_taken_back() {
    let counts = [LANES * LANES * 5, (LANES * LANES + LANES) * 5];
    answered_and_taken_back(RUNS, ["lane", "on"], LANES, &[LANES, 1 << 20, 1 << 40, LANES], counts);
}
