//! The facts of a session without a ledger.

use std::sync::OnceLock;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;

/// Facts, each of which stands or doesn't, however often it was stated. They are a list, in which one may stand twice,
/// until somebody asks for one by itself; most sessions only ever hand all of them to an engine.
#[derive(Debug, Default)]
pub(super) struct FactSet {
    listed: Vec<Fact>,
    /// Where each fact stands first, once one was asked for.
    places: OnceLock<HashTable<usize>>,
}

impl FactSet {
    /// The facts of a list.
    pub(super) fn new(facts: Vec<Fact>) -> Self {
        Self { listed: facts, places: OnceLock::new() }
    }

    /// The facts; some may stand twice.
    pub(super) fn listed(&self) -> &[Fact] {
        &self.listed
    }

    /// Whether a fact stands.
    pub(super) fn contains(&self, fact: &Fact) -> bool {
        let places = self.places.get_or_init(|| places(&self.listed));
        places.find(hash(fact), |at| self.listed.get(*at) == Some(fact)).is_some()
    }

    /// Takes a fact out.
    pub(super) fn remove(&mut self, fact: &Fact) {
        let mut places = self.each_once();
        if let Ok(place) = places.find_entry(hash(fact), |at| self.listed.get(*at) == Some(fact)) {
            let (at, _) = place.remove();
            self.listed.swap_remove(at);
            // The last fact has moved there.
            let (moved, last) = (self.listed.get(at).map(hash), self.listed.len());
            if let Some(hash) = moved {
                let place = places.find_mut(hash, |other| *other == last);
                *place.or_broken("every fact that is listed has its place") = at;
            }
        }
        self.places = OnceLock::from(places);
    }

    /// Adds facts.
    pub(super) fn extend(&mut self, facts: impl IntoIterator<Item = Fact>) {
        let mut places = self.each_once();
        for fact in facts {
            if add(&mut places, &self.listed, &fact, self.listed.len()) {
                self.listed.push(fact);
            }
        }
        self.places = OnceLock::from(places);
    }

    /// Makes sure that no fact is listed twice; where each stands.
    fn each_once(&mut self) -> HashTable<usize> {
        let known = self.places.take().unwrap_or_else(|| places(&self.listed));
        if known.len() == self.listed.len() {
            return known;
        }
        let mut firsts = vec![false; self.listed.len()];
        for at in &known {
            *firsts.get_mut(*at).or_broken("a place is that of a fact that is listed") = true;
        }
        let mut firsts = firsts.into_iter();
        self.listed.retain(|_| firsts.next() == Some(true));
        places(&self.listed)
    }
}

/// Where each fact of a list stands first.
fn places(listed: &[Fact]) -> HashTable<usize> {
    let mut places = HashTable::with_capacity(listed.len());
    for (at, fact) in listed.iter().enumerate() {
        add(&mut places, listed, fact, at);
    }
    places
}

/// Adds the place `at` of a fact that has none yet; whether it had none.
fn add(places: &mut HashTable<usize>, listed: &[Fact], fact: &Fact, at: usize) -> bool {
    let is_it = |other: &usize| listed.get(*other) == Some(fact);
    let rehash =
        |other: &usize| hash(listed.get(*other).or_broken("a place is that of a fact that is listed"));
    match places.entry(hash(fact), is_it, rehash) {
        Entry::Occupied(_) => false,
        Entry::Vacant(place) => {
            place.insert(at);
            true
        }
    }
}

/// The hash of a fact, the same from run to run.
pub(super) fn hash(fact: &Fact) -> u64 {
    ahash::RandomState::with_seeds(1, 2, 3, 4).hash_one(fact)
}
