//! What observers have in common: values of facts, handing facts over, and inputs of one JSON object after another.

use super::error::ActuatorError;
use super::input::Input;
use super::json::Object;
use super::objects::JsonObjects;
use super::{Sink, Summary};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

pub(super) fn string(text: &str) -> Value {
    Value::String(Symbol::new(text))
}

/// A name, with its slash.
pub(super) fn name(text: &str) -> Value {
    Value::Name(Symbol::new(text))
}

pub(super) fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A number that is finite by construction.
pub(super) fn float(number: f64) -> Value {
    Value::Float(Float::new(number).or_broken("a measure is a finite number"))
}

/// Hands over the facts of one record.
pub(super) fn assert(
    facts: Vec<Fact>,
    summary: &mut Summary,
    sink: &mut Sink<'_>,
) -> Result<(), ActuatorError> {
    summary.records += 1;
    for fact in facts {
        summary.facts += 1;
        sink(fact)?;
    }
    Ok(())
}

/// Hands over what `read` makes of each JSON object of an input.
pub(super) fn each_object(
    input: Input<'_>,
    sink: &mut Sink<'_>,
    mut read: impl FnMut(&mut Object<'_>) -> Result<Vec<Fact>, ActuatorError>,
) -> Result<Summary, ActuatorError> {
    let mut objects = JsonObjects::new(input);
    let mut summary = Summary::default();
    while let Some(mut object) = objects.next()? {
        assert(read(&mut object)?, &mut summary, sink)?;
        object.leave(&mut summary);
    }
    Ok(summary)
}
