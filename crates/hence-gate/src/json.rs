//! Reading members of JSON objects.

use serde_json::{Map, Value as Json};

/// An object of JSON.
pub(crate) type Object = Map<String, Json>;

/// The text of the first of some members that has one and is not empty.
pub(crate) fn text<'o>(object: &'o Object, names: &[&str]) -> Option<&'o str> {
    names.iter().filter_map(|name| object.get(*name)?.as_str()).find(|text| !text.is_empty())
}

/// An object that stands as such, or as text, as some hosts send it.
pub(crate) fn object(value: Option<&Json>) -> Option<Object> {
    match value? {
        Json::Object(object) => Some(object.clone()),
        Json::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}
