//! What an answer must look like: the part of JSON Schema that answers of models are asked by.

use serde_json::{Map, Value as Json};

/// The keywords that are checked.
const CHECKED: [&str; 13] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
];
/// Those that say nothing about what fits.
const SAID: [&str; 6] = ["$schema", "$id", "title", "description", "default", "examples"];
/// The types.
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// A schema, all of whose keywords are checked.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSchema(Json);

impl AnswerSchema {
    /// Reads a schema.
    ///
    /// # Errors
    /// It is no JSON, or has a keyword that is not checked here: an answer must not pass for want of a look at it.
    pub fn read(text: &str) -> Result<Self, String> {
        let schema: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        known(&schema, "")?;
        Ok(Self(schema))
    }

    /// The schema as it was written.
    pub(super) fn json(&self) -> &Json {
        &self.0
    }

    /// Checks a value; what is wrong with it, and where.
    pub(super) fn check(&self, value: &Json) -> Result<(), String> {
        fits(&self.0, value, "")
    }
}

/// Checks a schema; the reader of JSON bounds how deep it goes.
fn known(schema: &Json, path: &str) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else { return Err(format!("`{path}/`: expected an object")) };
    for (keyword, content) in keywords {
        let place = format!("{path}/{keyword}");
        let wrong = |expected: &str| Err(format!("`{place}`: expected {expected}, found {content}"));
        match keyword.as_str() {
            "properties" => match content.as_object() {
                Some(inner) => {
                    inner.iter().try_for_each(|(name, inner)| known(inner, &format!("{place}/{name}")))?;
                }
                None => return wrong("an object"),
            },
            "items" => known(content, &place)?,
            "additionalProperties" if !content.is_boolean() => return wrong("`true` or `false`"),
            "type" if !types(content).is_some_and(|types| types.iter().all(|word| TYPES.contains(word))) => {
                return wrong("a type or a list of types");
            }
            "required" if words(content).is_none() => return wrong("a list of names"),
            "enum" if !content.is_array() => return wrong("a list"),
            "minimum" | "maximum" if !content.is_number() => return wrong("a number"),
            "minItems" | "maxItems" | "minLength" | "maxLength" if !content.is_u64() => {
                return wrong("a count");
            }
            word if CHECKED.contains(&word) || SAID.contains(&word) => {}
            word => {
                let known = CHECKED.map(|word| format!("`{word}`")).join(", ");
                return Err(format!("`{path}/`: `{word}` is not checked; expected {known}"));
            }
        }
    }
    Ok(())
}

fn words(list: &Json) -> Option<Vec<&str>> {
    list.as_array()?.iter().map(Json::as_str).collect()
}

fn types(content: &Json) -> Option<Vec<&str>> {
    content.as_str().map(|word| vec![word]).or_else(|| words(content))
}

fn fits(schema: &Json, value: &Json, path: &str) -> Result<(), String> {
    let told = |expected: String| Err(format!("at `{path}/`: expected {expected}, found {}", shown(value)));
    let keyword = |name: &str| schema.get(name);
    if let Some(types) = keyword("type").and_then(types)
        && !types.iter().any(|word| is_of(word, value))
    {
        return told(types.join(" or "));
    }
    if let Some(list) = keyword("enum").and_then(Json::as_array)
        && !list.contains(value)
    {
        return told(format!("one of {}", Json::from(list.clone())));
    }
    if let Some(only) = keyword("const").filter(|only| *only != value) {
        return told(only.to_string());
    }
    let bounds = [
        ("minimum", value.as_f64(), false),
        ("maximum", value.as_f64(), true),
        ("minItems", value.as_array().map(|list| list.len() as f64), false),
        ("maxItems", value.as_array().map(|list| list.len() as f64), true),
        ("minLength", value.as_str().map(|text| text.chars().count() as f64), false),
        ("maxLength", value.as_str().map(|text| text.chars().count() as f64), true),
    ];
    for (name, size, is_most) in bounds {
        let bound = keyword(name).and_then(Json::as_f64);
        if let (Some(size), Some(bound)) = (size, bound)
            && (if is_most { size > bound } else { size < bound })
        {
            return told(format!("{name} {bound}"));
        }
    }
    if let Some(object) = value.as_object() {
        fits_object(schema, object, path)?;
    }
    if let (Some(inner), Some(list)) = (keyword("items"), value.as_array()) {
        list.iter().enumerate().try_for_each(|(at, value)| fits(inner, value, &format!("{path}/{at}")))?;
    }
    Ok(())
}

fn fits_object(schema: &Json, object: &Map<String, Json>, path: &str) -> Result<(), String> {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Json::as_object).unwrap_or(&empty);
    let required = schema.get("required").and_then(words).unwrap_or_default();
    if let Some(missing) = required.iter().find(|name| !object.contains_key(**name)) {
        return Err(format!("at `{path}/`: missing `{missing}`"));
    }
    let is_closed = schema.get("additionalProperties") == Some(&Json::Bool(false));
    for (name, value) in object {
        match properties.get(name) {
            Some(inner) => fits(inner, value, &format!("{path}/{name}"))?,
            None if is_closed => return Err(format!("at `{path}/`: unknown `{name}`")),
            None => {}
        }
    }
    Ok(())
}

fn is_of(word: &str, value: &Json) -> bool {
    match word {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    }
}

/// The beginning of a value, for a message.
fn shown(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
