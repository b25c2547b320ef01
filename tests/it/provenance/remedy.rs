//! Applies a remedy to a program and its input, apart from how the finder tries it.

use hence::session::evaluate_program;
use hence_core::fact::Fact;
use hence_core::span::Sources;
use hence_core::value::{Value, Word};
use hence_engine::Naive;
use hence_engine::{Database, Engine, Limits, Rows};
use hence_lang::ir::Program;
use hence_proof::why_not::{Change, Remedy};

/// Whether the fact holds once the changes are made.
pub(super) fn derives(
    program: &Program,
    input: &Database,
    remedy: &Remedy,
    fact: &Fact,
    limits: &Limits,
) -> bool {
    let (mut program, mut input) = (program.clone(), input.clone());
    for change in &remedy.changes {
        match change {
            Change::Assert(fact, _) => input.push(program.find(fact.relation).unwrap(), &row(fact)),
            Change::Retract(fact) => retract(&program, &mut input, fact),
            Change::Set(name, _, value) => {
                let param = program.params.iter_mut().find(|param| param.name == *name).unwrap();
                param.value = *value;
            }
        }
    }
    follows(&program, input, &Naive, fact, limits)
}

/// Whether a fact follows certainly, whatever undefined operations might come to.
pub(super) fn follows(
    program: &Program,
    input: Database,
    engine: &dyn Engine,
    fact: &Fact,
    limits: &Limits,
) -> bool {
    let evaluation = evaluate_program(program, &Sources::default(), input, engine, limits).unwrap();
    let relation = program.find(fact.relation).unwrap();
    evaluation.model.extent(relation).unwrap().rows.iter().any(|other| other == row(fact))
}

/// Takes a fact out of the input.
pub(super) fn retract(program: &Program, input: &mut Database, fact: &Fact) {
    let rows = &mut input.relations[program.find(fact.relation).unwrap().0 as usize];
    let mut kept = Rows::new(rows.arity());
    rows.iter().filter(|other| *other != row(fact)).for_each(|other| kept.push(other));
    *rows = kept;
}

fn row(fact: &Fact) -> Vec<Word> {
    fact.values.iter().map(|value: &Value| value.word()).collect()
}
