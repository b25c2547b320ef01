//! What rests on personal values that nobody can read any more: it can't be drawn again, and that is no difference.

use std::collections::BTreeSet;

use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::{Ledger, LedgerError};

/// The relations with facts of which a value was erased, or is under a key that isn't here.
#[derive(Clone, Debug, Default)]
pub(super) struct Unreadable(BTreeSet<Symbol>);

impl Unreadable {
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
