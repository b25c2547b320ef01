//! `count(X)`: how many distinct values there are.

use std::collections::BTreeSet;

use hence_core::value::{Type, Value, Word};

use super::super::op::Signature;
use super::super::overload::TYPES;
use super::super::reference::WordEntry;
use super::count::Count;
use super::distinct::Distinct;
use super::state::{first, states};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct CountDistinct;

impl AggregateFunction for CountDistinct {
    fn name(&self) -> &'static str {
        "count"
    }

    fn section(&self) -> &'static str {
        Count.section()
    }

    fn entry(&self) -> WordEntry {
        Count.entry()
    }

    fn signatures(&self) -> Vec<Signature> {
        TYPES.iter().map(|&ty| Signature::new(&[ty], Type::Int)).collect()
    }

    fn of_nothing(&self, _: Type) -> Option<Value> {
        Some(Value::Int(0))
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        let values: BTreeSet<Word> = matches.iter().map(|args| first(args)).collect();
        count(values.len())
    }

    fn states(&self, _: &[Type]) -> Box<dyn GroupStates> {
        states::<Distinct>(|tally, _| count(tally.len()))
    }
}

fn count(values: usize) -> Option<Word> {
    i64::try_from(values).ok().map(Word::from_int)
}
