//! Values and facts as JSON, written and read here alone.
//!
//! There are two forms. That of fact files leaves the types to the relation's columns: `"/marketing"`, `"7d"`. That of
//! exports names the type where JSON has none of its own: `{"name": "/marketing"}`, `{"duration": 604800000000}`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Value as Json, json};

use crate::fact::Fact;
use crate::fault::OrBroken;
use crate::list;
use crate::literal;
use crate::symbol::Symbol;
use crate::value::{Float, Type, Value};

/// A value as fact files have it: texts, names with their slash, times in RFC 3339 and durations as strings.
pub fn value(value: Value) -> Json {
    serde_json::to_value(Plain(value)).ok().or_broken("a value is JSON")
}

/// A value, to be written as fact files have it.
pub struct Plain(pub Value);

impl Serialize for Plain {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Bool(value) => out.serialize_bool(value),
            Value::Int(value) => out.serialize_i64(value),
            Value::Float(value) => out.serialize_f64(value.get()),
            Value::String(text) | Value::Name(text) => out.serialize_str(text.as_str()),
            Value::List(text) => out.collect_seq(list::elements(text).iter().map(|element| Self(*element))),
            Value::Time(micros) => out.serialize_str(&literal::time_text(micros)),
            Value::Duration(micros) => out.serialize_str(&literal::duration_text(micros)),
        }
    }
}

/// A fact as fact files have it: `{"usefulness": ["web_search", 0.765]}`.
pub fn fact(fact: &Fact) -> Json {
    let values: Vec<Json> = fact.values.iter().map(|cell| value(*cell)).collect();
    json!({ fact.relation.as_str(): values })
}

/// A fact as a line of a fact file, without its line end.
pub fn line(fact: &Fact) -> String {
    spaced(&self::fact(fact))
}

/// The value of a type in the form of fact files; `None` for anything else. Closed sets are not checked.
pub fn read(ty: Type, json: &Json) -> Option<Value> {
    let text = || json.as_str();
    match ty {
        Type::Bool => json.as_bool().map(Value::Bool),
        Type::Int => json.as_i64().map(Value::Int),
        Type::Float => json.as_f64().and_then(Float::new).map(Value::Float),
        Type::String => text().map(|text| Value::String(Symbol::new(text))),
        Type::Name => text().filter(|text| literal::is_name(text)).map(|text| Value::Name(Symbol::new(text))),
        Type::Time => text().and_then(literal::parse_time).map(Value::Time),
        Type::Duration => text().and_then(literal::parse_duration).map(Value::Duration),
        Type::List(element) => {
            let elements = json.as_array()?.iter().map(|json| read(*element, json));
            elements.collect::<Option<Vec<_>>>().map(list::of)
        }
    }
}

/// A value that names its type, as exports have it. A float is a text, since not every reader of JSON numbers gives
/// back the same bits.
pub fn typed(value: Value) -> Json {
    match value {
        Value::Bool(value) => Json::from(value),
        Value::Int(value) => Json::from(value),
        Value::Float(value) => json!({ "float": value.get().to_string() }),
        Value::String(text) => Json::from(text.as_str()),
        Value::Name(text) => json!({ "name": text.as_str() }),
        Value::Time(micros) => json!({ "time": micros }),
        Value::Duration(micros) => json!({ "duration": micros }),
        Value::List(text) => list::elements(text).iter().map(|element| typed(*element)).collect(),
    }
}

/// The value that [`typed`] wrote; `None` for what it doesn't write.
pub fn read_typed(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::Number(number) => number.as_i64().map(Value::Int),
        Json::String(text) => Some(Value::String(Symbol::new(text))),
        Json::Object(fields) if fields.len() == 1 => {
            let (ty, json) = fields.iter().next()?;
            read_named(ty, json)
        }
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

fn read_named(ty: &str, json: &Json) -> Option<Value> {
    match ty {
        "float" => json.as_str()?.parse().ok().and_then(Float::new).map(Value::Float),
        "name" => read(Type::Name, json),
        "time" => json.as_i64().map(Value::Time),
        "duration" => json.as_i64().map(Value::Duration),
        _ => None,
    }
}

/// JSON on one line with a space after `:` and `,`, as people write it by hand.
pub fn spaced(json: &impl Serialize) -> String {
    let mut out = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut out, Spaced);
    json.serialize(&mut serializer).ok().or_broken("a JSON value can be written");
    String::from_utf8(out).ok().or_broken("JSON is text")
}

struct Spaced;

impl Formatter for Spaced {
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
