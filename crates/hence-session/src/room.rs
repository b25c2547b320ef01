//! Whether facts fit into the memory that the process may still take. What can't fit is refused before it is read.

use std::collections::BTreeSet;

use hence_core::meter::{Bound, room};
use hence_core::schema::{Kind, RelationId};
use hence_engine::Database;
use hence_lang::ir::Program;
use hence_ledger::Ledger;

use super::error::SessionError;

/// Bytes that no command has to ask the system for.
const SMALL: u64 = 1 << 20;
const WORD: u64 = 8;
const MIB: u64 = 1 << 20;

/// Refuses to read all current facts of `relations` from a ledger where even their rows don't fit.
pub(super) fn expect_read(
    ledger: &Ledger,
    program: &Program,
    relations: &BTreeSet<RelationId>,
) -> Result<(), SessionError> {
    let relations = relations.iter().map(|id| &program[*id]);
    // Of a relation that only some may assert, not all facts count.
    let inputs = relations.filter(|relation| relation.kind == Kind::Input && relation.authors.is_none());
    expect(inputs.map(|relation| (ledger.count(relation.name), relation.columns.len())))
}

/// The same for facts that are about to be maintained: each takes its row and a word for its state, beside the row that
/// `input` holds.
pub(super) fn expect_maintained(input: &Database) -> Result<(), SessionError> {
    expect(input.relations.iter().map(|rows| (rows.len() as u64, rows.arity() + 1)))
}

/// Refuses facts that take more than is left, given how many there are of each kind and how many words each takes at least.
fn expect(kinds: impl Iterator<Item = (u64, usize)>) -> Result<(), SessionError> {
    let (mut facts, mut needed) = (0_u64, 0_u64);
    for (count, words) in kinds {
        facts = facts.saturating_add(count);
        needed = needed.saturating_add(count.saturating_mul(words as u64 * WORD));
    }
    if needed < SMALL {
        return Ok(());
    }
    match room() {
        Some((limit, left)) if needed > left => {
            let (bound, needed, left) = (Bound::Memory(limit), needed.div_ceil(MIB), left / MIB);
            Err(SessionError::Room { facts, needed, bound, left })
        }
        _ => Ok(()),
    }
}
