//! hence: rules from text, loaded once.

use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::{Database, Engine, Limits};
use hence_engine::{Prepared, SemiNaive};
use hence_lang::ir::Program;

use super::{Decide, Out, Policy, Request, mask};
use crate::peers::hence::program;

const INPUTS: [&str; 13] = [
    "level",
    "level_req",
    "tool_risk",
    "tool_kind",
    "safe_tool",
    "banned",
    "depends",
    "needs_role",
    "metric",
    "run",
    "role",
    "requested",
    "incident",
];
const RESULTS: [&str; 5] = ["granted", "allow", "denied", "approval", "autonomous"];

fn int(value: u32) -> Word {
    Word::from_int(i64::from(value))
}

fn ones(input: &mut Database, relation: RelationId, values: &[u32]) {
    values.iter().for_each(|&value| input.push(relation, &[int(value)]));
}

fn twos(input: &mut Database, relation: RelationId, rows: &[(u32, u32)]) {
    rows.iter().for_each(|&(a, b)| input.push(relation, &[int(a), int(b)]));
}

fn out(granted: Option<u32>, tools: impl Fn(usize) -> u64, autonomous: bool) -> Out {
    Out { granted: granted.unwrap(), allow: tools(1), denied: tools(2), approval: tools(3), autonomous }
}

fn loaded() -> (Program, [RelationId; 13], [RelationId; 5]) {
    let program = program("decision", include_str!("../../rules/decision.dl"));
    let find = |name: &str| program.find(name.into()).unwrap();
    let (inputs, results) = (INPUTS.map(find), RESULTS.map(find));
    (program, inputs, results)
}

/// Rules and policy prepared once; a request is rows in a buffer that is used again.
pub fn prepared(policy: &Policy) -> Decide {
    let (program, inputs, results) = loaded();
    let mut standing = Database::new(&program);
    fill_policy(&mut standing, &inputs, policy);
    let mut rows = Database::new(&program);
    let mut prepared = Prepared::new(program, standing, Limits::default()).unwrap();
    prepared.expect(&inputs[8..]).unwrap();
    Box::new(move |request| {
        rows.clear();
        fill_request(&mut rows, &inputs, request);
        let view = prepared.evaluate(&rows).unwrap();
        let tools = |at: usize| mask(view.rows(results[at]).map(|row| row[0].0 as u32));
        let granted = view.rows(results[0]).next().map(|row| row[0].0 as u32);
        out(granted, tools, !view.is_empty(results[4]))
    })
}

/// Nothing kept but the rules: policy and request are an input of their own for the engine each time.
pub fn anew(policy: &Policy) -> Decide {
    let (program, inputs, results) = loaded();
    let (policy, limits) = (policy.clone(), Limits::default());
    Box::new(move |request| {
        let mut input = Database::new(&program);
        fill_policy(&mut input, &inputs, &policy);
        fill_request(&mut input, &inputs, request);
        let model = SemiNaive.evaluate(&program, input.clone(), &limits).unwrap();
        let rows = |at: usize| &model.extent(results[at]).unwrap().rows;
        let tools = |at: usize| mask(rows(at).iter().map(|row| row[0].0 as u32));
        let granted = rows(0).get(0).map(|row| row[0].0 as u32);
        out(granted, tools, !rows(4).is_empty())
    })
}

fn fill_policy(input: &mut Database, inputs: &[RelationId; 13], policy: &Policy) {
    ones(input, inputs[0], &policy.level);
    for &(level, metric, least) in &policy.level_req {
        input.push(inputs[1], &[int(level), int(metric), Word::from_int(i64::from(least))]);
    }
    twos(input, inputs[2], &policy.tool_risk);
    twos(input, inputs[3], &policy.tool_kind);
    ones(input, inputs[4], &policy.safe_tool);
    ones(input, inputs[5], &policy.banned);
    twos(input, inputs[6], &policy.depends);
    twos(input, inputs[7], &policy.needs_role);
}

fn fill_request(input: &mut Database, inputs: &[RelationId; 13], request: &Request) {
    for &(metric, value) in &request.metric {
        input.push(inputs[8], &[int(metric), Word::from_int(i64::from(value))]);
    }
    twos(input, inputs[9], &request.run);
    ones(input, inputs[10], &request.role);
    ones(input, inputs[11], &request.requested);
    twos(input, inputs[12], &request.incident);
}
