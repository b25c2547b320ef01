//! What a proof stands on: the moment of the ledger that it names, and the check of a proof against that ledger.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::literal;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_engine::Naive;
use hence_lang::ir::Program;
use hence_lang::lower;
use hence_ledger::{Ledger, TxInfo, When};
use hence_proof::Moment;
use hence_proof::check::{Accepted, Known, Leaf, Leaves, LedgerAtMoment, Parameter, ProofRefusal, check};
use hence_proof::proof::{Proof, StepKind};

use super::error::SessionError;
use super::evaluation::Evaluation;
use super::ledger_facts::{Recording, assertion};
use super::{RuleSet, Session, Store, recorded_params};

/// What a session was asked by.
#[derive(Clone, Copy)]
pub struct AskedBy<'a> {
    /// The rules.
    pub rules: &'a RuleSet,
    /// The moment of the ledger.
    pub at: When,
    /// The clock, in microseconds since the epoch.
    pub now: i64,
    /// Whether undefined operations counted as false.
    pub lenient: bool,
}

impl Session {
    /// The moment that a proof stands on; `None` without a ledger.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn moment(&self, proof: &Proof, by: AskedBy<'_>) -> Result<Option<Moment>, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(None) };
        let mut moment = moment(ledger, &by)?;
        let leaves = proof.steps.iter().filter(|step| matches!(step.kind, StepKind::Asserted { .. }));
        let relations: BTreeSet<RelationId> =
            leaves.filter_map(|step| by.rules.program.find(step.fact.relation)).collect();
        for relation in relations.into_iter().map(|id| &by.rules.program[id]) {
            let since = columns_since(ledger, moment.transaction, relation)?;
            moment.schemas.extend(since.map(|since| (relation.name.to_string(), since)));
        }
        Ok(Some(moment))
    }

    /// Whether a match with an undefined operation counts as false.
    pub fn is_lenient(&self) -> bool {
        self.lenient
    }
}

fn moment(ledger: &Ledger, by: &AskedBy<'_>) -> Result<Moment, SessionError> {
    let transaction = ledger.tx_when(by.at)?;
    let head = if transaction == 0 { hence_ledger::Hash::default() } else { ledger.info(transaction)?.hash };
    let recorded = by.rules.recorded();
    Ok(Moment {
        transaction,
        head: head.to_string(),
        clock: by.now,
        rules: recorded.hash().to_string(),
        lenient: by.lenient,
        parameters: recorded.params().to_vec(),
        schemas: Vec::new(),
    })
}

fn columns_since(ledger: &Ledger, tx: u64, relation: &Relation) -> Result<Option<u64>, SessionError> {
    if relation.kind != Kind::Input {
        return Ok(None);
    }
    Ok(ledger.recorded(relation.name, When::Tx(tx))?.map(|recorded| recorded.from))
}

/// A ledger that proofs are held against.
pub struct Ground {
    session: Session,
    /// The rules that who checks has.
    given: RuleSet,
    /// What time it is, in microseconds since the epoch.
    wall: i64,
    /// The rules, the moment and what follows then, of the last proof.
    last: Option<(Claim, Then)>,
}

/// What a proof says that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Claim {
    transaction: u64,
    clock: i64,
    rules: String,
    lenient: bool,
    relation: Symbol,
}

/// The moment that a proof names, as the ledger has it.
struct Then {
    rules: RuleSet,
    moment: Moment,
    evaluation: Evaluation,
    parameters: Vec<Parameter>,
    /// The transaction that recorded the rules of then.
    rules_by: Option<u64>,
    /// What the ledger doesn't say.
    doubts: Vec<String>,
}

/// Rules, the transaction that recorded those of the moment, and what of them the ledger doesn't say.
type Found = (RuleSet, Option<TxInfo>, Option<String>);

impl Ground {
    /// A ledger, the rules at hand, and the wall clock.
    pub fn new(ledger: Ledger, given: RuleSet, wall: i64) -> Self {
        let session = Session::over_ledger(given.clone(), ledger).with_engine(Box::new(Naive));
        Self { session, given, wall, last: None }
    }

    /// The same, where an evaluation may go only so far.
    #[must_use]
    pub fn with_limits(mut self, limits: hence_engine::Limits) -> Self {
        self.session = self.session.with_limits(limits);
        self
    }

    /// Holds a proof against the ledger: everything that follows at its moment is worked out by the naive engine, and
    /// the checker compares each step with it.
    ///
    /// # Errors
    /// A ledger that can't be read, a limit that was reached. A proof that doesn't hold is no error.
    pub fn check(&mut self, proof: &Json) -> Result<Result<Accepted, ProofRefusal>, SessionError> {
        fault::caught(|| self.held(proof))
    }

    fn held(&mut self, proof: &Json) -> Result<Result<Accepted, ProofRefusal>, SessionError> {
        let claim = match claim(proof) {
            Ok(claim) => claim,
            Err(message) => return Ok(Err(ProofRefusal { step: None, message })),
        };
        let then = match self.last.take().filter(|(known, _)| *known == claim) {
            Some((_, then)) => then,
            None => match self.then(&claim)? {
                Ok(then) => then,
                Err(message) => return Ok(Err(ProofRefusal { step: None, message })),
            },
        };
        let Store::Ledger(ledger) = &self.session.store else { return Ok(Ok(Accepted::default())) };
        let leaves = At { ledger, tx: claim.transaction };
        let recorded = LedgerAtMoment {
            moment: &then.moment,
            rules_by: then.rules_by,
            parameters: &then.parameters,
            leaves: &leaves,
        };
        let known = Known {
            model: Some(&then.evaluation.model),
            sources: Some(&then.rules.sources),
            ledger: Some(recorded),
            asserted: None,
        };
        let checked = check(&then.rules.program, proof, &known).map(|mut accepted| {
            accepted.on_trust.extend(then.doubts.iter().cloned());
            accepted
        });
        self.last = Some((claim, then));
        Ok(checked)
    }

    /// What the ledger says of the moment that a proof names, or why there is no such moment.
    fn then(&mut self, claim: &Claim) -> Result<Result<Then, String>, SessionError> {
        let Store::Ledger(ledger) = &self.session.store else { return Ok(Err(String::from("no ledger"))) };
        let (tx, last) = (claim.transaction, ledger.last_tx());
        if tx > last {
            return Ok(Err(format!("it is of transaction {tx}, and the ledger ends with {last}")));
        }
        let Some((rules, by, doubt)) = self.rules(ledger, claim)? else {
            let message = format!("it is by the rules {}, which are neither recorded nor given", claim.rules);
            return Ok(Err(message));
        };
        let at = When::Tx(tx);
        let by_then = AskedBy { rules: &rules, at, now: claim.clock, lenient: claim.lenient };
        let moment = moment(ledger, &by_then)?;
        let parameters = recorded_params(ledger, at)?.into_iter().map(parameter).collect();
        let Some(relation) = rules.program.find(claim.relation) else {
            return Ok(Err(format!("unknown relation `{}`", claim.relation)));
        };
        let mut doubts: Vec<String> = doubt.into_iter().collect();
        doubts.extend(clock_doubt(ledger, &rules.program, (relation, claim), self.wall)?);
        let run = by.as_ref().and_then(|info| info.run.as_ref());
        if claim.lenient != run.is_some_and(|run| run.lenient) {
            doubts.push(format!("`lenient`: the last decisions by transaction {tx} were drawn otherwise"));
        }
        self.session.lenient = claim.lenient;
        let (program, sources) = (&rules.program, &rules.sources);
        let evaluation = self.session.evaluate_relevant(program, sources, [relation], (at, claim.clock))?;
        let rules_by = by.map(|info| info.tx);
        Ok(Ok(Then { rules, moment, evaluation, parameters, rules_by, doubts }))
    }

    /// The rules of a hash: those of the moment, others that the ledger has, or those at hand.
    fn rules(&self, ledger: &Ledger, claim: &Claim) -> Result<Option<Found>, SessionError> {
        let at = When::Tx(claim.transaction);
        let is_right = |rules: &RuleSet| rules.recorded().hash().to_string() == claim.rules;
        let standing = Session::rules_at(ledger, at)?;
        let mut by = None;
        if let Some((info, rules)) = standing {
            let rules = since(ledger, rules, &info, at)?;
            if is_right(&rules) {
                return Ok(Some((rules, Some(info), None)));
            }
            by = Some(info);
        }
        let doubt = format!("the rules: transaction {} does not stand under these", claim.transaction);
        let params = recorded_params(ledger, at)?;
        for rules in [self.given.clone(), self.given.clone().under_recorded(&params, &[])?] {
            if is_right(&rules) {
                return Ok(Some((rules, by, Some(doubt))));
            }
        }
        let recorded = hence_ledger::Hash::parse(&claim.rules).map(|hash| ledger.rules(hash)).transpose()?;
        let Some(recorded) = recorded.flatten() else { return Ok(None) };
        let rules = RuleSet::from_recorded(&recorded)?;
        Ok(is_right(&rules).then_some((rules, by, Some(doubt))))
    }
}

/// Recorded rules under the parameters that changed after the transaction that recorded them.
fn since(ledger: &Ledger, rules: RuleSet, info: &TxInfo, at: When) -> Result<RuleSet, SessionError> {
    let mut params = recorded_params(ledger, at)?;
    let gone = recorded_params(ledger, When::Tx(info.tx))?;
    let gone: BTreeSet<Symbol> =
        gone.iter().map(|old| old.name).filter(|old| params.iter().all(|param| param.name != *old)).collect();
    let declared = rules.program.params.iter().filter(|param| gone.contains(&param.name));
    let values: Vec<_> = declared.map(|param| (param.name, param.default)).collect();
    let rules =
        if values.is_empty() { rules } else { rules.with_sets(&values).map_err(SessionError::Faults)? };
    params.retain(|param| param.tx > info.tx);
    rules.under_recorded(&params, &[])
}

/// That the ledger says nothing of a clock on which the fact depends: it is neither that of the transaction's decisions
/// nor one at which the transaction was the last.
fn clock_doubt(
    ledger: &Ledger,
    program: &Program,
    (relation, claim): (RelationId, &Claim),
    wall: i64,
) -> Result<Option<String>, SessionError> {
    let (tx, clock) = (claim.transaction, claim.clock);
    let now = program.find(Symbol::new("now"));
    if now.is_none_or(|now| !lower::needed(program, [relation]).contains(&now)) {
        return Ok(None);
    }
    let from = if tx == 0 { None } else { Some(ledger.info(tx)?) };
    let until = if tx < ledger.last_tx() { ledger.info(tx + 1)?.time } else { wall };
    let is_told = from.as_ref().is_some_and(|info| info.clock == Some(clock))
        || (from.is_some_and(|info| info.time <= clock) && clock <= until);
    let told = format!("the clock: transaction {tx} was not the last at {}", literal::time_text(clock));
    Ok((!is_told).then_some(told))
}

/// What a proof says that it is of.
fn claim(proof: &Json) -> Result<Claim, String> {
    let ledger = proof.get("ledger").ok_or("it names no ledger")?;
    let member = |name: &str| ledger.get(name).ok_or_else(|| format!("`{name}` of `ledger` is missing"));
    let wrong = |name: &str| format!("`{name}` of `ledger` is {}", ledger.get(name).unwrap_or(&Json::Null));
    let clock = member("clock")?.as_str().and_then(literal::parse_time);
    let lenient = ledger.get("lenient").map_or(Some(false), Json::as_bool);
    let fact = proof.get("fact").and_then(Json::as_object).and_then(|fact| fact.keys().next());
    Ok(Claim {
        transaction: member("transaction")?.as_u64().ok_or_else(|| wrong("transaction"))?,
        clock: clock.ok_or_else(|| wrong("clock"))?,
        rules: member("rules")?.as_str().ok_or_else(|| wrong("rules"))?.to_owned(),
        lenient: lenient.ok_or_else(|| wrong("lenient"))?,
        relation: Symbol::new(fact.ok_or("it proves no fact")?),
    })
}

fn parameter(recorded: super::RecordedParam) -> Parameter {
    Parameter {
        name: recorded.name.to_string(),
        value: recorded.text.to_string(),
        author: recorded.author,
        time: recorded.time,
        transaction: recorded.tx,
    }
}

/// The facts of a ledger at a transaction.
struct At<'a> {
    ledger: &'a Recording,
    tx: u64,
}

impl Leaves for At<'_> {
    fn leaf(&self, relation: &Relation, fact: &Fact) -> Result<Option<Leaf>, String> {
        let at = When::Tx(self.tx);
        let found = assertion(self.ledger, &self.ledger.legacy, at, relation, fact);
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.map(|(said, defaults)| Leaf {
            author: said.author,
            signed: said.signed,
            time: said.time,
            source: said.source,
            transaction: said.tx,
            defaults: defaults.iter().map(ToString::to_string).collect(),
            step: said.step,
        }))
    }

    fn columns_since(&self, relation: &Relation) -> Result<Option<u64>, String> {
        columns_since(self.ledger, self.tx, relation).map_err(|error| error.to_string())
    }
}
