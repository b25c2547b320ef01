//! What a stream has said of undefined operations and of the decisions that they leave undetermined.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::CommitOutcome;

use super::output;

/// A decision that is undetermined: its relation and its values, as far as they are known.
type Row = (Symbol, Vec<Option<Value>>);

/// Each undetermined decision is told when it begins to be one and when it ends, each report when it is new.
#[derive(Default)]
pub(super) struct Told {
    rows: BTreeSet<Row>,
    reports: BTreeSet<String>,
}

impl Told {
    /// Whether other decisions are undetermined than were told.
    pub(super) fn differs(&self, decided: &CommitOutcome) -> bool {
        rows(decided) != self.rows
    }

    /// A line for each decision that is undetermined from now on, and for each that no longer is.
    pub(super) fn lines(&mut self, decided: &CommitOutcome) -> Vec<Json> {
        let now = rows(decided);
        let begun = now.difference(&self.rows).map(|row| line("undetermined", row));
        let ended = self.rows.difference(&now).map(|row| line("determined", row));
        let lines = begun.chain(ended).collect();
        self.rows = now;
        lines
    }

    /// The reports that the transaction before didn't have.
    pub(super) fn fresh(&mut self, decided: &CommitOutcome) -> Vec<String> {
        let now: BTreeSet<String> = decided.reports.iter().cloned().collect();
        let is_fresh = |report: &&String| !self.reports.contains(*report);
        let fresh = decided.reports.iter().filter(is_fresh).cloned().collect();
        self.reports = now;
        fresh
    }
}

fn rows(decided: &CommitOutcome) -> BTreeSet<Row> {
    decided.undetermined.iter().map(|row| (row.relation, row.args.clone())).collect()
}

fn line(change: &str, (relation, values): &Row) -> Json {
    json!({ "change": change, "relation": relation.as_str(), "values": output::open_values(values) })
}
