//! The golden cases: each pack alone and all packs together must reproduce every one, on every engine.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hence::session::compiled::Compiled;
use hence::session::{Both, RuleSet, RuleSource, Session, read_fact_lines};
use hence_core::value::{Type, Value};
use hence_engine::Engine;
use hence_engine::naive::Naive;
use hence_engine::seminaive::SemiNaive;
use serde_json::Value as Json;

use super::corpus::one_by_one::OneByOne;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

type Make = fn() -> Box<dyn Engine>;

fn engines() -> Vec<(&'static str, Make)> {
    vec![
        ("naive", || Box::new(Naive)),
        ("embedded", || Box::new(SemiNaive)),
        ("incremental", || Box::new(OneByOne)),
        // What is not compiled in this build is the embedded engine's once more.
        ("compiled", || Box::<Compiled>::default()),
        ("both", || Box::<Both>::default()),
    ]
}

pub(crate) struct Case {
    name: String,
    pub(crate) json: Json,
}

/// The cases of a pack, in order.
pub(crate) fn cases(pack: &str) -> Vec<Case> {
    let mut files: Vec<_> =
        fs::read_dir(folder().join(pack)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: PathBuf| Case {
        name: format!("{pack}/{}", file.file_name().unwrap().to_string_lossy()),
        json: serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap(),
    };
    files.into_iter().map(read).collect()
}

pub(crate) fn packs() -> Vec<String> {
    let mut packs: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    packs.sort();
    packs
}

fn rules(packs: &[String]) -> RuleSet {
    let source = RuleSource { packs: packs.to_vec(), ..RuleSource::default() };
    source.build().unwrap_or_else(|error| panic!("{packs:?}: {error}: {error:?}"))
}

/// Everything in which the case and what follows from its facts differ.
fn differences(case: &Case, rules: &RuleSet, engine: Box<dyn Engine>) -> Vec<String> {
    let lines: Vec<String> = case.json["facts"].as_array().unwrap().iter().map(Json::to_string).collect();
    let facts =
        read_fact_lines(rules, &case.name, &lines.join("\n")).unwrap_or_else(|error| panic!("{error:?}"));
    let now = hence_core::literal::parse_time(case.json["now"].as_str().unwrap()).unwrap();
    let session = Session::over_facts(rules.clone(), facts).with_engine(engine);
    let expect = case.json["expect"].as_object().unwrap();
    let names: Vec<String> = expect.keys().cloned().collect();
    let derived = session.derive(&names, now).unwrap();
    let mut found = derived.reports.clone();
    for (name, _, facts) in &derived.relations {
        let types: Vec<Type> = relation_types(rules, name.as_str());
        let mut there: Vec<Vec<Value>> = facts.iter().map(|fact| fact.values.clone()).collect();
        for row in expect[name.as_str()].as_array().unwrap() {
            let wanted = row.as_array().unwrap();
            let same = |row: &Vec<Value>| {
                row.len() == wanted.len()
                    && row.iter().zip(wanted).zip(&types).all(|((value, json), ty)| equal(*value, json, *ty))
            };
            match there.iter().position(same) {
                Some(at) => drop(there.swap_remove(at)),
                None => found.push(format!("{}: {name}{row} is missing", case.name)),
            }
        }
        found.extend(there.iter().map(|row| format!("{}: {name}{row:?} is too much", case.name)));
    }
    found
}

fn relation_types(rules: &RuleSet, name: &str) -> Vec<Type> {
    let relation = rules.program.find(name.into()).unwrap();
    rules.program.relation(relation).unwrap().types().collect()
}

/// Equality of the golden cases: floats within 1e-9, times and durations by value.
fn equal(value: Value, json: &Json, ty: Type) -> bool {
    match (ty, value) {
        (Type::Float, Value::Float(value)) => {
            json.as_f64().is_some_and(|wanted| (wanted - value.get()).abs() <= 1e-9)
        }
        (Type::Int, Value::Int(value)) => json.as_i64() == Some(value),
        (Type::Bool, Value::Bool(value)) => json.as_bool() == Some(value),
        (Type::Time, Value::Time(value)) => {
            json.as_str().and_then(hence_core::literal::parse_time) == Some(value)
        }
        (Type::Duration, Value::Duration(value)) => {
            json.as_str().and_then(hence_core::literal::parse_duration) == Some(value)
        }
        (_, value) => json.as_str() == Some(value.text().as_str()),
    }
}

#[test]
fn each_pack_alone_passes_its_cases_on_every_engine() {
    let mut found = Vec::new();
    let mut run = 0;
    for pack in packs() {
        let rules = rules(std::slice::from_ref(&pack));
        for case in cases(&pack) {
            for (engine, make) in engines() {
                run += 1;
                found.extend(
                    differences(&case, &rules, make()).into_iter().map(|line| format!("{engine}: {line}")),
                );
            }
        }
    }
    assert!(run > 300, "only {run} runs: the cases are not there");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn all_packs_together_pass_every_case() {
    let rules = rules(&[]);
    let mut found = Vec::new();
    for pack in packs() {
        for case in cases(&pack) {
            found.extend(differences(&case, &rules, Box::new(SemiNaive)));
            if hence::session::compiled::is_there() {
                found.extend(differences(&case, &rules, Box::<Compiled>::default()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_pack_has_cases() {
    let shipped: BTreeSet<&str> = hence::session::shipped::packs().into_iter().collect();
    let with_cases = packs();
    let with_cases: BTreeSet<&str> = with_cases.iter().map(String::as_str).collect();
    assert_eq!(shipped, with_cases);
}
