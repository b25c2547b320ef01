//! How relations, values and sentences are said to people: words first, the syntax of the rules only where it is asked for.

use maud::{Markup, html};
use serde_json::{Map, Value as Json};

/// How many letters of a value are shown where it stands among others.
const LONGEST: usize = 160;

/// A name as words: `handle_error` and `/handle_error` are "handle error".
pub(super) fn plain(name: &str) -> String {
    name.trim_start_matches('/').replace(['_', '/'], " ").replace('#', " no. ")
}

/// The same as the beginning of a line.
pub(super) fn title(name: &str) -> String {
    let words = plain(name);
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a text is a name of the rules, such as `/too_generic`.
fn is_name(text: &str) -> bool {
    let name = text.strip_prefix('/').unwrap_or_default();
    name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-/".contains(letter))
}

/// A sentence of a rule; names in it are said as words.
pub(super) fn sentence(text: &str) -> Markup {
    html! {
        @for (at, word) in text.split(' ').enumerate() {
            @if at > 0 { " " }
            @let bare = word.trim_end_matches([',', '.', ';', ':']);
            @if is_name(bare) {
                span.name title=(bare) { (plain(bare)) } (word.get(bare.len()..).unwrap_or_default())
            } @else { (word) }
        }
    }
}

/// A sentence as it is read aloud.
pub(super) fn sentence_text(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', '.', ';', ':']);
        match is_name(bare) {
            true => format!("{}{}", plain(bare), word.get(bare.len()..).unwrap_or_default()),
            false => word.to_owned(),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The beginning of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// A number with at most six significant digits, as sentences of rules have it.
fn number(number: &serde_json::Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => float.to_string(),
        Some(float) if (1e-4..1e6).contains(&float.abs()) => {
            let digits = 5 - float.abs().log10().floor() as i32;
            let shown = format!("{float:.*}", usize::try_from(digits.max(0)).unwrap_or_default());
            shown.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => number.to_string(),
    }
}

/// A condition of a rule with its values, as people write it.
pub(super) fn condition(text: &str) -> String {
    let word = |word: &str| match word {
        ">=" => String::from("≥"),
        "<=" => String::from("≤"),
        "!=" => String::from("≠"),
        "==" => String::from("="),
        other if other.contains('.') => {
            let read = other.parse().ok().and_then(serde_json::Number::from_f64);
            read.map_or_else(|| other.to_owned(), |read| number(&read))
        }
        other => other.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A value as text.
pub(super) fn value_text(value: &Json) -> String {
    match value {
        Json::Null => String::from("anything"),
        Json::Bool(true) => String::from("yes"),
        Json::Bool(false) => String::from("no"),
        Json::String(text) if is_name(text) => plain(text),
        Json::String(text) => time_text(text).unwrap_or_else(|| cut(text, LONGEST)),
        Json::Number(found) => number(found),
        other => cut(&other.to_string(), LONGEST),
    }
}

/// A value.
pub(super) fn value(value: &Json) -> Markup {
    match value {
        Json::Null => html! { span.any { "anything" } },
        Json::String(text) if time_text(text).is_some() => html! { (time(text)) },
        Json::String(text) if is_name(text) => html! { span.name title=(text) { (plain(text)) } },
        Json::String(text) if text.is_empty() => html! { span.any { "empty" } },
        Json::Number(found) => html! { span.number title=(found) { (number(found)) } },
        other => html! { span.text { (value_text(other)) } },
    }
}

/// A time as people write it, where a text is one.
fn time_text(text: &str) -> Option<String> {
    let is_digits = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_time = text.len() >= 20
        && text.ends_with('Z')
        && text.get(10..11) == Some("T")
        && is_digits(text.get(0..4))
        && is_digits(text.get(5..7));
    if !is_time {
        return None;
    }
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month: usize = text.get(5..7)?.parse().ok()?;
    let month = MONTHS.get(month.checked_sub(1)?)?;
    let day: u32 = text.get(8..10)?.parse().ok()?;
    Some(format!("{day} {month} {}, {}", text.get(0..4)?, text.get(11..16)?))
}

/// A time of the ledger.
pub(super) fn time(text: &str) -> Markup {
    let shown = time_text(text).unwrap_or_else(|| text.to_owned());
    html! { time datetime=(text) title=(text) { (shown) } }
}

/// A text of an answer; nothing where it has none.
pub(super) fn text<'j>(json: &'j Json, name: &str) -> &'j str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// A list of an answer.
pub(super) fn list<'j>(json: &'j Json, name: &str) -> &'j [Json] {
    json.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A count of an answer.
pub(super) fn count(json: &Json, name: &str) -> u64 {
    json.get(name).and_then(Json::as_u64).unwrap_or_default()
}

/// A count with its digits in groups.
pub(super) fn digits(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", digits(count), if count == 1 { one } else { many })
}

/// The relation and the values of a fact, such as `{"tool": ["shell"]}`.
pub(super) fn fact_parts(fact: &Json) -> (&str, &[Json]) {
    let only = fact.as_object().and_then(|fields: &Map<String, Json>| fields.iter().next());
    match only {
        Some((relation, Json::Array(values))) => (relation, values),
        Some((relation, _)) => (relation, &[]),
        None => ("", &[]),
    }
}

/// What the answer says of the relations that it names.
#[derive(Clone, Copy)]
pub(super) struct Schema<'j>(pub(super) &'j Json);

impl<'j> Schema<'j> {
    fn column(self, relation: &str, at: usize) -> Option<&'j str> {
        self.0.get(relation)?.get("columns")?.get(at)?.as_str()
    }

    /// What the rules say that a relation means.
    pub(super) fn doc(self, relation: &str) -> &'j str {
        self.0.get(relation).map_or("", |found| text(found, "doc"))
    }

    /// A fact in words: what it says, then each column with its value.
    pub(super) fn fact(self, fact: &Json) -> Markup {
        let (relation, values) = fact_parts(fact);
        html! {
            span.fact {
                b { (plain(relation)) }
                @for (at, one) in values.iter().enumerate() {
                    span.pair {
                        @if let Some(column) = self.column(relation, at) { span.key { (plain(column)) } " " }
                        (value(one))
                    }
                }
            }
        }
    }

    /// The columns of a fact with their values, a line each.
    pub(super) fn columns(self, relation: &str, values: &[Json]) -> Markup {
        html! {
            dl.columns {
                @for (at, one) in values.iter().enumerate() {
                    div {
                        dt { (self.column(relation, at).map_or_else(|| (at + 1).to_string(), plain)) }
                        dd { (value(one)) }
                    }
                }
            }
        }
    }
}

/// A fact as the rules write it.
pub(super) fn syntax_of(relation: &str, values: &[Json]) -> String {
    let written = |one: &Json| match one {
        Json::Null => String::from("_"),
        Json::String(text) if is_name(text) => text.clone(),
        Json::String(text) if time_text(text).is_some() => format!("@{text}"),
        other => other.to_string(),
    };
    format!("{relation}({})", values.iter().map(written).collect::<Vec<_>>().join(", "))
}
