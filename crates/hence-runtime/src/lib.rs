//! What a running service needs beside a session.
//!
//! The outbox: what became of each decision that is to be carried out, folded from notes, and what comes next. It knows no
//! ledger, no carrier and no clock: notes and the time come in, states and the next step go out. And the way to the `owner`
//! of a ledger, for commands and hooks.

mod entry;
mod note;
#[cfg(unix)]
pub mod owner;

pub use entry::{LONGEST_PAUSE, NextStep, OutboxEntry, Policy, Repeat, State};
pub use note::{EntryNote, Mark, RELATION, columns};
