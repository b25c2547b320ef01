//! CSV, TSV and Soufflé's `.facts`: one relation a file, one fact a record.

use hence_core::fault::OrBroken;
use std::path::Path;

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Relation;
use hence_core::value::Type;

use super::codes;
use super::faults::span;
use super::field::Found;
use super::format::FactFormat;
use super::parts;
use super::plain::{Mapping, map_help, missing_fields};
use super::reader::{self, Reader};
use super::records::{Field, Records};

/// What a record is taken apart by.
const RECORD: &str = "a record has a field";

/// Reads all records; a faulty one doesn't keep the others from being checked, a faulty header does.
pub(super) fn read(
    reader: &mut Reader<'_, '_>,
    text: &str,
    path: &Path,
    format: FactFormat,
    mapping: Option<&Mapping>,
) {
    let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = mapping.map_or_else(stem, |mapping| mapping.relation.clone());
    let delimiter = if format == FactFormat::Csv { ',' } else { '\t' };
    if mapping.is_none() && reader.schemas().lacks(&name) {
        return reader.fault(unknown_name(reader, &name, text, delimiter));
    }
    let Some(relation) = reader.relation(&name, span(0, 0)) else { return };
    let delimiter = delimiter as u8;
    let has_header = format != FactFormat::Souffle;
    let mut records = Records::new(text, delimiter, has_header);
    let order =
        if has_header { header(reader, relation, &mut records, mapping) } else { positions(relation) };
    let Some(order) = order else { return };
    let read = |reader: &mut Reader<'_, '_>, text| rows(reader, relation, &mut records.within(text), &order);
    let in_parts = |text| parts::read(reader.schemas(), text, |reader, part, _| read(reader, part));
    match records.lines().and_then(in_parts) {
        Some(facts) => reader.add(facts),
        None => rows(reader, relation, &mut records, &order),
    }
}

/// A file that is called like no relation; its first line may say of which it is.
fn unknown_name(reader: &Reader<'_, '_>, name: &str, text: &str, delimiter: char) -> Diagnostic {
    let fault = Diagnostic::new(codes::UNKNOWN_RELATION, format!("unknown relation `{name}`"));
    let fault = fault.at(span(0, 0), "the file's name is its relation");
    let header = text.lines().take(1).flat_map(|line| line.split(delimiter));
    let fields: Vec<&str> = header.map(|field| field.trim_matches('"')).collect();
    let schemas = reader.schemas();
    let of_fields = || schemas.of_fields(&fields).map(|relation| relation.name.as_str());
    let relation = schemas.nearest(name).or_else(of_fields).unwrap_or("RELATION");
    match reader::option(reader.file(), Some(relation)) {
        Some(option) => fault.help(format!("rename the file, or name its relation: {option}")),
        None => fault,
    }
}

/// The columns of a file without a header.
fn positions(relation: &Relation) -> Option<Vec<usize>> {
    Some((0..relation.columns.len()).collect())
}

/// Reads the header: for each field, the column that it names. `None` where it is faulty.
fn header(
    reader: &mut Reader<'_, '_>,
    relation: &Relation,
    records: &mut Records<'_>,
    mapping: Option<&Mapping>,
) -> Option<Vec<usize>> {
    if relation.columns.is_empty() {
        let message = format!("`{}` has no columns, so a table can't contain its fact", relation.name);
        let help = format!("write it in a `.jsonl` file: `{{\"{}\": []}}`", relation.name);
        reader.fault(Diagnostic::new(codes::COLUMN_COUNT, message).at(span(0, 0), "").help(help));
        return None;
    }
    let mut fields = Vec::new();
    match records.next(&mut fields) {
        Some(Ok(())) => match separator(relation, &fields, records.delimiter()) {
            Some(fault) => {
                reader.fault(fault);
                None
            }
            None => columns(reader, relation, &fields, mapping),
        },
        Some(Err(fault)) => {
            reader.fault(fault);
            None
        }
        None => {
            let missing = relation.columns.iter().collect::<Vec<_>>();
            let fault = reader::missing_columns(relation, &missing).at(span(0, 0), "the file is empty");
            reader.fault(fault.help(header_help(relation)));
            None
        }
    }
}

/// The fault of a header whose columns are separated by something else: one field, which names several columns.
fn separator(relation: &Relation, fields: &[Field<'_>], delimiter: u8) -> Option<Diagnostic> {
    let [field] = fields else { return None };
    let known = |name: &str| relation.columns.iter().any(|column| column.name.as_str() == name.trim());
    let names = [(';', "a semicolon"), ('\t', "a tab"), ('|', "`|`"), (',', "a comma")];
    let (found, called) = names.into_iter().find(|(other, _)| {
        *other != char::from(delimiter)
            && field.text.contains(*other)
            && field.text.split(*other).any(|name| known(name.trim_matches('"')))
    })?;
    let (format, due) = if delimiter == b',' { ("CSV", "a comma") } else { ("TSV", "a tab") };
    let message = format!("the columns are separated by {called}; {format} has {due}");
    let help = match (found, delimiter) {
        ('\t', _) => "rename the file to `.tsv`, or write commas between the columns",
        (',', _) => "rename the file to `.csv`, or write tabs between the columns",
        (_, b',') => "write commas between the columns",
        _ => "write tabs between the columns",
    };
    Some(Diagnostic::new(codes::COLUMN_COUNT, message).at(field.place, "the header").help(help))
}

fn columns(
    reader: &mut Reader<'_, '_>,
    relation: &Relation,
    fields: &[Field<'_>],
    mapping: Option<&Mapping>,
) -> Option<Vec<usize>> {
    let mut order = Vec::new();
    let mut faults = Vec::new();
    let mut unknown = None;
    for field in fields {
        let named = || relation.columns.iter().position(|column| column.name.as_str() == field.text);
        match mapping.map_or_else(named, |mapping| mapping.of(relation, &field.text).next()) {
            // A place beyond the columns, where nothing is put.
            None if mapping.is_some() => order.push(relation.columns.len()),
            None => {
                unknown = unknown.or(Some(&field.text));
                faults.push(reader::unknown_column(relation, &field.text).at(field.place, ""));
            }
            Some(at) if order.contains(&at) => {
                faults.push(reader::duplicate_column(relation, &field.text).at(field.place, ""));
            }
            Some(at) => order.push(at),
        }
    }
    let missing =
        (0..).zip(&relation.columns).filter(|(at, column)| !order.contains(at) && column.default.is_none());
    let missing: Vec<_> = missing.map(|(_, column)| column).collect();
    if !missing.is_empty() {
        let place = fields.first().map(|field| field.place).or_broken(RECORD);
        let line = fields.last().map_or(place, |last| place.to(last.place));
        let fault = match (mapping, missing.first(), unknown) {
            (Some(mapping), ..) => {
                let names: Vec<_> = fields.iter().map(|field| field.text.clone()).collect();
                missing_fields(mapping, relation, (&missing, &names), reader.file())
            }
            (None, Some(column), Some(field)) => reader::missing_columns(relation, &missing)
                .help(header_help(relation))
                .help(map_help(relation, column, field, reader.file())),
            _ => reader::missing_columns(relation, &missing).help(header_help(relation)),
        };
        faults.push(fault.at(line, ""));
    }
    let fits = faults.is_empty();
    faults.into_iter().for_each(|fault| reader.fault(fault));
    fits.then_some(order)
}

fn header_help(relation: &Relation) -> String {
    let names: Vec<_> = relation.columns.iter().map(|column| column.name.as_str()).collect();
    format!("name the columns in the first line, in any order: `{}`", names.join(","))
}

fn rows<'t>(reader: &mut Reader<'_, '_>, relation: &Relation, records: &mut Records<'t>, order: &[usize]) {
    let mut fields: Vec<Field<'t>> = Vec::new();
    while !reader.is_stopped()
        && let Some(record) = records.next(&mut fields)
    {
        match record {
            Err(fault) => reader.fault(fault),
            Ok(()) if is_blank(relation, &fields, records.has_quotes()) => {}
            Ok(()) => row(reader, relation, &fields, order),
        }
    }
}

/// Whether a record is an empty line. Without quotes, an empty line is the empty string of a relation with one
/// column of strings.
fn is_blank(relation: &Relation, fields: &[Field<'_>], has_quotes: bool) -> bool {
    let one_string = matches!(relation.columns.as_slice(), [column] if column.ty.ty == Type::String);
    let empty = matches!(fields, [field] if field.place.start == field.place.end);
    empty && (has_quotes || !one_string)
}

fn row(reader: &mut Reader<'_, '_>, relation: &Relation, fields: &[Field<'_>], order: &[usize]) {
    let first = fields.first().map(|field| field.place).or_broken(RECORD);
    let place = fields.last().map_or(first, |last| first.to(last.place));
    // Soufflé writes the one fact of a relation without columns so.
    let is_unit = order.is_empty() && matches!(fields, [field] if field.text == "()");
    if fields.len() != order.len() && !is_unit {
        return reader.fault(reader::column_count(relation, order.len(), fields.len()).at(place, ""));
    }
    reader.begin(relation);
    for (field, at) in fields.iter().zip(order) {
        reader.put(relation, *at, &Found::Field(field.text.clone()), field.place);
    }
    reader.end(relation, place);
}
