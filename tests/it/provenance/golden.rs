//! The golden cases of every pack: each fact that follows has a proof that the checker accepts, places and
//! quotations included.

use std::time::Duration;

use crate::golden;
use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_engine::SemiNaive;
use hence_engine::{Database, Limits, Model};
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::check::{Known, check};
use hence_proof::proof::{NoOrigins, Proof, StepKind};
use hence_proof::render::json;
use hence_proof::why_not::Trial;

use super::build::{facts, last_step};
use super::{mutants, remedy};
use crate::golden::{cases, rules, session};

/// How many facts of a relation are asked about.
const ASKED: usize = 8;

#[test]
fn every_golden_fact_has_a_proof_that_the_checker_accepts() {
    let mut checked = 0;
    for pack in golden::packs() {
        let rules = rules(pack);
        for (number, case) in cases(pack).iter().enumerate() {
            let (session, now) = session(&rules, case);
            let evaluation = session.evaluate(now).unwrap();
            let (program, model) = (&rules.program, &evaluation.model);
            let finder = Finder::new(program, model, &rules.sources, &NoOrigins);
            let known =
                Known { asserted: None, model: Some(model), sources: Some(&rules.sources), ledger: None };
            for relation in 0..program.relations.len() {
                let relation = RelationId(relation as u32);
                let mut facts = facts(program, model, relation);
                facts.sort();
                for fact in facts.into_iter().take(ASKED) {
                    let proof = finder.why(&fact).unwrap().unwrap();
                    assert_eq!(
                        finder.explanation(&fact).unwrap(),
                        last_step(&proof),
                        "{pack} {number}: {fact}"
                    );
                    let json = json(&proof);
                    let accepted = check(program, &json, &known);
                    let accepted =
                        accepted.unwrap_or_else(|refusal| panic!("{pack} {number}: {refusal}\n{json:#}"));
                    assert_eq!(accepted.on_trust, Vec::<String>::new(), "{pack} {number}: {fact}");
                    checked += 1;
                    let decision = program.relation(relation).unwrap().kind == Kind::Decision;
                    if decision && number == 0 && proof.steps.len() < 30 {
                        mutants::refused(program, &json, &known, &[]);
                    }
                }
            }
        }
    }
    assert!(checked > 1000, "only {checked} proofs");
}

/// The facts that a model started from.
fn input(program: &Program, model: &Model) -> Database {
    let mut database = Database::new(program);
    for (at, extent) in model.relations.iter().enumerate() {
        let first = extent.rounds.first().copied().unwrap_or(extent.rows.len());
        extent.rows.iter().take(first).for_each(|row| database.push(RelationId(at as u32), row));
    }
    database
}

/// The asserted facts of a proof but for the clock.
fn leaves(proof: &Proof) -> impl Iterator<Item = &Fact> {
    let asserted = proof.steps.iter().filter(|step| matches!(step.kind, StepKind::Asserted { .. }));
    asserted.map(|step| &step.fact).filter(|fact| fact.relation.as_str() != "now")
}

#[test]
fn a_decision_that_lost_an_input_has_a_remedy() {
    let engine = SemiNaive;
    let trial = Trial::within(&engine, Limits::default(), Duration::from_secs(10));
    let (mut asked, mut without) = (0, Vec::new());
    for pack in golden::packs() {
        let rules = rules(pack);
        let program = &rules.program;
        for case in cases(pack).iter().take(2) {
            let (session, now) = session(&rules, case);
            let whole = session.evaluate(now).unwrap().model;
            let finder = Finder::new(program, &whole, &rules.sources, &NoOrigins);
            for relation in 0..program.relations.len() {
                let id = RelationId(relation as u32);
                if program.relation(id).unwrap().kind != Kind::Decision {
                    continue;
                }
                let mut facts = facts(program, &whole, id);
                facts.sort();
                for fact in facts.into_iter().take(2) {
                    let proof = finder.why(&fact).unwrap().unwrap();
                    for lost in leaves(&proof).take(2) {
                        let mut poorer = input(program, &whole);
                        remedy::retract(program, &mut poorer, lost);
                        let model = hence_engine::Engine::evaluate(
                            &engine,
                            program,
                            poorer.clone(),
                            &Limits::default(),
                        );
                        let model = model.unwrap();
                        let finder = Finder::new(program, &model, &rules.sources, &NoOrigins);
                        if finder.holds(&fact) {
                            continue;
                        }
                        asked += 1;
                        let pattern: Vec<_> = fact.values.iter().copied().map(Some).collect();
                        let remedies = finder.remedies(id, &pattern, &trial);
                        for found in &remedies.found {
                            let holds = remedy::derives(program, &poorer, found, &fact, &Limits::default());
                            assert!(holds, "{pack}: {found:?}");
                        }
                        if remedies.found.is_empty() {
                            without.push(format!("{pack}: {fact} without {lost}: {remedies:?}"));
                        }
                    }
                }
            }
        }
    }
    assert!(
        without.len() * 5 < asked,
        "{} of {asked} without a remedy\n{}",
        without.len(),
        without.join("\n")
    );
}
