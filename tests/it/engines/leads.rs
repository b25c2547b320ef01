//! Plans that begin elsewhere than with the new facts, where what the other literals have in common is far less.

use std::collections::BTreeSet;

use hence::session::{Loader, check};
use hence_core::value::Word;
use hence_engine::{Database, Engine, Limits, SemiNaive, Threads};
use hence_lang::ir::Program;

use crate::random::Dice;

use super::check::EAGER;

/// Points-to with fields.
const RULES: &str = "
input alloc(v: int, h: int).
input move(to: int, from: int).
input load(to: int, base: int, f: int).
input store(base: int, f: int, from: int).
relation out(v: int, h: int).
relation field(h: int, f: int, k: int).
out(V, H) :- alloc(V, H).
out(To, H) :- move(To, From), out(From, H).
out(To, K) :- load(To, Base, F), out(Base, H), field(H, F, K).
field(H, F, K) :- store(Base, F, From), out(Base, H), out(From, K).
";

/// The same with what is loaded from an object kept apart, so that nothing has to begin elsewhere.
fn apart() -> String {
    let rule = "out(To, K) :- load(To, Base, F), out(Base, H), field(H, F, K).";
    let parts =
        "lo(H, F, To) :- load(To, Base, F), out(Base, H).\nout(To, K) :- lo(H, F, To), field(H, F, K).";
    RULES.replace(rule, parts)
}

fn input(program: &Program, seed: u64) -> Database {
    let (mut random, mut input) = (Dice::new(seed), Database::new(program));
    let (vars, objects, fields) = (300, 200, 2);
    for (relation, count, below) in [
        ("alloc", 500, &[vars, objects][..]),
        ("move", 300, &[vars, vars]),
        ("load", 10, &[vars, vars, fields]),
        ("store", 120, &[vars, fields, vars]),
    ] {
        let id = program.find(relation.into()).unwrap();
        for _ in 0..count {
            let row: Vec<Word> =
                below.iter().map(|below| Word::from_int(random.below(*below) as i64)).collect();
            input.push(id, &row);
        }
    }
    input
}

/// What an object's fields may hold, and variables.
fn derived(rules: &str, seed: u64, threads: Threads) -> [BTreeSet<Vec<Word>>; 2] {
    let mut loader = Loader::default();
    loader.text("leads.dl", rules);
    let program = check(loader.finish(), &[]).rules.unwrap().program;
    let limits = Limits { threads, ..Limits::default() };
    let model = SemiNaive.evaluate(&program, input(&program, seed), &limits).unwrap();
    ["out", "field"].map(|relation| {
        let extent = model.extent(program.find(relation.into()).unwrap()).unwrap();
        extent.rows.iter().map(<[Word]>::to_vec).collect()
    })
}

/// Few loads: a new fact of `field` joins with all that hold its object, of which hardly one is loaded from.
#[test]
fn a_round_that_begins_elsewhere_than_with_its_new_facts_derives_the_same() {
    for seed in 0..6 {
        let expected = derived(&apart(), seed, Threads::ONE);
        assert!(expected[1].len() > 4_000, "enough facts for another plan: {}", expected[1].len());
        for threads in [Threads::ONE, EAGER] {
            assert!(derived(RULES, seed, threads) == expected, "seed {seed} on {threads:?}");
        }
    }
}
