//! Workers of differential dataflow: a part of the facts, all of them, and none again.

use std::sync::atomic::{AtomicUsize, Ordering};

use hence::dataflow::{Dataflow, Workers};
use hence_core::schema::RelationId;
use hence_engine::{Database, Engine, LimitReached, Limits, Model, SemiNaive};
use hence_lang::ir::Program;

/// Workers that are started for each evaluation: 1, 2, 4 in turn.
#[derive(Default)]
pub(crate) struct OnWorkers;

impl Engine for OnWorkers {
    fn name(&self) -> &'static str {
        "on workers"
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        // What a limit stops depends on the way; one from scratch tells.
        SemiNaive.evaluate(program, input.clone(), limits)?;
        let threads = [1, 2, 4][TURN.fetch_add(1, Ordering::Relaxed) % 3];
        let (engine, cluster) =
            Dataflow::start(program.clone(), "", Workers::of_one_process(threads), limits).unwrap();
        let nothing = engine.evaluate(program, Database::new(program), limits)?;
        engine.evaluate(program, part(program, &input), limits)?;
        let model = engine.evaluate(program, input, limits)?;
        let again = engine.evaluate(program, Database::new(program), limits)?;
        assert_eq!(rows(&again), rows(&nothing), "something remains of\n{program}");
        cluster.end().unwrap();
        Ok(model)
    }
}

/// Every other row of each relation.
fn part(program: &Program, input: &Database) -> Database {
    let mut part = Database::new(program);
    for (id, rows) in (0..).map(RelationId).zip(&input.relations) {
        rows.iter().step_by(2).for_each(|row| part.push(id, row));
    }
    part
}

fn rows(model: &Model) -> Vec<Vec<Vec<hence_core::value::Word>>> {
    let sorted = |extent: &hence_engine::Extent| {
        let mut rows: Vec<_> = extent.rows.iter().map(<[_]>::to_vec).collect();
        rows.sort_unstable();
        rows
    };
    model.relations.iter().map(sorted).collect()
}
