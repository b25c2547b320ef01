//! Plain records: one JSON object a line, or the rows of a table, each a fact of one relation that its reader names.

use std::borrow::Cow;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::schema::{Column, Relation};

use super::codes;
use super::field::Found;
use super::json_lines::elements;
use super::reader::{self, Reader};
use super::scanner::{FACT_DEPTH, Scanner};
use super::schemas::Schemas;

/// How records are read as facts of one relation. Fields that belong to no column are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The relation.
    pub relation: String,
    /// The columns that have their values in fields of other names: column and field.
    pub columns: Vec<(String, String)>,
}

impl Mapping {
    /// Each field is called as its column.
    pub fn plain(relation: &str) -> Self {
        Self { relation: relation.to_owned(), columns: Vec::new() }
    }

    /// The field that has the value of a column.
    fn field<'a>(&'a self, column: &'a Column) -> &'a str {
        let name = column.name.as_str();
        self.columns.iter().find(|(of, _)| of == name).map_or(name, |(_, field)| field.as_str())
    }

    /// The columns that have their value in a field.
    pub(super) fn of<'a>(
        &'a self,
        relation: &'a Relation,
        field: &'a str,
    ) -> impl Iterator<Item = usize> + 'a {
        let columns = relation.columns.iter().enumerate();
        columns.filter(move |(_, column)| self.field(column) == field).map(|(at, _)| at)
    }

    /// What is wrong with the relation and the columns that are named, before anything is read.
    pub fn faults(&self, schemas: &Schemas<'_>) -> Vec<Diagnostic> {
        let relation = match schemas.find(&self.relation) {
            Ok(relation) => relation,
            Err(fault) => return vec![fault],
        };
        let unknown = |name: &String| relation.columns.iter().all(|column| column.name.as_str() != name);
        let names = self.columns.iter().map(|(name, _)| name).filter(|name| unknown(name));
        names.map(|name| reader::unknown_column(relation, name)).collect()
    }
}

/// A line that is no fact, but a record with these fields.
pub(super) fn not_facts(reader: &Reader<'_, '_>, fields: &[String]) -> Diagnostic {
    let first = fields.first().map_or("", String::as_str);
    let message = format!("expected a fact, found a record: there is no relation `{first}`");
    let fault = Diagnostic::new(codes::UNKNOWN_RELATION, message);
    let relation = reader.schemas().of_fields(fields).map_or("RELATION", |relation| relation.name.as_str());
    match reader::option(reader.file(), Some(relation)) {
        Some(option) => fault.help(format!("name the relation that each line is a record of: {option}")),
        None => fault.help(reader.schemas().example()),
    }
}

/// Reads the record of one line.
pub(super) fn record(
    reader: &mut Reader<'_, '_>,
    scanner: &mut Scanner<'_>,
    mapping: &Mapping,
) -> Result<(), Diagnostic> {
    let whole = scanner.start();
    if scanner.peek() != Some(b'{') {
        return Err(no_record(scanner));
    }
    let place = scanner.span_from(whole);
    let Some(relation) = reader.relation(&mapping.relation, place) else {
        return scanner.skip(FACT_DEPTH);
    };
    reader.begin(relation);
    let mut fields = Vec::new();
    elements(scanner, b'}', |scanner| {
        let start = scanner.start();
        let name = scanner.string()?;
        let key = scanner.span_from(start);
        scanner.expect(b':')?;
        let (found, place) = scanner.value()?;
        for at in mapping.of(relation, &name) {
            let default = relation.columns.get(at).and_then(|column| column.default);
            if reader.has(at) {
                reader.fault(duplicate_field(&name).at(key, ""));
            } else if found != Found::Null || default.is_none() {
                reader.put(relation, at, &found, place);
            }
        }
        fields.push(name);
        Ok(())
    })?;
    let place = scanner.span_from(whole);
    let file = reader.file();
    reader.end_or(relation, place, &|missing| missing_fields(mapping, relation, (missing, &fields), file));
    if scanner.peek().is_some() {
        return Err(scanner.unexpected("the end of the line"));
    }
    Ok(())
}

fn no_record(scanner: &mut Scanner<'_>) -> Diagnostic {
    let is_list = scanner.peek() == Some(b'[');
    let fault = scanner.unexpected("`{`");
    if is_list {
        return fault.help("write one record per line: `jq -c '.[]' FILE`");
    }
    fault.help("write a record on one line: `{\"tool\": \"web_search\", \"ok\": true}`")
}

fn duplicate_field(name: &str) -> Diagnostic {
    Diagnostic::new(codes::DUPLICATE_COLUMN, format!("duplicate field `{name}`")).help("keep one of them")
}

/// The fields that a record must have and doesn't.
pub(super) fn missing_fields(
    mapping: &Mapping,
    relation: &Relation,
    (missing, fields): (&[&Column], &[Cow<'_, str>]),
    file: &str,
) -> Diagnostic {
    let names: Vec<_> = missing
        .iter()
        .map(|column| match mapping.field(column) {
            field if field == column.name.as_str() => format!("`{column}`"),
            field => format!("`{field}` (column `{column}`)"),
        })
        .collect();
    let plural = if missing.len() == 1 { "field" } else { "fields" };
    let message = format!("missing {plural} {} of a record of `{}`", names.join(", "), relation.name);
    let fault = Diagnostic::new(codes::MISSING_COLUMN, message).note(format!("the relation is `{relation}`"));
    if let [only] = fields
        && *only == relation.name.as_str()
    {
        return fault.help(match reader::option(file, None) {
            Some(option) => format!("the line holds a fact, and no record: {option} reads it"),
            None => String::from("the line holds a fact already, and no record"),
        });
    }
    let free =
        || fields.iter().map(AsRef::as_ref).filter(|field| mapping.of(relation, field).next().is_none());
    let near = missing
        .iter()
        .find_map(|column| Some((*column, diagnostic::nearest(mapping.field(column), free())?)))
        .or_else(|| Some((*missing.first()?, free().next()?)));
    match near {
        Some((column, field)) => fault.help(map_help(relation, column, field, file)),
        None => fault.help("a column that records may leave out has a default: `column: type = literal`"),
    }
}

/// How a field of another name becomes a column.
pub(super) fn map_help(relation: &Relation, column: &Column, field: &str, file: &str) -> String {
    let name = relation.name;
    let file = if file.starts_with('<') { "…" } else { file };
    format!(
        "if `{field}` has the value of `{}`, map it in hence.toml: `[facts]`, `{name} = {{ file = \"{file}\", columns = {{ {} = \"{field}\" }} }}`",
        column.name, column.name
    )
}
