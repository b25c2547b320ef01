//! `error-text`: raw error texts become the signals that they show.

use std::path::Path;

use super::error::ActuatorError;
use super::input::{Form, Input, Piece, STANDARD_INPUT};
use super::json;
use super::objects::JsonObjects;
use super::scan::{Scan, Seen};
use super::table::{PatternTable, Shipped};
use super::{Observer, Sink, Summary};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// The name of the observer.
pub const NAME: &str = "error-text";

const SIGNALS: Shipped = Shipped {
    file: "error_signals.csv",
    columns: ["signal", "pattern"],
    text: include_str!("../../../facts/error_signals.csv"),
    names: true,
    case: true,
    unicode: false,
    pattern: str::to_owned,
};

const DECLARATIONS: &str = "\
input error(error: string, length: int).
input error_signal(error: string, signal: name).
";

/// Turns error texts into `error(error, length)` and `error_signal(error, signal)`.
///
/// The patterns of `facts/error_signals.csv` (columns `signal,pattern`) are matched over the whole text, however
/// long, in windows of 64 KiB that overlap by 4 KiB; `^` and `$` stand for the ends of a line, `\A` for the
/// beginning of the text. The length is counted in Unicode scalar values, without line breaks at the end of the
/// text. Bytes that are not UTF-8 count as one character each.
///
/// A text's id is the one given; else the input's name, with the line where the text begins unless the input is
/// one text; on standard input, which has no name to return to, `error-` and a hash of the text.
pub struct ErrorText {
    signals: PatternTable,
}

impl ErrorText {
    /// With the shipped table, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { signals: PatternTable::load(&SIGNALS, tables)? })
    }

    /// With the table in `csv`, which is called `name` in errors.
    ///
    /// # Errors
    /// A faulty table.
    pub fn from_csv(name: &str, csv: &str) -> Result<Self, ActuatorError> {
        Ok(Self { signals: PatternTable::parse(&SIGNALS, name, csv)? })
    }

    /// The facts of one text: the `error`, then its signals in the order of the table.
    pub fn facts(&self, error: &str, text: &str) -> Vec<Fact> {
        let mut scan = Scan::new(&self.signals);
        scan.push(text);
        self.facts_of(error, &scan.finish())
    }

    /// All signals of the table, each once, in order.
    pub fn signals(&self) -> Vec<Symbol> {
        let mut signals = self.signals.labels().to_vec();
        signals.sort_unstable();
        signals.dedup();
        signals
    }

    fn facts_of(&self, error: &str, seen: &Seen) -> Vec<Fact> {
        let error = Value::String(Symbol::new(error));
        let mut signals: Vec<Symbol> = Vec::new();
        for signal in seen.rows.iter().map(|row| self.signals.label(*row)) {
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
        let first = Fact::new("error", [error, Value::Int(seen.length)]);
        let rest = signals.into_iter().map(|signal| Fact::new("error_signal", [error, Value::Name(signal)]));
        std::iter::once(first).chain(rest).collect()
    }

    fn observe_json(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut lines = JsonObjects::new(input);
        let mut summary = Summary::default();
        let mut scan = Scan::new(&self.signals);
        while let Some(mut object) = lines.next()? {
            let given = object.optional("error", "the id of an error: a string or an int", json::id)?;
            let text = object.required("text", "the text of an error: a string", json::text)?;
            scan.push(&text);
            let seen = scan.finish();
            let place = object.place;
            let error = given.unwrap_or_else(|| id(place.input, Some(place.line), "error", &seen.hash));
            self.assert(&error, &seen, &mut summary, sink)?;
            object.leave(&mut summary);
        }
        Ok(summary)
    }

    fn observe_texts(
        &self,
        form: Form,
        input: Input<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let mut summary = Summary::default();
        let mut scan = Scan::new(&self.signals);
        let name = input.name();
        let mut begun = (form == Form::Text).then_some(1);
        let mut finish = |line: u64, scan: &mut Scan<'_>| {
            let seen = scan.finish();
            if form == Form::Log && seen.rows.is_empty() {
                summary.skipped += 1;
                return Ok(());
            }
            let error = id(name, (form != Form::Text).then_some(line), "error", &seen.hash);
            self.assert(&error, &seen, &mut summary, sink)
        };
        let mut pieces = input.into_pieces();
        while let Some(piece) = pieces.next()? {
            let blank = form != Form::Text && piece.starts_line && piece.text.trim().is_empty();
            let ends =
                blank && form != Form::Log || begins(form, &piece) || piece.pause && form != Form::Text;
            if let Some(line) = begun.take_if(|_| ends) {
                finish(line, &mut scan)?;
            }
            if piece.pause || blank && begun.is_none() {
                continue;
            }
            begun = begun.or(Some(piece.line));
            scan.push(piece.text);
        }
        if let Some(line) = begun {
            finish(line, &mut scan)?;
        }
        Ok(summary)
    }

    fn assert(
        &self,
        error: &str,
        seen: &Seen,
        summary: &mut Summary,
        sink: &mut Sink<'_>,
    ) -> Result<(), ActuatorError> {
        summary.records += 1;
        for fact in self.facts_of(error, seen) {
            summary.facts += 1;
            sink(fact)?;
        }
        Ok(())
    }
}

impl Observer for ErrorText {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "raw error texts of compilers, package managers, tests and systems: the signals in them"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Text, Form::Blocks, Form::Lines, Form::Log, Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        match input.form(NAME, self.forms())? {
            Form::Json => self.observe_json(input, sink),
            form => self.observe_texts(form, input, sink),
        }
    }
}

/// Whether a new text begins with this piece, whatever came before.
fn begins(form: Form, piece: &Piece<'_>) -> bool {
    match form {
        Form::Lines => piece.starts_line,
        Form::Log => piece.starts_line && !piece.text.starts_with(char::is_whitespace),
        Form::Text | Form::Blocks | Form::Json | Form::Mail | Form::Protobuf => false,
    }
}

/// The id of something that came without one.
pub(super) fn id(input: &str, line: Option<u64>, kind: &str, hash: &str) -> String {
    match line {
        _ if input == STANDARD_INPUT => format!("{kind}-{hash}"),
        Some(line) => format!("{input}:{line}"),
        None => input.to_owned(),
    }
}

/// The first 16 hexadecimal digits of a text's hash, of which an id is made.
pub(super) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect()
}
