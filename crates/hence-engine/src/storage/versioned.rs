//! The facts of incremental maintenance. The life of a fact: it is asserted or derived and gets a slot, in which it is
//! seen only by what reads the new state; the next change makes it an old one. Once nothing supports it any more, it is
//! seen only by what reads the old state, and the next change gives its slot away.
#![expect(clippy::indexing_slicing, reason = "hot: slots are numbers that a relation itself gives out")]

use super::hash::hash;
use crate::storage::chain_index::{ChainIndex, NONE, SlotRows};
use crate::storage::fact_state::{FactState, Ranks};
use crate::storage::index::IndexId;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use hence_core::meter::Bound;

use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::Program;

/// It held before the change at hand.
pub(crate) const OLD: u8 = 1;
/// It holds after it.
pub(crate) const NEW: u8 = 1 << 1;
/// It is asserted.
pub(crate) const ASSERTED: u8 = 1 << 2;
/// A rule file holds it.
pub(crate) const PROGRAM_FACT: u8 = 1 << 3;
/// It is among [`VersionedRelation::touched`].
const TOUCHED: u8 = 1 << 4;
/// It is overdeleted; see `recursion`.
pub(crate) const OVERDELETED: u8 = 1 << 5;

/// For how many changed facts a relation keeps room from one change to the next.
const KEPT: usize = 4096;

/// How a relation comes to its facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Asserted only.
    Asserted,
    /// By the number of its derivations.
    Counted,
    /// By the least rank over its derivations, some of which use facts of its own stratum.
    Ranked,
}

/// One relation.
#[derive(Debug)]
pub(crate) struct VersionedRelation {
    arity: usize,
    support: Support,
    /// Slot by slot the row and after it, so that both are at hand together, its [`FactState`]; of a recursive relation
    /// then its [`Ranks`].
    words: Vec<Word>,
    slots: u32,
    free: Vec<u32>,
    members: HashTable<u32>,
    indexes: IndexVec<IndexId, ChainIndex>,
    touched: Vec<u32>,
    changes: Vec<u32>,
    dead: Vec<u32>,
    holding: usize,
    asserted: usize,
}

impl VersionedRelation {
    fn new(arity: usize, support: Support) -> Self {
        Self {
            arity,
            support,
            words: Vec::new(),
            slots: 0,
            free: Vec::new(),
            members: HashTable::new(),
            indexes: IndexVec::default(),
            touched: Vec::new(),
            changes: Vec::new(),
            dead: Vec::new(),
            holding: 0,
            asserted: 0,
        }
    }

    /// Words a slot.
    #[inline]
    fn stride(&self) -> usize {
        self.arity + if self.support == Support::Ranked { 2 } else { 1 }
    }

    #[inline]
    fn rows(&self) -> SlotRows<'_> {
        SlotRows { words: &self.words, arity: self.arity, stride: self.stride() }
    }

    #[inline]
    fn state(&self, slot: u32) -> FactState {
        FactState(self.words[slot as usize * self.stride() + self.arity].0)
    }

    #[inline]
    fn put(&mut self, slot: u32, state: FactState) {
        let at = slot as usize * self.stride() + self.arity;
        self.words[at] = Word(state.0);
    }

    #[inline]
    fn ranks(&self, slot: u32) -> Ranks {
        Ranks(self.words[slot as usize * self.stride() + self.arity + 1].0)
    }

    fn put_ranks(&mut self, slot: u32, ranks: Ranks) {
        let at = slot as usize * self.stride() + self.arity + 1;
        self.words[at] = Word(ranks.0);
    }

    /// How many columns it has.
    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    /// How many facts hold after the change at hand.
    pub(crate) fn holding(&self) -> usize {
        self.holding
    }

    /// How many facts have a slot.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// How many slots there are; a slot without flags that matter may be free.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// The row in a slot.
    #[inline]
    pub(crate) fn row(&self, slot: u32) -> &[Word] {
        self.rows().row(slot)
    }

    /// Whether one of `flags` is set.
    #[inline]
    pub(crate) fn is(&self, slot: u32, flags: u8) -> bool {
        self.state(slot).flags() & flags != 0
    }

    /// Sets flags.
    pub(crate) fn set(&mut self, slot: u32, flags: u8) {
        let before = self.is(slot, ASSERTED | PROGRAM_FACT);
        self.put(slot, self.state(slot).with(flags));
        self.asserted += usize::from(!before && self.is(slot, ASSERTED | PROGRAM_FACT));
    }

    /// Takes flags away.
    pub(crate) fn unset(&mut self, slot: u32, flags: u8) {
        let before = self.is(slot, ASSERTED | PROGRAM_FACT);
        self.put(slot, self.state(slot).without(flags));
        self.asserted -= usize::from(before && !self.is(slot, ASSERTED | PROGRAM_FACT));
    }

    /// The settled rank of a recursive relation's fact; [`NONE`] where there is none yet.
    #[inline]
    pub(crate) fn rank(&self, slot: u32) -> u32 {
        self.ranks(slot).settled()
    }

    /// Settles a rank.
    pub(crate) fn settle_rank(&mut self, slot: u32, rank: u32) {
        self.put_ranks(slot, Ranks::new(rank, rank));
    }

    /// Takes all ranks away.
    pub(crate) fn forget_ranks(&mut self) {
        (0..self.slots).for_each(|slot| self.put_ranks(slot, Ranks::new(NONE, NONE)));
    }

    /// Whether an old fact's slot holds this row.
    #[inline]
    pub(crate) fn is_in(&self, slot: u32, row: &[Word]) -> bool {
        slot < self.slots() && self.is(slot, OLD) && self.row(slot) == row
    }

    /// The rank, or a smaller one that waits.
    pub(crate) fn best(&self, slot: u32) -> u32 {
        self.ranks(slot).best()
    }

    /// Lets a rank wait.
    pub(crate) fn propose(&mut self, slot: u32, rank: u32) {
        self.put_ranks(slot, Ranks::new(self.rank(slot), rank));
    }

    /// The rank that a fact has by itself: 0 where it is given, 1 where a rule over lower strata derives it.
    #[inline]
    pub(crate) fn base(&self, slot: u32) -> u32 {
        let state = self.state(slot);
        if state.flags() & (ASSERTED | PROGRAM_FACT) != 0 {
            0
        } else if state.count() > 0 {
            1
        } else {
            NONE
        }
    }

    /// The round in which a fact is derived.
    pub(crate) fn round(&self, slot: u32) -> u32 {
        if self.support == Support::Ranked { self.rank(slot) } else { self.base(slot) }
    }

    /// The slot of a row that has one.
    #[inline]
    pub(crate) fn find(&self, row: &[Word]) -> Option<u32> {
        self.members.find(hash(row), |slot| self.row(*slot) == row).copied()
    }

    /// The slot of a row, given to it where it has none yet, and whether that was so.
    pub(crate) fn hold(&mut self, row: &[Word]) -> Result<(u32, bool), Bound> {
        let (arity, stride) = (self.arity, self.stride());
        let words = &mut self.words;
        let at = |slot: &u32| *slot as usize * stride..*slot as usize * stride + arity;
        let entry =
            self.members.entry(hash(row), |slot| words[at(slot)] == *row, |slot| hash(&words[at(slot)]));
        let place = match entry {
            Entry::Occupied(found) => return Ok((*found.get(), false)),
            Entry::Vacant(place) => place,
        };
        let slot = self.free.pop().unwrap_or(self.slots);
        if slot == NONE {
            return Err(Bound::Facts(u64::from(NONE)));
        }
        place.insert(slot);
        if slot == self.slots {
            words.extend_from_slice(row);
            words.push(Word(FactState::default().0));
            if self.support == Support::Ranked {
                words.push(Word(Ranks::new(NONE, NONE).0));
            }
            self.slots += 1;
        } else {
            words[at(&slot)].copy_from_slice(row);
        }
        let rows = SlotRows { words: &self.words, arity, stride };
        self.indexes.iter_mut().for_each(|index| index.insert(rows, slot));
        Ok((slot, true))
    }

    /// Adds to the number of a fact's derivations.
    pub(crate) fn count(&mut self, slot: u32, by: i64) {
        self.put(slot, self.state(slot).counted(by));
        self.touch(slot);
    }

    /// Notes that a fact may have come or gone.
    pub(crate) fn touch(&mut self, slot: u32) {
        let state = self.state(slot);
        if state.flags() & TOUCHED == 0 {
            self.put(slot, state.with(TOUCHED));
            self.touched.push(slot);
        }
    }

    /// The fact touched at a place.
    pub(crate) fn touched(&self, at: usize) -> Option<u32> {
        self.touched.get(at).copied()
    }

    /// Works out which of the touched facts came and which went.
    pub(crate) fn settle(&mut self) {
        for at in 0..self.touched.len() {
            let slot = self.touched[at];
            let holds = match self.support {
                Support::Ranked => self.rank(slot) != NONE,
                _ => self.base(slot) != NONE,
            };
            let state = self.state(slot);
            let held = state.flags() & OLD != 0;
            let quiet = state.without(NEW | TOUCHED | OVERDELETED);
            self.put(slot, if holds { quiet.with(NEW) } else { quiet });
            match (held, holds) {
                (false, false) => self.dead.push(slot),
                (true, true) => {}
                _ => self.changes.push(slot),
            }
            self.holding = self.holding + usize::from(holds) - usize::from(held);
        }
        self.touched.clear();
    }

    /// Which facts came and went.
    pub(crate) fn changes(&self) -> &[u32] {
        &self.changes
    }

    /// The change at hand is over: what came is old, what went gives its slot away.
    pub(crate) fn close(&mut self) {
        for at in 0..self.dead.len() {
            self.release(self.dead[at]);
        }
        for at in 0..self.changes.len() {
            let slot = self.changes[at];
            let state = self.state(slot);
            if state.flags() & NEW != 0 {
                self.put(slot, state.with(OLD));
            } else {
                self.release(slot);
            }
        }
        [&mut self.dead, &mut self.changes, &mut self.touched].into_iter().for_each(empty);
    }

    fn release(&mut self, slot: u32) {
        let rows = SlotRows { words: &self.words, arity: self.arity, stride: self.stride() };
        let hash = hash(rows.row(slot));
        self.indexes.iter_mut().for_each(|index| index.remove(rows, slot));
        let found = self.members.find_entry(hash, |other| *other == slot).ok();
        found.or_broken("a slot is given away once").remove();
        self.put(slot, self.state(slot).without(u8::MAX));
        self.free.push(slot);
    }

    /// All indexes, with their numbers.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (IndexId, &ChainIndex)> {
        self.indexes.numbered()
    }

    /// How many facts are given.
    pub(crate) fn asserted(&self) -> usize {
        self.asserted
    }

    /// The index with a number.
    #[inline]
    pub(crate) fn index(&self, index: IndexId) -> &ChainIndex {
        &self.indexes[index]
    }

    /// The first row under a key of an index, or [`NONE`].
    #[inline]
    pub(crate) fn first(&self, index: IndexId, key: &[Word]) -> u32 {
        self.indexes[index].first(self.rows(), key)
    }

    /// The index on `columns`, ascending, if there is one.
    pub(crate) fn find_index(&self, columns: &[u32]) -> Option<IndexId> {
        self.indexes.numbered().find(|(_, index)| index.columns() == columns).map(|(id, _)| id)
    }

    /// The index on `columns`, built where there is none yet.
    pub(crate) fn index_on(&mut self, columns: &[u32]) -> IndexId {
        self.find_index(columns).unwrap_or_else(|| {
            let mut index = ChainIndex::new(columns.to_vec());
            let mut slots: Vec<u32> = self.members.iter().copied().collect();
            slots.sort_unstable();
            slots.into_iter().for_each(|slot| index.insert(self.rows(), slot));
            self.indexes.push(index)
        })
    }

    /// Works out which keys of an index came and went.
    pub(crate) fn find_changed(&mut self, index: IndexId, epoch: u64) {
        let rows = SlotRows { words: &self.words, arity: self.arity, stride: self.stride() };
        let state = |slot: u32| {
            let flags = FactState(rows.word_after(slot).0).flags();
            (flags & OLD != 0, flags & NEW != 0)
        };
        self.indexes[index].find_changed(rows, &self.changes, epoch, state);
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * 8
            + self.free.capacity() * 4
            + (self.touched.capacity() + self.changes.capacity() + self.dead.capacity()) * 4
            + self.members.allocation_size()
            + self.indexes.iter().map(ChainIndex::bytes).sum::<usize>()
    }
}

/// Takes all out, and gives the room back that a large change needed.
fn empty(slots: &mut Vec<u32>) {
    slots.clear();
    slots.shrink_to(KEPT);
}

/// All relations.
#[derive(Debug)]
pub(crate) struct VersionedRelations {
    relations: IndexVec<RelationId, VersionedRelation>,
    /// How many slots were given out, ever.
    grown: u64,
    /// How many relations the rules have; those after them only help.
    shown: usize,
}

impl VersionedRelations {
    /// Relations without facts.
    pub(crate) fn new(program: &Program, support: &IndexVec<RelationId, Support>) -> Self {
        let tables = program.relations.iter().zip(support.iter());
        let tables = tables
            .map(|(relation, support)| VersionedRelation::new(relation.columns.len(), *support))
            .collect();
        Self { relations: tables, grown: 0, shown: program.relations.len() }
    }

    /// A relation.
    #[inline]
    pub(crate) fn relation(&self, relation: RelationId) -> &VersionedRelation {
        &self.relations[relation]
    }

    /// A relation, to be changed.
    #[inline]
    pub(crate) fn relation_mut(&mut self, relation: RelationId) -> &mut VersionedRelation {
        &mut self.relations[relation]
    }

    /// Only so many relations are those of the rules.
    pub(crate) fn show(&mut self, relations: usize) {
        self.shown = relations;
    }

    /// Whether a relation is one of the rules.
    pub(crate) fn is_shown(&self, relation: RelationId) -> bool {
        relation.at() < self.shown
    }

    /// The relations of the rules.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &VersionedRelation> {
        self.relations.iter().take(self.shown)
    }

    /// The slot of a row, and whether it is new.
    pub(crate) fn hold(&mut self, relation: RelationId, row: &[Word]) -> Result<(u32, bool), Bound> {
        let (slot, new) = self.relations[relation].hold(row)?;
        self.grown += u64::from(new);
        Ok((slot, new))
    }

    /// How many slots were given out, ever.
    pub(crate) fn grown(&self) -> u64 {
        self.grown
    }

    /// Bytes of rows, tables and indexes.
    pub(crate) fn bytes(&self) -> usize {
        self.relations.iter().map(VersionedRelation::bytes).sum()
    }
}
