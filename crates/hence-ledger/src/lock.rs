//! The lock of a ledger: one process writes, whoever comes next learns which, and how it left the ledger.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::error::LedgerError;
use super::hash::Hash;
use super::journal::End;

/// How long to sleep between two tries for a lock that somebody else holds.
const PAUSE: Duration = Duration::from_millis(20);
/// The most that is read of the file.
const LONGEST: u64 = 1 << 16;
/// The most characters of a command that are kept.
const COMMAND: usize = 500;
/// How often a file that says nothing is read again, since somebody may be writing it.
const TRIES: u32 = 3;

/// What is wrong with a file that isn't there, or that a process which wrote it was killed too early for.
const MISSING: &str = "is missing or empty";
/// What is wrong with a file that says something else than anybody wrote.
const DAMAGED: &str = "is damaged";

/// How the last process that had the ledger for writing left its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Closed {
    /// It still runs, was killed, or that is unknown: an unfinished write may lie at the end.
    #[default]
    No,
    /// In good order; a version that didn't say where.
    Somewhere,
    /// In good order, with this transaction last.
    At(End),
}

/// What the file says of who holds, or last held, the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holder {
    process: String,
    command: String,
    /// When the lock was taken, in nanoseconds: with it no two holders write the same.
    taken: String,
    pub(crate) closed: Closed,
    /// What the journal ended with when it was closed last: it reaches there whatever happened since.
    pub(crate) reached: Option<End>,
    /// What the base holds that this holder brought to an end too.
    pub(crate) base: Option<End>,
    /// What is wrong with the file, so that it says nothing of all this.
    pub(crate) fault: Option<&'static str>,
}

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    holder: Holder,
    /// Who held it before.
    before: Holder,
}

impl Lock {
    /// Takes the lock in the file at `path`, waiting for it for at most `wait`.
    pub(crate) fn take(path: &Path, command: &str, wait: Duration) -> Result<Self, LedgerError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = open(path, &mut options).map_err(LedgerError::io("open", path))?;
        let end = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(in_use(&Holder::read(&mut file).map_err(LedgerError::io("read", path))?));
                }
                Err(TryLockError::Error(error)) => return Err(LedgerError::io("lock", path)(error)),
            }
        }
        let before = Holder::read(&mut file).map_err(LedgerError::io("read", path))?;
        let holder = Holder {
            process: std::process::id().to_string(),
            command: command.lines().take(1).flat_map(str::chars).take(COMMAND).collect(),
            taken: now(),
            reached: before.known(),
            ..Holder::default()
        };
        // Durable, since an older `closed` that survived a power cut would hide that the base must be checked.
        holder.write(&mut file).and_then(|()| file.sync_data()).map_err(LedgerError::io("write", path))?;
        Ok(Self { file, holder, before })
    }

    /// How the one who held it before left the ledger.
    pub(crate) fn before(&self) -> &Holder {
        &self.before
    }

    /// Takes down what the journal ends with, and the base where that was closed too.
    pub(crate) fn close(&mut self, journal: End, base: Option<End>) {
        self.holder.closed = Closed::At(journal);
        self.holder.reached = None;
        self.holder.base = base;
        // Without it the next opening checks more, and answers the same.
        let _ = self.holder.write(&mut self.file);
    }

    /// Forgets what the journal ended with before, since another one takes its place.
    pub(crate) fn forget(&mut self) -> Result<(), LedgerError> {
        self.holder.reached = None;
        self.before = self.holder.clone();
        let written = self.holder.write(&mut self.file).and_then(|()| self.file.sync_data());
        written.map_err(LedgerError::io("write", "the lock".as_ref()))
    }

    /// Takes down what the one before left, but for the base: nothing became of the ledger.
    pub(crate) fn give_back(&mut self) {
        if self.before.fault.is_some() {
            // What said nothing before says nothing again.
            let _ = self.file.set_len(0);
            return;
        }
        let before = Holder { taken: now(), base: None, ..self.before.clone() };
        // Without it less is known of the journal's end, and what is cut off there is kept.
        let _ = before.write(&mut self.file);
    }
}

impl Drop for Lock {
    /// Lets go even where a child process that is just being started has the file open too.
    fn drop(&mut self) {
        // The system lets go when the file is closed.
        let _ = self.file.unlock();
    }
}

/// Opens the file, unless it is a link, a pipe or a device: who prepared the folder has no say in what is
/// written elsewhere, or waited for.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

fn in_use(holder: &Holder) -> LedgerError {
    let known = |text: &str| if text.is_empty() { String::from("?") } else { text.to_owned() };
    LedgerError::InUse { process: known(&holder.process), command: known(&holder.command) }
}

impl Holder {
    /// What the file at `path` says, without taking the lock; nothing where there is none.
    pub(crate) fn of(path: &Path) -> Result<Self, LedgerError> {
        match open(path, OpenOptions::new().read(true)) {
            Ok(mut file) => Self::read(&mut file).map_err(LedgerError::io("read", path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::faulty(MISSING)),
            Err(error) => Err(LedgerError::io("open", path)(error)),
        }
    }

    /// The same, read again where somebody may just be writing it.
    pub(crate) fn settled(path: &Path) -> Result<Self, LedgerError> {
        let mut left = Self::of(path)?;
        for _ in 0..TRIES {
            if left.fault.is_none() || !path.exists() {
                break;
            }
            thread::sleep(PAUSE);
            left = Self::of(path)?;
        }
        Ok(left)
    }

    fn faulty(fault: &'static str) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// What the journal is known to have ended with once.
    pub(crate) fn known(&self) -> Option<End> {
        match self.closed {
            Closed::At(end) => Some(end),
            Closed::No | Closed::Somewhere => self.reached,
        }
    }

    /// Whoever ends in good order with these.
    pub(crate) fn ended(journal: End) -> Self {
        let process = std::process::id().to_string();
        let command = String::from("hence backup");
        let closed = Closed::At(journal);
        Self { process, command, taken: now(), closed, ..Self::default() }
    }

    fn read(file: &mut File) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.take(LONGEST).read_to_end(&mut bytes)?;
        Ok(Self::parse(&bytes).unwrap_or_else(Self::faulty))
    }

    fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.is_empty() {
            return Err(MISSING);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| DAMAGED)?;
        let text = text.strip_suffix('\n').ok_or(DAMAGED)?.trim_end_matches('\n');
        let mut holder = Self::default();
        text.split('\n').try_for_each(|line| holder.take_in(line)).ok_or(DAMAGED)?;
        if holder.process.is_empty() { Err(DAMAGED) } else { Ok(holder) }
    }

    /// Takes in a line; `None` where it is not one that any version writes.
    fn take_in(&mut self, line: &str) -> Option<()> {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "process" => self.process = value.to_owned(),
            "command" => self.command = value.to_owned(),
            "taken" => self.taken = value.to_owned(),
            // The system's start, as earlier versions wrote it.
            "boot" => {}
            "closed" if value.is_empty() => self.closed = Closed::Somewhere,
            "closed" => self.closed = Closed::At(end(value)?),
            "reached" => self.reached = Some(end(value)?),
            "base" => self.base = Some(end(value)?),
            _ => return None,
        }
        Some(())
    }

    pub(crate) fn write(&self, file: &mut File) -> io::Result<()> {
        let Self { process, command, taken, closed, reached, base, fault: _ } = self;
        let mut text = format!("process {process}\ncommand {command}\ntaken {taken}\n");
        match closed {
            Closed::No => {}
            Closed::Somewhere => text.push_str("closed\n"),
            Closed::At(End { tx, head }) => text.push_str(&format!("closed {tx} {head}\n")),
        }
        for (name, end) in [("reached", reached), ("base", base)] {
            if let Some(End { tx, head }) = end {
                text.push_str(&format!("{name} {tx} {head}\n"));
            }
        }
        // In one go over what is there, so that whoever is killed meanwhile leaves a file that can be read.
        let before = file.metadata()?.len().min(LONGEST);
        let len = text.len() as u64;
        text.extend((len..before).map(|_| '\n'));
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.set_len(len)
    }
}

/// A transaction and its hash, as [`Holder::write`] writes them.
fn end(text: &str) -> Option<End> {
    let (tx, head) = text.split_once(' ')?;
    Some(End { tx: tx.parse().ok()?, head: Hash::parse(head)? })
}

fn now() -> String {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos().to_string(),
        Err(before) => format!("-{}", before.duration().as_nanos()),
    }
}
