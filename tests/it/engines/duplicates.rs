//! Chains of atoms whose inner variables nothing needs any more: the same ends come again by many ways, and plans leave them
//! out before they are facts.

use std::fmt::Write;

use hence::session::{Loader, check};
use hence_core::value::Word;
use hence_engine::{Database, Limits, plans};
use hence_lang::ir::Program;

use crate::random::Dice;
use crate::slow;

use super::check::compare;

const DECLARED: &str = "
input e(x: int, y: int).
input f(x: int, y: int).
input t(x: int, y: int, z: int).
relation p(x: int, y: int).
relation q(x: int, y: int).
relation r(x: int, n: int).
";

/// A chain of so many atoms between variables, over relations that the head may read, with what filters it.
fn rule(random: &mut Dice, head: &str, readable: &[&str]) -> String {
    let atoms = 2 + random.below(3);
    let var = |random: &mut Dice| format!("V{}", random.below(atoms + 1));
    let mut body: Vec<String> = (0..atoms)
        .map(|at| {
            let (mut from, mut to) = (format!("V{at}"), format!("V{}", at + 1));
            if random.chance(30) {
                std::mem::swap(&mut from, &mut to);
            }
            match random.below(10) {
                0 => format!("t({from}, {}, {to})", ["_", "V0", "3"][random.below(3)]),
                _ => format!("{}({from}, {to})", readable[random.below(readable.len())]),
            }
        })
        .collect();
    if random.chance(30) {
        body.push(format!("{} {} {}", var(random), ["<", "!="][random.below(2)], var(random)));
    }
    if random.chance(20) {
        body.push(format!("not f({}, {})", var(random), var(random)));
    }
    let mut last = var(random);
    if random.chance(15) {
        body.push(format!("Sum = {last} + 1, Sum < 12"));
        last = "Sum".to_owned();
    }
    if head == "r" {
        last = "count()".to_owned();
    }
    for _ in 0..body.len() {
        let (from, to) = (random.below(body.len()), random.below(body.len()));
        body.swap(from, to);
    }
    format!("{head}({}, {last}) :- {}.\n", var(random), body.join(", "))
}

fn program(random: &mut Dice) -> Option<(Program, Database)> {
    let mut text = DECLARED.to_owned();
    for (head, readable) in [
        ("p", &["e", "f", "p"][..]),
        ("p", &["e", "f"]),
        ("q", &["e", "p", "q"]),
        ("q", &["p", "f"]),
        ("r", &["p", "e"]),
    ] {
        let _ = write!(text, "{}", rule(random, head, readable));
    }
    let mut loader = Loader::default();
    loader.text("duplicates.dl", &text);
    let program = check(loader.finish(), &[]).rules?.program;
    let mut input = Database::new(&program);
    let nodes = 10 + random.below(4);
    for (relation, width) in [("e", 2), ("f", 2), ("t", 3)] {
        let id = program.find(relation.into()).unwrap();
        // Some values are too large for a row of a table.
        let large = if random.chance(10) { 1_i64 << 40 } else { 0 };
        for _ in 0..random.below(70) {
            let row: Vec<Word> =
                (0..width).map(|_| Word::from_int(random.below(nodes) as i64 + large)).collect();
            input.push(id, &row);
        }
    }
    Some((program, input))
}

#[test]
fn what_is_left_out_on_the_way_makes_no_difference() {
    let (mut compared, mut once) = (0, 0);
    let seeds = slow::size(60, 1_500);
    for seed in 0..seeds {
        let Some((program, input)) = program(&mut Dice::new(seed)) else { continue };
        if let Err(difference) = compare(&program, &input, &Limits::default()) {
            panic!("seed {seed}: {difference}\n{program}\n{input:?}");
        }
        compared += 1;
        once += u64::from(plans(&program, input).unwrap().contains("once for each"));
    }
    assert!(
        compared * 3 > seeds * 2 && once * 75 > seeds * 4,
        "{once} of {compared} programs leave duplicates out"
    );
}
