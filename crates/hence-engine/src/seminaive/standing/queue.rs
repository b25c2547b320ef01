//! Facts that wait, the least rank first.

use std::collections::BTreeMap;

use hence_core::schema::RelationId;

/// A fact: its relation and its slot there.
pub(super) type Fact = (RelationId, u32);

/// Facts by rank.
#[derive(Debug, Default)]
pub(super) struct Queue {
    ranks: BTreeMap<u32, Vec<Fact>>,
    spare: Vec<Vec<Fact>>,
}

impl Queue {
    /// Lets a fact wait under a rank.
    pub(super) fn push(&mut self, rank: u32, fact: Fact) {
        self.ranks.entry(rank).or_insert_with(|| self.spare.pop().unwrap_or_default()).push(fact);
    }

    /// A fact of the least rank.
    pub(super) fn pop(&mut self) -> Option<(u32, Fact)> {
        let mut entry = self.ranks.first_entry()?;
        let rank = *entry.key();
        let fact = entry.get_mut().pop();
        if entry.get().is_empty() {
            self.spare.push(entry.remove());
        }
        fact.map(|fact| (rank, fact))
    }
}
