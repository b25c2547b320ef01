//! `tool-run`: the runs of tools that an agent logs.

mod seen;

use std::path::Path;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::error_text::ErrorText;
use super::facts::{assert, string};
use super::input::{Form, Input};
use super::json::{self, Object, Place};
use super::objects::JsonObjects;
use super::{Observer, Sink, Summary, otlp, table};
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

pub(super) use seen::{ASSUMPTION, ModelCall, Step, phase};

/// The name of the observer.
pub const NAME: &str = "tool-run";

const DECLARATIONS: &str = "\
input tool_run(run: int, tool: string, domain: name, ok: bool, latency: duration, at: time).
input failure_mode(run: int, mode: string).
input error(error: string, length: int).
input error_signal(error: string, signal: name).
input session_run(session: string, run: int).
input model_call(call: string, model: string, input_tokens: int, output_tokens: int, latency: duration, at: time).
input model_cost(call: string, dollars: float).
input session_model_call(session: string, call: string).
input trace_step(task: string, phase: name, thought: string, at: time).
input trace_confidence(task: string, phase: name, at: time, confidence: float).
input trace_alternative(task: string, phase: name, at: time, alternative: string).
input trace_duration(task: string, phase: name, at: time, duration: duration).
input trace_text(task: string, phase: name, at: time, part: name, text: string).
";

/// The longest export in protobuf that is read, in bytes.
const LONGEST_EXPORT: u64 = 64 << 20;

/// The domain of a run that names none.
pub(super) const ANY_DOMAIN: &str = "/global";

/// Turns the log of an agent's tool calls into `tool_run`, `failure_mode`, `session_run` and, where a run left an error
/// text, `error` and `error_signal` under the id `run-N`; calls of models into `model_call`, `model_cost` and
/// `session_model_call`; steps of reasoning into `trace_step`, `trace_confidence`, `trace_alternative`,
/// `trace_duration` and `trace_text`.
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
/// | `session` | optional: the session that the run is part of, which gives `session_run` |
///
/// An object with `model` is a call of a model (`call`, `input_tokens`, `output_tokens`, `at`, `latency_ms` or `latency`,
/// optional `cost` in dollars and `session`), one with `phase` a step of reasoning (`task`, `thought`, `at`, optional
/// `confidence`, `alternatives`, `latency_ms` or `latency`, and the texts `system_prompt`, `user_prompt`, `response` and
/// `assumptions`).
///
/// `null` counts as absent. Other fields are passed over and counted in the summary. An object that is an OTLP JSON
/// export (`{"resourceSpans": …}`) gives a run for each tool call among its spans, see below; exports of logs and
/// metrics are passed over; a misfit anywhere is an error.
///
/// Of OTLP spans those count whose `gen_ai.operation.name` is `execute_tool`: `gen_ai.tool.name` is the tool, the
/// low 63 bits of the span's id the run, its start and end the time and the latency, `error.type` the failure
/// mode; the run failed where the status is an error or there is an `error.type`; the error text is that of the
/// status and of the `exception` events; a span or resource attribute `hence.domain` is the domain. Those whose operation
/// is `chat`, `generate_content`, `text_completion` or `embeddings` are calls of a model: `gen_ai.response.model` or
/// `gen_ai.request.model`, `gen_ai.usage.input_tokens` and `output_tokens`, `gen_ai.usage.cost`. `gen_ai.conversation.id`
/// or `session.id` is the session. A span with `hence.phase` is a step of reasoning, with `hence.task`, `hence.thought`,
/// `hence.confidence`, `hence.alternatives` and `hence.assumptions`; `gen_ai.system_instructions`, `gen_ai.input.messages` and
/// `gen_ai.output.messages` are what a model was told and answered in it. Exports in protobuf, one or each after its length in four bytes (as a
/// collector writes files), say the same.
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
    pub(super) session: Option<String>,
}

/// Something that an agent logged.
pub(super) enum Seen {
    Run(Run),
    Model(ModelCall),
    Step(Step),
}

impl ToolRun {
    /// With the shipped table of error patterns, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { errors: ErrorText::from_tables(tables)? })
    }

    fn facts(&self, seen: &Seen) -> Vec<Fact> {
        match seen {
            Seen::Run(run) => self.run(run),
            Seen::Model(call) => call.facts(),
            Seen::Step(step) => step.facts(),
        }
    }

    fn run(&self, run: &Run) -> Vec<Fact> {
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
        facts.extend(run.session.iter().map(|session| Fact::new("session_run", [string(session), number])));
        facts
    }

    /// Hands over what a span shows.
    fn span(&self, seen: &[Seen], summary: &mut Summary, sink: &mut Sink<'_>) -> Result<(), ActuatorError> {
        if seen.is_empty() {
            summary.skipped += 1;
            return Ok(());
        }
        assert(seen.iter().flat_map(|seen| self.facts(seen)).collect(), summary, sink)
    }

    fn observe_binary(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut summary = Summary::default();
        let mut place = Place { input: input.name(), line: 0 };
        let bytes = input.into_bytes(LONGEST_EXPORT)?;
        for export in exports(&bytes) {
            place.line += 1;
            let export =
                export.ok_or_else(|| place.fault("the whole of an export", "the end of the input"))?;
            otlp::binary_spans(place, export, &mut |seen| self.span(&seen, &mut summary, sink))?;
        }
        Ok(summary)
    }
}

/// The exports of a file: it is one, or each is preceded by its length in four bytes, the highest first. A message can't
/// begin with the zero that a length begins with. `None` where the last one is cut off.
fn exports(bytes: &[u8]) -> Vec<Option<&[u8]>> {
    if bytes.first() != Some(&0) {
        return vec![Some(bytes)];
    }
    let mut exports = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let framed = rest.split_first_chunk::<4>().and_then(|(length, after)| {
            after.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
        });
        exports.push(framed.map(|(export, _)| export));
        rest = framed.map_or(&[], |(_, after)| after);
    }
    exports
}

impl Observer for ToolRun {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "what an agent logs: tool runs, calls of models and steps as JSON lines, or OpenTelemetry spans in JSON or protobuf"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Json, Form::Protobuf]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        if input.form(NAME, self.forms())? == Form::Protobuf {
            return self.observe_binary(input, sink);
        }
        let mut lines = JsonObjects::new(input);
        let mut summary = Summary::default();
        while let Some(mut object) = lines.next()? {
            if object.has(otlp::FIELD) {
                otlp::spans(&mut object, &mut |seen| self.span(&seen, &mut summary, sink))?;
            } else if otlp::OTHER_FIELDS.iter().any(|field| object.has(field)) {
                summary.skipped += 1;
                continue;
            } else {
                assert(self.facts(&logged(&mut object)?), &mut summary, sink)?;
            }
            object.leave(&mut summary);
        }
        Ok(summary)
    }
}

/// An object of the agent's own log: a step has a phase, a call of a model names that.
fn logged(object: &mut Object<'_>) -> Result<Seen, ActuatorError> {
    if object.has("phase") {
        Step::read(object).map(Seen::Step)
    } else if object.has("model") {
        ModelCall::read(object).map(Seen::Model)
    } else {
        logged_run(object).map(Seen::Run)
    }
}

fn logged_run(object: &mut Object<'_>) -> Result<Run, ActuatorError> {
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
        at: seen::at(object)?,
        modes: object.optional("failure_mode", "a string or an array of strings", modes)?.unwrap_or_default(),
        error: object.optional("error", "the text of an error: a string", json::text)?,
        session: object.optional("session", "the id of a session: a string or an int", json::id)?,
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
