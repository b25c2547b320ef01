//! SlotRows of a standing relation by some of its columns: chains through the slots, so that a row comes and goes in
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

/// No slot, no group, no rank.
pub(crate) const NONE: u32 = u32::MAX;

/// An invariant of [`ChainIndex`].
const INSIDE: &str = "the rows that have a slot are in every index of their relation";

/// For each combination of values in the key columns the chain of its rows, in the order of their coming.
#[derive(Debug)]
pub(crate) struct ChainIndex {
    columns: Vec<u32>,
    groups: HashTable<Group>,
    links: Vec<Link>,
    /// Keys that came or went in the change at hand: a row of each and whether it came; worked out when asked for.
    changed: Vec<(u32, bool)>,
    /// The change for which `changed` was worked out.
    epoch: u64,
}

/// The neighbours of a row in its chain.
#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    next: u32,
}

const LOOSE: Link = Link { before: NONE, next: NONE };

/// The chain of a key.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    last: u32,
    epoch: u64,
}

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

    /// The word behind the row in a slot.
    #[inline]
    pub(crate) fn behind(self, slot: u32) -> Word {
        self.words[slot as usize * self.stride + self.arity]
    }
}

impl ChainIndex {
    /// An index on `columns`, without rows.
    pub(crate) fn new(columns: Vec<u32>) -> Self {
        Self { columns, groups: HashTable::new(), links: Vec::new(), changed: Vec::new(), epoch: 0 }
    }

    /// The key columns.
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many keys there are.
    pub(crate) fn keys(&self) -> usize {
        self.groups.len()
    }

    /// The first row under a key, or [`NONE`].
    #[inline]
    pub(crate) fn first(&self, rows: SlotRows<'_>, key: &[Word]) -> u32 {
        let is_it = |group: &Group| {
            let row = rows.row(group.first);
            self.columns.iter().zip(key).all(|(column, word)| row[*column as usize] == *word)
        };
        self.groups.find(hash(key), is_it).map_or(NONE, |group| group.first)
    }

    /// The row behind `slot` under the same key, or [`NONE`].
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
        let entry = self.groups.entry(
            hash_of(row, columns),
            |group| agree(rows.row(group.first), row, columns),
            |group| hash_of(rows.row(group.first), columns),
        );
        let before = match entry {
            Entry::Occupied(mut found) => {
                let group = found.get_mut();
                self.links[group.last as usize].next = slot;
                std::mem::replace(&mut group.last, slot)
            }
            Entry::Vacant(place) => {
                place.insert(Group { first: slot, last: slot, epoch: 0 });
                NONE
            }
        };
        self.links[slot as usize] = Link { before, next: NONE };
    }

    /// Takes a row out; its words must still be there.
    pub(crate) fn remove(&mut self, rows: SlotRows<'_>, slot: u32) {
        let Link { before, next } = self.links[slot as usize];
        if before != NONE {
            self.links[before as usize].next = next;
        }
        if next != NONE {
            self.links[next as usize].before = before;
        }
        if before != NONE && next != NONE {
            return;
        }
        let columns = &self.columns;
        let row = rows.row(slot);
        let is_it = |group: &Group| group.first == slot || agree(rows.row(group.first), row, columns);
        let found = self.groups.find_entry(hash_of(row, columns), is_it).ok();
        let mut found = found.or_broken(INSIDE);
        match (before, next) {
            (NONE, NONE) => {
                found.remove();
            }
            (NONE, next) => found.get_mut().first = next,
            _ => found.get_mut().last = before,
        }
    }

    /// Works out which keys came and went: those of the rows `changed`, told by whether some row of them is `old`
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
        for slot in changed {
            let row = rows.row(*slot);
            let is_it = |group: &Group| agree(rows.row(group.first), row, &self.columns);
            let group = self.groups.find_mut(hash_of(row, &self.columns), is_it).or_broken(INSIDE);
            if std::mem::replace(&mut group.epoch, epoch) == epoch {
                continue;
            }
            let (mut at, mut was, mut is) = (group.first, false, false);
            while at != NONE && !(was && is) {
                let (old, new) = state(at);
                (was, is) = (was || old, is || new);
                at = self.links[at as usize].next;
            }
            if was != is {
                self.changed.push((*slot, is));
            }
        }
    }

    /// The key that [`ChainIndex::find_changed`] found at a place: one of its rows, and whether the key came.
    pub(crate) fn changed(&self, at: usize) -> Option<(u32, bool)> {
        self.changed.get(at).copied()
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.groups.capacity() * (size_of::<Group>() + 1)
    }
}

#[inline]
fn agree(left: &[Word], right: &[Word], columns: &[u32]) -> bool {
    columns.iter().all(|column| left[*column as usize] == right[*column as usize])
}
