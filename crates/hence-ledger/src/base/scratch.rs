//! A folder for a copy that is gone with the process.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";

/// A folder of this process alone, removed when the value is.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A copy of the files of a folder, in memory if they take no more than `small` bytes: whoever opens the copy makes it
    /// durable, which takes a disk longer than all the rest. `None` where no folder can be made.
    pub(super) fn copy_of(from: &Path, small: u64) -> io::Result<Option<Self>> {
        if cfg!(target_os = "linux")
            && size(from)? <= small
            && let Ok(scratch) = Self::new(Path::new(MEMORY))
            && scratch.copy(from).is_ok()
        {
            return Ok(Some(scratch));
        }
        let Ok(scratch) = Self::new(&std::env::temp_dir()) else { return Ok(None) };
        scratch.copy(from).map(|()| Some(scratch))
    }

    fn new(folder: &Path) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hence-{}-{}-{number}", std::process::id(), since.as_nanos());
        let path = folder.join(name);
        let mut builder = DirBuilder::new();
        // What a ledger holds is nobody else's to read.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Copies the files of a folder, not those of folders in it.
    fn copy(&self, from: &Path) -> io::Result<()> {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                // Without what is allowed on the original, which may be reading only.
                let to = File::create_new(self.0.join(entry.file_name()));
                io::copy(&mut File::open(entry.path())?, &mut to?)?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left behind, it takes room in the folder for temporary files, and nothing else.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How many bytes the files of a folder take, without those that go away meanwhile.
pub(super) fn size(folder: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let file = unless_gone(entry?.metadata())?.filter(fs::Metadata::is_file);
        size += file.map_or(0, |file| file.len());
    }
    Ok(size)
}

/// What was found of a file that was listed; `None` where it is gone: sled renames and removes files on threads of its own.
pub(super) fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}
