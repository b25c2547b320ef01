//! The corpus: rule files under `tests/corpus`, each run in every mode against the one expected output beside it.
//!
//! - `good/**/NAME.dl` is loaded, checked and evaluated by every engine, and once more from what the printer makes
//!   of it; `NAME.out` holds what is derived. `faulty/**/NAME.dl` is refused; `NAME.out` holds what is said.
//! - A folder with a `main.dl` is one case of several files, its output `main.out`.
//! - Lines of the case that begin with `#> ` are facts of inputs, in the form of rule files; those that begin with
//!   `#! ` say how to run it (see [`case::Case`]).
//!
//! A new case is a new file; `UPDATE=1` writes its output, which has to be read before it is committed.

mod case;
pub(crate) mod one_by_one;
mod render;
mod run;

use std::fs;
use std::path::{Path, PathBuf};

use run::Outcome;

/// Where the corpus is, from the root of the package, which is where tests run.
const CORPUS: &str = "tests/corpus";

/// The cases under a folder of the corpus, in order.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![Path::new(CORPUS).join(folder)]);
    while let Some(folder) = folders.pop() {
        if folder.join("main.dl").exists() {
            found.push(folder.join("main.dl"));
            continue;
        }
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "dl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a case in every mode and compares with its expected output, or writes that with `UPDATE=1`.
fn check(path: &Path, good: bool) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{}: {what}", path.display()));
    let outcome = match run::run(path) {
        Ok(outcome) => outcome,
        Err(difference) => return fail(&difference),
    };
    let found = match (outcome, good) {
        (Outcome::Derived(text), true) | (Outcome::Refused(text), false) => text,
        (Outcome::Derived(text), false) => return fail(&format!("nothing is refused\n{text}")),
        (Outcome::Refused(text), true) => return fail(&format!("is refused\n{text}")),
    };
    let expected_path = path.with_extension("out");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&expected_path, &found).unwrap();
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    if found == expected { Ok(()) } else { fail(&render::difference(&expected, &found)) }
}

/// Runs a case by the meaning and by its compiled rules.
///
/// # Errors
/// How the two differ.
#[allow(dead_code, unreachable_pub, reason = "the package that tests/it/bulk.rs writes calls it")]
pub fn compiled(path: &Path, pack: &'static hence_packs::support::Pack) -> Result<(), String> {
    run::compiled(path, pack).map_err(|difference| format!("{}: {difference}", path.display()))
}

fn check_all(folder: &str, good: bool, least: usize) {
    let only = std::env::var("CASE").unwrap_or_default();
    let cases = cases(folder);
    assert!(cases.len() >= least, "only {} cases under {folder}", cases.len());
    let wanted = cases.iter().filter(|path| path.display().to_string().contains(&only));
    let wrong: Vec<String> = wanted.filter_map(|path| check(path, good).err()).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn good_cases_derive_what_is_expected_in_every_mode() {
    check_all("good", true, 200);
}

#[test]
fn faulty_cases_are_refused_with_what_helps() {
    check_all("faulty", false, 100);
}
