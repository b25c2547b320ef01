//! `any(b)`: whether some match is true.

use hence_core::value::Type::{self, Bool};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::state::{first, states};
use super::truths::Truths;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Any;

impl AggregateFunction for Any {
    fn name(&self) -> &'static str {
        "any"
    }

    fn section(&self) -> &'static str {
        "Counts"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "any(b)",
            meaning: "Whether `b` is true in a match of the group.",
            examples: &[("any(Ms > 50)", "true")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        vec![Signature::new(&[Bool], Bool)]
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        Some(Word::from_bool(matches.iter().any(|args| first(args).as_bool())))
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        value.as_bool() && first(args).as_bool()
    }

    fn states(&self, _: &[Type]) -> Box<dyn GroupStates> {
        states::<Truths>(|truths, _| truths > 0)
    }
}
