//! Proofs with one node changed, dropped or swapped.

use hence_lang::ir::Program;
use hence_proof::check::{Known, check};
use serde_json::Value as Json;

/// What only a ledger could check, or says how the proof was found.
const UNCHECKED: [&str; 2] = ["origin", "least"];

/// Every mutant of the proof is refused.
pub(super) fn refused(program: &Program, proof: &Json, known: &Known<'_>, unchecked: &[&str]) {
    let mut paths = Vec::new();
    nodes(proof, &mut Vec::new(), &mut paths);
    let free = |name: &String| unchecked.contains(&name.as_str()) || UNCHECKED.contains(&name.as_str());
    for path in paths.into_iter().filter(|path: &Vec<String>| !path.iter().any(free)) {
        for mutant in mutants(proof, &path) {
            let verdict = check(program, &mutant, known);
            assert!(verdict.is_err(), "accepted although {path:?} was changed\n{mutant}\n{proof}");
        }
    }
}

fn nodes(json: &Json, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let below: Vec<(String, &Json)> = match json {
        Json::Object(map) => map.iter().map(|(name, json)| (name.clone(), json)).collect(),
        Json::Array(list) => list.iter().enumerate().map(|(at, json)| (at.to_string(), json)).collect(),
        _ => Vec::new(),
    };
    for (name, json) in below {
        path.push(name);
        found.push(path.clone());
        nodes(json, path, found);
        path.pop();
    }
}

fn mutants(proof: &Json, path: &[String]) -> Vec<Json> {
    let pointer = |path: &[String]| path.iter().map(|part| format!("/{part}")).collect::<String>();
    let (last, parent) = path.split_last().unwrap();
    let mut all = Vec::new();
    let mut dropped = proof.clone();
    match dropped.pointer_mut(&pointer(parent)).unwrap() {
        Json::Object(map) => {
            map.shift_remove(last);
        }
        Json::Array(list) => {
            let at: usize = last.parse().unwrap();
            list.remove(at);
            let mut swapped = proof.clone();
            let list = swapped.pointer_mut(&pointer(parent)).unwrap().as_array_mut().unwrap();
            if at + 1 < list.len() && list[at] != list[at + 1] && !parent.iter().any(|part| part == "inputs")
            {
                list.swap(at, at + 1);
                all.push(swapped);
            }
        }
        _ => {}
    }
    // Of a group any few inputs may be shown, in any order, and the height then follows from them.
    let input = path.len() > 1 && parent.last().is_some_and(|name| name == "inputs");
    if !input {
        all.push(dropped);
    }
    let mut changed = proof.clone();
    let node = changed.pointer_mut(&pointer(path)).unwrap();
    let other = match &*node {
        Json::Bool(value) => Json::from(!*value),
        Json::Number(number) if number.is_f64() => Json::from(number.as_f64().unwrap() + 0.125),
        Json::Number(number) => Json::from(number.as_i64().unwrap() + 1),
        Json::String(text) => Json::from(format!("{text}x")),
        Json::Null => Json::from("x"),
        Json::Array(_) | Json::Object(_) => Json::Null,
    };
    *node = other;
    all.push(changed);
    all
}
