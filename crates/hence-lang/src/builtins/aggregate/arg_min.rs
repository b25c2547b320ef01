//! `arg_min(X, by)`: the value with the least key; of several, the smallest.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::best::{Choice, best, of_any_by_any, ordered, value};
use super::state::first;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct ArgMin;

impl AggregateFunction for ArgMin {
    fn name(&self) -> &'static str {
        "arg_min"
    }

    fn section(&self) -> &'static str {
        "Choice"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "arg_min(x, by)",
            meaning: "The `x` of the match with the smallest `by`; of several, the smallest `x`.",
            examples: &[("arg_min(Tool, Ms)", "\"grep\"")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        of_any_by_any()
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
