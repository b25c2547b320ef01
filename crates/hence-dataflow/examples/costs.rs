//! What workers cost beside the embedded engine: `cargo run --release -p hence-dataflow --example costs -- WORKERS NODES`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement may fail")]

use std::time::Instant;

use hence_core::span::Sources;
use hence_core::value::Word;
use hence_dataflow::{Dataflow, Workers};
use hence_engine::{Database, Engine, FactChange, Incremental, Limits, SemiNaive};
use hence_lang::ir::Program;
use hence_lang::{analysis, lower};

/// Paths in a graph, and how many each node begins.
const RULES: &str = "## Edges.\ninput edge(from: int, to: int).\npath(X, Y) :- edge(X, Y).\n\
    path(X, Z) :- path(X, Y), edge(Y, Z).\nbegins(X, count()) :- path(X, _).\n";

/// Layers of so many nodes, each with edges to three of the next.
const WIDTH: i64 = 100;

fn program() -> Program {
    let mut sources = Sources::default();
    let id = sources.add("costs.dl", RULES);
    let (file, _) = hence_syntax::parse(id, RULES);
    let (checked, _) = analysis::check(&[file], &sources, &[]);
    lower::lower(&checked).unwrap()
}

fn graph(program: &Program, nodes: i64) -> Database {
    let mut input = Database::new(program);
    let edge = program.find("edge".into()).unwrap();
    for node in 0..nodes {
        let layer = node / WIDTH + 1;
        for step in [1, 7, 31] {
            let to = layer * WIDTH + (node * step + step) % WIDTH;
            input.push(edge, &[Word::from_int(node), Word::from_int(to)]);
        }
    }
    input
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:.4} s", start.elapsed().as_secs_f64());
    result
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse().unwrap());
    let (threads, nodes): (usize, i64) =
        (numbers.next().unwrap_or(1), i64::try_from(numbers.next().unwrap_or(2000)).unwrap());
    let program = program();
    let limits = Limits::default();
    let (edge, input) = (program.find("edge".into()).unwrap(), graph(&program, nodes));
    let mut changed = input.clone();
    let row = [Word::from_int(5), Word::from_int(2 * WIDTH)];
    changed.push(edge, &row);
    let model =
        timed("embedded, from scratch", || SemiNaive.evaluate(&program, input.clone(), &limits).unwrap());
    println!("{} facts follow", model.relations.iter().map(|extent| extent.rows.len()).sum::<usize>());
    drop(model);
    let mut standing = Incremental::new(&program, &input, &limits).unwrap();
    let edit = FactChange { relation: edge, row: &row, asserted: true };
    timed("embedded, one change", || standing.apply(&[edit]).map(drop).unwrap());
    drop(standing);
    let (engine, cluster) =
        Dataflow::start(program.clone(), "", Workers::of_one_process(threads), &limits).unwrap();
    drop(timed(&format!("{threads} workers, first"), || engine.evaluate(&program, input, &limits).unwrap()));
    drop(timed(&format!("{threads} workers, one change"), || {
        engine.evaluate(&program, changed, &limits).unwrap()
    }));
    cluster.end().unwrap();
}
