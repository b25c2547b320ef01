//! Opening a ledger for writing: lock, format, journal, base; and closing it.

use std::any::Any;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hence_core::meter;

use hence_core::file::{self, LARGEST_TEXT};
use tracing::field::Empty;
use tracing::{Span, debug_span, warn};

use super::base::{self, Base, MemoryBase};
use super::disk::{Disk, MemoryDisk, OsDisk};
use super::error::LedgerError;
use super::error::Notice;
use super::journal::{Journal, SNAPSHOT, SUFFIX, number};
use super::lock::{Holder, Lock};
use super::personal::Vault;
use super::principals::{Keys, Verdicts};
use super::progress::Watcher;
use super::redact::Redaction;
use super::shard::Shard;
use super::state::State;
use super::view::View;
use super::{Based, Ledger};

/// What the file `FORMAT` of a ledger says.
const FORMAT: &str = "hence ledger 1";
/// The file that says so.
pub(super) const FORMAT_FILE: &str = "FORMAT";
/// The folder of the base.
pub(super) const BASE: &str = "base";
/// The file of the base's table.
pub(super) const TABLE: &str = "base.table";
/// The folder of the journal.
pub(super) const JOURNAL: &str = "journal";
/// The file of the keys of personal values.
pub(super) const KEYS: &str = "personal.keys";
/// The file of the lock.
pub(super) const LOCK: &str = "LOCK";

/// How to open a ledger.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Take no lock, write nothing, and answer from the journal alone.
    pub read_only: bool,
    /// How long to wait for another process to finish.
    pub wait: Duration,
    /// What this process runs, shown to others that find the ledger in use.
    pub command: String,
    /// Read up to this transaction only, whatever follows; implies `read_only`.
    pub up_to: Option<u64>,
    /// Write the base again from the journal.
    pub rebuild: bool,
    /// This process had it open before, so that only what was recorded since is checked.
    pub reopens: bool,
    /// Bytes after which a new segment of the journal begins.
    pub segment_limit: u64,
    /// How many bytes of zeros a process that writes much makes durable ahead of its records, to sync faster.
    pub ahead: usize,
    /// About how many bytes of changes a record holds; a larger transaction takes several.
    pub part_limit: usize,
    /// Bytes of changes that may wait to be written to the base.
    pub backlog_limit: usize,
    /// Whether that is done by another thread while more is recorded, as long as not several times as much waits.
    pub behind: bool,
    /// How many bytes questions may have to copy of the base, or to read of the journal beyond its table (or an eighth of the
    /// table's size, if that is more), before closing the ledger writes that table.
    pub table_limit: u64,
    /// So many assertions of one relation in a transaction don't wait, but are written to the base at once.
    pub bulk: usize,
    /// What receives the progress of long work.
    pub watcher: Watcher,
    /// What must not be recorded.
    pub redaction: Redaction,
    /// The keys that sign for principals.
    pub keys: Option<Arc<dyn Keys>>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            wait: Duration::ZERO,
            command: String::from("hence"),
            up_to: None,
            rebuild: false,
            reopens: false,
            segment_limit: 16 << 20,
            ahead: 256 << 10,
            part_limit: 1 << 20,
            backlog_limit: 16 << 20,
            behind: false,
            table_limit: 4 << 20,
            bulk: 20_000,
            watcher: Watcher::default(),
            redaction: Redaction::default(),
            keys: None,
        }
    }
}

impl Ledger {
    /// Opens the ledger in `dir`; for writing, begins one if there is none.
    ///
    /// # Errors
    /// If another process has it, its journal is damaged, or a file can't be read or written. A damaged base is no
    /// error: it is rebuilt, and [`Ledger::take_notices`] says so.
    pub fn open(dir: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, LedgerError> {
        meter::enter("opening the ledger");
        let dir = dir.as_ref();
        let span = debug_span!("open_ledger", dir = %dir.display(), transactions = Empty, facts = Empty);
        let _entered = span.enter();
        let opened = Self::open_dir(dir, options);
        if let Ok(ledger) = &opened {
            ledger.trace_opened(&span);
        }
        opened
    }

    /// Records in the span of an opening what was found.
    pub(super) fn trace_opened(&self, span: &Span) {
        span.record("transactions", self.state.tx);
        span.record("facts", self.state.facts);
        self.notices.iter().for_each(|notice| warn!(%notice, "recovered"));
    }

    fn open_dir(dir: &Path, options: &OpenOptions) -> Result<Self, LedgerError> {
        if options.read_only || options.up_to.is_some() {
            return Self::open_journal(dir, options);
        }
        fs::create_dir_all(dir).map_err(LedgerError::io("create", dir))?;
        let mut lock = Lock::take(&dir.join(LOCK), &options.redaction.text(&options.command), options.wait)?;
        match Self::open_locked(dir, options, lock.before().clone()) {
            Ok(mut ledger) => {
                ledger.lock = Some(lock);
                ledger.tell_of_lock();
                Ok(ledger)
            }
            Err(error) => {
                lock.give_back();
                Err(error)
            }
        }
    }

    pub(super) fn open_locked(dir: &Path, options: &OpenOptions, left: Holder) -> Result<Self, LedgerError> {
        check_format(dir, true)?;
        let journal_dir = dir.join(JOURNAL);
        fs::create_dir_all(&journal_dir).map_err(LedgerError::io("create", &journal_dir))?;
        OsDisk.sync_dir(dir).map_err(LedgerError::io("make durable", dir))?;
        let journal = Journal::open(Arc::new(OsDisk), &journal_dir, options)?;
        let mut ledger = Self::new(journal, left, options);
        ledger.set_dir(dir)?;
        let base_dir = dir.join(BASE);
        let existed = base_dir.exists();
        let base = base::open(&base_dir);
        ledger.start(base, &mut Fresh::Sled { dir: base_dir, aside: None }, options, existed)?;
        ledger.refuse_other_journal()?;
        // One that was recorded and not carried out, since the process ended in between.
        ledger.destroy_erased()?;
        Ok(ledger)
    }

    /// Reports a lock that said nothing of what was recorded before; now it does.
    fn tell_of_lock(&mut self) {
        if let Some(fault) = self.left.fault.take().filter(|_| self.state.tx > 0) {
            self.notices.push(Notice::LockRewritten { path: self.lock_path(), fault });
        }
    }

    /// The file of the lock.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.dir.as_deref().map_or_else(|| PathBuf::from(LOCK), |dir| dir.join(LOCK))
    }

    /// Who writes to another journal than the one that was closed, or copies it, would take away what shows that it is
    /// another.
    pub(super) fn refuse_other_journal(&mut self) -> Result<(), LedgerError> {
        let other = |notice: &Notice| matches!(notice, Notice::OtherJournal { .. });
        let Some(notice) = self.notices.iter().find(|notice| other(notice)) else { return Ok(()) };
        let what = notice.to_string();
        self.writable = false;
        Err(LedgerError::NotAsLeft { path: self.lock_path(), what })
    }

    /// A ledger that is gone with the process.
    ///
    /// # Errors
    /// None in practice.
    pub fn memory() -> Result<Self, LedgerError> {
        Self::memory_with(&OpenOptions::default())
    }

    /// A ledger that is gone with the process, opened like any other.
    ///
    /// # Errors
    /// None in practice.
    pub fn memory_with(options: &OpenOptions) -> Result<Self, LedgerError> {
        Self::on(Arc::new(MemoryDisk::default()), Box::new(MemoryBase::default()), options)
    }

    /// A ledger over any journal medium and any base, without a lock; for tests.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn on(disk: Arc<dyn Disk>, base: Box<dyn Base>, options: &OpenOptions) -> Result<Self, LedgerError> {
        let dir = Path::new(JOURNAL);
        disk.create_dir(dir).map_err(LedgerError::io("create", dir))?;
        let journal = Journal::open(disk, dir, options)?;
        let mut ledger = Self::new(journal, Holder::default(), options);
        if options.read_only || options.up_to.is_some() {
            ledger.read(options.up_to)?;
        } else {
            ledger.start(Ok(base), &mut Fresh::Memory, options, true)?;
        }
        Ok(ledger)
    }

    pub(super) fn new(journal: Journal, left: Holder, options: &OpenOptions) -> Self {
        Self {
            journal,
            view: View::new(Box::new(MemoryBase::default())),
            state: State::default(),
            base_tx: 0,
            backlog_limit: options.backlog_limit,
            behind: options.behind,
            part_limit: options.part_limit,
            table_limit: options.table_limit,
            bulk: options.bulk,
            watcher: options.watcher.clone(),
            redaction: options.redaction.clone(),
            vault: Vault::default(),
            keys: options.keys.clone(),
            verdicts: Verdicts::default(),
            writable: false,
            reopens: options.reopens,
            torn: false,
            notices: Vec::new(),
            snapshot: None,
            dir: None,
            shard: None,
            left,
            based: Based::Journal,
            lock: None,
            turn: None,
        }
    }

    /// The ledger lies there.
    pub(super) fn set_dir(&mut self, dir: &Path) -> Result<(), LedgerError> {
        self.dir = Some(dir.to_owned());
        self.vault.path = Some(dir.join(KEYS));
        self.shard = Shard::read(dir)?;
        Ok(())
    }

    /// Keeps `turn` until the ledger is closed and its lock free.
    #[must_use]
    pub fn with_turn(mut self, turn: impl Any + Send + Sync) -> Self {
        self.turn = Some(Box::new(turn));
        self
    }

    /// What to report to the user since the last call.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Brings the base up to the journal and ends all work; dropping the ledger does the same silently.
    pub fn close(mut self) -> Vec<Notice> {
        self.end();
        self.take_notices()
    }

    fn end(&mut self) {
        if !std::mem::take(&mut self.writable) {
            return;
        }
        let in_order = self.journal.finish() && !self.torn;
        let flushed = if self.torn { Err(self.torn()) } else { self.flush() };
        if flushed.is_ok() {
            self.keep_table();
        }
        let ended = flushed.and_then(|()| Ok(self.view.close_base()?));
        let last = self.state.last();
        if let (true, Some(lock)) = (in_order, &mut self.lock) {
            lock.close(last, (base::KEPT && ended.is_ok()).then_some(last));
        }
        if let Err(error) = ended {
            let why = match error {
                LedgerError::Base(why) | LedgerError::Medium(why) => why,
                error => error.to_string(),
            };
            self.notices.push(Notice::BaseBehind { why });
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.end();
    }
}

/// Checks the file `FORMAT`, or writes it where a ledger begins: it is durable before the journal has a first segment, so
/// one that isn't there beside a segment was lost.
pub(super) fn check_format(dir: &Path, write: bool) -> Result<(), LedgerError> {
    let path = dir.join(FORMAT_FILE);
    match file::read_text(&path, LARGEST_TEXT) {
        Ok(text) if text.trim_end() == FORMAT => return Ok(()),
        // A power cut may leave the name without the content.
        Ok(text) if text.is_empty() => {}
        Ok(text) => {
            let found = text.lines().take(1).flat_map(str::chars).take(60).collect();
            return Err(LedgerError::Format { path, found, known: FORMAT });
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(LedgerError::io("read", &path)(error)),
    }
    if has_begun(dir)? {
        return Err(LedgerError::NoFormat { path, known: FORMAT });
    }
    if write { write_format(dir, &path) } else { Ok(()) }
}

/// Whether the journal has a segment or a snapshot.
fn has_begun(dir: &Path) -> Result<bool, LedgerError> {
    let path = dir.join(JOURNAL);
    let names = match OsDisk.list(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        names => names.map_err(LedgerError::io("list", &path))?,
    };
    Ok(names.iter().any(|name| number(name, SUFFIX).or(number(name, SNAPSHOT)).is_some()))
}

/// Writes the file `FORMAT`, durable before it has its name.
fn write_format(dir: &Path, path: &Path) -> Result<(), LedgerError> {
    let new = dir.join("FORMAT.new");
    let written = create(&new).and_then(|mut file| {
        file.write_all(format!("{FORMAT}\n").as_bytes())?;
        file.sync_all()
    });
    written.map_err(LedgerError::io("write", &new))?;
    fs::rename(&new, path).map_err(LedgerError::io("write", path))
}

/// A new file, whatever was left there under its name.
pub(super) fn create(path: &Path) -> io::Result<fs::File> {
    remove(path)?;
    fs::File::create_new(path)
}

/// Removes a file, if there is one.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where a new base comes from.
pub(super) enum Fresh {
    /// A folder, whose content is set aside: kept until the next time.
    Sled {
        dir: PathBuf,
        aside: Option<PathBuf>,
    },
    Memory,
}

impl Fresh {
    /// An empty base, and where the old one went.
    pub(super) fn make(&mut self) -> Result<(Box<dyn Base>, Option<PathBuf>), LedgerError> {
        let Self::Sled { dir, aside } = self else { return Ok((Box::new(MemoryBase::default()), None)) };
        if dir.exists() {
            let to = dir.with_extension("damaged-1");
            remove_set_aside(dir)?;
            fs::rename(&dir, &to).map_err(LedgerError::io("rename", dir))?;
            *aside = Some(to);
        }
        match base::open(dir) {
            Ok(base) => Ok((base, aside.clone())),
            Err(error) => {
                self.undo();
                Err(error.into())
            }
        }
    }

    /// Puts the old base back in its place, since no new one could be made.
    pub(super) fn undo(&mut self) {
        if let Self::Sled { dir, aside: Some(aside) } = self {
            // A base that stays aside is one that the next opening makes again.
            let _ = fs::remove_dir_all(&dir).and_then(|()| fs::rename(aside, dir));
        }
    }
}

/// Removes the bases that were set aside before.
fn remove_set_aside(base: &Path) -> Result<(), LedgerError> {
    let Some(dir) = base.parent() else { return Ok(()) };
    for entry in fs::read_dir(dir).map_err(LedgerError::io("list", dir))? {
        let entry = entry.map_err(LedgerError::io("list", dir))?;
        let is_old = entry.file_name().to_str().is_some_and(|name| name.starts_with("base.damaged-"));
        if is_old {
            fs::remove_dir_all(entry.path()).map_err(LedgerError::io("remove", &entry.path()))?;
        }
    }
    Ok(())
}
