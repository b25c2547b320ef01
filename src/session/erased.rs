//! Personal values in a session: which columns a draft declares, and what rests on values that nobody can read any more,
//! which can't be drawn again and is no difference.

use std::collections::BTreeSet;

use hence_core::schema::Relation;
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::{Draft, Ledger, LedgerError, personal_fact};

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

    /// Whether a decision rests on some of them.
    pub(super) fn reaches(&self, program: &Program, decision: Symbol) -> bool {
        let Some(decision) = program.find(decision).filter(|_| !self.0.is_empty()) else { return false };
        let mut relations = self.0.iter().filter_map(|name| program.find(*name));
        relations.any(|relation| program.dependents(relation).contains(&decision))
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
