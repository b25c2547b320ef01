//! `stddev(e)`: the standard deviation of the population.

use hence_core::value::Type::{self, Float, Int};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::WordEntry;
use super::state::{first, first_type, states};
use super::statistics;
use super::values::{OfValues, Values};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct StdDev;

impl AggregateFunction for StdDev {
    fn name(&self) -> &'static str {
        "stddev"
    }

    fn section(&self) -> &'static str {
        "Numbers"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "stddev(x)",
            meaning: "The standard deviation of the population. Where the square of a difference from the mean is beyond a float, it is undefined.",
            examples: &[("stddev(if(Ok, 1, 1))", "0.0"), ("stddev(Ms)", "25.495097567963924")],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        [Int, Float].iter().map(|&ty| Signature::new(&[ty], Float)).collect()
    }

    fn may_fail(&self) -> bool {
        true
    }

    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        let values: Vec<Word> = matches.iter().map(|args| first(args)).collect();
        statistics::deviation(first_type(types), &values)
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        let value = |ty, values: &[Word], _| statistics::deviation(ty, values);
        states::<Values>(OfValues { ty: first_type(types), value })
    }
}
