//! Which relations a transaction changed, without its facts.

use std::collections::BTreeSet;

use hence_core::symbol::Symbol;

use super::Ledger;
use super::content::{Act, each_change};
use super::error::LedgerError;

impl Ledger {
    /// The relations of which facts came or went with a transaction.
    ///
    /// # Errors
    /// As [`Ledger::transaction`].
    pub fn changed_relations(&self, tx: u64) -> Result<BTreeSet<Symbol>, LedgerError> {
        let (whole, mut changed) = (self.whole(tx)?, BTreeSet::new());
        each_change(&whole.contents, &mut |change| {
            if matches!(change.act, Act::Assert | Act::Retract { .. }) {
                changed.insert(change.relation);
            }
        })?;
        Ok(changed)
    }
}
