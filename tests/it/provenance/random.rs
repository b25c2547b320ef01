//! Random programs: a proof exactly for what is derived, one that the checker accepts, as low as any; and remedies
//! that hold when they are applied.

use std::time::Duration;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_core::value::Value;
use hence_engine::Naive;
use hence_engine::{Database, Engine, Limits, Model};
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::check::{Known, check};
use hence_proof::proof::NoOrigins;
use hence_proof::render::{Layout, dot, html, json, mermaid, tree, why_not_json, why_not_text};
use hence_proof::why_not::Trial;

use super::build::{facts, last_step};
use crate::random::program;
use crate::slow;

/// How many facts of a relation are asked about.
const ASKED: usize = 6;

fn models(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Program, Database, Model)> {
    seeds.filter_map(|seed| {
        let (program, input) = program(seed);
        let limits = Limits { facts: 20_000, iterations: 200, ..Limits::default() };
        let model = Naive.evaluate(&program, input.clone(), &limits).ok()?;
        Some((seed, program, input, model))
    })
}

fn each_fact(program: &Program, model: &Model, mut visit: impl FnMut(RelationId, Fact)) {
    for relation in 0..program.relations.len() {
        let relation = RelationId(relation as u32);
        if hence_lang::lower::is_made(program, relation) {
            continue;
        }
        let mut facts = facts(program, model, relation);
        facts.sort();
        facts.into_iter().take(ASKED).for_each(|fact| visit(relation, fact));
    }
}

fn values(fact: &Fact) -> Vec<Option<Value>> {
    fact.values.iter().copied().map(Some).collect()
}

#[test]
fn what_is_derived_has_a_proof_that_the_checker_accepts() {
    let sources = Sources::default();
    let mut checked = 0;
    for (seed, program, input, model) in models(0..150) {
        let finder = Finder::new(&program, &model, &sources, &NoOrigins);
        let known = Known { asserted: Some(&input), model: Some(&model), sources: None, ledger: None };
        each_fact(&program, &model, |_, fact| {
            let proof = finder.why(&fact).unwrap().unwrap_or_else(|| panic!("{seed}: no proof of {fact}"));
            assert!(proof.least, "{seed}: {fact}");
            let explanation = finder.explanation(&fact).unwrap();
            assert_eq!(explanation, last_step(&proof), "{seed}: the explanation of {fact}");
            let json = json(&proof);
            let accepted = check(&program, &json, &known);
            let accepted = accepted.unwrap_or_else(|refusal| panic!("{seed}: {refusal}\n{json}\n{program}"));
            assert_eq!(accepted.on_trust, Vec::<String>::new(), "{seed}: {fact}");
            let again = Finder::new(&program, &model, &sources, &NoOrigins).why(&fact).unwrap().unwrap();
            assert_eq!(proof, again, "{seed}: another proof of {fact} the second time");
            checked += 1;
        });
    }
    assert!(checked > 500, "only {checked} proofs");
}

#[test]
fn of_all_proofs_none_is_lower() {
    let sources = Sources::default();
    for (seed, program, input, model) in models(0..60) {
        let finder = Finder::new(&program, &model, &sources, &NoOrigins);
        let known = Known { asserted: Some(&input), model: Some(&model), sources: None, ledger: None };
        each_fact(&program, &model, |_, fact| {
            let best = finder.why(&fact).unwrap().unwrap();
            let mut found = 0;
            for proof in finder.every(&fact).take(40) {
                found += 1;
                assert!(best.height <= proof.height, "{seed}: {fact} has a proof of height {}", proof.height);
                check(&program, &json(&proof), &known).unwrap_or_else(|refusal| panic!("{seed}: {refusal}"));
            }
            assert!(found > 0, "{seed}: {fact}");
        });
    }
}

#[test]
fn every_form_is_written_for_every_proof() {
    let sources = Sources::default();
    let layout = Layout { width: 90, ..Layout::default() };
    for (seed, program, _, model) in models(0..40) {
        let finder = Finder::new(&program, &model, &sources, &NoOrigins);
        each_fact(&program, &model, |_, fact| {
            let proof = finder.why(&fact).unwrap().unwrap();
            let text = tree(&proof, &program, &layout);
            assert!(text.lines().all(|line| line.chars().count() <= 90), "{seed}: {text}");
            assert!(dot(&proof, &program).ends_with("}\n"));
            assert!(mermaid(&proof, &program).lines().count() > proof.steps.len());
            assert!(html(&proof, &program).ends_with("</html>\n"));
            let cut = proof.cut(1);
            assert!(
                cut.steps.iter().all(|step| step.refers().iter().all(|id| id.0 < cut.steps.len() as u32))
            );
        });
    }
}

#[test]
fn what_is_not_derived_is_explained_and_remedies_hold() {
    let sources = Sources::default();
    let mut explained = 0;
    let seeds = slow::size(30, 600);
    for (seed, program, input, model) in models(0..seeds) {
        let finder = Finder::new(&program, &model, &sources, &NoOrigins);
        let limits = Limits { facts: 20_000, iterations: 200, ..Limits::default() };
        let trial = Trial::within(&Naive, limits, Duration::from_secs(1));
        each_fact(&program, &model, |relation, fact| {
            let holds = finder.why_not(relation, &values(&fact));
            assert_eq!(holds.holds, vec![fact.clone()], "{seed}");
            let Some(absent) = absent(&program, &finder, &fact) else { return };
            assert_eq!(finder.why(&absent), Ok(None), "{seed}: {absent}");
            let answer = finder.why_not(relation, &values(&absent));
            let rules = program.rules.iter().filter(|rule| rule.head == relation).count();
            assert_eq!((answer.holds.len(), answer.attempts.len()), (0, rules), "{seed}: {absent}");
            assert!(!why_not_text(&program, &answer).is_empty());
            assert!(why_not_json(&program, &answer).is_object());
            explained += 1;
            if seed < seeds / 4 && program.relation(relation).unwrap().kind != Kind::Input {
                let remedies = finder.remedies(relation, &values(&absent), &trial);
                for remedy in &remedies.found {
                    assert_eq!(remedy.derives, vec![absent.clone()], "{seed}");
                    assert!(
                        super::remedy::derives(&program, &input, remedy, &absent, &limits),
                        "{seed}: {remedy:?}"
                    );
                }
            }
        });
    }
    assert!(explained * 3 > seeds * 5, "only {explained} explained");
}

/// A fact near `fact` that doesn't hold: one value is that of another fact of the relation's type.
fn absent(program: &Program, finder: &Finder<'_>, fact: &Fact) -> Option<Fact> {
    let types: Vec<_> = program.relation(program.find(fact.relation)?)?.types().collect();
    for (at, _) in types.iter().enumerate() {
        let mut other = fact.clone();
        other.values[at] = match other.values[at] {
            Value::Int(value) => Value::Int(value.checked_add(7)?),
            Value::Bool(value) => Value::Bool(!value),
            Value::Duration(value) => Value::Duration(value.checked_add(1_000_000)?),
            Value::String(value) => super::build::text(&format!("{value}z")),
            _ => continue,
        };
        if !finder.holds(&other) {
            return Some(other);
        }
    }
    None
}
