//! Rule files on disk: found in folders, told apart from files of tests, read up to a size.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::SessionError;

/// The largest rule file, in bytes.
pub(super) const LARGEST_FILE: u64 = 64 * 1024 * 1024;

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
        "`{}` is a link to a folder elsewhere, which is not followed; name `{}` itself beside `{}`",
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
        [] => format!("`{path}` holds no rule file: nothing in it or below ends in `.dl`"),
        [test] if test.display().to_string() == path.to_string() => {
            format!("`{path}` holds tests, which are read by `test`, `check` and `fmt` alone; name the rules that it imports")
        }
        _ => format!("`{path}` holds files of tests alone, which are read by `test`, `check` and `fmt`"),
    }
}

/// A file's content.
pub(super) enum Content {
    Bytes(Cow<'static, [u8]>),
    /// It is not read; its size in bytes.
    TooLarge(u64),
}

/// Reads a rule file.
///
/// # Errors
/// It can't be read, or is a pipe or a device, of which nobody knows whether it ends.
pub(super) fn read_content(path: &Path) -> Result<Content, SessionError> {
    let failed = |source| SessionError::Read { path: path.to_owned(), source };
    let data = fs::metadata(path).map_err(failed)?;
    if !data.is_file() && !data.is_dir() {
        return Err(failed(io::Error::other("it is no regular file")));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Ok(Content::TooLarge(data.len().max(LARGEST_FILE + 1)));
    }
    Ok(Content::Bytes(Cow::Owned(bytes)))
}
