//! The lock of a ledger: one process writes, and whoever comes next learns which.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::error::LedgerError;

/// How long to sleep between two tries for a lock that somebody else holds.
const PAUSE: Duration = Duration::from_millis(20);

/// What the file says of who holds, or last held, the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holder {
    process: String,
    command: String,
    /// The system's start, so that a power cut since then can be told.
    boot: String,
    /// Whether the holder closed the ledger before it ended.
    closed: bool,
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
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(LedgerError::io("open", path))?;
        let end = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(in_use(&Holder::read(&mut file))),
                Err(TryLockError::Error(error)) => return Err(LedgerError::io("lock", path)(error)),
            }
        }
        let before = Holder::read(&mut file);
        let holder = Holder {
            process: std::process::id().to_string(),
            command: command.lines().next().unwrap_or_default().to_owned(),
            boot: boot(),
            closed: false,
        };
        // Durable, since an older `closed` that survived a power cut would hide that the base must be checked.
        holder.write(&mut file).and_then(|()| file.sync_data()).map_err(LedgerError::io("write", path))?;
        Ok(Self { file, holder, before })
    }

    /// Whether the system may have gone down since the ledger was last closed: then the base, which isn't made
    /// durable as it grows, may have holes.
    pub(crate) fn is_after_power_cut(&self) -> bool {
        !self.before.process.is_empty() && !self.before.closed && self.before.boot != self.holder.boot
    }

    /// Takes down that the ledger was closed.
    pub(crate) fn close(&mut self) {
        self.holder.closed = true;
        // Only saves a check at the next opening.
        let _ = self.holder.write(&mut self.file);
    }
}

impl Drop for Lock {
    /// Lets go even where a child process that is just being started has the file open too.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn in_use(holder: &Holder) -> LedgerError {
    let known = |text: &str| if text.is_empty() { String::from("?") } else { text.to_owned() };
    LedgerError::InUse { process: known(&holder.process), command: known(&holder.command) }
}

impl Holder {
    fn read(file: &mut File) -> Self {
        let mut text = String::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(1 << 16).read_to_string(&mut text));
        if read.is_err() {
            return Self::default();
        }
        let field = |name: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            found.unwrap_or_default().to_owned()
        };
        Self {
            process: field("process"),
            command: field("command"),
            boot: field("boot"),
            closed: text.lines().any(|line| line == "closed"),
        }
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        let closed = if self.closed { "closed\n" } else { "" };
        let text =
            format!("process {}\ncommand {}\nboot {}\n{closed}", self.process, self.command, self.boot);
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())
    }
}

/// Tells one start of the system from another where the system tells.
fn boot() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}
