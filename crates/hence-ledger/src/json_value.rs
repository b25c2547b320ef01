//! Values in JSON so that their types come back without a schema.

use serde_json::{Value as Json, json};

use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

use super::bytes::Malformed;

/// Bools, ints and strings as themselves, everything else as an object that names the type. A float is a text, since
/// not every reader of JSON numbers gives back the same bits.
pub(crate) fn write(value: Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!({ "float": value.get().to_string() }),
        Value::String(text) => json!(text.as_str()),
        Value::Name(text) => json!({ "name": text.as_str() }),
        Value::Time(micros) => json!({ "time": micros }),
        Value::Duration(micros) => json!({ "duration": micros }),
    }
}

/// The value that [`write`] wrote.
pub(crate) fn read(json: &Json) -> Result<Value, Malformed> {
    let wrong = Malformed("a value is none that an export holds");
    let value = match json {
        Json::Bool(value) => Some(Value::Bool(*value)),
        Json::Number(number) => number.as_i64().map(Value::Int),
        Json::String(text) => Some(Value::String(Symbol::new(text))),
        Json::Object(fields) if fields.len() == 1 => {
            fields.iter().next().and_then(|(ty, json)| typed(ty, json))
        }
        _ => None,
    };
    value.ok_or(wrong)
}

fn typed(ty: &str, json: &Json) -> Option<Value> {
    match ty {
        "float" => json.as_str()?.parse().ok().and_then(Float::new).map(Value::Float),
        "name" => {
            json.as_str().filter(|text| literal::is_name(text)).map(|text| Value::Name(Symbol::new(text)))
        }
        "time" => json.as_i64().map(Value::Time),
        "duration" => json.as_i64().map(Value::Duration),
        _ => None,
    }
}
