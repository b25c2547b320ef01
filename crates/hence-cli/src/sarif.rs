//! Diagnostics as SARIF 2.1.0, which code-scanning services and editors read.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use hence_core::diagnostic::{Code, Diagnostic, Fix, Label, Severity};
use hence_core::span::Sources;
use hence_session::Faults;

use super::explain;

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
        "shortDescription": { "text": explain::summary(code).unwrap_or(code.0) },
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
    let mut labels = found.labels.iter().map(|label| location(label, sources));
    let first: Vec<Value> = labels.next().into_iter().collect();
    let others: Vec<Value> = labels.collect();
    let mut result = Map::new();
    result.insert(String::from("ruleId"), json!(found.code.0));
    result.insert(String::from("ruleIndex"), json!(codes.iter().position(|code| *code == found.code)));
    result.insert(String::from("level"), json!(level(found.severity)));
    result.insert(String::from("message"), json!({ "text": message(found) }));
    for (name, places) in [("locations", first), ("relatedLocations", others)] {
        if !places.is_empty() {
            result.insert(name.to_owned(), Value::Array(places));
        }
    }
    if !found.fixes.is_empty() {
        let fixes: Vec<Value> = found.fixes.iter().map(|fix| fixed(fix, found, sources)).collect();
        result.insert(String::from("fixes"), Value::Array(fixes));
    }
    Value::Object(result)
}

/// A change that mends a fault, file by file.
fn fixed(fix: &Fix, found: &Diagnostic, sources: &Sources) -> Value {
    let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        let (start, end) = (sources.place(edit.span), sources.place(edit.span.after()));
        by_file.entry(start.file).or_default().push(json!({
            "deletedRegion": {
                "startLine": start.line, "startColumn": start.column,
                "endLine": end.line, "endColumn": end.column,
            },
            "insertedContent": { "text": edit.text },
        }));
    }
    let change = |(file, replacements): (String, Vec<Value>)| json!({ "artifactLocation": { "uri": uri(&file) }, "replacements": replacements });
    json!({
        "description": { "text": found.help.first().unwrap_or(&found.message) },
        "artifactChanges": by_file.into_iter().map(change).collect::<Vec<_>>(),
    })
}

/// The headline, and below it what the text form shows as notes and help.
fn message(found: &Diagnostic) -> String {
    let notes = found.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = found.help.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(found.message.clone()).chain(notes).chain(help).collect()
}

fn location(label: &Label, sources: &Sources) -> Value {
    let (start, end) = (sources.place(label.span), sources.place(label.span.after()));
    let place = json!({
        "artifactLocation": { "uri": uri(&start.file) },
        "region": {
            "startLine": start.line, "startColumn": start.column,
            "endLine": end.line, "endColumn": end.column,
        },
    });
    if label.text.is_empty() {
        json!({ "physicalLocation": place })
    } else {
        json!({ "physicalLocation": place, "message": { "text": label.text } })
    }
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
