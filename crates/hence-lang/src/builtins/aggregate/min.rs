//! `min(e)`: the least value.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::overload::TYPES;
use super::best::{Choice, best, ordered, value};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Min;

impl AggregateFunction for Min {
    fn name(&self) -> &'static str {
        "min"
    }

    fn signatures(&self) -> Vec<Signature> {
        TYPES.iter().map(|&ty| Signature::new(&[ty], ty)).collect()
    }

    fn picks(&self) -> bool {
        true
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        value(Choice::new(types, false), matches)
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        best(types, false)
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        ordered(types, false)
    }
}
