//! `arg_max(X, by)`: the value with the greatest key; of several, the smallest.

use hence_core::value::{Type, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::best::{Choice, best, of_any_by_any, ordered, value};
use super::state::first;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct ArgMax;

impl AggregateFunction for ArgMax {
    fn name(&self) -> &'static str {
        "arg_max"
    }

    fn section(&self) -> &'static str {
        "Choice"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "arg_max(x, by)",
            meaning: "The `x` of the match with the largest `by`; of several, the smallest `x`.",
            examples: &[("arg_max(Tool, Ms)", "\"pytest\""), ("arg_max(Tool, if(Ok, 1, 0))", "\"grep\"")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        of_any_by_any()
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
