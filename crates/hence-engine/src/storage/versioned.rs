//! The facts of incremental maintenance. The life of a fact: it is asserted or derived and gets a slot, in which it is
//! seen only by what reads the new state; the next change makes it an old one. Once nothing supports it any more, it is
//! seen only by what reads the old state, and the next change gives its slot away.
#![expect(clippy::indexing_slicing, reason = "hot: slots are numbers that a relation itself gives out")]

use super::hash::hash;
use crate::storage::chain_index::ChainIndex;
use crate::storage::index::IndexId;
use crate::storage::packed::{NONE, PackedRow, PackedSlots};
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

/// The numbers of a derived fact: how many matches derive it, of rules that read lower strata only.
const COUNT: usize = 0;
/// Those of a recursive relation's fact, too: the round in which it is derived, and the same or a smaller one that waits to
/// be settled.
const SETTLED: usize = 1;
const BEST: usize = 2;

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

impl Support {
    /// How many numbers are kept of a fact.
    fn numbers(self) -> usize {
        match self {
            Self::Asserted => 0,
            Self::Counted => 1,
            Self::Ranked => 3,
        }
    }
}

/// The number that a rank is kept as; [`NONE`] takes no more room than small ones.
#[inline]
fn rank_number(rank: u32) -> i64 {
    i64::from(rank as i32)
}

/// One relation.
#[derive(Debug)]
pub(crate) struct VersionedRelation {
    arity: usize,
    support: Support,
    /// Slot by slot the flags, the row, the numbers and the links of the indexes: all of a fact is at hand together.
    slots: PackedSlots,
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
            slots: PackedSlots::new(arity, support.numbers()),
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
        self.slots.len()
    }

    /// The row in a slot.
    #[inline]
    pub(crate) fn row(&self, slot: u32) -> PackedRow<'_> {
        self.slots.row(slot)
    }

    /// Whether one of `flags` is set.
    #[inline]
    pub(crate) fn is(&self, slot: u32, flags: u8) -> bool {
        self.slots.flags(slot) & flags != 0
    }

    /// Sets flags.
    pub(crate) fn set(&mut self, slot: u32, flags: u8) {
        let before = self.is(slot, ASSERTED | PROGRAM_FACT);
        self.slots.put_flags(slot, self.slots.flags(slot) | flags);
        self.asserted += usize::from(!before && self.is(slot, ASSERTED | PROGRAM_FACT));
    }

    /// Takes flags away.
    pub(crate) fn unset(&mut self, slot: u32, flags: u8) {
        let before = self.is(slot, ASSERTED | PROGRAM_FACT);
        self.slots.put_flags(slot, self.slots.flags(slot) & !flags);
        self.asserted -= usize::from(before && !self.is(slot, ASSERTED | PROGRAM_FACT));
    }

    /// The settled rank of a recursive relation's fact; [`NONE`] where there is none yet.
    #[inline]
    pub(crate) fn rank(&self, slot: u32) -> u32 {
        self.slots.number(slot, SETTLED) as u32
    }

    /// Settles a rank.
    pub(crate) fn settle_rank(&mut self, slot: u32, rank: u32) {
        self.slots.put_number(slot, SETTLED, rank_number(rank));
        self.slots.put_number(slot, BEST, rank_number(rank));
    }

    /// Takes all ranks away.
    pub(crate) fn forget_ranks(&mut self) {
        (0..self.slots()).for_each(|slot| self.settle_rank(slot, NONE));
    }

    /// Whether an old fact's slot holds this row.
    #[inline]
    pub(crate) fn is_in(&self, slot: u32, row: &[Word]) -> bool {
        slot < self.slots() && self.is(slot, OLD) && self.row(slot).is(row)
    }

    /// The rank, or a smaller one that waits.
    pub(crate) fn best(&self, slot: u32) -> u32 {
        self.slots.number(slot, BEST) as u32
    }

    /// Lets a rank wait.
    pub(crate) fn propose(&mut self, slot: u32, rank: u32) {
        self.slots.put_number(slot, BEST, rank_number(rank));
    }

    /// The rank that a fact has by itself: 0 where it is given, 1 where a rule over lower strata derives it.
    #[inline]
    pub(crate) fn base(&self, slot: u32) -> u32 {
        if self.is(slot, ASSERTED | PROGRAM_FACT) {
            0
        } else if self.support != Support::Asserted && self.slots.number(slot, COUNT) > 0 {
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
        self.members.find(hash(row), |slot| self.row(*slot).is(row)).copied()
    }

    /// The slot of a row, given to it where it has none yet, and whether that was so.
    pub(crate) fn hold(&mut self, row: &[Word]) -> Result<(u32, bool), Bound> {
        let slots = &mut self.slots;
        let entry =
            self.members.entry(hash(row), |slot| slots.row(*slot).is(row), |slot| slots.row(*slot).hash());
        let place = match entry {
            Entry::Occupied(found) => return Ok((*found.get(), false)),
            Entry::Vacant(place) => place,
        };
        let slot = self.free.pop().unwrap_or(slots.len());
        if slot == NONE {
            return Err(Bound::Facts(u64::from(NONE)));
        }
        place.insert(slot);
        if slot == slots.len() {
            slots.push(row);
            if self.support == Support::Ranked {
                slots.put_number(slot, SETTLED, rank_number(NONE));
                slots.put_number(slot, BEST, rank_number(NONE));
            }
        } else {
            slots.put_row(slot, row);
        }
        self.indexes.iter_mut().for_each(|index| index.insert(slots, slot));
        Ok((slot, true))
    }

    /// Adds to the number of a fact's derivations.
    pub(crate) fn count(&mut self, slot: u32, by: i64) {
        self.slots.put_number(slot, COUNT, self.slots.number(slot, COUNT) + by);
        self.touch(slot);
    }

    /// Notes that a fact may have come or gone.
    pub(crate) fn touch(&mut self, slot: u32) {
        if !self.is(slot, TOUCHED) {
            self.slots.put_flags(slot, self.slots.flags(slot) | TOUCHED);
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
            let flags = self.slots.flags(slot);
            let held = flags & OLD != 0;
            let quiet = flags & !(NEW | TOUCHED | OVERDELETED);
            self.slots.put_flags(slot, if holds { quiet | NEW } else { quiet });
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
            let flags = self.slots.flags(slot);
            if flags & NEW != 0 {
                self.slots.put_flags(slot, flags | OLD);
            } else {
                self.release(slot);
            }
        }
        [&mut self.dead, &mut self.changes, &mut self.touched].into_iter().for_each(empty);
    }

    fn release(&mut self, slot: u32) {
        let hash = self.row(slot).hash();
        self.indexes.iter_mut().for_each(|index| index.remove(&mut self.slots, slot));
        let found = self.members.find_entry(hash, |other| *other == slot).ok();
        found.or_broken("a slot is given away once").remove();
        self.slots.put_flags(slot, 0);
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
        self.indexes[index].first(&self.slots, key)
    }

    /// The row after `slot` under its key of an index, or [`NONE`].
    #[inline]
    pub(crate) fn next(&self, index: IndexId, slot: u32) -> u32 {
        self.indexes[index].next(&self.slots, slot)
    }

    /// The index on `columns`, ascending, if there is one.
    pub(crate) fn find_index(&self, columns: &[u32]) -> Option<IndexId> {
        self.indexes.numbered().find(|(_, index)| index.columns() == columns).map(|(id, _)| id)
    }

    /// The index on `columns`, built where there is none yet.
    pub(crate) fn index_on(&mut self, columns: &[u32]) -> IndexId {
        self.find_index(columns).unwrap_or_else(|| {
            let mut index = ChainIndex::new(columns.to_vec(), &mut self.slots);
            let mut slots: Vec<u32> = self.members.iter().copied().collect();
            slots.sort_unstable();
            slots.into_iter().for_each(|slot| index.insert(&mut self.slots, slot));
            self.indexes.push(index)
        })
    }

    /// Works out which keys of an index came and went.
    pub(crate) fn find_changed(&mut self, index: IndexId, epoch: u64) {
        let slots = &self.slots;
        let state = |slot: u32| {
            let flags = slots.flags(slot);
            (flags & OLD != 0, flags & NEW != 0)
        };
        self.indexes[index].find_changed(slots, &self.changes, epoch, state);
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.bytes()
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
