//! What moving the clock costs over many standing facts and a hundred conditions of time:
//! `cargo run --release -p hence-engine --example clock`.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures and prints")]

use std::time::{Duration, Instant};

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Word;
use hence_engine::{Database, Incremental, Limits};
use hence_lang::ir::Program;
use hence_lang::{analysis, lower};

const CONDITIONS: i64 = 100;
const SECOND: i64 = 1_000_000;
const BEGIN: i64 = 1_770_000_000 * SECOND;
/// How many facts change with one condition at one instant.
const TOGETHER: i64 = 10;

fn program() -> Program {
    let mut text = String::from("input item(x: int, kind: int, at: time).\n");
    for kind in 0..CONDITIONS {
        text += &format!("due{kind}(X) :- item(X, {kind}, At), now(Now), Now - At >= {}s.\n", 3600 + kind);
    }
    let mut sources = Sources::default();
    let file = sources.add("clock.dl", text.as_str());
    let (file, _) = hence_syntax::parse(file, &text);
    let (checked, _) = analysis::check(&[file], &sources, &[]);
    lower::lower(&checked).expect("the rules are right")
}

/// Facts of all kinds; ten at a time fall due in the same second, all of them after the beginning.
fn facts(program: &Program, count: i64) -> Database {
    let (item, mut input) = (program.find("item".into()).expect("it is declared"), Database::new(program));
    for x in 0..count {
        let (kind, second) = (x / TOGETHER % CONDITIONS, x / TOGETHER);
        let at = BEGIN - (3600 + kind) * SECOND + (second + 10) * SECOND;
        input.push(item, &[Word::from_int(x), Word::from_int(kind), Word::from_int(at)]);
    }
    input
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().or_broken("each figure is measured")
}

fn main() {
    let program = program();
    for count in [10_000, 1_000_000] {
        let input = facts(&program, count);
        let begun = Instant::now();
        let mut rules =
            Incremental::with_clock(&program, &input, BEGIN, &Limits::default()).expect("no limit");
        println!("{count} facts: loaded in {:.2?}", begun.elapsed());
        let idle = (1..2_000).map(|at| {
            let begun = Instant::now();
            rules.advance(&[], BEGIN + at).expect("no limit");
            begun.elapsed()
        });
        println!("  nothing changes: {:.2?}", median(idle.collect()));
        let flips = (0..500).map(|_| {
            let next = rules.next_change().expect("something falls due");
            let begun = Instant::now();
            rules.advance(&[], next).expect("no limit");
            let took = begun.elapsed();
            let relations = (0..program.relations.len() as u32).map(RelationId);
            let came: usize = relations.skip(2).map(|id| rules.changes(id).count()).sum();
            assert_eq!(came, TOGETHER as usize, "ten facts fall due");
            took
        });
        println!("  ten facts fall due: {:.2?}", median(flips.collect()));
    }
}
