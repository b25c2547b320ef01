//! Effects in the recorded history: what they held after a transaction, and the steps of one done again.

use std::collections::BTreeSet;
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_ledger::{Ledger, TxInfo};

use super::Held;
use super::held::{Extents, SameRules};
use crate::session::error::SessionError;
use crate::session::evaluation::{self, Evaluation};
use crate::session::history::History;
use crate::session::ledger_facts::Recording;
use crate::session::{RuleSet, Session};

/// An evaluation of the past as [`Held`] looks at it.
pub(super) struct Then<'a> {
    rules: &'a RuleSet,
    evaluation: &'a Evaluation,
    undetermined: BTreeSet<RelationId>,
}

impl<'a> Then<'a> {
    pub(super) fn new(rules: &'a RuleSet, evaluation: &'a Evaluation) -> Self {
        Self { rules, evaluation, undetermined: evaluation.undetermined_relations(&rules.program) }
    }
}

impl Extents for Then<'_> {
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact> {
        evaluation::facts_of(&self.rules.program, &self.evaluation.model, relation).into_iter().collect()
    }

    fn changes(&self, _: RelationId) -> Option<Vec<(Fact, bool)>> {
        None
    }

    fn is_undetermined(&self, relation: RelationId) -> bool {
        self.undetermined.contains(&relation)
    }
}

/// Whether decisions were drawn in a transaction.
pub(in crate::session) fn decides(info: &TxInfo) -> bool {
    info.rules.is_some() && info.clock.is_some()
}

impl Session {
    /// The last transaction by this session's moment that drew decisions.
    pub(in crate::session) fn last_decided(
        &self,
        ledger: &Recording,
    ) -> Result<Option<TxInfo>, SessionError> {
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
        let held = Held::Same(held_then(&history, &rules, &info)?);
        let is_own = info.rules == Some(self.rules.recorded().hash());
        Ok(if is_own { held } else { held.under_others(&rules.checked) })
    }
}

/// What the effects of `rules`, which are those of the transaction, held after it. What was undetermined then is as it
/// was before.
pub(super) fn held_then(
    history: &History<'_>,
    rules: &RuleSet,
    info: &TxInfo,
) -> Result<SameRules, SessionError> {
    let mut held = SameRules::default();
    held.turn(&rules.checked, &Then::new(rules, &evaluated(history, rules, info)?));
    let (mut unknown, mut tx) = (held.open().clone(), info.tx);
    while !unknown.is_empty() {
        let same = |other: &TxInfo| other.tx < tx && decides(other);
        let before = history.ledger.last_where(same)?.filter(|other| other.rules == info.rules);
        let Some(before) = before else { break };
        tx = before.tx;
        let evaluation = evaluated(history, rules, &before)?;
        let then = Then::new(rules, &evaluation);
        unknown.retain(|relation| {
            let is_open = then.is_undetermined(*relation);
            if !is_open {
                held.keep(*relation, then.facts(*relation));
            }
            is_open
        });
    }
    Ok(held)
}

/// What followed after a transaction.
fn evaluated(history: &History<'_>, rules: &RuleSet, info: &TxInfo) -> Result<Evaluation, SessionError> {
    let clock = info.clock.or_broken("a transaction that draws decisions has a clock");
    let (input, _) = history.input(rules, info, clock)?;
    let lenient = history.is_lenient(info);
    evaluation::evaluate(rules, input, history.engine, &history.limits, lenient)
}
