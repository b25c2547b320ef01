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
    let all = [("DuckDB", Dialect::DuckDb), ("PostgreSQL", Dialect::Postgres), ("Spark", Dialect::Spark)];
    let mut outcomes: Vec<(String, String)> = Vec::new();
    for (name, dialect) in all {
        let outcome = said(dialect)?;
        match outcomes.iter_mut().find(|(_, known)| *known == outcome) {
            Some((names, _)) => names.push_str(&format!(" and {name}")),
            None => outcomes.push((String::from(name), outcome)),
        }
    }
    if let [(_, outcome)] = outcomes.as_slice() {
        return compare(path, outcome);
    }
    let parts: Vec<String> =
        outcomes.iter().map(|(names, outcome)| format!("in {names}:\n{outcome}")).collect();
    compare(path, &parts.join("\n"))
}
