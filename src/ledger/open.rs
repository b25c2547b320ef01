//! Opening a ledger: lock, format, journal, base, and what must be put right between them; and closing it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::meter;

use super::Ledger;
use super::base::{Base, BaseError, MemoryBase, SledBase};
use super::disk::{Disk, MemoryDisk, OsDisk};
use super::error::{LedgerError, Notice};
use super::journal::{Journal, Mark};
use super::lock::Lock;
use super::progress::{Watcher, Work};
use super::redact::Redaction;
use super::scan::{From, Whole};
use super::state::State;
use super::verify::base_agrees;
use super::view::View;

/// What the file `FORMAT` of a ledger says.
const FORMAT: &str = "hence ledger 1";
/// Journals up to this size are checked whole at every opening, larger ones behind what the base holds.
const WHOLE_CHECK: u64 = 16 << 20;

/// A base of up to so many facts and decisions is compared with their digest at every opening, a larger one after
/// the system went down unexpectedly.
const ALWAYS_CHECKED: u64 = 20_000;

/// How to open a ledger.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Take no lock, write nothing, and answer from the journal alone.
    pub read_only: bool,
    /// How long to wait for another process to finish.
    pub wait: Duration,
    /// What this process runs, told to others that find the ledger in use.
    pub command: String,
    /// Read up to this transaction only, whatever follows; implies `read_only`.
    pub up_to: Option<u64>,
    /// Write the base anew from the journal.
    pub rebuild: bool,
    /// Bytes after which a new segment of the journal begins.
    pub segment_limit: u64,
    /// How many bytes of zeros a process that writes much makes durable ahead of its records, to sync faster.
    pub ahead: usize,
    /// About how many bytes of changes a record holds; a larger transaction takes several.
    pub part_limit: usize,
    /// Bytes of changes that may wait to be written to the base.
    pub backlog_limit: usize,
    /// So many assertions of one relation in a transaction don't wait, but are written to the base at once.
    pub bulk: usize,
    /// Who is told how far long work has come.
    pub watcher: Watcher,
    /// What must not be recorded.
    pub redaction: Redaction,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            wait: Duration::ZERO,
            command: String::from("hence"),
            up_to: None,
            rebuild: false,
            segment_limit: 16 << 20,
            ahead: 1 << 20,
            part_limit: 1 << 20,
            backlog_limit: 16 << 20,
            bulk: 20_000,
            watcher: Watcher::default(),
            redaction: Redaction::default(),
        }
    }
}

/// Makes a base anew, setting the old one aside, and says where it went.
type Fresh<'f> = dyn FnMut() -> Result<(Box<dyn Base>, Option<PathBuf>), LedgerError> + 'f;

impl Ledger {
    /// Opens the ledger in `dir`; for writing, begins one if there is none.
    ///
    /// # Errors
    /// If another process has it, its journal is damaged, or a file can't be read or written. A damaged base is no
    /// error: it is rebuilt, and [`Ledger::notices`] says so.
    pub fn open(dir: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, LedgerError> {
        meter::enter("opening the ledger");
        let dir = dir.as_ref();
        if options.read_only || options.up_to.is_some() {
            return Self::open_reading(dir, options);
        }
        fs::create_dir_all(dir).map_err(LedgerError::io("create", dir))?;
        let lock = Lock::take(&dir.join("LOCK"), &options.redaction.text(&options.command), options.wait)?;
        check_format(dir, true)?;
        let journal_dir = dir.join("journal");
        fs::create_dir_all(&journal_dir).map_err(LedgerError::io("create", &journal_dir))?;
        OsDisk.sync_dir(dir).map_err(LedgerError::io("make durable", dir))?;
        let journal = Journal::open(Arc::new(OsDisk), &journal_dir, options)?;
        let base_dir = dir.join("base");
        let existed = base_dir.exists();
        let opened = if options.rebuild {
            Err(BaseError(String::from("as asked")))
        } else {
            SledBase::open(&base_dir)
        };
        let base = opened.map(|base| Box::new(base) as Box<dyn Base>);
        let mut fresh = || fresh_sled(&base_dir);
        let mut ledger = Self::start(journal, base, &mut fresh, options, Some(lock), existed)?;
        ledger.dir = Some(dir.to_owned());
        Ok(ledger)
    }

    /// Opens the ledger in `dir` to ask it something. Where another process has it, or nothing may be written there,
    /// the answers come from the journal, and [`Ledger::take_notices`] says so.
    ///
    /// # Errors
    /// If there is no ledger, or as [`Ledger::open`].
    pub fn open_to_ask(dir: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, LedgerError> {
        let dir = dir.as_ref();
        if !dir.join("journal").is_dir() {
            return Err(LedgerError::Missing(dir.to_owned()));
        }
        let why = match Self::open(dir, options) {
            Err(LedgerError::InUse { process, command }) => {
                format!("it is in use by process {process} ({command})")
            }
            Err(LedgerError::Io { source, .. }) if is_closed_to_us(&source) => source.to_string(),
            other => return other,
        };
        let mut ledger = Self::open(dir, &OpenOptions { read_only: true, ..options.clone() })?;
        ledger.notices.push(Notice::ReadOnly { why });
        Ok(ledger)
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
        let dir = Path::new("journal");
        disk.create_dir(dir).map_err(LedgerError::io("create", dir))?;
        let journal = Journal::open(disk, dir, options)?;
        if options.read_only || options.up_to.is_some() {
            return Self::read(journal, options);
        }
        let mut fresh = || Ok((Box::new(MemoryBase::default()) as Box<dyn Base>, None));
        Self::start(journal, Ok(base), &mut fresh, options, None, true)
    }

    fn open_reading(dir: &Path, options: &OpenOptions) -> Result<Self, LedgerError> {
        let journal_dir = dir.join("journal");
        if !journal_dir.is_dir() {
            return Err(LedgerError::Missing(dir.to_owned()));
        }
        check_format(dir, false)?;
        let mut ledger = Self::read(Journal::open(Arc::new(OsDisk), &journal_dir, options)?, options)?;
        ledger.dir = Some(dir.to_owned());
        Ok(ledger)
    }

    /// A ledger that only reads: the journal is replayed into memory.
    fn read(journal: Journal, options: &OpenOptions) -> Result<Self, LedgerError> {
        let mut ledger = Self::new(journal, Box::new(MemoryBase::default()), options);
        let last = options.up_to.unwrap_or(u64::MAX);
        ledger.begin()?;
        let from = ledger.journal.beginning();
        let mark = if last == from.transaction { from.mark } else { ledger.replay(from, last)?.mark };
        if options.up_to.is_some_and(|asked| asked > ledger.state.tx) {
            return Err(LedgerError::NoTransaction { asked: last, last: ledger.state.tx });
        }
        ledger.journal.set_end(mark);
        ledger.flush()?;
        Ok(ledger)
    }

    fn new(journal: Journal, base: Box<dyn Base>, options: &OpenOptions) -> Self {
        Self {
            journal,
            view: View::new(base),
            state: State::default(),
            base_tx: 0,
            backlog_limit: options.backlog_limit,
            part_limit: options.part_limit,
            bulk: options.bulk,
            watcher: options.watcher.clone(),
            redaction: options.redaction.clone(),
            writable: false,
            notices: Vec::new(),
            snapshot: None,
            dir: None,
            lock: None,
        }
    }

    /// Brings base and journal together, with a new base where the old one can't be used.
    fn start(
        journal: Journal,
        base: Result<Box<dyn Base>, BaseError>,
        fresh: &mut Fresh<'_>,
        options: &OpenOptions,
        lock: Option<Lock>,
        existed: bool,
    ) -> Result<Self, LedgerError> {
        let suspect = lock.as_ref().is_some_and(Lock::is_after_power_cut);
        let (base, why) = match base {
            Ok(base) => (Some(base), String::new()),
            Err(error) => (None, error.to_string()),
        };
        let mut ledger = Self::new(journal, Box::new(MemoryBase::default()), options);
        ledger.lock = lock;
        let outcome = match base {
            Some(base) => ledger.join(base, suspect, existed)?,
            None => Err(BaseError(why)),
        };
        let mark = match outcome {
            Ok(mark) => mark,
            Err(error) => {
                ledger.view = View::new(Box::new(MemoryBase::default()));
                let (base, renamed) = fresh()?;
                let mark = ledger.join(base, false, true)??;
                let to = ledger.state.tx;
                ledger.notices = vec![Notice::Rebuilt { why: error.to_string(), renamed, to }];
                mark
            }
        };
        let notices = ledger.journal.begin_writing(mark, ledger.state.tx)?;
        ledger.notices.extend(notices);
        ledger.writable = true;
        Ok(ledger)
    }

    /// Takes `base` and applies to it what the journal holds beyond it. The inner error is the base's own, for which
    /// a new one helps.
    fn join(
        &mut self,
        base: Box<dyn Base>,
        suspect: bool,
        existed: bool,
    ) -> Result<Result<Mark, BaseError>, LedgerError> {
        let decoded = State::decode(base.as_ref());
        self.view = View::new(base);
        self.state = match decoded {
            Ok(Some(state)) => state,
            Ok(None) => match self.view.base().above(&[]) {
                Ok(None) => State::default(),
                Ok(Some(_)) => return Ok(Err(BaseError(String::from("its state is missing")))),
                Err(error) => return Ok(Err(error)),
            },
            Err(error) => return Ok(Err(error)),
        };
        if self.state.tx == 0 {
            match self.begin() {
                Ok(()) => {}
                Err(LedgerError::Base(why)) => return Ok(Err(BaseError(why))),
                Err(error) => return Err(error),
            }
        } else if self.state.snapshot != self.journal.snapshot.map_or(0, |held| held.segment) {
            return Ok(Err(BaseError(String::from("the journal was compacted"))));
        }
        let held = self.state.clone();
        let end = match self.follow(&held, suspect) {
            Ok(end) => end,
            Err(LedgerError::Base(why)) => return Ok(Err(BaseError(why))),
            Err(error) => return Err(error),
        };
        let (from, to) = (held.tx, self.state.tx);
        if from == 0 && to > 0 && !existed {
            let why = String::from("there was none");
            self.notices.push(Notice::Rebuilt { why, renamed: None, to });
        } else if from < to {
            self.notices.push(Notice::CaughtUp { from, to });
        }
        Ok(Ok(end.mark))
    }

    /// Checks the base, which holds `held`, against the journal and applies what follows.
    fn follow(&mut self, held: &State, suspect: bool) -> Result<From, LedgerError> {
        let from =
            if self.journal.size()? <= WHOLE_CHECK { self.journal.beginning() } else { self.joint(held)? };
        let end = self.replay(from, u64::MAX)?;
        if end.transaction < held.tx {
            return Err(LedgerError::Damaged {
                path: self.journal.path(end.mark.end.segment),
                offset: end.mark.end.offset,
                transaction: end.transaction + 1,
                what: format!("transaction {} was acknowledged, and isn't here", end.transaction + 1),
            });
        }
        // What a killed process wrote ahead of its position is covered by the backlog, so the check comes after it.
        let few = self.state.facts + self.state.decisions <= ALWAYS_CHECKED;
        if (suspect || few) && !base_agrees(&self.view, &self.state)? {
            return Err(LedgerError::Base(String::from("it lacks facts or has others")));
        }
        self.flush()?;
        Ok(end)
    }

    /// Takes over what the journal's snapshot holds, if it has one.
    fn begin(&mut self) -> Result<(), LedgerError> {
        if let Some(held) = self.journal.snapshot {
            let (state, hash) = self.journal.load_snapshot(held, &mut self.view, self.backlog_limit)?;
            self.snapshot = Some((state.tx, hash));
            self.state = state;
        }
        Ok(())
    }

    /// Where the journal goes on behind what the base holds.
    fn joint(&self, held: &State) -> Result<From, LedgerError> {
        if held.tx > 0 {
            let last = self.journal.read_ends(held.start, held.tx)?;
            if (last.hash, last.end) != (held.head, held.end) {
                return Err(foreign());
            }
        }
        if held.tx == 0 { Ok(self.journal.beginning()) } else { Ok(held.after()) }
    }

    /// Applies the transactions of the journal behind `from` that the state doesn't hold, up to `last`.
    fn replay(&mut self, from: From, last: u64) -> Result<From, LedgerError> {
        let Self { journal, view, state, backlog_limit, snapshot, watcher, .. } = self;
        let held = state.tx;
        journal.scan(from, &mut |whole| {
            journal.check_named(*snapshot, &whole)?;
            if whole.number == held && whole.hash != state.head {
                return Err(foreign());
            }
            if whole.number > held {
                apply(journal, view, state, &whole, *backlog_limit)?;
                watcher.tell(Work::CatchingUp, whole.number - held, None);
            }
            Ok(whole.number < last)
        })
    }

    /// Writes the backlog to the base.
    pub(super) fn flush(&mut self) -> Result<(), LedgerError> {
        if self.view.backlog_bytes() > 0 {
            self.view.flush(self.state.encode())?;
        }
        self.base_tx = self.state.tx;
        Ok(())
    }

    /// What the user should be told since the last call.
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
        self.journal.finish();
        let ended = self.flush().and_then(|()| Ok(self.view.base_mut().close()?));
        match (ended, &mut self.lock) {
            (Ok(()), Some(lock)) => lock.close(),
            (Ok(()), None) => {}
            (Err(error), _) => self.notices.push(Notice::BaseBehind { why: error.to_string() }),
        }
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        self.end();
    }
}

fn is_closed_to_us(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn foreign() -> LedgerError {
    LedgerError::Base(String::from("it belongs to another journal"))
}

/// Applies a transaction of the journal, writing to the base where more than `limit` bytes wait.
pub(super) fn apply(
    journal: &Journal,
    view: &mut View,
    state: &mut State,
    whole: &Whole,
    limit: usize,
) -> Result<(), LedgerError> {
    state.apply(whole, view, limit)?.map_err(|malformed| LedgerError::Damaged {
        path: journal.path(whole.start.segment),
        offset: whole.start.offset,
        transaction: whole.number,
        what: malformed.to_string(),
    })
}

/// Checks the file `FORMAT`, or writes it where a ledger begins.
fn check_format(dir: &Path, write: bool) -> Result<(), LedgerError> {
    let path = dir.join("FORMAT");
    match fs::read_to_string(&path) {
        Ok(text) if text.trim_end() == FORMAT => Ok(()),
        // A power cut may leave the name without the content.
        Ok(text) if text.is_empty() => {
            if write {
                write_format(dir, &path)
            } else {
                Ok(())
            }
        }
        Ok(text) => {
            let found = text.lines().next().unwrap_or_default().chars().take(60).collect();
            Err(LedgerError::Format { path, found, known: FORMAT })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if write {
                write_format(dir, &path)
            } else {
                Ok(())
            }
        }
        Err(error) => Err(LedgerError::io("read", &path)(error)),
    }
}

/// Writes the file `FORMAT`, durable before it has its name.
fn write_format(dir: &Path, path: &Path) -> Result<(), LedgerError> {
    let new = dir.join("FORMAT.new");
    let written = fs::write(&new, format!("{FORMAT}\n")).and_then(|()| fs::File::open(&new)?.sync_all());
    written.map_err(LedgerError::io("write", &new))?;
    fs::rename(&new, path).map_err(LedgerError::io("write", path))
}

/// Sets the folder of a base aside and makes a new one.
fn fresh_sled(dir: &Path) -> Result<(Box<dyn Base>, Option<PathBuf>), LedgerError> {
    let mut renamed = None;
    if dir.exists() {
        let free = (1u32..).map(|n| dir.with_extension(format!("damaged-{n}"))).find(|path| !path.exists());
        let aside = free.unwrap_or_else(|| dir.with_extension("damaged"));
        fs::rename(dir, &aside).map_err(LedgerError::io("rename", dir))?;
        renamed = Some(aside);
    }
    Ok((Box::new(SledBase::open(dir)?), renamed))
}
