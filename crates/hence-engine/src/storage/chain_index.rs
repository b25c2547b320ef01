//! Rows of a versioned relation by some of its columns: chains through the slots, so that a row comes and goes in
//! constant time and nothing is allocated for it.

use crate::storage::hash::hash;
use crate::storage::packed::{NONE, PackedSlots};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use hence_core::fault::OrBroken;
use hence_core::value::Word;
use smallvec::SmallVec;

/// For how many changed keys room is kept from one change to the next.
const KEPT: usize = 4096;

/// An invariant of [`ChainIndex`].
const INSIDE: &str = "the rows that have a slot are in every index of their relation";

/// For each combination of values in the key columns the chain of its rows, in the order of their coming.
#[derive(Debug)]
pub(crate) struct ChainIndex {
    columns: Vec<u32>,
    /// The first row of each chain.
    chains: HashTable<u32>,
    /// The link from a row to the one before it in its chain; from the first it leads to the last.
    before: usize,
    /// The link from a row to the one after it; from the last to [`NONE`].
    next: usize,
    /// Keys that came or went in the change at hand: a row of each and whether it came; worked out when asked for.
    changed: Vec<(u32, bool)>,
    /// The change for which `changed` was worked out.
    epoch: u64,
}

impl ChainIndex {
    /// An index on `columns`, without rows.
    pub(crate) fn new(columns: Vec<u32>, slots: &mut PackedSlots) -> Self {
        let before = slots.add_links(2);
        Self { columns, chains: HashTable::new(), before, next: before + 1, changed: Vec::new(), epoch: 0 }
    }

    /// The key columns.
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many keys there are.
    pub(crate) fn keys(&self) -> usize {
        self.chains.len()
    }

    /// The first row under a key, or [`NONE`].
    #[inline]
    pub(crate) fn first(&self, slots: &PackedSlots, key: &[Word]) -> u32 {
        let is_it = |first: &u32| slots.row(*first).has(&self.columns, key);
        self.chains.find(hash(key), is_it).copied().unwrap_or(NONE)
    }

    /// The row after `slot` under the same key, or [`NONE`].
    #[inline]
    pub(crate) fn next(&self, slots: &PackedSlots, slot: u32) -> u32 {
        slots.link(slot, self.next)
    }

    /// Takes a row in.
    pub(crate) fn insert(&mut self, slots: &mut PackedSlots, slot: u32) {
        let columns = &self.columns;
        let row = slots.row(slot);
        let entry = self.chains.entry(
            row.hash_of(columns),
            |first| slots.row(*first).agrees(row, columns),
            |first| slots.row(*first).hash_of(columns),
        );
        let before = match entry {
            Entry::Occupied(found) => {
                let first = *found.get();
                let last = slots.link(first, self.before);
                slots.put_link(first, self.before, slot);
                slots.put_link(last, self.next, slot);
                last
            }
            Entry::Vacant(place) => {
                place.insert(slot);
                slot
            }
        };
        slots.put_link(slot, self.before, before);
        slots.put_link(slot, self.next, NONE);
    }

    /// Takes a row out; its words must still be there.
    pub(crate) fn remove(&mut self, slots: &mut PackedSlots, slot: u32) {
        let (before, next) = (slots.link(slot, self.before), slots.link(slot, self.next));
        let is_first = slots.link(before, self.next) == NONE;
        if !is_first {
            slots.put_link(before, self.next, next);
        }
        if next != NONE {
            slots.put_link(next, self.before, before);
        }
        if !is_first && next != NONE {
            return;
        }
        let columns = &self.columns;
        let row = slots.row(slot);
        let is_it = |first: &u32| *first == slot || slots.row(*first).agrees(row, columns);
        let mut found = self.chains.find_entry(row.hash_of(columns), is_it).ok().or_broken(INSIDE);
        match (is_first, next) {
            (true, NONE) => {
                found.remove();
            }
            (true, next) => *found.get_mut() = next,
            (false, _) => slots.put_link(*found.get(), self.before, before),
        }
    }

    /// Works out which keys came and went: those of the rows `changed`, by whether some row of them is `old`
    /// and some is `new`. Done once a change.
    pub(crate) fn find_changed(
        &mut self,
        slots: &PackedSlots,
        changed: &[u32],
        epoch: u64,
        state: impl Fn(u32) -> (bool, bool),
    ) {
        if std::mem::replace(&mut self.epoch, epoch) == epoch {
            return;
        }
        self.changed.clear();
        self.changed.shrink_to(KEPT);
        let columns = &self.columns;
        let first_of = |slot: &u32| {
            let row = slots.row(*slot);
            let is_it = |first: &u32| slots.row(*first).agrees(row, columns);
            (*self.chains.find(row.hash_of(columns), is_it).or_broken(INSIDE), *slot)
        };
        let mut chains: SmallVec<[(u32, u32); 16]> = changed.iter().map(first_of).collect();
        // Each chain once.
        chains.sort_unstable();
        chains.dedup_by_key(|(first, _)| *first);
        for (first, slot) in chains {
            let (mut at, mut was, mut is) = (first, false, false);
            while at != NONE && !(was && is) {
                let (old, new) = state(at);
                (was, is) = (was || old, is || new);
                at = self.next(slots, at);
            }
            if was != is {
                self.changed.push((slot, is));
            }
        }
    }

    /// The key that [`ChainIndex::find_changed`] found at a place: one of its rows, and whether the key came.
    pub(crate) fn changed(&self, at: usize) -> Option<(u32, bool)> {
        self.changed.get(at).copied()
    }

    /// Bytes taken, without those of the links.
    pub(crate) fn bytes(&self) -> usize {
        self.chains.allocation_size() + self.changed.capacity() * size_of::<(u32, bool)>()
    }
}
