//! The facts of a ledger as rows of a program.

use std::collections::BTreeSet;

use crate::backend::Database;
use crate::ir::Program;
use crate::ledger::{Decision, Ledger, LedgerError, When};
use crate::schema::{Kind, RelationId};
use crate::value::{Type, Value};

/// Adds the facts that stood in `ledger` at a moment, of the input relations that `program` knows.
pub(super) fn standing(
    ledger: &Ledger,
    as_of: When,
    program: &Program,
    input: &mut Database,
) -> Result<(), LedgerError> {
    let all = (0..program.relations.len() as u32).map(RelationId).collect();
    standing_of(ledger, as_of, program, &all, input)
}

/// The same, of those among `relations` alone.
pub(super) fn standing_of(
    ledger: &Ledger,
    as_of: When,
    program: &Program,
    relations: &BTreeSet<RelationId>,
    input: &mut Database,
) -> Result<(), LedgerError> {
    relations.iter().try_for_each(|relation| beginning(ledger, as_of, (program, *relation), &[], input))
}

/// Adds the facts of one input relation whose first columns hold `first`.
pub(super) fn beginning(
    ledger: &Ledger,
    as_of: When,
    (program, relation): (&Program, RelationId),
    first: &[Value],
    input: &mut Database,
) -> Result<(), LedgerError> {
    let Some(schema) = program.relation(relation).filter(|schema| schema.kind == Kind::Input) else {
        return Ok(());
    };
    let types: Vec<Type> = schema.types().collect();
    ledger.each_row(schema.name, as_of, &types, first, &mut |row| input.push(relation, row))
}

/// The decisions that stood at a moment.
pub(super) fn decisions(ledger: &Ledger, as_of: When) -> Result<Vec<Decision>, LedgerError> {
    Ok(ledger.decisions_at(as_of)?.into_iter().map(|standing| standing.decision).collect())
}
