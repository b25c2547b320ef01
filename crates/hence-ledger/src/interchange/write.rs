//! Facts written as the readers read them: JSON Lines by position, CSV with a header.

use std::io::{self, Write};

use hence_core::fact::Fact;
use hence_core::schema::Relation;
use hence_core::value::Value;

/// A value as JSON: `0.765`, `"/marketing"`, `"2026-02-03T14:23:45Z"`, `"7d"`.
pub fn json_value(value: Value) -> String {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => value.text(),
        Value::String(_) | Value::Name(_) | Value::Time(_) | Value::Duration(_) => quoted(&value.text()),
    }
}

/// A fact as a line of a JSON Lines file, without its line end: `{"usefulness": ["web_search", 0.765]}`.
pub fn json_line(fact: &Fact) -> String {
    let values: Vec<_> = fact.values.iter().map(|value| json_value(*value)).collect();
    format!("{{{}: [{}]}}", quoted(fact.relation.as_str()), values.join(", "))
}

/// Writes facts as JSON Lines, in their order.
///
/// # Errors
/// What the writer says.
pub fn write_json_lines<'a>(
    out: &mut dyn Write,
    facts: impl IntoIterator<Item = &'a Fact>,
) -> io::Result<()> {
    facts.into_iter().try_for_each(|fact| writeln!(out, "{}", json_line(fact)))
}

/// Writes rows of a relation as CSV, in their order, under a header of its columns.
///
/// # Errors
/// What the writer says.
pub fn write_csv<'a>(
    out: &mut dyn Write,
    relation: &Relation,
    rows: impl IntoIterator<Item = &'a [Value]>,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(relation.columns.iter().map(|column| column.name.as_str()))?;
    for row in rows {
        table.write_record(row.iter().map(|value| value.text()))?;
    }
    table.flush()
}

/// A text between quotes, with the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
