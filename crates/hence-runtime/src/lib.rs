//! The outbox: what became of each decision that is to be carried out, folded from notes, and what comes next.
//!
//! It knows no ledger, no carrier and no clock: notes and the time come in, states and the next step go out.

mod entry;
mod note;

pub use entry::{LONGEST_PAUSE, NextStep, OutboxEntry, Policy, Repeat, State};
pub use note::{EntryNote, Mark, RELATION, columns};
