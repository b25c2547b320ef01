//! Parameters that people and rules change for good: facts `hence.param(name, value)`, which the ledger holds.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::schema::RULES;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::Program;
use hence_ledger::{Changes, EffectRound, Ledger, When};
use hence_proof::proof::{Proof, StepKind};
use hence_syntax as syntax;

use super::authors::Roles;
use super::error::SessionError;
use super::{RuleSet, Session, Store};

/// The relation of recorded parameters.
pub(super) const PARAM: &str = "hence.param";
/// The input whose facts, where an effect asserts them, become recorded parameters.
const SET_PARAMETER: &str = "set_parameter";

/// A parameter with the value that a ledger holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedParam {
    /// Its name.
    pub name: Symbol,
    /// Its value, as a literal.
    pub text: Symbol,
    /// Who set it.
    pub author: String,
    /// When, in microseconds since the epoch.
    pub time: i64,
    /// The transaction.
    pub tx: u64,
}

impl RecordedParam {
    /// The fact that records it.
    pub fn fact(&self) -> Fact {
        fact(self.name, self.text)
    }
}

fn fact(name: Symbol, text: Symbol) -> Fact {
    Fact { relation: Symbol::new(PARAM), values: vec![Value::String(name), Value::String(text)] }
}

/// The fact that records `value` for the parameter `name`.
pub fn param_fact(name: Symbol, value: Value) -> Fact {
    fact(name, Symbol::new(&value.to_string()))
}

/// The name and the text of a recorded parameter.
fn parts(fact: &Fact) -> Option<(Symbol, Symbol)> {
    match *fact.values {
        [Value::String(name), Value::String(text)] if fact.relation.as_str() == PARAM => Some((name, text)),
        _ => None,
    }
}

/// Whether a fact is a recorded parameter.
pub(super) fn is_param(fact: &Fact) -> bool {
    parts(fact).is_some()
}

/// The parameters that a ledger held at a moment, by name.
///
/// # Errors
/// A ledger that can't be read.
pub fn recorded_params(ledger: &Ledger, at: When) -> Result<Vec<RecordedParam>, SessionError> {
    let mut found = Vec::new();
    for fact in ledger.facts_at(Symbol::new(PARAM), at)? {
        let (fact, _) = fact?;
        let (Some((name, text)), Some(by)) = (parts(&fact), ledger.assertion_at(&fact, at)?) else {
            continue;
        };
        found.push(RecordedParam { name, text, author: by.author, time: by.time, tx: by.tx });
    }
    found.sort_by(|one, other| one.name.as_str().cmp(other.name.as_str()));
    Ok(found)
}

/// The parameters that a ledger holds and rules don't declare, by name.
///
/// # Errors
/// A ledger that can't be read.
pub fn undeclared_params(rules: &RuleSet, ledger: &Ledger) -> Result<Vec<RecordedParam>, SessionError> {
    let mut found = recorded_params(ledger, When::Now)?;
    found.retain(|param| rules.program.params.iter().all(|declared| declared.name != param.name));
    Ok(found)
}

impl RuleSet {
    /// The same rules under recorded parameters, those left out that `sets` gives a value for one run.
    ///
    /// # Errors
    /// A recorded value that isn't of the declared type.
    pub fn under_recorded(
        self,
        recorded: &[RecordedParam],
        sets: &[(Symbol, Value)],
    ) -> Result<Self, SessionError> {
        let mut changed = Vec::new();
        for param in recorded.iter().filter(|param| sets.iter().all(|(set, _)| *set != param.name)) {
            let Some(declared) = self.program.params.iter().find(|own| own.name == param.name) else {
                continue;
            };
            let value = syntax::parse_value(param.text.as_str()).filter(|value| declared.ty.admits(*value));
            let value = value.ok_or_else(|| misfit(param, &declared.ty.to_string()))?;
            if value != declared.value {
                changed.push((param.name, value));
            }
        }
        if changed.is_empty() { Ok(self) } else { self.with_sets(&changed).map_err(SessionError::Faults) }
    }
}

fn misfit(param: &RecordedParam, expected: &str) -> SessionError {
    let RecordedParam { name, text, author, tx, .. } = param;
    let message = format!(
        "the recorded value {text} of the parameter `{name}` does not fit: the rules declare {expected}; `{author}` \
        set it in transaction {tx}; set another value with `hence param set {name}=VALUE`, or remove it with `hence \
        param unset {name}`"
    );
    SessionError::Unknown { message }
}

/// Checks that `author` may change the recorded parameter that `fact` is about.
///
/// # Errors
/// They have none of the roles that its declaration names.
pub(super) fn check_author(
    roles: &Roles,
    rules: &RuleSet,
    author: &str,
    fact: &Fact,
) -> Result<(), SessionError> {
    let Some((name, _)) = parts(fact) else { return Ok(()) };
    let declared = rules.program.params.iter().find(|param| param.name == name);
    match declared.filter(|param| !param.roles.is_empty()) {
        Some(param) => roles.check_one_of(&param.roles, author, &format!("change the parameter `{name}`")),
        None => Ok(()),
    }
}

/// The parameters that effects of these steps set, by name.
///
/// # Errors
/// Rules have no such parameter, or may not set it; a text that is no value of its type.
pub(super) fn set_by_effects(
    rules: &RuleSet,
    steps: &[EffectRound],
) -> Result<BTreeMap<&'static str, (Symbol, Value)>, SessionError> {
    let mut found = BTreeMap::new();
    let changes = steps.iter().flat_map(|step| &step.changes).filter(|change| change.asserted);
    for change in changes.filter(|change| change.fact.relation.as_str() == SET_PARAMETER) {
        let [Value::String(name), Value::String(text), ..] = *change.fact.values else { continue };
        let value = checked(rules, name, text).map_err(|why| {
            let message =
                format!("the effect `{}` of rule `{}` can't be taken: {why}", change.fact, change.rule);
            SessionError::NotAllowed { message }
        })?;
        if let Some((_, other)) = found.insert(name.as_str(), (name, value)).filter(|(_, old)| *old != value)
        {
            let message =
                format!("effects set the parameter `{name}` to {other} and to {value} in one transaction");
            return Err(SessionError::Undone { message });
        }
    }
    Ok(found)
}

/// The value that rules give a parameter.
fn checked(rules: &RuleSet, name: Symbol, text: Symbol) -> Result<Value, String> {
    let declared = rules.program.params.iter().find(|param| param.name == name);
    let declared = declared.ok_or_else(|| format!("unknown parameter `{name}`"))?;
    if !declared.roles.is_empty() && declared.roles.iter().all(|role| role.as_str() != RULES) {
        return Err(format!("the parameter `{name}` says `from`, and does not list `{RULES}`"));
    }
    let value = syntax::parse_value(text.as_str()).filter(|value| declared.ty.admits(*value));
    value.ok_or_else(|| format!("expected a value of the type {}, found `{text}`", declared.ty))
}

impl Session {
    /// Adds the parameters that effects set to what a transaction changes; the values from its end on.
    pub(super) fn take_parameters(
        &self,
        steps: &[EffectRound],
        net: &mut Changes,
    ) -> Result<Vec<(Symbol, Value)>, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(Vec::new()) };
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let set: Vec<(Symbol, Value)> = set_by_effects(&self.rules, steps)?.into_values().collect();
        if set.is_empty() {
            return Ok(set);
        }
        let before = recorded_params(ledger, When::Now)?;
        for (name, value) in &set {
            let new = param_fact(*name, *value);
            let old = before.iter().filter(|old| old.name == *name).map(RecordedParam::fact);
            net.removed.extend(old.filter(|old| *old != new));
            net.added.push(new);
        }
        Ok(set)
    }

    /// The recorded parameters of this session's ledger at `at` that rules of a proof read, where they have the
    /// recorded values.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn params_of(
        &self,
        proof: &Proof,
        program: &Program,
        at: When,
    ) -> Result<Vec<RecordedParam>, SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(Vec::new()) };
        let mut recorded = recorded_params(ledger, at)?;
        recorded.retain(|param| is_read(param, proof, program));
        Ok(recorded)
    }

    /// The moment that this session asks.
    pub fn as_of(&self) -> When {
        self.as_of
    }
}

fn is_read(recorded: &RecordedParam, proof: &Proof, program: &Program) -> bool {
    let mut params = program.params.iter().enumerate();
    let Some((at, own)) = params.find(|(_, own)| own.name == recorded.name) else { return false };
    if own.value.to_string() != recorded.text.as_str() {
        return false;
    }
    let id = hence_lang::builtins::expr::ParamId(at as u32);
    proof.steps.iter().any(|step| match &step.kind {
        StepKind::Derived(derived) => {
            program.rules.iter().any(|rule| rule.id == derived.rule && rule.reads_param(id))
        }
        _ => false,
    })
}
