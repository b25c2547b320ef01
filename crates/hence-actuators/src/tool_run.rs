//! `tool-run`: the runs of tools that an agent logs.

use std::path::Path;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::error_text::ErrorText;
use super::input::{Form, Input};
use super::json::{self, Object};
use super::objects::JsonObjects;
use super::{Observer, Sink, Summary, otlp, table};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// The name of the observer.
pub const NAME: &str = "tool-run";

const DECLARATIONS: &str = "\
input tool_run(run: int, tool: string, domain: name, ok: bool, latency: duration, at: time).
input failure_mode(run: int, mode: string).
input error(error: string, length: int).
input error_signal(error: string, signal: name).
";

/// The domain of a run that names none.
pub(super) const ANY_DOMAIN: &str = "/global";

/// Turns the log of an agent's tool calls into `tool_run`, `failure_mode` and, where a run left an error text,
/// `error` and `error_signal` under the id `run-N`.
///
/// JSON objects, one a run, each on its own line, over several lines, or all in one array:
///
/// | field | what it holds |
/// | --- | --- |
/// | `run` | an int that no other run has |
/// | `tool` | the tool's name |
/// | `ok` | whether the run succeeded |
/// | `at` | when it began, RFC 3339 with an offset |
/// | `latency_ms` or `latency` | how long it took: milliseconds, or a duration such as `"1200ms"` |
/// | `domain` | optional: a name, with or without its slash; without one `/global` |
/// | `failure_mode` | optional: a string, or an array of them |
/// | `error` | optional: the raw text of the error |
///
/// `null` counts as absent. Other fields are passed over and counted in the summary. An object that is an OTLP JSON
/// export (`{"resourceSpans": …}`) gives a run for each tool call among its spans, see below; exports of logs and
/// metrics are passed over; a misfit anywhere is an error.
///
/// Of OTLP spans those count whose `gen_ai.operation.name` is `execute_tool`: `gen_ai.tool.name` is the tool, the
/// low 63 bits of the span's id the run, its start and end the time and the latency, `error.type` the failure
/// mode; the run failed where the status is an error or there is an `error.type`; the error text is that of the
/// status and of the `exception` events; a span or resource attribute `hence.domain` is the domain.
pub struct ToolRun {
    errors: ErrorText,
}

/// One run of a tool, however it was logged.
pub(super) struct Run {
    pub(super) run: i64,
    pub(super) tool: String,
    pub(super) domain: Symbol,
    pub(super) ok: bool,
    /// Microseconds.
    pub(super) latency: i64,
    /// Microseconds since the epoch.
    pub(super) at: i64,
    pub(super) modes: Vec<String>,
    pub(super) error: Option<String>,
}

impl ToolRun {
    /// With the shipped table of error patterns, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { errors: ErrorText::from_tables(tables)? })
    }

    fn facts(&self, run: &Run) -> Vec<Fact> {
        let number = Value::Int(run.run);
        let mut facts = vec![Fact::new(
            "tool_run",
            [
                number,
                Value::String(Symbol::new(&run.tool)),
                Value::Name(run.domain),
                Value::Bool(run.ok),
                Value::Duration(run.latency),
                Value::Time(run.at),
            ],
        )];
        let modes = run.modes.iter().map(|mode| Value::String(Symbol::new(mode)));
        facts.extend(modes.map(|mode| Fact::new("failure_mode", [number, mode])));
        if let Some(error) = &run.error {
            facts.extend(self.errors.facts(&format!("run-{}", run.run), error));
        }
        facts
    }
}

impl Observer for ToolRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "tool calls logged by an agent: its own JSON lines, or OpenTelemetry spans in OTLP JSON"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        input.form(NAME, self.forms())?;
        let mut lines = JsonObjects::new(input);
        let mut summary = Summary::default();
        while let Some(mut object) = lines.next()? {
            let runs = if object.has(otlp::FIELD) {
                otlp::runs(&mut object, &mut summary)?
            } else if otlp::OTHER_FIELDS.iter().any(|field| object.has(field)) {
                summary.skipped += 1;
                continue;
            } else {
                vec![logged(&mut object)?]
            };
            for run in &runs {
                summary.records += 1;
                for fact in self.facts(run) {
                    summary.facts += 1;
                    sink(fact)?;
                }
            }
            object.leave(&mut summary);
        }
        Ok(summary)
    }
}

fn logged(object: &mut Object<'_>) -> Result<Run, ActuatorError> {
    let tool = |value: &Json| json::text(value).filter(|tool| !tool.is_empty());
    let domain = |value: &Json| value.as_str().and_then(table::name);
    Ok(Run {
        run: object.required("run", "an int", Json::as_i64)?,
        tool: object.required("tool", "the name of a tool: a string", tool)?,
        domain: object
            .optional("domain", "a name such as \"/marketing\"", domain)?
            .unwrap_or_else(|| Symbol::new(ANY_DOMAIN)),
        ok: object.required("ok", "true or false", Json::as_bool)?,
        latency: latency(object)?,
        at: object.required("at", "a time such as \"2026-02-03T14:23:45Z\"", |value| {
            value.as_str().and_then(literal::parse_time)
        })?,
        modes: object.optional("failure_mode", "a string or an array of strings", modes)?.unwrap_or_default(),
        error: object.optional("error", "the text of an error: a string", json::text)?,
    })
}

/// Microseconds of `latency` or `latency_ms`, exactly one of which has to be there, and not negative.
fn latency(object: &mut Object<'_>) -> Result<i64, ActuatorError> {
    let exact = object.optional("latency", "a duration such as \"1200ms\"", |value| {
        value.as_str().and_then(literal::parse_duration).filter(|micros| *micros >= 0)
    })?;
    let millis = object.optional("latency_ms", "a number of milliseconds, 0 or more", |value| {
        let micros = (value.as_f64()? * 1_000.0).round();
        // Beyond 2^53 a float no longer counts single microseconds; 285 years are enough for a tool.
        (0.0..=9_007_199_254_740_992.0).contains(&micros).then_some(micros as i64)
    })?;
    match (exact, millis) {
        (Some(micros), None) | (None, Some(micros)) => Ok(micros),
        (Some(_), Some(_)) => Err(object.place.fault("`latency` or `latency_ms`", "both")),
        (None, None) => Err(object.place.fault("`latency` or `latency_ms`", "no such field")),
    }
}

fn modes(value: &Json) -> Option<Vec<String>> {
    match value {
        Json::Array(modes) => modes.iter().map(json::text).collect(),
        mode => json::text(mode).map(|mode| vec![mode]),
    }
}
