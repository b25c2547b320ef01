//! What logs tell of a commit.

use tracing::field::{Empty, display};
use tracing::{Span, error, info_span};

use super::RuleSet;
use super::error::SessionError;
use super::outcome::CommitOutcome;

/// The span of a commit whose outcome is to come.
pub(super) fn commit(engine: &str, dry: bool) -> Span {
    info_span!(
        "commit",
        engine,
        dry,
        rules = Empty,
        transaction = Empty,
        asserted = Empty,
        retracted = Empty,
        drawn = Empty,
        lapsed = Empty
    )
}

/// Records in the span of a commit what became of it: under which rules, in which transaction, and how many facts and
/// decisions came and went.
pub(super) fn committed(span: &Span, rules: &RuleSet, outcome: &Result<CommitOutcome, SessionError>) {
    if span.is_disabled() {
        return;
    }
    span.record("rules", display(rules.recorded().hash()));
    match outcome {
        Ok(outcome) => {
            if let Some(committed) = &outcome.committed {
                span.record("transaction", committed.tx);
            }
            span.record("asserted", outcome.changes.added.len());
            span.record("retracted", outcome.changes.removed.len());
            span.record("drawn", outcome.drawn.len());
            span.record("lapsed", outcome.lapsed.len());
        }
        Err(error) => error!(%error, "nothing was recorded"),
    }
}
