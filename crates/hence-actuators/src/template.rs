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
    /// The decision's id.
    Id,
    /// The clock of the rules.
    Now,
}

impl Template {
    /// Reads `relation(column = source, …)`: a source is a column of the decision, `$id` or `$now`.
    ///
    /// # Errors
    /// What was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let expected =
            || format!("expected a template such as `ticket(event = event, at = $now)`, found `{text}`");
        let inner = text.trim().strip_suffix(')').and_then(|text| text.split_once('('));
        let (relation, columns) = inner.ok_or_else(expected)?;
        let pairs = columns.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let read = |pair: &str| {
            let (column, source) = pair.split_once('=')?;
            let source = match source.trim() {
                "$id" => Source::Id,
                "$now" => Source::Now,
                column if is_word(column) => Source::Column(column.to_owned()),
                _ => return None,
            };
            Some((column.trim().to_owned(), source)).filter(|(column, _)| is_word(column))
        };
        let columns: Option<Vec<_>> = pairs.map(read).collect();
        let columns = columns.filter(|_| is_word(relation.trim())).ok_or_else(expected)?;
        Ok(Self { relation: relation.trim().to_owned(), columns })
    }

    fn line(&self, order: &Order<'_>) -> Result<String, Failed> {
        let mut fields = Map::new();
        for (column, source) in &self.columns {
            fields.insert(column.clone(), source.value(order)?);
        }
        let fact = Json::Object(Map::from_iter([(self.relation.clone(), Json::Object(fields))]));
        Ok(format!("{fact}\n"))
    }
}

impl Source {
    fn value(&self, order: &Order<'_>) -> Result<Json, Failed> {
        let name = match self {
            Self::Id => return Ok(Json::from(order.id)),
            Self::Now => return Ok(json::value(Value::Time(order.now))),
            Self::Column(name) => name,
        };
        let at = order.columns.iter().position(|column| column == name);
        let value = at.and_then(|at| order.decision.values.get(at));
        let message = || format!("`{}` has no column `{name}`", order.decision.relation);
        value.map(|value| json::value(*value)).ok_or_else(|| Failed::new(Fate::Refused, message()))
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
        let lines: Result<String, Failed> =
            self.templates.iter().map(|template| template.line(order)).collect();
        Ok(Report { lines: lines?, ..Report::default() })
    }
}
