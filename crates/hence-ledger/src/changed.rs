//! Which relations a transaction changed, without its facts.

use std::collections::BTreeSet;

use hence_core::symbol::Symbol;

use super::Ledger;
use super::bytes::Reader;
use super::content::{Act, Summary, decode_changes};
use super::error::LedgerError;

impl Ledger {
    /// The relations of which facts came or went with a transaction.
    ///
    /// # Errors
    /// As [`Ledger::transaction`].
    pub fn changed_relations(&self, tx: u64) -> Result<BTreeSet<Symbol>, LedgerError> {
        let (whole, mut changed) = (self.whole(tx)?, BTreeSet::new());
        for (at, content) in whole.contents.iter().enumerate() {
            let mut reader = Reader::new(content);
            if at + 1 == whole.contents.len() {
                Summary::decode(&mut reader)?;
            }
            decode_changes(&mut reader, &mut |change| {
                if matches!(change.act, Act::Assert | Act::Retract { .. }) {
                    changed.insert(change.relation);
                }
            })?;
        }
        Ok(changed)
    }
}
