//! `sum(e)`: the exact sum, of floats rounded once.

use hence_core::value::Type::{self, Duration, Float, Int};
use hence_core::value::{Value, Word};

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::totals::Total;
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Sum;

impl AggregateFunction for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn section(&self) -> &'static str {
        "Numbers"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "sum(x)",
            meaning: "The sum. That of floats is exact and rounded once, so no order changes it. On overflow it is undefined.",
            examples: &[("sum(Ms)", "160")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        let types = [(Int, Int), (Float, Float), (Duration, Duration)];
        types.iter().map(|(arg, result)| Signature::new(&[*arg], *result)).collect()
    }

    fn may_fail(&self) -> bool {
        true
    }

    fn of_nothing(&self, result: Type) -> Option<Value> {
        let zero = if result == Float { Word::from_float(0.0)? } else { Word::from_int(0) };
        Some(Value::from_word(result, zero))
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        total(types).value(matches)
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        total(types).uncounted_states()
    }
}

fn total(types: &[Type]) -> Total {
    Total::new(types, whole, |sum, _| sum.sum())
}

fn whole(_: Type, sum: i128, _: u64) -> Option<Word> {
    i64::try_from(sum).ok().map(Word::from_int)
}
