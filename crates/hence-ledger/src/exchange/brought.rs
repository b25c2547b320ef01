//! What the author of an imported transaction brings, for whoever admits it.

use std::collections::BTreeMap;

use hence_core::fact::Fact;

use super::{Line, change};
use crate::Ledger;
use crate::bytes::Malformed;
use crate::content::{Act, Summary};
use crate::hash::Hash;
use crate::said::Said;
use crate::transaction::RuleSet;

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
    pub rule_set: Option<RuleSet>,
    /// Facts that others say than the author.
    pub said: Vec<Said>,
    /// The facts that the author asserted (`true`) and retracted, without what effects did.
    pub own: Vec<(Fact, bool)>,
}

/// Says whether a transaction is taken; if not, why.
pub type Admit<'a> = &'a mut dyn FnMut(&Ledger, &ImportedFacts<'_>) -> Result<(), String>;

pub(super) fn imported_facts<'l>(line: &'l Line, summary: &Summary) -> Result<ImportedFacts<'l>, Malformed> {
    let steps = summary.steps.iter().flatten().flat_map(|step| &step.changes);
    let mut stepped: BTreeMap<Fact, bool> = steps.map(|one| (one.fact.clone(), one.asserted)).collect();
    let mut own = Vec::new();
    for entry in &line.changes {
        let (fact, act) = change(entry)?;
        let asserted = act == Act::Assert;
        if (asserted || matches!(act, Act::Retract { .. })) && stepped.remove(&fact).is_none() {
            own.push((fact, asserted));
        }
    }
    own.extend(stepped.into_iter().map(|(fact, asserted)| (fact, !asserted)));
    let set = line.rule_set.as_ref();
    let rule_set = set.map(|rules| RuleSet::new(rules.files.clone(), rules.params.clone()));
    let instant = line.clock.unwrap_or(line.time);
    Ok(ImportedFacts {
        author: &line.author,
        source: &line.source,
        instant,
        rules: summary.rules,
        rule_set,
        said: summary.said.clone(),
        own,
    })
}
