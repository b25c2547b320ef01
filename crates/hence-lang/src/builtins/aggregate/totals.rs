//! States that keep an exact sum and how many values it has.

use hence_core::value::{Type, Word};

use super::exact_sum::ExactSum;
use super::state::{GroupState, GroupStates, first, first_type, states};

/// What a sum makes of its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Total {
    /// The type of the values.
    pub(super) ty: Type,
    /// From the sum of ints, times or durations, and how many they are.
    pub(super) whole: fn(Type, i128, u64) -> Option<Word>,
    /// From the sum of floats.
    pub(super) exact: fn(&ExactSum, u64) -> Option<f64>,
}

impl Total {
    /// The value over all matches.
    pub(super) fn value(self, matches: &[Vec<Word>]) -> Option<Word> {
        let count = matches.len() as u64;
        if self.ty == Type::Float {
            let mut sum = ExactSum::default();
            matches.iter().for_each(|args| sum.add(first(args).as_float()));
            return (self.exact)(&sum, count).and_then(Word::from_float);
        }
        (self.whole)(self.ty, matches.iter().map(|args| i128::from(first(args).as_int())).sum(), count)
    }

    /// The states of groups.
    pub(super) fn states(self) -> Box<dyn GroupStates> {
        if self.ty == Type::Float { states::<Exact>(self) } else { states::<Whole>(self) }
    }

    /// The same where it doesn't matter how many values there are.
    pub(super) fn uncounted_states(self) -> Box<dyn GroupStates> {
        if self.ty == Type::Float { states::<Exact>(self) } else { states::<Uncounted>(self) }
    }

    /// A total of values of the first argument's type.
    pub(super) fn new(
        types: &[Type],
        whole: fn(Type, i128, u64) -> Option<Word>,
        exact: fn(&ExactSum, u64) -> Option<f64>,
    ) -> Self {
        Self { ty: first_type(types), whole, exact }
    }
}

/// The sum of ints, times or durations; 2^64 of them fit.
#[derive(Clone, Debug, Default)]
struct Whole {
    sum: i128,
    count: u64,
}

impl GroupState for Whole {
    type Shared = Total;

    #[inline]
    fn add(&mut self, _: &Total, args: &[Word]) {
        self.sum += i128::from(first(args).as_int());
        self.count += 1;
    }

    fn merge(&mut self, _: &Total, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    fn retract(&mut self, _: &Total, args: &[Word]) -> bool {
        self.sum -= i128::from(first(args).as_int());
        self.count -= 1;
        true
    }

    fn finish(&self, total: &Total) -> Option<Word> {
        (total.whole)(total.ty, self.sum, self.count)
    }
}

/// The same without their number: the states of many groups take half the room.
#[derive(Clone, Debug, Default)]
struct Uncounted(i128);

impl GroupState for Uncounted {
    type Shared = Total;

    #[inline]
    fn add(&mut self, _: &Total, args: &[Word]) {
        self.0 += i128::from(first(args).as_int());
    }

    fn merge(&mut self, _: &Total, other: &Self) {
        self.0 += other.0;
    }

    fn retract(&mut self, _: &Total, args: &[Word]) -> bool {
        self.0 -= i128::from(first(args).as_int());
        true
    }

    fn finish(&self, total: &Total) -> Option<Word> {
        (total.whole)(total.ty, self.0, 0)
    }
}

/// The sum of floats.
#[derive(Clone, Debug, Default)]
struct Exact {
    sum: ExactSum,
    count: u64,
}

impl GroupState for Exact {
    type Shared = Total;

    fn add(&mut self, _: &Total, args: &[Word]) {
        self.sum.add(first(args).as_float());
        self.count += 1;
    }

    fn merge(&mut self, _: &Total, other: &Self) {
        self.sum.merge(&other.sum);
        self.count += other.count;
    }

    fn retract(&mut self, _: &Total, args: &[Word]) -> bool {
        self.sum.remove(first(args).as_float());
        self.count -= 1;
        true
    }

    fn finish(&self, total: &Total) -> Option<Word> {
        (total.exact)(&self.sum, self.count).and_then(Word::from_float)
    }
}
