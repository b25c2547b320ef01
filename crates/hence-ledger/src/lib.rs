//! The ledger: every fact and every decision, append-only, durable when acknowledged, provable later.
//!
//! `journal/` is the truth: `record` (one record), `journal` (segments), `scan` (reading them), `content` (what a
//! transaction holds). `base/` answers questions: `base` (an ordered map, sled), `block`, `backlog` and `view` (sorted
//! blocks, what isn't written yet over them), `write_back` (writing it, also on a thread of its own), `keys`, `state` (how a transaction changes both). `schemas` knows which columns facts were
//! recorded under, `recast` how to read them under others. `open` (for writing), `ask` (for reading, from
//! the base's table where `tabled` finds one), `commit` and `read` are the public face; `join` brings journal and base together. `compact` replaces old segments by a
//! `snapshot`, `backup` copies a ledger, `salvage` makes a new chain from what the base knows. `principals` says who may
//! sign what, and what signatures are worth. `merkle` is the tree over transactions, `note` what is signed of it, `receipt`
//! one transaction with its place in it. `personal` keeps personal values under keys that can be destroyed. `shard` says which part of partitioned facts it holds. `docs/ledger-format.md` describes the format.

mod admit;
mod ask;
mod backlog;
mod backup;
pub mod base;
mod block;
mod bytes;
mod changed;
mod commit;
mod compact;
mod content;
pub mod disk;
mod drawn;
mod error;
mod exchange;
mod hash;
pub mod interchange;
mod join;
mod journal;
mod keys;
mod list;
mod lock;
pub mod merkle;
mod note;
mod open;
mod personal;
mod plan;
mod principals;
mod progress;
mod read;
mod recast;
mod receipt;
mod recent;
mod record;
mod redact;
mod reserved;
mod rows;
mod said;
mod salvage;
mod scan;
mod schemas;
mod shard;
mod snapshot;
mod state;
mod step;
mod tabled;
mod transaction;
mod tuple;
mod verify;
mod view;
mod words;
mod write_back;

use std::any::Any;
use std::path::PathBuf;

pub use bytes::Malformed;
pub use compact::Compacted;
pub use drawn::DrawnLists;
pub use error::{LedgerError, Notice};
pub use exchange::{Admit, Imported, ImportedFacts};
pub use hash::Hash;
pub use note::{Checkpoint, Note};
pub use open::OpenOptions;
pub use personal::{ERASED, PERSONAL, is_token, personal_fact};
pub use plan::ResolvedDelta;
pub use principals::{
    ADMIN, Attested, Ed25519Signature, Keyring, Keys, PRINCIPAL, Principal, Principals, PublicKey, REVOKED,
    SecretKey, principal,
};
pub use progress::{Progress, Watcher, Work};
pub use read::When;
pub use recast::{ColumnDifference, Recast};
pub use receipt::{Receipt, Received, path_json, read_path};
pub use redact::Redaction;
pub use reserved::is_reserved;
pub use rows::FactIter;
pub use said::{Said, fact_message};
pub use salvage::Salvaged;
pub use schemas::Recorded;
pub use shard::{NoShard, Shard};
pub use step::{EffectRound, StepChange};
pub use transaction::{
    Assertion, Changes, Committed, Decision, Draft, InForce, Interval, Lapsed, RecordedRules, RelationCount,
    Run, RunLimits, Schema, Status, Tally, Transaction, TxInfo,
};
pub use verify::Verified;

impl From<base::BaseError> for LedgerError {
    fn from(error: base::BaseError) -> Self {
        match error {
            base::BaseError::Damaged(why) => Self::Base(why),
            base::BaseError::Medium(why) => Self::Medium(why),
        }
    }
}

/// What an open ledger answers from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Based {
    /// The base, or a copy of it.
    Base,
    /// What the base held once, as a table, and the journal since.
    Table,
    /// The journal, replayed into memory.
    Journal,
    /// The same since the base can't be used, for this reason, with what helps.
    Unfit(String),
}

/// An open ledger. One process at a time writes; within it, whoever holds the value.
///
/// Reading takes `&self`, so many may read at once; [`Ledger::commit`] takes `&mut self`.
pub struct Ledger {
    journal: journal::Journal,
    view: view::View,
    state: state::State,
    /// The last transaction that the base holds without the backlog.
    base_tx: u64,
    /// Bytes of backlog after which it is written to the base.
    backlog_limit: usize,
    /// Whether another thread does that.
    behind: bool,
    /// About how many bytes of changes a record holds.
    part_limit: usize,
    /// How many bytes questions may have to copy or read beyond the base's table.
    table_limit: u64,
    /// How many assertions of one relation are written to the base at once.
    bulk: usize,
    watcher: progress::Watcher,
    /// The shard whose facts it holds, where it doesn't hold all.
    shard: Option<Shard>,
    /// What must not be recorded.
    redaction: redact::Redaction,
    /// Which columns hold personal values, and their keys.
    vault: personal::Vault,
    /// What signs for principals.
    keys: principals::Held,
    /// What is known of principals and signatures.
    verdicts: principals::Verdicts,
    writable: bool,
    /// Whether what the base holds was checked in this process before.
    reopens: bool,
    /// Whether a durable transaction is taken into state and backlog only in part.
    torn: bool,
    notices: Vec<Notice>,
    /// The snapshot that the state began with in this process: the transaction after it must name this hash.
    snapshot: Option<(u64, Hash)>,
    /// Where it lies; `None` in memory.
    dir: Option<PathBuf>,
    /// How the last writer left it.
    left: lock::Holder,
    based: Based,
    /// Held while the ledger is open for writing; let go of after all the above.
    lock: Option<lock::Lock>,
    /// What was lent for as long as the ledger is open; the last field, so that it goes back after the lock.
    turn: Option<Box<dyn Any + Send + Sync>>,
}
