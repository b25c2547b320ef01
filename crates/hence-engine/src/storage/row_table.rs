//! An open-addressing table from hashes to numbers; its owner knows what a number means.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: positions are masked by the number of slots, a power of two"
)]

use crate::cells::zeros;
use hence_core::fault::broken;

/// Slots per number at the fullest, in tenths.
const FULLEST: usize = 7;
const SMALLEST: usize = 8;
/// Slots per number from which on a cleared table becomes smaller.
const SPARSE: usize = 64;

/// Numbers by hash, with linear probing. A slot holds the upper half of the hash above the number plus 1, so that
/// growing needs no hashing and a probe seldom looks at a row in vain.
#[derive(Debug, Default)]
pub(crate) struct RowTable {
    slots: Vec<u64>,
    len: usize,
    /// How often the slots were laid out again.
    layouts: u32,
}

const NUMBER: u64 = 0xffff_ffff;

impl RowTable {
    /// A table with room for `numbers`.
    pub(crate) fn with_room(numbers: usize) -> Self {
        let size = (numbers * 10 / FULLEST + 1).next_power_of_two().max(SMALLEST);
        Self { slots: zeros(size), ..Self::default() }
    }

    /// The number under `hash` that `is_it` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.probe(hash, is_it).ok() }
    }

    /// Looks at where numbers under these hashes may lead, so that the processor waits for many cache lines at once and not
    /// for one after the other; `look` looks at the row of a number. Without branches on what is found: one that is
    /// foreseen wrongly would wait for its line.
    #[inline]
    pub(crate) fn warm(&self, hashes: &[u64], look: impl Fn(u32) -> u64) {
        if self.len == 0 {
            return;
        }
        let mask = self.slots.len() - 1;
        let seen = hashes.iter().fold(0, |seen, hash| {
            let slot = self.slots[(hash >> 32) as usize & mask];
            let number = if (slot ^ hash) >> 32 == 0 { (slot & NUMBER) as u32 } else { 0 };
            seen ^ look(number.saturating_sub(1))
        });
        std::hint::black_box(seen);
    }

    /// The number under `hash` that `is_it` accepts; where there is none, `number` takes its place and stays.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        hash: u64,
        number: u32,
        is_it: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        if self.len * 10 >= self.slots.len() * FULLEST {
            self.grow();
        }
        match self.probe(hash, is_it) {
            Ok(found) => Some(found),
            Err(free) => {
                self.slots[free] = hash & !NUMBER | (u64::from(number) + 1);
                self.len += 1;
                None
            }
        }
    }

    /// Adds a number that isn't in yet.
    pub(crate) fn insert_new(&mut self, hash: u64, number: u32) {
        self.find_or_insert(hash, number, |_| false);
    }

    #[inline]
    fn probe(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ hash) >> 32 == 0 {
                let number = (slot & NUMBER) as u32 - 1;
                if is_it(number) {
                    return Ok(number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Takes out the number that came last of those that are in; the slots were not laid out again since.
    pub(crate) fn remove_last(&mut self, hash: u64, number: u32) {
        if self.slots.is_empty() {
            broken("what is taken out of a table is in");
        }
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at] != 0 {
            if self.slots[at] & NUMBER == u64::from(number) + 1 {
                self.slots[at] = 0;
                self.len -= 1;
                return;
            }
            at = (at + 1) & mask;
        }
        broken("what is taken out of a table is in")
    }

    /// Gives a number another value; it is under `hash`.
    pub(crate) fn renumber(&mut self, hash: u64, from: u32, to: u32) {
        if self.slots.is_empty() {
            broken("what gets another number in a table is in");
        }
        let mask = self.slots.len() - 1;
        let old = hash & !NUMBER | (u64::from(from) + 1);
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at] != 0 {
            if self.slots[at] == old {
                self.slots[at] = hash & !NUMBER | (u64::from(to) + 1);
                return;
            }
            at = (at + 1) & mask;
        }
        broken("what gets another number in a table is in")
    }

    /// How many numbers are in.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How often the slots were laid out again.
    pub(crate) fn layouts(&self) -> u32 {
        self.layouts
    }

    /// Takes all numbers out, and keeps the room unless it is far too much.
    pub(crate) fn clear(&mut self) {
        if self.slots.len() > SPARSE * (self.len + SMALLEST) {
            self.slots = zeros((self.len * 2).next_power_of_two().max(SMALLEST));
        } else if self.len > 0 {
            self.slots.fill(0);
        }
        self.len = 0;
    }

    #[cold]
    fn grow(&mut self) {
        self.layouts = self.layouts.wrapping_add(1);
        let size = (self.slots.len() * 2).max(SMALLEST);
        let old = std::mem::replace(&mut self.slots, zeros(size));
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = (slot >> 32) as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * 8
    }
}
