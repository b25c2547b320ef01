//! `arg_max(X, by)`: the value with the greatest key; of several, the smallest.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::overload::TYPES;
use super::best::{Choice, best, ordered, value};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct ArgMax;

impl AggregateFunction for ArgMax {
    fn name(&self) -> &'static str {
        "arg_max"
    }

    fn signatures(&self) -> Vec<Signature> {
        let by = |value: Type| TYPES.iter().map(move |&by| Signature::new(&[value, by], value));
        TYPES.iter().flat_map(|&value| by(value)).collect()
    }

    fn picks(&self) -> bool {
        true
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        value(Choice::new(types, true), matches)
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        best(types, true)
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        ordered(types, true)
    }
}
