//! What the id of a review names, and why it names nothing that waits.

use std::collections::BTreeSet;

use hence_core::diagnostic::nearest;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::Session;

use super::super::Failure;
use super::{ANSWERS, Wait, Waiting, relations, reviewers};

/// What an id names, with its kind (`escalation:r1`) or without.
pub(super) fn find<'a>(id: &str, waiting: &'a [Waiting]) -> Result<Option<&'a Waiting>, Failure> {
    let full = |found: &Waiting| format!("{}:{}", found.wait.kind(), found.wait.id());
    let twin = |found: &Waiting| found.twin.is_some_and(|twin| twin.as_str() == id);
    let fits = |found: &&Waiting| found.wait.id() == id || full(found) == id || twin(found);
    let fitting: Vec<&Waiting> = waiting.iter().filter(fits).collect();
    match fitting.as_slice() {
        [] => Ok(None),
        [found] => Ok(Some(found)),
        [first, second, ..] => {
            let message = format!("ambiguous `{id}`; write `{}` or `{}`", full(first), full(second));
            Err(Failure::Usage(message))
        }
    }
}

/// The override whose event begins so.
pub(super) fn find_override<'a>(start: &str, waiting: &'a [Waiting]) -> Result<Option<&'a Waiting>, Failure> {
    let stops = |found: &&Waiting| matches!(found.wait, Wait::Override { event, .. } if event.as_str().starts_with(start));
    let fitting: Vec<&Waiting> = waiting.iter().filter(stops).collect();
    match fitting.as_slice() {
        [] => Ok(None),
        [found] => Ok(Some(found)),
        several => {
            let ids: Vec<String> =
                several.iter().take(5).map(|found| format!("`{}`", found.wait.id())).collect();
            let more = if several.len() > ids.len() { ", …" } else { "" };
            Err(Failure::Usage(format!("ambiguous `{start}`; it begins {}{more}", ids.join(", "))))
        }
    }
}

pub(super) fn unknown(id: &str, waiting: &[Waiting]) -> String {
    let ids: Vec<String> = waiting.iter().map(|found| found.wait.id()).collect();
    let help = match nearest(id, ids.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => String::from("`hence review list` shows what is waiting"),
    };
    format!("`{id}` is not waiting for a review; {help}")
}

/// The inputs that guards of these rules ask for and that no review of the packs answers.
pub(super) fn others(session: &Session) -> Option<String> {
    let program = &session.rules().program;
    let guards = session.rules().checked.requires.iter().filter_map(|guard| program.relation(guard.relation));
    let own = guards.filter(|needed| needed.authors.is_some());
    let names: BTreeSet<&str> = own.map(|needed| needed.name.as_str()).collect();
    let names: Vec<String> = names
        .into_iter()
        .filter(|name| ANSWERS.iter().all(|(answer, _)| answer != name))
        .map(|name| format!("`{name}`"))
        .collect();
    let named = names.join(", ");
    (!names.is_empty())
        .then(|| format!("not listed here: {named}; answer with `hence assert FACT --as NAME`"))
}

/// Why a part can't be edited.
pub(super) fn no_part(found: &Waiting, part: &str) -> String {
    let (kind, id) = (found.wait.kind(), found.wait.id());
    let parts: Vec<&str> =
        found.content.iter().map(|(part, _)| part.as_str().trim_start_matches('/')).collect();
    if parts.is_empty() {
        return format!("the {kind} {id} has no content to edit");
    }
    let help = match nearest(part, parts.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its parts are {}", parts.join(", ")),
    };
    format!("the {kind} {id} has no part `{part}`; {help}")
}

/// Who answered what an id names, in words, where a reviewer did.
pub(super) fn answered(session: &Session, id: &str, now: i64) -> Result<Option<String>, Failure> {
    let reviewers = reviewers(session, now)?;
    let (facts, _) = relations(session, &ANSWERS.map(|(name, _)| name), now)?;
    let mut found: Vec<(i64, bool, String)> = Vec::new();
    for (relation, width) in ANSWERS {
        let program = &session.rules().program;
        let Some(known) = program.find(Symbol::new(relation)).and_then(|at| program.relation(at)) else {
            continue;
        };
        for fact in facts.get(relation).into_iter().flatten() {
            let named: String = fact.values.iter().take(width).map(|value| value.text()).collect();
            let column = |name: &str| fact.values.get(known.column(Symbol::new(name))?).copied();
            let answer = (column("at"), column("approved"), column("by"));
            if let (Some(Value::Time(at)), Some(Value::Bool(approved)), Some(Value::String(by))) = answer
                && named == id.split_once(':').map_or(id, |(_, id)| id)
                && reviewers.iter().any(|known| known == by.as_str())
            {
                found.push((at, approved, by.to_string()));
            }
        }
    }
    let first = found.into_iter().min();
    Ok(first.map(|(at, approved, by)| {
        let verb = if approved { "approved" } else { "rejected" };
        format!("`{id}` was {verb} by `{by}` at {}: an answer stays", Value::Time(at).text())
    }))
}
