//! The golden cases: each pack alone, on every engine, and all packs together must reproduce every one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hence::session::compiled::Compiled;
use hence::session::{Both, RuleSet, RuleSource, Session, read_fact_lines, shipped};
use hence_core::value::{Type, Value};
use hence_engine::{Engine, Naive, SemiNaive};
use libtest_mimic::Trial;
use serde_json::Value as Json;

use crate::corpus::one_by_one::OneByOne;
use crate::files::files;

type Make = fn() -> Box<dyn Engine>;

fn engines() -> Vec<(&'static str, Make)> {
    vec![
        ("naive", || Box::new(Naive)),
        ("embedded", || Box::new(SemiNaive)),
        ("incremental", || Box::new(OneByOne)),
        // What is not compiled in this build is the embedded engine's once more.
        ("compiled", || Box::<Compiled>::default()),
        ("both", || Box::<Both>::default()),
        #[cfg(feature = "dataflow")]
        ("on workers", || Box::new(crate::corpus::on_workers::OnWorkers)),
    ]
}

/// A rule set that is built when a first case asks for it.
type Shared = Arc<OnceLock<RuleSet>>;

/// A test a case.
pub(crate) fn trials() -> Vec<Trial> {
    let all = Shared::default();
    let mut trials = Vec::new();
    for pack in shipped::packs().into_iter().filter(|pack| *pack != shipped::JOINING) {
        let alone = Shared::default();
        let cases = files(Path::new("tests/golden").join(pack), &["json"]);
        assert!(!cases.is_empty(), "`{pack}` has no golden case");
        trials.extend(cases.into_iter().map(|case| {
            let (alone, all) = (alone.clone(), all.clone());
            let name = format!("golden::{pack}/{}", case.file_stem().unwrap().to_string_lossy());
            Trial::test(name, move || Ok(check(&case, (pack, &alone), &all)?))
        }));
    }
    trials
}

/// Runs a case by its pack alone and by all packs.
fn check(
    case: &PathBuf,
    (pack, alone): (&str, &OnceLock<RuleSet>),
    all: &OnceLock<RuleSet>,
) -> Result<(), String> {
    let case: Json = serde_json::from_str(&fs::read_to_string(case).unwrap()).unwrap();
    let mut found = Vec::new();
    let mut run = |way: &str, rules: &RuleSet, engine: Box<dyn Engine>| {
        found.extend(differences(&case, rules, engine).into_iter().map(|line| format!("{way}: {line}")));
    };
    let alone = alone.get_or_init(|| rules(&[pack.to_owned()]));
    for (engine, make) in engines() {
        run(engine, alone, make());
    }
    let all = all.get_or_init(|| rules(&[]));
    run("all packs", all, Box::new(SemiNaive));
    if hence::session::compiled::is_there() {
        run("all packs, compiled", all, Box::<Compiled>::default());
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

fn rules(packs: &[String]) -> RuleSet {
    let source = RuleSource { packs: packs.to_vec(), ..RuleSource::default() };
    source.build().unwrap_or_else(|error| panic!("{packs:?}: {error}: {error:?}"))
}

/// Everything in which the case and what follows from its facts differ.
fn differences(case: &Json, rules: &RuleSet, engine: Box<dyn Engine>) -> Vec<String> {
    let lines: Vec<String> = case["facts"].as_array().unwrap().iter().map(Json::to_string).collect();
    let facts = read_fact_lines(rules, "case", &lines.join("\n")).unwrap_or_else(|error| panic!("{error:?}"));
    let now = hence_core::literal::parse_time(case["now"].as_str().unwrap()).unwrap();
    let session = Session::over_facts(rules.clone(), facts).unwrap().with_engine(engine);
    let expect = case["expect"].as_object().unwrap();
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
                None => found.push(format!("{name}{row} is missing")),
            }
        }
        found.extend(there.iter().map(|row| format!("{name}{row:?} is too much")));
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
