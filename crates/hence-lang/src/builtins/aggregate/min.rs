//! `min(e)`: the least value.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::best::{Choice, best, of_any, ordered, value};
use super::state::first;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Min;

impl AggregateFunction for Min {
    fn name(&self) -> &'static str {
        "min"
    }

    fn section(&self) -> &'static str {
        "Choice"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "min(x)",
            meaning: "The smallest value. With two arguments, `min` is a function.",
            examples: &[("min(Ms)", "10")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        of_any()
    }

    fn picks(&self) -> bool {
        true
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        value(Choice::new(types, false), matches)
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        first(args) == value
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        best(types, false)
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        ordered(types, false)
    }
}
