//! The order in which sets of changes are tried: fewest in all first, as far as the rules tell.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::change::Change;
use super::ideas::Idea;

/// Sets of changes that wait to be tried.
#[derive(Default)]
pub(super) struct Repairs {
    queue: BinaryHeap<Reverse<(usize, usize, usize, Vec<Change>)>>,
    seen: BTreeSet<Vec<Change>>,
    added: usize,
}

impl Repairs {
    /// Adds the sets that go on from one that was tried.
    pub(super) fn add(&mut self, base: &[Change], ideas: Vec<Idea>, most: usize) {
        for Idea { changes, left } in ideas {
            let Some(all) = joined(base, changes) else { continue };
            let total = all.len().saturating_add(left).min(most);
            if all.len() <= most && self.seen.insert(all.clone()) {
                self.added += 1;
                self.queue.push(Reverse((total, left, self.added, all)));
            }
        }
    }

    /// The next set, with how many changes its way takes in all at least.
    pub(super) fn next(&mut self) -> Option<Vec<Change>> {
        self.queue.pop().map(|Reverse((.., changes))| changes)
    }

    /// How many changes the way of the next set takes at least.
    pub(super) fn least(&self) -> Option<usize> {
        self.queue.peek().map(|Reverse((total, ..))| *total)
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
