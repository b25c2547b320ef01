//! An owner that ends by itself where it has nothing to do.

use std::time::{Duration, Instant};

use hence_ledger::Ledger;

/// How often an owner that ends for want of work looks whether its ledger is still there.
const LOOK: Duration = Duration::from_secs(5);

/// An end for want of work.
#[derive(Clone, Copy)]
pub(super) struct Idle {
    /// How long there may be none.
    pub(super) longest: Duration,
    /// When there was some.
    pub(super) since: Instant,
}

impl Idle {
    /// When to look whether it is time.
    pub(super) fn until(self) -> Instant {
        (self.since + self.longest).min(Instant::now() + LOOK)
    }

    /// Whether there was no work for long enough, or the ledger's folder is gone.
    pub(super) fn is_over(self, ledger: Option<&Ledger>) -> bool {
        let is_gone = ledger.and_then(Ledger::folder).is_some_and(|folder| !folder.exists());
        is_gone || self.since.elapsed() >= self.longest
    }
}
