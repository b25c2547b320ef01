//! `hence serve --demo`: a week of an agent that ends now, in a ledger of its own.

use std::path::PathBuf;

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::scratch::Scratch;
use hence_core::symbol::Symbol;
use hence_ledger::Ledger;
use hence_session::{CommitRequest, Session};
use serde_json::{Map, Value as Json};

use super::super::rules::RuleOptions;
use super::super::{Failure, open, time};

/// The week, and what waits for a person after it.
const WEEK: &str = include_str!("../../../../facts/agent_week.jsonl");
const WAITS: &str = include_str!("../../../../facts/agent_waits.jsonl");
/// When it ends, as its facts tell it.
const END: &str = "2026-02-09T09:12:00Z";
/// Who looks at it.
pub(crate) const WHO: &str = "ada";
/// The decisions of which one is shown first.
const SHOWN: &str = "replace_tool";
const PACKS: [&str; 10] = [
    "analytics",
    "autonomy",
    "errors",
    "feedback",
    "goals",
    "guardrails",
    "memory",
    "proposals",
    "refinement",
    "tool_scoring",
];

/// The folder of the ledger, which is removed with the value.
pub(crate) struct Demo(Scratch);

impl Demo {
    /// An empty folder that nobody else reads.
    ///
    /// # Errors
    /// It can't be made.
    pub(crate) fn new() -> Result<Self, Failure> {
        Scratch::new("demo").map(Self).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Where its ledger is.
    pub(crate) fn store(&self) -> PathBuf {
        self.0.path().join("ledger")
    }

    /// The rules that decide it.
    pub(crate) fn rules() -> RuleOptions {
        RuleOptions::named(&[], &PACKS.map(str::to_owned), &[])
    }
}

/// Records the week, and answers the path of a decision of it.
///
/// # Errors
/// The ledger can't be written.
pub(crate) fn fill(session: &mut Session) -> Result<String, Failure> {
    let now = time::wall_clock();
    let ended = literal::parse_time(END).unwrap_or(now);
    let by = now.saturating_sub(ended);
    let person = format!("{{\"reviewer\": [\"{WHO}\"]}}\n");
    for (lines, author) in [(person.as_str(), WHO), (WEEK, "observer"), (WAITS, "agent")] {
        let assertions = hence_session::read_fact_lines(session.rules(), "<demo>", &moved(lines, by))?;
        let (author, source) = (author.to_owned(), String::from("demo"));
        session.commit(
            CommitRequest { assertions, author, source, time: now, now, ..CommitRequest::default() },
            false,
        )?;
    }
    shown(session)
}

/// The path of the decision that is shown first.
fn shown(session: &Session) -> Result<String, Failure> {
    let decisions = session.ledger().map(Ledger::decisions).transpose().map_err(open::failure)?;
    let decisions: Vec<Fact> = decisions.into_iter().flatten().map(|one| one.decision.fact).collect();
    let first = decisions.iter().find(|fact| fact.relation == Symbol::new(SHOWN)).or(decisions.first());
    let id = first.map(|fact| session.decision_id(fact)).transpose()?.flatten();
    Ok(id.map_or_else(|| String::from("/"), |id| format!("/decisions/{id}")))
}

/// Lines of facts with each time so many microseconds later.
fn moved(lines: &str, by: i64) -> String {
    let moved = |line: &str| match serde_json::from_str::<Map<String, Json>>(line) {
        Ok(mut fact) => {
            fact.values_mut().for_each(|values| move_values(values, by));
            format!("{}\n", Json::Object(fact))
        }
        Err(_) => format!("{line}\n"),
    };
    lines.lines().map(moved).collect()
}

fn move_values(values: &mut Json, by: i64) {
    let one = |value: &mut Json| {
        let Json::String(text) = value else { return };
        let Some(at) = literal::parse_time(text).filter(|_| text.ends_with('Z')) else { return };
        *text = literal::time_text(at.saturating_add(by));
    };
    match values {
        Json::Array(values) => values.iter_mut().for_each(one),
        Json::Object(values) => values.values_mut().for_each(one),
        _ => {}
    }
}
