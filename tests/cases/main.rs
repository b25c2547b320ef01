//! The cases that are files, each a test of its own: `cargo test NAME` runs those whose name holds `NAME`, and
//! `UPDATE=1` writes what comes out instead of comparing it. A new file is a new test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod codes;
mod command;
mod corpus;
mod files;
mod golden;
mod layout;
#[path = "../it/memory.rs"]
mod memory;
mod not_in_sql;
#[cfg(unix)]
mod owned;
mod pages;
mod program;
#[cfg(all(unix, feature = "scan"))]
mod repos;
mod uncompiled;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};

/// What runs a case.
type Check = fn(&Path) -> Result<(), String>;

/// The folders of the corpus, and what each of their cases is held against.
const CORPUS: [(&str, Check); 6] = [
    ("good", corpus::good),
    ("faulty", corpus::faulty),
    ("program", program::check),
    ("layout", laid_out),
    ("uncompiled", uncompiled::check),
    ("not_in_sql", not_in_sql::check),
];

fn main() {
    let args = Arguments::from_args();
    // What takes longest comes first, so that every core is busy to the end.
    let mut trials = of_files("docs", Path::new(""), pages::with_commands(), pages::check);
    trials.extend(of_files("cli", Path::new("tests/cli"), pages::of_commands(), pages::check));
    #[cfg(unix)]
    {
        let mut pages = pages::with_commands();
        pages.extend(pages::of_commands());
        pages.retain(|page| owned::is_run(page));
        trials.extend(of_files("owned", Path::new(""), pages, owned::check));
    }
    trials.extend(golden::trials());
    trials.extend(of_files(
        "codes",
        Path::new("docs/codes"),
        files::files("docs/codes", &["md"]),
        codes::check,
    ));
    for (folder, check) in CORPUS {
        let cases = files::cases(folder);
        trials.extend(of_files("corpus", Path::new(files::CORPUS), cases, check));
    }
    #[cfg(all(unix, feature = "scan"))]
    trials.extend(of_files(
        "repos",
        Path::new("tests/actuators/repos"),
        files::files("tests/actuators/repos", &["txt"]),
        repos::check,
    ));
    libtest_mimic::run(&args, trials).exit();
}

/// A test a file, named after its path from `root` on.
fn of_files(kind: &str, root: &Path, files: Vec<PathBuf>, check: Check) -> Vec<Trial> {
    assert!(!files.is_empty(), "no files for `{kind}`");
    let trial = |file: PathBuf| {
        let name = file.strip_prefix(root).unwrap().with_extension("");
        let name = if name.ends_with("main") { name.parent().unwrap() } else { &name };
        Trial::test(format!("{kind}::{}", name.display()), move || Ok(check(&file)?))
    };
    files.into_iter().map(trial).collect()
}

/// Whether the printer makes of a rule file what the `.out` beside it holds.
fn laid_out(path: &Path) -> Result<(), String> {
    corpus::compare(path, &layout::checked_format(&fs::read_to_string(path).unwrap()))
}
