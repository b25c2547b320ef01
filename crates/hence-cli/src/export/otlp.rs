//! Decisions as OpenTelemetry logs: requests of the OTLP exporter as JSON, one a line.

use std::fs::File;
use std::io::{BufWriter, Write};

use serde_json::{Value as Json, json};

use super::decisions::{Event, Sink};
use crate::{Failure, terminal};

/// So many records are in one request.
const MOST: usize = 500;
/// The number of the severity `INFO`.
const INFO: u8 = 9;

/// Records that wait for their request.
pub(super) struct Requests<W> {
    out: W,
    waiting: Vec<Json>,
}

impl<W: Write> Requests<W> {
    /// Requests on `out`.
    pub(super) fn new(out: W) -> Self {
        Self { out, waiting: Vec::new() }
    }

    fn send(&mut self) -> Result<(), Failure> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let records = std::mem::take(&mut self.waiting);
        let service = json!({"attributes": [attribute("service.name", "hence".into())]});
        let scope = json!({"name": "hence", "version": env!("CARGO_PKG_VERSION")});
        let scoped = json!({"scope": scope, "logRecords": records});
        let request = json!({"resourceLogs": [{"resource": service, "scopeLogs": [scoped]}]});
        Ok(writeln!(self.out, "{request}")?)
    }
}

impl<W: Write> Sink for Requests<W> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        self.waiting.push(record(event));
        if self.waiting.len() == MOST { self.send() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.send()?;
        Ok(self.out.flush()?)
    }
}

/// A file for requests, in a folder.
pub(super) fn requests(file: File) -> Result<Box<dyn Sink>, Failure> {
    Ok(Box::new(Requests::new(terminal::json_into(Box::new(BufWriter::new(file))))))
}

/// An event as a record of a log. Numbers of 64 bits are strings there.
fn record(event: &Event<'_>) -> Json {
    let info = event.info;
    let nanoseconds = |micros: i64| (i128::from(micros) * 1000).max(0).to_string();
    let decision = event.decision.as_ref();
    let text = |text: &str| json!({"stringValue": text});
    let mut attributes = vec![
        attribute("hence.event", event.event.into()),
        json!({"key": "hence.transaction", "value": {"intValue": info.tx.to_string()}}),
        attribute("hence.head", info.hash.to_string()),
        attribute("hence.author", event.author.into()),
        attribute("hence.source", event.source.into()),
    ];
    let mut add = |key: &str, value: Option<String>| {
        attributes.extend(value.map(|value| attribute(key, value)));
    };
    add("hence.decision.id", event.id.clone());
    add("hence.decision.relation", decision.map(|(relation, _)| relation.clone()));
    add("hence.decision.rule", event.rule.map(str::to_owned));
    add("hence.rules", info.rules.map(|hash| hash.to_string()));
    add("hence.clock", info.clock.map(hence_core::literal::time_text));
    if let Some((_, values)) = decision {
        let values: Vec<Json> = values.iter().map(|value| text(&plain(value))).collect();
        let values = json!({"arrayValue": {"values": values}});
        attributes.push(json!({"key": "hence.decision.values", "value": values}));
    }
    if let Some(since) = event.since {
        let since = json!({"intValue": since.to_string()});
        attributes.push(json!({"key": "hence.decision.drawn_in", "value": since}));
    }
    let body = event.because.unwrap_or(event.event);
    json!({
        "timeUnixNano": nanoseconds(info.clock.unwrap_or(info.time)),
        "observedTimeUnixNano": nanoseconds(info.time), "severityNumber": INFO, "severityText": "INFO",
        "eventName": format!("hence.decision.{}", event.event), "body": text(body), "attributes": attributes,
    })
}

fn attribute(key: &str, value: String) -> Json {
    json!({"key": key, "value": {"stringValue": value}})
}

/// A value as text: strings without quotes.
fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
