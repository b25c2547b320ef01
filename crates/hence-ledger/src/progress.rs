//! Progress of long work on a ledger, reported to a callback.

use std::fmt;
use std::sync::Arc;

/// What takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Facts are written to the journal.
    Recording,
    /// Facts are written to the base.
    Applying,
    /// Transactions are read from the journal, to bring the base up to them.
    CatchingUp,
}

/// How far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is.
    pub work: Work,
    /// How many facts, or transactions, are done.
    pub done: u64,
    /// Of how many, where that is known.
    pub of: Option<u64>,
}

type Callback = dyn Fn(Progress) + Send + Sync;

/// What receives the progress of a ledger; nothing by default.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<Callback>>);

impl Watcher {
    /// Calls `callback` every few thousand facts and after every transaction that is caught up with.
    pub fn new(callback: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(callback)))
    }

    pub(super) fn report(&self, work: Work, done: u64, of: Option<u64>) {
        if let Some(callback) = &self.0 {
            callback(Progress { work, done, of });
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watcher" } else { "nobody" })
    }
}
