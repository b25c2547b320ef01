//! When what was committed is durable.

use super::error::SessionError;
use super::{Session, Store};

impl Session {
    /// Returns once all that was committed is durable, deferred changes too.
    ///
    /// # Errors
    /// The disk's own: whether the deferred changes were recorded is not known then, and nothing is recorded any more.
    pub fn make_durable(&mut self) -> Result<(), SessionError> {
        match &mut self.store {
            Store::Ledger(ledger) => Ok(ledger.make_durable()?),
            Store::Memory(_) => Ok(()),
        }
    }

    /// Has all that was committed be made durable by another thread, deferred changes too, while this one goes on, and
    /// `then` called there: with what [`Session::make_durable`] returns, and in the order of these calls. One sync of the
    /// disk serves all that have come while the last was under way. `then` must be short, since everybody after it waits.
    pub fn when_durable(&mut self, then: impl FnOnce(Result<(), SessionError>) + Send + 'static) {
        match &mut self.store {
            Store::Ledger(ledger) => ledger.when_durable(|durable| then(durable.map_err(SessionError::from))),
            Store::Memory(_) => then(Ok(())),
        }
    }
}
