//! Effects in the recorded history: what they held after a transaction, and the steps of one done again.

use std::collections::BTreeSet;
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_ledger::{Ledger, TxInfo};
use hence_proof::proof::FactPattern;

use super::Held;
use super::held::{Extents, SameRules};
use super::rounds::Rounds;
use crate::error::SessionError;
use crate::evaluation::{self, Evaluation};
use crate::follow::Follower;
use crate::history::History;
use crate::ledger_facts::Recording;
use crate::{RuleSet, Session};

/// An evaluation of the past as [`Held`] looks at it.
pub(super) struct Then<'a> {
    rules: &'a RuleSet,
    evaluation: &'a Evaluation,
}

impl<'a> Then<'a> {
    pub(super) fn new(rules: &'a RuleSet, evaluation: &'a Evaluation) -> Self {
        Self { rules, evaluation }
    }
}

impl Extents for Then<'_> {
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact> {
        evaluation::facts_of(&self.rules.program, &self.evaluation.model, relation).into_iter().collect()
    }

    fn changes(&self, _: RelationId) -> Option<Vec<(Fact, bool)>> {
        None
    }

    fn open(&self, relation: RelationId) -> &[FactPattern] {
        evaluation::open_of(&self.evaluation.undetermined, relation)
    }
}

/// Whether decisions were drawn in a transaction.
pub(crate) fn decides(info: &TxInfo) -> bool {
    info.rules.is_some() && info.clock.is_some()
}

impl Session {
    /// The last transaction by this session's moment that drew decisions.
    pub(crate) fn last_decided(&self, ledger: &Recording) -> Result<Option<TxInfo>, SessionError> {
        let last = ledger.tx_when(self.as_of)?;
        Ok(ledger.last_where(|info| info.tx <= last && decides(info))?)
    }

    /// What effects held after a transaction, for this session's rules.
    pub(super) fn held_after(&self, ledger: &Recording, last: Option<TxInfo>) -> Result<Held, SessionError> {
        let Some(info) = last.filter(|info| info.steps.is_some()) else { return Ok(Held::default()) };
        let archived = ledger.archived().is_some_and(|(archived, _)| info.tx < archived);
        let whole = if archived { ledger.whole_history()? } else { None };
        let ledger: &Ledger = whole.as_ref().unwrap_or(ledger);
        let mut history = History::new(ledger, self.engine.as_ref(), self.limits, self.lenient);
        let rules = match info.rules {
            Some(hash) if hash == self.rules.recorded().hash() => Rc::new(self.rules.clone()),
            Some(hash) => history.rules(hash)?,
            None => return Ok(Held::default()),
        };
        let held = Held::Same(held_then(&mut history, &rules, &info)?);
        let is_own = info.rules == Some(self.rules.recorded().hash());
        Ok(if is_own { held } else { held.under_others(&rules.checked) })
    }
}

/// What the effects of `rules`, which are those of the transaction, held after it. Where something was undetermined,
/// what held before tells: everything since all was determined is done again.
pub(super) fn held_then(
    history: &mut History<'_>,
    rules: &Rc<RuleSet>,
    info: &TxInfo,
) -> Result<SameRules, SessionError> {
    let held = certain(history, rules, info)?;
    if !held.is_open() {
        return Ok(held);
    }
    let (mut tx, mut from) = (info.tx, (0, Held::default(), None));
    while let Some(before) = history.ledger.last_where(|other| other.tx < tx && decides(other))? {
        meter::check("looking for what effects held")?;
        tx = before.tx;
        let Some(hash) = before.rules.filter(|_| before.steps.is_some()) else {
            from = (tx, Held::default(), None);
            break;
        };
        let then = if before.rules == info.rules { Rc::clone(rules) } else { history.rules(hash)? };
        let held = certain(history, &then, &before)?;
        if !held.is_open() {
            from = (tx, Held::Same(held), Some(then));
            break;
        }
    }
    let (start, held, then) = from;
    let mut rounds = Rounds::from(held, then);
    let mut follower = Follower::default();
    for tx in start + 1..=info.tx {
        let transaction = history.ledger.transaction(tx)?;
        follower.take(&transaction);
        rounds.take(&transaction);
        let (Some(hash), Some(clock)) = (transaction.info.rules, transaction.info.clock) else { continue };
        let then = if Some(hash) == info.rules { Rc::clone(rules) } else { history.rules(hash)? };
        rounds.evaluate(&mut follower, history, &then, (&transaction.info, clock))?;
    }
    Ok(rounds.into_held())
}

/// What they held for certain.
fn certain(history: &History<'_>, rules: &RuleSet, info: &TxInfo) -> Result<SameRules, SessionError> {
    let mut held = SameRules::default();
    held.turn(&rules.checked, &Then::new(rules, &evaluated(history, rules, info)?));
    Ok(held)
}

/// What followed after a transaction.
fn evaluated(history: &History<'_>, rules: &RuleSet, info: &TxInfo) -> Result<Evaluation, SessionError> {
    let clock = info.clock.or_broken("a transaction that draws decisions has a clock");
    let (input, _) = history.input(rules, info, clock)?;
    let lenient = history.is_lenient(info);
    evaluation::evaluate(rules, input, history.engine, &history.limits, lenient)
}
