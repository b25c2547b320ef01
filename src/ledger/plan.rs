//! What a draft changes: its facts and decisions set against what stands.

use crate::fact::Fact;
use crate::symbol::Symbol;

use super::bytes::Reader;
use super::content::{Act, Change, Summary};
use super::error::LedgerError;
use super::keys;
use super::state::State;
use super::transaction::{Changes, Decision, Draft};
use super::tuple;
use super::view::{Finder, View};

/// Something proposed, by relation and encoded tuple.
struct Item<'a, T> {
    relation: Symbol,
    tuple: Vec<u8>,
    proposed: &'a T,
}

/// The effective changes of a draft.
#[derive(Default)]
pub(crate) struct Plan {
    /// As they are recorded, ascending within facts and within decisions.
    pub(crate) list: Vec<Change>,
    pub(crate) changes: Changes,
    pub(crate) drawn: Vec<Decision>,
    pub(crate) lapsed: Vec<Fact>,
}

/// Items ascending, without repetitions.
fn ordered<'a, T>(proposed: &'a [T], fact: impl Fn(&T) -> &Fact) -> Vec<Item<'a, T>> {
    let mut items: Vec<_> = proposed
        .iter()
        .map(|proposed| {
            let fact = fact(proposed);
            let mut tuple = Vec::with_capacity(fact.values.len() * 9);
            tuple::encode(&fact.values, &mut tuple);
            Item { relation: fact.relation, tuple, proposed }
        })
        .collect();
    // Stable, so that of a decision proposed twice the first explanation counts.
    items.sort_by(|a, b| (a.relation, &a.tuple).cmp(&(b.relation, &b.tuple)));
    items.dedup_by(|b, a| a.relation == b.relation && a.tuple == b.tuple);
    items
}

fn holds<T, U>(items: &[Item<'_, T>], wanted: &Item<'_, U>) -> bool {
    items.binary_search_by(|item| (item.relation, &item.tuple).cmp(&(wanted.relation, &wanted.tuple))).is_ok()
}

/// Finds since which transaction facts or decisions stand, quickly where they come in order.
pub(crate) struct Since<'a> {
    state: &'a State,
    finder: Finder<'a>,
    section: u8,
}

impl<'a> Since<'a> {
    pub(crate) fn new(state: &'a State, view: &'a View, section: u8) -> Self {
        Self { state, finder: view.finder(), section }
    }

    pub(crate) fn find(&mut self, relation: Symbol, tuple: &[u8]) -> Result<Option<u64>, LedgerError> {
        let Some(counts) = self.state.relations.get(&relation) else { return Ok(None) };
        let standing = if self.section == keys::FACT { counts.facts } else { counts.decisions };
        if standing == 0 {
            return Ok(None);
        }
        match self.finder.get(&keys::fact(self.section, counts.number, tuple))? {
            Some(value) => Ok(Some(Reader::new(value).varint()?)),
            None => Ok(None),
        }
    }
}

impl Plan {
    /// Sets `draft` against what stands.
    pub(crate) fn new(draft: &Draft, state: &State, view: &View) -> Result<Self, LedgerError> {
        let mut plan = Self::facts(&draft.assertions, &draft.retractions, state, view)?;
        plan.decide(draft, Since::new(state, view, keys::DECISION))?;
        Ok(plan)
    }

    /// Sets assertions and retractions against what stands.
    pub(crate) fn facts(
        assertions: &[Fact],
        retractions: &[Fact],
        state: &State,
        view: &View,
    ) -> Result<Self, LedgerError> {
        let mut plan = Self::default();
        let asserted = ordered(assertions, |fact| fact);
        let mut since = Since::new(state, view, keys::FACT);
        for item in ordered(retractions, |fact| fact) {
            if holds(&asserted, &item) {
                continue;
            }
            match since.find(item.relation, &item.tuple)? {
                Some(since) => {
                    plan.changes.removed.push(item.proposed.clone());
                    plan.list.push(Change::new(item.relation, item.tuple, Act::Retract { since }));
                }
                None => plan.changes.missing.push(item.proposed.clone()),
            }
        }
        let mut since = Since::new(state, view, keys::FACT);
        for item in asserted {
            if since.find(item.relation, &item.tuple)?.is_some() {
                plan.changes.standing.push(item.proposed.clone());
            } else {
                plan.changes.added.push(item.proposed.clone());
                plan.list.push(Change::new(item.relation, item.tuple, Act::Assert));
            }
        }
        Ok(plan)
    }

    fn decide(&mut self, draft: &Draft, mut since: Since<'_>) -> Result<(), LedgerError> {
        let drawn = ordered(&draft.drawn, |decision| &decision.fact);
        for item in ordered(&draft.lapsed, |fact| fact) {
            if holds(&drawn, &item) {
                continue;
            }
            if let Some(since) = since.find(item.relation, &item.tuple)? {
                self.lapsed.push(item.proposed.clone());
                self.list.push(Change::new(item.relation, item.tuple, Act::Lapse { since }));
            }
        }
        for item in drawn {
            if since.find(item.relation, &item.tuple)?.is_none() {
                self.drawn.push(item.proposed.clone());
                let Decision { rule, sentence, .. } = item.proposed.clone();
                self.list.push(Change::new(item.relation, item.tuple, Act::Draw { rule, sentence }));
            }
        }
        Ok(())
    }

    /// The part of the summary that follows from the changes.
    pub(crate) fn summary(&self, state: &State) -> Summary {
        Summary {
            standing: self.changes.standing.len() as u64,
            missing: self.changes.missing.len() as u64,
            ..Summary::after(state, &self.list)
        }
    }
}

impl Summary {
    /// The counts of `changes`, and what stands once they are made to `state`.
    pub(crate) fn after(state: &State, changes: &[Change]) -> Self {
        let mut summary = Self::default();
        let mut digest = state.digest;
        for change in changes {
            change.enter(&mut digest);
            match change.act {
                Act::Assert => summary.added += 1,
                Act::Retract { .. } => summary.removed += 1,
                Act::Draw { .. } => summary.drawn += 1,
                Act::Lapse { .. } => summary.lapsed += 1,
            }
        }
        summary.facts = (state.facts + summary.added).saturating_sub(summary.removed);
        summary.decisions = (state.decisions + summary.drawn).saturating_sub(summary.lapsed);
        summary.digest = digest.to_hash();
        summary
    }
}
