//! A folder for a copy that is gone with the process.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder of this process alone, removed when the value is.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hence-{}-{}-{number}", std::process::id(), since.as_nanos());
        let path = std::env::temp_dir().join(name);
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
    pub(super) fn copy(&self, from: &Path) -> io::Result<()> {
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
