//! Rule files that crepe can't say: `uncompiled/**/NAME.out` holds what `hence compile` says of `NAME.dl`.

use std::path::Path;

use hence::session::compiled::{Options, compile};
use hence::session::{Loader, SessionError, check as check_rules};

use crate::corpus::{compare, render};

/// Runs a case.
///
/// # Errors
/// That it is compiled, or how what is said differs from what is expected.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let mut loader = Loader::default();
    loader.path(path).map_err(|error| error.to_string())?;
    let rules = check_rules(loader.finish(), &[]).rules.ok_or("is refused before it is compiled")?;
    match compile(&rules, &Options { name: "case", about: "", root: "hence::packs" }) {
        Err(SessionError::Faults(faults)) => {
            compare(path, &render::diagnostics(&faults.diagnostics, &faults.sources))
        }
        Err(other) => Err(other.to_string()),
        Ok(_) => Err(String::from("is compiled")),
    }
}
