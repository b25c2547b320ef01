//! JSON objects, and their fields with errors that say what was expected.

use serde_json::{Map, Value as Json};

use super::Summary;
use super::error::ActuatorError;

/// How much of a faulty value an error shows.
const SHOWN: usize = 60;

/// Where an object begins.
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
    pub(super) fn new(place: Place<'a>, fields: Map<String, Json>) -> Self {
        Self { place, fields }
    }

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
