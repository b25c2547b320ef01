//! Rule files that are run: each case of the corpus in every mode against the one expected output beside it.
//!
//! - `good/**/NAME.dl` is loaded, checked and evaluated by every engine, and once more from what the printer makes
//!   of it; `NAME.out` holds what is derived. `faulty/**/NAME.dl` is refused; `NAME.out` holds what is said.
//! - A folder with a `main.dl` is one case of several files, its output `main.out`.
//! - Lines of the case that begin with `#> ` are facts of inputs, in the form of rule files; those that begin with
//!   `#! ` say how to run it (see [`case::Case`]). Its tests must pass.
//!
//! A new case is a new file; `UPDATE=1` writes its output, which has to be read before it is committed.

mod case;
#[cfg(feature = "dataflow")]
pub(crate) mod on_workers;
pub(crate) mod one_by_one;
pub(crate) mod render;
mod run;

use std::fs;
use std::path::Path;

use run::Outcome;

/// Runs a case that must be accepted.
///
/// # Errors
/// What is refused, or how its modes or its expectation differ.
pub(crate) fn good(path: &Path) -> Result<(), String> {
    match run::run(path)? {
        Outcome::Derived(found) => compare(path, &found),
        Outcome::Refused(said) => Err(format!("is refused\n{said}")),
    }
}

/// Runs a case that must be refused.
///
/// # Errors
/// How what is said differs from what is expected.
pub(crate) fn faulty(path: &Path) -> Result<(), String> {
    match run::run(path)? {
        Outcome::Refused(said) => compare(path, &said),
        Outcome::Derived(found) => Err(format!("nothing is refused\n{found}")),
    }
}

/// Compares what came out of a case with the `.out` beside it, or writes that with `UPDATE=1`.
///
/// # Errors
/// From where on they differ.
pub(crate) fn compare(path: &Path, found: &str) -> Result<(), String> {
    let expected_path = path.with_extension("out");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&expected_path, found).unwrap();
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    if found == expected { Ok(()) } else { Err(render::difference(&expected, found)) }
}

/// Runs a case by the meaning and by its compiled rules.
///
/// # Errors
/// How the two differ.
#[allow(dead_code, unreachable_pub, reason = "the package that tests/it/bulk.rs writes calls it")]
pub fn compiled(path: &Path, pack: &'static hence_packs::support::Pack) -> Result<(), String> {
    run::compiled(path, pack).map_err(|difference| format!("{}: {difference}", path.display()))
}
