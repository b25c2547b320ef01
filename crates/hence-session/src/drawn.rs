//! Decisions by the transaction that drew them: their ids, and why they were drawn then.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use hence_core::fact::Fact;
use hence_core::schema::Relation;
use hence_core::span::Span;
use hence_lang::lower;
use hence_ledger::{Decision, Hash, Ledger, TxInfo, When};
use hence_proof::Finder;
use hence_proof::proof::{Origin, Origins, Proof};

use super::error::SessionError;
use super::evaluation::Evaluation;
use super::fitting::Legacy;
use super::ledger_facts::assertion;
use super::slice::ProgramQuery;
use super::{RuleSet, Session, history, outbox};

/// The id of a decision: the transaction that drew it, and its place among those drawn with it, from 1. Written
/// `12.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecisionId {
    /// The transaction.
    pub tx: u64,
    /// The place among the decisions that it drew, ascending, from 1.
    pub place: u64,
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tx, self.place)
    }
}

impl FromStr for DecisionId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (tx, place) = text.split_once('.')?;
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            (digits(tx) && digits(place)).then_some(())?;
            Some(Self { tx: tx.parse().ok()?, place: place.parse().ok()? })
        };
        read().ok_or_else(|| format!("`{text}` is not a decision id; expected one such as 12.3"))
    }
}

/// A decision as it was drawn, and why.
pub struct Drawn {
    /// The decision, with the sentence that was recorded.
    pub decision: Decision,
    /// The transaction that drew it.
    pub info: TxInfo,
    /// The rules that drew it.
    pub rules: Arc<RuleSet>,
    /// The proof, from the facts, the clock and the rules of that transaction.
    pub proof: Option<Proof>,
}

impl Drawn {
    /// Whether the proof holds every fact that the decision `requires`; `true` for an unguarded decision with a proof.
    pub fn is_covered(&self) -> bool {
        let Some(proof) = &self.proof else { return false };
        let program = &self.rules.program;
        let mut guards = self.rules.checked.requires.iter().filter(|guard| {
            program.relation(guard.decision).is_some_and(|found| found.name == self.decision.fact.relation)
        });
        guards.all(|guard| {
            let needed = &program[guard.relation];
            proof.steps.iter().any(|step| outbox::is_guard(guard, needed, &step.fact, &self.decision.fact))
        })
    }
}

impl Session {
    /// The id of a decision that is or was drawn: of the last time by the moment that is asked. `None` without a ledger, and
    /// for what was never drawn.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn decision_id(&self, decision: &Fact) -> Result<Option<DecisionId>, SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(None) };
        let at = ledger.tx_when(self.as_of)?;
        let spans = ledger.decision_history(decision)?;
        let Some(last) = spans.into_iter().rfind(|span| span.from <= at) else { return Ok(None) };
        let drawn = self.lists.of(ledger, last.from)?;
        Ok(place(&drawn, decision).map(|place| DecisionId { tx: last.from, place }))
    }

    /// Why a decision was drawn: a proof from the facts, the clock and the rules of its transaction, whatever became
    /// of them since.
    ///
    /// # Errors
    /// An id that there isn't, rules of then that can't be read now, and all that can go wrong in an evaluation.
    pub fn why_drawn(&self, id: DecisionId, inputs: Option<usize>) -> Result<Drawn, SessionError> {
        let (ledger, info) = self.asked_ledger(&format!("decision {id}"), id.tx)?;
        let rules = self.rules_of(ledger, &info)?;
        self.entry(|| self.why_drawn_by(rules, id, inputs))
    }

    /// The same by the rules of this session: whether the facts and the clock of then give the decision by them.
    ///
    /// # Errors
    /// As [`Session::why_drawn`].
    pub fn why_drawn_by_these(&self, id: DecisionId, inputs: Option<usize>) -> Result<Drawn, SessionError> {
        self.entry(|| self.why_drawn_by(self.rules.clone(), id, inputs))
    }

    fn why_drawn_by(
        &self,
        rules: RuleSet,
        id: DecisionId,
        inputs: Option<usize>,
    ) -> Result<Drawn, SessionError> {
        let (ledger, info) = self.asked_ledger(&format!("decision {id}"), id.tx)?;
        let mut drawn = drawn(ledger, id.tx)?;
        let at = usize::try_from(id.place).ok().and_then(|place| place.checked_sub(1));
        let Some(at) = at.filter(|at| *at < drawn.len()) else {
            let word = if drawn.len() == 1 { "decision" } else { "decisions" };
            let message = format!("unknown decision {id}: transaction {} drew {} {word}", id.tx, drawn.len());
            return Err(SessionError::Unknown { message });
        };
        let decision = drawn.swap_remove(at);
        let evaluation = self.evaluate_then(&rules, &info, std::slice::from_ref(&decision))?;
        let rules = Arc::new(rules);
        let then = Then { ledger, legacy: Legacy::default(), tx: info.tx };
        let finder = self.finder_then(&rules, &evaluation, &then, inputs);
        let proof = finder.why(&decision.fact)?;
        let proof = proof.map(|proof| evaluation.by_rules(proof, &rules.program));
        drop(finder);
        Ok(Drawn { decision, info, rules, proof })
    }

    /// Why each decision of a transaction was drawn, in the order of their ids, as [`Session::why_drawn`] tells it.
    ///
    /// # Errors
    /// As [`Session::why_drawn`].
    pub fn why_all_drawn(&self, tx: u64, inputs: Option<usize>) -> Result<Vec<Drawn>, SessionError> {
        self.entry(|| self.all_drawn(tx, inputs))
    }

    fn all_drawn(&self, tx: u64, inputs: Option<usize>) -> Result<Vec<Drawn>, SessionError> {
        let (ledger, info) = self.asked_ledger(&format!("transaction {tx}"), tx)?;
        let decisions = drawn(ledger, tx)?;
        if decisions.is_empty() {
            return Ok(Vec::new());
        }
        let rules = Arc::new(self.rules_of(ledger, &info)?);
        let evaluation = self.evaluate_then(&rules, &info, &decisions)?;
        let then = Then { ledger, legacy: Legacy::default(), tx: info.tx };
        let finder = self.finder_then(&rules, &evaluation, &then, inputs);
        let prove = |decision: Decision| {
            let proof = finder.why(&decision.fact)?;
            let proof = proof.map(|proof| evaluation.by_rules(proof, &rules.program));
            Ok(Drawn { decision, info: info.clone(), rules: Arc::clone(&rules), proof })
        };
        decisions.into_iter().map(prove).collect()
    }

    pub(super) fn asked_ledger(&self, what: &str, tx: u64) -> Result<(&Ledger, TxInfo), SessionError> {
        let message = || format!("can't look up {what}: ids belong to a ledger");
        let ledger = self.ledger().ok_or_else(|| SessionError::Unknown { message: message() })?;
        Ok((ledger, ledger.info(tx)?))
    }

    /// A finder of proofs as of the transaction that drew decisions.
    fn finder_then<'a>(
        &self,
        rules: &'a RuleSet,
        evaluation: &'a Evaluation,
        then: &'a Then<'_>,
        inputs: Option<usize>,
    ) -> Finder<'a> {
        let finder = self.finder_at(When::Tx(then.tx), rules, evaluation, then);
        match inputs {
            Some(inputs) => finder.inputs(inputs),
            None => finder,
        }
    }

    /// What decisions depended on when they were drawn, as lenient as they were drawn.
    fn evaluate_then(
        &self,
        rules: &RuleSet,
        info: &TxInfo,
        decisions: &[Decision],
    ) -> Result<Evaluation, SessionError> {
        let evaluation = self.evaluate_drawn(rules, info, decisions)?;
        let lenient = info.run.as_ref().is_some_and(|run| run.lenient);
        Ok(if lenient { evaluation.into_lenient() } else { evaluation })
    }

    /// What decisions depended on.
    fn evaluate_drawn(
        &self,
        rules: &RuleSet,
        info: &TxInfo,
        decisions: &[Decision],
    ) -> Result<Evaluation, SessionError> {
        let (at, now) = (When::Tx(info.tx), info.clock.unwrap_or(info.time));
        let (program, sources) = (&rules.program, &rules.sources);
        if let [Decision { fact, .. }] = decisions
            && let Some(relation) = program.find(fact.relation)
        {
            let values: Vec<_> = fact.values.iter().copied().map(Some).collect();
            let (asked, answer) = lower::with_atom(program, relation, &values, Span::default());
            let question = ProgramQuery { program: &asked, answer, sources, now, at, proofs: true };
            if let Some(evaluation) = self.evaluate_slice(&question)? {
                return Ok(evaluation);
            }
        }
        let relations = decisions.iter().filter_map(|decision| program.find(decision.fact.relation));
        self.evaluate_relevant(program, sources, relations, (at, now))
    }

    /// The rules that a transaction was decided by.
    fn rules_of(&self, ledger: &Ledger, info: &TxInfo) -> Result<RuleSet, SessionError> {
        match info.rules {
            Some(hash) if self.rules.recorded().hash() == hash => Ok(self.rules.clone()),
            Some(hash) => history::recorded(ledger, hash),
            None => {
                let message =
                    format!("transaction {} names no rules, so its decisions can't be proved", info.tx);
                Err(SessionError::Unknown { message })
            }
        }
    }
}

/// What a transaction drew, ascending.
pub(super) fn drawn(ledger: &Ledger, tx: u64) -> Result<Vec<Decision>, SessionError> {
    Ok(ledger.drawn().of(tx)?)
}

/// How many transactions' decisions are remembered.
const REMEMBERED: usize = 8;

/// The decisions of the transactions that were asked for last, as their ids count them: a transaction that drew many is
/// not read again for each of them.
#[derive(Default)]
pub(super) struct Lists(Mutex<VecDeque<(Hash, Arc<Vec<Decision>>)>>);

impl Lists {
    fn of(&self, ledger: &Ledger, tx: u64) -> Result<Arc<Vec<Decision>>, SessionError> {
        let hash = ledger.info(tx)?.hash;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(of, _)| *of == hash) {
            return Ok(Arc::clone(found));
        }
        let found = Arc::new(drawn(ledger, tx)?);
        known.push_front((hash, Arc::clone(&found)));
        known.truncate(REMEMBERED);
        Ok(found)
    }
}

/// The place of a decision among those drawn with it, from 1; `drawn` is ascending.
pub(super) fn place(drawn: &[Decision], decision: &Fact) -> Option<u64> {
    let at = drawn.binary_search_by(|other| other.fact.cmp(decision)).ok()?;
    u64::try_from(at).ok()?.checked_add(1)
}

/// Who had asserted what when a transaction was done.
struct Then<'a> {
    ledger: &'a Ledger,
    legacy: Legacy,
    tx: u64,
}

impl Origins for Then<'_> {
    fn origin(&self, relation: &Relation, fact: &Fact) -> Result<Option<Origin>, String> {
        let found = assertion(self.ledger, &self.legacy, When::Tx(self.tx), relation, fact);
        Ok(found.map_err(|error| error.to_string())?.map(super::why::origin_of))
    }
}
