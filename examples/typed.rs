//! A compiled pack used from Rust: structs in, structs out, no rule text and no strings for relation names.

use std::io::Write;

use hence::packs::errors::{Error, ErrorSignal, Facts, HandleError, HandleErrorAction, Params};
use hence::packs::support::RunError;

/// What is to be done about two errors, a line each.
pub(crate) fn answers() -> Result<Vec<String>, RunError> {
    let mut facts = Facts::default();
    facts.extend([
        Error { error: String::from("e1"), length: 40 },
        Error { error: String::from("e2"), length: 9_000 },
    ]);
    facts.extend([ErrorSignal { error: String::from("e1"), signal: "/unexpected_token".into() }]);

    let decisions = facts.decide(&Params { long_error: 5_000 })?;
    Ok(decisions.handle_error.iter().map(answer).collect())
}

fn answer(decision: &HandleError) -> String {
    let what = match decision.action {
        HandleErrorAction::FixInPlace => "fix it where it is",
        HandleErrorAction::ReplanStep => "plan this step again",
        HandleErrorAction::ReplanAll => "plan everything again",
        HandleErrorAction::Escalate => "ask a human",
    };
    format!("{} is of the kind {}: {what}", decision.error, decision.category.as_str())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for line in answers()? {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
