//! Opening a ledger to ask it something: no lock is taken and nothing written, so that questions disturb nobody.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tracing::debug_span;
use tracing::field::Empty;

use super::base::{self, Base, BaseError};
use super::disk::OsDisk;
use super::error::{LedgerError, Notice};
use super::join::apply;
use super::journal::{End, Journal, Mark};
use super::lock::{Closed, Holder};
use super::open::{BASE, JOURNAL, LOCK, OpenOptions, check_format};
use super::scan::{From, Scanned};
use super::{Based, Ledger};

/// How often reading is tried again while a writer may be in the way.
const TRIES: u32 = 4;
/// How often at most, where somebody else begins or ends writing meanwhile.
const MOST_TRIES: u32 = 60;
/// How long to wait in between.
const PAUSE: Duration = Duration::from_millis(20);

impl Ledger {
    /// Opens the ledger in `dir` to ask it something: as of the last whole transaction, whoever writes to it meanwhile.
    /// Nothing is locked or written there. The answers come from a copy of the base where nobody is writing, else from
    /// the journal; [`Ledger::take_notices`] says what was left out.
    ///
    /// # Errors
    /// If there is no ledger, its journal is damaged, or a file can't be read.
    pub fn open_to_ask(dir: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, LedgerError> {
        let dir = dir.as_ref();
        let span =
            debug_span!("open_ledger_to_ask", dir = %dir.display(), transactions = Empty, facts = Empty);
        let _entered = span.enter();
        let opened = Self::open_dir_to_ask(dir, options);
        if let Ok(ledger) = &opened {
            ledger.trace_opened(&span);
        }
        opened
    }

    fn open_dir_to_ask(dir: &Path, options: &OpenOptions) -> Result<Self, LedgerError> {
        undisturbed(dir, |left| match Self::over_table(dir, left, options)? {
            Some(ledger) => Ok(ledger),
            None if options.up_to.is_some() => Self::of_journal(dir, left.clone(), options),
            None => Self::over_base(dir, left, options),
        })
    }

    /// The ledger as a process left it that said so, or didn't: over a copy of the base, or the journal.
    pub(super) fn over_base(dir: &Path, left: &Holder, options: &OpenOptions) -> Result<Self, LedgerError> {
        let Some(base) = copied(dir, left) else { return Self::of_journal(dir, left.clone(), options) };
        let mut ledger = Self::new(journal(dir, options)?, left.clone(), options);
        ledger.set_dir(dir)?;
        let joined = match base {
            Ok(base) => ledger.join(base, 0),
            Err(error) => Err(error.into()),
        };
        match joined {
            Ok((scanned, _)) => {
                ledger.base_tx = ledger.state.tx;
                ledger.based = Based::Base;
                ledger.journal.set_end(scanned.done.mark);
                ledger.tell_left(&scanned)?;
                Ok(ledger)
            }
            Err(error) => {
                let is_there = dir.join(BASE).exists();
                let why = match error {
                    LedgerError::Base(_) | LedgerError::Medium(_) if !is_there => {
                        String::from("there is none; `hence rebuild` recreates it")
                    }
                    LedgerError::Base(why) => format!("{why}; `hence rebuild` recreates it"),
                    // A new one fared no better.
                    LedgerError::Medium(why) => why,
                    error => return Err(error),
                };
                let mut ledger = Self::of_journal(dir, left.clone(), options)?;
                ledger.notices.push(Notice::BaseUnused { why: why.clone() });
                ledger.based = if is_there { Based::Unfit(why) } else { Based::Journal };
                Ok(ledger)
            }
        }
    }

    /// Opens the ledger in `dir` from its journal alone.
    pub(super) fn open_journal(dir: &Path, options: &OpenOptions) -> Result<Self, LedgerError> {
        undisturbed(dir, |left| Self::of_journal(dir, left.clone(), options))
    }

    fn of_journal(dir: &Path, left: Holder, options: &OpenOptions) -> Result<Self, LedgerError> {
        let mut ledger = Self::new(journal(dir, options)?, left, options);
        ledger.set_dir(dir)?;
        ledger.read(options.up_to)?;
        Ok(ledger)
    }

    /// Takes in what another writer has recorded since, up to transaction `to`, which is durable; for a ledger that was
    /// opened to ask. What it costs follows what is new.
    ///
    /// # Errors
    /// There is no such transaction after the last one that this ledger knows, as where the writer compacted its
    /// journal; then it has to be opened again.
    pub fn follow(&mut self, to: u64) -> Result<(), LedgerError> {
        // What is new may name or revoke a principal.
        self.forget_principals();
        let erased = self.erased_count();
        let Self { journal, view, state, backlog_limit, .. } = self;
        while state.tx < to {
            let whole = journal.read(journal.mark().end, state.tx + 1)?;
            if whole.previous != state.head {
                return Err(LedgerError::Base(String::from("it follows another journal")));
            }
            apply(journal, view, state, &whole, *backlog_limit)?;
            journal.set_end(Mark { end: whole.end, head: whole.hash });
        }
        // Whoever wrote may have made keys, or destroyed some.
        let destroyed = self.erased_count() != erased;
        self.vault.look_again(destroyed);
        Ok(())
    }

    /// Replays the journal into memory, up to transaction `up_to` or its end.
    pub(super) fn read(&mut self, up_to: Option<u64>) -> Result<(), LedgerError> {
        self.begin()?;
        self.read_on(self.journal.beginning(), None, up_to)?;
        self.flush()
    }

    /// Replays the journal after `from`, up to transaction `up_to` or its end; the last transaction that was read. `reach` is
    /// the last one of which a base may hold changes, where there is a base.
    pub(super) fn read_on(
        &mut self,
        from: From,
        reach: Option<End>,
        up_to: Option<u64>,
    ) -> Result<u64, LedgerError> {
        let last = up_to.unwrap_or(u64::MAX);
        let scanned = if last == from.transaction {
            Scanned { done: from, left: None }
        } else {
            self.replay(from, last, reach)?
        };
        match up_to {
            Some(asked) if asked > self.state.tx => {
                return Err(LedgerError::NoTransaction { asked, last: self.state.tx });
            }
            Some(_) => self.learn_erased(scanned.done),
            None => {
                self.check_end(&scanned, 0)?;
                self.tell_left(&scanned)?;
            }
        }
        self.journal.set_end(scanned.done.mark);
        Ok(scanned.done.transaction)
    }

    /// Reports what lies after the last transaction.
    fn tell_left(&mut self, scanned: &Scanned) -> Result<(), LedgerError> {
        if let Some(left) = scanned.left {
            let path = self.journal.path(left.at.segment);
            let bytes = self.journal.bytes_from(left.at)?;
            let (offset, last) = (left.at.offset, self.state.tx);
            self.notices.push(Notice::LeftOut { path, offset, bytes, last });
        }
        Ok(())
    }
}

pub(super) fn journal(dir: &Path, options: &OpenOptions) -> Result<Journal, LedgerError> {
    Journal::open(Arc::new(OsDisk), &dir.join(JOURNAL), options)
}

/// A copy of the base, where the last writer closed the ledger and nobody has begun to write since.
fn copied(dir: &Path, left: &Holder) -> Option<Result<Box<dyn Base>, BaseError>> {
    let may_be_whole = match left.closed {
        // Without a word of who left it, the base is looked at for what it knows of the journal's end.
        Closed::No => left.fault.is_some(),
        Closed::Somewhere => true,
        // A base that wasn't closed with the journal still knows what was acknowledged.
        Closed::At(_) => left.base.is_some() || dir.join(BASE).exists(),
    };
    if !may_be_whole {
        return None;
    }
    let is_still = || Holder::of(&dir.join(LOCK)).is_ok_and(|now| now == *left);
    base::copy_of(&dir.join(BASE), is_still).transpose()
}

/// Reads the ledger in `dir` with `read`, again where a writer came in between: it appends to a file while that is read,
/// and moves files away when it compacts.
pub(super) fn undisturbed<T>(
    dir: &Path,
    read: impl Fn(&Holder) -> Result<T, LedgerError>,
) -> Result<T, LedgerError> {
    let lock = dir.join(LOCK);
    check_there(dir, &lock)?;
    check_format(dir, false)?;
    let mut tries = 0;
    for _ in 0..MOST_TRIES {
        let left = Holder::settled(&lock)?;
        let failed = match read(&left) {
            Err(error) if may_pass(&error) => error,
            done => return done,
        };
        let is_moving = Holder::of(&lock)? != left;
        tries += u32::from(!is_moving);
        if !is_moving && (left.closed != Closed::No || tries == TRIES) {
            return Err(failed);
        }
        thread::sleep(PAUSE);
    }
    read(&Holder::default())
}

/// Whether a writer that comes in between can bring this error about.
fn may_pass(error: &LedgerError) -> bool {
    match error {
        LedgerError::Damaged { .. } | LedgerError::NotAsLeft { .. } => true,
        LedgerError::Io { source, .. } => source.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Whether there is a ledger; one that lost its journal is damaged, and not missing.
fn check_there(dir: &Path, lock: &Path) -> Result<(), LedgerError> {
    let path = dir.join(JOURNAL);
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(LedgerError::io("open", &path)(error)),
        _ if dir.join(BASE).exists() || Holder::settled(lock)?.known().is_some_and(|end| end.tx > 0) => {
            let what = String::from("the folder is missing");
            Err(LedgerError::Damaged { path, offset: 0, transaction: 1, what })
        }
        _ => Err(LedgerError::Missing(dir.to_owned())),
    }
}
