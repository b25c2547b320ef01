//! Faults in rule text and facts as values: collected, sorted, rendered elsewhere.

use std::fmt;

use crate::fault::OrBroken;
use crate::span::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rule set can't be used.
    Error,
    /// Legal, and probably not meant.
    Warning,
}

/// The stable code of a diagnostic: `E1xx` syntax, `E2xx` names, `E3xx` types, `E4xx` safety, `E5xx` strata and
/// `requires`, `E6xx` facts, `W2xx` lints. Each has a page in `hence explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl Code {
    /// What the code's letter says.
    pub fn severity(self) -> Severity {
        if self.0.starts_with('W') { Severity::Warning } else { Severity::Error }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A place that a diagnostic points at, and what to say there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there, or was expected there; may be empty for the first label.
    pub text: String,
}

/// One replacement of a fix: the text of a span becomes another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// What is written there.
    pub text: String,
}

/// A change that mends a fault and keeps what was meant, so that an editor may apply it unseen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The replacements, which don't overlap.
    pub edits: Vec<Edit>,
}

/// One fault: lower case, no full stop, names in backticks; what was found, what was expected, where, and the
/// way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// How bad it is; starts as what the code says, `--strict` raises it.
    pub severity: Severity,
    /// The headline.
    pub message: String,
    /// Places; the first is the one the fault is reported at. None for a fault without a place.
    pub labels: Vec<Label>,
    /// Facts that help to understand it.
    pub notes: Vec<String>,
    /// What to do: the nearest name, or the corrected text.
    pub help: Vec<String>,
    /// Changes of the text, each of which mends the fault alone.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic without a place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Adds a place; the first added is the primary one.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a line of help.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a fix that writes `text` in the place of `span`.
    #[must_use]
    pub fn fix(self, span: Span, text: impl Into<String>) -> Self {
        self.fix_all(vec![Edit { span, text: text.into() }])
    }

    /// Adds a fix of several replacements.
    #[must_use]
    pub fn fix_all(mut self, edits: Vec<Edit>) -> Self {
        self.fixes.push(Fix { edits });
        self
    }

    /// Adds the help to write `text` in the place of `span`, and the fix that does so.
    #[must_use]
    pub fn write(self, span: Span, text: &str) -> Self {
        self.help(format!("write: `{text}`")).fix(span, text)
    }

    /// The place at which the fault is reported.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Fix {
    /// `text`, which stands at `place`, with the edits of its file made; all of them lie within.
    pub fn apply(&self, text: &str, place: Span) -> String {
        let mut edits: Vec<&Edit> = self.edits.iter().filter(|edit| edit.span.file == place.file).collect();
        edits.sort_by_key(|edit| edit.span);
        let within = |byte: u32| byte.checked_sub(place.start).or_broken(EDITS) as usize;
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in edits {
            out.push_str(text.get(at..within(edit.span.start)).or_broken(EDITS));
            out.push_str(&edit.text);
            at = within(edit.span.end);
        }
        out + text.get(at..).or_broken(EDITS)
    }
}

/// An invariant of [`Fix`].
const EDITS: &str = "the edits of a fix lie in its text and don't overlap";

/// Sorts by place, then code, then message, and drops duplicates, so that output never follows the order
/// in which faults were found.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (a.span(), a.code, &a.message, &a.labels).cmp(&(b.span(), b.code, &b.message, &b.labels))
    });
    diagnostics.dedup();
}

/// The name among `known` that `wanted` was probably meant to be, if one is near.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Every one-letter name is one letter away from every other: that says nothing.
    let length = wanted.chars().count();
    let limit = if length < 2 { 0 } else { ((length + 2) / 4).max(1) };
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wanted, name), name))
        .filter(|(distance, name)| *distance <= limit || begins(wanted, name) || swapped_words(wanted, name))
        .min()
        .map(|(_, name)| name)
}

/// Whether one of the names begins with the other (`okay` for `ok`, `tool` for `tool_run`).
fn begins(a: &str, b: &str) -> bool {
    a.len().min(b.len()) > 1 && (a.starts_with(b) || b.starts_with(a))
}

/// Whether two names hold the same words in another order (`run_tool` for `tool_run`).
fn swapped_words(a: &str, b: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<_> = text.split('_').map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    a.contains('_') && words(a) == words(b)
}
