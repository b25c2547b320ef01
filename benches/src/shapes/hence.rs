//! hence: rules from text, facts into the engine's input.

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};
use hence_engine::{Database, Engine, Limits, Model, SemiNaive, Threads};
use hence_lang::ir::Program;

use super::generate::Facts;
use super::{Sum, rules_of};
use crate::peers::hence::program;

fn rules(shape: &str) -> Program {
    let shape = rules_of(shape);
    let path = format!("{}/rules/shapes/{shape}.dl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    program(shape, &text)
}

/// A program with its input.
pub fn load(shape: &str, facts: &[Facts]) -> (Program, Database) {
    let program = rules(shape);
    let mut input = Database::new(&program);
    let mut row = Vec::new();
    for Facts { relation, width, words } in facts {
        let id = program.find((*relation).into()).unwrap();
        let columns = program.relations[id.0 as usize].columns.clone();
        for words in words.chunks_exact(*width) {
            row.clear();
            row.extend(words.iter().zip(columns.iter()).map(|(word, column)| match column.ty.ty {
                Type::String => Word::from_symbol(Symbol::from(&format!("the one of number {word}"))),
                _ => Word(*word),
            }));
            input.push(id, &row);
        }
    }
    (program, input)
}

/// All results, on so many threads.
pub fn eval((program, input): (Program, Database), threads: usize) -> (Program, Model) {
    let limits = Limits { threads: Threads::of(threads), ..Limits::default() };
    let model = SemiNaive.evaluate(&program, input, &limits).unwrap();
    (program, model)
}

/// The sum of the rows of `out`; texts by the number in them.
pub fn sum((program, model): &(Program, Model)) -> Sum {
    let id = program.find("out".into()).unwrap();
    let columns = &program.relations[id.0 as usize].columns;
    let mut sum = Sum::default();
    for row in model.extent(id).unwrap().rows.iter() {
        sum.add(row.iter().zip(columns.iter()).map(|(word, column)| match column.ty.ty {
            Type::String => {
                let text = word.as_symbol().as_str();
                text.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
            }
            _ => word.0,
        }));
    }
    sum
}
