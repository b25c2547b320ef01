//! `percentile(e, p)`: the nearest rank, `p` above 0 and up to 1.

use hence_core::value::Type::{self, Duration, Float, Int, Time};
use hence_core::value::Word;

use super::super::op::Signature;
use super::super::reference::{NO_RESULT, WordEntry};
use super::sorted::{OfSorted, Sorted, SortedValues};
use super::state::{first, first_type, states};
use super::statistics;
use super::values::{OfValues, Values, least};
use super::{AggregateFunction, GroupStates};

/// The aggregate.
pub(super) struct Percentile;

impl AggregateFunction for Percentile {
    fn name(&self) -> &'static str {
        "percentile"
    }

    fn section(&self) -> &'static str {
        "Numbers"
    }

    fn entry(&self) -> WordEntry {
        WordEntry {
            name: self.name(),
            form: "percentile(x, share)",
            meaning: "The nearest rank: the smallest value such that at least `share` of all are not above it. For a share that is not above 0 and at most 1 it is undefined.",
            examples: &[("percentile(Ms, 0.75)", "40"), ("percentile(Ms, 0.0)", NO_RESULT)],
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        [Int, Float, Duration, Time].iter().map(|&ty| Signature::new(&[ty, Float], ty)).collect()
    }

    fn may_fail(&self) -> bool {
        true
    }

    fn constant_argument(&self) -> Option<&'static str> {
        Some("the share of `percentile`")
    }

    fn value(&self, _: &[Type], matches: &[Vec<Word>]) -> Option<Word> {
        let values: Vec<Word> = matches.iter().map(|args| first(args)).collect();
        let share = matches.iter().fold(None, |share, args| least(share, args.get(1).copied()));
        statistics::percentile(&values, share?.as_float())
    }

    fn gives(&self, args: &[Word], value: Word) -> bool {
        first(args) == value
    }

    fn states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        let value =
            |_, values: &[Word], share: Option<Word>| statistics::percentile(values, share?.as_float());
        states::<Values>(OfValues { ty: first_type(types), value })
    }

    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        let value = |_, values: &Sorted, share: Option<Word>| {
            let place = statistics::percentile_place(values.len(), share?.as_float())?;
            values.get(place).map(Word::from_int)
        };
        states::<SortedValues>(OfSorted { ty: first_type(types), value })
    }
}
