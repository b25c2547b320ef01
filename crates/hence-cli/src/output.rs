//! Results on standard output (tables for people, JSON and CSV for programs), everything else on standard error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use hence_core::fact::Fact;
pub(super) use hence_core::json::{fact as json_fact, spaced, value as json_value};
use hence_core::literal::visible;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_proof::proof::FactPattern;
use serde_json::{Value as Json, json};

use super::records::Records;
use super::terminal::{self, Out};

/// Narrower terminals, and those that tell of no width, are written to as pipes are.
const NARROWEST: u16 = 20;

/// What is being done while a table is made.
pub(super) const TABLE: &str = "writing a table";

/// The forms of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table that fits the terminal.
    Table,
    /// One JSON document.
    Json,
    /// One JSON document per line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
}

/// Writes a line to standard error.
pub(super) fn note(text: &str) {
    say(|out| writeln!(out, "{text}"));
}

/// Whether the command line asks for results, warnings and errors alone.
static QUIET: OnceLock<bool> = OnceLock::new();

/// From now on asides are left out, if `quiet`.
pub(super) fn be_quiet(quiet: bool) {
    // The command line is read once.
    let _ = QUIET.set(quiet);
}

/// Writes a line to standard error that nobody needs: counts, what comes next, how far something is. Not with `--quiet`.
pub(super) fn aside(text: &str) {
    if !is_quiet() {
        note(text);
    }
}

/// Whether asides and progress are left out.
pub(super) fn is_quiet() -> bool {
    QUIET.get().copied().unwrap_or(false)
}

/// Writes `error: …` to standard error.
pub(super) fn error(message: &str) {
    marked(AnsiColor::Red.on_default().bold(), "error", message);
}

/// Writes `warning: …` to standard error.
pub(super) fn warning(message: &str) {
    marked(AnsiColor::Yellow.on_default().bold(), "warning", message);
}

fn marked(style: Style, word: &str, message: &str) {
    say(|out| {
        out.paint(style, word)?;
        writeln!(out, ": {message}")
    });
}

/// Writes to standard error what a renderer made of text without anything hidden in it.
pub(super) fn rendered(text: &str) {
    say(|out| out.rendered(text));
}

/// Where standard error can't be written, there is nowhere left to say so.
fn say(write: impl FnOnce(&mut Out) -> io::Result<()>) {
    let _ = write(&mut terminal::messages());
}

/// Rows under a header: on a terminal as wide as that, or a list where no table fits without breaking words; elsewhere a
/// line a row, whatever its width.
pub(super) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    aligned(header, rows, |_| false)
}

/// The same, where some columns hold numbers, which go right.
pub(super) fn aligned(header: &[String], rows: &[Vec<String>], is_number: impl Fn(usize) -> bool) -> String {
    meter::enter(TABLE);
    let mut table = unbroken(header, rows, visible);
    for (_, column) in table.column_iter_mut().enumerate().filter(|(at, _)| is_number(*at)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let Some(width) = columns() else { return lines_of(&table) };
    let words = unbroken(header, rows, |cell| Cow::Owned(visible(cell).replace(' ', "\n")));
    let wanted = words.column_max_content_widths().into_iter().zip(table.column_max_content_widths());
    match widths(&wanted.collect::<Vec<_>>(), width) {
        None => list(header, rows, width),
        Some(widths) => {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            let fixed = widths.into_iter().map(|width| Width::Fixed(width.saturating_add(PADDING)));
            table.set_constraints(fixed.map(ColumnConstraint::Absolute));
            lines_of(&table)
        }
    }
}

/// The blanks around the text of a cell.
const PADDING: u16 = 2;

/// A table with a line a row, if `text` has no line breaks.
fn unbroken<'a>(
    header: &'a [String],
    rows: &'a [Vec<String>],
    text: impl Fn(&'a str) -> Cow<'a, str> + Copy,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(|name| text(name)));
    table.add_rows(rows.iter().map(|row| row.iter().map(move |cell| text(cell))));
    table
}

fn lines_of(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// The widths of columns that want at least, and at most, so much room of a table that is `width` wide: the narrow ones get
/// what they want. `None` where the least is too much.
fn widths(wanted: &[(u16, u16)], width: u16) -> Option<Vec<u16>> {
    // A border on both sides, and one blank between two columns.
    let frame = wanted.len() * usize::from(PADDING + 1) + 1;
    let room = usize::from(width).checked_sub(frame)?;
    let under = |cap: u16| wanted.iter().map(move |(least, most)| (*most).min(cap).max(*least));
    let fits = |cap: &u16| under(*cap).map(usize::from).sum::<usize>() <= room;
    (0..=width).rev().find(fits).map(|cap| under(cap).collect())
}

/// Each row as lines of a column and its value, without the empty ones, and a blank line between two rows.
fn list(header: &[String], rows: &[Vec<String>], width: u16) -> String {
    let names: Vec<String> = header.iter().map(|name| format!("{}:", visible(name))).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let row = |row: &Vec<String>| {
        let named = names.iter().zip(row).filter(|(_, value)| !value.is_empty());
        let line = |(name, value): (&String, &String)| {
            let line = format!("{name:longest$} {}", visible(value));
            wrapped(&line, usize::from(width), longest + 1)
        };
        named.map(line).collect::<Vec<_>>().join("\n")
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n\n")
}

/// A line broken between words where it is wider than that; the lines after the first begin with so many blanks. A word
/// that is too long is left whole.
pub(super) fn wrapped(line: &str, width: usize, indent: usize) -> String {
    let (mut out, mut taken) = (String::new(), 0);
    for (at, word) in line.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && taken > indent && taken + 1 + length > width {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            taken = indent;
        } else if at > 0 {
            out.push(' ');
            taken += 1;
        }
        out.push_str(word);
        taken += length;
    }
    out
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Duration(_))
}

/// Writes rows of values under column names.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn rows(
    format: Format,
    columns: &[String],
    rows: &[Vec<Value>],
    undetermined: &[Vec<Option<Value>>],
) -> io::Result<()> {
    let object = |row: &Vec<Value>| {
        let pairs = columns.iter().cloned().zip(row.iter().map(|value| json_value(*value)));
        Json::Object(pairs.collect())
    };
    let open = |row: &Vec<Option<Value>>| {
        let pairs = columns.iter().cloned().zip(open_values(row));
        json!({ "undetermined": Json::Object(pairs.collect()) })
    };
    let objects = rows.iter().map(object).chain(undetermined.iter().map(open));
    match format {
        Format::Table => {
            meter::enter(TABLE);
            let cells: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
            let is_number = |at: usize| rows.iter().filter_map(|row| row.get(at)).all(is_number);
            out(format).lines(&aligned(columns, &cells, is_number))
        }
        Format::Json => documents(objects),
        Format::Jsonl => lines(objects),
        Format::Csv => {
            let mut out = Records::out();
            out.write(columns)?;
            rows.iter().try_for_each(|row| out.write(row.iter().map(|value| value.text())))?;
            out.end()
        }
    }
}

/// Writes a warning for each undefined operation.
pub(super) fn reports(reports: &[String]) {
    reports.iter().for_each(|report| warning(report));
}

/// So many undetermined rows are shown to people.
const OPEN_SHOWN: usize = 20;

/// Names the rows that are undetermined, where the result itself can't.
pub(super) fn undetermined(format: Format, rows: impl ExactSizeIterator<Item = impl Display>) {
    if matches!(format, Format::Json | Format::Jsonl) {
        return;
    }
    let more = rows.len().saturating_sub(OPEN_SHOWN);
    for row in rows.take(OPEN_SHOWN) {
        warning(&format!("`{row}` is undetermined: it depends on an undefined operation"));
    }
    if more > 0 {
        warning(&format!("{more} more are undetermined"));
    }
}

/// The values of an undetermined row, `null` for those that are unknown.
pub(super) fn open_values(row: &[Option<Value>]) -> Vec<Json> {
    row.iter().map(|value| value.map_or(Json::Null, json_value)).collect()
}

/// An undetermined row as a line for programs.
fn open_row(row: &FactPattern) -> Json {
    json!({ "undetermined": { row.relation.as_str(): open_values(&row.args) } })
}

/// The columns of the terminal, 100 where there is none.
pub(super) fn terminal_width() -> usize {
    columns().map_or(100, usize::from)
}

/// The columns of the terminal, if there is one that tells of enough of them for words.
fn columns() -> Option<u16> {
    Table::new().width().filter(|width| terminal::is_terminal() && *width >= NARROWEST)
}

/// Standard output for results of a form.
pub(super) fn out(format: Format) -> Out {
    match format {
        Format::Table => terminal::text(),
        Format::Json | Format::Jsonl => terminal::json(),
        Format::Csv => terminal::bytes(),
    }
}

/// Writes a JSON document over several lines.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn document(document: &impl serde::Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(document).map_err(io::Error::other)?;
    writeln!(terminal::json(), "{text}")
}

/// Writes JSON documents, each on a line.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn lines(documents: impl IntoIterator<Item = Json>) -> io::Result<()> {
    let mut out = BufWriter::new(terminal::json());
    documents.into_iter().try_for_each(|document| writeln!(out, "{}", spaced(&document)))?;
    out.flush()
}

/// Writes a list of JSON documents over several lines, as [`document`] writes it, and holds one of them at a time.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn documents(documents: impl IntoIterator<Item = Json>) -> io::Result<()> {
    let mut out = BufWriter::new(terminal::json());
    let mut begin = "[\n  ";
    for document in documents {
        write!(out, "{begin}{}", format!("{document:#}").replace('\n', "\n  "))?;
        begin = ",\n  ";
    }
    writeln!(out, "{}", if begin.starts_with(',') { "\n]" } else { "[]" })?;
    out.flush()
}

/// Writes whole relations: a table each, or facts as fact files have them.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn relations(
    format: Format,
    relations: &[(Symbol, Vec<Symbol>, Vec<Fact>)],
    undetermined: &[FactPattern],
) -> io::Result<()> {
    let facts = || relations.iter().flat_map(|(_, _, facts)| facts).map(json_fact);
    let objects = facts().chain(undetermined.iter().map(open_row));
    match format {
        Format::Jsonl => lines(objects),
        Format::Json => documents(objects),
        Format::Table | Format::Csv => {
            for (name, columns, facts) in relations {
                let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
                let values: Vec<Vec<Value>> = facts.iter().map(|fact| fact.values.clone()).collect();
                if format == Format::Table || relations.len() > 1 {
                    writeln!(out(format), "# {name}")?;
                }
                rows(format, &columns, &values, &[])?;
            }
            Ok(())
        }
    }
}
