//! The groups of a rule with aggregates, kept from change to change.

use super::mode::Mode;
use crate::exec::delta::{ChangeContext, DerivationSink, Halt};
use crate::incremental::counting::{Task, derive};
use crate::incremental::work::{SignedSink, Work};
use crate::plan::head::plain;
use crate::storage::hash::hash;
use crate::storage::packed::NONE;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::GroupStates;
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::{Rule, Term};

/// An invariant of [`AggregateGroups`].
const TERMS: &str = "a group has a word for each plain term and a state for each aggregate";

/// The groups of a rule.
pub(crate) struct AggregateGroups {
    /// For each column of the head whether it is an aggregate.
    terms: Vec<bool>,
    columns: Vec<RetractableColumn>,
    width: usize,
    finder: HashTable<u32>,
    groups: Vec<AggregateGroup>,
    free: Vec<u32>,
    touched: Vec<u32>,
    /// Whether the matches that come are those of the group's variables.
    adds: bool,
    /// Groups to be recomputed, and whether that is going on.
    broken: Vec<u32>,
    rebuilding: bool,
}

/// An aggregate of a head.
struct RetractableColumn {
    /// By group.
    states: Box<dyn GroupStates>,
    /// How many arguments it has.
    width: usize,
    /// Whether its last argument may differ from match to match, though it is to be the same.
    varies: bool,
}

#[derive(Debug, Default)]
struct AggregateGroup {
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
                let varies = args.last().is_some_and(|arg| !is_fixed(&arg.kind));
                let varies = varies && aggregate.constant_argument().is_some();
                let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                let states = aggregate.retractable_states(&types);
                Some(RetractableColumn { states, width: types.len(), varies })
            }
            Term::Expr(_) => None,
        });
        Self {
            terms: rule.terms.iter().map(|term| matches!(term, Term::Aggregate { .. })).collect(),
            columns: columns.collect(),
            width: plain(rule).count(),
            finder: HashTable::new(),
            groups: Vec::new(),
            free: Vec::new(),
            touched: Vec::new(),
            adds: true,
            broken: Vec::new(),
            rebuilding: false,
        }
    }

    /// Whether some groups have to be recomputed.
    pub(crate) fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Empties the groups that have to be remade; how their matches are found.
    pub(crate) fn open_broken(&mut self) -> (Mode, Task) {
        self.rebuilding = true;
        for at in 0..self.broken.len() {
            let group = self.broken[at];
            self.groups[group as usize].count = 0;
            self.empty(group);
        }
        (Mode::Head, Task::Rows(self.broken.iter().map(|group| self.head(*group)).collect()))
    }

    /// A row of the head with the words of a group; the words of its aggregates mean nothing.
    fn head(&self, group: u32) -> Vec<Word> {
        let mut words = self.groups[group as usize].words.iter().copied();
        let columns = self.terms.iter();
        columns
            .map(|is_aggregate| if *is_aggregate { Word::default() } else { words.next().or_broken(TERMS) })
            .collect()
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
            let holds = self.row(at, &mut row, &mut work.machine.failed);
            let group = &mut self.groups[at as usize];
            group.touched = false;
            let old = std::mem::replace(&mut group.fact, NONE);
            if holds && old != NONE && work.store.relation(head).row(old).is(&row) {
                group.fact = old;
                continue;
            }
            if old != NONE {
                work.store.relation_mut(head).count(old, -1);
            }
            if holds {
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
        if group.count == 0 {
            return false;
        }
        let (mut words, mut columns) = (group.words.iter(), self.columns.iter());
        for is_aggregate in &self.terms {
            if *is_aggregate {
                row.extend(columns.next().or_broken(TERMS).states.finish(at as usize));
            } else {
                row.push(*words.next().or_broken(TERMS));
            }
        }
        let whole = row.len() == self.terms.len();
        *failed |= !whole;
        whole
    }

    /// Takes all matches out of the states of a group.
    fn empty(&mut self, at: u32) {
        self.columns.iter_mut().for_each(|column| column.states.reset(at as usize));
    }

    fn release(&mut self, at: u32) {
        let group = &mut self.groups[at as usize];
        let found = self.finder.find_entry(hash(&group.words), |other| *other == at).ok();
        found.or_broken("a group that is given up is found by its words").remove();
        *group = AggregateGroup { fact: NONE, ..AggregateGroup::default() };
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
                let group = AggregateGroup { words: words.into(), fact: NONE, ..AggregateGroup::default() };
                match groups.get_mut(at as usize) {
                    Some(place) => *place = group,
                    None => {
                        groups.push(group);
                        self.columns.iter_mut().for_each(|column| column.states.push_groups(1));
                    }
                }
                at
            }
        }
    }

    /// Bytes taken, about.
    pub(crate) fn bytes(&self) -> usize {
        self.groups.capacity() * (size_of::<AggregateGroup>() + 64)
            + self.columns.iter().map(|column| column.states.bytes()).sum::<usize>()
            + self.finder.capacity() * 5
    }
}

impl DerivationSink for AggregateGroups {
    fn take(&mut self, row: &[Word], _: u32, _: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let (words, mut args) = row.split_at(self.width);
        let at = self.find(words);
        let group = &mut self.groups[at as usize];
        if !std::mem::replace(&mut group.touched, true) {
            self.touched.push(at);
        }
        if group.broken != self.rebuilding {
            return Ok(true);
        }
        let mut whole = true;
        for column in &mut self.columns {
            let (own, rest) = args.split_at(column.width);
            args = rest;
            if self.adds {
                column.states.add(at as usize, own);
            } else {
                whole &= !column.varies && column.states.retract(at as usize, own);
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
        derive(relation, row, 1, &mut self.context())
    }
}
