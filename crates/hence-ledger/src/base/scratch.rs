//! A folder for a copy that is gone with the process.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use hence_core::scratch::Scratch;

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";
/// What the folder is for.
const PURPOSE: &str = "base";

/// A copy of the files of a folder, in memory if they take no more than `small` bytes: whoever opens the copy makes it
/// durable, which takes a disk longer than all the rest. `None` where no folder can be made.
pub(super) fn copy_of(from: &Path, small: u64) -> io::Result<Option<Scratch>> {
    if cfg!(target_os = "linux")
        && size(from)? <= small
        && let Ok(scratch) = Scratch::within(Path::new(MEMORY), PURPOSE)
        && copy(from, scratch.path()).is_ok()
    {
        return Ok(Some(scratch));
    }
    let Ok(scratch) = Scratch::new(PURPOSE) else { return Ok(None) };
    copy(from, scratch.path()).map(|()| Some(scratch))
}

/// Copies the files of a folder, not those of folders in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            // Without what is allowed on the original, which may be reading only.
            let to = File::create_new(to.join(entry.file_name()));
            io::copy(&mut File::open(entry.path())?, &mut to?)?;
        }
    }
    Ok(())
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
