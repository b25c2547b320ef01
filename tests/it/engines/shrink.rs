//! From a program that fails to a small one that fails in the same way.

use hence_engine::{Database, Rows};
use hence_lang::ir::{Literal, Program, invariants};

use super::build::strata;
use super::random;

type Case = (Program, Database);

/// A smallest program and input that `fails` still accepts: nothing of it can be left out.
pub(crate) fn shrink(program: Program, input: Database, fails: impl Fn(&Program, &Database) -> bool) -> Case {
    let mut case = (program, input);
    let smaller = |case: &Case| {
        candidates(case)
            .find(|(program, input)| invariants::broken(program).is_empty() && fails(program, input))
    };
    while let Some(next) = smaller(&case) {
        case = next;
    }
    case
}

/// The program with one thing less, the largest things first.
fn candidates(case: &Case) -> impl Iterator<Item = Case> + '_ {
    let (program, input) = case;
    let rules = (0..program.rules.len()).map(|at| {
        edit(program, |program| {
            program.rules.remove(at);
        })
    });
    let facts = (0..program.facts.len()).map(|at| {
        edit(program, |program| {
            program.facts.remove(at);
        })
    });
    let limits = (0..program.rules.len())
        .filter(|at| program.rules[*at].limit.is_some())
        .map(|at| edit(program, |program| program.rules[at].limit = None));
    let literals = program.rules.iter().enumerate().flat_map(move |(at, rule)| {
        (0..rule.body.len()).map(move |literal| {
            edit(program, |program| {
                program.rules[at].body.remove(literal);
            })
        })
    });
    let programs = rules.chain(facts).chain(limits).chain(literals);
    let rows = (0..input.relations.len()).flat_map(move |relation| {
        (0..input.relations[relation].len()).map(move |row| (program.clone(), without(input, relation, row)))
    });
    programs.map(|program| (program, input.clone())).chain(rows)
}

fn edit(program: &Program, change: impl FnOnce(&mut Program)) -> Program {
    let mut program = program.clone();
    change(&mut program);
    program.strata = strata(&program);
    program
}

fn without(input: &Database, relation: usize, row: usize) -> Database {
    let old = &input.relations[relation];
    let mut rows = Rows::new(old.arity());
    old.iter().enumerate().filter(|(at, _)| *at != row).for_each(|(_, row)| rows.push(row));
    let mut input = input.clone();
    input.relations[relation] = rows;
    input
}

#[test]
fn a_program_shrinks_to_what_fails() {
    let negates = |program: &Program| {
        program.rules.iter().flat_map(|rule| &rule.body).any(|literal| matches!(literal, Literal::Not(_)))
    };
    let (program, input) = (0..)
        .map(random::program)
        .find(|(program, _)| negates(program) && random::literals(program) > 8)
        .unwrap();
    let (small, input) = shrink(program, input, |program, _| negates(program));
    assert!(small.rules.len() == 1 && random::literals(&small) <= 4, "{small}");
    assert!(input.relations.iter().all(Rows::is_empty));
}
