//! Diagnostics as SARIF 2.1.0, which code-scanning services and editors read.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diagnostic::{Code, Diagnostic, Label, Severity};
use crate::session::Faults;
use crate::span::Sources;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// All diagnostics as one log with one run.
pub(super) fn log(faults: &Faults) -> Value {
    let codes: Vec<Code> = faults
        .diagnostics
        .iter()
        .map(|found| (found.code, ()))
        .collect::<BTreeMap<_, _>>()
        .into_keys()
        .collect();
    let results: Vec<Value> =
        faults.diagnostics.iter().map(|found| result(found, &codes, &faults.sources)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "hence",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// What the log says of a code.
fn rule(code: Code) -> Value {
    json!({
        "id": code.0,
        "defaultConfiguration": { "level": level(code.severity()) },
        "help": { "text": format!("hence explain {code}") },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn result(found: &Diagnostic, codes: &[Code], sources: &Sources) -> Value {
    let mut result = json!({
        "ruleId": found.code.0,
        "ruleIndex": codes.iter().position(|code| *code == found.code),
        "level": level(found.severity),
        "message": { "text": message(found) },
    });
    let mut labels = found.labels.iter();
    if let Some(first) = labels.next() {
        result["locations"] = json!([location(first, sources)]);
    }
    let others: Vec<Value> = labels.map(|label| location(label, sources)).collect();
    if !others.is_empty() {
        result["relatedLocations"] = json!(others);
    }
    result
}

/// The headline, and below it what the text form shows as notes and help.
fn message(found: &Diagnostic) -> String {
    let notes = found.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = found.help.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(found.message.clone()).chain(notes).chain(help).collect()
}

fn location(label: &Label, sources: &Sources) -> Value {
    let (start, end) = (sources.place(label.span), sources.place(label.span.after()));
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&start.file) },
        "region": {
            "startLine": start.line, "startColumn": start.column,
            "endLine": end.line, "endColumn": end.column,
        },
    } });
    if !label.text.is_empty() {
        location["message"] = json!({ "text": label.text });
    }
    location
}

/// A file's name as a URI reference (RFC 3986): relative names stay relative to where the command ran.
fn uri(name: &str) -> String {
    let path = name.strip_prefix("./").unwrap_or(name);
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
