//! Recorded history under other rules, or under its own: what would have been decided, transaction by transaction.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::{Engine, Limits};
use hence_ledger::{Ledger, TxInfo};

use super::error::SessionError;
use super::evaluation::Evaluation;
use super::history::{self, History};
use super::{RuleSet, Session};

/// How history is gone through.
pub struct Replay<'a> {
    /// The history.
    pub ledger: &'a Ledger,
    /// The rules to draw decisions by; without them each transaction's own. What these leave at its default is set as
    /// it was in the transaction's own.
    pub rules: Option<&'a RuleSet>,
    /// Other values of parameters; rules of a transaction that don't have them stay as they are.
    pub sets: &'a [(Symbol, Value)],
    /// The first transaction to draw again.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// Whether undefined operations count as false in transactions that don't record it.
    pub lenient: bool,
}

/// A decision that stands in the record and would not have, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The transaction from which on both differ.
    pub tx: u64,
    /// The decision.
    pub decision: Fact,
    /// Whether it stood in the record; if not, it stands in the replay.
    pub stood: bool,
    /// Why it stood, or did not, by the recorded rules.
    pub before: String,
    /// Why it stands, or does not, by the rules of the replay.
    pub after: String,
}

/// What a replay came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many transactions were drawn again.
    pub evaluated: u64,
    /// How many decisions were drawn again in all.
    pub decisions: u64,
    /// How many decisions flip.
    pub flips: u64,
}

impl Session {
    /// The replay of this session's ledger from transaction `from` to `to`, with its engine and limits; `rules` are
    /// the rules to draw decisions by, without them each transaction's own. `None` without a ledger.
    pub fn replay<'a>(&'a self, rules: Option<&'a RuleSet>, from: u64, to: u64) -> Option<Replay<'a>> {
        let ledger = self.ledger()?;
        let engine = self.engine.as_ref();
        Some(Replay {
            ledger,
            rules,
            sets: &[],
            from,
            to,
            engine,
            limits: self.limits,
            lenient: self.lenient,
        })
    }
}

impl Replay<'_> {
    /// Draws every decision of the history again and hands those that flip to `each` as they are found, until it
    /// answers `false`; `progress` hears of each transaction.
    ///
    /// # Errors
    /// A ledger that can't be read, recorded rules with faults, a limit that was reached.
    pub fn run(
        &self,
        progress: &mut dyn FnMut(u64),
        each: &mut dyn FnMut(Flip) -> bool,
    ) -> Result<Replayed, SessionError> {
        fault::caught(|| self.drawn_again(progress, each))
    }

    /// Checks that rules which draw decisions here have the parameters that are set.
    ///
    /// # Errors
    /// A parameter that no rules have; a ledger that can't be read, recorded rules with faults.
    pub fn check_sets(&self) -> Result<(), SessionError> {
        if self.sets.is_empty() {
            return Ok(());
        }
        if let Some(rules) = self.rules {
            return rules.with_sets(self.sets).map(drop).map_err(SessionError::Faults);
        }
        let (mut history, mut seen) = (self.history(), BTreeSet::new());
        let (mut missing, mut last) = (self.sets.to_vec(), None);
        for info in self.ledger.log(self.from..=self.to) {
            let Some(hash) = info?.rules.filter(|hash| seen.insert(*hash)) else { continue };
            let rules = history.rules(hash)?;
            missing.retain(|(name, _)| !has(&rules, *name));
            last = Some(rules);
        }
        match last {
            Some(rules) => rules.with_sets(&missing).map(drop).map_err(SessionError::Faults),
            None => Ok(()),
        }
    }

    fn history(&self) -> History<'_> {
        History::new(self.ledger, self.engine, self.limits, self.lenient)
    }

    /// The rules to draw the decisions of a transaction by, whose `own` they are not.
    fn others(&self, own: &RuleSet) -> Result<RuleSet, SessionError> {
        let rules = match self.rules {
            Some(rules) => rules.keeping(own).map_err(SessionError::Faults)?,
            None => own.clone(),
        };
        let known = self.sets.iter().filter(|(name, _)| self.rules.is_some() || has(&rules, *name));
        let sets: Vec<_> = known.copied().collect();
        rules.with_sets(&sets).map_err(SessionError::Faults)
    }

    fn drawn_again(
        &self,
        progress: &mut dyn FnMut(u64),
        each: &mut dyn FnMut(Flip) -> bool,
    ) -> Result<Replayed, SessionError> {
        let (mut history, mut others) = (self.history(), BTreeMap::new());
        let as_recorded = self.rules.is_none() && self.sets.is_empty();
        let mut replayed = Replayed::default();
        let first = self.from.max(1);
        let mut now = history.standing(first - 1)?;
        let mut apart: BTreeSet<Fact> = BTreeSet::new();
        for info in self.ledger.log(first..=self.to) {
            let info = info?;
            progress(info.tx);
            let (Some(hash), Some(clock)) = (info.rules, info.clock) else { continue };
            let own = history.rules(hash)?;
            if !as_recorded && !others.contains_key(&hash) {
                others.insert(hash, self.others(&own)?);
            }
            let rules = others.get(&hash).unwrap_or(&*own);
            let evaluation = history.evaluate(rules, &info, clock)?;
            let keeps = as_recorded && info.run.is_none();
            history::carry(&mut now, rules, &evaluation, keeps);
            replayed.evaluated += 1;
            replayed.decisions += now.len() as u64;
            let then = history.standing(info.tx)?;
            let differ: BTreeSet<Fact> = then.symmetric_difference(&now).cloned().collect();
            let fresh: Vec<&Fact> = differ.difference(&apart).collect();
            if !fresh.is_empty() {
                let before = history.evaluate(&own, &info, clock)?;
                let (before, after) = ((&*own, &before), (rules, &evaluation));
                let mut each = |flip| {
                    replayed.flips += 1;
                    each(flip)
                };
                if !flip_each(&history, &info, (&then, &fresh), (before, after), &mut each)? {
                    return Ok(replayed);
                }
            }
            apart = differ;
        }
        Ok(replayed)
    }
}

/// Whether rules have a parameter.
fn has(rules: &RuleSet, name: Symbol) -> bool {
    rules.program.params.iter().any(|param| param.name == name)
}

/// Hands each decision that is fresh on one side to `each`, with the reasons on both; whether it wants more.
fn flip_each<'e>(
    history: &History<'_>,
    info: &TxInfo,
    (then, fresh): (&BTreeSet<Fact>, &[&Fact]),
    (before, after): ((&'e RuleSet, &'e Evaluation), (&'e RuleSet, &'e Evaluation)),
    each: &mut dyn FnMut(Flip) -> bool,
) -> Result<bool, SessionError> {
    let (before, after) = (history.finder(before.0, before.1), history.finder(after.0, after.1));
    for fact in fresh {
        let (before, after) = (before.reason(fact)?, after.reason(fact)?);
        let flip =
            Flip { tx: info.tx, decision: (*fact).clone(), stood: then.contains(*fact), before, after };
        if !each(flip) {
            return Ok(false);
        }
    }
    Ok(true)
}
