//! The folders that scripts run in: each is locked by the process that made it, and those of processes that were killed
//! are removed.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Once;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::geteuid;
use tempfile::TempDir;

use super::PRELUDE;

/// How the names of such folders begin.
const PREFIX: &str = "hence-script-";
/// How often another one is made where somebody took the first for one that was left.
const TRIES: usize = 5;

/// A folder with a script in it, gone with this value.
pub(super) struct Folder {
    folder: TempDir,
    /// Locked for as long as the folder is there; dropped after it.
    _lock: File,
}

impl Folder {
    /// Lays a script out.
    pub(super) fn with(script: &str) -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&std::env::temp_dir()));
        let made = Self::new()?;
        fs::write(made.script(), script)?;
        fs::write(made.prelude(), PRELUDE)?;
        fs::create_dir(made.scratch())?;
        Ok(made)
    }

    fn new() -> io::Result<Self> {
        for _ in 0..TRIES {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
            // Before it was locked, it looked like one that was left.
            if let Some(lock) = locked(folder.path()).filter(|_| folder.path().is_dir()) {
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(io::Error::other("the folder of a script can't be locked"))
    }

    pub(super) fn script(&self) -> PathBuf {
        self.folder.path().join("script")
    }

    pub(super) fn prelude(&self) -> PathBuf {
        self.folder.path().join("prelude.py")
    }

    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }
}

/// Removes the folders that nobody holds the lock of any more.
fn sweep(temporary: &Path) {
    let Ok(entries) = fs::read_dir(temporary) else { return };
    let left = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in left.map(|entry| entry.path()) {
        let is_own = fs::symlink_metadata(&path).is_ok_and(|data| data.uid() == geteuid().as_raw());
        if let Some(_lock) = Some(&path).filter(|_| is_own).and_then(|path| locked(path)) {
            // What can't be removed is left for somebody who can.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// A folder, which is no link to one, locked; `None` where somebody else holds the lock.
fn locked(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).ok()?);
    file.try_lock().is_ok().then_some(file)
}
