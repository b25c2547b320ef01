//! The shipped week of an agent: that its generator wrote it, and what it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

#[path = "../../examples/agent_week.rs"]
#[expect(dead_code, reason = "the example's own entry point")]
mod generator;

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("facts/agent_week.jsonl")
}

#[test]
fn the_agent_week_is_what_its_generator_writes() {
    let written = generator::week().unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file(), &written).unwrap();
    }
    assert!(
        written == fs::read_to_string(file()).unwrap(),
        "run with UPDATE=1, or see the head of the example"
    );
}

#[test]
fn the_agent_week_is_about_three_packs() {
    let mut relations: BTreeMap<String, usize> = BTreeMap::new();
    for line in fs::read_to_string(file()).unwrap().lines() {
        let fact: Json = serde_json::from_str(line).unwrap();
        *relations.entry(fact.as_object().unwrap().keys().next().unwrap().clone()).or_default() += 1;
    }
    let known = [
        "error",
        "error_signal",
        "failure_mode",
        "feedback",
        "feedback_by",
        "feedback_goal",
        "feedback_lasts",
        "feedback_replacement",
        "feedback_text",
        "feedback_withdrawn",
        "goal",
        "goal_domain_given",
        "domain_signal",
        "pattern_match",
        "tool",
        "tool_memory",
        "tool_run",
    ];
    assert_eq!(relations.keys().map(String::as_str).collect::<BTreeSet<_>>(), BTreeSet::from(known));
    assert_eq!((relations["tool"], relations["tool_run"]), (12, 1_400));
}
