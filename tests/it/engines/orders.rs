//! Joins by order: bodies that compare columns of two atoms, over relations large enough for a search in an ordered index.

use std::fmt::Write;

use hence::session::{Loader, check};
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::{Database, Engine, Limits, Naive, Prepared, plans};
use hence_lang::ir::Program;

use crate::random::Dice;
use crate::slow;

use super::check::{agree, compare};

const DECLARED: &str = "
input a(x: int, t: int).
input b(k: int, x: int, s: int, e: int).
input c(x: int, when: time).
input f(x: int, v: float).
relation p(x: int, y: int).
relation q(x: int, n: int).
param wide: int = 4.
";

/// What compares two columns that are ints, the first known or not; now and then more than one may be undefined.
fn comparison(random: &mut Dice, left: &str, right: &str) -> String {
    let op = ["<", "<=", ">", ">="][random.below(4)];
    let by = ["1", "3", "wide", "-2", "9223372036854775800"][random.below(5)];
    let (left, right) = if random.chance(50) { (left, right) } else { (right, left) };
    match random.below(8) {
        0..=2 => format!("{left} {op} {right}"),
        3 => format!("{left} {op} {right} + {by}"),
        4 => format!("{left} - {right} {op} {by}"),
        5 => format!("{by} + {left} {op} {right}"),
        6 => format!("{by} - {left} {op} {right}"),
        _ => format!("{left} {op} {right} * 2"),
    }
}

/// A body over two or three atoms; its variables are ints.
fn body(random: &mut Dice, readable: &[&str]) -> (Vec<String>, Vec<&'static str>) {
    let second = readable[random.below(readable.len())];
    let key = ["X", "Z", "_"][random.below(3)];
    let (mut body, columns): (Vec<String>, Vec<&'static str>) = match random.below(4) {
        0 => (vec!["a(X, T)".into(), format!("{second}({key}, S)")], vec!["T", "S"]),
        1 => (vec!["a(X, T)".into(), format!("b(_, {key}, S, E)")], vec!["T", "S", "T", "E"]),
        2 => {
            let (k, l) = [("K", "K"), ("_", "_"), ("K", "L"), ("2", "K")][random.below(4)];
            let others = format!("b({l}, {key}, T, F)");
            (vec![format!("b({k}, X, S, E)"), others], vec!["S", "F", "E", "T"])
        }
        _ => {
            let third = format!("b(_, {}, E, _)", ["Y", "X"][random.below(2)]);
            (vec!["a(X, T)".into(), format!("{second}(Y, S)"), third], vec!["T", "S", "S", "E"])
        }
    };
    for pair in columns.chunks_exact(2) {
        for _ in 0..1 + random.below(2) {
            body.push(comparison(random, pair[0], pair[1]));
        }
    }
    if random.chance(10) {
        body.push("X != 3".into());
    }
    if random.chance(10) {
        body.push("not a(X, 5)".into());
    }
    for _ in 0..body.len() {
        let (from, to) = (random.below(body.len()), random.below(body.len()));
        body.swap(from, to);
    }
    (body, columns)
}

fn rules(random: &mut Dice) -> String {
    let mut text = DECLARED.to_owned();
    for readable in [&["a"][..], &["a", "p"]] {
        let (body, columns) = body(random, readable);
        let last = columns[random.below(columns.len())];
        let _ = writeln!(text, "p(X, {last}) :- {}.", body.join(", "));
    }
    let (body, columns) = body(random, &["a", "p"]);
    let last = columns[random.below(columns.len())];
    let aggregate = ["count()", "max({})", "min({})"][random.below(3)].replace("{}", last);
    let _ = writeln!(text, "q(X, {aggregate}) :- {}.", body.join(", "));
    if random.chance(30) {
        let within = ["A < B, B - A < 5s", "A < B, B < A + 4s", "B <= A - 2s", "A - 1s < B, A + 1s >= B"];
        let _ = writeln!(text, "p(X, Y) :- c(X, A), c(Y, B), {}.", within[random.below(4)]);
    }
    if random.chance(30) {
        let within = ["A < B", "A < B, B < A + 0.5", "B - A < 0.25, A <= B", "A * 2.0 >= B"];
        let _ = writeln!(text, "p(X, Y) :- f(X, A), f(Y, B), {}.", within[random.below(4)]);
    }
    text
}

fn program(random: &mut Dice) -> Option<(Program, Database)> {
    let text = rules(random);
    let mut loader = Loader::default();
    loader.text("orders.dl", &text);
    let program = check(loader.finish(), &[]).rules?.program;
    let mut input = Database::new(&program);
    let rows = 10 + random.below(30);
    // Some are so large that a sum is undefined, and some so few that most keys have many rows.
    let (far, keys) = (random.chance(20), 1 + random.below(4));
    let number = |random: &mut Dice| match random.below(30) {
        0 if far => i64::MAX - random.below(9) as i64,
        1 if far => i64::MIN + random.below(9) as i64,
        _ => random.below(40) as i64 - 10,
    };
    for _ in 0..rows {
        let (x, t) = (Word::from_int(random.below(12) as i64), number(random));
        input.push(program.find("a".into())?, &[x, Word::from_int(t)]);
        let k = Word::from_int(random.below(keys) as i64);
        let (s, e) = (number(random), number(random));
        input.push(program.find("b".into())?, &[k, x, Word::from_int(s), Word::from_int(e)]);
        let last = 253_402_300_799_999_999;
        let when = if far && random.chance(5) { last } else { t.clamp(-10, 40) * 1_000_000 };
        input.push(program.find("c".into())?, &[x, Word::from_int(when)]);
        let v = Word::from_float(random.below(40) as f64 / 8.0 - 1.0)?;
        input.push(program.find("f".into())?, &[x, v]);
    }
    Some((program, input))
}

/// The same where requests bring rows of `a` to the others.
fn compare_prepared(program: &Program, input: &Database) -> Result<(), String> {
    let brought = program.find("a".into()).unwrap();
    let mut standing = Database::new(program);
    for (rows, relation) in input.relations.iter().zip((0..).map(RelationId)) {
        if relation != brought {
            rows.iter().for_each(|row| standing.push(relation, row));
        }
    }
    let rows: Vec<_> = input.rows(brought).unwrap().iter().collect();
    let mut prepared = Prepared::new(program.clone(), standing.clone(), Limits::default()).unwrap();
    for part in [&rows[..1], &rows[..], &rows[..rows.len() / 2]] {
        let (mut request, mut all) = (Database::new(program), standing.clone());
        for row in part {
            request.push(brought, row);
            all.push(brought, row);
        }
        let found = prepared.evaluate(&request).map(|model| model.to_model());
        agree(program, Naive.evaluate(program, all, &Limits::default()), found)?;
    }
    Ok(())
}

#[test]
fn joins_by_order_mean_the_same_in_every_mode() {
    let (mut compared, mut searched, mut reported) = (0, 0, 0);
    let seeds = slow::size(120, 3_000);
    for seed in 0..seeds {
        let Some((program, input)) = program(&mut Dice::new(seed)) else { continue };
        match compare(&program, &input, &Limits::default()) {
            Ok(model) => reported += u64::from(model.is_some_and(|model| !model.undefined.is_empty())),
            Err(difference) => panic!("seed {seed}: {difference}\n{program}\n{input:?}"),
        }
        if let Err(difference) = compare_prepared(&program, &input) {
            panic!("seed {seed}, prepared: {difference}\n{program}\n{input:?}");
        }
        compared += 1;
        searched += u64::from(plans(&program, input).unwrap().contains("within bounds"));
    }
    println!("{searched} of {compared} programs search, {reported} report");
    assert!(
        compared * 3 > seeds * 2 && searched * 2 > seeds && reported * 15 > seeds,
        "{searched} of {compared}, {reported}"
    );
}
