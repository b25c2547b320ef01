//! The state that keeps distinct values.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::Word;

use super::state::{GroupState, TAKEN_IN, first};

/// How often each value is in a group.
pub(super) type Tally = HashMap<Word, u64, BuildHasherDefault<ahash::AHasher>>;

/// Distinct values, and what to write between them: the least that any match gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    tally: Tally,
    separator: Option<Symbol>,
}

impl Distinct {
    fn offer(&mut self, separator: Option<Symbol>) {
        self.separator = self.separator.into_iter().chain(separator).min();
    }
}

impl GroupState for Distinct {
    /// The value of a group.
    type Shared = fn(&Tally, Option<Symbol>) -> Option<Word>;

    fn add(&mut self, _: &Self::Shared, args: &[Word]) {
        *self.tally.entry(first(args)).or_insert(0) += 1;
        self.offer(args.get(1).map(|word| word.as_symbol()));
    }

    fn merge(&mut self, _: &Self::Shared, other: &Self) {
        other.tally.iter().for_each(|(value, count)| *self.tally.entry(*value).or_insert(0) += count);
        self.offer(other.separator);
    }

    fn retract(&mut self, _: &Self::Shared, args: &[Word]) -> bool {
        let count = self.tally.get_mut(&first(args)).or_broken(TAKEN_IN);
        *count -= 1;
        if *count == 0 {
            self.tally.remove(&first(args));
        }
        true
    }

    fn finish(&self, value: &Self::Shared) -> Option<Word> {
        value(&self.tally, self.separator)
    }
}
