//! The golden cases, as tests that are code read them.

use std::fs;
use std::path::Path;

use hence::session::{RuleSet, RuleSource, Session, read_fact_lines, shipped};
use serde_json::Value as Json;

use crate::files::files;

/// The packs with cases: all but the one that joins them.
pub(crate) fn packs() -> impl Iterator<Item = &'static str> {
    shipped::packs().into_iter().filter(|pack| *pack != shipped::JOINING)
}

/// The cases of a pack, in order.
pub(crate) fn cases(pack: &str) -> Vec<Json> {
    let files = files(Path::new("tests/golden").join(pack), &["json"]);
    files.iter().map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

/// The rules of a pack alone.
pub(crate) fn rules(pack: &str) -> RuleSet {
    RuleSource { packs: vec![pack.to_owned()], ..RuleSource::default() }.build().unwrap()
}

/// A session over the facts of a case, and its clock.
pub(crate) fn session(rules: &RuleSet, case: &Json) -> (Session, i64) {
    let lines: Vec<String> = case["facts"].as_array().unwrap().iter().map(Json::to_string).collect();
    let facts = read_fact_lines(rules, "case", &lines.join("\n")).unwrap();
    let now = hence_core::literal::parse_time(case["now"].as_str().unwrap()).unwrap();
    (Session::over_facts(rules.clone(), facts).unwrap(), now)
}
