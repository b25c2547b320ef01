//! JSON Lines: one fact a line, `{"tool_run": [1, "web_search"]}` or `{"tool_run": {"run": 1, "tool": "web_search"}}`.

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Relation;

use super::codes;
use super::plain::{self, Mapping};
use super::reader::{self, Reader};
use super::scanner::{FACT_DEPTH, Scanner};

/// Reads all lines, with a mapping those of plain records; a faulty line doesn't keep the others from being checked. A text
/// that `begins` a file may have a byte order mark.
pub(super) fn read(reader: &mut Reader<'_, '_>, text: &str, mapping: Option<&Mapping>, begins: bool) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if reader.is_stopped() {
            return;
        }
        let unmarked = line.strip_prefix('\u{feff}').filter(|_| begins && offset == 0).unwrap_or(line);
        let mark = line.len() - unmarked.len();
        let content = unmarked.trim_end_matches(['\n', '\r']);
        let mut scanner = Scanner::new(content, offset + mark);
        if scanner.peek().is_some() {
            let read = match mapping {
                None => fact(reader, &mut scanner),
                Some(mapping) => plain::record(reader, &mut scanner, mapping),
            };
            read.unwrap_or_else(|fault| reader.fault(fault));
        }
        offset += line.len();
    }
}

fn fact(reader: &mut Reader<'_, '_>, scanner: &mut Scanner<'_>) -> Result<(), Diagnostic> {
    if !scanner.take(b'{') {
        return Err(no_fact(reader, scanner));
    }
    let start = scanner.start();
    let name = scanner.string()?;
    let place = scanner.span_from(start);
    scanner.expect(b':')?;
    if !matches!(scanner.peek(), Some(b'[' | b'{')) && reader.schemas().lacks(&name) {
        let fields = fields(scanner, &name);
        if fields.len() > 1 || reader.schemas().has_column(&name) {
            if reader.is_new_unknown(&name) {
                reader.fault(plain::not_facts(reader, &fields).at(place, ""));
            }
            return Ok(());
        }
    }
    match (reader.relation(&name, place), scanner.peek()) {
        (Some(relation), Some(b'[')) => by_position(reader, scanner, relation)?,
        (Some(relation), Some(b'{')) => by_name(reader, scanner, relation)?,
        (None, Some(b'[' | b'{')) => scanner.skip(FACT_DEPTH)?,
        _ => return Err(no_columns(reader, scanner)?),
    }
    if scanner.peek() == Some(b',') {
        return Err(several_facts(scanner));
    }
    scanner.expect(b'}')?;
    if scanner.peek().is_some() {
        return Err(scanner.unexpected("the end of the line"));
    }
    Ok(())
}

fn by_position(
    reader: &mut Reader<'_, '_>,
    scanner: &mut Scanner<'_>,
    relation: &Relation,
) -> Result<(), Diagnostic> {
    let start = scanner.start();
    reader.begin(relation);
    let mut count = 0;
    elements(scanner, b']', |scanner| {
        let (found, place) = scanner.value()?;
        reader.put(relation, count, &found, place);
        count += 1;
        Ok(())
    })?;
    if count == relation.columns.len() {
        reader.end(relation, scanner.span_from(start));
    } else {
        reader.fault(
            reader::column_count(relation, relation.columns.len(), count).at(scanner.span_from(start), ""),
        );
    }
    Ok(())
}

fn by_name(
    reader: &mut Reader<'_, '_>,
    scanner: &mut Scanner<'_>,
    relation: &Relation,
) -> Result<(), Diagnostic> {
    let whole = scanner.start();
    reader.begin(relation);
    let mut next = 0;
    elements(scanner, b'}', |scanner| {
        let start = scanner.start();
        let name = scanner.string()?;
        let key = scanner.span_from(start);
        scanner.expect(b':')?;
        let (found, place) = scanner.value()?;
        // Columns mostly come in their order, so the next one is looked at first.
        let is_next = relation.columns.get(next).is_some_and(|column| column.name.as_str() == name);
        let column = if is_next { Some(next) } else { position(relation, &name) };
        match column {
            None => reader.fault(reader::unknown_column(relation, &name).at(key, "")),
            Some(at) if reader.has(at) => reader.fault(reader::duplicate_column(relation, &name).at(key, "")),
            Some(at) => {
                reader.put(relation, at, &found, place);
                next = at + 1;
            }
        }
        Ok(())
    })?;
    reader.end(relation, scanner.span_from(whole));
    Ok(())
}

fn position(relation: &Relation, name: &str) -> Option<usize> {
    relation.columns.iter().position(|column| column.name.as_str() == name)
}

/// The elements between the bracket that is next and `close`, `element` reading each.
pub(super) fn elements<'t>(
    scanner: &mut Scanner<'t>,
    close: u8,
    mut element: impl FnMut(&mut Scanner<'t>) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    scanner.expect(if close == b']' { b'[' } else { b'{' })?;
    if scanner.take(close) {
        return Ok(());
    }
    loop {
        element(scanner)?;
        if scanner.take(close) {
            return Ok(());
        }
        if !scanner.take(b',') {
            return Err(scanner.unexpected(&format!("`,` or `{}`", char::from(close))));
        }
    }
}

/// The names of the fields of a record whose first one is `first`, as far as it can be read; the value of that is next.
fn fields(scanner: &Scanner<'_>, first: &str) -> Vec<String> {
    let (mut scanner, mut fields) = (scanner.clone(), vec![first.to_owned()]);
    while scanner.value().is_ok() && scanner.take(b',') {
        match scanner.string() {
            Ok(name) if scanner.take(b':') => fields.push(name.into_owned()),
            _ => break,
        }
    }
    fields
}

fn no_fact(reader: &Reader<'_, '_>, scanner: &mut Scanner<'_>) -> Diagnostic {
    scanner.unexpected("`{`").help(reader.schemas().example())
}

fn no_columns(reader: &Reader<'_, '_>, scanner: &mut Scanner<'_>) -> Result<Diagnostic, Diagnostic> {
    let example = reader.schemas().example();
    let (found, place) = scanner.value().map_err(|fault| fault.help(example.as_str()))?;
    let message = format!("expected a list or an object of columns, found {}", found.show());
    Ok(Diagnostic::new(codes::MALFORMED, message).at(place, "").help(example))
}

fn several_facts(scanner: &mut Scanner<'_>) -> Diagnostic {
    scanner.unexpected("`}`").help("write one fact per line: start a new line, `{`")
}
