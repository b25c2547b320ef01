//! Looks facts up in a finished model by some of their columns, without copying it: by scanning a relation while
//! that is cheaper, through an index of just the columns asked for once it isn't.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Deref;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::{Extent, FactSource, Model, Row, Rows};

/// Entering a row in an index costs about as much as scanning it three times, so after that many whole scans the
/// index would have paid.
const SCANS_BEFORE_INDEX: usize = 3;

/// Below this size a scan is as fast as a look-up.
const SMALL: usize = 48;

/// A fact of the model: a relation and the place of the row in its extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FactRef {
    pub(super) relation: RelationId,
    pub(super) row: u32,
}

/// What to look for: a word, or anything, in each column.
pub(super) type Key = smallvec::SmallVec<[Option<Word>; 8]>;

/// The model with the indexes that the questions so far have made worth while.
pub(super) struct Store<'a> {
    source: FactHome<'a>,
    access: RefCell<HashMap<(RelationId, u64), Access, ahash::RandomState>>,
}

/// Where the facts are kept.
#[derive(Clone, Copy)]
enum FactHome<'a> {
    /// In a model, by their places.
    Model(&'a Model),
    /// Elsewhere, by numbers; whoever keeps them finds them.
    Facts(&'a dyn FactSource),
}

/// The words of a fact.
pub(super) enum FactRow<'a> {
    /// Those of a model.
    Lent(&'a [Word]),
    /// A copy of those kept elsewhere.
    Own(Row),
}

impl Deref for FactRow<'_> {
    type Target = [Word];

    fn deref(&self) -> &[Word] {
        match self {
            Self::Lent(row) => row,
            Self::Own(row) => row,
        }
    }
}

/// How rows of one relation are found by one set of columns.
#[derive(Default)]
struct Access {
    /// Rows that scans have gone over.
    scanned: usize,
    index: Option<ChainedRows>,
}

/// Row numbers by a hash of the words in some columns; rows of one hash are chained, later ones first. Building it
/// compares no words, which would mean to look at rows all over the relation; those who go along a chain do.
struct ChainedRows {
    first: Vec<u32>,
    next: Vec<u32>,
}

/// The end of a chain.
const END: u32 = u32::MAX;

impl<'a> Store<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        Self::from(FactHome::Model(model))
    }

    pub(super) fn over(facts: &'a dyn FactSource) -> Self {
        Self::from(FactHome::Facts(facts))
    }

    fn from(source: FactHome<'a>) -> Self {
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        Self { source, access: RefCell::new(HashMap::with_hasher(hasher)) }
    }

    /// The model, where the facts are kept in one.
    pub(super) fn model(&self) -> Option<&'a Model> {
        match self.source {
            FactHome::Model(model) => Some(model),
            FactHome::Facts(_) => None,
        }
    }

    pub(super) fn extent(&self, relation: RelationId) -> Option<&'a Extent> {
        self.model()?.extent(relation)
    }

    /// How many facts a relation has.
    pub(super) fn len(&self, relation: RelationId) -> usize {
        match self.source {
            FactHome::Model(model) => extent_of(model, relation).rows.len(),
            FactHome::Facts(facts) => facts.count(relation),
        }
    }

    /// Whether some fact of a relation is given.
    pub(super) fn has_asserted(&self, relation: RelationId) -> bool {
        match self.source {
            FactHome::Model(model) => {
                extent_of(model, relation).rounds.first().is_some_and(|&count| count > 0)
            }
            FactHome::Facts(facts) => facts.has_asserted(relation),
        }
    }

    /// The words of a fact.
    pub(super) fn row(&self, fact: FactRef) -> FactRow<'a> {
        match self.source {
            FactHome::Model(model) => {
                let row = extent_of(model, fact.relation).rows.get(fact.row as usize);
                FactRow::Lent(row.or_broken("a reference to a fact is of the model that it is looked up in"))
            }
            FactHome::Facts(facts) => FactRow::Own(facts.fact(fact.relation, fact.row)),
        }
    }

    /// The round in which a fact was derived.
    pub(super) fn rank(&self, fact: FactRef) -> usize {
        match self.source {
            FactHome::Model(model) => extent_of(model, fact.relation).rank(fact.row as usize),
            FactHome::Facts(facts) => facts.rank(fact.relation, fact.row),
        }
    }

    /// What [`Store::each`] takes for the end of the facts whose rank is below `below`.
    pub(super) fn end(&self, relation: RelationId, below: usize) -> usize {
        let Some(model) = self.model() else { return below };
        let extent = extent_of(model, relation);
        let round = below.checked_sub(1);
        round.map_or(0, |round| extent.rounds.get(round).copied().unwrap_or(extent.rows.len()))
    }

    /// Calls `visit` with each row before `end`, see [`Store::end`], that has the words of `key`, until it returns false.
    pub(super) fn each(
        &self,
        relation: RelationId,
        key: &[Option<Word>],
        end: usize,
        visit: &mut impl FnMut(u32) -> bool,
    ) {
        let model = match self.source {
            FactHome::Model(model) => model,
            FactHome::Facts(facts) => return facts.each(relation, key, end, visit),
        };
        let extent = extent_of(model, relation);
        let rows = &extent.rows;
        let end = end.min(rows.len());
        let mask = mask_of(key);
        if mask == 0 || end <= SMALL {
            return scan(rows, key, end, visit);
        }
        let mut table = self.access.borrow_mut();
        let access = table.entry((relation, mask)).or_default();
        if access.index.is_none() && access.scanned < rows.len().saturating_mul(SCANS_BEFORE_INDEX) {
            access.scanned = access.scanned.saturating_add(end);
            return scan(rows, key, end, visit);
        }
        let index = access.index.get_or_insert_with(|| ChainedRows::build(rows, mask));
        index.each(rows, key, mask, end, visit);
    }

    /// Some row before `end` that has the words of `key`.
    pub(super) fn any(&self, relation: RelationId, key: &[Option<Word>], end: usize) -> Option<FactRef> {
        let mut found = None;
        self.each(relation, key, end, &mut |row| {
            found = Some(FactRef { relation, row });
            false
        });
        found
    }
}

/// All facts of a relation.
fn extent_of(model: &Model, relation: RelationId) -> &Extent {
    model.extent(relation).or_broken("a model holds every relation of its program")
}

/// The columns of a key that hold a word, as bits; those beyond the 64th are only compared.
fn mask_of(key: &[Option<Word>]) -> u64 {
    let bits = key.iter().take(64).enumerate().filter(|(_, word)| word.is_some());
    bits.fold(0, |mask, (column, _)| mask | (1 << column))
}

fn fits(row: &[Word], key: &[Option<Word>]) -> bool {
    key.iter().zip(row).all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == *found))
}

fn scan(rows: &Rows, key: &[Option<Word>], end: usize, visit: &mut impl FnMut(u32) -> bool) {
    let bound = key.iter().enumerate().find_map(|(column, word)| word.map(|word| (column, word)));
    let Some((column, wanted)) = bound else {
        (0..end as u32).all(visit);
        return;
    };
    // The rarest reason for a row to fit is usually its first bound column: compare that one alone first.
    for (at, word) in rows.column(column).take(end).enumerate() {
        if word == wanted && rows.get(at).is_some_and(|row| fits(row, key)) && !visit(at as u32) {
            return;
        }
    }
}

impl ChainedRows {
    fn build(rows: &Rows, mask: u64) -> Self {
        let mut index =
            Self { first: vec![END; rows.len().next_power_of_two()], next: vec![END; rows.len()] };
        for (at, (row, next)) in rows.iter().zip(&mut index.next).enumerate() {
            let slot = hash(row.iter().copied(), mask) as usize & (index.first.len() - 1);
            if let Some(first) = index.first.get_mut(slot) {
                *next = std::mem::replace(first, at as u32);
            }
        }
        index
    }

    fn each(
        &self,
        rows: &Rows,
        key: &[Option<Word>],
        mask: u64,
        end: usize,
        visit: &mut impl FnMut(u32) -> bool,
    ) {
        let slot = hash(key.iter().map(|word| word.unwrap_or_default()), mask) as usize;
        let mut at = self.first.get(slot & (self.first.len() - 1)).copied().unwrap_or(END);
        while at != END {
            let row = rows.get(at as usize).or_broken("an index holds the numbers of rows");
            if (at as usize) < end && fits(row, key) && !visit(at) {
                return;
            }
            at = *self.next.get(at as usize).or_broken("an index holds the numbers of rows");
        }
    }
}

/// A hash of the words in the columns of `mask`: multiply and fold, a column at a time.
fn hash(words: impl Iterator<Item = Word>, mask: u64) -> u64 {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    for (_, word) in words.take(64).enumerate().filter(|(at, _)| mask & (1 << at) != 0) {
        let wide = u128::from(state ^ word.0).wrapping_mul(0xA076_1D64_78BD_642F_E703_7ED1_A0B4_28DB);
        state = (wide as u64) ^ ((wide >> 64) as u64);
    }
    state
}
