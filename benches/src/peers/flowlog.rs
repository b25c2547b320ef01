//! FlowLog: its generated code, on one worker. The programs are in `external/flowlog`.

use std::path::Path;

use super::Task;
use crate::facts::{each, pairs, triples};
use crate::measure::{Check, Measured, measured};

macro_rules! generated {
    ($($program:ident)*) => {
        $(mod $program {
            #![allow(warnings, reason = "code that FlowLog writes")]
            include!(concat!(env!("OUT_DIR"), "/", stringify!($program), ".rs"));
        })*
    };
}

generated!(tc sg andersen agg triangle ontology);

pub fn run(task: Task, folder: &Path) -> Measured {
    match task {
        Task::Closure => measured(
            || {
                let mut engine = tc::BatchEngine::new(1);
                engine.insert_edge(pairs(folder, "edge"));
                engine
            },
            |engine| engine.run().path,
            |rows| Check::of(rows.iter().copied()),
        ),
        Task::Generation => measured(
            || {
                let mut engine = sg::BatchEngine::new(1);
                engine.insert_parent(pairs(folder, "parent"));
                engine
            },
            |engine| engine.run().sg,
            |rows| Check::of(rows.iter().copied()),
        ),
        Task::PointsTo => measured(
            || {
                let mut engine = andersen::BatchEngine::new(1);
                engine.insert_addressof(pairs(folder, "addressOf"));
                engine.insert_assign(pairs(folder, "assign"));
                engine.insert_load(pairs(folder, "load"));
                engine.insert_store(pairs(folder, "store"));
                engine
            },
            |engine| engine.run().pt,
            |rows| Check::of(rows.iter().copied()),
        ),
        Task::Triangles => measured(
            || {
                let mut engine = triangle::BatchEngine::new(1);
                engine.insert_e(pairs(folder, "e"));
                engine
            },
            |engine| engine.run().t,
            |rows| Check::of_triples(rows.iter().copied()),
        ),
        Task::Ontology | Task::Classification => measured(
            || {
                let mut engine = ontology::BatchEngine::new(1);
                engine.insert_isa(pairs(folder, "isA"));
                engine.insert_s(pairs(folder, "s"));
                engine.insert_has(triples(folder, "has"));
                engine.insert_r(triples(folder, "r"));
                engine.insert_c(triples(folder, "c"));
                engine.insert_u(triples(folder, "u"));
                engine
            },
            |engine| engine.run(),
            |results| Check::of_both(results.p.iter().copied(), results.q.iter().copied()),
        ),
        Task::Year => panic!("FlowLog has no limits"),
        Task::Aggregates => measured(|| load_aggregates(folder), agg::BatchEngine::run, check_aggregates),
    }
}

fn load_aggregates(folder: &Path) -> agg::BatchEngine {
    let mut engine = agg::BatchEngine::new(1);
    let (mut runs, mut tools) = (Vec::new(), Vec::new());
    each(folder, "tool_run", |[run, tool, domain, ok, latency]| {
        runs.push((run, tool, domain, ok, latency));
    });
    each(folder, "tool", |[tool]| tools.push((tool,)));
    engine.insert_tool_run(runs);
    engine.insert_tool(tools);
    engine
}

fn check_aggregates(results: &agg::BatchResults) -> Check {
    let mut check = Check::default();
    results.td.iter().for_each(|&(t, d)| check.add(0, t, d));
    results.best.iter().for_each(|&(d, t)| check.add(1, d, t));
    results.poor.iter().for_each(|&(t, d)| check.add(2, t, d));
    results.good.iter().for_each(|&(t,)| check.add(3, t, 0));
    results.slow.iter().for_each(|&(t, d)| check.add(4, t, d));
    check
}
