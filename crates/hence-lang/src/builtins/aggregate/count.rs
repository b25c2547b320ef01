//! `count()`: how many matches there are.

use hence_core::value::{Type, Value, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::state::{GroupState, states};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Count;

impl AggregateFunction for Count {
    fn name(&self) -> &'static str {
        "count"
    }

    fn section(&self) -> &'static str {
        "Counts"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "count(), count(x)",
            meaning: "How many matches a group has; with an argument, how many distinct values.",
            examples: &[("count()", "4"), ("count(Tool)", "3")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        vec![Signature::new(&[], Type::Int)]
    }

    fn of_nothing(&self, _: Type) -> Option<Value> {
        Some(Value::Int(0))
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        i64::try_from(matches.len()).ok().map(Word::from_int)
    }

    fn states(&self, _: &[Type]) -> Box<dyn GroupStates> {
        states::<Matches>(())
    }
}

/// How many matches there are.
#[derive(Clone, Debug, Default)]
struct Matches(u64);

impl GroupState for Matches {
    type Shared = ();

    #[inline]
    fn add(&mut self, (): &(), _: &[Word]) {
        self.0 += 1;
    }

    fn merge(&mut self, (): &(), other: &Self) {
        self.0 += other.0;
    }

    fn retract(&mut self, (): &(), _: &[Word]) -> bool {
        self.0 -= 1;
        true
    }

    fn finish(&self, (): &()) -> Option<Word> {
        i64::try_from(self.0).ok().map(Word::from_int)
    }
}
