//! Rows of a standing relation by some of its columns: chains through the slots, so that a row comes and goes in
//! constant time and nothing is allocated for it.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::backend::seminaive::hash::{hash, hash_of};
use crate::value::Word;

/// No slot, no group, no rank.
pub(super) const NONE: u32 = u32::MAX;

/// For each combination of values in the key columns the chain of its rows, in the order of their coming.
#[derive(Debug)]
pub(super) struct Index {
    columns: Vec<u32>,
    finder: HashTable<u32>,
    groups: Vec<Group>,
    free: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    /// Keys that came or went in the change at hand: a row of each and whether it came; worked out when asked for.
    changed: Vec<(u32, bool)>,
    /// The change for which `changed` was worked out.
    epoch: u64,
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    last: u32,
    epoch: u64,
}

/// The rows of a relation as an index sees them.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// The words of all slots.
    pub(super) words: &'a [Word],
    /// Words a slot.
    pub(super) arity: usize,
}

impl<'a> Rows<'a> {
    /// The row in a slot.
    #[inline]
    pub(super) fn row(self, slot: u32) -> &'a [Word] {
        &self.words[slot as usize * self.arity..(slot as usize + 1) * self.arity]
    }
}

impl Index {
    /// An index on `columns`, without rows.
    pub(super) fn new(columns: Vec<u32>) -> Self {
        Self {
            columns,
            finder: HashTable::new(),
            groups: Vec::new(),
            free: Vec::new(),
            next: Vec::new(),
            before: Vec::new(),
            changed: Vec::new(),
            epoch: 0,
        }
    }

    /// The key columns.
    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many keys there are.
    pub(super) fn keys(&self) -> usize {
        self.finder.len()
    }

    /// The first row under a key, or [`NONE`].
    #[inline]
    pub(super) fn first(&self, rows: Rows<'_>, key: &[Word]) -> u32 {
        let is_it = |group: &u32| {
            let row = rows.row(self.groups[*group as usize].first);
            self.columns.iter().zip(key).all(|(column, word)| row[*column as usize] == *word)
        };
        self.finder.find(hash(key), is_it).map_or(NONE, |group| self.groups[*group as usize].first)
    }

    /// The row behind `slot` under the same key, or [`NONE`].
    #[inline]
    pub(super) fn next(&self, slot: u32) -> u32 {
        self.next[slot as usize]
    }

    /// Takes a row in.
    pub(super) fn insert(&mut self, rows: Rows<'_>, slot: u32) {
        let (columns, groups) = (&self.columns, &mut self.groups);
        let row = rows.row(slot);
        if self.next.len() <= slot as usize {
            self.next.resize(slot as usize + 1, NONE);
            self.before.resize(slot as usize + 1, NONE);
        }
        let entry = self.finder.entry(
            hash_of(row, columns),
            |group| agree(rows.row(groups[*group as usize].first), row, columns),
            |group| hash_of(rows.row(groups[*group as usize].first), columns),
        );
        let last = match entry {
            Entry::Occupied(found) => {
                let group = &mut groups[*found.get() as usize];
                self.next[group.last as usize] = slot;
                std::mem::replace(&mut group.last, slot)
            }
            Entry::Vacant(place) => {
                let new = Group { first: slot, last: slot, epoch: 0 };
                let number = self.free.pop().unwrap_or(groups.len() as u32);
                match groups.get_mut(number as usize) {
                    Some(group) => *group = new,
                    None => groups.push(new),
                }
                place.insert(number);
                NONE
            }
        };
        self.before[slot as usize] = last;
        self.next[slot as usize] = NONE;
    }

    /// Takes a row out; its words must still be there.
    pub(super) fn remove(&mut self, rows: Rows<'_>, slot: u32) {
        let (before, next) = (self.before[slot as usize], self.next[slot as usize]);
        if before != NONE {
            self.next[before as usize] = next;
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
        if before != NONE && next != NONE {
            return;
        }
        let (columns, groups) = (&self.columns, &mut self.groups);
        let row = rows.row(slot);
        let is_it = |group: &u32| {
            let first = groups[*group as usize].first;
            first == slot || agree(rows.row(first), row, columns)
        };
        let Ok(found) = self.finder.find_entry(hash_of(row, columns), is_it) else { return };
        let number = *found.get();
        let group = &mut groups[number as usize];
        match (before, next) {
            (NONE, NONE) => {
                found.remove();
                self.free.push(number);
            }
            (NONE, next) => group.first = next,
            _ => group.last = before,
        }
    }

    /// Works out which keys came and went: those of the rows `changed`, told by whether some row of them is `old`
    /// and some is `new`. Done once a change.
    pub(super) fn find_changed(
        &mut self,
        rows: Rows<'_>,
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
            let is_it = |group: &u32| agree(rows.row(self.groups[*group as usize].first), row, &self.columns);
            let Some(group) = self.finder.find(hash_of(row, &self.columns), is_it) else { continue };
            let group = &mut self.groups[*group as usize];
            if std::mem::replace(&mut group.epoch, epoch) == epoch {
                continue;
            }
            let (mut at, mut was, mut is) = (group.first, false, false);
            while at != NONE && !(was && is) {
                let (old, new) = state(at);
                (was, is) = (was || old, is || new);
                at = self.next[at as usize];
            }
            if was != is {
                self.changed.push((*slot, is));
            }
        }
    }

    /// The key that [`Index::find_changed`] found at a place: one of its rows, and whether the key came.
    pub(super) fn changed(&self, at: usize) -> Option<(u32, bool)> {
        self.changed.get(at).copied()
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        (self.next.capacity() + self.before.capacity() + self.free.capacity()) * 4
            + self.groups.capacity() * size_of::<Group>()
            + self.finder.capacity() * 5
    }
}

#[inline]
fn agree(left: &[Word], right: &[Word], columns: &[u32]) -> bool {
    columns.iter().all(|column| left[*column as usize] == right[*column as usize])
}
