//! The lines that `hence decide --follow` and a service write about what came and went.

use hence_core::fact::Fact;
use hence_core::json::Plain;
use hence_session::DecisionId;
use serde::Serialize;

/// A line about a decision that came or went.
#[derive(Serialize)]
pub(super) struct ChangeLine<'a> {
    pub(super) change: &'a str,
    pub(super) id: Option<String>,
    pub(super) relation: &'a str,
    pub(super) values: Vec<Plain>,
    pub(super) rule: Option<&'a str>,
    pub(super) because: Option<&'a str>,
    /// Which carrier carried it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<&'a str>,
    /// How many facts that carrier asserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) asserted: Option<usize>,
    /// In which step of the effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<usize>,
}

impl<'a> ChangeLine<'a> {
    pub(super) fn of(change: &'a str, id: Option<DecisionId>, fact: &'a Fact) -> Self {
        Self {
            change,
            id: id.map(|id| id.to_string()),
            relation: fact.relation.as_str(),
            values: fact.values.iter().copied().map(Plain).collect(),
            rule: None,
            because: None,
            by: None,
            asserted: None,
            step: None,
        }
    }
}

/// A line about what became of a line of input, or of an instant.
#[derive(Serialize)]
pub(super) struct EndLine {
    pub(super) change: &'static str,
    pub(super) line: Option<u64>,
    pub(super) tx: Option<u64>,
    pub(super) asserted: usize,
    pub(super) retracted: usize,
    pub(super) drawn: usize,
    pub(super) lapsed: usize,
    pub(super) standing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) now: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undetermined: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reports: Vec<String>,
}
