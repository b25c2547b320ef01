//! The state of one group of one aggregate, from which matches can be taken out again.

use crate::storage::sort_key::SortKey;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};
use hence_lang::builtins::aggregate::{Accumulator, Aggregate, median, percentile_place};

/// How many values are kept in one piece.
const PIECE: usize = 512;

/// The state of one group of one aggregate.
///
/// The commonest kinds lie in the group itself: at a million facts a change costs what it looks up.
#[derive(Debug)]
pub(crate) enum AggregateState {
    /// The number of matches, which the group knows.
    Count,
    /// The sum of whole numbers.
    Whole(i128),
    /// Other sums and the like; it can't always take out what it took in.
    Sums(Box<Accumulator>),
    /// Values that aren't texts, turned over where the largest is wanted, and how often: the best first.
    Extreme(BTreeMap<i64, u64>),
    /// What is chosen by, then the value, and how often: the best first.
    Best(BTreeMap<(SortKey, SortKey), u64>),
    /// All values in order, and the share of a percentile.
    Values(Box<(Sorted, Option<Word>)>),
}

/// An aggregate of a head.
#[derive(Clone, Debug)]
pub(crate) struct AggregateColumn {
    /// Which.
    pub(crate) aggregate: Aggregate,
    /// The types of its arguments.
    pub(crate) types: SmallVec<[Type; 2]>,
    /// Whether its second argument may differ from match to match, though it is to be the same.
    pub(crate) varies: bool,
}

/// An invariant of [`AggregateColumn`].
const TAKEN_IN: &str = "a match that is taken out of a group was taken in before";
/// Another.
const ARGS: &str = "every aggregate but the count of matches has an argument";

fn first(args: &[Word]) -> Word {
    *args.first().or_broken(ARGS)
}

impl AggregateColumn {
    /// An empty group.
    pub(crate) fn tally(&self) -> AggregateState {
        match self.aggregate {
            Aggregate::Count => AggregateState::Count,
            Aggregate::Sum if self.ty() != Type::Float => AggregateState::Whole(0),
            Aggregate::Min | Aggregate::Max if !self.ty().is_text() => {
                AggregateState::Extreme(BTreeMap::new())
            }
            Aggregate::Min | Aggregate::Max | Aggregate::ArgMin | Aggregate::ArgMax => {
                AggregateState::Best(BTreeMap::new())
            }
            Aggregate::Median | Aggregate::Percentile => AggregateState::Values(Box::default()),
            aggregate => AggregateState::Sums(Box::new(Accumulator::new(aggregate, &self.types))),
        }
    }

    fn ty(&self) -> Type {
        *self.types.first().or_broken(ARGS)
    }

    fn turned(&self, int: i64) -> i64 {
        if self.aggregate == Aggregate::Max { !int } else { int }
    }

    fn key(&self, args: &[Word]) -> (SortKey, SortKey) {
        let value = first(args);
        let by_type = self.types.get(1).copied().unwrap_or(self.ty());
        let descending = matches!(self.aggregate, Aggregate::Max | Aggregate::ArgMax);
        let by = SortKey::new(by_type, args.get(1).copied().unwrap_or(value), descending);
        (by, SortKey::new(self.ty(), value, false))
    }

    /// Takes a match in.
    pub(crate) fn add(&self, tally: &mut AggregateState, args: &[Word]) {
        let int = || first(args).as_int();
        match tally {
            AggregateState::Count => {}
            AggregateState::Whole(sum) => *sum += i128::from(int()),
            AggregateState::Sums(sums) => sums.add(args),
            AggregateState::Extreme(values) => *values.entry(self.turned(int())).or_insert(0) += 1,
            AggregateState::Best(best) => *best.entry(self.key(args)).or_insert(0) += 1,
            AggregateState::Values(all) => {
                let (values, share) = &mut **all;
                values.insert(int());
                let given = args.get(1).copied();
                *share = share.iter().copied().chain(given).min_by_key(|share| share.as_int());
            }
        }
    }

    /// Takes a match out; `false` where the group has to be made anew from its other matches.
    pub(crate) fn remove(&self, tally: &mut AggregateState, args: &[Word]) -> bool {
        if self.varies {
            return false;
        }
        let int = || first(args).as_int();
        match tally {
            AggregateState::Count => true,
            AggregateState::Whole(sum) => {
                *sum -= i128::from(int());
                true
            }
            AggregateState::Sums(sums) => sums.remove(args),
            AggregateState::Extreme(values) => {
                take_out(values, &self.turned(int()));
                true
            }
            AggregateState::Best(best) => {
                take_out(best, &self.key(args));
                true
            }
            AggregateState::Values(all) => {
                all.0.remove(int());
                true
            }
        }
    }

    /// The value of the group of so many matches, if it has one.
    pub(crate) fn finish(&self, tally: &AggregateState, matches: u64) -> Option<Word> {
        match tally {
            AggregateState::Count => i64::try_from(matches).ok().map(Word::from_int),
            AggregateState::Whole(sum) => i64::try_from(*sum).ok().map(Word::from_int),
            AggregateState::Sums(sums) => sums.finish(),
            AggregateState::Extreme(values) => {
                values.first_key_value().map(|(key, _)| Word::from_int(self.turned(*key)))
            }
            AggregateState::Best(best) => best.first_key_value().map(|((_, value), _)| value.word()),
            AggregateState::Values(all) => self.place(&all.0, all.1),
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
pub(crate) struct Sorted {
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
