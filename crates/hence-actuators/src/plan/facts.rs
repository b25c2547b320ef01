//! What the carrier reads of the rules, and the lines in which it states what it did.

use serde_json::{Map, Value as Json, json};

use hence_core::fact::Fact;
use hence_core::json;
use hence_core::value::Value;

use super::super::carry::{Failed, Fate, Order};
use super::Work;

/// How much of a text is kept as a fact, in characters.
pub(super) const KEPT: usize = 4_000;

/// A row by its columns.
pub(super) type Row = Map<String, Json>;

/// A fact as a line.
pub(super) fn line(relation: &str, values: &Json) -> String {
    format!("{}\n", json!({ relation: values }))
}

/// The lines of facts in the columns of the shipped packs.
pub(in super::super) fn lines(facts: &[Fact]) -> String {
    facts.iter().map(|fact| format!("{}\n", json::line(fact))).collect()
}

/// The beginning of a text.
pub(in super::super) fn cut(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

impl Work<'_> {
    /// The rows of a relation in which these columns have these values.
    pub(super) fn rows(&self, relation: &str, wanted: &[(&str, Json)]) -> Result<Vec<Row>, Failed> {
        let rows = self.order.world.rows(relation).map_err(|why| {
            Failed::new(Fate::Refused, format!("`{relation}` of the pack `loop` can't be read: {why}"))
        })?;
        let fits = |row: &Row| wanted.iter().all(|(column, value)| row.get(*column) == Some(value));
        let objects = rows.objects().into_iter().filter_map(|row| match row {
            Json::Object(row) => Some(row),
            _ => None,
        });
        Ok(objects.filter(fits).collect())
    }

    /// The facts of an error: that it is one, its signals, and its text as far as it is kept.
    pub(super) fn error(&self, error: &str, text: &str) -> String {
        let kept = line("failure_text", &json!({ "error": error, "text": cut(text) }));
        format!("{}{kept}", lines(&self.place.plan.errors.facts(error, text)))
    }
}

/// A column of a decision.
pub(super) fn column(order: &Order<'_>, column: &str) -> Result<Value, Failed> {
    let message = || format!("`{}` has no column `{column}`", order.decision.relation);
    order.value(column).ok_or_else(|| Failed::new(Fate::Refused, message()))
}

/// A text in a row.
pub(super) fn text<'r>(row: &'r Row, column: &str) -> Option<&'r str> {
    row.get(column)?.as_str()
}
