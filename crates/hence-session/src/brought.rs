//! Facts that a program hands in: whether files of facts could hold them.

use std::collections::HashSet;

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::schema::{Kind, Relation};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::interchange::{self, CLOCK};
use hence_ledger::is_reserved;

use super::error::{Faults, SessionError};
use super::{RuleSet, read_fact};

/// Facts of which relations may be brought, beside those that hence itself keeps.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Brought {
    /// Of inputs.
    Inputs,
    /// Of inputs and of relations that the rules don't have: other rules read them.
    Recorded,
    /// Of all relations of the rules, what they derive among them, as tests give them.
    Any,
}

/// That each of these is a fact as a file of facts could hold it: of such a relation, not a second clock, with a value
/// of its type in each column.
///
/// # Errors
/// What is wrong with the first that isn't one.
pub(super) fn check<'a>(
    rules: &RuleSet,
    facts: impl IntoIterator<Item = &'a Fact>,
    brought: Brought,
) -> Result<(), SessionError> {
    let mut last: Option<(Symbol, &Relation)> = None;
    for fact in facts {
        let known = last.filter(|(name, _)| *name == fact.relation).map(|(_, relation)| relation);
        let relation = known.or_else(|| rules.program.relation(rules.program.find(fact.relation)?));
        last = relation.map(|relation| (fact.relation, relation));
        let is_right = match relation {
            Some(relation) => {
                (relation.kind == Kind::Input || brought == Brought::Any)
                    && is_fact_of(relation, &fact.values)
            }
            None => {
                (brought == Brought::Recorded || is_reserved(fact.relation))
                    && fact.values.iter().all(|value| is_written(*value))
            }
        };
        if !is_right {
            return Err(refused(rules, fact));
        }
    }
    Ok(())
}

/// That no fact is both asserted and retracted: a hypothesis has no order in which it could come and go.
///
/// # Errors
/// The first that is.
pub(super) fn apart(asserted: &[Fact], retracted: &[Fact]) -> Result<(), SessionError> {
    let retracted: HashSet<&Fact> = retracted.iter().collect();
    match asserted.iter().find(|fact| retracted.contains(fact)) {
        None => Ok(()),
        Some(fact) => Err(SessionError::Unknown {
            message: format!("`{fact}` is asserted and retracted at once; leave out one of both"),
        }),
    }
}

fn is_fact_of(relation: &Relation, values: &[Value]) -> bool {
    relation.name.as_str() != CLOCK
        && relation.columns.len() == values.len()
        && relation
            .columns
            .iter()
            .zip(values)
            .all(|(column, value)| is_written(*value) && column.ty.admits(*value))
}

/// Whether a value of a fact has a literal.
fn is_written(value: Value) -> bool {
    match value {
        Value::Name(name) => literal::is_name(name.as_str()),
        Value::Time(micros) => literal::is_time(micros),
        Value::List(_) => false,
        _ => true,
    }
}

fn refused(rules: &RuleSet, fact: &Fact) -> SessionError {
    if fact.relation.as_str() == CLOCK {
        let diagnostics = vec![interchange::clock_as_fact()];
        return SessionError::Faults(Box::new(Faults { sources: Sources::default(), diagnostics }));
    }
    // As whoever writes the fact by hand is told.
    match read_fact(rules, &fact.to_string()) {
        Err(error) => error,
        Ok(_) => SessionError::Unknown { message: format!("`{fact}` is not a fact of an input") },
    }
}
