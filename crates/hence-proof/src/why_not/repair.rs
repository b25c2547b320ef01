//! The order in which sets of changes are tried: fewest in all first, as far as the rules tell.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::Set;
use super::change::Change;
use super::ideas::Idea;

/// Where a set stands among those that one model suggests: how many of its kind come before it, how many changes it
/// makes more, how many of facts that have nothing to do with the question, how many literals ask for it, how many steps
/// its way takes still.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    rank: usize,
    more: usize,
    strange: usize,
    votes: Reverse<usize>,
    left: usize,
    number: usize,
}

/// What a step does: asserts, retracts, replaces or sets, and of which relation.
type Class = (u8, Option<Symbol>);

/// Sets of changes that wait to be tried, in three orders: fewest changes in all; fewest steps of the search, what most
/// literals ask for first; and those that go on from the set tried last. The first finds small remedies, the second those
/// that one step proposes together, the third follows a way to its end.
#[derive(Default)]
pub(super) struct Repairs {
    by_size: BinaryHeap<Reverse<(usize, usize, Place)>>,
    by_step: BinaryHeap<Reverse<(usize, Place)>>,
    by_newest: BinaryHeap<(usize, Reverse<(usize, Place)>)>,
    /// The texts and names of the question.
    named: BTreeSet<Value>,
    /// How often sets were added.
    batches: usize,
    /// All sets that were added, with the number of the step; nothing in the place of those that were handed out.
    sets: Vec<Option<(Rc<[Change]>, usize)>>,
    seen: Set<Rc<[Change]>>,
    turn: usize,
}

impl Repairs {
    /// For a question that names these values.
    pub(super) fn new(values: impl Iterator<Item = Value>) -> Self {
        let named = values.filter(|value| matches!(value, Value::String(_) | Value::Name(_)));
        Self { named: named.collect(), ..Self::default() }
    }

    /// How many changes are of facts that share no text and no name with the question.
    fn strange(&self, changes: &[Change]) -> usize {
        let is_strange = |change: &&Change| match change {
            Change::Assert(fact, _) | Change::Retract(fact) => {
                fact.values.iter().all(|value| !self.named.contains(value))
            }
            Change::Set(..) => false,
        };
        if self.named.is_empty() { 0 } else { changes.iter().filter(is_strange).count() }
    }

    /// Adds the sets that go on from one that the search tried at `step`.
    pub(super) fn add(&mut self, (base, step): (&[Change], usize), ideas: Vec<Idea>, most: usize) {
        self.batches += 1;
        let mut new = Vec::new();
        for Idea { changes, left, votes } in ideas {
            let (class, more) = (class_of(&changes), changes.len());
            let is_again = changes.iter().any(|change| is_set(base, change));
            let Some(all) = joined(base, changes).filter(|all| all.len() <= most) else { continue };
            let all: Rc<[Change]> = all.into();
            if self.seen.insert(Rc::clone(&all)) {
                let (number, strange) = (self.sets.len(), self.strange(&all));
                let left = left + usize::from(is_again);
                let place = Place { rank: 0, more, strange, votes: Reverse(votes), left, number };
                new.push((place, class, all.len()));
                self.sets.push(Some((all, step + 1)));
            }
        }
        new.sort_unstable();
        let mut ranks: BTreeMap<Class, usize> = BTreeMap::new();
        for (mut place, class, len) in new {
            let next = ranks.entry(class).or_default();
            place.rank = *next;
            *next += 1;
            self.by_size.push(Reverse((len.saturating_add(place.left).min(most), place.left, place)));
            self.by_step.push(Reverse((step, place)));
            self.by_newest.push((self.batches, Reverse((place.left, place))));
        }
    }

    /// The next set, and the number of its step.
    pub(super) fn next(&mut self) -> Option<(Rc<[Change]>, usize)> {
        self.turn = (self.turn + 1) % 3;
        loop {
            let place = match self.turn {
                0 => self.by_newest.pop().map(|(_, Reverse((_, place)))| place)?,
                1 => self.by_size.pop().map(|Reverse((.., place))| place)?,
                _ => self.by_step.pop().map(|Reverse((_, place))| place)?,
            };
            if let Some(set) = self.sets.get_mut(place.number).and_then(Option::take) {
                return Some(set);
            }
        }
    }

    /// How many changes the way of the smallest set takes at least.
    pub(super) fn least(&mut self) -> Option<usize> {
        while let Some(Reverse((total, .., place))) = self.by_size.peek() {
            if self.sets.get(place.number).is_some_and(Option::is_some) {
                return Some(*total);
            }
            self.by_size.pop();
        }
        None
    }
}

/// Whether a change sets a parameter that others set before: whoever chases a value may do so for long.
fn is_set(before: &[Change], change: &Change) -> bool {
    let Change::Set(name, ..) = change else { return false };
    before.iter().any(|other| matches!(other, Change::Set(known, ..) if known == name))
}

/// The class of the changes of a step, which are in order.
fn class_of(changes: &[Change]) -> Class {
    match changes {
        [Change::Assert(fact, _), .., Change::Retract(_)] => (2, Some(fact.relation)),
        [Change::Assert(fact, _), ..] => (0, Some(fact.relation)),
        [Change::Retract(fact), ..] => (1, Some(fact.relation)),
        _ => (3, None),
    }
}

/// Both together: what takes back an earlier change makes it none. Nothing where nothing new is left.
fn joined(base: &[Change], step: Vec<Change>) -> Option<Vec<Change>> {
    let mut all = base.to_vec();
    for change in step {
        match change {
            Change::Assert(fact, open) => {
                if take(&mut all, |known| matches!(known, Change::Retract(other) if *other == fact)) {
                    return None;
                }
                all.push(Change::Assert(fact, open));
            }
            Change::Retract(fact) => {
                if !take(&mut all, |known| matches!(known, Change::Assert(other, _) if *other == fact)) {
                    all.push(Change::Retract(fact));
                }
            }
            Change::Set(name, from, to) => {
                let from = before(&all, name).unwrap_or(from);
                take(&mut all, |known| matches!(known, Change::Set(other, ..) if *other == name));
                if from == to {
                    return None;
                }
                all.push(Change::Set(name, from, to));
            }
        }
    }
    all.sort();
    all.dedup();
    (!all.is_empty() && all != base).then_some(all)
}

fn before(all: &[Change], name: Symbol) -> Option<Value> {
    all.iter().find_map(|known| match known {
        Change::Set(other, from, _) if *other == name => Some(*from),
        _ => None,
    })
}

/// Takes the first change out that fits; whether there was one.
fn take(all: &mut Vec<Change>, fits: impl Fn(&Change) -> bool) -> bool {
    let place = all.iter().position(fits);
    place.map(|place| all.remove(place)).is_some()
}
