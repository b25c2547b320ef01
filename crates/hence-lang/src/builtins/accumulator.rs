//! The state of one group of one aggregate: small for a small group, the same for any order of its matches.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};

use super::aggregate::Aggregate;
use super::column::first;
use super::exact_sum::{self, ExactSum};
use super::{statistics, text};

/// How often each value stands in a group.
type Tally = HashMap<Word, u64, BuildHasherDefault<ahash::AHasher>>;

/// An invariant of those who take matches out.
const TAKEN_IN: &str = "a match that is taken out of a group was taken in before";

/// The state of one group of one aggregate.
#[derive(Clone, Debug)]
pub struct Accumulator {
    aggregate: Aggregate,
    ty: Type,
    count: u64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// The number of matches is enough.
    Counted,
    /// How many of the matches are true.
    True(u64),
    /// The sum of ints, times or durations; 2^64 of them fit.
    Whole(i128),
    /// The sum of floats.
    Exact(ExactSum),
    /// Every value, and the share of a percentile: the least that any match gave.
    Values(Vec<Word>, Option<Word>),
    /// Distinct values, and what to write between them: the least that any match gave.
    Distinct(Tally, Option<Symbol>),
    /// The value to give, what it is chosen by, and the type of that.
    Best(Option<(Word, Word)>, Type),
}

impl Accumulator {
    /// An empty group; `args` are the types of the aggregate's arguments.
    pub fn new(aggregate: Aggregate, args: &[Type]) -> Self {
        let ty = match aggregate {
            Aggregate::Count => Type::Int,
            _ => *args.first().or_broken("every aggregate but the count of matches has an argument"),
        };
        let state = match aggregate {
            Aggregate::Count => State::Counted,
            Aggregate::Any | Aggregate::All => State::True(0),
            Aggregate::Sum | Aggregate::Mean if ty == Type::Float => State::Exact(ExactSum::default()),
            Aggregate::Sum | Aggregate::Mean => State::Whole(0),
            Aggregate::StdDev | Aggregate::Median | Aggregate::Percentile => State::Values(Vec::new(), None),
            Aggregate::CountDistinct | Aggregate::Join => State::Distinct(Tally::default(), None),
            Aggregate::Min | Aggregate::Max | Aggregate::ArgMax | Aggregate::ArgMin => {
                State::Best(None, args.get(1).copied().unwrap_or(ty))
            }
        };
        Self { aggregate, ty, count: 0, state }
    }

    /// Takes one match in: the values of the aggregate's arguments for it.
    pub fn add(&mut self, args: &[Word]) {
        self.count += 1;
        match &mut self.state {
            State::Counted => {}
            State::True(count) => *count += u64::from(first(args).as_bool()),
            State::Whole(sum) => *sum += i128::from(first(args).as_int()),
            State::Exact(sum) => sum.add(first(args).as_float()),
            State::Values(values, share) => {
                values.push(first(args));
                let given = args.get(1).copied();
                *share = share.iter().copied().chain(given).min_by_key(|share| share.as_int());
            }
            State::Distinct(tally, separator) => {
                *tally.entry(first(args)).or_insert(0) += 1;
                let given = args.get(1).map(|word| word.as_symbol());
                *separator = separator.iter().copied().chain(given).min();
            }
            State::Best(best, by_type) => {
                let value = first(args);
                let candidate = (value, args.get(1).copied().unwrap_or(value));
                if best.is_none_or(|best| better(self.aggregate, (self.ty, *by_type), candidate, best)) {
                    *best = Some(candidate);
                }
            }
        }
    }

    /// Takes a match out again that was taken in before. `false` where the state can't tell what the group then
    /// is; the group has to be made again from its other matches.
    #[must_use]
    pub fn remove(&mut self, args: &[Word]) -> bool {
        self.count -= 1;
        match &mut self.state {
            State::Counted => {}
            State::True(count) => *count -= u64::from(first(args).as_bool()),
            State::Whole(sum) => *sum -= i128::from(first(args).as_int()),
            State::Exact(sum) => sum.remove(first(args).as_float()),
            State::Values(values, _) => {
                let value = first(args);
                let at = values.iter().position(|other| *other == value).or_broken(TAKEN_IN);
                values.swap_remove(at);
            }
            State::Distinct(tally, _) => take_out(tally, first(args)),
            State::Best(best, _) => {
                let value = first(args);
                return *best != Some((value, args.get(1).copied().unwrap_or(value)));
            }
        }
        true
    }

    /// How many matches are in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The value of the group; `None` where it has none (an overflowing sum, a group without a match).
    pub fn finish(&self) -> Option<Word> {
        match &self.state {
            State::Counted => i64::try_from(self.count).ok().map(Word::from_int),
            State::True(count) => Some(Word::from_bool(match self.aggregate {
                Aggregate::All => *count == self.count,
                _ => *count > 0,
            })),
            State::Whole(sum) => self.whole(*sum),
            State::Exact(sum) => match self.aggregate {
                Aggregate::Mean => sum.mean(self.count).and_then(Word::from_float),
                _ => sum.sum().and_then(Word::from_float),
            },
            State::Values(values, share) => match self.aggregate {
                Aggregate::Median => statistics::median(self.ty, values),
                Aggregate::Percentile => statistics::percentile(values, (*share)?.as_float()),
                _ => statistics::deviation(self.ty, values),
            },
            State::Distinct(tally, separator) => match self.aggregate {
                Aggregate::Join => join(tally, (*separator)?),
                _ => i64::try_from(tally.len()).ok().map(Word::from_int),
            },
            State::Best(best, _) => best.map(|(value, _)| value),
        }
    }

    fn whole(&self, sum: i128) -> Option<Word> {
        match (self.aggregate, self.ty) {
            (Aggregate::Mean, Type::Int) => exact_sum::ratio(sum, self.count).and_then(Word::from_float),
            (Aggregate::Mean, _) => statistics::nearest(sum, self.count).map(Word::from_int),
            _ => i64::try_from(sum).ok().map(Word::from_int),
        }
    }
}

/// Whether the first pair of a value and what it is chosen by goes before the second.
fn better(
    aggregate: Aggregate,
    types: (Type, Type),
    (value, by): (Word, Word),
    (best, best_by): (Word, Word),
) -> bool {
    let order = types.1.compare(by, best_by);
    let wanted =
        if matches!(aggregate, Aggregate::Max | Aggregate::ArgMax) { order.reverse() } else { order };
    wanted.then_with(|| types.0.compare(value, best)).is_lt()
}

fn take_out(tally: &mut Tally, value: Word) {
    let count = tally.get_mut(&value).or_broken(TAKEN_IN);
    *count -= 1;
    if *count == 0 {
        tally.remove(&value);
    }
}

fn join(tally: &Tally, separator: Symbol) -> Option<Word> {
    let mut parts: Vec<_> = tally.keys().map(|word| text::of(*word)).collect();
    parts.sort_unstable();
    text::join(parts.into_iter(), separator.as_str())
}
