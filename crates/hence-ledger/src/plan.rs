//! What a draft changes: its facts and decisions compared with what holds.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::Personal;
use hence_core::symbol::Symbol;

use super::bytes::Reader;
use super::content::{Act, Summary};
use super::error::LedgerError;
use super::keys;
use super::list::{Acts, ChangeList, Item, Proposed};
use super::said::Said;
use super::schemas::renewed;
use super::state::State;
use super::transaction::{Changes, Decision, Draft, Tally};
use super::view::{Finder, View};

/// The effective changes of a draft.
#[derive(Default)]
pub(crate) struct TransactionPlan<'d> {
    /// As they are recorded, ascending within facts and within decisions.
    pub(crate) list: ChangeList<'d>,
    pub(crate) tally: Tally,
}

/// Up to so many facts are looked up one by one.
const FEW: usize = 4;

/// Finds since which transaction facts or decisions hold, quickly where they come in order.
pub(crate) struct Since<'a> {
    state: &'a State,
    view: &'a View,
    /// Where so many are looked for that blocks are better decoded.
    finder: Option<Finder<'a>>,
    section: u8,
    /// The relation last asked for, and its number where anything of it holds.
    last: Option<(Symbol, Option<u32>)>,
    key: Vec<u8>,
}

impl<'a> Since<'a> {
    /// To find about `count` facts or decisions.
    pub(crate) fn new(state: &'a State, view: &'a View, section: u8, count: usize) -> Self {
        let finder = (count > FEW).then(|| view.finder());
        Self { state, view, finder, section, last: None, key: Vec::new() }
    }

    pub(crate) fn find(&mut self, relation: Symbol, tuple: &[u8]) -> Result<Option<u64>, LedgerError> {
        let number = match self.last {
            Some((last, number)) if last == relation => number,
            _ => self.number(relation),
        };
        self.last = Some((relation, number));
        let Some(number) = number else { return Ok(None) };
        self.key.clear();
        keys::put_fact(&mut self.key, self.section, number, tuple);
        let since = |value: &[u8]| Reader::new(value).varint();
        Ok(match &mut self.finder {
            Some(finder) => finder.get(&self.key)?.map(since),
            None => self.view.get(&self.key)?.as_deref().map(since),
        }
        .transpose()?)
    }

    fn number(&self, relation: Symbol) -> Option<u32> {
        let counts = self.state.relations.get(&relation)?;
        let present = if self.section == keys::FACT { counts.facts } else { counts.decisions };
        (present > 0).then_some(counts.number)
    }
}

/// Assertions and retractions resolved against what holds: encoded, ascending, each once.
///
/// It is made once a transaction: [`Ledger::resolve`](super::Ledger::resolve) makes it, an evaluation reads the
/// [`Changes`] that belong to it, [`Ledger::commit_resolved`](super::Ledger::commit_resolved) records it.
pub struct ResolvedDelta {
    /// The transaction after which it was resolved.
    pub(super) tx: u64,
    retracted: Proposed,
    /// Since when each of them holds.
    since: Vec<u64>,
    asserted: Proposed,
    /// The places of the assertions of what holds already.
    present: Vec<u32>,
    /// The places of the retractions of what doesn't hold.
    missing: Vec<u32>,
    /// The personal columns that the facts declare.
    pub(super) declared: Vec<(Symbol, Personal)>,
}

impl ResolvedDelta {
    pub(crate) fn new(draft: &Draft, state: &State, view: &View) -> Result<Self, LedgerError> {
        let asserted = Proposed::new(draft.assertions.iter());
        let retracted = Proposed::new(draft.retractions.iter());
        Self::of(draft, (asserted, retracted), state, view)
    }

    /// The assertions and retractions of a draft, encoded already.
    pub(crate) fn of(
        draft: &Draft,
        (mut asserted, mut retracted): (Proposed, Proposed),
        state: &State,
        view: &View,
    ) -> Result<Self, LedgerError> {
        // A relation that starts over asserts its facts again, even where an earlier one looked the same.
        let renewed = renewed(&draft.schemas);
        let (mut since, mut present, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let mut finder = Since::new(state, view, keys::FACT, draft.retractions.len());
        retracted.retain(|item| {
            if asserted.holds(&item) && !renewed.contains(&item.relation) {
                return Ok(false);
            }
            let found = finder.find(item.relation, item.tuple)?;
            match found {
                Some(from) => since.push(from),
                None => missing.push(item.at),
            }
            Ok::<_, LedgerError>(found.is_some())
        })?;
        let mut finder = Since::new(state, view, keys::FACT, draft.assertions.len());
        asserted.retain(|Item { relation, tuple, at }| {
            let holds = !renewed.contains(&relation) && finder.find(relation, tuple)?.is_some();
            if holds {
                present.push(at);
            }
            Ok::<_, LedgerError>(!holds)
        })?;
        Ok(Self { tx: state.tx, retracted, since, asserted, present, missing, declared: Vec::new() })
    }

    /// What the facts that were resolved come to.
    pub(super) fn changes(&self, mut assertions: Vec<Fact>, mut retractions: Vec<Fact>) -> Changes {
        let places = |places: &[u32]| places.iter().map(|at| *at as usize).collect::<Vec<_>>();
        Changes {
            added: taken(&mut assertions, self.asserted.places()),
            removed: taken(&mut retractions, self.retracted.places()),
            present: taken(&mut assertions, places(&self.present)),
            missing: taken(&mut retractions, places(&self.missing)),
        }
    }
}

/// The facts at some places, each of which is asked for once.
fn taken(all: &mut [Fact], places: impl IntoIterator<Item = usize>) -> Vec<Fact> {
    let mut take = |at| {
        let fact: &mut Fact = all.get_mut(at).or_broken("what is chosen was proposed");
        Fact { relation: fact.relation, values: std::mem::take(&mut fact.values) }
    };
    places.into_iter().map(&mut take).collect()
}

impl<'d> TransactionPlan<'d> {
    /// Compares `draft`, whose facts are resolved already, with what holds.
    pub(crate) fn new(
        draft: &'d Draft,
        resolved: ResolvedDelta,
        state: &State,
        view: &View,
    ) -> Result<Self, LedgerError> {
        let ResolvedDelta { retracted, since, asserted, present, missing, .. } = resolved;
        let mut plan = Self::default();
        plan.list.add(retracted, Acts::Retract(since));
        let removed = plan.list.len();
        plan.list.add(asserted, Acts::Assert);
        plan.tally = Tally {
            added: (plan.list.len() - removed) as u64,
            removed: removed as u64,
            present: present.len() as u64,
            missing: missing.len() as u64,
        };
        let count = draft.drawn.len() + draft.lapsed.len();
        plan.decide(draft, Since::new(state, view, keys::DECISION, count))?;
        Ok(plan)
    }

    fn decide(&mut self, draft: &'d Draft, mut finder: Since<'_>) -> Result<(), LedgerError> {
        let mut drawn = Proposed::new(draft.drawn.iter().map(|decision| &decision.fact));
        let mut lapsed = Proposed::new(draft.lapsed.iter().map(|lapsed| &lapsed.fact));
        let mut since = Vec::new();
        lapsed.retain(|item| {
            if drawn.holds(&item) {
                return Ok(false);
            }
            let found = finder.find(item.relation, item.tuple)?;
            let lapsed = draft.lapsed.get(item.at as usize).or_broken("what lapses was proposed");
            let reason = lapsed.reason.as_deref();
            since.extend(found.map(|since| (since, reason)));
            Ok::<_, LedgerError>(found.is_some())
        })?;
        drawn.retain(|Item { relation, tuple, .. }| {
            Ok::<_, LedgerError>(finder.find(relation, tuple)?.is_none())
        })?;
        let explanation = |at| {
            let decision: &'d Decision = draft.drawn.get(at).or_broken("what is drawn was proposed");
            (decision.rule.as_deref(), decision.sentence.as_deref())
        };
        let explanations = drawn.places().map(explanation).collect();
        self.list.add(lapsed, Acts::Lapse(since));
        self.list.add(drawn, Acts::Draw(explanations));
        Ok(())
    }

    /// Those of the words of others whose facts come, ascending.
    pub(crate) fn said(&self, said: &[Said]) -> Vec<Said> {
        if said.is_empty() {
            return Vec::new();
        }
        let asserted = self.list.iter().filter(|change| change.act == Act::Assert);
        let asserted: BTreeSet<(Symbol, &[u8])> =
            asserted.map(|change| (change.relation, change.tuple)).collect();
        let comes = |said: &&Said| {
            let mut tuple = Vec::new();
            super::tuple::encode(&said.fact.values, &mut tuple);
            asserted.contains(&(said.fact.relation, tuple.as_slice()))
        };
        let mut said: Vec<Said> = said.iter().filter(comes).cloned().collect();
        said.sort_unstable();
        said.dedup_by(|one, other| one.fact == other.fact);
        said
    }

    /// The part of the summary that follows from the changes.
    pub(crate) fn summary(&self, state: &State) -> Summary {
        Summary {
            present: self.tally.present,
            missing: self.tally.missing,
            ..Summary::after(state, &self.list)
        }
    }
}

impl Summary {
    /// The counts of `changes`, and what holds once they are made to `state`.
    pub(crate) fn after(state: &State, changes: &ChangeList<'_>) -> Self {
        let mut summary = Self::default();
        let mut digest = state.digest;
        let mut scratch = Vec::new();
        for change in changes.iter() {
            change.enter(&mut digest, &mut scratch);
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
