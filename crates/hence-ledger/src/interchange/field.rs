//! What a file holds at a column: its form, and the value that it means at the column's type.

use hence_core::fault::OrBroken;
use std::borrow::Cow;

use hence_core::diagnostic::Diagnostic;
use hence_core::literal;
use hence_core::schema::ColumnType;
use hence_core::value::{Type, Value};

use super::{codes, convert};

/// A value as a file holds it, before its column's type is looked at.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found<'t> {
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A JSON number as written.
    Number(&'t str),
    /// A JSON string, escapes resolved.
    Text(Cow<'t, str>),
    /// A JSON list.
    List,
    /// A JSON object.
    Object,
    /// A field of a table, where the column alone says what type it is of.
    Field(Cow<'t, str>),
}

impl Found<'_> {
    /// The value at this type; otherwise what is wrong, without its place.
    pub(super) fn value(&self, ty: &ColumnType) -> Result<Value, Diagnostic> {
        match (self, ty.ty) {
            (Self::Bool(value), Type::Bool) => Ok(Value::Bool(*value)),
            (Self::Number(number), Type::Int) => convert::int(number).map(Value::Int),
            (Self::Number(number), Type::Float) => convert::float(number).map(Value::Float),
            (Self::Text(text) | Self::Field(text), Type::String) => Ok(Value::String(text.as_ref().into())),
            (Self::Text(text) | Self::Field(text), Type::Name) => {
                convert::name(text, ty).unwrap_or_else(|| Err(self.unfit(ty))).map(Value::Name)
            }
            (Self::Text(text) | Self::Field(text), Type::Time) => {
                literal::parse_time(text).map(Value::Time).ok_or_else(|| self.unfit(ty))
            }
            (Self::Text(text) | Self::Field(text), Type::Duration) => {
                literal::parse_duration(text).map(Value::Duration).ok_or_else(|| self.unfit(ty))
            }
            (Self::Field(text), Type::Bool) => match text.as_ref() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(self.unfit(ty)),
            },
            (Self::Field(text), Type::Int | Type::Float) if convert::is_number(text) => {
                Found::Number(text).value(ty)
            }
            _ => Err(self.unfit(ty)),
        }
    }

    fn unfit(&self, ty: &ColumnType) -> Diagnostic {
        let message = format!("expected {}, found {}", due(ty), self.show());
        let fault = Diagnostic::new(codes::WRONG_TYPE, message);
        match self.advice(ty.ty) {
            Some(advice) => fault.help(advice),
            None => fault,
        }
    }

    /// What was found, as a message calls it.
    pub(super) fn show(&self) -> String {
        match self {
            Self::Null => String::from("`null`"),
            Self::Bool(value) => format!("`{value}`"),
            Self::Number(number) if convert::is_whole(number) => format!("the int `{number}`"),
            Self::Number(number) => format!("the float `{number}`"),
            Self::Text(text) => format!("the string `{}`", literal::quoted(&shortened(text))),
            Self::List => String::from("a list"),
            Self::Object => String::from("an object"),
            Self::Field(text) if text.is_empty() => String::from("an empty field"),
            Self::Field(text) => format!("`{}`", shortened(text)),
        }
    }

    /// The way out, where one is known.
    fn advice(&self, ty: Type) -> Option<String> {
        match (self, ty) {
            (Self::Null, _) => Some(String::from("a fact has a value in every column; remove the line")),
            (Self::Text(text), Type::Int | Type::Float) if convert::is_number(text) => {
                Some(format!("write `{text}` without quotes"))
            }
            (Self::Text(text), Type::Bool) if matches!(text.as_ref(), "true" | "false") => {
                Some(format!("write `{text}` without quotes"))
            }
            (Self::Number(number), Type::String) => Some(format!("write `\"{number}\"`")),
            (Self::Number("0" | "1") | Self::Field(_), Type::Bool) => {
                Some(String::from("a bool is `true` or `false`"))
            }
            (Self::Text(text) | Self::Field(text), _) if text.trim() != text => {
                Some(String::from("remove the white space around it"))
            }
            (Self::Text(text) | Self::Field(text), Type::Time) if literal::is_time_form(text) => {
                Some(String::from(literal::NO_TIME))
            }
            (_, Type::Time) => {
                Some(String::from("write a time as RFC 3339, to the microsecond: `2026-02-03T14:23:45Z`"))
            }
            (Self::Text(text) | Self::Field(text), Type::Duration) if literal::is_duration_form(text) => {
                Some(String::from("it is too long: 64 bits of microseconds cover about 292,000 years"))
            }
            (_, Type::Duration) => {
                Some(String::from("a duration has units `w d h m s ms us`: `7d`, `1h30m`, `1200ms`"))
            }
            (Self::Text(text) | Self::Field(text), Type::Name) => convert::near_name(text)
                .map(|name| format!("`{name}` is a name"))
                .or_else(|| Some(String::from("a name is `/` and lower-case words: `/error/syntax`"))),
            _ => None,
        }
    }
}

/// What the column's type expects.
fn due(ty: &ColumnType) -> String {
    match ty.ty {
        Type::Int => String::from("an int"),
        Type::Name if ty.set.is_some() => format!("a name of `{ty}`"),
        other => format!("a {other}"),
    }
}

/// At most 40 characters of a text.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => {
            Cow::Owned(format!("{}…", text.get(..end).or_broken("a character begins where the text says")))
        }
        None => Cow::Borrowed(text),
    }
}
