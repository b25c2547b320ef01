//! Rules as text, read and checked, and diagnostics in plain lines.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_lang::analysis::checked::Checked;

/// Rules that were read: their text as a table of sources, and what analysis made of it.
pub(crate) struct Case {
    pub(crate) sources: Sources,
    pub(crate) checked: Checked,
}

/// Reads and checks a rule file without faults.
pub(crate) fn from_text(name: &str, text: &str) -> Case {
    let mut sources = Sources::default();
    let id = sources.add(name, text);
    let (file, faults) = hence_syntax::parse(id, text);
    assert!(faults.is_empty(), "{}", rendered(&faults, &sources));
    let (checked, faults) = hence_lang::analysis::check(&[file], &sources, &[]);
    assert!(faults.is_empty(), "{}", rendered(&faults, &sources));
    Case { sources, checked }
}

/// Diagnostics in plain lines: code and message, each place with its text, notes and help.
pub(crate) fn rendered(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out += &format!("{} {}\n", diagnostic.code, diagnostic.message);
        for label in &diagnostic.labels {
            let (place, text) = (sources.place(label.span), sources.slice(label.span).replace('\n', " "));
            out += &format!("    {}:{} {text} -- {}\n", place.line, place.column, label.text);
        }
        out.extend(diagnostic.notes.iter().map(|note| format!("    note: {note}\n")));
        out.extend(diagnostic.help.iter().map(|help| format!("    help: {help}\n")));
    }
    out
}
