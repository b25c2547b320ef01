//! Facts that wait, the least rank first.

use std::collections::BTreeMap;

use hence_core::schema::RelationId;

/// A fact: its relation and its slot there.
pub(crate) type FactSlot = (RelationId, u32);

/// Facts by rank.
#[derive(Debug, Default)]
pub(crate) struct RankQueue {
    ranks: BTreeMap<u32, Vec<FactSlot>>,
    spare: Vec<Vec<FactSlot>>,
}

impl RankQueue {
    /// Lets a fact wait under a rank.
    pub(crate) fn push(&mut self, rank: u32, fact: FactSlot) {
        self.ranks.entry(rank).or_insert_with(|| self.spare.pop().unwrap_or_default()).push(fact);
    }

    /// A fact of the least rank.
    pub(crate) fn pop(&mut self) -> Option<(u32, FactSlot)> {
        let mut entry = self.ranks.first_entry()?;
        let rank = *entry.key();
        let fact = entry.get_mut().pop();
        if entry.get().is_empty() {
            self.spare.push(entry.remove());
        }
        fact.map(|fact| (rank, fact))
    }
}
