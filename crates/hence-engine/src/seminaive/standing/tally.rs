//! The state of one group of one aggregate, from which matches can be taken out again.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};
use hence_lang::builtins::aggregate::{Accumulator, Aggregate, median, percentile_place};

use super::cell::Cell;

/// How many values are kept in one piece.
const PIECE: usize = 512;

/// The state of one group of one aggregate.
///
/// The commonest kinds lie in the group itself: at a million facts a change costs what it looks up.
#[derive(Debug)]
pub(super) enum Tally {
    /// The number of matches, which the group knows.
    Count,
    /// The sum of whole numbers.
    Whole(i128),
    /// Other sums and the like; it can't always take out what it took in.
    Sums(Box<Accumulator>),
    /// Values that aren't texts, turned over where the largest is wanted, and how often: the best first.
    Extreme(BTreeMap<i64, u64>),
    /// What is chosen by, then the value, and how often: the best first.
    Best(BTreeMap<(Cell, Cell), u64>),
    /// All values in order, and the share of a percentile.
    Values(Box<(Sorted, Option<Word>)>),
}

/// An aggregate of a head.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Which.
    pub(super) aggregate: Aggregate,
    /// The types of its arguments.
    pub(super) types: SmallVec<[Type; 2]>,
    /// Whether its second argument may differ from match to match, though it is to be the same.
    pub(super) varies: bool,
}

/// An invariant of [`Column`].
const TAKEN_IN: &str = "a match that is taken out of a group was taken in before";
/// Another.
const ARGS: &str = "every aggregate but the count of matches has an argument";

fn first(args: &[Word]) -> Word {
    *args.first().or_broken(ARGS)
}

impl Column {
    /// An empty group.
    pub(super) fn tally(&self) -> Tally {
        match self.aggregate {
            Aggregate::Count => Tally::Count,
            Aggregate::Sum if self.ty() != Type::Float => Tally::Whole(0),
            Aggregate::Min | Aggregate::Max if !self.ty().is_text() => Tally::Extreme(BTreeMap::new()),
            Aggregate::Min | Aggregate::Max | Aggregate::ArgMin | Aggregate::ArgMax => {
                Tally::Best(BTreeMap::new())
            }
            Aggregate::Median | Aggregate::Percentile => Tally::Values(Box::default()),
            aggregate => Tally::Sums(Box::new(Accumulator::new(aggregate, &self.types))),
        }
    }

    fn ty(&self) -> Type {
        *self.types.first().or_broken(ARGS)
    }

    fn turned(&self, int: i64) -> i64 {
        if self.aggregate == Aggregate::Max { !int } else { int }
    }

    fn key(&self, args: &[Word]) -> (Cell, Cell) {
        let value = first(args);
        let by_type = self.types.get(1).copied().unwrap_or(self.ty());
        let descending = matches!(self.aggregate, Aggregate::Max | Aggregate::ArgMax);
        let by = Cell::new(by_type, args.get(1).copied().unwrap_or(value), descending);
        (by, Cell::new(self.ty(), value, false))
    }

    /// Takes a match in.
    pub(super) fn add(&self, tally: &mut Tally, args: &[Word]) {
        let int = || first(args).as_int();
        match tally {
            Tally::Count => {}
            Tally::Whole(sum) => *sum += i128::from(int()),
            Tally::Sums(sums) => sums.add(args),
            Tally::Extreme(values) => *values.entry(self.turned(int())).or_insert(0) += 1,
            Tally::Best(best) => *best.entry(self.key(args)).or_insert(0) += 1,
            Tally::Values(all) => {
                let (values, share) = &mut **all;
                values.insert(int());
                let given = args.get(1).copied();
                *share = share.iter().copied().chain(given).min_by_key(|share| share.as_int());
            }
        }
    }

    /// Takes a match out; `false` where the group has to be made anew from its other matches.
    pub(super) fn remove(&self, tally: &mut Tally, args: &[Word]) -> bool {
        if self.varies {
            return false;
        }
        let int = || first(args).as_int();
        match tally {
            Tally::Count => true,
            Tally::Whole(sum) => {
                *sum -= i128::from(int());
                true
            }
            Tally::Sums(sums) => sums.remove(args),
            Tally::Extreme(values) => {
                take_out(values, &self.turned(int()));
                true
            }
            Tally::Best(best) => {
                take_out(best, &self.key(args));
                true
            }
            Tally::Values(all) => {
                all.0.remove(int());
                true
            }
        }
    }

    /// The value of the group of so many matches, if it has one.
    pub(super) fn finish(&self, tally: &Tally, matches: u64) -> Option<Word> {
        match tally {
            Tally::Count => i64::try_from(matches).ok().map(Word::from_int),
            Tally::Whole(sum) => i64::try_from(*sum).ok().map(Word::from_int),
            Tally::Sums(sums) => sums.finish(),
            Tally::Extreme(values) => {
                values.first_key_value().map(|(key, _)| Word::from_int(self.turned(*key)))
            }
            Tally::Best(best) => best.first_key_value().map(|((_, value), _)| value.word()),
            Tally::Values(all) => self.place(&all.0, all.1),
        }
    }

    fn place(&self, values: &Sorted, share: Option<Word>) -> Option<Word> {
        match self.aggregate {
            Aggregate::Median => {
                let middle = values.len / 2;
                let lower = if values.len % 2 == 1 { middle } else { middle.checked_sub(1)? };
                let both = [values.get(lower)?, values.get(middle)?].map(Word::from_int);
                median(self.ty(), &both)
            }
            _ => {
                let place = percentile_place(values.len, share?.as_float())?;
                values.get(place).map(Word::from_int)
            }
        }
    }
}

/// One fewer of a value.
fn take_out<K: Ord>(values: &mut BTreeMap<K, u64>, key: &K) {
    let count = values.get_mut(key).or_broken(TAKEN_IN);
    *count -= 1;
    if *count == 0 {
        values.remove(key);
    }
}

/// Values in ascending order, in pieces, so that one more moves only a few.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pieces: Vec<Vec<i64>>,
    len: usize,
}

impl Sorted {
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
        let piece = &mut self.pieces[at];
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

    fn get(&self, mut place: usize) -> Option<i64> {
        for piece in &self.pieces {
            match piece.get(place) {
                Some(value) => return Some(*value),
                None => place -= piece.len(),
            }
        }
        None
    }
}
