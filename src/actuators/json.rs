//! JSON Lines: objects one by one, and their fields with errors that say what was expected.

use std::io::{BufRead, Read as _};

use serde_json::{Map, Value as Json};

use super::Summary;
use super::error::ActuatorError;
use super::input::Input;

/// How many bytes a line may have.
const LINE_LIMIT: u64 = 64 << 20;

/// How much of a faulty value an error shows.
const SHOWN: usize = 60;

/// The objects of an input, a line each; blank lines are passed over.
pub(super) struct JsonLines<'a> {
    name: &'a str,
    reader: &'a mut dyn BufRead,
    bytes: Vec<u8>,
    line: u64,
}

impl<'a> JsonLines<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self { name: input.name(), reader: input.into_reader(), bytes: Vec::new(), line: 0 }
    }

    /// The next object, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Object<'a>>, ActuatorError> {
        loop {
            self.bytes.clear();
            let mut bounded = (&mut *self.reader).take(LINE_LIMIT);
            let count = bounded
                .read_until(b'\n', &mut self.bytes)
                .map_err(|source| ActuatorError::Read { input: self.name.to_owned(), source })?;
            if count == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !self.bytes.trim_ascii().is_empty() {
                return self.parse().map(Some);
            }
        }
    }

    fn parse(&self) -> Result<Object<'a>, ActuatorError> {
        let place = Place { input: self.name, line: self.line };
        if self.bytes.len() as u64 == LINE_LIMIT && !self.bytes.ends_with(b"\n") {
            return Err(place.fault("a line of at most 64 MiB", "a longer one"));
        }
        let bytes = self.bytes.strip_prefix(b"\xEF\xBB\xBF").filter(|_| self.line == 1);
        match serde_json::from_slice(bytes.unwrap_or(&self.bytes)) {
            Ok(Json::Object(fields)) => Ok(Object { place, fields }),
            Ok(other) => Err(place.fault("a JSON object", &shown(&other))),
            Err(error) => Err(place.fault("a JSON object on one line", &format!("no JSON ({error})"))),
        }
    }
}

/// A line of an input.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) input: &'a str,
    pub(super) line: u64,
}

impl Place<'_> {
    pub(super) fn fault(self, expected: &str, found: &str) -> ActuatorError {
        ActuatorError::Line {
            input: self.input.to_owned(),
            line: self.line,
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }
}

/// One JSON object of an input. A field is taken out when it is read; what is left over was not understood.
pub(super) struct Object<'a> {
    pub(super) place: Place<'a>,
    fields: Map<String, Json>,
}

impl<'a> Object<'a> {
    /// Takes a field out; `null` counts as absent.
    pub(super) fn take(&mut self, field: &str) -> Option<Json> {
        self.fields.shift_remove(field).filter(|value| !value.is_null())
    }

    /// Takes out a field that has to be there, as what `read` makes of it.
    pub(super) fn required<T>(
        &mut self,
        field: &str,
        expected: &str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<T, ActuatorError> {
        match self.optional(field, expected, read)? {
            Some(value) => Ok(value),
            None => Err(self.place.fault(&format!("`{field}` to be {expected}"), "no such field")),
        }
    }

    /// Takes out a field that may be there, as what `read` makes of it.
    pub(super) fn optional<T>(
        &mut self,
        field: &str,
        expected: &str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<Option<T>, ActuatorError> {
        let Some(value) = self.take(field) else { return Ok(None) };
        match read(&value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.place.fault(&format!("`{field}` to be {expected}"), &shown(&value))),
        }
    }

    /// Whether there is such a field.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// Notes the fields that nobody took out.
    pub(super) fn leave(self, summary: &mut Summary) {
        for (field, _) in self.fields {
            summary.ignore(&field);
        }
    }
}

/// A JSON string.
pub(super) fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// An id: a string that isn't empty, or an int.
pub(super) fn id(value: &Json) -> Option<String> {
    text(value).filter(|id| !id.is_empty()).or_else(|| value.as_i64().map(|id| id.to_string()))
}

/// A value as an error shows it: shortened, on one line.
pub(super) fn shown(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text,
    }
}
