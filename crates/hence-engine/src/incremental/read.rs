//! What incremental maintenance answers: what changed, single facts, whole relations.

use crate::incremental::Incremental;
use crate::model::{Extent, Model};
use crate::rows::{Row, Rows};
use crate::storage::versioned::{ASSERTED, NEW, VersionedRelation};
use hence_core::schema::RelationId;
use hence_core::value::Word;

impl Incremental {
    pub(crate) fn relation(&self, relation: RelationId) -> &VersionedRelation {
        self.work.store.relation(relation)
    }

    /// The relations of which facts came or went with the last change, in no order that means anything.
    pub fn changed(&self) -> impl Iterator<Item = RelationId> {
        let shown = self.changed.iter().copied().filter(|relation| self.work.store.is_shown(*relation));
        shown.filter(|relation| !self.work.store.relation(*relation).changes().is_empty())
    }

    /// The facts of a relation that came (`true`) and went with the last change, the same from run to run for the
    /// same changes.
    pub fn changes(&self, relation: RelationId) -> impl Iterator<Item = (Row, bool)> {
        let table = self.relation(relation);
        table.changes().iter().map(move |slot| (table.row(*slot).own(), table.is(*slot, NEW)))
    }

    /// Whether a fact holds.
    pub fn holds(&self, relation: RelationId, row: &[Word]) -> bool {
        let table = self.relation(relation);
        table.find(row).is_some_and(|slot| table.is(slot, NEW))
    }

    /// Whether a fact is asserted, whatever rules derive.
    pub fn is_asserted(&self, relation: RelationId, row: &[Word]) -> bool {
        let table = self.relation(relation);
        table.find(row).is_some_and(|slot| table.is(slot, ASSERTED))
    }

    /// How many facts of a relation hold.
    pub fn len(&self, relation: RelationId) -> usize {
        self.relation(relation).holding()
    }

    /// Whether no fact holds at all.
    pub fn is_empty(&self) -> bool {
        self.work.store.shown().all(|table| table.holding() == 0)
    }

    /// The facts of a relation, in no order that means anything.
    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = Row> {
        let table = self.relation(relation);
        (0..table.slots()).filter(|slot| table.is(*slot, NEW)).map(move |slot| table.row(slot).own())
    }

    /// How many rows and elements were looked at, ever: what changes cost, whatever machine they run on.
    pub fn steps(&self) -> u64 {
        self.work.machine.steps
    }

    /// Everything, as an evaluation from scratch gives it.
    pub fn model(&self) -> Model {
        let relations = self.work.store.shown().map(extent);
        Model { relations: relations.collect(), undefined: self.undefined().cloned().collect() }
    }
}

/// The facts of a relation by rank.
fn extent(table: &VersionedRelation) -> Extent {
    let slots = (0..table.slots()).filter(|slot| table.is(*slot, NEW));
    let mut order: Vec<(u32, u32)> = slots.map(|slot| (table.round(slot), slot)).collect();
    order.sort_unstable();
    let (mut rows, mut rounds) = (Rows::new(table.arity()), Vec::new());
    for (round, slot) in order {
        while rounds.len() < round as usize {
            rounds.push(rows.len());
        }
        rows.push(&table.row(slot).own());
    }
    rounds.push(rows.len());
    Extent { rows, rounds }
}
