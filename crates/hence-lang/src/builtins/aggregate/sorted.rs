//! The state that keeps every value in order, so that one comes and goes in little time.

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};

use super::state::{GroupState, TAKEN_IN, first};
use super::values::least;

/// How many values are kept in one piece.
const PIECE: usize = 512;

/// What all groups have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfSorted {
    /// The type of the values.
    pub(super) ty: Type,
    /// From all values, and the share of a percentile, to that of the group.
    pub(super) value: fn(Type, &Sorted, Option<Word>) -> Option<Word>,
}

/// Every value in order, and the share of a percentile: the least that any match gave.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedValues {
    values: Sorted,
    share: Option<Word>,
}

impl GroupState for SortedValues {
    type Shared = OfSorted;

    fn add(&mut self, _: &OfSorted, args: &[Word]) {
        self.values.insert(first(args).as_int());
        self.share = least(self.share, args.get(1).copied());
    }

    fn merge(&mut self, _: &OfSorted, other: &Self) {
        other.values.pieces.iter().flatten().for_each(|value| self.values.insert(*value));
        self.share = least(self.share, other.share);
    }

    fn retract(&mut self, _: &OfSorted, args: &[Word]) -> bool {
        self.values.remove(first(args).as_int());
        true
    }

    fn finish(&self, of: &OfSorted) -> Option<Word> {
        (of.value)(of.ty, &self.values, self.share)
    }
}

/// Values in ascending order, in pieces, so that one more moves only a few.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorted {
    pieces: Vec<Vec<i64>>,
    len: usize,
}

impl Sorted {
    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The last piece that begins with no more than `value`, else the first.
    fn piece(&self, value: i64) -> usize {
        let first = |piece: &Vec<i64>| piece.first().is_some_and(|first| *first <= value);
        self.pieces.partition_point(first).saturating_sub(1)
    }

    fn insert(&mut self, value: i64) {
        self.len += 1;
        if self.pieces.is_empty() {
            self.pieces.push(Vec::new());
        }
        let at = self.piece(value);
        let piece = self.pieces.get_mut(at).or_broken("values are kept in pieces that there are");
        piece.insert(piece.partition_point(|other| *other <= value), value);
        if piece.len() > PIECE {
            let rest = piece.split_off(PIECE / 2);
            self.pieces.insert(at + 1, rest);
        }
    }

    fn remove(&mut self, value: i64) {
        let at = self.piece(value);
        let piece = self.pieces.get_mut(at).or_broken(TAKEN_IN);
        let place = piece.binary_search(&value).ok().or_broken(TAKEN_IN);
        piece.remove(place);
        if piece.is_empty() {
            self.pieces.remove(at);
        }
        self.len -= 1;
    }

    /// The value at a place.
    pub(super) fn get(&self, mut place: usize) -> Option<i64> {
        for piece in &self.pieces {
            match piece.get(place) {
                Some(value) => return Some(*value),
                None => place -= piece.len(),
            }
        }
        None
    }
}
