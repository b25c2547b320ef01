//! What a draft changes: its facts and decisions set against what stands.

use std::collections::BTreeMap;

use crate::fact::Fact;
use crate::symbol::Symbol;

use super::bytes::Reader;
use super::content::{Act, Change, Summary};
use super::error::LedgerError;
use super::keys;
use super::state::State;
use super::transaction::{Changes, Decision, Draft};
use super::tuple;
use super::view::View;

/// Facts or decisions by relation and encoded tuple: without repetitions, ascending.
type Ordered<T> = BTreeMap<(Symbol, Vec<u8>), T>;

/// The effective changes of a draft.
#[derive(Default)]
pub(crate) struct Plan {
    /// As they are recorded, ascending within facts and within decisions.
    pub(crate) list: Vec<Change>,
    pub(crate) changes: Changes,
    pub(crate) drawn: Vec<Decision>,
    pub(crate) lapsed: Vec<Fact>,
}

fn key(fact: &Fact) -> (Symbol, Vec<u8>) {
    let mut tuple = Vec::with_capacity(fact.values.len() * 10);
    tuple::encode(&fact.values, &mut tuple);
    (fact.relation, tuple)
}

/// The transaction since which a fact or decision stands.
pub(crate) fn since(
    state: &State,
    view: &View,
    section: u8,
    relation: Symbol,
    tuple: &[u8],
) -> Result<Option<u64>, LedgerError> {
    let Some(number) = state.number(relation) else { return Ok(None) };
    match view.get(&keys::fact(section, number, tuple))? {
        Some(value) => Ok(Some(Reader::new(&value).varint()?)),
        None => Ok(None),
    }
}

impl Plan {
    /// Sets `draft` against what stands.
    pub(crate) fn new(draft: &Draft, state: &State, view: &View) -> Result<Self, LedgerError> {
        let mut plan = Self::default();
        let asserted: Ordered<&Fact> = draft.assertions.iter().map(|fact| (key(fact), fact)).collect();
        plan.retract(draft, &asserted, state, view)?;
        for ((relation, tuple), fact) in asserted {
            if since(state, view, keys::FACT, relation, &tuple)?.is_some() {
                plan.changes.standing.push(fact.clone());
            } else {
                plan.changes.added.push(fact.clone());
                plan.list.push(Change { relation, tuple, act: Act::Assert });
            }
        }
        plan.decide(draft, state, view)?;
        Ok(plan)
    }

    fn retract(
        &mut self,
        draft: &Draft,
        asserted: &Ordered<&Fact>,
        state: &State,
        view: &View,
    ) -> Result<(), LedgerError> {
        let retracted: Ordered<&Fact> = draft.retractions.iter().map(|fact| (key(fact), fact)).collect();
        for ((relation, tuple), fact) in retracted {
            if asserted.contains_key(&(relation, tuple.clone())) {
                continue;
            }
            match since(state, view, keys::FACT, relation, &tuple)? {
                Some(since) => {
                    self.changes.removed.push(fact.clone());
                    self.list.push(Change { relation, tuple, act: Act::Retract { since } });
                }
                None => self.changes.missing.push(fact.clone()),
            }
        }
        Ok(())
    }

    fn decide(&mut self, draft: &Draft, state: &State, view: &View) -> Result<(), LedgerError> {
        let drawn: Ordered<&Decision> =
            draft.drawn.iter().map(|decision| (key(&decision.fact), decision)).collect();
        let lapsed: Ordered<&Fact> = draft.lapsed.iter().map(|fact| (key(fact), fact)).collect();
        for ((relation, tuple), fact) in lapsed {
            if drawn.contains_key(&(relation, tuple.clone())) {
                continue;
            }
            if let Some(since) = since(state, view, keys::DECISION, relation, &tuple)? {
                self.lapsed.push(fact.clone());
                self.list.push(Change { relation, tuple, act: Act::Lapse { since } });
            }
        }
        for ((relation, tuple), decision) in drawn {
            if since(state, view, keys::DECISION, relation, &tuple)?.is_none() {
                self.drawn.push(decision.clone());
                let act = Act::Draw { rule: decision.rule.clone(), sentence: decision.sentence.clone() };
                self.list.push(Change { relation, tuple, act });
            }
        }
        Ok(())
    }

    /// The part of the summary that follows from the changes.
    pub(crate) fn summary(&self, state: &State) -> Summary {
        let (added, removed) = (self.changes.added.len() as u64, self.changes.removed.len() as u64);
        let (drawn, lapsed) = (self.drawn.len() as u64, self.lapsed.len() as u64);
        let mut digest = state.digest;
        for change in &self.list {
            match change.act {
                Act::Assert | Act::Draw { .. } => digest.add(change.member()),
                Act::Retract { .. } | Act::Lapse { .. } => digest.remove(change.member()),
            }
        }
        Summary {
            added,
            removed,
            drawn,
            lapsed,
            standing: self.changes.standing.len() as u64,
            missing: self.changes.missing.len() as u64,
            facts: (state.facts + added).saturating_sub(removed),
            decisions: (state.decisions + drawn).saturating_sub(lapsed),
            digest: digest.to_hash(),
            ..Summary::default()
        }
    }
}
