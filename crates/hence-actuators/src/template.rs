//! `assert`: a decision becomes facts by templates such as `ticket(event = event, at = $now)`.

use serde_json::{Map, Value as Json};

use super::carry::{Carrier, Failed, Fate, Order, Report};
use hence_core::json;
use hence_core::value::Value;

/// The name of the carrier.
pub const NAME: &str = "assert";

/// A fact by the columns of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    relation: String,
    columns: Vec<(String, Source)>,
}

/// Where a column's value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// This column of the decision.
    Column(String),
    /// What the carrier knows by this name, and the way to the value in it.
    Given(String, Vec<String>),
}

/// What every carrier knows of a decision: its id and the clock of the rules.
pub(super) fn given(order: &Order<'_>) -> Map<String, Json> {
    let pairs = [("id", Json::from(order.id)), ("now", json::value(Value::Time(order.now)))];
    pairs.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

impl Template {
    /// Reads `relation(column = source, …)`: a source is a column of the decision, `$id` or `$now`.
    ///
    /// # Errors
    /// What was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        Self::with(text, &["id", "now"])
    }

    /// The same where a carrier knows these names, such as `$answer.label`.
    ///
    /// # Errors
    /// What was expected.
    pub fn with(text: &str, known: &[&str]) -> Result<Self, String> {
        let expected =
            || format!("expected a template such as `ticket(event = event, at = $now)`, found `{text}`");
        let inner = text.trim().strip_suffix(')').and_then(|text| text.split_once('('));
        let (relation, columns) = inner.ok_or_else(expected)?;
        let pairs = columns.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let read = |pair: &str| {
            let (column, source) = pair.split_once('=').ok_or_else(expected)?;
            let column = column.trim();
            let source =
                Source::read(source.trim(), known).ok_or_else(|| match source.trim().strip_prefix('$') {
                    Some(name) => {
                        let known: Vec<String> = known.iter().map(|name| format!("`${name}`")).collect();
                        format!("unknown `${name}` in `{text}`; expected {}", known.join(", "))
                    }
                    None => expected(),
                })?;
            if is_word(column) { Ok((column.to_owned(), source)) } else { Err(expected()) }
        };
        let columns = pairs.map(read).collect::<Result<Vec<_>, String>>()?;
        if !is_word(relation.trim()) {
            return Err(expected());
        }
        Ok(Self { relation: relation.trim().to_owned(), columns })
    }

    /// Whether it asks for what a carrier knows by this name.
    pub fn asks_for(&self, name: &str) -> bool {
        self.columns.iter().any(|(_, source)| matches!(source, Source::Given(given, _) if given == name))
    }

    /// The relation.
    pub fn relation(&self) -> &str {
        &self.relation
    }

    /// The columns that it has values for.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(column, _)| column.as_str())
    }

    /// Whether every value is of what is known, and none of a decision.
    pub fn is_given(&self) -> bool {
        self.columns.iter().all(|(_, source)| matches!(source, Source::Given(..)))
    }

    /// The column whose value is `$name.key`.
    pub fn column_of(&self, name: &str, key: &str) -> Option<&str> {
        let is_it = |source: &Source| matches!(source, Source::Given(given, path) if given == name && path.as_slice() == [key]);
        self.columns.iter().find(|(_, source)| is_it(source)).map(|(column, _)| column.as_str())
    }

    /// Each column with its value of what is known; without one where that isn't there.
    pub fn filled(&self, known: &Map<String, Json>) -> Vec<(String, Option<Json>)> {
        let filled = |(column, source): &(String, Source)| (column.clone(), source.of(known).cloned());
        self.columns.iter().map(filled).collect()
    }

    /// The first value that is not among what is known, such as `$context.level`; those of `free` needn't be.
    pub fn missing(&self, known: &Map<String, Json>, free: Option<&str>) -> Option<String> {
        let is_free =
            |source: &Source| matches!(source, Source::Given(name, _) if Some(name.as_str()) == free);
        let needed = self.columns.iter().map(|(_, source)| source).filter(|source| !is_free(source));
        needed.filter(|source| source.of(known).is_none()).map(Source::text).next()
    }

    pub(super) fn line(&self, order: &Order<'_>, known: &Map<String, Json>) -> Result<String, Failed> {
        let mut fields = Map::new();
        for (column, source) in &self.columns {
            fields.insert(column.clone(), source.value(order, known)?);
        }
        let fact = Json::Object(Map::from_iter([(self.relation.clone(), Json::Object(fields))]));
        Ok(format!("{fact}\n"))
    }
}

impl Source {
    fn read(text: &str, known: &[&str]) -> Option<Self> {
        let Some(given) = text.strip_prefix('$') else {
            return is_word(text).then(|| Self::Column(text.to_owned()));
        };
        let mut words = given.split('.').map(str::to_owned);
        let name = words.next().filter(|name| known.contains(&name.as_str()))?;
        let path: Vec<String> = words.collect();
        path.iter().all(|word| is_word(word)).then_some(Self::Given(name, path))
    }

    fn value(&self, order: &Order<'_>, known: &Map<String, Json>) -> Result<Json, Failed> {
        match self {
            Self::Column(name) => {
                let message = || format!("`{}` has no column `{name}`", order.decision.relation);
                let value = order.value(name).map(json::value);
                value.ok_or_else(|| Failed::new(Fate::Refused, message()))
            }
            Self::Given(..) => {
                let missing = || Failed::new(Fate::Undone, format!("there is no `{}`", self.text()));
                self.of(known).cloned().ok_or_else(missing)
            }
        }
    }

    /// The value of what is known.
    fn of<'k>(&self, known: &'k Map<String, Json>) -> Option<&'k Json> {
        match self {
            Self::Column(_) => None,
            Self::Given(name, path) => {
                path.iter().try_fold(known.get(name.as_str())?, |value, word| value.get(word))
            }
        }
    }

    /// As it is written.
    fn text(&self) -> String {
        match self {
            Self::Column(name) => name.clone(),
            Self::Given(name, path) => {
                format!("${}", [std::slice::from_ref(name), path.as_slice()].concat().join("."))
            }
        }
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Makes facts of each decision.
pub struct Assert {
    /// The facts.
    pub templates: Vec<Template>,
}

impl Carrier for Assert {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_outside(&self) -> bool {
        false
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let known = given(order);
        let lines: Result<String, Failed> =
            self.templates.iter().map(|template| template.line(order, &known)).collect();
        Ok(Report { lines: lines?, ..Report::default() })
    }
}
