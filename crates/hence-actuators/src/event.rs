//! `event`: tickets and mails, with who sent them, what they are about, and what guards them.

mod mails;

use std::path::Path;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::error_text::{id, short_hash};
use super::facts::{assert, each_object, string};
use super::input::{Form, Input};
use super::json::{self, Object};
use super::table::{self, PatternTable, Shipped};
use super::{Observer, Sink, Summary};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// The name of the observer.
pub const NAME: &str = "event";

/// How many characters of a text an excerpt has.
const EXCERPT: usize = 200;

const GUARDS: Shipped = Shipped {
    file: "guard_signals.csv",
    columns: ["rule", "pattern"],
    text: include_str!("../../../facts/guard_signals.csv"),
    names: true,
    case: false,
    unicode: true,
    pattern: str::to_owned,
};

const DECLARATIONS: &str = "\
input event(event: string, source: name, type: name, at: time).
input event_text(event: string, sender: string, subject: string, excerpt: string).
input guarded_event(event: string, rule: name).
";

/// Turns tickets and mails into `event`, `event_text` (who sent it, its subject, the first 200 characters of its text
/// with single spaces) and, by `facts/guard_signals.csv` (`rule,pattern`), `guarded_event`: subject and text show what
/// that guardrail guards.
///
/// JSON objects: `source` and `type` (names, with or without their slash), `at` (RFC 3339 with an offset), and where they
/// are known `event` (an id; else the input's name and the line), `sender`, `subject` and `text`.
///
/// Mails: one, or an mbox, of source `/mail` and type `/message`. Encoded headers are decoded, and of a mail in several
/// parts the first text counts. The id is the `Message-ID`, the time the `Date`, which has to be there. Of a mail its
/// first mebibyte is read.
pub struct Event {
    guards: PatternTable,
}

/// Something that happened, however it came.
struct Seen {
    event: String,
    source: Symbol,
    kind: Symbol,
    /// Microseconds since the epoch.
    at: i64,
    sender: String,
    subject: String,
    text: String,
}

impl Event {
    /// With the shipped table of guards, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { guards: PatternTable::load(&GUARDS, tables)? })
    }

    fn facts(&self, seen: &Seen) -> Vec<Fact> {
        let event = string(&seen.event);
        let excerpt: String = squeezed(&seen.text).chars().take(EXCERPT).collect();
        let columns = [event, Value::Name(seen.source), Value::Name(seen.kind), Value::Time(seen.at)];
        let about = [event, string(&seen.sender), string(&squeezed(&seen.subject)), string(&excerpt)];
        let mut facts = vec![Fact::new("event", columns), Fact::new("event_text", about)];
        let guards = self.guards.labels_of(&format!("{}\n{}", seen.subject, seen.text)).into_iter();
        facts.extend(guards.map(|rule| Fact::new("guarded_event", [event, Value::Name(rule)])));
        facts
    }

    fn observe_mails(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut summary = Summary::default();
        let mut mails = mails::Mails::new(input);
        while let Some(mail) = mails.next()? {
            assert(self.facts(&mail.read()?), &mut summary, sink)?;
        }
        Ok(summary)
    }
}

/// A text with single spaces.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ticket(object: &mut Object<'_>) -> Result<Seen, ActuatorError> {
    let name = |value: &Json| value.as_str().and_then(table::name);
    let given = object.optional("event", "the id of an event: a string or an int", json::id)?;
    let source = object.required("source", "a name such as \"/freshdesk\"", name)?;
    let kind = object.required("type", "a name such as \"/ticket\"", name)?;
    let at = object.required("at", "a time such as \"2026-02-03T14:23:45Z\"", |value| {
        value.as_str().and_then(literal::parse_time)
    })?;
    let mut text =
        |field| Ok::<_, ActuatorError>(object.optional(field, "a string", json::text)?.unwrap_or_default());
    let (sender, subject, text) = (text("sender")?, text("subject")?, text("text")?);
    let place = object.place;
    let hash = || short_hash(&format!("{at}\n{sender}\n{subject}\n{text}"));
    let event = given.unwrap_or_else(|| id(place.input, Some(place.line), "event", &hash()));
    Ok(Seen { event, source, kind, at, sender, subject, text })
}

impl Observer for Event {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "tickets as JSON lines and mails: when they came, who sent them, what they say, what guards them"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json, Form::Mail]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        match input.form(NAME, self.forms())? {
            Form::Mail => self.observe_mails(input, sink),
            _ => each_object(input, sink, |object| Ok(self.facts(&ticket(object)?))),
        }
    }
}
