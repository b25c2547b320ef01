//! The facts of a ledger as rows of a program.

use crate::backend::Database;
use crate::ir::Program;
use crate::ledger::{Decision, Ledger, LedgerError, When};
use crate::schema::Kind;

use super::evaluation;

/// Adds the facts that stood in `ledger` at a moment, of the input relations that `program` knows.
pub(super) fn standing(
    ledger: &Ledger,
    as_of: When,
    program: &Program,
    input: &mut Database,
) -> Result<(), LedgerError> {
    for relation in program.relations.iter().filter(|relation| relation.kind == Kind::Input) {
        for fact in ledger.facts_at(relation.name, as_of)? {
            let (fact, _) = fact?;
            evaluation::add_fact(program, input, &fact);
        }
    }
    Ok(())
}

/// The decisions that stood at a moment.
pub(super) fn decisions(ledger: &Ledger, as_of: When) -> Result<Vec<Decision>, LedgerError> {
    Ok(ledger.decisions_at(as_of)?.into_iter().map(|standing| standing.decision).collect())
}
