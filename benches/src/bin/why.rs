//! Why a decision was drawn, over a base of a million facts and five thousand decisions: the time of each answer once
//! the session stands, and whether an evaluation costs more where somebody asks.
//! `cargo run --release --manifest-path benches/Cargo.toml --bin why`
#![allow(missing_docs, reason = "a program, no library")]

use std::time::{Duration, Instant};

use hence::session::{Evaluation, RuleSource, Session};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

const FACTS: i64 = 1_000_000;
const TOOLS: i64 = 5_000;
/// How many of the decisions are asked about.
const ASKED: usize = 2_000;
/// How often the first question is asked.
const ONCE: usize = 100;
/// How often everything is evaluated, with and without questions in turn.
const ROUNDS: usize = 4;

const RULES: &str = r#"
input tool_run(tool: string, run: int, ok: bool, quality: float).
input active_refinement(tool: string).
param poor_quality: float = 0.5.
param enough: int = 3.
relation learned(tool: string, runs: int, quality: float).
learned(Tool, count(), mean(Quality)) :- tool_run(Tool, _, _, Quality).
relation poor(tool: string, quality: float).
@id(poor_tool)
@because("{Tool} averaged {Quality} over {Runs} runs; the floor is {poor_quality}")
poor(Tool, Quality) :- learned(Tool, Runs, Quality), Runs >= enough, Quality < poor_quality.
decision refine_tool(tool: string).
@id(refine)
refine_tool(Tool) :- poor(Tool, _), !active_refinement(Tool).
"#;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("tools.dl");
    std::fs::write(&rules, RULES).unwrap();
    let rules = RuleSource { paths: vec![rules], ..RuleSource::default() }.build().unwrap();
    let session = Session::over_facts(rules, facts()).unwrap();
    let mut cost = [Vec::new(), Vec::new()];
    let mut evaluation = Evaluation::default();
    for round in 0..ROUNDS * 2 {
        let asked = round % 2 == 1;
        let before = computed();
        let fresh = session.evaluate(0).unwrap();
        cost[usize::from(asked)].push(computed() - before);
        evaluation = fresh;
        if !asked {
            // The next evaluation is of a session that somebody has asked.
            let question = format!("refine_tool(\"{}\")", name(3));
            session.explainer(&evaluation, None).why(&question).unwrap();
        }
    }
    println!("evaluating {FACTS} facts, processor time, median of {ROUNDS}");
    for (what, times) in ["before a question", "after one"].iter().zip(&mut cost) {
        println!("{what:32} {:>10.1?}", quantile(times, 0.5));
    }
    cold(&session, &evaluation);
    questions(&session, &evaluation, "why", |tool| format!("refine_tool(\"{}\")", name(tool)), true);
    questions(&session, &evaluation, "why-not", |tool| format!("poor(\"{}\", 0.0)", name(tool)), false);
}

/// The first question about an evaluation, for which nothing has been looked up yet.
fn cold(session: &Session, evaluation: &Evaluation) {
    let mut times = Vec::new();
    let busy = computed();
    for at in 0..ONCE as i64 {
        let question = format!("refine_tool(\"{}\")", name(at * 7 % TOOLS));
        let begun = Instant::now();
        session.explainer(evaluation, None).why(&question).unwrap();
        times.push(begun.elapsed());
    }
    let busy = (computed() - busy) / ONCE as u32;
    println!("\nwhy, the first question about an evaluation, {ONCE} times");
    told(times, busy);
}

fn told(mut times: Vec<Duration>, busy: Duration) {
    println!(
        "median {:.1?}, p99 {:.1?}, most {:.1?}, processor {busy:.1?} each",
        quantile(&mut times, 0.5),
        quantile(&mut times, 0.99),
        quantile(&mut times, 1.0)
    );
}

fn questions(
    session: &Session,
    evaluation: &Evaluation,
    what: &str,
    question: impl Fn(i64) -> String,
    holds: bool,
) {
    let inquiry = session.explainer(evaluation, None);
    let mut times = Vec::new();
    let (mut steps, busy) = (0, computed());
    for at in 0..ASKED as i64 {
        let question = question(at * 7 % TOOLS);
        let begun = Instant::now();
        if holds {
            let because = inquiry.why(&question).unwrap();
            steps += because.proofs[0].steps.len();
        } else {
            let refused = inquiry.why_not(&question, Duration::ZERO).unwrap();
            steps += refused.answer.attempts.len();
        }
        times.push(begun.elapsed());
    }
    let busy = (computed() - busy) / ASKED as u32;
    let (first, second) = (times[0], times[1]);
    println!("\n{what}, {ASKED} questions of {steps} steps in all");
    println!("first {first:.1?}, second {second:.1?}, then an index serves");
    told(times, busy);
}

fn name(tool: i64) -> String {
    format!("tool {tool}")
}

fn facts() -> Vec<Fact> {
    let fact = |at: i64| {
        let quality = Float::new(0.25 + (at % 7) as f64 / 20.0).unwrap();
        let tool = Value::String(Symbol::new(&name(at % TOOLS)));
        Fact::new("tool_run", [tool, Value::Int(at), Value::Bool(true), Value::Float(quality)])
    };
    (0..FACTS).map(fact).collect()
}

fn quantile(times: &mut [Duration], part: f64) -> Duration {
    times.sort();
    times[((times.len() - 1) as f64 * part) as usize]
}

/// What this thread has computed so far, from the system's table of nanoseconds.
fn computed() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}
