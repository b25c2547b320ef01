//! Systems without Unix sockets: nobody lends a ledger, and nobody asks for one.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hence_ledger::LedgerError;

use super::super::{Failure, open};
use super::mailbox::Mailbox;

/// How long a command waits for another that has the lock, where `--wait` doesn't say.
const BEGINNING: Duration = Duration::from_secs(5);

/// Whoever would ask for a turn.
pub(crate) enum Ask {}

impl Ask {
    pub(super) fn id(&self) -> u64 {
        match *self {}
    }
}

/// A turn that nobody gives.
pub(crate) enum Turn {}

/// An owner that there is none of.
pub(crate) enum Owner {}

/// What an owner does that there is none of.
pub(crate) type Wait<'a> = dyn FnMut(&LedgerError, Instant) -> Result<bool, Failure> + 'a;

/// What holds a ledger.
pub(crate) trait Lendable: Sized {}

impl<T> Lendable for T {}

impl Owner {
    /// Nobody owns a store here.
    pub(crate) fn check_free(_: &Path) -> Result<(), Failure> {
        Ok(())
    }

    /// Owning needs Unix sockets.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn begin(_: &Path, _: &Arc<Mailbox>, _: Duration) -> Result<Self, Failure> {
        Err(Failure::Usage(String::from("owning a ledger needs Unix sockets, which this system lacks")))
    }

    /// Never called.
    pub(crate) fn stop_on_signals(&self) -> std::io::Result<()> {
        match *self {}
    }

    /// Never called.
    pub(crate) fn lend<H: Lendable>(&self, _: H, _: Ask, _: &mut Wait<'_>) -> Result<Option<H>, Failure> {
        match *self {}
    }

    /// Never called.
    pub(crate) fn open_again<H: Lendable>(&self, _: H, _: &mut Wait<'_>) -> Result<Option<H>, Failure> {
        match *self {}
    }
}

/// Opens a ledger with `open`, which is told how long to wait for the lock.
pub(crate) fn among<T>(
    _: &Path,
    wait: Option<Duration>,
    mut open: impl FnMut(Duration) -> Result<T, LedgerError>,
) -> Result<(T, Option<Turn>), Failure> {
    Ok((open(wait.unwrap_or(BEGINNING)).map_err(open::failure)?, None))
}

/// Nobody lends a turn.
pub(crate) fn briefly(_: &Path) -> Option<Turn> {
    None
}
