//! Results on standard output (tables for people, JSON and CSV for programs), everything else on standard error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;

use crate::fact::Fact;
use crate::symbol::Symbol;
use crate::value::Value;

/// The forms of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table that fits the terminal.
    Table,
    /// One JSON document.
    Json,
    /// One JSON document a line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// Writes a line to standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Writes `error: …` to standard error.
pub(super) fn error(message: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    note(&format!("{style}error{style:#}: {message}"));
}

/// Whether standard error takes no colours.
pub(super) fn stderr_is_plain() -> bool {
    anstream::AutoStream::choice(&io::stderr()) == anstream::ColorChoice::Never
}

/// Rows under a header, in a table that fits the terminal (100 columns where there is none).
pub(super) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if !io::stdout().is_terminal() {
        table.set_width(100);
    }
    table.set_header(header);
    table.add_rows(rows);
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// A value as JSON: times in RFC 3339, durations and names as text.
pub(super) fn json_value(value: Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value.get()),
        other => json!(other.text()),
    }
}

/// A fact as fact files have it.
pub(super) fn json_fact(fact: &Fact) -> serde_json::Value {
    let values: Vec<_> = fact.values.iter().map(|value| json_value(*value)).collect();
    json!({ fact.relation.as_str(): values })
}

/// Compact JSON with a space after `:` and `,`, as people write it by hand.
pub(super) fn spaced(value: &serde_json::Value) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Spaced);
    match serde::Serialize::serialize(value, &mut serializer) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => value.to_string(),
    }
}

struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// Writes rows of values under column names.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn rows(format: Format, columns: &[String], rows: &[Vec<Value>]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let object = |row: &Vec<Value>| {
        let pairs = columns.iter().cloned().zip(row.iter().map(|value| json_value(*value)));
        serde_json::Value::Object(pairs.collect())
    };
    match format {
        Format::Table => {
            let cells: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
            writeln!(out, "{}", table(columns, &cells))
        }
        Format::Json => {
            let all: Vec<_> = rows.iter().map(object).collect();
            writeln!(out, "{}", serde_json::to_string_pretty(&all).map_err(io::Error::other)?)
        }
        Format::Jsonl => rows.iter().try_for_each(|row| writeln!(out, "{}", spaced(&object(row)))),
        Format::Csv => csv(&mut out, columns, rows),
    }
}

fn csv(out: &mut impl Write, columns: &[String], rows: &[Vec<Value>]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns)?;
    for row in rows {
        writer.write_record(row.iter().map(|value| value.text()))?;
    }
    writer.flush()
}

/// Writes `warning: …` to standard error.
pub(super) fn warning(message: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    note(&format!("{style}warning{style:#}: {message}"));
}

/// Writes a warning for each operation without a result.
pub(super) fn reports(reports: &[String]) {
    reports.iter().for_each(|report| warning(report));
}

/// The columns of the terminal.
pub(super) fn terminal_width() -> usize {
    Table::new().width().map_or(100, usize::from)
}

/// Writes whole relations: a table each, or facts as fact files have them.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn relations(format: Format, relations: &[(Symbol, Vec<Symbol>, Vec<Fact>)]) -> io::Result<()> {
    let facts = || relations.iter().flat_map(|(_, _, facts)| facts);
    let mut out = anstream::stdout().lock();
    match format {
        Format::Jsonl => facts().try_for_each(|fact| writeln!(out, "{}", spaced(&json_fact(fact)))),
        Format::Json => {
            let all: Vec<_> = facts().map(json_fact).collect();
            writeln!(out, "{}", serde_json::to_string_pretty(&all).map_err(io::Error::other)?)
        }
        Format::Table | Format::Csv => {
            drop(out);
            for (name, columns, facts) in relations {
                let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
                let values: Vec<Vec<Value>> = facts.iter().map(|fact| fact.values.clone()).collect();
                if format == Format::Table || relations.len() > 1 {
                    writeln!(anstream::stdout(), "# {name}")?;
                }
                rows(format, &columns, &values)?;
            }
            Ok(())
        }
    }
}
