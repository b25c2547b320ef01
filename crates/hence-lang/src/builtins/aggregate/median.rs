//! `median(e)`: the middle value, or the mean of the middle two.

use hence_core::value::Type::{self, Duration, Float, Int, Time};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::sorted::{OfSorted, Sorted, SortedValues};
use super::state::{first, first_type, states};
use super::statistics;
use super::values::{OfValues, Values};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Median;

impl AggregateFunction for Median {
    fn name(&self) -> &'static str {
        "median"
    }

    fn section(&self) -> &'static str {
        "Numbers"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "median(x)",
            meaning: "The middle value, or the mean of the middle two. The median of ints is a float.",
            examples: &[("median(Ms)", "35.0")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        let types = [(Int, Float), (Float, Float), (Duration, Duration), (Time, Time)];
        types.iter().map(|(arg, result)| Signature::new(&[*arg], *result)).collect()
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        let values: Vec<Word> = matches.iter().map(|args| first(args)).collect();
        statistics::median(first_type(types), &values)
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        first(args) == value
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        let value = |ty, values: &[Word], _| statistics::median(ty, values);
        states::<Values>(OfValues { ty: first_type(types), value })
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        states::<SortedValues>(OfSorted { ty: first_type(types), value: |ty, values, _| middle(ty, values) })
    }
}

fn middle(ty: Type, values: &Sorted) -> Option<Word> {
    let middle = values.len() / 2;
    let lower = if values.len() % 2 == 1 { middle } else { middle.checked_sub(1)? };
    let both = [values.get(lower)?, values.get(middle)?].map(Word::from_int);
    statistics::median(ty, &both)
}
