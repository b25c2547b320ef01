//! Diagnostics as people read them, with the lines of text that they speak of, and as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Renderer, Snippet};

use hence_core::diagnostic::{Diagnostic, Edit, Label, Severity};
use hence_core::literal::{visible, visible_but};
use hence_core::span::{FileId, Sources};
use hence_session::Faults;

use super::output;
use super::terminal::each_line;

/// Writes all diagnostics to standard error.
pub(super) fn print(faults: &Faults) {
    for diagnostic in &faults.diagnostics {
        show(diagnostic, &faults.sources);
    }
    let errors = faults.diagnostics.iter().filter(|found| found.is_error()).count();
    let warnings = faults.diagnostics.len() - errors;
    output::note(&format!(
        "{}{}",
        count(errors, "error"),
        match warnings {
            0 => String::new(),
            _ => format!(", {}", count(warnings, "warning")),
        }
    ));
}

/// `1 error`, `3 errors`.
pub(super) fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// Writes a diagnostic to standard error, with a blank line after it.
pub(super) fn show(diagnostic: &Diagnostic, sources: &Sources) {
    output::rendered(&format!("{}\n", render(diagnostic, sources)));
}

/// One diagnostic as text with styles.
fn render(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group: Group<'_> =
        Group::with_title(level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.0));
    for snippet in snippets(diagnostic, sources) {
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(each_line(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(each_line(help)));
    }
    let text = Renderer::styled().decor_style(DecorStyle::Ascii).render(&[group]);
    format!("{text}\n")
}

/// A snippet for each file that labels point into, the primary label's file first.
fn snippets<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Element<'a>> {
    let mut by_file: BTreeMap<(bool, FileId), Vec<(usize, &'a Label)>> = BTreeMap::new();
    let first = diagnostic.span().map(|span| span.file);
    for (at, label) in diagnostic.labels.iter().enumerate() {
        by_file.entry((Some(label.span.file) != first, label.span.file)).or_default().push((at, label));
    }
    by_file.into_iter().filter_map(|((_, file), labels)| snippet(file, &labels, sources)).collect()
}

fn snippet<'a>(file: FileId, labels: &[(usize, &'a Label)], sources: &'a Sources) -> Option<Element<'a>> {
    let source = sources.get(file)?;
    let text = source.text();
    let first = labels.iter().map(|(_, label)| label.span.start as usize).min()?.min(text.len());
    let last = labels.iter().map(|(_, label)| label.span.end as usize).max()?.min(text.len());
    let start = text.get(..first)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text.get(last..)?.find('\n').map_or(text.len(), |at| last + at);
    let line = text.get(..start)?.matches('\n').count() + source.first_line();
    let excerpt = text.get(start..end)?;
    let annotations = labels.iter().map(|(at, label)| annotation(*at == 0, label, excerpt, start));
    Some(
        Snippet::source(shown(excerpt))
            .line_start(line)
            .path(visible(source.name()))
            .fold(true)
            .annotations(annotations)
            .into(),
    )
}

/// A label over the part of an excerpt that it speaks of, as far as its text was made longer by what had to be made
/// visible.
fn annotation<'a>(primary: bool, label: &'a Label, excerpt: &str, start: usize) -> Annotation<'a> {
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let within = |at: u32| {
        let before = excerpt.get(..(at as usize).saturating_sub(start)).unwrap_or(excerpt);
        shown(before).len()
    };
    let span = kind.span(within(label.span.start)..within(label.span.end));
    if label.text.is_empty() { span } else { span.label(visible(&label.text)) }
}

/// Text of a source with everything made visible but its line ends and tabs, which the renderer knows.
fn shown(text: &str) -> Cow<'_, str> {
    visible_but(text, &['\n', '\r', '\t'])
}

/// One diagnostic as JSON.
pub(super) fn json(diagnostic: &Diagnostic, sources: &Sources) -> serde_json::Value {
    let labels: Vec<_> = diagnostic
        .labels
        .iter()
        .map(|label| {
            let start = sources.place(label.span);
            let end = sources.place(label.span.after());
            serde_json::json!({
                "file": start.file, "line": start.line, "column": start.column,
                "end_line": end.line, "end_column": end.column, "text": label.text,
            })
        })
        .collect();
    let edit = |edit: &Edit| {
        let (start, end) = (sources.place(edit.span), sources.place(edit.span.after()));
        serde_json::json!({
            "file": start.file, "line": start.line, "column": start.column,
            "end_line": end.line, "end_column": end.column, "text": edit.text,
        })
    };
    let fixes = diagnostic.fixes.iter();
    let fixes: Vec<Vec<_>> = fixes.map(|fix| fix.edits.iter().map(edit).collect()).collect();
    serde_json::json!({
        "code": diagnostic.code.0,
        "severity": match diagnostic.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "message": diagnostic.message,
        "labels": labels,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "fixes": fixes,
    })
}
