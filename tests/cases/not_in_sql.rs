//! Rule files that SQL can't say with the same meaning: `not_in_sql/**/NAME.out` holds what `hence compile --sql` says of
//! `NAME.dl`.

use std::path::Path;

use hence::session::sql::{Dialect, script};
use hence::session::{Loader, SessionError, check as check_rules};

use crate::corpus::{compare, render};

/// Runs a case.
///
/// # Errors
/// How what is said differs from what is expected.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let mut loader = Loader::default();
    loader.path(path).map_err(|error| error.to_string())?;
    let rules = check_rules(loader.finish(), &[]).rules.ok_or("is refused before it is compiled")?;
    let said = |dialect| match script(&rules, dialect) {
        Err(SessionError::Faults(faults)) => Ok(render::diagnostics(&faults.diagnostics, &faults.sources)),
        Err(other) => Err(other.to_string()),
        Ok(_) => Ok(String::from("is written")),
    };
    let (duckdb, postgres) = (said(Dialect::DuckDb)?, said(Dialect::Postgres)?);
    match duckdb == postgres {
        true => compare(path, &duckdb),
        false => compare(path, &format!("in DuckDB:\n{duckdb}\nin PostgreSQL:\n{postgres}")),
    }
}
