//! Values of settings, read from text as variables hold it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use clap::ValueEnum;
use hence_core::diagnostic::{Code, nearest};
use hence_core::literal;
use hence_core::pattern;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::lints::levels::Level;
use hence_packs as packs;
use hence_session::RecordFile;
use hence_syntax as syntax;
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::super::options::{EngineName, duration, limit, time_limit};
use super::Origin;
use super::authzen::{Authzen, AuthzenLine};
use super::carried::Carried;
use super::settings::{Kind, NONE};

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Content {
    Text(String),
    Texts(Vec<String>),
    Count(u64),
    Duration(Duration),
    Flag(bool),
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Texts(texts) if texts.is_empty() => f.write_str(NONE),
            Self::Texts(texts) => f.write_str(&texts.join(", ")),
            Self::Count(count) => write!(f, "{count}"),
            Self::Duration(duration) => {
                f.write_str(&literal::duration_text(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
            }
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// A file of records of a relation.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) file: RecordFile,
    /// Where it stands.
    pub(super) origin: Origin,
    /// The same in bytes: the relation's name, that of the file, and those of the columns.
    pub(super) key: Range<usize>,
    pub(super) place: Range<usize>,
    pub(super) column_keys: Vec<Range<usize>>,
}

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.path.display())?;
        self.file.mapping.columns.iter().try_for_each(|(column, field)| write!(f, ", {column} = {field}"))
    }
}

/// Settings by key and parameters by name, each with its origin.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    pub(super) settings: BTreeMap<&'static str, (Content, Origin)>,
    pub(super) params: BTreeMap<String, (Value, Origin)>,
    pub(super) carried: Vec<Carried>,
    pub(super) roles: BTreeMap<String, (Vec<String>, Origin)>,
    pub(super) facts: Vec<Records>,
    #[cfg_attr(not(feature = "server"), allow(dead_code, reason = "only the service reads it"))]
    pub(super) authzen: Option<Authzen>,
    /// What the same table says, a line each.
    pub(super) authzen_lines: Vec<AuthzenLine>,
    pub(super) lints: BTreeMap<Code, (Level, Origin)>,
    /// The masks of `export.mask` in the file, each with its place.
    pub(super) masks: Vec<(String, Range<usize>)>,
    /// What messages call the file, and its text.
    pub(super) file: Option<(String, String)>,
}

/// What an export masks that is no column.
const LABELS: [&str; 2] = ["author", "source"];

/// The value of a setting that takes one text.
///
/// # Errors
/// What was expected.
pub(super) fn one(kind: Kind, text: &str) -> Result<Content, String> {
    match kind {
        Kind::Path if text.is_empty() => Err(String::from("expected a path, found an empty string")),
        Kind::Text | Kind::Path => Ok(Content::Text(text.to_owned())),
        Kind::Duration => duration(text).map(Content::Duration),
        Kind::Engine => match EngineName::from_str(text, false) {
            Ok(_) => Ok(Content::Text(text.to_owned())),
            Err(_) => Err(format!("unknown engine `{text}`; expected {}", engines())),
        },
        Kind::TimeLimit => time_limit(text).map(Content::Duration),
        Kind::Count => limit(text).map(Content::Count),
        Kind::Filter => {
            let parts: Vec<&str> = text.split(',').map(str::trim).collect();
            let filter = parts.join(",");
            if parts.iter().any(|part| names_nothing(part)) || filter.parse::<Targets>().is_err() {
                return Err(format!(
                    "`{text}` is not a filter; expected one such as `info` or `hence_ledger=debug`"
                ));
            }
            Ok(Content::Text(filter))
        }
        Kind::LogFormat => match text {
            "text" | "json" => Ok(Content::Text(text.to_owned())),
            _ => Err(format!("`{text}` is not a log format; expected `text` or `json`")),
        },
        Kind::Flag => {
            text.parse().map(Content::Flag).map_err(|_| format!("`{text}` is neither `true` nor `false`"))
        }
        Kind::Texts | Kind::Paths | Kind::Patterns | Kind::Compiled | Kind::Masks => {
            several(kind, vec![text.to_owned()])
        }
    }
}

/// Whether a part of a filter is one word that is neither a level nor a part of hence, as `inof`: it would log nothing.
fn names_nothing(part: &str) -> bool {
    !part.contains('=') && !part.starts_with("hence") && part.parse::<LevelFilter>().is_err()
}

/// The value of a setting that takes a list.
///
/// # Errors
/// What was expected.
pub(super) fn several(kind: Kind, mut texts: Vec<String>) -> Result<Content, String> {
    if kind == Kind::Patterns {
        for text in &texts {
            pattern::compile(text).map_err(|fault| match fault.help() {
                None => format!("invalid regular expression `{text}`: {fault}"),
                Some(help) => format!("`{text}` is too large: {fault}; {help}"),
            })?;
        }
    }
    if kind == Kind::Masks
        && let Some(mask) = texts.iter().find(|mask| !mask.contains('.') && !LABELS.contains(&mask.as_str()))
    {
        let near = nearest(mask, LABELS).map(|near| format!("; did you mean `{near}`?"));
        let near = near.unwrap_or_default();
        return Err(format!(
            "expected `author`, `source` or a column such as `notify.email`, found `{mask}`{near}"
        ));
    }
    if kind == Kind::Compiled {
        texts.retain(|name| *name != NONE);
        if let Some(name) = texts.iter().find(|name| packs::named(name).is_none()) {
            let known: Vec<String> = packs::all().iter().map(|pack| format!("`{}`", pack.name)).collect();
            let known = known.join(", ");
            return Err(format!("`{name}` is not a pack compiled into this hence; expected {known}"));
        }
    }
    Ok(Content::Texts(texts))
}

fn engines() -> String {
    let names = EngineName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|name| format!("`{}`", name.get_name())).collect::<Vec<_>>().join(", ")
}

/// The parameter that a text stands for: a name, a time, a duration or a quoted string as rules write them, else
/// the text itself.
pub(super) fn parameter(text: &str) -> Value {
    let written = syntax::parse_value(text);
    match written {
        Some(Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::List(_)) | None => {
            Value::String(Symbol::new(text))
        }
        Some(value) => value,
    }
}
