//! The incremental mode: facts come one by one in another order, and go again in yet another; then nothing may remain
//! but what follows from nothing.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, LimitReached, Limits, Model};
use hence_engine::{FactChange, Incremental};
use hence_lang::ir::Program;

/// Above so many facts some come together.
const SINGLE: usize = 400;

/// A standing evaluation in the place of one from scratch.
#[derive(Default)]
pub(crate) struct OneByOne;

impl Engine for OneByOne {
    fn name(&self) -> &'static str {
        "one by one"
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        // What a limit stops depends on the way; one from scratch tells.
        SemiNaive.evaluate(program, input.clone(), limits)?;
        let mut facts: Vec<(RelationId, Vec<Word>)> = Vec::new();
        for (at, rows) in (0..).zip(&input.relations) {
            facts.extend(rows.iter().map(|row| (RelationId(at), row.to_vec())));
        }
        let mut standing = Incremental::new(program, &Database::new(program), &Limits::default())?;
        let nothing = rows(&standing.model());
        let together = facts.len() / SINGLE + 1;
        change(&mut standing, &mut facts, together, true)?;
        let model = standing.model();
        change(&mut standing, &mut facts, together, false)?;
        assert_eq!(rows(&standing.model()), nothing, "something remains of\n{program}");
        Ok(model)
    }
}

/// Asserts or retracts all facts, in an order that looks like none.
fn change(
    standing: &mut Incremental,
    facts: &mut [(RelationId, Vec<Word>)],
    together: usize,
    stands: bool,
) -> Result<(), LimitReached> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(stands);
    for at in (1..facts.len()).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        facts.swap(at, (state >> 33) as usize % (at + 1));
    }
    for some in facts.chunks(together) {
        let edits =
            some.iter().map(|(relation, row)| FactChange { relation: *relation, row, asserted: stands });
        standing.apply(&edits.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn rows(model: &Model) -> Vec<BTreeSet<Vec<Word>>> {
    model.relations.iter().map(|extent| extent.rows.iter().map(<[Word]>::to_vec).collect()).collect()
}
