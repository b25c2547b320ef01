//! Rows of a versioned relation by some of its columns: chains through the slots, so that a row comes and goes in
//! constant time and nothing is allocated for it.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: slots and columns are numbers of the relation that the index belongs to"
)]

use super::hash::hash_of;
use crate::storage::hash::hash;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use hence_core::fault::OrBroken;
use hence_core::value::Word;
use smallvec::SmallVec;

/// No slot, no group, no rank.
pub(crate) const NONE: u32 = u32::MAX;

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
    links: Vec<Link>,
    /// Keys that came or went in the change at hand: a row of each and whether it came; worked out when asked for.
    changed: Vec<(u32, bool)>,
    /// The change for which `changed` was worked out.
    epoch: u64,
}

/// The neighbours of a row in its chain; before the first is the last, after the last is [`NONE`].
#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    next: u32,
}

const LOOSE: Link = Link { before: NONE, next: NONE };

/// The rows of a relation as an index sees them.
#[derive(Clone, Copy)]
pub(crate) struct SlotRows<'a> {
    /// The words of all slots.
    pub(crate) words: &'a [Word],
    /// Words a row.
    pub(crate) arity: usize,
    /// Words a slot, of which the first are the row.
    pub(crate) stride: usize,
}

impl<'a> SlotRows<'a> {
    /// The row in a slot.
    #[inline]
    pub(crate) fn row(self, slot: u32) -> &'a [Word] {
        let at = slot as usize * self.stride;
        &self.words[at..at + self.arity]
    }

    /// The word after the row in a slot.
    #[inline]
    pub(crate) fn word_after(self, slot: u32) -> Word {
        self.words[slot as usize * self.stride + self.arity]
    }
}

impl ChainIndex {
    /// An index on `columns`, without rows.
    pub(crate) fn new(columns: Vec<u32>) -> Self {
        Self { columns, chains: HashTable::new(), links: Vec::new(), changed: Vec::new(), epoch: 0 }
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
    pub(crate) fn first(&self, rows: SlotRows<'_>, key: &[Word]) -> u32 {
        let is_it = |first: &u32| {
            let row = rows.row(*first);
            self.columns.iter().zip(key).all(|(column, word)| row[*column as usize] == *word)
        };
        self.chains.find(hash(key), is_it).copied().unwrap_or(NONE)
    }

    /// The row after `slot` under the same key, or [`NONE`].
    #[inline]
    pub(crate) fn next(&self, slot: u32) -> u32 {
        self.links[slot as usize].next
    }

    /// Takes a row in.
    pub(crate) fn insert(&mut self, rows: SlotRows<'_>, slot: u32) {
        let columns = &self.columns;
        let row = rows.row(slot);
        if self.links.len() <= slot as usize {
            self.links.resize(slot as usize + 1, LOOSE);
        }
        let entry = self.chains.entry(
            hash_of(row, columns),
            |first| agree(rows.row(*first), row, columns),
            |first| hash_of(rows.row(*first), columns),
        );
        let before = match entry {
            Entry::Occupied(found) => {
                let first = *found.get() as usize;
                let last = std::mem::replace(&mut self.links[first].before, slot);
                self.links[last as usize].next = slot;
                last
            }
            Entry::Vacant(place) => {
                place.insert(slot);
                slot
            }
        };
        self.links[slot as usize] = Link { before, next: NONE };
    }

    /// Takes a row out; its words must still be there.
    pub(crate) fn remove(&mut self, rows: SlotRows<'_>, slot: u32) {
        let Link { before, next } = self.links[slot as usize];
        let is_first = self.links[before as usize].next == NONE;
        if !is_first {
            self.links[before as usize].next = next;
        }
        if next != NONE {
            self.links[next as usize].before = before;
        }
        if !is_first && next != NONE {
            return;
        }
        let columns = &self.columns;
        let row = rows.row(slot);
        let is_it = |first: &u32| *first == slot || agree(rows.row(*first), row, columns);
        let mut found = self.chains.find_entry(hash_of(row, columns), is_it).ok().or_broken(INSIDE);
        match (is_first, next) {
            (true, NONE) => {
                found.remove();
            }
            (true, next) => *found.get_mut() = next,
            (false, _) => self.links[*found.get() as usize].before = before,
        }
    }

    /// Works out which keys came and went: those of the rows `changed`, by whether some row of them is `old`
    /// and some is `new`. Done once a change.
    pub(crate) fn find_changed(
        &mut self,
        rows: SlotRows<'_>,
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
            let row = rows.row(*slot);
            let is_it = |first: &u32| agree(rows.row(*first), row, columns);
            (*self.chains.find(hash_of(row, columns), is_it).or_broken(INSIDE), *slot)
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
                at = self.links[at as usize].next;
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

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>()
            + self.chains.allocation_size()
            + self.changed.capacity() * size_of::<(u32, bool)>()
    }
}

#[inline]
fn agree(left: &[Word], right: &[Word], columns: &[u32]) -> bool {
    columns.iter().all(|column| left[*column as usize] == right[*column as usize])
}
