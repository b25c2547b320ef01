//! hence: rules from text over the policy's facts, prepared once; each request brings its rows.

use hence::backend::seminaive::Prepared;
use hence::backend::{Database, Limits};
use hence::schema::RelationId;
use hence::value::Word;

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

pub fn start(policy: &Policy) -> Decide {
    let program = program("decision", include_str!("../../rules/decision.dl"));
    let find = |name: &str| program.find(name.into()).unwrap();
    let (inputs, results) = (INPUTS.map(find), RESULTS.map(find));
    let mut rows = Database::new(&program);
    fill_policy(&mut rows, &inputs, policy);
    let mut prepared = Prepared::new(program.clone(), rows, Limits::default()).unwrap();
    let mut rows = Database::new(&program);
    Box::new(move |request| {
        rows.clear();
        fill_request(&mut rows, &inputs, request);
        let view = prepared.evaluate(&rows).unwrap();
        let tools = |at: usize| mask(view.rows(results[at]).map(|row| row[0].0 as u32));
        let granted = view.rows(results[0]).next().unwrap()[0].0 as u32;
        let autonomous = !view.is_empty(results[4]);
        Out { granted, allow: tools(1), denied: tools(2), approval: tools(3), autonomous }
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
