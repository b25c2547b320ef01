//! Rule files on disk: found in folders, told apart from files of tests, read up to a size.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use hence_core::file::{self, LARGEST_TEXT};

use super::error::SessionError;

/// The `.dl` files at a path, each kind in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFiles {
    /// Those whose rules decide.
    pub rules: Vec<PathBuf>,
    /// Those of tests, `*_test.dl`.
    pub tests: Vec<PathBuf>,
}

impl RuleFiles {
    /// Both kinds, in order.
    pub fn all(self) -> Vec<PathBuf> {
        let all: BTreeSet<PathBuf> = self.rules.into_iter().chain(self.tests).collect();
        all.into_iter().collect()
    }
}

/// Whether a file holds tests, by its name; rules in it help its tests and are read by nothing else.
pub fn is_of_tests(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("_test.dl"))
}

/// `path` itself, or the `.dl` files in it and below; hidden files and folders are left out.
///
/// # Errors
/// A folder that can't be read, and a link in it to a folder elsewhere.
pub fn rule_files(path: &Path) -> Result<RuleFiles, SessionError> {
    let files = if path.is_dir() { within(path)? } else { BTreeSet::from([path.to_owned()]) };
    let (tests, rules) = files.into_iter().partition(|file| is_of_tests(file));
    Ok(RuleFiles { rules, tests })
}

fn within(top: &Path) -> Result<BTreeSet<PathBuf>, SessionError> {
    let mut files = BTreeSet::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        let read = |source| SessionError::Read { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let (kind, path) = (entry.file_type().map_err(read)?, entry.path());
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() && path.is_dir() {
                linked(top, &entry)?;
            } else if path.extension().is_some_and(|end| end == "dl") {
                files.insert(path);
            }
        }
    }
    Ok(files)
}

/// Checks that a link to a folder leads to one that is read anyway: else rules that somebody put there would silently
/// not be read.
fn linked(top: &Path, entry: &DirEntry) -> Result<(), SessionError> {
    let path = entry.path();
    let read = |source| SessionError::Read { path: path.clone(), source };
    let target = fs::canonicalize(&path).map_err(read)?;
    if target.starts_with(fs::canonicalize(top).map_err(read)?) {
        return Ok(());
    }
    let message = format!(
        "`{}` is a link to a folder elsewhere, which is not followed; name `{}` in addition to `{}`",
        path.display(),
        target.display(),
        top.display()
    );
    Err(SessionError::Unknown { message })
}

/// What is said of a path that holds no rules.
pub(super) fn without_rules(path: &Path, found: &RuleFiles) -> String {
    let path = path.display();
    match found.tests.as_slice() {
        [] => format!("`{path}` contains no rule file: nothing in it or below ends in `.dl`"),
        [test] if test.display().to_string() == path.to_string() => {
            format!(
                "`{path}` is a test file, which only `test`, `check` and `fmt` read; name the rules that it imports"
            )
        }
        _ => format!("`{path}` contains only test files, which only `test`, `check` and `fmt` read"),
    }
}

/// A file's content.
pub(super) enum Content {
    Bytes(Cow<'static, [u8]>),
    /// It is not read.
    TooLarge,
}

/// Reads a rule file.
///
/// # Errors
/// It can't be read, or is not a regular file.
pub(super) fn read_content(path: &Path) -> Result<Content, SessionError> {
    match file::read(path, LARGEST_TEXT) {
        Ok(bytes) => Ok(Content::Bytes(Cow::Owned(bytes))),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Content::TooLarge),
        Err(source) => Err(SessionError::Read { path: path.to_owned(), source }),
    }
}
