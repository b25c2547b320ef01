//! The files of a repository that may be looked at: inside the root, not ignored, no secrets.

use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, Walk, WalkBuilder};

use super::language::Language;
use super::paths;
use crate::Summary;
use crate::error::ActuatorError;
use hence_core::meter;

/// A file found.
pub(super) struct Found {
    /// Where it is on disk.
    pub(super) location: PathBuf,
    /// Its path below the root.
    pub(super) path: String,
}

/// Beginnings of names of files that hold secrets.
const SECRET_NAMES: [&str; 6] = [".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".npmrc"];
/// Endings of names of files that hold keys.
const KEY_ENDINGS: [&str; 11] =
    ["pem", "key", "p8", "p12", "pfx", "jks", "keystore", "asc", "gpg", "ppk", "der"];

/// Why something is left out that its folder had.
pub(super) const GONE: &str = "deleted before it was read";
/// Why something is left out that is called like source code.
const NO_FILE: &str = "a link, a pipe or a device";
/// Why a folder is left out whose path no system call takes.
const TOO_DEEP: &str = "nested too deeply";
/// How many characters of a path an error shows.
const SHOWN: usize = 200;

/// The files below `root`, by path. No link is followed; what git ignores (also where there is no `.git`) and what may
/// hold a secret is passed over.
///
/// # Errors
/// A folder that can't be read, and a limit.
pub(super) fn walk(root: &Path, summary: &mut Summary) -> Result<Vec<Found>, ActuatorError> {
    let mut files = Vec::new();
    for entry in walker(root) {
        meter::check("looking for source files")?;
        match entry {
            Err(error) => {
                let shown: String = error.to_string().chars().take(SHOWN).collect();
                match error.io_error().map(io::Error::kind) {
                    Some(io::ErrorKind::NotFound) => summary.leave_out(GONE, &shown),
                    Some(io::ErrorKind::InvalidFilename) => summary.leave_out(TOO_DEEP, &shown),
                    _ => {
                        let source = io::Error::other(shown);
                        return Err(ActuatorError::Read { input: root.display().to_string(), source });
                    }
                }
            }
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                let path = paths::relative(root, entry.path());
                files.push(Found { location: entry.into_path(), path });
            }
            Ok(entry) => {
                let path = paths::relative(root, entry.path());
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if !is_folder && Language::of(&path).is_some() {
                    summary.leave_out(NO_FILE, &path);
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The folders below `root` that may be looked into, `root` among them; what can't be read is passed over.
///
/// # Errors
/// A limit.
pub(super) fn folders(root: &Path) -> Result<Vec<PathBuf>, ActuatorError> {
    let mut folders = Vec::new();
    for entry in walker(root) {
        meter::check("looking for folders")?;
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            folders.push(entry.into_path());
        }
    }
    Ok(folders)
}

fn walker(root: &Path) -> Walk {
    WalkBuilder::new(root)
        .follow_links(false)
        .hidden(false)
        .ignore(false)
        .require_git(false)
        .filter_entry(allowed)
        .build()
}

fn allowed(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if entry.depth() == 0 || folder {
        return name != ".git";
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    !SECRET_NAMES.iter().any(|secret| name.starts_with(secret)) && !KEY_ENDINGS.contains(&ending.as_str())
}
