//! The steps of recorded transactions done again: what began then, by the facts that the transaction itself changed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_ledger::{EffectRound, Transaction, TxInfo};
use hence_proof::proof::FactPattern;

use super::held::{Extents, SameRules};
use super::history::{decides, held_then};
use super::{Held, Steps, begun, has_effects};
use crate::RuleSet;
use crate::error::SessionError;
use crate::evaluation;
use crate::follow::{self, Apart, Follower, own_changes};
use crate::history::History;

/// How far the steps of a history are done again.
pub(crate) struct Rounds {
    held: Held,
    /// The rules that drew decisions last; none before the first.
    rules: Option<Rc<RuleSet>>,
    /// The facts that stand otherwise than is recorded, since steps differ.
    apart: Apart,
    /// Whether what differs is put right after each transaction.
    as_recorded: bool,
}

/// A transaction whose steps were done again.
pub(crate) struct Again {
    /// How decisions turned.
    pub(crate) turned: follow::Refresh,
    /// The steps as they are done now.
    pub(crate) steps: Vec<EffectRound>,
    /// The steps that are recorded, as these rules read them.
    pub(crate) recorded: Vec<EffectRound>,
}

/// An evaluation of a follower as [`Held`] looks at it.
struct Shown<'a> {
    follower: &'a Follower,
    rules: &'a RuleSet,
    last: &'a follow::Refresh,
}

impl Extents for Shown<'_> {
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact> {
        self.follower.facts(self.rules, relation)
    }

    fn changes(&self, relation: RelationId) -> Option<Vec<(Fact, bool)>> {
        self.follower.changes(self.rules, self.last, relation)
    }

    fn open(&self, relation: RelationId) -> &[FactPattern] {
        evaluation::open_of(self.follower.undetermined(), relation)
    }
}

impl Rounds {
    /// Before transaction `first`; with `as_recorded` each transaction is one of the recorded facts, whatever
    /// became of the steps before.
    pub(crate) fn before(
        first: u64,
        history: &mut History<'_>,
        as_recorded: bool,
    ) -> Result<Self, SessionError> {
        let mut rounds = Self { held: Held::default(), rules: None, apart: Apart::new(), as_recorded };
        let last = history.ledger.last_where(|info| info.tx < first && decides(info))?;
        if let Some(info) = last.filter(|info| info.steps.is_some())
            && let Some(hash) = info.rules
        {
            let rules = history.rules(hash)?;
            rounds.held = Held::Same(held_then(history, &rules, &info)?);
            rounds.rules = Some(rules);
        }
        Ok(rounds)
    }

    /// From where effects held this by these rules, each transaction one of the recorded facts.
    pub(super) fn from(held: Held, rules: Option<Rc<RuleSet>>) -> Self {
        Self { held, rules, apart: Apart::new(), as_recorded: true }
    }

    /// What effects hold by the rules that drew decisions last.
    pub(super) fn into_held(self) -> SameRules {
        match self.held {
            Held::Same(same) => same,
            Held::Other(_) => SameRules::default(),
        }
    }

    /// Takes over what a transaction itself changed: that is the same on both sides.
    pub(crate) fn take(&mut self, transaction: &Transaction) {
        if !self.apart.is_empty() {
            own_changes(transaction, &mut |fact, _| {
                self.apart.remove(fact);
            });
        }
    }

    /// Evaluates a transaction that draws decisions, and does its steps again.
    pub(crate) fn evaluate(
        &mut self,
        follower: &mut Follower,
        history: &History<'_>,
        rules: &Rc<RuleSet>,
        (info, clock): (&TxInfo, i64),
    ) -> Result<Again, SessionError> {
        self.change_rules(rules);
        let lenient = history.is_lenient(info);
        let mut turned = follower.evaluate(history, rules, info, (clock, &self.apart))?;
        let recorded = info.steps.clone().unwrap_or_default();
        let recorded = match follower.lens() {
            Some(lens) => lens.read_steps(&recorded),
            None => recorded,
        };
        let mut steps = Steps::default();
        let mut last = None;
        while has_effects(&rules.checked) {
            meter::check("taking effects again")?;
            let step = self.step(follower, rules, clock, (&mut steps, last.as_ref().unwrap_or(&turned)))?;
            let Some(step) = step else { break };
            if let Some(before) = last.replace(follower.go_on(history, rules, (&step, clock, lenient))?) {
                turned = turned.then(before);
            }
        }
        if let Some(last) = last {
            turned = turned.then(last);
        }
        let back = self.part(&steps, &recorded);
        if !back.is_empty() && self.as_recorded {
            turned = turned.then(follower.go_on(history, rules, (&back, clock, lenient))?);
            self.apart.clear();
            if has_effects(&rules.checked) {
                let shown = self.shown(follower, rules, &follow::Refresh::Recomputed);
                self.held.turn(&rules.checked, &shown);
            }
        }
        let turned = turned.settle(rules);
        Ok(Again { turned, steps: steps.into_done(), recorded })
    }

    fn change_rules(&mut self, rules: &Rc<RuleSet>) {
        match &self.rules {
            Some(before) if Rc::ptr_eq(before, rules) => return,
            Some(before) => self.held = self.held.under_others(&before.checked),
            None => {}
        }
        self.rules = Some(Rc::clone(rules));
    }

    fn shown<'a>(&self, follower: &'a Follower, rules: &'a RuleSet, last: &'a follow::Refresh) -> Shown<'a> {
        Shown { follower, rules, last }
    }

    /// What the effects that now begin change; `None` where that is nothing.
    fn step(
        &mut self,
        follower: &Follower,
        rules: &RuleSet,
        clock: i64,
        (steps, last): (&mut Steps, &follow::Refresh),
    ) -> Result<Option<Vec<(Fact, bool)>>, SessionError> {
        let shown = self.shown(follower, rules, last);
        let turns = self.held.turn(&rules.checked, &shown);
        let finder = follower.finder(rules);
        let begun = begun(rules, &finder, turns, clock)?;
        follower.put_back(finder);
        let step = steps.take(begun, &|fact| Ok(follower.is_asserted(rules, fact)))?;
        Ok(step
            .map(|step| step.changes.iter().map(|change| (change.fact.clone(), change.asserted)).collect()))
    }

    /// Notes in which facts the steps leave another state than the recorded ones; gives what puts them right.
    fn part(&mut self, steps: &Steps, recorded: &[EffectRound]) -> Vec<(Fact, bool)> {
        let all = |steps: &[EffectRound]| -> BTreeMap<Fact, bool> {
            let changes = steps.iter().flat_map(|step| &step.changes);
            changes.map(|change| (change.fact.clone(), change.asserted)).collect()
        };
        let (now, then) = (all(steps.done()), all(recorded));
        let mut back = Vec::new();
        for (fact, stands) in &now {
            // Where only one side has a step, the other side has what was before it.
            let before = if self.apart.contains_key(fact) { *stands } else { !stands };
            let stood = then.get(fact).copied().unwrap_or(before);
            if stood == *stands {
                self.apart.remove(fact);
            } else {
                self.apart.insert(fact.clone(), *stands);
                back.push((fact.clone(), stood));
            }
        }
        for (fact, stood) in then.iter().filter(|(fact, _)| !now.contains_key(*fact)) {
            let stands = self.apart.get(fact).copied().unwrap_or(!stood);
            if stands == *stood {
                self.apart.remove(fact);
            } else {
                self.apart.insert(fact.clone(), stands);
                back.push((fact.clone(), *stood));
            }
        }
        back
    }
}
