//! Rules as a script of SQL, and the script that compares its tables with what hence derives.

use std::collections::BTreeMap;

use hence_compile::sql;
pub use hence_compile::sql::Dialect;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::Session;
use super::ask::undefined_operations;
use super::codes::NOT_IN_SQL;
use super::error::{Faults, SessionError};
use super::evaluation::facts_of;
use super::ruleset::RuleSet;

/// The script of a rule set.
///
/// # Errors
/// The constructs that SQL can't express with the same meaning, as faults with their places.
pub fn script(rules: &RuleSet, dialect: Dialect) -> Result<String, SessionError> {
    without_effects(rules)?;
    sql::script(&rules.program, &rules.sources, dialect).map_err(|refused| refusals(rules, &refused))
}

impl Session {
    /// A script that fills the inputs' tables with the facts of this session, derives, and compares.
    ///
    /// # Errors
    /// As [`script`]; operations without a result over these facts; all that can go wrong in an evaluation.
    pub fn sql_equality(&self, dialect: Dialect, now: i64) -> Result<String, SessionError> {
        let rules = &self.rules;
        without_effects(rules)?;
        let evaluation = self.evaluate(now)?;
        let undefined = undefined_operations(&rules.program, &rules.sources, &evaluation.model.undefined);
        if let Some(first) = undefined.first() {
            let message = format!("over these facts the script stops: {first}");
            return Err(SessionError::Unknown { message });
        }
        let mut given: BTreeMap<Symbol, Vec<Vec<Value>>> = BTreeMap::new();
        given.insert(Symbol::new("now"), vec![vec![Value::Time(now)]]);
        self.given()?.into_iter().for_each(|fact| given.entry(fact.relation).or_default().push(fact.values));
        let of = |id: RelationId| given.get(&rules.program[id].name).map_or_else(Vec::new, Clone::clone);
        let derived = |id: RelationId| {
            facts_of(&rules.program, &evaluation.model, id).into_iter().map(|fact| fact.values).collect()
        };
        sql::equality(&rules.program, &rules.sources, dialect, (&of, &derived))
            .map_err(|refused| refusals(rules, &refused))
    }
}

/// Effects take place in a ledger, step by step.
fn without_effects(rules: &RuleSet) -> Result<(), SessionError> {
    let effects = rules.checked.effects.iter().map(|effect| sql::UnsupportedConstruct {
        span: rules.program[effect.relation].span,
        construct: String::from("an effect"),
        way_out: "leave effects to `hence decide`, and compile the rules without them",
    });
    let effects: Vec<sql::UnsupportedConstruct> = effects.collect();
    if effects.is_empty() { Ok(()) } else { Err(refusals(rules, &effects)) }
}

fn refusals(rules: &RuleSet, refused: &[sql::UnsupportedConstruct]) -> SessionError {
    let diagnostics = refused.iter().map(|refusal| {
        let message = format!("SQL can't express {} with the same meaning", refusal.construct);
        Diagnostic::new(NOT_IN_SQL, message).at(refusal.span, "").help(refusal.way_out)
    });
    let diagnostics = diagnostics.collect();
    SessionError::Faults(Box::new(Faults { sources: rules.sources.clone(), diagnostics }))
}
