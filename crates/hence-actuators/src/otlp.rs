//! Tool calls in OpenTelemetry traces: OTLP JSON with the attributes of the GenAI conventions.
//!
//! A request of the OTLP exporter holds resources, these scopes, these spans. Numbers of 64 bits may be written as
//! strings, ids are hexadecimal, attributes are lists of keys and wrapped values.

use serde_json::Value as Json;

use super::Summary;
use super::error::ActuatorError;
use super::json::{Object, Place, shown};
use super::table;
use super::tool_run::{ANY_DOMAIN, Run};
use hence_core::symbol::Symbol;

/// The field by which an export is known.
pub(super) const FIELD: &str = "resourceSpans";

/// The fields by which exports of other signals are known, which a collector may write to the same file.
pub(super) const OTHER_FIELDS: [&str; 3] = ["resourceLogs", "resourceMetrics", "resourceProfiles"];

/// What `gen_ai.operation.name` says of a tool call.
const EXECUTE_TOOL: &str = "execute_tool";

/// The number of the status `STATUS_CODE_ERROR`.
const STATUS_ERROR: i64 = 2;

/// The tool calls among the spans of one export. Other spans count as skipped.
pub(super) fn runs(object: &mut Object<'_>, summary: &mut Summary) -> Result<Vec<Run>, ActuatorError> {
    let place = object.place;
    let resources = object.required(FIELD, "an array of resources", |value| value.as_array().cloned())?;
    let mut runs = Vec::new();
    for resource in &resources {
        let of_resource = resource.get("resource").unwrap_or(&Json::Null);
        for scope in items(place, resource, "scopeSpans")? {
            for span in items(place, scope, "spans")? {
                let operation = attribute(place, span, "gen_ai.operation.name")?;
                if operation.and_then(Json::as_str) == Some(EXECUTE_TOOL) {
                    runs.push(run(place, of_resource, span)?);
                } else {
                    summary.skipped += 1;
                }
            }
        }
    }
    Ok(runs)
}

fn run(place: Place<'_>, resource: &Json, span: &Json) -> Result<Run, ActuatorError> {
    let wanted = |field: &str, expected: &str, found: Option<&Json>| {
        let found = found.map_or_else(|| String::from("no such field"), shown);
        place.fault(&format!("`{field}` of a tool call to be {expected}"), &found)
    };
    let tool = attribute(place, span, "gen_ai.tool.name")?;
    let nanos = |field: &str| {
        let value = span.get(field);
        value.and_then(int).ok_or_else(|| wanted(field, "nanoseconds since the epoch", value))
    };
    let (start, end) = (nanos("startTimeUnixNano")?, nanos("endTimeUnixNano")?);
    let id = span.get("spanId");
    let mode = attribute(place, span, "error.type")?.and_then(Json::as_str);
    Ok(Run {
        run: id
            .and_then(Json::as_str)
            .and_then(|id| u64::from_str_radix(id, 16).ok())
            .map(|id| (id & i64::MAX as u64).cast_signed())
            .ok_or_else(|| wanted("spanId", "16 hexadecimal digits", id))?,
        tool: tool
            .and_then(Json::as_str)
            .map(str::to_owned)
            .ok_or_else(|| wanted("gen_ai.tool.name", "a string", tool))?,
        domain: domain(place, resource, span)?,
        ok: !is_error(span) && mode.is_none(),
        latency: end.saturating_sub(start).max(0) / 1_000,
        at: start / 1_000,
        modes: mode.map(str::to_owned).into_iter().collect(),
        error: error_text(place, span)?,
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
