//! What a transaction may hold, whoever brings it: names that the language has, texts of bounded length, decisions
//! together with the rules that drew them.

use std::collections::BTreeSet;

use hence_core::literal::is_identifier;
use hence_core::symbol::Symbol;

use super::Ledger;
use super::bytes::{Malformed, Reader};
use super::content::{Act, Change, Summary, decode_changes};
use super::error::LedgerError;
use super::keys;
use super::list::ChangeList;
use super::reserved::is_relation;
use super::rows::Rows;
use super::scan::Whole;
use super::transaction::{Run, RunLimits, Schema};
use super::tuple;

/// The longest author, source, note, rule id and reason.
const LABEL_LIMIT: usize = 1 << 16;
/// The longest sentence of a decision.
const SENTENCE_LIMIT: usize = 1 << 20;
/// The longest rule set.
const RULES_LIMIT: usize = 256 << 20;

/// Checks a transaction before it is written.
pub(super) fn check(changes: &ChangeList<'_>, summary: &Summary) -> Result<(), LedgerError> {
    let note = summary.note.as_deref().unwrap_or("");
    let rules = summary.rule_text.as_deref().map_or(0, <[u8]>::len);
    bounded("the author", summary.author.len(), LABEL_LIMIT)?;
    bounded("the source", summary.source.len(), LABEL_LIMIT)?;
    bounded("the note", note.len(), LABEL_LIMIT)?;
    bounded("the rule set", rules, RULES_LIMIT)?;
    summary.schemas.iter().try_for_each(check_schema)?;
    if let Some(what) = summary.run.as_ref().and_then(barred) {
        return Err(LedgerError::Misfit { what });
    }
    check_steps(summary)?;
    let mut last = None;
    for change in changes.iter() {
        if last != Some(change.relation) {
            last = Some(change.relation);
            named(change.relation)?;
        }
        check_decision(&change, summary)?;
    }
    Ok(())
}

fn check_steps(summary: &Summary) -> Result<(), LedgerError> {
    let Some(steps) = &summary.steps else { return Ok(()) };
    if let Some(what) = lawless_steps(summary) {
        return Err(LedgerError::Misfit { what });
    }
    for change in steps.iter().flat_map(|step| &step.changes) {
        named(change.fact.relation)?;
        bounded("the rule of an effect", change.rule.len(), LABEL_LIMIT)?;
        bounded("the sentence of an effect", change.sentence.as_deref().map_or(0, str::len), SENTENCE_LIMIT)?;
    }
    Ok(())
}

/// Steps that no transaction can have: without rules that did them, or empty ones.
fn lawless_steps(summary: &Summary) -> Option<String> {
    let steps = summary.steps.as_ref()?;
    if summary.rules.is_none() {
        return Some(String::from("steps in a transaction without a rule set"));
    }
    steps.iter().any(|step| step.changes.is_empty()).then(|| String::from("a step that changes nothing"))
}

/// What no run can have been: one that was allowed nothing.
fn barred(run: &Run) -> Option<String> {
    let RunLimits { facts, iterations, time, memory } = run.limits;
    let limits = [("facts", Some(facts)), ("rounds", Some(iterations)), ("time", time), ("memory", memory)];
    if run.engine.is_empty() {
        return Some(String::from("a run without an engine"));
    }
    if run.zones.as_ref().is_some_and(|zones| zones.is_empty() || zones.len() > LABEL_LIMIT) {
        return Some(String::from("a run with a time zone database of no version"));
    }
    let none = limits.into_iter().find(|(_, limit)| *limit == Some(0));
    none.map(|(what, _)| format!("a run with a limit of 0 on {what}"))
}

fn check_schema(schema: &Schema) -> Result<(), LedgerError> {
    named(schema.relation)?;
    let misnamed_column = schema.columns.iter().find(|column| !is_identifier(column.name.as_str()));
    misnamed_column.map_or(Ok(()), |column| Err(LedgerError::Misfit { what: misnamed(column.name) }))
}

fn check_decision(change: &Change<'_>, summary: &Summary) -> Result<(), LedgerError> {
    match change.act {
        Act::Assert | Act::Retract { .. } => return Ok(()),
        Act::Draw { rule, sentence } => {
            bounded("the rule of a decision", rule.map_or(0, str::len), LABEL_LIMIT)?;
            bounded("the sentence of a decision", sentence.map_or(0, str::len), SENTENCE_LIMIT)?;
        }
        Act::Lapse { reason, .. } => {
            bounded("the reason of a lapse", reason.map_or(0, str::len), LABEL_LIMIT)?;
        }
    }
    if summary.rules.is_some() {
        return Ok(());
    }
    Err(LedgerError::Misfit { what: without_rules(change) })
}

fn without_rules(change: &Change<'_>) -> String {
    let how = if matches!(change.act, Act::Draw { .. }) { "is drawn" } else { "lapses" };
    format!("a decision `{}` {how} in a transaction without a rule set", change.relation)
}

fn bounded(what: &'static str, len: usize, limit: usize) -> Result<(), LedgerError> {
    if len <= limit { Ok(()) } else { Err(LedgerError::TooLarge { what, limit: limit as u64 }) }
}

fn named(name: Symbol) -> Result<(), LedgerError> {
    if is_relation(name) { Ok(()) } else { Err(LedgerError::Misfit { what: misnamed(name) }) }
}

fn misnamed(name: Symbol) -> String {
    format!("`{}` is not the name of a relation or column", name.as_str().escape_debug())
}

/// What a transaction of the journal holds that none may: its hashes show that nobody changed it since it was written,
/// but not that hence wrote it.
pub(super) fn faults(whole: &Whole) -> Result<Vec<String>, Malformed> {
    let Some((commit, parts)) = whole.contents.split_last() else { return Ok(Vec::new()) };
    let mut faults = BTreeSet::new();
    let mut commit = Reader::new(commit);
    let summary = Summary::decode(&mut commit)?;
    let relations = summary.schemas.iter().map(|schema| schema.relation);
    faults.extend(relations.filter(|name| !is_relation(*name)).map(misnamed));
    let columns = summary.schemas.iter().flat_map(|schema| schema.columns.iter().map(|column| column.name));
    faults.extend(columns.filter(|name| !is_identifier(name.as_str())).map(misnamed));
    faults.extend(summary.run.as_ref().and_then(barred));
    faults.extend(lawless_steps(&summary));
    let stepped = summary.steps.iter().flatten().flat_map(|step| &step.changes);
    let stepped = stepped.map(|change| change.fact.relation);
    faults.extend(stepped.filter(|name| !is_identifier(name.as_str())).map(misnamed));
    let mut last = None;
    let mut look = |change: Change<'_>| {
        if last != Some(change.relation) && !is_relation(change.relation) {
            faults.insert(misnamed(change.relation));
        }
        last = Some(change.relation);
        if summary.rules.is_none() && matches!(change.act, Act::Draw { .. } | Act::Lapse { .. }) {
            faults.insert(without_rules(&change));
        }
    };
    for part in parts {
        decode_changes(&mut Reader::new(part), &mut look)?;
    }
    decode_changes(&mut commit, &mut look)?;
    Ok(faults.into_iter().map(|fault| format!("transaction {}: {fault}", whole.number)).collect())
}

impl Ledger {
    /// Checks that what an imported transaction asserts of a relation is of the types that its other facts have.
    /// Where columns are recorded for a relation, those say what fits.
    pub(super) fn check_types(&self, changes: &ChangeList<'_>, summary: &Summary) -> Result<(), LedgerError> {
        let mut known: Option<(Symbol, Vec<&str>)> = None;
        let mut recorded = None;
        for change in changes.iter().filter(|change| change.act == Act::Assert) {
            let relation = change.relation;
            if recorded == Some(relation) {
                continue;
            }
            let is_new = known.as_ref().is_none_or(|(last, _)| *last != relation);
            if is_new && self.has_schema(relation, summary) {
                recorded = Some(relation);
                continue;
            }
            let types = types(change.tuple)?;
            match &known {
                Some((_, due)) if !is_new => fitting(relation, due, &types)?,
                _ => {
                    if let Some(due) = self.current_types(relation, changes)? {
                        fitting(relation, &due, &types)?;
                    }
                    known = Some((relation, types));
                }
            }
        }
        Ok(())
    }

    fn has_schema(&self, relation: Symbol, summary: &Summary) -> bool {
        summary.schemas.iter().any(|schema| schema.relation == relation)
            || self.state.schemas.at(relation, self.state.tx).is_some()
    }

    /// The types of a fact of `relation` that is kept.
    fn current_types(
        &self,
        relation: Symbol,
        changes: &ChangeList<'_>,
    ) -> Result<Option<Vec<&'static str>>, LedgerError> {
        let Some(counts) = self.state.relations.get(&relation) else { return Ok(None) };
        let goes =
            |change: &Change<'_>| change.relation == relation && matches!(change.act, Act::Retract { .. });
        if counts.facts == changes.iter().filter(goes).count() as u64 {
            return Ok(None);
        }
        let mut rows = Rows::new(&self.view, &keys::relation(keys::FACT, counts.number), None);
        match rows.next() {
            Some(row) => Ok(Some(types(&row?.tuple)?)),
            None => Ok(None),
        }
    }
}

fn types(tuple: &[u8]) -> Result<Vec<&'static str>, Malformed> {
    Ok(tuple::decode(tuple)?.into_iter().map(|value| value.ty().keyword()).collect())
}

fn fitting(relation: Symbol, due: &[&str], found: &[&str]) -> Result<(), LedgerError> {
    if due == found {
        return Ok(());
    }
    let (due, found) = (due.join(", "), found.join(", "));
    let what = format!("a fact `{relation}({found})` doesn't match the recorded columns `{relation}({due})`");
    Err(LedgerError::Misfit { what })
}
