//! Files that people name: only regular ones are read or written, none is waited for, and no more is read than a limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use crate::diagnostic::nearest;

/// The largest text that is read as one: a rule file, a proof, a table.
pub const LARGEST_TEXT: u64 = 64 << 20;

/// How many names of a folder are looked at for one that was meant.
const NAMES: usize = 1 << 12;

/// Opens a regular file for reading. A pipe, a device or a socket is an error at once, whoever is at its other end.
///
/// # Errors
/// What the system says, and what the path leads to if it is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true), "read")
}

/// Opens a regular file to be written from its beginning, a new one where there is none.
///
/// # Errors
/// As [`open`].
pub fn create(path: &Path) -> io::Result<File> {
    let file = regular(path, OpenOptions::new().write(true).create(true).truncate(false), "written");
    // A missing file is made, so it is the folder that is not there.
    let file = file.map_err(|error| match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, "its folder does not exist"),
        _ => error,
    })?;
    file.set_len(0)?;
    Ok(file)
}

/// Opens a pipe that somebody reads, or a device, for writing: what takes a result as it comes.
///
/// # Errors
/// What the system says; a pipe that nobody reads is not waited for.
#[cfg(unix)]
pub fn stream(path: &Path) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let mut options = OpenOptions::new();
    options.write(true);
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    let file = options.open(path).map_err(|error| match rustix::io::Errno::from_io_error(&error) {
        Some(rustix::io::Errno::NXIO) => {
            io::Error::new(ErrorKind::Unsupported, "nobody reads what it leads to")
        }
        _ => error,
    })?;
    // Only opening it is not waited for.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Opens a device for writing.
///
/// # Errors
/// What the system says.
#[cfg(not(unix))]
pub fn stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Opens a regular file to be read and to be added to at its end, a new one where there is none.
///
/// # Errors
/// As [`open`].
pub fn append(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true).append(true).create(true), "written")
}

/// Writes a regular file.
///
/// # Errors
/// As [`create`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create(path)?.write_all(bytes)
}

fn regular(path: &Path, options: &mut OpenOptions, done: &str) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    // A socket can't be opened at all, nor can a pipe be for writing that nobody reads.
    let file = options.open(path).map_err(|error| match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => irregular(&found, done),
        _ => error,
    })?;
    let found = file.metadata()?;
    if found.is_file() { Ok(file) } else { Err(irregular(&found, done)) }
}

/// The bytes of a regular file.
///
/// # Errors
/// As [`open`]; [`ErrorKind::FileTooLarge`] if there are more than `limit`.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.len() > limit {
        return Err(too_large(limit));
    }
    rest(file, limit)
}

/// The text of a regular file.
///
/// # Errors
/// As [`read`]; [`ErrorKind::InvalidData`] if it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read(path, limit)?)
}

/// What is left of a stream, such as standard input.
///
/// # Errors
/// As [`read`].
pub fn rest(stream: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

/// What the system said, in the words of this program where it has some.
pub fn said(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if error.get_ref().is_none() => String::from("there is no such file"),
        ErrorKind::PermissionDenied => String::from("permission denied"),
        ErrorKind::IsADirectory => String::from("it is a folder"),
        ErrorKind::NotADirectory => String::from("a part of its path is a file"),
        _ => error.to_string(),
    }
}

/// Which path can't be read and why, with the nearest one where there is nothing of its name.
pub fn unread(path: &Path, error: &io::Error) -> String {
    let why = match near(path).filter(|_| error.kind() == ErrorKind::NotFound) {
        _ if is_broken_link(path) => String::from("it is a broken link"),
        Some(near) => format!("{}; did you mean `{}`?", said(error), near.display()),
        None => said(error),
    };
    format!("`{}` can't be read: {why}", path.display())
}

/// Which path can't be written and why, with the folder that is missing.
pub fn unwritten(path: &Path, error: &io::Error) -> String {
    let missing =
        folder(path).ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists());
    let why = match missing.last().filter(|_| error.kind() == ErrorKind::NotFound) {
        Some(missing) => format!("there is no folder `{}`", missing.display()),
        None => said(error),
    };
    format!("`{}` can't be written: {why}", path.display())
}

/// Whether there is a link that leads to nothing.
pub fn is_broken_link(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

/// The folder that `path` is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path in the same folder that was probably meant by one that leads to nothing: of the same name with another ending,
/// else the nearest of the same ending.
pub fn near(path: &Path) -> Option<PathBuf> {
    let beside = std::fs::read_dir(folder(path)).ok()?.take(NAMES).flatten();
    let mut beside: Vec<PathBuf> = beside.map(|entry| path.with_file_name(entry.file_name())).collect();
    beside.sort();
    let same_name = beside.iter().find(|other| other.file_stem() == path.file_stem());
    let same_ending = beside.iter().filter(|other| other.extension() == path.extension());
    let stems = same_ending.filter_map(|other| other.file_stem()?.to_str());
    let found = same_name.cloned().or_else(|| {
        let stem = nearest(path.file_stem()?.to_str()?, stems)?;
        let mut name = std::ffi::OsString::from(stem);
        path.extension().into_iter().for_each(|ending| name.extend([".".as_ref(), ending]));
        Some(path.with_file_name(name))
    });
    found.filter(|found| found.exists())
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

fn too_large(limit: u64) -> io::Error {
    let message = match limit >> 20 {
        0 => format!("it is larger than {limit} bytes"),
        mib => format!("it is larger than {mib} MiB"),
    };
    io::Error::new(ErrorKind::FileTooLarge, message)
}

/// What a path leads to that is not a regular file.
fn irregular(found: &Metadata, done: &str) -> io::Error {
    if found.is_dir() {
        return ErrorKind::IsADirectory.into();
    }
    io::Error::new(ErrorKind::Unsupported, format!("it is {}; only regular files are {done}", kind(found)))
}

#[cfg(unix)]
fn kind(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "not a regular file"
}
