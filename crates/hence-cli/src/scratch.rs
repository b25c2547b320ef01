//! A folder among the temporary ones that nobody else reads, and that goes with the value.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty one whose name begins with `hence-` and its purpose. No other process has had the name, even one that was killed and
    /// whose number is given anew.
    ///
    /// # Errors
    /// It can't be made; the error names the path that it was to have.
    pub(crate) fn new(purpose: &str) -> io::Result<Self> {
        let moment = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let folder = std::env::temp_dir().join(format!("hence-{purpose}-{}-{moment:x}", std::process::id()));
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
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What can't be removed is left to whoever cleans the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
