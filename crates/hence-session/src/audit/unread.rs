//! Recorded rules that can't be evaluated, and why, in one line.

use crate::error::SessionError;

/// Whether it is a fault of recorded rules that they can't be evaluated.
pub(super) fn is_of_the_rules(error: &SessionError) -> bool {
    matches!(
        error,
        SessionError::Faults(_)
            | SessionError::Unknown { .. }
            | SessionError::Undone { .. }
            | SessionError::Endless { .. }
    )
}

/// What is wrong, in one line.
pub(super) fn said(error: &SessionError) -> String {
    match error {
        SessionError::Faults(faults) => {
            let first = faults.diagnostics.iter().find(|found| found.is_error());
            first.map_or_else(|| error.to_string(), |first| first.message.clone())
        }
        _ => error.to_string(),
    }
}
