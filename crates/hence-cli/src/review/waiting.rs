//! What waits for a review: escalations, proposals and overrides.

use hence_actuators::file_requests;
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::Session;

use super::super::Failure;
use super::{ASKED, Wait, Waiting, relations};

/// Everything that waits: escalations, then proposals, then overrides, each by id; and whether that is sure to be all.
pub(super) fn waiting(session: &Session, now: i64) -> Result<(Vec<Waiting>, bool), Failure> {
    let (facts, sure) = relations(session, &ASKED, now)?;
    let of = |name: &str| facts.get(name).into_iter().flatten();
    let mut all = Vec::new();
    for pending in of("pending_review") {
        let [Value::String(request), Value::Int(level)] = *pending.values else {
            return Err(foreign(pending, "request: string, level: int"));
        };
        let asked = of("escalation_request").find(|asked| asked.values.starts_with(&pending.values));
        all.push(escalation(pending, (request, level), asked));
    }
    let mut pending = Vec::new();
    for status in of("proposal_status") {
        let [Value::String(proposal), Value::Name(word)] = *status.values else {
            return Err(foreign(status, "proposal: string, status: name"));
        };
        if word.as_str() == "/pending" {
            let is_its = |fact: &&Fact| fact.values.first() == Some(&Value::String(proposal));
            let content = of("proposal_content").filter(is_its).filter_map(part).collect();
            pending.push(proposed(status, proposal, of("proposal").find(is_its), content));
        }
    }
    let mut overrides = Vec::new();
    for blocked in of("propose_override") {
        let [Value::String(event), Value::Name(rule)] = *blocked.values else {
            return Err(foreign(blocked, "event: string, rule: name"));
        };
        overrides.push(overridden(blocked, (event, rule), &mut pending));
    }
    all.extend(pending);
    all.extend(overrides);
    Ok((all, sure))
}

/// A part of the content of a proposal.
fn part(fact: &Fact) -> Option<(Symbol, Symbol)> {
    match *fact.values {
        [_, Value::Name(part), Value::String(text)] => Some((part, text)),
        _ => None,
    }
}

/// What waits here, the rules write otherwise than the packs do whose reviews this answers.
pub(super) fn foreign(fact: &Fact, expected: &str) -> Failure {
    Failure::Usage(format!(
        "a review takes `{}({expected})`, as in the shipped packs; found `{fact}`",
        fact.relation
    ))
}

fn escalation(pending: &Fact, (request, level): (Symbol, i64), asked: Option<&Fact>) -> Waiting {
    let mut found = Waiting {
        wait: Wait::Escalation { request },
        what: format!("level {level}"),
        since: None,
        origin: pending.clone(),
        content: Vec::new(),
        twin: None,
    };
    if let Some([_, _, reason, Value::Time(at)]) = asked.map(|asked| asked.values.as_slice()) {
        found.what = format!("level {level}: {}", reason.text());
        found.since = Some(*at);
    }
    found
}

fn proposed(status: &Fact, proposal: Symbol, made: Option<&Fact>, content: Vec<(Symbol, Symbol)>) -> Waiting {
    let mut found = Waiting {
        wait: Wait::Proposal { proposal },
        what: String::new(),
        since: None,
        origin: status.clone(),
        content,
        twin: None,
    };
    if let Some([_, kind, confidence, Value::Time(at)]) = made.map(|made| made.values.as_slice()) {
        found.what = format!("{} with confidence {}", kind.text(), confidence.text());
        found.since = Some(*at);
    }
    found
}

/// An override; the proposal that was made of it is the same thing and waits no more on its own.
fn overridden(blocked: &Fact, (event, rule): (Symbol, Symbol), pending: &mut Vec<Waiting>) -> Waiting {
    let id = file_requests::id_of(blocked);
    let twin = pending.iter().position(|found| found.wait.id() == id).map(|at| pending.remove(at));
    let since = twin.as_ref().and_then(|twin| twin.since);
    Waiting {
        wait: Wait::Override { event, rule },
        what: format!("{rule} stops {event}"),
        since,
        origin: blocked.clone(),
        content: twin.as_ref().map(|twin| twin.content.clone()).unwrap_or_default(),
        twin: twin.map(|_| Symbol::new(&id)),
    }
}
