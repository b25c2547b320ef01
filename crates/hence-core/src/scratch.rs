//! A folder that nobody else reads, and that goes with the value.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty one among the temporary folders.
    ///
    /// # Errors
    /// As [`Scratch::within`].
    pub fn new(purpose: &str) -> io::Result<Self> {
        Self::within(&std::env::temp_dir(), purpose)
    }

    /// An empty one in a folder, whose name begins with `hence-` and its purpose. No other process has had the name, even one
    /// that was killed and whose number is given anew.
    ///
    /// # Errors
    /// It can't be made; the error names the path that it was to have.
    pub fn within(folder: &Path, purpose: &str) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let moment = std::time::UNIX_EPOCH.elapsed().map_err(io::Error::other)?.as_nanos();
        let folder = folder.join(format!("hence-{purpose}-{process}-{moment:x}-{number}"));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&folder) {
            Ok(()) => Ok(Self(folder)),
            Err(error) => {
                Err(io::Error::new(error.kind(), format!("can't make `{}`: {error}", folder.display())))
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What can't be removed is left to whoever cleans the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
