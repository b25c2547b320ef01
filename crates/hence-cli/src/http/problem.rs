//! What goes wrong in a session, as a problem of a request.

use hence_ledger::LedgerError;
use hence_server::Problem;
use hence_session::SessionError;
use serde_json::Value as Json;

use super::super::{Failure, diagnostics};

/// As a problem; the diagnostics of rules and facts are its `errors`, with their codes.
pub(super) fn of_session(error: &SessionError) -> Problem {
    let detail = error.to_string();
    match error {
        SessionError::Faults(faults) => {
            let all = faults.diagnostics.iter().map(|found| diagnostics::json(found, &faults.sources));
            let first = faults.diagnostics.first().map_or(detail, |first| first.message.clone());
            Problem::new(422, first).with("errors", all.collect::<Json>())
        }
        SessionError::NotAllowed { .. } => Problem::new(403, detail),
        SessionError::Unknown { .. } => Problem::new(404, detail),
        SessionError::Undone { .. } | SessionError::Ledger(LedgerError::Principal { .. }) => {
            Problem::new(422, detail)
        }
        SessionError::Ledger(LedgerError::Expected { .. }) => Problem::new(409, detail),
        SessionError::Ledger(LedgerError::NoTransaction { .. }) => Problem::new(404, detail),
        SessionError::Ledger(LedgerError::Medium(_)) => Problem::busy(detail),
        error if error.is_limit() || error.lacks_room() => Problem::busy(detail),
        _ => Problem::new(500, detail),
    }
}

/// The same of what a command says.
pub(super) fn of_failure(failure: &Failure) -> Problem {
    match failure {
        Failure::Session(error) => of_session(error),
        Failure::Usage(message) => Problem::new(422, message.clone()),
        Failure::Stopped(stopped) => Problem::busy(stopped.to_string()),
        #[cfg(feature = "dataflow")]
        Failure::Limit(message) => Problem::busy(message.clone()),
        Failure::Output(error) => Problem::new(500, error.to_string()),
    }
}
