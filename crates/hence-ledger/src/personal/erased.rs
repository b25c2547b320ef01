//! Keys that were destroyed: which they are, what was under them, and destroying those that are recorded.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;

use super::{ERASED, PERSONAL, ring};
use crate::Ledger;
use crate::content::{Act, each_change};
use crate::error::LedgerError;
use crate::scan::From;
use crate::tuple;

impl Ledger {
    /// The keys that were destroyed, by id.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn erased_keys(&self) -> Result<BTreeSet<String>, LedgerError> {
        let mut erased = self.vault.erased_later.clone();
        for fact in self.facts(Symbol::new(ERASED)) {
            erased.extend(fact?.0.values.first().map(|value| value.text()));
        }
        Ok(erased)
    }

    /// Learns which keys transactions after `from` record as destroyed: their values are erased for whoever reads only up
    /// to there too, though a process that was killed left the keys.
    pub(crate) fn learn_erased(&mut self, from: From) {
        if self.state.number(Symbol::new(PERSONAL)).is_none() {
            return;
        }
        let mut later = BTreeSet::new();
        // Where the journal is damaged, whoever reads only up to there wants no more of it.
        let _ = self.journal.scan(from, &mut |whole| {
            each_change(&whole.contents, &mut |change| {
                if change.relation.as_str() == ERASED && change.act == Act::Assert {
                    let values = tuple::decode(change.tuple).ok();
                    later.extend(values.iter().flatten().next().map(|value| value.text()));
                }
            })?;
            Ok(true)
        });
        self.vault.erased_later = later;
    }

    /// How many keys were destroyed.
    pub fn erased_count(&self) -> u64 {
        self.state.relations.get(&Symbol::new(ERASED)).map_or(0, |counts| counts.facts)
    }

    /// Whether a fact has a personal value that is under one of these keys, or would be.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn is_under_key(&self, fact: &Fact, keys: &BTreeSet<String>) -> Result<bool, LedgerError> {
        if keys.is_empty() {
            return Ok(false);
        }
        let is_under = |fact: &Fact| {
            fact.values.iter().any(|value| ring::key_of(&value.text()).is_some_and(|id| keys.contains(id)))
        };
        Ok(is_under(fact) || is_under(self.sealed(fact)?.as_ref()))
    }

    /// Destroys the keys that are recorded as erased; how many there were.
    ///
    /// # Errors
    /// If the keys can't be read or written.
    pub fn destroy_erased(&self) -> Result<usize, LedgerError> {
        if !self.writable || self.state.number(Symbol::new(ERASED)).is_none() {
            return Ok(0);
        }
        let erased = self.erased_keys()?;
        self.with_ring(|ring| ring.destroy(self.vault.path.as_deref(), erased))
    }

    /// The relations of which a transaction changed facts whose keys are destroyed, or not here.
    ///
    /// # Errors
    /// As [`Ledger::transaction`].
    pub fn unreadable_relations(&self, tx: u64) -> Result<BTreeSet<Symbol>, LedgerError> {
        let (whole, mut found, mut failed) = (self.whole(tx)?, BTreeSet::new(), Ok(()));
        each_change(&whole.contents, &mut |change| {
            if failed.is_ok() {
                failed = self.is_unreadable(change.relation, change.tuple).map(|unreadable| {
                    found.extend(unreadable.then_some(change.relation));
                });
            }
        })?;
        failed?;
        Ok(found)
    }
}
