//! `max(e)`: the greatest value.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::best::{Choice, best, of_any, ordered, value};
use super::state::first;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Max;

impl AggregateFunction for Max {
    fn name(&self) -> &'static str {
        "max"
    }

    fn section(&self) -> &'static str {
        "Choice"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "max(x)",
            meaning: "The largest value. With two arguments, `max` is a function.",
            examples: &[("max(Ms)", "80")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        of_any()
    }

    fn picks(&self) -> bool {
        true
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        value(Choice::new(types, true), matches)
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        first(args) == value
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        best(types, true)
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        ordered(types, true)
    }
}
