//! The native requests as questions.

use serde_json::{Map, Value as Json, json};

use super::call::Call;
use super::problem::Problem;
use super::question::{Question, Review};

/// How long `why-not` looks for remedies where nobody says, in milliseconds.
const LOOK: u64 = 200;
/// How many proofs are given where nobody says.
const PROOFS: u64 = 20;
/// How many bytes of transactions an answer holds at most, but for its first.
pub(crate) const LOG: usize = 4 << 20;
/// How many bytes an idempotency key may have.
const KEY: usize = 128;

type Lowered = Result<Question, Problem>;

/// What a member is to be.
fn wrong(name: &str, expected: &str, found: &Json) -> Problem {
    let found = match found {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    Problem::malformed(format!("`{name}`: expected {expected}, found {found}"))
}

pub(crate) fn text(fields: &Map<String, Json>, name: &str) -> Result<Option<String>, Problem> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(name, "a string", other)),
    }
}

pub(crate) fn needed(fields: &Map<String, Json>, name: &str) -> Result<String, Problem> {
    text(fields, name)?.ok_or_else(|| Problem::malformed(format!("missing `{name}`; expected a string")))
}

pub(crate) fn flag(fields: &Map<String, Json>, name: &str) -> Result<bool, Problem> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(false),
        Some(Json::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong(name, "a boolean", other)),
    }
}

pub(crate) fn number(fields: &Map<String, Json>, name: &str) -> Result<Option<u64>, Problem> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(found) => found.as_u64().map(Some).ok_or_else(|| wrong(name, "a number from 0", found)),
    }
}

pub(crate) fn list(fields: &Map<String, Json>, name: &str) -> Result<Vec<Json>, Problem> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) => Ok(items.clone()),
        Some(other) => Err(wrong(name, "a list of facts", other)),
    }
}

fn key(call: &Call) -> Result<Option<String>, Problem> {
    call.header("Idempotency-Key")?.map(|key| key_of("Idempotency-Key", key)).transpose()
}

/// Checks what a repeated request is known by.
pub(crate) fn key_of(name: &str, key: &str) -> Result<String, Problem> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:".contains(letter);
    if key.is_empty() || key.len() > KEY || !key.chars().all(is_plain) {
        let message = format!("`{name}`: expected 1 to {KEY} letters, digits or `-_.:`");
        return Err(Problem::malformed(message));
    }
    Ok(key.to_owned())
}

/// `POST /v1/facts`: a JSON line each.
pub(crate) fn facts(call: &Call) -> Lowered {
    call.expect(&["application/x-ndjson", "application/jsonl", "application/json"])?;
    let lines =
        String::from_utf8(call.body.to_vec()).map_err(|_| Problem::malformed("the body is not UTF-8"))?;
    if lines.trim().is_empty() {
        return Err(Problem::malformed(
            "the body is empty; expected a fact a line, such as {\"tool\": [\"shell\"]}",
        ));
    }
    Ok(Question::Record {
        lines,
        key: key(call)?,
        expect_tx: call.number("expect_tx")?,
        note: call.text("note"),
        ask: None,
    })
}

/// The facts to assert and to retract that lists hold, a JSON line each.
pub(crate) fn lines(fields: &Map<String, Json>) -> Result<String, Problem> {
    let mut lines: Vec<Json> = list(fields, "facts")?;
    lines.extend(list(fields, "retract")?.into_iter().map(|fact| json!({ "retract": fact })));
    Ok(lines.iter().map(|line| format!("{line}\n")).collect())
}

/// `POST /v1/decide`: facts in a list, dry or not.
pub(crate) fn decide(call: &Call) -> Lowered {
    let fields = call.object()?;
    let lines = lines(&fields)?;
    if flag(&fields, "dry")? {
        return Ok(Question::Dry { lines });
    }
    if call.text("as_of").is_some() {
        return Err(Problem::malformed("`as_of`: nothing is recorded in the past; expected `dry` with it"));
    }
    let (expect_tx, note) = (number(&fields, "expect_tx")?, text(&fields, "note")?);
    Ok(Question::Record { lines, key: key(call)?, expect_tx, note, ask: None })
}

/// `POST /v1/query`
pub(crate) fn query(call: &Call) -> Lowered {
    Ok(Question::Query(needed(&call.object()?, "body")?))
}

/// `POST /v1/why`
pub(crate) fn why(call: &Call) -> Lowered {
    why_of(&call.object()?)
}

pub(crate) fn why_of(fields: &Map<String, Json>) -> Lowered {
    let most = number(fields, "most")?.unwrap_or(PROOFS);
    Ok(Question::Why {
        fact: needed(fields, "fact")?,
        all_inputs: flag(fields, "all_inputs")?,
        most: usize::try_from(most).unwrap_or(usize::MAX),
    })
}

/// `POST /v1/why-not`
pub(crate) fn why_not(call: &Call) -> Lowered {
    why_not_of(&call.object()?)
}

pub(crate) fn why_not_of(fields: &Map<String, Json>) -> Lowered {
    Ok(Question::WhyNot { fact: needed(fields, "fact")?, look: number(fields, "look")?.unwrap_or(LOOK) })
}

/// `POST /v1/what-if`
pub(crate) fn what_if(call: &Call) -> Lowered {
    what_if_of(&call.object()?)
}

pub(crate) fn what_if_of(fields: &Map<String, Json>) -> Lowered {
    let set = match fields.get("set") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Object(set)) => set.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        Some(other) => return Err(wrong("set", "an object of parameters", other)),
    };
    Ok(Question::WhatIf { assert: list(fields, "assert")?, retract: list(fields, "retract")?, set })
}

/// `POST /v1/replay`
pub(crate) fn replay(call: &Call) -> Lowered {
    let fields = call.object()?;
    Ok(Question::Replay { from: number(&fields, "from")?, to: number(&fields, "to")? })
}

/// `GET /v1/decisions`
pub(crate) fn decisions(call: &Call) -> Lowered {
    Ok(Question::Decisions { relation: call.text("relation"), page: call.page()? })
}

/// `GET /v1/decisions/{id}`
pub(crate) fn decision(call: &Call) -> Lowered {
    Ok(Question::Decision(call.part("id")?))
}

/// `GET /v1/decisions/{id}/proof`
pub(crate) fn proof(call: &Call) -> Lowered {
    Ok(Question::Proof(call.part("id")?))
}

/// `GET /v1/facts/{relation}`
pub(crate) fn facts_of(call: &Call) -> Lowered {
    Ok(Question::Facts { relation: call.part("relation")?, page: call.page()? })
}

/// `GET /v1/log`
pub(crate) fn log(call: &Call) -> Lowered {
    let from = call.number("from")?.unwrap_or(1).max(1);
    Ok(Question::Log { from, limit: call.page()?.limit, bytes: LOG })
}

/// `GET /v1/reviews`
pub(crate) fn reviews(_: &Call) -> Lowered {
    Ok(Question::Reviews)
}

/// `POST /v1/reviews/{id}`
pub(crate) fn review(call: &Call) -> Lowered {
    let fields = call.object()?;
    let approved = match fields.get("approved") {
        Some(Json::Bool(approved)) => *approved,
        Some(other) => return Err(wrong("approved", "a boolean", other)),
        None => return Err(Problem::malformed("missing `approved`; expected true or false")),
    };
    answer(call.part("id")?, approved, &fields)
}

fn answer(id: String, approved: bool, fields: &Map<String, Json>) -> Lowered {
    let mut edits = Vec::new();
    match fields.get("edits") {
        None | Some(Json::Null) => {}
        Some(Json::Object(parts)) => {
            for (part, _) in parts {
                edits.push((part.clone(), needed(parts, part)?));
            }
        }
        Some(other) => return Err(wrong("edits", "an object of parts and texts", other)),
    }
    Ok(Question::Review(Review {
        id,
        approved,
        comment: text(fields, "comment")?.unwrap_or_default(),
        edits,
    }))
}

/// `GET /v1/outbox`
pub(crate) fn outbox(call: &Call) -> Lowered {
    let all = match call.text("all").as_deref() {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            return Err(Problem::malformed(format!("`all`: expected true or false, found `{other}`")));
        }
    };
    Ok(Question::Outbox { all })
}

/// `GET /v1/rules`
pub(crate) fn rules(_: &Call) -> Lowered {
    Ok(Question::Rules)
}

/// `GET /v1/status`
pub(crate) fn status(_: &Call) -> Lowered {
    Ok(Question::Status)
}

/// Facts of relations under one name, with the value of a column that the query or the path gives.
fn derived(call: &Call, relations: &[&'static str], name: &'static str, column: &str) -> Lowered {
    let value = call.path.get(column).or_else(|| call.query.get(column));
    let only = value.map(|value| (column.to_owned(), value.clone()));
    Ok(Question::Derived { relations: relations.to_vec(), only, name })
}

/// A fact with the members of a body.
fn one_fact(call: &Call, relation: &str) -> Lowered {
    let lines = json!({ relation: call.object()? }).to_string();
    Ok(Question::Record { lines, key: key(call)?, expect_tx: None, note: None, ask: None })
}

/// `POST /feedback/submit`
pub(crate) fn submit_feedback(call: &Call) -> Lowered {
    one_fact(call, "feedback")
}

/// `GET /feedback/history`
pub(crate) fn feedback_history(call: &Call) -> Lowered {
    derived(call, &["feedback"], "feedback", "run")
}

/// `GET /feedback/stats`
pub(crate) fn feedback_stats(call: &Call) -> Lowered {
    derived(call, &["feedback_stats", "feedback_by_tool"], "stats", "tool")
}

/// `GET /autonomy/status`
pub(crate) fn autonomy_status(call: &Call) -> Lowered {
    derived(call, &["current_level", "tool_allowed", "tool_blocked", "eligible", "unmet"], "status", "tool")
}

/// `POST /autonomy/request_escalation`
pub(crate) fn request_escalation(call: &Call) -> Lowered {
    one_fact(call, "escalation_request")
}

/// `POST /autonomy/approve_escalation`
pub(crate) fn approve_escalation(call: &Call) -> Lowered {
    let fields = call.object()?;
    let approved = fields.get("approved").map_or(Ok(true), |_| flag(&fields, "approved"))?;
    answer(needed(&fields, "request")?, approved, &fields)
}

/// `GET /autonomy/requests`
pub(crate) fn escalation_requests(call: &Call) -> Lowered {
    derived(call, &["escalation_request", "pending_review"], "requests", "request")
}

/// `GET /admin/proposals` and `GET /admin/proposals/{proposal}`
pub(crate) fn proposals(call: &Call) -> Lowered {
    derived(call, &["proposal", "proposal_status", "proposal_content"], "proposals", "proposal")
}

/// `GET /admin/proposals/stats`
pub(crate) fn proposal_stats(call: &Call) -> Lowered {
    derived(call, &["proposal_count"], "stats", "status")
}

/// `POST /admin/proposals/{proposal}/approve`
pub(crate) fn approve_proposal(call: &Call) -> Lowered {
    answer(call.part("proposal")?, true, &call.object()?)
}

/// `POST /admin/proposals/{proposal}/reject`
pub(crate) fn reject_proposal(call: &Call) -> Lowered {
    answer(call.part("proposal")?, false, &call.object()?)
}

/// `GET /api/reasoning/traces` and `GET /api/reasoning/traces/{task}`
pub(crate) fn traces(call: &Call) -> Lowered {
    derived(call, &["trace_step", "trace_outcome", "trace_gap"], "traces", "task")
}

/// `GET /api/reasoning/current`
pub(crate) fn current_trace(call: &Call) -> Lowered {
    derived(call, &["traced_task", "trace_incomplete"], "current", "task")
}
