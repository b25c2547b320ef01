//! The files that tests go over; paths are from the root of the package, which is where tests run.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the corpus is.
pub(crate) const CORPUS: &str = "tests/corpus";

/// The files under a folder whose names end so, in order.
pub(crate) fn files(folder: impl AsRef<Path>, endings: &[&str]) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.as_ref().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| endings.iter().any(|ending| end == *ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The cases under a folder of the corpus, in order: every rule file, and of a folder with a `main.dl` only that.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let mut found = files(Path::new(CORPUS).join(folder), &["dl"]);
    let whole: Vec<PathBuf> = found.iter().filter(|path| path.ends_with("main.dl")).cloned().collect();
    let part = |path: &PathBuf| {
        whole.iter().any(|main| path != main && path.starts_with(main.parent().unwrap_or(main)))
    };
    found.retain(|path| !part(path));
    found
}
