//! What follows from facts, their effects included, in a session of its own.

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::{Database, Limits};
use hence_lang::ir::Program;

use crate::session::commit::Change;
use crate::session::error::SessionError;
use crate::session::evaluation::{self, Evaluation};
use crate::session::{RuleSet, Session};

/// What follows from the facts of `input`, which holds the clock, once the effects that they begin have taken place:
/// nothing held before. `program` is that of `rules`, perhaps with more relations at its end.
///
/// # Errors
/// A limit that was reached, effects that contradict each other.
pub fn settled(
    rules: &RuleSet,
    program: &Program,
    input: &Database,
    limits: &Limits,
) -> Result<Evaluation, SessionError> {
    let clock = Symbol::new("now");
    let (mut facts, mut now) = (Vec::new(), 0);
    for (at, rows) in input.relations.iter().enumerate() {
        let relation = RelationId(at as u32);
        for row in rows.iter() {
            let fact = evaluation::fact_of(program, relation, row);
            match fact.values.as_slice() {
                [Value::Time(at)] if fact.relation == clock => now = *at,
                _ => facts.push(fact),
            }
        }
    }
    let rules = RuleSet { program: program.clone(), ..rules.clone() };
    let mut session = Session::over_facts(rules, Vec::<Fact>::new()).with_limits(*limits);
    session.commit(Change { assertions: facts, now, time: now, ..Change::default() }, false)?;
    session.evaluate(now)
}
