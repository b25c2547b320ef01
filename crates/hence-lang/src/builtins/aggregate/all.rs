//! `all(b)`: whether all matches are true.

use hence_core::value::Type::{self, Bool};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::state::{first, states};
use super::truths::Truths;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct All;

impl AggregateFunction for All {
    fn name(&self) -> &'static str {
        "all"
    }

    fn section(&self) -> &'static str {
        "Counts"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "all(b)",
            meaning: "Whether `b` is true in every match of the group.",
            examples: &[("all(Ok)", "false")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        vec![Signature::new(&[Bool], Bool)]
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        Some(Word::from_bool(matches.iter().all(|args| first(args).as_bool())))
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        !value.as_bool() && !first(args).as_bool()
    }

    fn states(&self, _: &[Type]) -> Box<dyn GroupStates> {
        states::<Truths>(|truths, matches| truths == matches)
    }
}
