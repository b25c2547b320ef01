//! Decisions as Apache Parquet: a row an event, in row groups of bounded size.

use std::fs::File;
use std::io;
use std::sync::Arc;

use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::decisions::{Event, Sink};
use crate::Failure;

/// So many rows are in one group, and in memory.
const MOST: usize = 10_000;

/// The columns; the order is that of [`row`].
const SCHEMA: &str = "message decisions {
    required binary event (UTF8);
    optional binary id (UTF8);
    optional binary relation (UTF8);
    optional binary values (JSON);
    optional binary rule (UTF8);
    optional binary because (UTF8);
    optional int64 since;
    required int64 transaction;
    required int64 time (TIMESTAMP(MICROS, true));
    optional int64 clock (TIMESTAMP(MICROS, true));
    required binary author (UTF8);
    required binary source (UTF8);
    optional binary rules (UTF8);
    required binary head (UTF8);
}";

/// The value of a column.
enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
}

/// Rows that wait for their group.
struct Table {
    writer: SerializedFileWriter<File>,
    rows: Vec<[Cell; 14]>,
}

/// A file for rows.
pub(super) fn rows(file: File) -> Result<Box<dyn Sink>, Failure> {
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(failed)?);
    let writer = concat!("hence ", env!("CARGO_PKG_VERSION"));
    let properties = WriterProperties::builder().set_created_by(writer.to_owned()).build();
    let writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(failed)?;
    Ok(Box::new(Table { writer, rows: Vec::new() }))
}

impl Sink for Table {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        self.rows.push(row(event));
        if self.rows.len() == MOST { self.send().map_err(failed) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.send().map_err(failed)?;
        self.writer.finish().map(drop).map_err(failed)
    }
}

impl Table {
    fn send(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        let mut at = 0;
        while let Some(mut column) = group.next_column()? {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            match column.untyped() {
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    let texts = cells.map(|cell| match cell {
                        Cell::Text(text) => text.as_deref().map(ByteArray::from),
                        Cell::Number(_) => None,
                    });
                    write(writer, texts)?;
                }
                ColumnWriter::Int64ColumnWriter(writer) => {
                    let numbers = cells.map(|cell| match cell {
                        Cell::Number(number) => *number,
                        Cell::Text(_) => None,
                    });
                    write(writer, numbers)?;
                }
                _ => return Err(ParquetError::General(String::from("a column is neither text nor number"))),
            }
            column.close()?;
            at += 1;
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

/// Writes a column: what is there, and for each row whether something is.
fn write<T: DataType>(
    writer: &mut ColumnWriterImpl<'_, T>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    let is_optional = writer.get_descriptor().max_def_level() > 0;
    writer.write_batch(&values, is_optional.then_some(levels.as_slice()), None).map(drop)
}

/// An event as a row.
fn row(event: &Event<'_>) -> [Cell; 14] {
    let text = |text: &str| Cell::Text(Some(text.to_owned()));
    let maybe = |text: Option<&str>| Cell::Text(text.map(str::to_owned));
    let number = |number: u64| i64::try_from(number).ok();
    let (info, decision) = (event.info, event.decision.as_ref());
    let values = decision.map(|(_, values)| serde_json::Value::from(values.clone()).to_string());
    [
        text(event.event),
        maybe(event.id.as_deref()),
        maybe(decision.map(|(relation, _)| relation.as_str())),
        Cell::Text(values),
        maybe(event.rule),
        maybe(event.because),
        Cell::Number(event.since.and_then(number)),
        Cell::Number(number(info.tx)),
        Cell::Number(Some(info.time)),
        Cell::Number(info.clock),
        text(event.author),
        text(event.source),
        Cell::Text(info.rules.map(|hash| hash.to_string())),
        text(&info.hash.to_string()),
    ]
}

fn failed(error: ParquetError) -> Failure {
    Failure::from(io::Error::other(error.to_string()))
}
