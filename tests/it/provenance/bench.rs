//! Figures of what-if and replay, measured with `HENCE_BENCH=1` in a release build and printed.

use std::time::Instant;

use hence::session::{CommitRequest, Hypothesis, Loader, RuleSet, Session, check};
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::Ledger;
use hence_proof::difference::ComparedRelations;

const RULES: &str = r#"
## A run of a tool.
input run(id: int, tool: int, took: int).
## A tool.
input tool(tool: int).
## The mean time from which on a tool is slow.
param slow_from: float = 900.0.
## How long a tool takes.
relation takes(tool: int, mean: float).
takes(Tool, mean(float(Took))) :- run(_, Tool, Took).
## Leave a slow tool alone.
decision avoid(tool: int).
@because("{Tool} takes {Mean}, at least {slow_from}")
avoid(Tool) :- tool(Tool), takes(Tool, Mean), Mean >= slow_from.
"#;

/// Facts and transactions: those of the issue in a bench, few in a test.
fn sizes() -> (i64, i64) {
    if std::env::var_os("HENCE_BENCH").is_some() { (1_000_000, 100_000) } else { (2_000, 200) }
}

fn rules() -> RuleSet {
    let mut loader = Loader::default();
    loader.text("tools.dl", RULES);
    let findings = check(loader.finish(), &[]);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// Run `n` of `all`, of one of a thousandth as many tools; the tools take from 0 to 1000.
fn run(n: i64, all: i64) -> Fact {
    let tools = all / 100;
    let tool = n % tools;
    Fact::new("run", [Value::Int(n), Value::Int(tool), Value::Int(tool * 1_000 / tools)])
}

#[test]
fn a_hypothesis_over_many_facts_tells_each_change() {
    let (all, _) = sizes();
    let tools = (0..all / 100).map(|tool| Fact::new("tool", [Value::Int(tool)]));
    let session = Session::over_facts(rules(), (0..all).map(|n| run(n, all)).chain(tools).collect()).unwrap();
    let sets = vec![("slow_from".into(), Value::Float(hence_core::value::Float::new(800.0).unwrap()))];
    let hypothesis = Hypothesis { sets, ..Hypothesis::default() };
    let (begun, mut first, mut changes) = (Instant::now(), None, 0);
    let told = session.what_if_each(&hypothesis, 0, (&ComparedRelations::Decisions, 200), &mut |_, _| {
        first.get_or_insert_with(|| begun.elapsed());
        changes += 1;
        true
    });
    told.unwrap();
    println!(
        "what-if: {all} facts, {changes} changes, the first after {first:?}, all after {:?}",
        begun.elapsed()
    );
    assert_eq!(changes, all / 1_000);
}

#[test]
fn a_replay_of_many_transactions_tells_each_flip() {
    let (all, transactions) = sizes();
    let mut session = Session::over_ledger(rules(), Ledger::memory().unwrap());
    let each = all / transactions;
    for step in 0..transactions {
        let mut assertions: Vec<Fact> = (step * each..(step + 1) * each).map(|n| run(n, all)).collect();
        if step == 0 {
            assertions.extend((0..all / 100).map(|tool| Fact::new("tool", [Value::Int(tool)])));
        }
        let time = step * 300_000_000;
        session
            .commit(CommitRequest { assertions, time, now: time, ..CommitRequest::default() }, false)
            .unwrap();
    }
    let sets = [("slow_from".into(), Value::Float(hence_core::value::Float::new(800.0).unwrap()))];
    let last = session.ledger().unwrap().last_tx();
    let (begun, mut flips) = (Instant::now(), 0);
    let replay =
        hence::session::Replay { sets: &sets, explained: 1, ..session.replay(None, 1, last).unwrap() };
    let replayed = replay.run(&mut |_| {}, &mut |_| {
        flips += 1;
        true
    });
    println!("replay: {transactions} transactions, {all} facts, {flips} flips after {:?}", begun.elapsed());
    assert_eq!((replayed.unwrap().flips, flips), (flips as u64, all / 1_000));
}
