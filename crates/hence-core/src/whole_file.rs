//! Names under which files and folders are made until they are whole, so that what they replace stays until then.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::file::{folder, is_broken_link};

/// What stands between a name and the number of the process that makes what is to have it.
const BY: &str = ".hence-";

/// The name beside `path`, and hidden, under which this process makes what is to be called `path`. What processes that
/// are gone left under such names is removed. `None` where the path names nothing.
pub fn unfinished(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let mut beginning = OsString::from(".");
    beginning.push(name);
    beginning.push(BY);
    remove_leftovers(folder(path), &beginning);
    beginning.push(std::process::id().to_string());
    Some(path.with_file_name(beginning))
}

fn remove_leftovers(folder: &Path, beginning: &OsString) {
    let Ok(beside) = fs::read_dir(folder) else { return };
    for entry in beside.flatten() {
        let name = entry.file_name();
        let process = name.as_encoded_bytes().strip_prefix(beginning.as_encoded_bytes());
        let process = process.and_then(|number| str::from_utf8(number).ok()?.parse().ok());
        if process.is_some_and(is_gone) {
            // What can't be removed is in nobody's way.
            let path = entry.path();
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// Whether there is no such process but this one, which has left nothing yet.
#[cfg(unix)]
fn is_gone(process: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let found = i32::try_from(process).ok().and_then(Pid::from_raw).map(test_kill_process);
    process == std::process::id() || found == Some(Err(rustix::io::Errno::SRCH))
}

/// Nobody can tell here.
#[cfg(not(unix))]
fn is_gone(process: u32) -> bool {
    process == std::process::id()
}

/// Writes a file whole: what the path, or a link there, leads to keeps its permissions, and is as it was until then.
///
/// # Errors
/// It can't be written, or must not be.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_broken_link(path) {
        return Err(io::Error::new(ErrorKind::NotFound, "it is a broken link"));
    }
    // What links lead to is replaced, not the link.
    let target = match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        found => found?,
    };
    let whole = WholeFile::create(&target)?;
    whole.file()?.write_all(bytes)?;
    whole.finish()
}

/// A file that gets its name when it is whole: until then, what has that name stays as it is.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    new: PathBuf,
    path: PathBuf,
}

impl WholeFile {
    /// Begins the file that is to be called `path`, under the permissions of what is called so now.
    ///
    /// # Errors
    /// It can't be made beside `path`, or what is called so must not be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let new = unfinished(path).ok_or(ErrorKind::IsADirectory)?;
        let permissions = match fs::symlink_metadata(path) {
            Ok(found) if found.is_file() => {
                OpenOptions::new().write(true).open(path)?;
                Some(found.permissions())
            }
            _ => None,
        };
        let file = File::create_new(&new)?;
        let whole = Self { file, new, path: path.to_owned() };
        if let Some(permissions) = permissions {
            whole.file.set_permissions(permissions)?;
        }
        Ok(whole)
    }

    /// What is written to.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// It is not; then what had the name has it still.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.new, &self.path)?;
        File::open(folder(&self.path))?.sync_all()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // Gone already where it got its name.
        let _ = fs::remove_file(&self.new);
    }
}
