//! `mean(e)`: the exact sum divided, rounded once.

use hence_core::value::Type::{self, Duration, Float, Int, Time};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::exact_sum::{self, ExactSum};
use super::statistics;
use super::totals::Total;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Mean;

impl AggregateFunction for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn section(&self) -> &'static str {
        "Numbers"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "mean(x)",
            meaning: "The exact sum divided by the number of matches, rounded once. The mean of ints is a float; that of durations and of times is rounded to the nearest microsecond, halves away from zero.",
            examples: &[("mean(Ms)", "40.0"), ("mean(if(Ok, 1.0, 0.0))", "0.75")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        let types = [(Int, Float), (Float, Float), (Duration, Duration), (Time, Time)];
        types.iter().map(|(arg, result)| Signature::new(&[*arg], *result)).collect()
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        total(types).value(matches)
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        total(types).states()
    }
}

fn total(types: &[Type]) -> Total {
    Total::new(types, whole, ExactSum::mean)
}

fn whole(ty: Type, sum: i128, count: u64) -> Option<Word> {
    match ty {
        Int => exact_sum::ratio(sum, count).and_then(Word::from_float),
        _ => statistics::nearest(sum, count).map(Word::from_int),
    }
}
