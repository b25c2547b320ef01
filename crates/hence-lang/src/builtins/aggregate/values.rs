//! The state that keeps every value, in no order.

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};

use super::state::{GroupState, TAKEN_IN, first};

/// What all groups have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfValues {
    /// The type of the values.
    pub(super) ty: Type,
    /// From all values, and the share of a percentile, to that of the group.
    pub(super) value: fn(Type, &[Word], Option<Word>) -> Option<Word>,
}

/// Every value, and the share of a percentile: the least that any match gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    values: Vec<Word>,
    share: Option<Word>,
}

/// The lesser of two shares.
pub(super) fn least(share: Option<Word>, other: Option<Word>) -> Option<Word> {
    share.into_iter().chain(other).min_by_key(|share| share.as_int())
}

impl GroupState for Values {
    type Shared = OfValues;

    fn add(&mut self, _: &OfValues, args: &[Word]) {
        self.values.push(first(args));
        self.share = least(self.share, args.get(1).copied());
    }

    fn merge(&mut self, _: &OfValues, other: &Self) {
        self.values.extend_from_slice(&other.values);
        self.share = least(self.share, other.share);
    }

    fn retract(&mut self, _: &OfValues, args: &[Word]) -> bool {
        let at = self.values.iter().position(|other| *other == first(args)).or_broken(TAKEN_IN);
        self.values.swap_remove(at);
        true
    }

    fn finish(&self, of: &OfValues) -> Option<Word> {
        (of.value)(of.ty, &self.values, self.share)
    }
}
