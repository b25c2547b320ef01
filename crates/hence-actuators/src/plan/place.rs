//! A folder that nothing leaves: files are reached step by step, links are not followed, and a file is replaced whole.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, renameat, unlinkat,
};
use rustix::io::Errno;

/// Where journal, backups and changelog are, below the folder.
pub(super) const STATE: &str = ".hence-plan";
/// The file that becomes another one once it is whole.
const NEW: &str = "new";
/// The largest file that is read or written, in bytes.
pub(super) const LARGEST: u64 = 2 << 20;
/// How many names a path may have.
const DEEPEST: usize = 64;
/// What a new file may be used for.
const PLAIN: u32 = 0o644;

/// A file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Content {
    pub(in super::super) bytes: Vec<u8>,
    /// Its permissions.
    pub(super) mode: u32,
}

/// The folder, held open.
pub(in super::super) struct Root {
    pub(super) path: PathBuf,
    folder: OwnedFd,
}

/// What an entry of a folder is called, and whether it is a folder.
pub(super) type Entry = (String, bool);

impl Root {
    pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
        let folder = openat(CWD, path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { path: path.to_owned(), folder })
    }

    /// Whether something was ever noted here.
    pub(super) fn has_state(&self) -> bool {
        self.folder(&[STATE]).is_ok()
    }

    /// The folder of journal, backups and changelog.
    pub(super) fn state(&self) -> io::Result<OwnedFd> {
        self.made(&[STATE])
    }

    /// The same for a folder in it.
    pub(super) fn state_folder(&self, name: &str) -> io::Result<OwnedFd> {
        self.made(&[STATE, name])
    }

    /// A file; `None` where there is none.
    pub(in super::super) fn read(&self, path: &str) -> io::Result<Option<Content>> {
        let (folders, name) = split(path)?;
        match self.folder(&folders).and_then(|folder| read_at(&folder, name)) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is in a folder, by name; the empty path is the folder itself.
    pub(super) fn list(&self, path: &str, most: usize) -> io::Result<Vec<Entry>> {
        let names = if path.is_empty() || path == "." { Vec::new() } else { names(path)? };
        let folder = self.folder(&names)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." && name != STATE {
                entries.push((name, entry.file_type() == FileType::Directory));
            }
            if entries.len() > most {
                return Err(io::Error::other(format!("it has more than {most} entries")));
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// The folders that a file would need and that are not there, outermost first.
    pub(super) fn missing_folders(&self, path: &str) -> io::Result<Vec<String>> {
        let (folders, _) = split(path)?;
        let mut missing = Vec::new();
        for end in 1..=folders.len() {
            let names = folders.get(..end).unwrap_or_default();
            match self.folder(names) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(names.join("/")),
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }

    /// Puts a whole file in place of what is there, and makes the folders that it needs; a new one may be used as `mode`
    /// says, or as files are.
    pub(in super::super) fn replace(&self, path: &str, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let (folders, name) = split(path)?;
        let folder = self.made(&folders)?;
        put(&self.state()?, &folder, name, bytes, mode.unwrap_or(PLAIN))
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, path: &str) -> io::Result<()> {
        let (folders, name) = split(path)?;
        let folder = match self.folder(&folders) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folder => folder?,
        };
        match unlinkat(&folder, name, AtFlags::empty()) {
            Ok(()) => sync(folder),
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a folder that is empty.
    pub(super) fn remove_folder(&self, path: &str) -> io::Result<()> {
        let (folders, name) = split(path)?;
        let folder = match self.folder(&folders) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folder => folder?,
        };
        match unlinkat(&folder, name, AtFlags::REMOVEDIR) {
            Ok(()) => sync(folder),
            // Something else was put there meanwhile, which stays.
            Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn folder(&self, names: &[&str]) -> io::Result<OwnedFd> {
        let mut folder = self.folder.try_clone()?;
        for name in names {
            folder = enter(&folder, name)?;
        }
        Ok(folder)
    }

    /// The same; folders that are not there are made.
    fn made(&self, names: &[&str]) -> io::Result<OwnedFd> {
        let mut folder = self.folder.try_clone()?;
        for name in names {
            folder = match enter(&folder, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    mkdirat(&folder, *name, Mode::from_raw_mode(0o755))?;
                    sync(folder.try_clone()?)?;
                    enter(&folder, name)?
                }
                entered => entered?,
            };
        }
        Ok(folder)
    }
}

/// Writes a file beside the others of the state, and gives it its name in `folder` once it is on the disk.
pub(super) fn put(state: &OwnedFd, folder: &OwnedFd, name: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    match unlinkat(state, NEW, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(state, NEW, flags, Mode::from_raw_mode(0o600))?);
    file.write_all(bytes)?;
    fchmod(&file, Mode::from_raw_mode(mode))?;
    file.sync_all()?;
    renameat(state, NEW, folder, name)?;
    sync(folder.try_clone()?)?;
    sync(state.try_clone()?)
}

/// A regular file of a folder.
pub(super) fn read_at(folder: &OwnedFd, name: &str) -> io::Result<Content> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::empty()).map_err(|error| told(error, name))?;
    let found = fstat(&file)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(io::Error::other(format!("`{name}` is not a regular file")));
    }
    let mut bytes = Vec::new();
    File::from(file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("`{name}` has more than {LARGEST} bytes")));
    }
    Ok(Content { bytes, mode: found.st_mode & 0o777 })
}

fn enter(folder: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty()).map_err(|error| told(error, name))
}

fn told(error: Errno, name: &str) -> io::Error {
    match error {
        Errno::LOOP => io::Error::other(format!("`{name}` is a link, which is not followed")),
        Errno::NOTDIR => io::Error::other(format!("`{name}` is no folder, or a link, which is not followed")),
        error => error.into(),
    }
}

fn sync(folder: OwnedFd) -> io::Result<()> {
    File::from(folder).sync_all()
}

/// The folders of a path, and the name of its file.
fn split(path: &str) -> io::Result<(Vec<&str>, &str)> {
    let mut names = names(path)?;
    let name = names.pop().ok_or_else(|| wrong(path))?;
    Ok((names, name))
}

/// The names of a path that leads downwards, and not into what is hence's or git's own.
fn names(path: &str) -> io::Result<Vec<&str>> {
    let names: Vec<&str> = path.strip_prefix("./").unwrap_or(path).split('/').collect();
    let plain = |name: &&str| {
        !matches!(*name, "" | "." | ".." | STATE | ".git" | ".hence") && !name.contains(['\0', '\\'])
    };
    if names.len() > DEEPEST || !names.iter().all(plain) {
        return Err(wrong(path));
    }
    Ok(names)
}

fn wrong(path: &str) -> io::Error {
    io::Error::other(format!(
        "`{path}`: expected a path that leads downwards in the folder of the plan, and not into `.git`, `.hence` or `{STATE}`"
    ))
}
