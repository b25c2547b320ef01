//! Outputs as text: what was derived, what was said.

use std::fmt::Write as _;

use hence::session::DerivedRelations;
use hence_core::diagnostic::{Diagnostic, Severity};
use hence_core::span::{Sources, Span};

/// Every derived relation in the order of their names, a fact a line.
pub(super) fn facts(derived: &DerivedRelations) -> String {
    let mut out = String::new();
    for (relation, _, facts) in &derived.relations {
        let open: Vec<_> = derived.undetermined.iter().filter(|row| row.relation == *relation).collect();
        if facts.is_empty() && open.is_empty() {
            writeln!(out, "none: {relation}").unwrap();
        }
        facts.iter().for_each(|fact| writeln!(out, "{fact}").unwrap());
        open.iter().for_each(|row| writeln!(out, "undetermined: {row}").unwrap());
    }
    out
}

/// The operations without a result.
pub(super) fn reports(derived: &DerivedRelations) -> String {
    derived.reports.iter().map(|report| format!("report: {}\n", shortened(report))).collect()
}

/// Diagnostics in plain lines: where, code and message, then each place with its text, notes and help.
pub(crate) fn diagnostics(found: &[Diagnostic], sources: &Sources) -> String {
    found.iter().map(|diagnostic| shortened(&diagnostic_lines(diagnostic, sources))).collect()
}

fn diagnostic_lines(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut out = match diagnostic.span() {
        Some(span) => format!("{}: ", sources.place(span)),
        None => String::new(),
    };
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    writeln!(out, "{severity} {}: {}", diagnostic.code, diagnostic.message).unwrap();
    for label in &diagnostic.labels {
        let place = sources.place(label.span);
        let file = if diagnostic.span().is_some_and(|span| span.file == label.span.file) {
            String::new()
        } else {
            format!("{}:", place.file)
        };
        let gap = if label.text.is_empty() { "" } else { ": " };
        let text = marked(label.span, sources);
        writeln!(out, "    {file}{}:{} {text}{gap}{}", place.line, place.column, label.text).unwrap();
    }
    diagnostic.notes.iter().for_each(|note| writeln!(out, "    note: {note}").unwrap());
    diagnostic.help.iter().for_each(|help| writeln!(out, "    help: {help}").unwrap());
    out
}

/// The text that a label marks, on one line and not too long.
fn marked(span: Span, sources: &Sources) -> String {
    let text = sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= 60 { text } else { text.chars().take(58).chain(" …".chars()).collect() }
}

/// Paths from the corpus on.
pub(super) fn shortened(text: &str) -> String {
    text.replace("tests/corpus/", "")
}

/// What is expected and what came out, where they differ.
pub(crate) fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let rest = |lines: &[&str]| {
        lines.iter().skip(same).take(12).map(|line| format!("  {line}\n")).collect::<String>()
    };
    format!("from line {} on\n--- expected\n{}+++ found\n{}", same + 1, rest(&expected), rest(&found))
}
