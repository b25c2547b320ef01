//! Tool calls, calls of models and steps of reasoning in OpenTelemetry traces, by the GenAI conventions.
//!
//! A request of the OTLP exporter holds resources, these scopes, these spans. Numbers of 64 bits may be written as
//! strings, ids are hexadecimal, attributes are lists of keys and wrapped values.

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::json::{self, Object, Place, shown};
use super::protobuf::{self, Malformed, messages};
use super::table;
use super::tool_run::{ANY_DOMAIN, ASSUMPTION, ModelCall, Run, Seen, Step, phase};
use hence_core::symbol::Symbol;

/// The field by which an export is known.
pub(super) const FIELD: &str = "resourceSpans";

/// The fields by which exports of other signals are known, which a collector may write to the same file.
pub(super) const OTHER_FIELDS: [&str; 3] = ["resourceLogs", "resourceMetrics", "resourceProfiles"];

/// What `gen_ai.operation.name` says of a tool call.
const EXECUTE_TOOL: &str = "execute_tool";

/// The number of the status `STATUS_CODE_ERROR`.
const STATUS_ERROR: i64 = 2;

/// What `gen_ai.operation.name` says of a call of a model.
const MODEL_CALLS: [&str; 4] = ["chat", "generate_content", "text_completion", "embeddings"];

/// What a model was told and answered in a step of reasoning.
const TEXTS: [(&str, &str); 3] = [
    ("/system_prompt", "gen_ai.system_instructions"),
    ("/user_prompt", "gen_ai.input.messages"),
    ("/response", "gen_ai.output.messages"),
];

/// What is read of the spans of one export as JSON, span by span. Others count as skipped.
pub(super) fn spans(
    object: &mut Object<'_>,
    see: &mut dyn FnMut(Vec<Seen>) -> Result<(), ActuatorError>,
) -> Result<(), ActuatorError> {
    let place = object.place;
    let resources = object.required(FIELD, "an array of resources", |value| value.as_array().cloned())?;
    for resource in &resources {
        let of_resource = resource.get("resource").unwrap_or(&Json::Null);
        for scope in items(place, resource, "scopeSpans")? {
            for span in items(place, scope, "spans")? {
                see(seen(place, of_resource, span)?)?;
            }
        }
    }
    Ok(())
}

/// What is read of the spans of one export in protobuf, span by span.
pub(super) fn binary_spans(
    place: Place<'_>,
    export: &[u8],
    see: &mut dyn FnMut(Vec<Seen>) -> Result<(), ActuatorError>,
) -> Result<(), ActuatorError> {
    let fault = |_: Malformed| place.fault("an OTLP export of traces in protobuf", "something else");
    for resource in messages(export, 1) {
        let resource = resource.map_err(fault)?;
        let own = messages(resource, 1).next().transpose().map_err(fault)?;
        let own = protobuf::resource(own.unwrap_or_default()).map_err(fault)?;
        for scope in messages(resource, 2) {
            for span in messages(scope.map_err(fault)?, 2) {
                let span = span.and_then(protobuf::span).map_err(fault)?;
                see(seen(place, &own, &span)?)?;
            }
        }
    }
    Ok(())
}

/// What one span shows: a run of a tool, a call of a model, a step of reasoning, or nothing.
fn seen(place: Place<'_>, resource: &Json, span: &Json) -> Result<Vec<Seen>, ActuatorError> {
    let mut seen = Vec::new();
    let operation =
        attribute(place, span, "gen_ai.operation.name")?.and_then(Json::as_str).unwrap_or_default();
    if operation == EXECUTE_TOOL {
        seen.push(Seen::Run(run(place, resource, span)?));
    } else if MODEL_CALLS.contains(&operation) {
        seen.extend(model_call(place, span)?.map(Seen::Model));
    }
    if let Some(phase) = attribute(place, span, "hence.phase")? {
        seen.push(Seen::Step(step(place, span, phase)?));
    }
    Ok(seen)
}

/// The beginning of a span and how long it took, in microseconds.
fn times(place: Place<'_>, span: &Json) -> Result<(i64, i64), ActuatorError> {
    let nanos = |field: &str| {
        let value = span.get(field);
        value.and_then(int).ok_or_else(|| wanted(place, field, "nanoseconds since the epoch", value))
    };
    let (start, end) = (nanos("startTimeUnixNano")?, nanos("endTimeUnixNano")?);
    Ok((start / 1_000, end.saturating_sub(start).max(0) / 1_000))
}

fn wanted(place: Place<'_>, field: &str, expected: &str, found: Option<&Json>) -> ActuatorError {
    let found = found.map_or_else(|| String::from("no such field"), shown);
    place.fault(&format!("`{field}` of a span to be {expected}"), &found)
}

/// The session that a span belongs to, if it says so.
fn session(place: Place<'_>, span: &Json) -> Result<Option<String>, ActuatorError> {
    let conversation = attribute(place, span, "gen_ai.conversation.id")?;
    let session = conversation.map_or_else(|| attribute(place, span, "session.id"), |own| Ok(Some(own)))?;
    Ok(session.and_then(json::id))
}

fn run(place: Place<'_>, resource: &Json, span: &Json) -> Result<Run, ActuatorError> {
    let tool = attribute(place, span, "gen_ai.tool.name")?;
    let (at, latency) = times(place, span)?;
    let id = span.get("spanId");
    let mode = attribute(place, span, "error.type")?.and_then(Json::as_str);
    Ok(Run {
        run: id
            .and_then(Json::as_str)
            .and_then(|id| u64::from_str_radix(id, 16).ok())
            .map(|id| (id & i64::MAX as u64).cast_signed())
            .ok_or_else(|| wanted(place, "spanId", "16 hexadecimal digits", id))?,
        tool: tool
            .and_then(Json::as_str)
            .map(str::to_owned)
            .ok_or_else(|| wanted(place, "gen_ai.tool.name", "a string", tool))?,
        domain: domain(place, resource, span)?,
        ok: !is_error(span) && mode.is_none(),
        latency,
        at,
        modes: mode.map(str::to_owned).into_iter().collect(),
        error: error_text(place, span)?,
        session: session(place, span)?,
    })
}

/// A call of a model; `None` where the span names none.
fn model_call(place: Place<'_>, span: &Json) -> Result<Option<ModelCall>, ActuatorError> {
    let of = |key| attribute(place, span, key);
    let either = |first, second| of(first)?.map_or_else(|| of(second), |found| Ok(Some(found)));
    let Some(model) = either("gen_ai.response.model", "gen_ai.request.model")? else { return Ok(None) };
    let tokens = |key| {
        let value = of(key)?;
        let count = value.map_or(Some(0), int).filter(|count| *count >= 0);
        count.ok_or_else(|| wanted(place, key, "a number of tokens", value))
    };
    let cost = of("gen_ai.usage.cost")?;
    let number = |value: &Json| value.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
    let call = span.get("spanId").and_then(json::id);
    let (at, latency) = times(place, span)?;
    Ok(Some(ModelCall {
        call: call.ok_or_else(|| wanted(place, "spanId", "16 hexadecimal digits", span.get("spanId")))?,
        model: json::text(model)
            .ok_or_else(|| wanted(place, "gen_ai.request.model", "a string", Some(model)))?,
        input_tokens: tokens("gen_ai.usage.input_tokens")?,
        output_tokens: tokens("gen_ai.usage.output_tokens")?,
        latency,
        at,
        cost: match cost {
            None => None,
            Some(value) => Some(
                number(value)
                    .ok_or_else(|| wanted(place, "gen_ai.usage.cost", "a number of dollars", cost))?,
            ),
        },
        session: session(place, span)?,
    }))
}

fn step(place: Place<'_>, span: &Json, named: &Json) -> Result<Step, ActuatorError> {
    let of = |key| attribute(place, span, key);
    let (task, thought, confidence) = (of("hence.task")?, of("hence.thought")?, of("hence.confidence")?);
    let share = |value: &Json| value.as_f64().filter(|share| (0.0..=1.0).contains(share));
    let list = |key| of(key)?.map_or(Ok(&[][..]), |value| items(place, value, "values"));
    let (others, assumed) = (list("hence.alternatives")?, list("hence.assumptions")?);
    let plain = |value: &Json| value.as_object()?.values().next()?.as_str().map(str::to_owned);
    let mut texts = Vec::new();
    for (part, key) in TEXTS {
        // Exporters write messages as a text, or as the values that the convention names.
        texts.extend(of(key)?.map(|said| (part, json::text(said).unwrap_or_else(|| said.to_string()))));
    }
    texts.extend(assumed.iter().filter_map(plain).map(|text| (ASSUMPTION, text)));
    let (at, duration) = times(place, span)?;
    Ok(Step {
        task: task.and_then(json::id).ok_or_else(|| wanted(place, "hence.task", "an id", task))?,
        phase: named.as_str().and_then(phase).ok_or_else(|| {
            wanted(place, "hence.phase", "\"observe\", \"orient\", \"decide\" or \"act\"", Some(named))
        })?,
        thought: thought.and_then(json::text).unwrap_or_default(),
        at,
        confidence: match confidence {
            None => None,
            Some(value) => Some(
                share(value)
                    .ok_or_else(|| wanted(place, "hence.confidence", "a number from 0 to 1", confidence))?,
            ),
        },
        alternatives: others.iter().filter_map(plain).collect(),
        duration: Some(duration),
        texts,
    })
}

fn domain(place: Place<'_>, resource: &Json, span: &Json) -> Result<Symbol, ActuatorError> {
    let own = attribute(place, span, "hence.domain")?;
    match own.map_or_else(|| attribute(place, resource, "hence.domain"), |own| Ok(Some(own)))? {
        None => Ok(Symbol::new(ANY_DOMAIN)),
        Some(value) => value.as_str().and_then(table::name).ok_or_else(|| {
            place.fault("`hence.domain` of a tool call to be a name such as \"/marketing\"", &shown(value))
        }),
    }
}

fn is_error(span: &Json) -> bool {
    let code = span.get("status").and_then(|status| status.get("code"));
    code.is_some_and(|code| int(code) == Some(STATUS_ERROR) || code == "STATUS_CODE_ERROR")
}

/// The message of the status, then of each exception `type: message` and the stack, a line each.
fn error_text(place: Place<'_>, span: &Json) -> Result<Option<String>, ActuatorError> {
    let status = span.get("status").and_then(|status| status.get("message")).and_then(Json::as_str);
    let mut parts: Vec<String> = status.into_iter().map(str::to_owned).collect();
    let is_exception = |event: &&Json| event.get("name").and_then(Json::as_str) == Some("exception");
    for event in items(place, span, "events")?.iter().filter(is_exception) {
        let of = |key| Ok::<_, ActuatorError>(attribute(place, event, key)?.and_then(Json::as_str));
        let named = [of("exception.type")?, of("exception.message")?];
        parts.push(named.into_iter().flatten().collect::<Vec<_>>().join(": "));
        parts.extend(of("exception.stacktrace")?.map(str::to_owned));
    }
    parts.retain(|part| !part.is_empty());
    Ok((!parts.is_empty()).then(|| parts.join("\n")))
}

/// The array called `field`, empty where there is none.
fn items<'a>(place: Place<'_>, value: &'a Json, field: &str) -> Result<&'a [Json], ActuatorError> {
    match value.get(field) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(other) => Err(place.fault(&format!("`{field}` to be an array"), &shown(other))),
    }
}

/// The value of an attribute, out of its wrapping (`{"stringValue": …}`).
fn attribute<'a>(place: Place<'_>, of: &'a Json, key: &str) -> Result<Option<&'a Json>, ActuatorError> {
    let all = items(place, of, "attributes")?;
    let found = all.iter().find(|attribute| attribute.get("key").and_then(Json::as_str) == Some(key));
    Ok(found.and_then(|found| found.get("value")?.as_object()?.values().next()))
}

/// A number, written as one or as a string.
fn int(value: &Json) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}
