//! The recorded history, evaluated again: the rules, the clock and the manner of each transaction's run.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_engine::{Database, Engine, Limits};
use hence_ledger::{Hash, Ledger, LedgerError, TxInfo, When};

use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::fitting::{Legacy, Lens, Reading};
use super::lapse::DecisionRelations;
use super::{RuleSet, ledger_facts};

/// A ledger whose transactions are evaluated again.
pub(super) struct History<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) engine: &'a dyn Engine,
    pub(super) limits: Limits,
    /// Whether undefined operations count as false where no run is recorded.
    pub(super) lenient: bool,
    /// The rule sets that were read.
    known: BTreeMap<Hash, Rc<RuleSet>>,
    legacy: Legacy,
}

impl<'a> History<'a> {
    pub(super) fn new(ledger: &'a Ledger, engine: &'a dyn Engine, limits: Limits, lenient: bool) -> Self {
        Self { ledger, engine, limits, lenient, known: BTreeMap::new(), legacy: Legacy::default() }
    }

    /// The rule set that a transaction names.
    pub(super) fn rules(&mut self, hash: Hash) -> Result<Rc<RuleSet>, SessionError> {
        if let Some(known) = self.known.get(&hash) {
            return Ok(Rc::clone(known));
        }
        let rules = Rc::new(recorded(self.ledger, hash)?);
        self.known.insert(hash, Rc::clone(&rules));
        Ok(rules)
    }

    /// The facts that stood after a transaction, its clock among them, and how they are read.
    pub(super) fn input(
        &self,
        rules: &RuleSet,
        info: &TxInfo,
        clock: i64,
    ) -> Result<(Database, Lens), SessionError> {
        let at = When::Tx(info.tx);
        let reading = Reading { ledger: self.ledger, at, legacy: &self.legacy, trusted: false };
        let (mut input, lens) = ledger_facts::standing(&reading, &rules.program, &rules.sources)?;
        evaluation::add_now(&rules.program, &mut input, clock);
        Ok((input, lens))
    }

    /// Whether operations without a result counted as false in a transaction.
    pub(super) fn is_lenient(&self, info: &TxInfo) -> bool {
        info.run.as_ref().map_or(self.lenient, |run| run.lenient)
    }

    /// The decisions that stood after a transaction; none before the first.
    pub(super) fn standing(&self, tx: u64) -> Result<BTreeSet<Fact>, LedgerError> {
        if tx == 0 {
            return Ok(BTreeSet::new());
        }
        Ok(self.ledger.stood_at(When::Tx(tx))?.into_iter().collect())
    }
}

/// The rules under a hash, which must be that of their text.
pub(super) fn recorded(ledger: &Ledger, hash: Hash) -> Result<RuleSet, SessionError> {
    let Some(rules) = ledger.rules(hash)? else {
        return Err(SessionError::Unknown {
            message: format!("the ledger does not contain the rules {hash}"),
        });
    };
    if rules.hash() != hash {
        let message = format!("the recorded rules {hash} have the hash {}", rules.hash());
        return Err(SessionError::Unknown { message });
    }
    RuleSet::from_recorded(&rules)
}

/// Brings the decisions that stand up to an evaluation: what it leaves undetermined stays as it was. So does what its
/// rules don't decide, if it `keeps` that, as commits did before they recorded how they ran.
pub(super) fn carry(standing: &mut BTreeSet<Fact>, rules: &RuleSet, evaluation: &Evaluation, keeps: bool) {
    let program = &rules.program;
    let decided = DecisionRelations::new(program);
    standing.retain(|fact| {
        evaluation::is_undetermined(program, &evaluation.undetermined, fact)
            || (keeps && !decided.names(fact.relation))
    });
    for (id, relation) in (0u32..).map(RelationId).zip(&program.relations) {
        if relation.kind == Kind::Decision {
            standing.extend(evaluation::facts_of(program, &evaluation.model, id));
        }
    }
}
