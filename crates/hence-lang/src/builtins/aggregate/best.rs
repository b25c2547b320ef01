//! States that keep the best value: the least or the greatest, or the one with the least or greatest key.

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::overload::TYPES;
use super::super::sort_key::SortKey;
use super::state::{GroupState, GroupStates, TAKEN_IN, first, first_type, states};

/// The signatures of an aggregate that gives one of its values, of any type.
pub(super) fn of_any() -> Vec<Signature> {
    TYPES.iter().map(|&ty| Signature::new(&[ty], ty)).collect()
}

/// The same for values of any type that are chosen by keys of any type.
pub(super) fn of_any_by_any() -> Vec<Signature> {
    let by = |value: Type| TYPES.iter().map(move |&by| Signature::new(&[value, by], value));
    TYPES.iter().flat_map(|&value| by(value)).collect()
}

/// Which value is the best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The type of the values.
    value: Type,
    /// The type of what they are chosen by.
    by: Type,
    greatest: bool,
}

impl Choice {
    pub(super) fn new(types: &[Type], greatest: bool) -> Self {
        let value = first_type(types);
        Self { value, by: types.get(1).copied().unwrap_or(value), greatest }
    }

    /// Whether the first pair of a value and what it is chosen by goes before the second.
    fn is_better(&self, (value, by): (Word, Word), (best, best_by): (Word, Word)) -> bool {
        let order = self.by.compare(by, best_by);
        let order = if self.greatest { order.reverse() } else { order };
        order.then_with(|| self.value.compare(value, best)).is_lt()
    }

    fn key(&self, args: &[Word]) -> (SortKey, SortKey) {
        let (value, by) = pair(args);
        (SortKey::new(self.by, by, self.greatest), SortKey::new(self.value, value, false))
    }
}

/// A value and what it is chosen by.
fn pair(args: &[Word]) -> (Word, Word) {
    let value = first(args);
    (value, args.get(1).copied().unwrap_or(value))
}

/// The best value over all matches.
pub(super) fn value(choice: Choice, matches: &[Vec<Word>]) -> Option<Word> {
    let pairs = matches.iter().map(|args| pair(args));
    let best = pairs.reduce(|best, next| if choice.is_better(next, best) { next } else { best });
    best.map(|(value, _)| value)
}

/// The states of an aggregate that keeps the best value only.
pub(super) fn best(types: &[Type], greatest: bool) -> Box<dyn GroupStates> {
    match (types, greatest) {
        ([ty], false) if !ty.is_text() => states::<Extreme<false>>(()),
        ([ty], true) if !ty.is_text() => states::<Extreme<true>>(()),
        _ => states::<Best>(Choice::new(types, greatest)),
    }
}

/// The states of an aggregate that keeps all values, the best first.
pub(super) fn ordered(types: &[Type], greatest: bool) -> Box<dyn GroupStates> {
    match (types, greatest) {
        ([ty], false) if !ty.is_text() => states::<OrderedInts<false>>(()),
        ([ty], true) if !ty.is_text() => states::<OrderedInts<true>>(()),
        _ => states::<Ordered>(Choice::new(types, greatest)),
    }
}

/// The least or the greatest value that isn't a text.
#[derive(Clone, Debug, Default)]
struct Extreme<const GREATEST: bool>(Option<i64>);

impl<const GREATEST: bool> Extreme<GREATEST> {
    /// Without a branch on which is better, which nobody could foresee.
    #[inline]
    fn offer(&mut self, value: i64) {
        let best = self.0.unwrap_or(value);
        self.0 = Some(if GREATEST { best.max(value) } else { best.min(value) });
    }
}

impl<const GREATEST: bool> GroupState for Extreme<GREATEST> {
    type Shared = ();

    #[inline]
    fn add(&mut self, (): &(), args: &[Word]) {
        self.offer(first(args).as_int());
    }

    fn merge(&mut self, (): &(), other: &Self) {
        other.0.into_iter().for_each(|value| self.offer(value));
    }

    fn retract(&mut self, (): &(), args: &[Word]) -> bool {
        self.0 != Some(first(args).as_int())
    }

    fn finish(&self, (): &()) -> Option<Word> {
        self.0.map(Word::from_int)
    }
}

/// The best value and what it is chosen by.
#[derive(Clone, Debug, Default)]
struct Best(Option<(Word, Word)>);

impl Best {
    fn offer(&mut self, choice: &Choice, candidate: (Word, Word)) {
        if self.0.is_none_or(|best| choice.is_better(candidate, best)) {
            self.0 = Some(candidate);
        }
    }
}

impl GroupState for Best {
    type Shared = Choice;

    fn add(&mut self, choice: &Choice, args: &[Word]) {
        self.offer(choice, pair(args));
    }

    fn merge(&mut self, choice: &Choice, other: &Self) {
        other.0.into_iter().for_each(|candidate| self.offer(choice, candidate));
    }

    fn retract(&mut self, _: &Choice, args: &[Word]) -> bool {
        self.0 != Some(pair(args))
    }

    fn finish(&self, _: &Choice) -> Option<Word> {
        self.0.map(|(value, _)| value)
    }
}

/// Values that aren't texts and how often, turned over where the greatest is wanted: the best first.
#[derive(Clone, Debug, Default)]
struct OrderedInts<const GREATEST: bool>(BTreeMap<i64, u64>);

impl<const GREATEST: bool> OrderedInts<GREATEST> {
    fn turned(value: i64) -> i64 {
        if GREATEST { !value } else { value }
    }
}

impl<const GREATEST: bool> GroupState for OrderedInts<GREATEST> {
    type Shared = ();

    fn add(&mut self, (): &(), args: &[Word]) {
        *self.0.entry(Self::turned(first(args).as_int())).or_insert(0) += 1;
    }

    fn merge(&mut self, (): &(), other: &Self) {
        other.0.iter().for_each(|(value, count)| *self.0.entry(*value).or_insert(0) += count);
    }

    fn retract(&mut self, (): &(), args: &[Word]) -> bool {
        take_out(&mut self.0, &Self::turned(first(args).as_int()));
        true
    }

    fn finish(&self, (): &()) -> Option<Word> {
        self.0.first_key_value().map(|(value, _)| Word::from_int(Self::turned(*value)))
    }
}

/// What is chosen by, then the value, and how often: the best first.
#[derive(Clone, Debug, Default)]
struct Ordered(BTreeMap<(SortKey, SortKey), u64>);

impl GroupState for Ordered {
    type Shared = Choice;

    fn add(&mut self, choice: &Choice, args: &[Word]) {
        *self.0.entry(choice.key(args)).or_insert(0) += 1;
    }

    fn merge(&mut self, _: &Choice, other: &Self) {
        other.0.iter().for_each(|(key, count)| *self.0.entry(*key).or_insert(0) += count);
    }

    fn retract(&mut self, choice: &Choice, args: &[Word]) -> bool {
        take_out(&mut self.0, &choice.key(args));
        true
    }

    fn finish(&self, _: &Choice) -> Option<Word> {
        self.0.first_key_value().map(|((_, value), _)| value.word())
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
