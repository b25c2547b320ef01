//! `hence.toml`: every key known, every value of its type, every fault with its place.

mod authzen;
mod carry;
mod commands;
mod facts;
mod lints;
mod mcp;
mod model;
mod plan;
mod tools;

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::fault::broken;
use hence_core::file::{self, LARGEST_TEXT};
use hence_core::list;
use hence_core::span::{FileId, Span};
use hence_core::value::{Float, Value};
use hence_session::{Faults, SessionError};
use hence_syntax as syntax;

pub(super) use carry::TIME_LIMIT;

use super::codes::{NOT_TOML, UNKNOWN_KEY, WRONG_VALUE};
use super::settings::{
    ALIAS, AUTHZEN, CARRY, FACTS, Kind, LINTS, MCP, PARAMS, PLAN, ROLES, RUN_COMMAND, SETTINGS, Setting,
    TOOLS,
};
use super::values::{self, Content, Values};
use super::{KIND, Origin, setting, shown};

/// The role of effects.
const RULES: &str = "rules";

/// A file being read.
struct Reading<'a> {
    path: &'a Path,
    file: FileId,
    faults: &'a mut Faults,
    values: Values,
}

/// The settings of the file `path`; what is wrong with it goes to `faults`.
///
/// # Errors
/// The file can't be read.
pub(super) fn read(path: &Path, faults: &mut Faults) -> Result<Values, SessionError> {
    let bytes = file::read(path, LARGEST_TEXT)
        .map_err(|source| SessionError::Read { path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = shown(path).display().to_string();
    let file = faults.sources.add(name.as_str(), text.as_str());
    if let Err(fault) = syntax::decode(file, &bytes) {
        faults.diagnostics.push(*fault);
        return Ok(Values::default());
    }
    let values = Values { file: Some((name, text.clone())), ..Values::default() };
    let mut reading = Reading { path, file, faults, values };
    match DeTable::parse(&text) {
        Ok(table) => reading.root(table.get_ref()),
        Err(error) => {
            let message = format!("invalid TOML: {}", error.message().to_lowercase());
            let place = error.span().unwrap_or_default();
            let fault = Diagnostic::new(NOT_TOML, message).at(reading.span(place.clone()), "");
            let fault = match value_and_table(&text, place) {
                Some(help) => fault.help(help),
                None => fault,
            };
            reading.faults.diagnostics.push(fault);
        }
    }
    Ok(reading.values)
}

/// What mends a second `engine` at `place`, where one of both is a value and the other is a table.
fn value_and_table(text: &str, place: Range<usize>) -> Option<String> {
    let (plain, table) = (ALIAS.1, ALIAS.0.split_once('.')?);
    let after = text.get(place.end..)?.trim_start();
    let before = text.get(..place.start)?.rsplit_once('\n').map_or("", |(before, _)| before);
    let (read, _) = DeTable::parse_recoverable(before);
    let first = read.get_ref().get(plain).filter(|_| text.get(place) == Some(plain))?;
    let is_value = |value: &DeValue<'_>| !matches!(value, DeValue::Table(_));
    let (first, second) = (is_value(first.get_ref()), after.starts_with('='));
    match (first, second) {
        (true, false) => {
            let (table, key) = table;
            Some(format!("omit `{plain} = …` and write `{key} = …` with the same value below `[{table}]`"))
        }
        (false, true) => Some(format!("write `{} = …` in the place of `{plain} = …`", ALIAS.0)),
        _ => None,
    }
}

impl Reading<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        Span::new(self.file, at(range.start), at(range.end))
    }

    fn origin(&self, span: Span) -> Origin {
        let place = self.faults.sources.place(span);
        Origin::File { path: place.file, line: place.line }
    }

    fn root(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            let is_table = SETTINGS.iter().any(|setting| table_of(setting) == Some(name));
            match value.get_ref() {
                DeValue::Table(commands) if name == RUN_COMMAND => self.commands(commands),
                DeValue::Table(carriers) if name == CARRY => self.carriers(carriers),
                DeValue::Table(plan) if name == PLAN => self.plan(key.span(), plan),
                DeValue::Table(tools) if name == TOOLS => self.tools(key.span(), tools),
                DeValue::Table(mcp) if name == MCP => self.mcp(key.span(), mcp),
                DeValue::Table(facts) if name == FACTS => self.facts(facts),
                DeValue::Table(authzen) if name == AUTHZEN => self.authzen(key.span(), authzen),
                DeValue::Table(params) if name == PARAMS => self.params(params),
                DeValue::Table(lints) if name == LINTS => self.lints(lints),
                DeValue::Table(roles) if name == ROLES => self.roles(roles),
                DeValue::Table(inner) if is_table => self.table(name, inner),
                _ if [PARAMS, AUTHZEN, CARRY, RUN_COMMAND, PLAN, TOOLS, MCP, ROLES, FACTS, LINTS]
                    .contains(&name)
                    || (is_table && setting(name).is_none()) =>
                {
                    let message = format!("`{name}` is a table; expected `[{name}]` and its keys below");
                    self.wrong(value.span(), message);
                }
                _ => self.setting(name, "", key, value),
            }
        }
    }

    fn table(&mut self, table: &str, inner: &DeTable<'_>) {
        for (key, value) in inner {
            let name = format!("{table}.{}", key.get_ref());
            let (alias, plain) = ALIAS;
            self.setting(if name == alias { plain } else { &name }, table, key, value);
        }
    }

    fn setting(
        &mut self,
        name: &str,
        table: &str,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let Some(setting) = setting(name) else {
            return self.unknown(name, name, key.span(), known(table));
        };
        match content(setting.kind, value.get_ref()) {
            Ok(content) => {
                let content = self.located(setting.kind, content);
                let origin = self.origin(self.span(key.span()));
                self.values.settings.insert(setting.key, (content, origin));
                if setting.kind == Kind::Masks {
                    let items = value.get_ref().as_array().into_iter().flatten();
                    let mask = |item: &Spanned<DeValue<'_>>| {
                        Some((item.get_ref().as_str()?.to_owned(), item.span()))
                    };
                    self.values.masks = items.filter_map(mask).collect();
                }
            }
            Err(what) => self.wrong(value.span(), format!("`{name}`: {what}")),
        }
    }

    /// Paths of the file lie beside it.
    fn located(&self, kind: Kind, content: Content) -> Content {
        let folder = self.path.parent().unwrap_or(self.path);
        let locate = |text: &String| shown(&folder.join(text)).display().to_string();
        match content {
            // No folder, but the ledger in memory.
            Content::Text(text) if kind == Kind::Path && text != ":memory:" => Content::Text(locate(&text)),
            Content::Texts(texts) if kind == Kind::Paths => {
                Content::Texts(texts.iter().map(locate).collect())
            }
            other => other,
        }
    }

    fn params(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = key.get_ref().to_string();
            match parameter(value.get_ref()) {
                Ok(found) => {
                    let origin = self.origin(self.span(key.span()));
                    self.values.params.insert(name, (found, origin));
                }
                Err(what) => self.wrong(value.span(), format!("`{PARAMS}.{name}`: {what}")),
            }
        }
    }

    /// Who has which role.
    fn roles(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = key.get_ref().to_string();
            if name == RULES {
                self.wrong(key.span(), format!("`{ROLES}.{name}`: no person has the role of the rules"));
                continue;
            }
            match content(Kind::Texts, value.get_ref()) {
                Ok(Content::Texts(names)) => {
                    let origin = self.origin(self.span(key.span()));
                    self.values.roles.insert(name, (names, origin));
                }
                Ok(_) => broken("a list of texts is read as one"),
                Err(what) => self.wrong(value.span(), format!("`{ROLES}.{name}`: {what}")),
            }
        }
    }

    fn wrong(&mut self, range: Range<usize>, message: String) {
        let span = self.span(range);
        self.faults.diagnostics.push(Diagnostic::new(WRONG_VALUE, message).at(span, ""));
    }

    /// Something called `name`, which messages call `path`, stands where only these are `known`.
    fn unknown(&mut self, name: &str, path: &str, range: Range<usize>, known: Vec<&str>) {
        let span = self.span(range);
        let mut fault = Diagnostic::new(UNKNOWN_KEY, format!("unknown setting `{path}`")).at(span, "");
        let is_of_file =
            |key: &&str| SETTINGS.iter().any(|setting| setting.key == *key && table_of(setting).is_none());
        let of_file = path.split_once('.').map(|(_, key)| key).filter(is_of_file);
        fault = match (of_file, nearest(name, known.iter().copied())) {
            (Some(key), _) => {
                fault.help(format!("`{key}` belongs to no table: put its line above the first table"))
            }
            (None, Some(near)) => fault.help(format!("did you mean `{near}`?")),
            (None, None) => {
                let mut known = known;
                known.dedup();
                fault.note(format!("expected {}", known.join(", ")))
            }
        };
        self.faults.diagnostics.push(fault);
    }
}

/// What may stand in a table, or in none.
fn known(table: &str) -> Vec<&'static str> {
    let name = |setting: &'static Setting| match table {
        "" => table_of(setting).unwrap_or(setting.key),
        _ => setting.key,
    };
    let inside = SETTINGS.iter().filter(|setting| table.is_empty() || table_of(setting) == Some(table));
    let tables = [PARAMS, ROLES, AUTHZEN, CARRY, RUN_COMMAND, PLAN, TOOLS, MCP, FACTS, LINTS]
        .into_iter()
        .filter(|_| table.is_empty());
    inside.map(name).chain(tables).chain([ALIAS.0].into_iter().filter(|_| table == ALIAS.1)).collect()
}

/// The table in which a setting stands.
fn table_of(setting: &Setting) -> Option<&'static str> {
    setting.key.split_once('.').map(|(table, _)| table)
}

fn content(kind: Kind, value: &DeValue<'_>) -> Result<Content, String> {
    let expected = match kind {
        Kind::Text | Kind::Path | Kind::Engine | Kind::Filter | Kind::LogFormat => "a string",
        Kind::Texts | Kind::Paths | Kind::Patterns | Kind::Compiled | Kind::Masks => "a list of strings",
        Kind::Count => "an int of at least 1",
        Kind::Duration | Kind::TimeLimit => "a duration as a string, such as \"5s\"",
        Kind::Flag => "`true` or `false`",
    };
    let otherwise = || format!("expected {expected}, found {}", found(value));
    match (kind, value) {
        (
            Kind::Texts | Kind::Paths | Kind::Patterns | Kind::Compiled | Kind::Masks,
            DeValue::Array(items),
        ) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
            values::several(kind, texts.ok_or_else(otherwise)?)
        }
        (Kind::Count, DeValue::Integer(_)) => integer(value)
            .and_then(|count| u64::try_from(count).ok().filter(|count| *count > 0))
            .map(Content::Count)
            .ok_or_else(otherwise),
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Content::Flag(*flag)),
        (
            Kind::Text
            | Kind::Path
            | Kind::Engine
            | Kind::Duration
            | Kind::TimeLimit
            | Kind::Filter
            | Kind::LogFormat,
            DeValue::String(text),
        ) => values::one(kind, text),
        _ => Err(otherwise()),
    }
}

fn parameter(value: &DeValue<'_>) -> Result<Value, String> {
    let otherwise = || {
        format!(
            "expected a 64-bit int, a finite float, a bool, a string or a list of them, found {}",
            found(value)
        )
    };
    match value {
        DeValue::Integer(_) => integer(value).map(Value::Int).ok_or_else(otherwise),
        DeValue::Float(float) => {
            let number = float.as_str().replace('_', "").parse().ok();
            number.and_then(Float::new).map(Value::Float).ok_or_else(otherwise)
        }
        DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        DeValue::String(text) => Ok(values::parameter(text)),
        DeValue::Array(elements) => {
            let scalar = |element: &Spanned<DeValue<'_>>| match element.get_ref() {
                DeValue::Array(_) => Err(String::from("a list has no lists in it")),
                element => parameter(element),
            };
            elements.iter().map(scalar).collect::<Result<Vec<_>, _>>().map(list::of)
        }
        _ => Err(otherwise()),
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}

/// What stands there, for a message.
fn found(value: &DeValue<'_>) -> String {
    let kind = match value {
        DeValue::Integer(int) => return format!("`{}`", int.as_str()),
        DeValue::Float(float) => return format!("`{}`", float.as_str()),
        DeValue::Boolean(flag) => return format!("`{flag}`"),
        DeValue::String(_) => "a string",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    kind.to_owned()
}
