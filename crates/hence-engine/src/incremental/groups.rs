//! The groups of a rule with aggregates, kept from change to change.

use super::mode::Mode;
use crate::incremental::counting::{Task, derive};
use crate::incremental::machine::{ChangeContext, DerivationSink, Halt};
use crate::incremental::tally::{AggregateColumn, AggregateState};
use crate::incremental::work::{SignedSink, Work};
use crate::plan::head::plain;
use crate::storage::chain_index::NONE;
use crate::storage::hash::hash;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::{Rule, Term};

/// An invariant of [`AggregateGroups`].
const TERMS: &str = "a group has a word for each plain term and a state for each aggregate";

/// The groups of a rule.
pub(crate) struct AggregateGroups {
    /// For each column of the head whether it is an aggregate.
    terms: Vec<bool>,
    columns: Vec<AggregateColumn>,
    width: usize,
    finder: HashTable<u32>,
    groups: Vec<Group>,
    /// The states of the aggregates, those of one group together.
    tallies: Vec<AggregateState>,
    free: Vec<u32>,
    touched: Vec<u32>,
    /// Whether the matches that come are those of the group's variables.
    adds: bool,
    /// AggregateGroups to be made anew, and whether that is going on.
    broken: Vec<u32>,
    rebuilding: bool,
}

#[derive(Debug, Default)]
struct Group {
    words: SmallVec<[Word; 3]>,
    /// How many matches are in.
    count: u64,
    /// The slot of its fact, or [`NONE`].
    fact: u32,
    touched: bool,
    broken: bool,
}

impl AggregateGroups {
    /// No groups yet.
    pub(crate) fn new(rule: &Rule) -> Self {
        let columns = rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { aggregate, args, .. } => {
                let is_fixed = |kind: &ExprKind| matches!(kind, ExprKind::Const(_) | ExprKind::Param(_));
                let varies = match aggregate.name() {
                    "percentile" | "join" => args.get(1).is_some_and(|arg| !is_fixed(&arg.kind)),
                    _ => false,
                };
                let types = args.iter().map(|arg| arg.ty).collect();
                Some(AggregateColumn { aggregate: *aggregate, types, varies })
            }
            Term::Expr(_) => None,
        });
        Self {
            terms: rule.terms.iter().map(|term| matches!(term, Term::Aggregate { .. })).collect(),
            columns: columns.collect(),
            width: plain(rule).count(),
            finder: HashTable::new(),
            groups: Vec::new(),
            tallies: Vec::new(),
            free: Vec::new(),
            touched: Vec::new(),
            adds: true,
            broken: Vec::new(),
            rebuilding: false,
        }
    }

    /// Whether some groups have to be made anew.
    pub(crate) fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Empties the groups that have to be made anew; how their matches are found.
    pub(crate) fn open_broken(&mut self, rule: &Rule) -> (Mode, Task) {
        self.rebuilding = true;
        for at in 0..self.broken.len() {
            let group = self.broken[at];
            self.groups[group as usize].count = 0;
            self.empty(group);
        }
        let is_bound = |kind: &ExprKind| matches!(kind, ExprKind::Var(_) | ExprKind::Const(_));
        if !plain(rule).all(|term| is_bound(&term.kind)) {
            return (Mode::Full, Task::All);
        }
        let words = self.broken.iter().map(|group| self.groups[*group as usize].words.to_vec());
        (Mode::Head, Task::Rows(words.collect()))
    }

    /// Derives the facts of the groups that changed.
    pub(crate) fn finish(&mut self, head: RelationId, work: &mut Work) -> Result<(), Halt> {
        self.rebuilding = false;
        for group in self.broken.drain(..) {
            self.groups[group as usize].broken = false;
        }
        let mut row: SmallVec<[Word; 8]> = SmallVec::new();
        let mut touched = std::mem::take(&mut self.touched);
        for at in touched.drain(..) {
            let stands = self.row(at, &mut row, &mut work.machine.failed);
            let group = &mut self.groups[at as usize];
            group.touched = false;
            let old = std::mem::replace(&mut group.fact, NONE);
            if stands && old != NONE && work.store.relation(head).row(old) == row.as_slice() {
                group.fact = old;
                continue;
            }
            if old != NONE {
                work.store.relation_mut(head).count(old, -1);
            }
            if stands {
                group.fact = work.derive(head, &row)?;
            }
            if group.count == 0 {
                self.release(at);
            }
        }
        self.touched = touched;
        Ok(())
    }

    /// The fact of a group; whether it has one.
    fn row(&self, at: u32, row: &mut SmallVec<[Word; 8]>, failed: &mut bool) -> bool {
        row.clear();
        let group = &self.groups[at as usize];
        let tallies = &self.tallies[self.places(at)];
        let (mut words, mut tallies) = (group.words.iter(), self.columns.iter().zip(tallies));
        for is_aggregate in &self.terms {
            if *is_aggregate {
                let (column, tally) = tallies.next().or_broken(TERMS);
                row.extend(column.finish(tally, group.count));
            } else {
                row.push(*words.next().or_broken(TERMS));
            }
        }
        let whole = row.len() == self.terms.len();
        *failed |= group.count > 0 && !whole;
        group.count > 0 && whole
    }

    /// Where the states of a group are.
    #[inline]
    fn places(&self, at: u32) -> std::ops::Range<usize> {
        let count = self.columns.len();
        at as usize * count..(at as usize + 1) * count
    }

    /// Takes all matches out of the states of a group.
    fn empty(&mut self, at: u32) {
        let places = self.places(at);
        for (column, tally) in self.columns.iter().zip(&mut self.tallies[places]) {
            *tally = column.tally();
        }
    }

    fn release(&mut self, at: u32) {
        let group = &mut self.groups[at as usize];
        let found = self.finder.find_entry(hash(&group.words), |other| *other == at).ok();
        found.or_broken("a group that is given up is found by its words").remove();
        *group = Group { fact: NONE, ..Group::default() };
        self.empty(at);
        self.free.push(at);
    }

    /// The group of a match, made where there is none yet.
    fn find(&mut self, words: &[Word]) -> u32 {
        let groups = &mut self.groups;
        let entry = self.finder.entry(
            hash(words),
            |at| groups[*at as usize].words.as_slice() == words,
            |at| hash(&groups[*at as usize].words),
        );
        match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                let at = self.free.pop().unwrap_or(groups.len() as u32);
                place.insert(at);
                let group = Group { words: words.into(), fact: NONE, ..Group::default() };
                match groups.get_mut(at as usize) {
                    Some(place) => *place = group,
                    None => {
                        groups.push(group);
                        self.tallies.extend(self.columns.iter().map(AggregateColumn::tally));
                    }
                }
                at
            }
        }
    }

    /// Bytes taken, about.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.capacity() * (size_of::<Group>() + 64)
            + self.tallies.capacity() * size_of::<AggregateState>()
            + self.finder.capacity() * 5
    }
}

impl DerivationSink for AggregateGroups {
    fn take(&mut self, row: &[Word], _: u32, _: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let (words, mut args) = row.split_at(self.width);
        let at = self.find(words);
        let places = self.places(at);
        let group = &mut self.groups[at as usize];
        if !std::mem::replace(&mut group.touched, true) {
            self.touched.push(at);
        }
        if group.broken != self.rebuilding {
            return Ok(true);
        }
        let mut whole = true;
        for (column, tally) in self.columns.iter().zip(&mut self.tallies[places]) {
            let (own, rest) = args.split_at(column.types.len());
            args = rest;
            if self.adds {
                column.add(tally, own);
            } else {
                whole &= column.remove(tally, own);
            }
        }
        let count = if self.adds { group.count.checked_add(1) } else { group.count.checked_sub(1) };
        group.count = count.or_broken("no more matches leave a group than came into it");
        if !whole {
            group.broken = true;
            self.broken.push(at);
        }
        Ok(true)
    }
}

impl SignedSink for AggregateGroups {
    fn begin(&mut self, came: bool) -> bool {
        self.adds = came;
        true
    }
}

impl Work {
    /// One more derivation of a fact; its slot.
    pub(crate) fn derive(&mut self, relation: RelationId, row: &[Word]) -> Result<u32, Halt> {
        derive(relation, row, 1, &mut self.site())
    }
}
