//! What the facts of an input have in common, column by column: a made-up fact that lacks it is no likely one.

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};

use super::Finder;
use super::nearest;
use super::want::Want;

/// How many facts show what is common to them, and how many are looked at.
const ROWS: (usize, usize) = (3, 10_000);

/// What holds of all facts of an input.
#[derive(Clone, Debug, Default)]
pub(super) struct Habits {
    types: Vec<Type>,
    /// Pairs of columns of one type of which the first is never above the second.
    ordered: Vec<(usize, usize)>,
    /// Columns of numbers that are never below zero.
    positive: Vec<usize>,
    /// Columns of floats that are never above one.
    shares: Vec<usize>,
}

impl Habits {
    /// What the facts of a relation have in common; nothing where there are few.
    pub(super) fn of(finder: &Finder<'_>, relation: RelationId) -> Self {
        let types = finder.context.types(relation).to_vec();
        let Some(extent) = finder.context.store.extent(relation) else { return Self::default() };
        if extent.rows.len() < ROWS.0 {
            return Self::default();
        }
        let counts = |ty: &Type| matches!(ty, Type::Int | Type::Float | Type::Time | Type::Duration);
        let numbers: Vec<usize> = (0..types.len()).filter(|at| types.get(*at).is_some_and(counts)).collect();
        let pairs = numbers.iter().flat_map(|one| numbers.iter().map(move |other| (*one, *other)));
        let like = |(one, other): &(usize, usize)| one != other && types.get(*one) == types.get(*other);
        let mut habits = Self {
            ordered: pairs.filter(like).collect(),
            positive: numbers.clone(),
            shares: numbers.into_iter().filter(|at| types.get(*at) == Some(&Type::Float)).collect(),
            types,
        };
        for row in extent.rows.iter().take(ROWS.1) {
            habits.keep(row);
        }
        habits
    }

    /// Drops what doesn't hold of a fact.
    fn keep(&mut self, row: &[Word]) {
        let number = |at: usize| number(&self.types, row, at);
        let is_above = |(one, other): &(usize, usize)| number(*one) > number(*other);
        let ordered = self.ordered.iter().copied().filter(|pair| !is_above(pair)).collect();
        let positive = self.positive.iter().copied().filter(|at| number(*at) >= Some(0.0)).collect();
        let shares = self.shares.iter().copied().filter(|at| number(*at) <= Some(1.0)).collect();
        (self.ordered, self.positive, self.shares) = (ordered, positive, shares);
    }

    /// Whether a fact lacks what the others have in common.
    pub(super) fn are_broken_by(&self, row: &[Word]) -> bool {
        let number = |at: usize| number(&self.types, row, at);
        self.ordered.iter().any(|(one, other)| number(*one) > number(*other))
            || self.positive.iter().any(|at| number(*at) < Some(0.0))
            || self.shares.iter().any(|at| number(*at) > Some(1.0))
    }

    /// Brings columns of which nothing is wanted into the order that the facts have.
    pub(super) fn put_in_order(&self, row: &mut [Word], wants: &[Want]) {
        let is_free = |at: usize| wants.get(at) == Some(&Want::Any);
        for (one, other) in self.ordered.iter().copied() {
            if number(&self.types, row, one) <= number(&self.types, row, other) {
                continue;
            }
            let (from, to) = match (is_free(one), is_free(other)) {
                (_, true) => (one, other),
                (true, false) => (other, one),
                (false, false) => continue,
            };
            if let (Some(word), true) = (row.get(from).copied(), from != to) {
                row.iter_mut().skip(to).take(1).for_each(|slot| *slot = word);
            }
        }
    }
}

/// The number in a column.
fn number(types: &[Type], row: &[Word], at: usize) -> Option<f64> {
    let word = *row.get(at)?;
    nearest::numbers(*types.get(at)?, word, word).map(|(number, _)| number)
}
