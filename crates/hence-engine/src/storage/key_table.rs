//! From the key of an index to its group.
#![expect(clippy::indexing_slicing, reason = "hot: the numbers of keys are below their count")]

use crate::cells::{Cell, Cells};
use crate::storage::grouped::GroupedRows;
use crate::storage::hash::hash;
use crate::storage::row_table::RowTable;
use hence_core::value::Word;

/// From a key to its group.
#[derive(Debug)]
pub(super) enum KeyTable {
    /// The key is one small word: the number of its group.
    Direct,
    /// Any key.
    Hashed(Cells, RowTable),
    /// Many narrow keys of several columns, by one of these: look-ups that follow one another often share it.
    Grouped(GroupedRows),
}

impl KeyTable {
    /// Without keys.
    pub(super) fn hashed() -> Self {
        Self::Hashed(Cells::default(), RowTable::default())
    }

    /// The keys of one word that were found directly, which are those that are there.
    #[cold]
    pub(super) fn hashed_words(are_there: impl Iterator<Item = bool>) -> Self {
        let (mut keys, mut table) = (Cells::default(), RowTable::default());
        for (at, is_there) in (0u32..).zip(are_there) {
            let key = Word(u64::from(at));
            keys.push(key);
            if is_there {
                table.insert_new(hash(&[key]), at);
            }
        }
        Self::Hashed(keys, table)
    }

    /// `count` keys that were grouped.
    #[cold]
    pub(super) fn hashed_again(grouped: &GroupedRows, width: usize, count: usize) -> Self {
        let (mut keys, mut table) = (vec![0; count * width], RowTable::with_room(count));
        for (words, number) in grouped.each() {
            let key = &mut keys[number as usize * width..(number as usize + 1) * width];
            key.iter_mut().zip(words).for_each(|(cell, word)| *cell = u32::new(word));
            table.insert_new(hash(key), number);
        }
        Self::Hashed(Cells::Narrow(keys), table)
    }

    /// The group of a key.
    #[inline]
    pub(super) fn find(&self, key: &[Word]) -> Option<usize> {
        match (self, key) {
            (Self::Direct, [word]) => usize::try_from(word.0).ok(),
            (Self::Direct, _) => None,
            (Self::Hashed(keys, table), key) => {
                let (width, keys) = (key.len(), keys.view());
                let is_it = |at: u32| keys.part(at as usize * width, (at as usize + 1) * width).is(key);
                table.find(hash(key), is_it).map(|group| group as usize)
            }
            (Self::Grouped(keys), key) => keys.find(key).map(|group| group as usize),
        }
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Direct => 0,
            Self::Hashed(keys, table) => keys.bytes() + table.bytes(),
            Self::Grouped(keys) => keys.bytes(),
        }
    }

    /// Whether a key is the number of its group.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self, Self::Direct)
    }
}
