//! Tests of rules: found, run, judged and told as data; the command line and a project's own `cargo test` show them.
//!
//! ```text
//!  paths ──► suite: test files, each with its rule set ──► case: program and facts of one test
//!        ──► judge: expectations against the model ──► report
//! ```
//!
//! Each test runs by itself: its file's rules, its parameters, its facts, its clock, and nothing else. Its steps are
//! commits of one session.

mod case;
pub mod coverage;
mod golden;
mod judge;
pub mod mutate;
mod nearby;
mod pool;
mod probe;
mod report;
mod steps;
mod stuck;
mod suite;

use std::path::PathBuf;

pub use golden::GoldenSuite;
pub use report::{
    FILLED, FileReport, RowDifference, StepPlace, SuiteReport, TestFailure, TestReport, TestVerdict,
};
pub use suite::{Selection, Suite, SuiteError, TestFile};

use hence_core::fault::{self, Fault};
use hence_session::SessionError;

/// The clock of a test that sets none and gives no fact `now`: 2026-01-01T00:00:00Z, in microseconds since the
/// epoch. It never moves, so that a test means the same on every day.
pub const DEFAULT_NOW: i64 = 1_767_225_600_000_000;

/// Runs every test under `path` (a file or a folder), for a project's own `cargo test`:
/// `hence_ruletest::run("rules/").unwrap();`.
///
/// # Errors
/// Everything that failed, as text for people; also where there is no test, or rules have errors.
pub fn run(path: impl Into<PathBuf>) -> Result<SuiteReport, String> {
    let suite = Suite::load(&[path.into()]).map_err(|error| error.to_string())?;
    let report = fault::caught::<_, Fault>(|| Ok(suite.run(&Selection::default())));
    let report = report.map_err(|fault| fault.to_string())?;
    if report.count() == 0 {
        return Err(String::from("no tests found"));
    }
    if report.all_passed() { Ok(report) } else { Err(report.to_string()) }
}

/// What went wrong in a session, with the texts of all faults.
fn message(error: &SessionError) -> String {
    match error {
        SessionError::Faults(faults) => faults
            .diagnostics
            .iter()
            .map(|found| {
                let place =
                    found.span().map_or_else(String::new, |span| format!("{}: ", faults.sources.place(span)));
                let help = found.help.iter().map(|help| format!("; {help}")).collect::<String>();
                format!("{place}{} [{}]{help}", found.message, found.code)
            })
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.to_string(),
    }
}
