//! What the author of an imported transaction brings, for whoever admits it.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;

use super::Line;
use crate::Ledger;
use crate::content::{Act, Summary};
use crate::error::LedgerError;
use crate::hash::Hash;
use crate::list::{ChangeList, ReadChanges};
use crate::said::Said;
use crate::transaction::RecordedRules;

/// What a transaction that is to be imported brings.
pub struct ImportedFacts<'l> {
    /// Its author.
    pub author: &'l str,
    /// Where it says that it comes from.
    pub source: &'l str,
    /// Its clock, or its time where it has none, in microseconds since the epoch.
    pub instant: i64,
    /// The rules that it names.
    pub rules: Option<Hash>,
    /// Their text, where it holds it.
    pub rule_set: Option<RecordedRules>,
    /// Facts that others say than the author.
    pub said: &'l [Said],
    summary: &'l Summary,
    changes: &'l ChangeList<'l>,
}

/// Says whether a transaction is taken; if not, why.
pub type Admit<'a> = &'a mut dyn FnMut(&Ledger, &ImportedFacts<'_>) -> Result<(), String>;

impl<'l> ImportedFacts<'l> {
    pub(super) fn new(
        line: &'l Line<ReadChanges>,
        summary: &'l Summary,
        changes: &'l ChangeList<'l>,
    ) -> Self {
        let set = line.rule_set.as_ref();
        Self {
            author: &line.author,
            source: &line.source,
            instant: line.clock.unwrap_or(line.time),
            rules: summary.rules,
            rule_set: set.map(|rules| RecordedRules::new(rules.files.clone(), rules.params.clone())),
            said: &summary.said,
            summary,
            changes,
        }
    }

    /// The facts of some relations that the author asserted (`true`) and retracted, without what effects did.
    ///
    /// # Errors
    /// A fact can't be read.
    pub fn own(&self, wanted: &dyn Fn(Symbol) -> bool) -> Result<Vec<(Fact, bool)>, LedgerError> {
        let steps = self.summary.steps.iter().flatten().flat_map(|step| &step.changes);
        let steps = steps.filter(|change| wanted(change.fact.relation));
        let mut stepped: BTreeMap<Fact, bool> = steps.map(|one| (one.fact.clone(), one.asserted)).collect();
        let mut own = Vec::new();
        for change in self.changes.iter().filter(|change| wanted(change.relation)) {
            let (fact, asserted) = (change.fact()?, change.act == Act::Assert);
            if (asserted || change.retracts()) && stepped.remove(&fact).is_none() {
                own.push((fact, asserted));
            }
        }
        own.extend(stepped.into_iter().map(|(fact, asserted)| (fact, !asserted)));
        Ok(own)
    }
}
