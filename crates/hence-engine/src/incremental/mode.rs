//! What a plan of incremental maintenance begins with, and which view each of its literals reads.

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::VarId;

use crate::plan::order::{UNBOUND, guess};
use crate::plan::source::{Catalog, Start};
use crate::storage::index::IndexId;
use crate::storage::versioned::VersionedRelations;
use crate::storage::view::View;

/// Where a plan begins and which state its literals read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// With nothing bound; everything as it is after the change.
    Full,
    /// With the variables of the head bound (of an aggregate, those of the group); everything as it is after the change.
    Head,
    /// With a row that came or went for this literal; those before it as they are after the change, those after it
    /// as they were: so each match that came or went is found once.
    Delta(usize),
    /// With a row for this literal; everything as it is after the change.
    With(usize),
    /// With a row that went for this literal; everything as it was before the change.
    Without(usize),
    /// With the values for which a condition changed by the clock; everything as it was before the change.
    Clock(usize),
    /// With such values; everything as it is after the change.
    ClockWith(usize),
}

impl Mode {
    /// The place of the plan among those of its rule.
    pub(crate) fn place(self) -> usize {
        match self {
            Self::Full => 0,
            Self::Head => 1,
            Self::Delta(at) | Self::With(at) => 2 + at * 4,
            Self::Without(at) => 3 + at * 4,
            Self::Clock(at) => 4 + at * 4,
            Self::ClockWith(at) => 5 + at * 4,
        }
    }

    /// What the plan begins with, in a rule whose conditions have these variables.
    pub(crate) fn start(self, clocked: &[Vec<VarId>]) -> Start<'_> {
        match self {
            Self::Full => Start::Nothing,
            Self::Head => Start::Head,
            Self::Delta(at) | Self::With(at) | Self::Without(at) => Start::Row(at),
            Self::Clock(at) | Self::ClockWith(at) => Start::Variables(&clocked[at]),
        }
    }

    /// The view that each literal reads; those in `own` read the rule's own stratum.
    pub(crate) fn views(self, own: &[bool]) -> Vec<View> {
        let view = |(at, own): (usize, &bool)| match self {
            _ if *own => View::Ranked,
            Self::Delta(delta) if at > delta => View::Old,
            Self::Without(_) | Self::Clock(_) => View::Old,
            _ => View::All,
        };
        own.iter().enumerate().map(view).collect()
    }
}

impl Catalog for VersionedRelations {
    /// By an index where there is one, else guessed.
    fn estimate(&mut self, relation: RelationId, _: View, bound: &[u32]) -> f64 {
        let relation = self.relation(relation);
        let rows = relation.len() as f64;
        match relation.find_index(bound).map(|index| relation.index(index)) {
            _ if bound.is_empty() => rows * UNBOUND,
            Some(index) => rows / index.keys().max(1) as f64,
            None => guess(rows, bound.len(), relation.arity()),
        }
    }

    fn find_index(&self, relation: RelationId, columns: &[u32]) -> Option<IndexId> {
        self.relation(relation).find_index(columns)
    }

    fn index_on(&mut self, relation: RelationId, columns: &[u32]) -> Option<IndexId> {
        Some(self.relation_mut(relation).index_on(columns))
    }

    /// Never: what is small now may have grown by the next change.
    fn is_below_scan_threshold(&self, _: RelationId) -> bool {
        false
    }
}
