//! What a fact of three columns takes in a standing evaluation, with one index, two and three, and how long one takes to
//! go and to come back:
//! `cargo run --release -p hence-engine --example memory`.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that measures and prints")]

use std::env;
use std::process::Command;
use std::time::Instant;

use hence_core::span::Sources;
use hence_core::value::Word;
use hence_engine::{Database, FactChange, Incremental, Limits};
use hence_lang::ir::Program;
use hence_lang::{analysis, lower};

/// As large as a session's tables are at their worst or their best, between two doublings.
const COUNTS: [i64; 3] = [900_000, 1_000_000, 1_500_000];
/// How many facts come at once.
const TOGETHER: i64 = 10_000;
/// How many facts go and come back, one at a time.
const CHANGES: i64 = 100_000;
/// How many keys each column has at most.
const KEYS: [i64; 3] = [1_000, i64::MAX, 50_000];

/// Rules that look facts up by the first `indexes` columns, each by itself, and find none.
fn program(indexes: usize) -> Program {
    let mut text = String::from("input item(a: int, b: int, c: int).\ninput wanted(x: int).\n");
    for body in ["item(X, _, _)", "item(_, X, _)", "item(_, _, X)"].iter().take(indexes) {
        text += &format!("found(X) :- wanted(X), {body}.\n");
    }
    let mut sources = Sources::default();
    let file = sources.add("memory.dl", text.as_str());
    let (file, _) = hence_syntax::parse(file, &text);
    let (checked, _) = analysis::check(&[file], &sources, &[]);
    lower::lower(&checked).expect("the rules are right")
}

/// A figure of this process in KiB.
fn kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn measure(indexes: usize, count: i64) {
    let program = program(indexes);
    let item = program.find("item".into()).expect("it is declared");
    let mut rules =
        Incremental::new(&program, &Database::new(&program), &Limits::default()).expect("no limit");
    let (before, begun) = (kib("VmRSS:"), Instant::now());
    let row = |x: i64| KEYS.map(|keys| Word::from_int(x.wrapping_mul(7919) % count % keys));
    for first in (0..count).step_by(TOGETHER as usize) {
        let rows: Vec<[Word; 3]> = (first..(first + TOGETHER).min(count)).map(row).collect();
        let edits = rows.iter().map(|row| FactChange { relation: item, row, asserted: true });
        rules.apply(&edits.collect::<Vec<_>>()).expect("no limit");
    }
    let took = begun.elapsed();
    rules.apply(&[]).expect("no limit");
    let resident = (kib("VmRSS:") - before) as f64 * 1024.0 / rules.len(item) as f64;
    let most = (kib("VmHWM:") - before) as f64 * 1024.0 / rules.len(item) as f64;
    let counted = rules.bytes() as f64 / rules.len(item) as f64;
    let begun = Instant::now();
    for at in 0..CHANGES {
        let row = row(at * 6_151 % count);
        for asserted in [false, true] {
            rules.apply(&[FactChange { relation: item, row: &row, asserted }]).expect("no limit");
        }
    }
    let change = begun.elapsed() / (2 * CHANGES as u32);
    println!(
        "{count} facts, {indexes} indexes: {resident:.0} bytes a fact ({most:.0} at most), {counted:.0} by the engine's count, in {took:.2?}, {change:.2?} a change"
    );
}

fn main() {
    let numbers: Vec<i64> = env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    if let [indexes, count] = numbers.as_slice() {
        return measure(*indexes as usize, *count);
    }
    for (indexes, count) in (1..=3).flat_map(|indexes| COUNTS.map(|count| (indexes, count))) {
        let this = env::current_exe().expect("it runs");
        let arguments = [indexes.to_string(), count.to_string()];
        Command::new(this).args(arguments).status().expect("it runs again");
    }
}
