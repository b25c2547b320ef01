//! Messages of protocol buffers, read field by field without a schema, and the spans of OTLP exports in them.

use super::mac;
use serde_json::{Map, Value as Json, json};

/// How deep values are nested.
const DEEPEST: usize = 16;

/// Bytes that are no message; nothing of them is used.
#[derive(Debug)]
pub(super) struct Malformed;

/// The value of a field.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order.
struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(Malformed)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], Malformed> {
        let count = usize::try_from(count).map_err(|_| Malformed)?;
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The number of the next field and its value, `None` at the end.
    fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let fixed =
            |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        let field = match key & 7 {
            0 => Field::Number(self.varint()?),
            1 => Field::Number(fixed(self.take(8)?)),
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Number(fixed(self.take(4)?)),
            _ => return Err(Malformed),
        };
        Ok(Some((key >> 3, field)))
    }
}

/// The messages in the field `number` of a message, in their order.
pub(super) fn messages(message: &[u8], number: u64) -> Messages<'_> {
    Messages { fields: Fields { rest: message }, number }
}

/// The messages of one field.
pub(super) struct Messages<'a> {
    fields: Fields<'a>,
    number: u64,
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<&'a [u8], Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.fields.next() {
                Ok(None) => return None,
                Ok(Some((number, Field::Bytes(bytes)))) if number == self.number => return Some(Ok(bytes)),
                Ok(Some(_)) => {}
                Err(malformed) => {
                    self.fields.rest = &[];
                    return Some(Err(malformed));
                }
            }
        }
    }
}

fn text(bytes: &[u8]) -> Json {
    Json::String(String::from_utf8_lossy(bytes).into_owned())
}

fn hex(bytes: &[u8]) -> Json {
    Json::String(mac::to_hex(bytes))
}

/// What the JSON form of a message has for each of its fields.
fn object<'a>(
    message: &'a [u8],
    mut put: impl FnMut(&mut Map<String, Json>, u64, Field<'a>) -> Result<(), Malformed>,
) -> Result<Json, Malformed> {
    let mut fields = Fields { rest: message };
    let mut object = Map::new();
    while let Some((number, field)) = fields.next()? {
        put(&mut object, number, field)?;
    }
    Ok(Json::Object(object))
}

fn push(object: &mut Map<String, Json>, name: &str, item: Json) {
    if let Json::Array(items) = object.entry(name).or_insert_with(|| json!([])) {
        items.push(item);
    }
}

/// A resource in the form that OTLP has in JSON, with its attributes only.
pub(super) fn resource(message: &[u8]) -> Result<Json, Malformed> {
    object(message, |object, number, field| {
        if let (1, Field::Bytes(bytes)) = (number, field) {
            push(object, "attributes", attribute(bytes)?);
        }
        Ok(())
    })
}

/// A span in the form that OTLP has in JSON, with what is read of it.
pub(super) fn span(message: &[u8]) -> Result<Json, Malformed> {
    object(message, |object, number, field| {
        match (number, field) {
            (2, Field::Bytes(bytes)) => drop(object.insert(String::from("spanId"), hex(bytes))),
            (7, Field::Number(nanos)) => drop(object.insert(String::from("startTimeUnixNano"), json!(nanos))),
            (8, Field::Number(nanos)) => drop(object.insert(String::from("endTimeUnixNano"), json!(nanos))),
            (9, Field::Bytes(bytes)) => push(object, "attributes", attribute(bytes)?),
            (11, Field::Bytes(bytes)) => push(object, "events", event(bytes)?),
            (15, Field::Bytes(bytes)) => drop(object.insert(String::from("status"), status(bytes)?)),
            _ => {}
        }
        Ok(())
    })
}

fn event(message: &[u8]) -> Result<Json, Malformed> {
    object(message, |object, number, field| {
        match (number, field) {
            (2, Field::Bytes(bytes)) => drop(object.insert(String::from("name"), text(bytes))),
            (3, Field::Bytes(bytes)) => push(object, "attributes", attribute(bytes)?),
            _ => {}
        }
        Ok(())
    })
}

fn status(message: &[u8]) -> Result<Json, Malformed> {
    object(message, |object, number, field| {
        match (number, field) {
            (2, Field::Bytes(bytes)) => drop(object.insert(String::from("message"), text(bytes))),
            (3, Field::Number(code)) => drop(object.insert(String::from("code"), json!(code))),
            _ => {}
        }
        Ok(())
    })
}

fn attribute(message: &[u8]) -> Result<Json, Malformed> {
    object(message, |object, number, field| {
        match (number, field) {
            (1, Field::Bytes(bytes)) => drop(object.insert(String::from("key"), text(bytes))),
            (2, Field::Bytes(bytes)) => drop(object.insert(String::from("value"), value(bytes, DEEPEST)?)),
            _ => {}
        }
        Ok(())
    })
}

/// A value of any type, in its wrapping.
fn value(message: &[u8], depth: usize) -> Result<Json, Malformed> {
    let deeper = depth.checked_sub(1).ok_or(Malformed)?;
    object(message, |object, number, field| {
        let (name, value) = match (number, field) {
            (1, Field::Bytes(bytes)) => ("stringValue", text(bytes)),
            (2, Field::Number(number)) => ("boolValue", json!(number != 0)),
            (3, Field::Number(number)) => ("intValue", json!(number.cast_signed())),
            (4, Field::Number(number)) => ("doubleValue", json!(f64::from_bits(number))),
            (5, Field::Bytes(bytes)) => {
                let values = messages(bytes, 1).map(|item| value(item?, deeper));
                ("arrayValue", json!({ "values": values.collect::<Result<Vec<_>, _>>()? }))
            }
            _ => return Ok(()),
        };
        object.clear();
        object.insert(name.to_owned(), value);
        Ok(())
    })
}
