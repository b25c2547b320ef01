//! Recorded history under other rules, or under its own: what would have been decided, transaction by transaction.

mod parts;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::{Engine, Limits};
use hence_ledger::{Ledger, Transaction, TxInfo};

use super::audit::{Discrepancy, stepped};
use super::effects::{Again, Rounds};
use super::erased::Unreadable;
use super::error::SessionError;
use super::follow::{Apart, Follower, Reasons, Redrawn, Refresh};
use super::history::History;
use super::{RuleSet, Session};
use parts::{Joined, Part};

/// How history is gone through.
#[derive(Clone, Copy)]
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
    /// Of how many flips by each rule the reasons are looked for.
    pub explained: usize,
    /// How many threads go through the history, each a part of it with all facts of its own.
    pub threads: usize,
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
    /// The rules' clock in that transaction.
    pub clock: i64,
    /// The rule by which it holds on the one side.
    pub rule: Option<String>,
    /// Why it stood, or did not, by the recorded rules; and why it stands, or does not, by those of the replay. Only
    /// of as many flips by one rule as were asked for.
    pub reasons: Option<(String, String)>,
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
    /// How many steps effects made.
    pub steps: u64,
    /// How many transactions have other steps than are recorded.
    pub stepped_otherwise: u64,
    /// The first of them.
    pub first_otherwise: Option<u64>,
    /// How many decisions differ that rest on personal values which nobody can read any more: none of them is a flip.
    pub erased: u64,
}

impl Replayed {
    /// Counts a transaction that was drawn again, with its steps.
    fn count(&mut self, tx: u64, steps: usize, otherwise: bool) {
        self.evaluated += 1;
        self.steps += steps as u64;
        if otherwise {
            self.stepped_otherwise += 1;
            self.first_otherwise.get_or_insert(tx);
        }
    }
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
            explained: usize::MAX,
            threads: 1,
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
        fault::caught(|| {
            let parts = Part::of(self)?;
            let mut told = 0;
            if parts.len() > 1 {
                match parts::drawn_again(self, &parts, progress, each)? {
                    Joined::Whole(replayed) => return Ok(replayed),
                    Joined::Begun(flips) => told = flips,
                }
            }
            let mut reached = |tx| {
                progress(tx);
                true
            };
            let mut each = |flip| {
                let is_told = told > 0;
                told = told.saturating_sub(1);
                is_told || each(flip)
            };
            self.go_through(Part::whole(self), (&mut reached, &mut || {}), &mut each)
        })
    }

    /// Checks that rules which draw decisions here have the parameters that are set, and keep to the ledger's shard.
    ///
    /// # Errors
    /// Other rules that partition nothing in a ledger of a shard; a parameter that no rules have; a ledger that can't be read, recorded rules with faults.
    pub fn check_sets(&self) -> Result<(), SessionError> {
        self.rules.map_or(Ok(()), |rules| rules.check_shard(self.ledger))?;
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

    /// Draws the decisions of a part again. `reached` hears of each transaction, and ends it by `false`; it also ends where
    /// the part can't tell how it goes on, which `unsure` hears.
    fn go_through(
        &self,
        part @ Part { first, counted, last, .. }: Part,
        (reached, unsure): (&mut dyn FnMut(u64) -> bool, &mut dyn FnMut()),
        each: &mut dyn FnMut(Flip) -> bool,
    ) -> Result<Replayed, SessionError> {
        let (mut history, mut others) = (self.history(), BTreeMap::new());
        let as_recorded = self.rules.is_none() && self.sets.is_empty();
        let (mut after, mut before) = (Follower::default(), (!as_recorded).then(Follower::of_records));
        let (mut replayed, mut explained) = (Replayed::default(), BTreeMap::new());
        let mut unreadable = Unreadable::before(self.ledger, first)?;
        let mut rounds = Rounds::before(first, &mut history, false)?;
        let mut course = Course::new(history.standing(first - 1)?);
        for tx in first..=last {
            if !reached(tx) {
                return Ok(replayed);
            }
            let transaction = self.ledger.transaction(tx)?;
            course.record(&transaction);
            unreadable.take(self.ledger, tx)?;
            after.take(&transaction);
            rounds.take(&transaction);
            before.iter_mut().for_each(|before| before.take(&transaction));
            let info = &transaction.info;
            let (Some(hash), Some(clock)) = (info.rules, info.clock) else { continue };
            let own = history.rules(hash)?;
            if !as_recorded && !others.contains_key(&hash) {
                others.insert(hash, Rc::new(self.others(&own)?));
            }
            let rules = others.get(&hash).unwrap_or(&own);
            // What is undetermined stays as it was, and how that was is not known where a part begins.
            let again = rounds.evaluate(&mut after, &history, rules, (info, clock))?;
            if part.is_unsure(&own, rules, info) || tx < counted && !after.undetermined().is_empty() {
                unsure();
                return Ok(replayed);
            }
            let otherwise = otherwise(&history, &unreadable, (rules, as_recorded), (info, clock), &again)?;
            let steps = again.steps.len();
            let keeps = as_recorded && info.run.is_none();
            course.follow(rules, &after, again.turned, keeps);
            if tx < counted {
                course.fresh();
                continue;
            }
            replayed.count(tx, steps, otherwise);
            replayed.decisions += course.now.len() as u64;
            let mut fresh = course.fresh();
            let all = fresh.len();
            unreadable.leave_out(&history, rules, (info, clock), &mut fresh)?;
            replayed.erased += (all - fresh.len()) as u64;
            if fresh.is_empty() {
                continue;
            }
            if let Some(before) = &mut before {
                before.evaluate(&history, &own, info, (clock, &Apart::new()))?;
            }
            let reasons = (before.as_ref().unwrap_or(&after).reasons(&own), after.reasons(rules));
            let mut each = |flip| {
                replayed.flips += 1;
                each(flip)
            };
            let most = (self.explained, &mut explained);
            if !flip_each((tx, clock), (&course.then, fresh), reasons, most, &mut each)? {
                return Ok(replayed);
            }
        }
        Ok(replayed)
    }
}

/// How far a replay has come.
struct Course {
    /// The decisions that stand by the record.
    then: BTreeSet<Fact>,
    /// Those that stand when all is drawn again.
    now: Redrawn,
    /// Those that stood in one of both only, when the last transaction was drawn again.
    apart: BTreeSet<Fact>,
    /// Those that came or went in one of both since.
    touched: BTreeSet<Fact>,
}

impl Course {
    fn new(stood: BTreeSet<Fact>) -> Self {
        let (apart, touched) = (BTreeSet::new(), BTreeSet::new());
        Self { then: stood.clone(), now: Redrawn::new(stood), apart, touched }
    }

    /// Takes over what a transaction records.
    fn record(&mut self, transaction: &Transaction) {
        for (lapsed, _) in &transaction.lapsed {
            self.then.remove(&lapsed.fact);
            self.touched.insert(lapsed.fact.clone());
        }
        for decision in &transaction.drawn {
            self.then.insert(decision.fact.clone());
            self.touched.insert(decision.fact.clone());
        }
    }

    /// Brings what stands when all is drawn again up to an evaluation.
    fn follow(&mut self, rules: &RuleSet, follower: &Follower, turned: Refresh, keeps: bool) {
        let (came, went) = self.now.follow(rules, follower, turned, keeps);
        self.touched.extend(came.into_iter().chain(went));
    }

    /// Those that stand in one of both only, and did not when the last transaction was drawn again; ascending.
    fn fresh(&mut self) -> Vec<Fact> {
        let Self { then, now, apart, touched } = self;
        let is_fresh = |fact: &Fact| {
            if then.contains(fact) != now.contains(fact) {
                return apart.insert(fact.clone());
            }
            apart.remove(fact);
            false
        };
        std::mem::take(touched).into_iter().filter(is_fresh).collect()
    }
}

/// Whether a transaction's steps are others than are recorded, and not for personal values that can't be read.
fn otherwise(
    history: &History<'_>,
    unreadable: &Unreadable,
    (rules, as_recorded): (&RuleSet, bool),
    moment: (&TxInfo, i64),
    again: &Again,
) -> Result<bool, SessionError> {
    if again.steps == again.recorded || !as_recorded {
        return Ok(again.steps != again.recorded);
    }
    for finding in stepped(moment.0, rules, again) {
        let excused = match &finding.what {
            Discrepancy::StepUnfounded(number, change) | Discrepancy::StepMissing(number, change) => {
                unreadable.may_take_place(history, rules, moment, (*number, change))?
            }
            _ => false,
        };
        if !excused {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether rules have a parameter.
fn has(rules: &RuleSet, name: Symbol) -> bool {
    rules.program.params.iter().any(|param| param.name == name)
}

/// Hands each decision that is fresh on one side to `each`, with the reasons on both; whether it wants more.
fn flip_each(
    (tx, clock): (u64, i64),
    (then, fresh): (&BTreeSet<Fact>, Vec<Fact>),
    (before, after): (Reasons<'_>, Reasons<'_>),
    (most, explained): (usize, &mut BTreeMap<Option<String>, usize>),
    each: &mut dyn FnMut(Flip) -> bool,
) -> Result<bool, SessionError> {
    for decision in fresh {
        let stood = then.contains(&decision);
        let rule = if stood { before.rule_of(&decision)? } else { after.rule_of(&decision)? };
        let told = explained.entry(rule.clone()).or_insert(0);
        *told += 1;
        let reasons = if *told > most {
            None
        } else {
            Some((before.beside(&decision, &after)?, after.beside(&decision, &before)?))
        };
        if !each(Flip { tx, decision, stood, clock, rule, reasons }) {
            return Ok(false);
        }
    }
    before.end();
    after.end();
    Ok(true)
}
