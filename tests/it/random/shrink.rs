//! From a program that fails to a small one that fails in the same way.

use hence_lang::ir::{Literal, Program};

use super::load;
use super::program::{self, Text};

/// A smallest program that still fails: nothing of it can be left out.
pub(crate) fn shrink(mut text: Text, fails: impl Fn(&Text) -> bool) -> Text {
    while let Some(smaller) = candidates(&text).into_iter().find(|smaller| fails(smaller)) {
        text = smaller;
    }
    text
}

/// The program with one thing less, the largest things first.
fn candidates(text: &Text) -> Vec<Text> {
    let mut all = Vec::new();
    let mut edit = |change: &dyn Fn(&mut Text)| {
        let mut smaller = text.clone();
        change(&mut smaller);
        all.push(smaller);
    };
    (0..text.rules.len()).for_each(|at| edit(&|text| drop(text.rules.remove(at))));
    (0..text.declarations.len()).for_each(|at| edit(&|text| drop(text.declarations.remove(at))));
    (0..text.facts.len()).for_each(|at| edit(&|text| drop(text.facts.remove(at))));
    (0..text.asserted.len()).for_each(|at| edit(&|text| drop(text.asserted.remove(at))));
    for (at, rule) in text.rules.iter().enumerate() {
        if rule.limit.is_some() {
            edit(&|text| text.rules[at].limit = None);
        }
        (0..rule.body.len()).for_each(|literal| edit(&|text| drop(text.rules[at].body.remove(literal))));
    }
    all
}

/// The literals of all bodies.
fn literals(program: &Program) -> Vec<&Literal> {
    program.rules.iter().flat_map(|rule| &rule.body).collect()
}

#[test]
fn a_program_shrinks_to_what_fails() {
    let negates = |text: &Text| {
        let negation = |literal: &&Literal| matches!(literal, Literal::Not(_));
        load(text)
            .is_ok_and(|(rules, _)| literals(&rules.program).into_iter().any(|literal| negation(&literal)))
    };
    let large = |text: &Text| literals(&load(text).unwrap().0.program).len() > 8;
    // An aggregate in a body may bring negations of its own.
    let plain = |text: &Text| !text.rules.iter().flat_map(|rule| &rule.body).any(|body| body.contains('{'));
    let text = (0..).map(program::random).find(|text| plain(text) && negates(text) && large(text)).unwrap();
    let small = shrink(text, negates);
    let (rules, input) = load(&small).unwrap();
    assert!(rules.program.rules.len() == 1 && literals(&rules.program).len() <= 4, "{}", small.case());
    assert!(input.relations.iter().all(hence_engine::Rows::is_empty));
}
