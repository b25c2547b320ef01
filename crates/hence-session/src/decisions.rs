//! The decisions that stand in a session without a ledger.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use hence_core::fact::Fact;
use hence_ledger::Decision;

use super::memory::hash;

/// Decisions, found by their facts.
#[derive(Default)]
pub(super) struct Decisions(HashTable<Decision>);

impl Decisions {
    /// Takes a decision in, in the place of one on the same fact.
    pub(super) fn insert(&mut self, decision: Decision) {
        let is_it = |other: &Decision| other.fact == decision.fact;
        match self.0.entry(hash(&decision.fact), is_it, |other| hash(&other.fact)) {
            Entry::Occupied(mut found) => *found.get_mut() = decision,
            Entry::Vacant(place) => {
                place.insert(decision);
            }
        }
    }

    /// Takes the decision on a fact out.
    pub(super) fn remove(&mut self, fact: &Fact) {
        if let Ok(found) = self.0.find_entry(hash(fact), |other| other.fact == *fact) {
            found.remove();
        }
    }

    /// All of them, ascending.
    pub(super) fn all(&self) -> Vec<Decision> {
        let mut all: Vec<Decision> = self.0.iter().cloned().collect();
        all.sort_unstable_by(|one, other| one.fact.cmp(&other.fact));
        all
    }
}
