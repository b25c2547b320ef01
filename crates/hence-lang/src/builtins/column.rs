//! One aggregate of many groups, column by column: the common aggregates take a word or two a group.

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};

use super::accumulator::Accumulator;
use super::aggregate::Aggregate;
use super::{exact_sum, statistics};

/// An invariant of [`Column`].
const GROUPS: &str = "the numbers of groups are those that were given out";

/// The argument of an aggregate that has one.
#[inline]
pub(super) fn first(args: &[Word]) -> Word {
    *args.first().or_broken("every aggregate but the count of matches has an argument")
}

/// One aggregate of a rule over all groups, which have numbers from 0. It gives what an [`Accumulator`] a group would
/// give.
#[derive(Clone, Debug)]
pub struct Column {
    aggregate: Aggregate,
    types: Vec<Type>,
    states: States,
}

#[derive(Clone, Debug)]
enum States {
    /// How many matches there are.
    Counts(Vec<i64>),
    /// The sum of ints, times or durations, and how many there are.
    Sums(Vec<(i128, u64)>),
    /// The least or the greatest value; none before the first match. Texts are compared in a slower way.
    Best(Vec<Option<Word>>),
    /// Everything else.
    Any(Vec<Accumulator>),
}

impl Column {
    /// The states of no groups; `types` are those of the aggregate's arguments.
    pub fn new(aggregate: Aggregate, types: Vec<Type>) -> Self {
        let first = types.first().copied();
        let states = match aggregate {
            Aggregate::Count => States::Counts(Vec::new()),
            Aggregate::Sum | Aggregate::Mean if first != Some(Type::Float) => States::Sums(Vec::new()),
            Aggregate::Min | Aggregate::Max if first.is_some_and(|ty| !ty.is_text()) => {
                States::Best(Vec::new())
            }
            _ => States::Any(Vec::new()),
        };
        Self { aggregate, types, states }
    }

    /// How many arguments the aggregate has.
    pub fn width(&self) -> usize {
        self.types.len()
    }

    /// Adds a group without matches, with the next number.
    pub fn push_group(&mut self) {
        match &mut self.states {
            States::Counts(counts) => counts.push(0),
            States::Sums(sums) => sums.push((0, 0)),
            States::Best(best) => best.push(None),
            States::Any(all) => all.push(Accumulator::new(self.aggregate, &self.types)),
        }
    }

    /// Takes one match of a group in: the values of the aggregate's arguments for it.
    #[inline]
    pub fn add(&mut self, group: usize, args: &[Word]) {
        match &mut self.states {
            States::Counts(counts) => {
                let count = counts.get_mut(group).or_broken(GROUPS);
                *count = count.saturating_add(1);
            }
            States::Sums(sums) => {
                let (sum, count) = sums.get_mut(group).or_broken(GROUPS);
                *sum += i128::from(first(args).as_int());
                *count += 1;
            }
            States::Best(best) => {
                let best = best.get_mut(group).or_broken(GROUPS);
                let first = first(args);
                let better = best.is_none_or(|best| match self.aggregate {
                    Aggregate::Max => first.as_int() > best.as_int(),
                    _ => first.as_int() < best.as_int(),
                });
                if better {
                    *best = Some(first);
                }
            }
            States::Any(all) => all.get_mut(group).or_broken(GROUPS).add(args),
        }
    }

    /// The value of a group; `None` where it has none (an overflowing sum).
    pub fn finish(&self, group: usize) -> Option<Word> {
        match &self.states {
            States::Counts(counts) => Some(Word::from_int(*counts.get(group).or_broken(GROUPS))),
            States::Sums(sums) => {
                let (sum, count) = *sums.get(group).or_broken(GROUPS);
                match (self.aggregate, self.types.first()) {
                    (Aggregate::Mean, Some(Type::Int)) => {
                        exact_sum::ratio(sum, count).and_then(Word::from_float)
                    }
                    (Aggregate::Mean, _) => statistics::nearest(sum, count).map(Word::from_int),
                    _ => i64::try_from(sum).ok().map(Word::from_int),
                }
            }
            States::Best(best) => *best.get(group).or_broken(GROUPS),
            States::Any(all) => all.get(group).or_broken(GROUPS).finish(),
        }
    }

    /// Forgets all groups, and keeps the room that they took.
    pub fn clear(&mut self) {
        match &mut self.states {
            States::Counts(counts) => counts.clear(),
            States::Sums(sums) => sums.clear(),
            States::Best(best) => best.clear(),
            States::Any(all) => all.clear(),
        }
    }

    /// Bytes taken, without what values of unbounded states take.
    pub fn bytes(&self) -> usize {
        match &self.states {
            States::Counts(counts) => counts.capacity() * size_of::<i64>(),
            States::Sums(sums) => sums.capacity() * size_of::<(i128, u64)>(),
            States::Best(best) => best.capacity() * size_of::<Option<Word>>(),
            States::Any(all) => all.capacity() * size_of::<Accumulator>(),
        }
    }
}
