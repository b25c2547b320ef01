//! The state that counts how many matches are true.

use hence_core::value::Word;

use super::state::{GroupState, first};

/// How many of how many matches are true.
#[derive(Clone, Debug, Default)]
pub(super) struct Truths {
    truths: u64,
    matches: u64,
}

impl GroupState for Truths {
    /// The value of so many true matches of so many.
    type Shared = fn(u64, u64) -> bool;

    fn add(&mut self, _: &Self::Shared, args: &[Word]) {
        self.truths += u64::from(first(args).as_bool());
        self.matches += 1;
    }

    fn merge(&mut self, _: &Self::Shared, other: &Self) {
        self.truths += other.truths;
        self.matches += other.matches;
    }

    fn retract(&mut self, _: &Self::Shared, args: &[Word]) -> bool {
        self.truths -= u64::from(first(args).as_bool());
        self.matches -= 1;
        true
    }

    fn finish(&self, value: &Self::Shared) -> Option<Word> {
        Some(Word::from_bool(value(self.truths, self.matches)))
    }
}
