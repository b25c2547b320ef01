//! `max(e)`: the greatest value.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::overload::TYPES;
use super::best::{Choice, best, ordered, value};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Max;

impl AggregateFunction for Max {
    fn name(&self) -> &'static str {
        "max"
    }

    fn signatures(&self) -> Vec<Signature> {
        TYPES.iter().map(|&ty| Signature::new(&[ty], ty)).collect()
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
