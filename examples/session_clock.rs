//! What moving the clock of a session costs over many standing facts and a hundred conditions of time:
//! `cargo run --release --example session_clock [FACTS]`.
#![expect(clippy::print_stdout, reason = "a program that measures and prints")]

use std::error::Error;
use std::time::{Duration, Instant};

use hence::fact::Fact;
use hence::ledger::{Ledger, OpenOptions};
use hence::session::{CommitOutcome, CommitRequest, RuleSource, Session};
use hence::symbol::Symbol;
use hence::value::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const CONDITIONS: i64 = 100;
const SECOND: i64 = 1_000_000;
const BEGIN: i64 = 1_770_000_000 * SECOND;
/// How many facts change with one condition at one instant.
const TOGETHER: i64 = 10;

fn rules() -> String {
    let mut text = String::from("input item(x: int, kind: int, at: time).\n");
    for kind in 0..CONDITIONS {
        text += &format!("## Due.\ndecision due{kind}(x: int).\n@because(\"{{X}} is due\")\n");
        text += &format!("due{kind}(X) :- item(X, {kind}, At), now(Now), Now - At >= {}s.\n", 3600 + kind);
    }
    text
}

/// Facts of all kinds; ten at a time fall due in the same second, all of them after the beginning.
fn facts(count: i64) -> Vec<Fact> {
    let fact = |x: i64| {
        let (kind, second) = (x / TOGETHER % CONDITIONS, x / TOGETHER);
        let at = BEGIN - (3600 + kind) * SECOND + (second + 10) * SECOND;
        Fact { relation: Symbol::new("item"), values: vec![Value::Int(x), Value::Int(kind), Value::Time(at)] }
    };
    (0..count).map(fact).collect()
}

fn commit(session: &mut Session, assertions: Vec<Fact>, now: i64) -> Result<(CommitOutcome, Duration)> {
    let change = CommitRequest {
        assertions,
        author: String::from("hence"),
        time: now,
        now,
        ..CommitRequest::default()
    };
    let begun = Instant::now();
    let outcome = session.commit(change, false)?;
    Ok((outcome, begun.elapsed()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn measure(what: &str, session: &mut Session) -> Result<()> {
    let idle: Result<Vec<Duration>> =
        (1..20_000).map(|at| Ok(commit(session, Vec::new(), BEGIN + at)?.1)).collect();
    println!("  {what}, nothing changes: {:.2?}", median(idle?));
    let begun = Instant::now();
    let times = 20_000;
    for _ in 0..times {
        std::hint::black_box(session.next_change()?);
    }
    println!("  {what}, the next change: {:.2?}", begun.elapsed() / times);
    let flips = (0..200).map(|_| {
        let next = session.next_change()?.ok_or("something falls due")?;
        let (outcome, took) = commit(session, Vec::new(), next)?;
        if outcome.drawn.len() as i64 == TOGETHER { Ok(took) } else { Err("ten facts fall due".into()) }
    });
    println!("  {what}, ten facts fall due: {:.2?}", median(flips.collect::<Result<_>>()?));
    Ok(())
}

fn main() -> Result<()> {
    let counts = match std::env::args().nth(1) {
        Some(count) => vec![count.parse()?],
        None => vec![10_000, 1_000_000],
    };
    let folder = std::env::temp_dir().join(format!("hence-clock-{}", std::process::id()));
    std::fs::create_dir(&folder)?;
    let file = folder.join("clock.dl");
    std::fs::write(&file, rules())?;
    let rules = RuleSource { paths: vec![file], ..RuleSource::default() }.build()?;
    for count in counts {
        println!("{count} facts");
        let mut session = Session::over_facts(rules.clone(), facts(count))?.keeping();
        commit(&mut session, Vec::new(), BEGIN)?;
        measure("in memory", &mut session)?;
        let ledger = Ledger::open(folder.join(count.to_string()), &OpenOptions::default())?;
        let mut session = Session::over_ledger(rules.clone(), ledger).keeping();
        commit(&mut session, facts(count), BEGIN)?;
        measure("in a ledger", &mut session)?;
        session.close();
    }
    Ok(std::fs::remove_dir_all(folder)?)
}
