//! The golden cases of every pack: each fact that follows has a proof that the checker accepts, places and
//! quotations included.

use std::fs;
use std::path::Path;

use hence::provenance::Finder;
use hence::provenance::check::{Known, check};
use hence::provenance::proof::NoOrigins;
use hence::provenance::render::json;
use hence::schema::{Kind, RelationId};
use hence::session::{RuleSet, RuleSource, Session, read_fact_lines};
use serde_json::Value as Json;

use super::build::facts;
use super::mutants;

/// How many facts of a relation are asked about.
const ASKED: usize = 8;

fn packs() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut packs: Vec<_> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    packs.sort();
    packs
}

fn cases(pack: &str) -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(pack);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

fn session(rules: &RuleSet, case: &Json) -> (Session, i64) {
    let lines: Vec<String> = case["facts"].as_array().unwrap().iter().map(Json::to_string).collect();
    let facts = read_fact_lines(rules, "case", &lines.join("\n")).unwrap();
    let now = hence::literal::parse_time(case["now"].as_str().unwrap()).unwrap();
    (Session::over_facts(rules.clone(), facts), now)
}

#[test]
fn every_golden_fact_has_a_proof_that_the_checker_accepts() {
    let mut checked = 0;
    for pack in packs() {
        let rules = RuleSource { packs: vec![pack.clone()], ..RuleSource::default() }.build().unwrap();
        for (number, case) in cases(&pack).iter().enumerate() {
            let (session, now) = session(&rules, case);
            let evaluation = session.evaluate(now).unwrap();
            let (program, model) = (&rules.program, &evaluation.model);
            let finder = Finder::new(program, model, &rules.sources, &NoOrigins);
            let known = Known { asserted: None, model: Some(model), sources: Some(&rules.sources) };
            for relation in 0..program.relations.len() {
                let relation = RelationId(relation as u32);
                let mut facts = facts(program, model, relation);
                facts.sort();
                for fact in facts.into_iter().take(ASKED) {
                    let proof = finder.why(&fact).unwrap().unwrap();
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
