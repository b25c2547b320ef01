//! Rules on their way to another process.

use serde::{Deserialize, Serialize};

use hence_ledger::RecordedRules;
use hence_session::RuleSet;

use super::super::Failure;

#[derive(Serialize, Deserialize)]
struct Sent {
    files: Vec<(String, String)>,
    params: Vec<(String, String)>,
    /// What they mean, so that another version of hence that reads them otherwise is found out.
    program: String,
    /// Whether facts lie with the workers.
    parts: bool,
}

/// Rules that another process reads.
pub(super) struct Read {
    pub(super) rules: RuleSet,
    /// Whether facts lie with the workers.
    pub(super) parts: bool,
}

/// The rules as text, and whether facts lie with the workers.
pub(super) fn text(rules: &RuleSet, parts: bool) -> Result<String, Failure> {
    let recorded = rules.recorded();
    let sent = Sent {
        files: recorded.files().to_vec(),
        params: recorded.params().to_vec(),
        program: rules.program.to_string(),
        parts,
    };
    serde_json::to_string(&sent).map_err(|error| Failure::Usage(error.to_string()))
}

/// What [`text`] made the text of.
pub(super) fn read(text: &str) -> Result<Read, Failure> {
    let wrong = |why: String| Failure::Usage(format!("the rules of the first process can't be read: {why}"));
    let Sent { files, params, program, parts } =
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let rules = RuleSet::from_recorded(&RecordedRules::new(files, params))
        .map_err(|error| wrong(error.to_string()))?;
    if rules.program.to_string() != program {
        let why = "this hence reads them otherwise; run the same version in all processes";
        return Err(wrong(String::from(why)));
    }
    Ok(Read { rules, parts })
}
