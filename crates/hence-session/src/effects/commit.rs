//! Effects in a commit: evaluated, taken, evaluated again until none begins; decisions are compared once, at the end.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_ledger::{Changes, Decision, Draft, EffectRound, LedgerError, When};
use hence_proof::proof::FactPattern;

use super::held::{Extents, Turn};
use super::{Held, HeldAt, Steps, begun, has_effects};
use crate::commit::Proposed;
use crate::error::SessionError;
use crate::evaluation::{self, Evaluation, open_of};
use crate::incremental::{IncrementalState, MaintainedAt};
use crate::maintained::{Edits, Maintained, Turned};
use crate::outcome::CommitOutcome;
use crate::{Session, Store};

/// What a change came to with its effects.
pub(crate) struct Effected {
    /// With the steps.
    pub(crate) outcome: CommitOutcome,
    /// What the facts changed in all.
    pub(crate) net: Changes,
    /// What is kept for the next commit.
    pub(crate) incremental: IncrementalState,
    /// What effects hold now.
    pub(crate) held: HeldAt,
    /// Whether some effect began to hold, or holds no longer.
    pub(crate) turned: bool,
}

/// What follows after the steps so far.
enum State {
    /// Evaluated from scratch.
    Scratch(Evaluation),
    /// Kept up to date from now on; whether nothing has changed in it yet.
    Fresh(Box<Maintained>, bool),
    /// Kept up to date since an earlier commit, what turned in this one, and whether others recorded something before,
    /// with which the effects were not looked at yet.
    Kept(Box<MaintainedAt>, Turned, bool),
}

/// A state as [`Held`] looks at it.
struct Shown<'a> {
    session: &'a Session,
    state: &'a State,
}

impl Extents for Shown<'_> {
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact> {
        let program = &self.session.rules.program;
        match self.state.maintained() {
            Some(kept) => kept.facts(program, relation).collect(),
            None => {
                let evaluation = self.state.evaluation();
                evaluation::facts_of(program, &evaluation.model, relation).into_iter().collect()
            }
        }
    }

    fn changes(&self, relation: RelationId) -> Option<Vec<(Fact, bool)>> {
        match self.state {
            State::Scratch(_) | State::Fresh(_, true) | State::Kept(_, _, true) => None,
            State::Fresh(kept, false) => Some(kept.changes(&self.session.rules.program, relation)),
            State::Kept(kept, _, false) => {
                Some(kept.incremental.changes(&self.session.rules.program, relation))
            }
        }
    }

    fn open(&self, relation: RelationId) -> &[FactPattern] {
        let undetermined = match self.state.maintained() {
            Some(kept) => kept.undetermined(),
            None => &self.state.evaluation().undetermined,
        };
        open_of(undetermined, relation)
    }
}

impl State {
    fn maintained(&self) -> Option<&Maintained> {
        match self {
            Self::Scratch(_) => None,
            Self::Fresh(kept, _) => Some(kept),
            Self::Kept(kept, _, _) => Some(&kept.incremental),
        }
    }

    fn evaluation(&self) -> &Evaluation {
        let Self::Scratch(evaluation) = self else { return None.or_broken("what is kept has no evaluation") };
        evaluation
    }
}

impl Session {
    /// What follows once `own` changes and the effects that they begin are in, beside the decisions that stand.
    pub(crate) fn decide_with_effects(
        &mut self,
        own: &Changes,
        now: i64,
        (keeps, dry): (bool, bool),
    ) -> Result<Effected, SessionError> {
        let HeldAt { tx, mut held } = self.held_before(dry)?;
        let mut turned = matches!(held, Held::Other(_));
        let mut state = self.first_state(own, now, keeps)?;
        let mut steps = Steps::default();
        loop {
            meter::check("taking effects")?;
            let turns = held.turn(&self.rules.checked, &self.shown(&state));
            turned |= !turns.is_empty();
            let begun = self.begun(&state, turns, now)?;
            let step = steps.take(begun, &|fact| self.stands_after(own, fact))?.cloned();
            let Some(step) = step else { break };
            state = self.next_state(state, own, &steps, &step, now)?;
        }
        let net = steps.net(own);
        let (outcome, incremental) = self.last_state(state)?;
        let outcome = CommitOutcome { steps: steps.into_done(), ..outcome };
        Ok(Effected { outcome, net, incremental, held: HeldAt { tx, held }, turned })
    }

    fn shown<'a>(&'a self, state: &'a State) -> Shown<'a> {
        Shown { session: self, state }
    }

    /// What the effects that begin do, with their rules and sentences.
    fn begun(
        &self,
        state: &State,
        turns: Vec<Turn>,
        now: i64,
    ) -> Result<Vec<(Fact, bool, Decision)>, SessionError> {
        let finder = match state.maintained() {
            Some(kept) => kept.finder(&self.rules),
            None => self.reasons(state.evaluation()),
        };
        let begun = begun(&self.rules, &finder, turns, now)?;
        if let Some(kept) = state.maintained() {
            kept.put_back(finder);
        }
        Ok(begun)
    }

    /// Whether a fact stands once the changes that a transaction itself makes are in.
    fn stands_after(&self, own: &Changes, fact: &Fact) -> Result<bool, SessionError> {
        let is_in = |list: &[Fact]| list.binary_search(fact).is_ok();
        if is_in(&own.added) || is_in(&own.present) {
            return Ok(true);
        }
        if is_in(&own.removed) || is_in(&own.missing) {
            return Ok(false);
        }
        match &self.store {
            Store::Ledger(ledger) => self.stood(ledger, fact),
            Store::Memory(memory) => Ok(memory.facts.contains(fact)),
        }
    }

    /// What follows once the changes that a transaction itself makes are in.
    fn first_state(&mut self, own: &Changes, now: i64, keeps: bool) -> Result<State, SessionError> {
        if !keeps {
            return Ok(State::Scratch(self.evaluate_with(own, now)?));
        }
        match std::mem::take(&mut self.incremental) {
            IncrementalState::Maintained(mut kept) if kept.tx == self.last_tx() => {
                let edits = self.edits(&kept.incremental, own);
                let turned = kept.incremental.advance(&self.rules, edits, now, self.lenient)?;
                let is_behind = kept.others.is_some();
                Ok(State::Kept(kept, turned, is_behind))
            }
            IncrementalState::New => Ok(State::Scratch(self.evaluate_with(own, now)?)),
            IncrementalState::Once | IncrementalState::Maintained(_) => {
                let input = self.input_with(own, now)?;
                let kept = Maintained::new(&self.rules, &input, now, &self.limits, self.lenient)?;
                Ok(State::Fresh(Box::new(kept), true))
            }
        }
    }

    fn edits(&self, kept: &Maintained, changes: &Changes) -> Edits {
        let mut edits = Edits::default();
        for (facts, stands) in [(&changes.removed, false), (&changes.added, true)] {
            facts.iter().for_each(|fact| kept.edit(&self.rules, &mut edits, fact, stands));
        }
        edits
    }

    /// What follows once one more step is in.
    fn next_state(
        &self,
        state: State,
        own: &Changes,
        steps: &Steps,
        step: &EffectRound,
        now: i64,
    ) -> Result<State, SessionError> {
        let go_on = |kept: &mut Maintained| {
            let mut edits = Edits::default();
            for change in &step.changes {
                kept.edit(&self.rules, &mut edits, &change.fact, change.asserted);
            }
            kept.advance(&self.rules, edits, now, self.lenient)
        };
        match state {
            State::Scratch(_) => Ok(State::Scratch(self.evaluate_with(&steps.net(own), now)?)),
            State::Fresh(mut kept, _) => {
                go_on(&mut kept)?;
                Ok(State::Fresh(kept, false))
            }
            State::Kept(mut kept, before, _) => {
                let turned = before.then(go_on(&mut kept.incremental)?);
                Ok(State::Kept(kept, turned, false))
            }
        }
    }

    /// The decisions of the last state beside those that stand.
    fn last_state(&self, state: State) -> Result<(CommitOutcome, IncrementalState), SessionError> {
        match state {
            State::Scratch(evaluation) => Ok((self.compare(&evaluation)?, IncrementalState::Once)),
            State::Fresh(mut kept, _) => {
                let evaluation = kept.evaluation();
                kept.expect_reasons(&self.rules);
                let kept = MaintainedAt { incremental: *kept, tx: 0, others: None };
                Ok((self.compare(&evaluation)?, IncrementalState::Maintained(Box::new(kept))))
            }
            State::Kept(mut kept, turned, _) => {
                let turned = turned.settle(&self.rules.program);
                let turned = self.beside_others(&mut kept, turned)?;
                let outcome = self.differences(&kept.incremental, turned)?;
                Ok((outcome, IncrementalState::Maintained(kept)))
            }
        }
    }

    /// What a ledger is to record of a change whose effects changed facts too: `net` in all.
    pub(crate) fn propose_again(&self, proposed: Proposed, net: Changes) -> Result<Proposed, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(proposed) };
        let (mut added, mut removed) = (net.added, net.removed);
        added.extend(net.present);
        removed.extend(net.missing);
        let mut draft =
            Draft { assertions: added, retractions: removed, schemas: Vec::new(), ..proposed.draft };
        if let Some(fact) = draft.assertions.iter().find(|fact| ledger.redaction().matches_fact(fact)) {
            let what = format!("an effect on `{}`, which its rule assembles from parts", fact.relation);
            return Err(LedgerError::Unredacted { what }.into());
        }
        self.lens(ledger)?.record(ledger, &self.rules.program, &mut draft)?;
        let (_, resolved) = ledger.resolve(&mut draft)?;
        Ok(Proposed { draft, resolved })
    }

    /// Keeps what effects hold for the next commit, now that everything is recorded.
    pub(crate) fn remember_effects(&mut self, held: HeldAt, outcome: &CommitOutcome) {
        if has_effects(&self.rules.checked) {
            let tx = outcome.committed.as_ref().map_or(held.tx, |committed| committed.tx);
            self.effects = Some(HeldAt { tx, ..held });
        }
    }

    /// What effects held when decisions were drawn last; what the session kept of it is taken out, unless it stays as it
    /// is.
    fn held_before(&mut self, dry: bool) -> Result<HeldAt, SessionError> {
        let Store::Ledger(ledger) = &self.store else {
            return Ok(self.effects.clone().unwrap_or_default());
        };
        let last = self.last_decided(ledger)?;
        let tx = last.as_ref().map_or(0, |info| info.tx);
        let is_known = |kept: &&HeldAt| kept.tx == tx && self.as_of == When::Now;
        if self.effects.as_ref().filter(is_known).is_none() {
            return Ok(HeldAt { tx, held: self.held_after(ledger, last)? });
        }
        let kept = if dry { self.effects.clone() } else { self.effects.take() };
        Ok(kept.or_broken("what effects held is known"))
    }

    /// What effects held when decisions were drawn last.
    pub(super) fn held_now(&self, now: i64) -> Result<Held, SessionError> {
        match (&self.store, &self.effects) {
            (Store::Ledger(ledger), _) => self.held_after(ledger, self.last_decided(ledger)?),
            (Store::Memory(_), Some(kept)) => Ok(kept.held.clone()),
            // Facts that are supposed have had their effects.
            (Store::Memory(_), None) => {
                let (mut held, state) = (Held::default(), State::Scratch(self.evaluate(now)?));
                held.turn(&self.rules.checked, &self.shown(&state));
                Ok(held)
            }
        }
    }
}
