//! The journal of a step: what was there is on the disk before it changes, so whoever comes next undoes a step that did
//! not end.
//!
//! A step begins with its first write: the old content goes to `backups/`, under its hash, and `step.json` says which files
//! the step changes; then the file is replaced. It ends in one of two ways. Its changes are kept once `done/NAME.json` says
//! so, or they are undone. Then the changelog has a line for each write, and `step.json` is removed.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use serde_json::{Value as Json, json};

use super::place::{Content, LARGEST, Root, put, read_at};

const OPEN: &str = "step.json";
const BACKUPS: &str = "backups";
const DONE: &str = "done";
const CHANGELOG: &str = "changelog.jsonl";
const LOCK: &str = "lock";

/// A file that a step changes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    path: String,
    /// The name of its backup, which is the hash of its content; `None` where there was no file.
    before: Option<String>,
    mode: u32,
    /// The hash of what was written.
    after: String,
}

/// A step whose changes were kept.
pub(super) struct Done {
    /// The decision under whose id it was made.
    pub(super) id: String,
    /// What was answered.
    pub(super) lines: String,
    serial: String,
    files: Vec<Kept>,
}

/// A step at work. Without [`Journal::keep`] or [`Journal::undo`] it is undone by whoever comes next.
pub(super) struct Journal<'r> {
    root: &'r Root,
    id: String,
    /// What it is called, such as `step p 0`.
    name: String,
    /// The instant that the clock of the rules shows.
    at: String,
    /// What no other step has, be it of the same name and decision.
    serial: String,
    files: Vec<Kept>,
    /// The folders that it made.
    folders: Vec<String>,
}

/// Held by the one process that works in the folder.
pub(in super::super) struct Lock(#[expect(dead_code, reason = "the lock goes with it")] File);

/// Keeps other processes out; `None` where one is at work.
pub(in super::super) fn lock(root: &Root) -> io::Result<Option<Lock>> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(openat(root.state()?, LOCK, flags, Mode::from_raw_mode(0o644))?);
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Undoes a step that did not end; its name, if there was one.
pub(super) fn recover(root: &Root) -> io::Result<Option<String>> {
    let Some(open) = read(&root.state()?, OPEN)? else { return Ok(None) };
    let journal =
        Journal::of(root, &open).ok_or_else(|| io::Error::other(format!("`{OPEN}` can't be read")))?;
    let name = journal.name.clone();
    match done(root, &journal.name)?.filter(|done| done.serial == journal.serial) {
        Some(_) => journal.close("kept")?,
        None => journal.undo()?,
    }
    Ok(Some(name))
}

/// The last step of this name whose changes were kept.
pub(super) fn done(root: &Root, name: &str) -> io::Result<Option<Done>> {
    let Some(done) = read(&root.state_folder(DONE)?, &file_of(name))? else { return Ok(None) };
    let text = |key: &str| done.get(key).and_then(Json::as_str).map(str::to_owned);
    let read = || {
        Some(Done {
            id: text("id")?,
            lines: text("lines")?,
            serial: text("serial")?,
            files: files_of(&done)?,
        })
    };
    read().map(Some).ok_or_else(|| io::Error::other(format!("`{DONE}/{}` can't be read", file_of(name))))
}

impl Done {
    /// Whether every file is as the step left it.
    pub(super) fn stands(&self, root: &Root) -> io::Result<bool> {
        for kept in &self.files {
            let found = root.read(&kept.path)?;
            if found.is_none_or(|found| hash(&found.bytes) != kept.after) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts every file back as it was before the step, as a step of its own, which is forgotten afterwards.
    pub(super) fn undo(&self, root: &Root, name: &str, (id, at): (&str, &str)) -> io::Result<()> {
        let mut journal = Journal::begin(root, id, &format!("rollback of {name}"), at);
        for kept in self.files.iter().rev() {
            match &kept.before {
                Some(backup) => {
                    let bytes = read_at(&root.state_folder(BACKUPS)?, backup)?.bytes;
                    journal.write(&kept.path, &bytes, Some(kept.mode))?;
                }
                None => journal.remove(&kept.path)?,
            }
        }
        journal.keep("")?;
        remove(&root.state_folder(DONE)?, &file_of(name))
    }
}

impl<'r> Journal<'r> {
    pub(super) fn begin(root: &'r Root, id: &str, name: &str, at: &str) -> Self {
        let (id, name, at) = (id.to_owned(), name.to_owned(), at.to_owned());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let serial = format!("{}.{}", since.as_nanos(), std::process::id());
        Self { root, id, name, at, serial, files: Vec::new(), folders: Vec::new() }
    }

    /// Writes a file; how it was is kept first.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::other(format!("`{path}` would have more than {LARGEST} bytes")));
        }
        let found = self.note(path, hash(bytes))?;
        self.root.replace(path, bytes, mode.or(found.map(|found| found.mode)))
    }

    fn remove(&mut self, path: &str) -> io::Result<()> {
        self.note(path, String::new())?;
        self.root.remove(path)
    }

    /// Has the disk say how a file is and what it is to become; how it is.
    fn note(&mut self, path: &str, after: String) -> io::Result<Option<Content>> {
        let found = self.root.read(path)?;
        match self.files.iter_mut().find(|kept| kept.path == path) {
            Some(kept) => kept.after = after,
            None => {
                let before = found.as_ref().map(|found| self.back_up(&found.bytes)).transpose()?;
                let mode = found.as_ref().map_or(0, |found| found.mode);
                self.files.push(Kept { path: path.to_owned(), before, mode, after });
                self.folders.extend(self.root.missing_folders(path)?);
            }
        }
        let state = self.root.state()?;
        put(&state, &state, OPEN, self.json("").to_string().as_bytes(), 0o644)?;
        Ok(found)
    }

    fn back_up(&self, bytes: &[u8]) -> io::Result<String> {
        let (name, backups) = (hash(bytes), self.root.state_folder(BACKUPS)?);
        // A backup that is there but damaged would be found too late.
        if !read_at(&backups, &name).is_ok_and(|found| found.bytes == bytes) {
            put(&self.root.state()?, &backups, &name, bytes, 0o600)?;
        }
        Ok(name)
    }

    /// Keeps what was written, and what is answered for it.
    pub(super) fn keep(self, lines: &str) -> io::Result<()> {
        let done = self.json(lines).to_string();
        put(
            &self.root.state()?,
            &self.root.state_folder(DONE)?,
            &file_of(&self.name),
            done.as_bytes(),
            0o644,
        )?;
        self.close("kept")
    }

    /// Puts every file back as it was.
    pub(super) fn undo(self) -> io::Result<()> {
        for kept in self.files.iter().rev() {
            match &kept.before {
                Some(backup) => {
                    let bytes = read_at(&self.root.state_folder(BACKUPS)?, backup)?.bytes;
                    if hash(&bytes) != *backup {
                        return Err(io::Error::other(format!(
                            "the backup `{backup}` of `{}` is damaged",
                            kept.path
                        )));
                    }
                    self.root.replace(&kept.path, &bytes, Some(kept.mode))?;
                }
                None => self.root.remove(&kept.path)?,
            }
        }
        self.folders.iter().rev().try_for_each(|folder| self.root.remove_folder(folder))?;
        self.close("undone")
    }

    /// Tells the changelog how the step ended, unless it was told already, and ends it.
    fn close(self, end: &str) -> io::Result<()> {
        let state = self.root.state()?;
        if !self.files.is_empty() {
            append(&state, &self.lines(end))?;
        }
        remove(&state, OPEN)
    }

    fn lines(&self, end: &str) -> String {
        let line = |kept: &Kept| {
            let line = json!({
                "at": self.at, "decision": self.id, "step": self.name, "path": kept.path, "before": kept.before,
                "after": kept.after, "end": end,
            });
            format!("{line}\n")
        };
        self.files.iter().map(line).collect()
    }

    fn json(&self, lines: &str) -> Json {
        let files = self.files.iter().map(|kept| {
            json!({ "path": kept.path, "before": kept.before, "mode": kept.mode, "after": kept.after })
        });
        json!({
            "id": self.id, "name": self.name, "at": self.at, "serial": self.serial, "files": files.collect::<Vec<_>>(),
            "folders": self.folders, "lines": lines,
        })
    }

    fn of(root: &'r Root, json: &Json) -> Option<Self> {
        let text = |key: &str| json.get(key)?.as_str().map(str::to_owned);
        let folders =
            json.get("folders")?.as_array()?.iter().map(|folder| folder.as_str().map(str::to_owned));
        Some(Self {
            root,
            id: text("id")?,
            name: text("name")?,
            at: text("at")?,
            serial: text("serial")?,
            files: files_of(json)?,
            folders: folders.collect::<Option<_>>()?,
        })
    }
}

fn files_of(json: &Json) -> Option<Vec<Kept>> {
    let kept = |file: &Json| {
        Some(Kept {
            path: file.get("path")?.as_str()?.to_owned(),
            before: file.get("before")?.as_str().map(str::to_owned),
            mode: u32::try_from(file.get("mode")?.as_u64()?).ok()?,
            after: file.get("after")?.as_str()?.to_owned(),
        })
    };
    json.get("files")?.as_array()?.iter().map(kept).collect()
}

/// Adds lines, unless they are the last ones already.
fn append(state: &OwnedFd, lines: &str) -> io::Result<()> {
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(state, CHANGELOG, flags, Mode::from_raw_mode(0o644))?);
    let end = file.metadata()?.len();
    let begin = end.saturating_sub(lines.len() as u64 + 1);
    io::Seek::seek(&mut file, io::SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    (&file).take(lines.len() as u64 + 1).read_to_end(&mut bytes)?;
    let tail = String::from_utf8_lossy(&bytes);
    if tail.ends_with(lines) {
        return Ok(());
    }
    // What was left half-way is a line of its own.
    let gap = if tail.is_empty() || tail.ends_with('\n') { "" } else { "\n" };
    file.write_all(format!("{gap}{lines}").as_bytes())?;
    file.sync_all()
}

fn read(folder: &OwnedFd, name: &str) -> io::Result<Option<Json>> {
    match read_at(folder, name) {
        Ok(content) => serde_json::from_slice(&content.bytes).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove(folder: &OwnedFd, name: &str) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) => File::from(folder.try_clone()?).sync_all(),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn file_of(name: &str) -> String {
    format!("{}.json", hash(name.as_bytes()))
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().chars().take(32).collect()
}
