//! The order in which sets of changes are tried: fewest in all first, as far as the rules tell.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::change::Change;
use super::ideas::Idea;

/// Where a step stands in the order in which steps are tried.
type Place = (usize, Reverse<usize>, usize, usize);

/// Sets of changes that wait to be tried, in three orders: fewest changes in all; fewest steps of the search, what most
/// literals ask for first; and those that go on from the set tried last. The first finds small remedies, the second those
/// that one step proposes together, the third follows a way to its end.
#[derive(Default)]
pub(super) struct Repairs {
    by_size: BinaryHeap<Reverse<(usize, usize, usize)>>,
    by_step: BinaryHeap<Reverse<Place>>,
    by_newest: BinaryHeap<(usize, Reverse<(usize, usize)>)>,
    /// How often sets were added.
    batches: usize,
    /// All sets that were added, with the number of the step; nothing in the place of those that were handed out.
    sets: Vec<Option<(Vec<Change>, usize)>>,
    seen: BTreeSet<Vec<Change>>,
    turn: usize,
}

impl Repairs {
    /// Adds the sets that go on from one that the search tried at `step`.
    pub(super) fn add(&mut self, (base, step): (&[Change], usize), ideas: Vec<Idea>, most: usize) {
        self.batches += 1;
        for Idea { changes, left, votes } in ideas {
            let Some(all) = joined(base, changes).filter(|all| all.len() <= most) else { continue };
            if self.seen.insert(all.clone()) {
                let number = self.sets.len();
                self.by_size.push(Reverse((all.len().saturating_add(left).min(most), left, number)));
                self.by_step.push(Reverse((step, Reverse(votes), left, number)));
                self.by_newest.push((self.batches, Reverse((left, number))));
                self.sets.push(Some((all, step + 1)));
            }
        }
    }

    /// The next set, and the number of its step.
    pub(super) fn next(&mut self) -> Option<(Vec<Change>, usize)> {
        self.turn = (self.turn + 1) % 3;
        loop {
            let number = match self.turn {
                0 => self.by_newest.pop().map(|(_, Reverse((_, number)))| number)?,
                1 => self.by_size.pop().map(|Reverse((.., number))| number)?,
                _ => self.by_step.pop().map(|Reverse((.., number))| number)?,
            };
            if let Some(set) = self.sets.get_mut(number).and_then(Option::take) {
                return Some(set);
            }
        }
    }

    /// How many changes the way of the smallest set takes at least.
    pub(super) fn least(&mut self) -> Option<usize> {
        while let Some(Reverse((total, _, number))) = self.by_size.peek() {
            if self.sets.get(*number).is_some_and(Option::is_some) {
                return Some(*total);
            }
            self.by_size.pop();
        }
        None
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
