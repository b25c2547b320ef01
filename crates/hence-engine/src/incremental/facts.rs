//! Single facts of incremental maintenance, looked up by some of their columns.

use super::LARGE;
use crate::incremental::Incremental;
use crate::model::FactSource;
use crate::rows::Row;
use crate::storage::index::IndexId;
use crate::storage::packed::NONE;
use crate::storage::versioned::{NEW, VersionedRelation};
use std::sync::PoisonError;

use smallvec::SmallVec;

use hence_core::schema::RelationId;
use hence_core::value::Word;

/// Of so few rows each is looked at; where there are more, an index is wanted for the next time.
const FEW: u32 = 64;

/// Columns and the words that they must have.
type KeyWords = SmallVec<[(u32, Word); 8]>;

impl FactSource for Incremental {
    fn count(&self, relation: RelationId) -> usize {
        self.len(relation)
    }

    fn has_asserted(&self, relation: RelationId) -> bool {
        self.relation(relation).asserted() > 0
    }

    fn fact(&self, relation: RelationId, number: u32) -> Row {
        self.relation(relation).row(number).own()
    }

    fn rank(&self, relation: RelationId, number: u32) -> usize {
        self.relation(relation).round(number) as usize
    }

    fn each(
        &self,
        relation: RelationId,
        key: &[Option<Word>],
        below: usize,
        visit: &mut dyn FnMut(u32) -> bool,
    ) {
        let table = self.relation(relation);
        let words = (0u32..).zip(key).filter_map(|(column, word)| word.map(|word| (column, word)));
        let wanted: KeyWords = words.collect();
        let fits = |slot: u32| {
            let row = table.row(slot);
            table.is(slot, NEW)
                && wanted.iter().all(|(column, word)| row.word(*column as usize) == *word)
                && (below == usize::MAX || (table.round(slot) as usize) < below)
        };
        if wanted.len() == table.arity() {
            let row: SmallVec<[Word; 8]> = wanted.iter().map(|(_, word)| *word).collect();
            table.find(&row).filter(|slot| fits(*slot)).into_iter().all(visit);
            return;
        }
        let Some((index, first)) = narrowest(table, &wanted) else {
            if !wanted.is_empty() && table.slots() > FEW {
                self.want(relation, &wanted);
            }
            (0..table.slots()).filter(|slot| fits(*slot)).all(visit);
            return;
        };
        if table.index(index).columns().len() < wanted.len() {
            self.want(relation, &wanted);
        }
        let mut slot = first;
        while slot != NONE && (!fits(slot) || visit(slot)) {
            slot = table.next(index, slot);
        }
    }
}

/// The index on most of the wanted columns, and its first row.
fn narrowest(table: &VersionedRelation, wanted: &KeyWords) -> Option<(IndexId, u32)> {
    let words = |columns: &[u32]| -> Option<SmallVec<[Word; 8]>> {
        let word = |column: &u32| wanted.iter().find(|(other, _)| other == column).map(|(_, word)| *word);
        columns.iter().map(word).collect()
    };
    let usable =
        table.indexes().filter_map(|(at, index)| Some((index.columns().len(), at, words(index.columns())?)));
    let (_, at, key) = usable.filter(|(width, ..)| *width > 0).max_by_key(|(width, ..)| *width)?;
    Some((at, table.first(at, &key)))
}

impl Incremental {
    /// Remembers an index that would have helped.
    fn want(&self, relation: RelationId, wanted: &KeyWords) {
        let columns: Vec<u32> = wanted.iter().map(|(column, _)| *column).collect();
        let mut list = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|known| known.0 == relation && known.1 == columns) {
            list.push((relation, columns));
        }
    }

    /// Says that a relation will be looked through by some of its columns, ascending; where it is large, the index for
    /// that is built at once.
    pub fn expect(&mut self, relation: RelationId, columns: &[u32]) {
        let fits = |table: &VersionedRelation| {
            let ascending = columns.is_sorted_by(|one, other| one < other);
            let last = columns.last().map_or(0, |last| *last as usize);
            ascending && last < table.arity() && !columns.is_empty() && columns.len() < table.arity()
        };
        let large = |table: &VersionedRelation| u64::from(table.slots()) >= LARGE;
        let table = self.relation(relation);
        if fits(table) && large(table) {
            self.work.store.relation_mut(relation).index_on(columns);
        }
    }

    /// Builds the indexes that would have helped.
    pub(crate) fn build_wanted(&mut self) {
        let list = self.wanted.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (relation, columns) in list.drain(..) {
            self.work.store.relation_mut(relation).index_on(&columns);
        }
    }
}
