//! Recorded history under other rules, or under its own: what would have been decided, transaction by transaction.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::backend::{Database, Engine, Limits};
use crate::fact::Fact;
use crate::fault;
use crate::ledger::{Hash, Ledger, LedgerError, TxInfo, When};
use crate::provenance::Finder;
use crate::provenance::proof::NoOrigins;
use crate::schema::{Kind, RelationId};
use crate::symbol::Symbol;

use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::fitting::Legacy;
use super::{RuleSet, Session};

/// How history is gone through.
pub struct Replay<'a> {
    /// The history.
    pub ledger: &'a Ledger,
    /// The rules to draw decisions by; without them each transaction's own.
    pub rules: Option<&'a RuleSet>,
    /// The first transaction to draw again.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// Whether operations without a result count as false.
    pub lenient: bool,
}

/// A decision that was drawn then and is not now, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The transaction from which on both differ.
    pub tx: u64,
    /// The decision.
    pub decision: Fact,
    /// Whether it stood then; if not, it stands now.
    pub then: bool,
    /// Why it stood, or did not, by the rules of then.
    pub reason_then: String,
    /// Why it stands, or does not, by the rules of now.
    pub reason_now: String,
}

/// What a replay came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// How many transactions were drawn again.
    pub evaluated: u64,
    /// How many decisions were drawn again in all.
    pub decisions: u64,
    /// Where then and now part, in order.
    pub flips: Vec<Flip>,
}

impl Session {
    /// The replay of this session's ledger from transaction `from` to `to`, with its engine and limits; `rules` are
    /// the rules to draw decisions by, without them each transaction's own. `None` without a ledger.
    pub fn replay<'a>(&'a self, rules: Option<&'a RuleSet>, from: u64, to: u64) -> Option<Replay<'a>> {
        let ledger = self.ledger()?;
        let engine = self.engine.as_ref();
        Some(Replay { ledger, rules, from, to, engine, limits: self.limits, lenient: self.lenient })
    }
}

impl Replay<'_> {
    /// Draws every decision of the history again and tells where they differ; `progress` hears of each transaction.
    ///
    /// # Errors
    /// A ledger that can't be read, recorded rules with faults, a limit that was reached.
    pub fn run(&self, progress: &mut dyn FnMut(u64)) -> Result<Replayed, SessionError> {
        fault::caught(|| self.drawn_again(progress))
    }

    fn drawn_again(&self, progress: &mut dyn FnMut(u64)) -> Result<Replayed, SessionError> {
        let mut replayed = Replayed::default();
        let mut known: BTreeMap<Hash, RuleSet> = BTreeMap::new();
        let mut now = BTreeSet::new();
        let mut apart: BTreeSet<Fact> = BTreeSet::new();
        let legacy = Legacy::default();
        let first = self.from.max(1);
        if first > 1 {
            now = standing(self.ledger, first - 1)?;
        }
        for info in self.ledger.log(first..=self.to) {
            let info = info?;
            progress(info.tx);
            let (Some(hash), Some(clock)) = (info.rules, info.clock) else { continue };
            let own = match known.entry(hash) {
                Entry::Occupied(own) => own.into_mut(),
                Entry::Vacant(place) => place.insert(recorded(self.ledger, hash)?),
            };
            let own = &*own;
            let rules = self.rules.unwrap_or(own);
            let evaluation = self.evaluate(&legacy, rules, &info, clock)?;
            carry(&mut now, rules, &evaluation);
            replayed.evaluated += 1;
            replayed.decisions += now.len() as u64;
            let then = standing(self.ledger, info.tx)?;
            let differ: BTreeSet<Fact> = then.symmetric_difference(&now).cloned().collect();
            let fresh: Vec<&Fact> = differ.difference(&apart).collect();
            if !fresh.is_empty() {
                let before = self.evaluate(&legacy, own, &info, clock)?;
                replayed.flips.extend(explain(&info, &then, &fresh, (own, &before), (rules, &evaluation)));
            }
            apart = differ;
        }
        Ok(replayed)
    }

    fn evaluate(
        &self,
        legacy: &Legacy,
        rules: &RuleSet,
        info: &TxInfo,
        clock: i64,
    ) -> Result<Evaluation, SessionError> {
        let program = &rules.program;
        let mut input = Database::new(program);
        let known = (program, &rules.sources);
        super::ledger_facts::standing(self.ledger, legacy, When::Tx(info.tx), known, &mut input)?;
        evaluation::add_now(program, &mut input, clock);
        evaluation::evaluate(rules, input, self.engine, &self.limits, self.lenient)
    }
}

fn recorded(ledger: &Ledger, hash: Hash) -> Result<RuleSet, SessionError> {
    match ledger.rules(hash)? {
        Some(rules) => RuleSet::from_recorded(&rules),
        None => Err(SessionError::Unknown { message: format!("the ledger does not hold the rules {hash}") }),
    }
}

fn standing(ledger: &Ledger, tx: u64) -> Result<BTreeSet<Fact>, LedgerError> {
    Ok(ledger.decisions_at(When::Tx(tx))?.into_iter().map(|standing| standing.decision.fact).collect())
}

/// Takes over the decisions of an evaluation; what it leaves undetermined and what its rules don't decide stays.
fn carry(now: &mut BTreeSet<Fact>, rules: &RuleSet, evaluation: &Evaluation) {
    let program = &rules.program;
    let decided: Vec<RelationId> = (0..program.relations.len() as u32)
        .map(RelationId)
        .filter(|id| program.relation(*id).is_some_and(|relation| relation.kind == Kind::Decision))
        .filter(|id| !evaluation.undetermined.contains(id))
        .collect();
    let names: BTreeSet<Symbol> =
        decided.iter().filter_map(|id| program.relation(*id)).map(|relation| relation.name).collect();
    now.retain(|fact| !names.contains(&fact.relation));
    for id in decided {
        now.extend(evaluation::facts_of(program, &evaluation.model, id));
    }
}

fn explain<'a>(
    info: &TxInfo,
    then: &BTreeSet<Fact>,
    fresh: &[&Fact],
    before: (&'a RuleSet, &'a Evaluation),
    after: (&'a RuleSet, &'a Evaluation),
) -> Vec<Flip> {
    let finder = |(rules, evaluation): (&'a RuleSet, &'a Evaluation)| {
        Finder::new(&rules.program, &evaluation.model, &rules.sources, &NoOrigins)
    };
    let (before, after) = (finder(before), finder(after));
    fresh
        .iter()
        .map(|fact| Flip {
            tx: info.tx,
            decision: (*fact).clone(),
            then: then.contains(*fact),
            reason_then: before.reason(fact),
            reason_now: after.reason(fact),
        })
        .collect()
}
