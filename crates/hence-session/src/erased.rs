//! Personal values in a session: which columns a draft declares, and what rests on values that nobody can read any more,
//! which can't be drawn again and is no difference.

mod open;

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::schema::Relation;
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::{Draft, Ledger, LedgerError, StepChange, TxInfo, personal_fact};

use super::RuleSet;
use super::error::SessionError;
use super::history::History;

pub(super) use open::{Open, known};

/// The relations with facts of which a value was erased, or is under a key that isn't here.
#[derive(Clone, Debug, Default)]
pub(super) struct Unreadable(BTreeSet<Symbol>);

impl Unreadable {
    /// Those of the facts that stand before the transaction `first`: what went with segments that are gone, or is not
    /// drawn again, leaves its facts behind.
    pub(super) fn before(ledger: &Ledger, first: u64) -> Result<Self, LedgerError> {
        let mut found = Self::default();
        if first > 1 {
            for relation in ledger.personal()?.keys() {
                found.0.extend(ledger.had_unreadable(*relation, Some(first - 1))?.then_some(*relation));
            }
        }
        Ok(found)
    }

    /// Takes in what a transaction changes.
    pub(super) fn take(&mut self, ledger: &Ledger, tx: u64) -> Result<(), LedgerError> {
        if !ledger.personal()?.is_empty() {
            self.0.extend(ledger.unreadable_relations(tx)?);
        }
        Ok(())
    }

    /// Whether a decision could rest on some of them, by the relations that its rules read.
    pub(super) fn reaches(&self, program: &Program, decision: Symbol) -> bool {
        let Some(decision) = program.find(decision).filter(|_| !self.0.is_empty()) else { return false };
        let mut relations = self.0.iter().filter_map(|name| program.find(*name));
        relations.any(|relation| program.dependents(relation).contains(&decision))
    }

    /// Takes out the decisions that follow after a transaction possibly and not certainly, since they rest on some of them.
    pub(super) fn leave_out(
        &self,
        history: &History<'_>,
        rules: &RuleSet,
        (info, clock): (&TxInfo, i64),
        decisions: &mut Vec<Fact>,
    ) -> Result<(), SessionError> {
        if !decisions.iter().any(|decision| self.reaches(&rules.program, decision.relation)) {
            return Ok(());
        }
        let open = Open::of(history, rules, (info, clock), None)?;
        decisions.retain(|decision| !open.may_follow(decision));
        Ok(())
    }

    /// Whether an effect may take place in a step as it is told, by some values that can't be read.
    pub(super) fn may_take_place(
        &self,
        history: &History<'_>,
        rules: &RuleSet,
        moment: (&TxInfo, i64),
        (number, change): (u64, &StepChange),
    ) -> Result<bool, SessionError> {
        let checked = &rules.checked;
        let told = (change.rule.as_str(), change.sentence.as_deref());
        for effect in checked.effects.iter().filter(|effect| effect.retracts != change.asserted) {
            let relation = &checked[effect.relation];
            let is_it = checked.rules.get(effect.rule).is_some_and(|rule| rule.id.as_str() == change.rule)
                && checked[effect.input].name == change.fact.relation;
            if !is_it || !self.reaches(&rules.program, relation.name) {
                continue;
            }
            let mut values = vec![None; relation.columns.len()];
            for (own, value) in effect.columns.iter().zip(&change.fact.values) {
                if let Some(held) = own.and_then(|own| values.get_mut(own)) {
                    *held = Some(*value);
                }
            }
            let open = Open::of(history, rules, moment, Some(number))?;
            if open.may_explain(rules, (relation.name, &values), told)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Adds to a draft the personal columns that the ledger doesn't know, before any fact of them is recorded.
pub(super) fn declare_personal(
    ledger: &Ledger,
    program: &Program,
    draft: &mut Draft,
) -> Result<(), LedgerError> {
    let personal = || program.relations.iter().filter(|relation| !relation.personal.is_empty());
    if personal().next().is_none() {
        return Ok(());
    }
    let known = ledger.personal()?;
    let held: BTreeSet<Symbol> = ledger.all_relations().collect();
    let brought: BTreeSet<Symbol> = draft.assertions.iter().map(|fact| fact.relation).collect();
    let matters = |relation: &Relation| held.contains(&relation.name) || brought.contains(&relation.name);
    if known.is_empty() && !personal().any(matters) {
        return Ok(());
    }
    for relation in personal() {
        let recorded = known.get(&relation.name).map_or(&[][..], Vec::as_slice);
        let news = relation.personal.iter().filter(|personal| !recorded.contains(personal));
        draft.assertions.extend(news.map(|personal| personal_fact(relation.name, *personal)));
    }
    Ok(())
}
