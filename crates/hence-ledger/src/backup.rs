//! A self-contained copy of a ledger, made while others write to it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hence_core::file::folder;
use hence_core::whole_file::unfinished;

use super::Ledger;
use super::ask::undisturbed;
use super::disk::{Disk, OsDisk};
use super::error::LedgerError;
use super::journal::End;
use super::lock::Holder;
use super::open::{FORMAT_FILE, JOURNAL, LOCK, OpenOptions};
use super::shard::SHARD;
use super::verify::Verified;

impl Ledger {
    /// Copies the ledger in `dir`, up to its last whole transaction, to the folder `to`, which must be new or empty.
    /// Nobody who writes to it waits for that. The copy is durable, and read again, before it gets its name; its base is
    /// made when somebody writes to it.
    ///
    /// # Errors
    /// If there is something at `to`, or a file can't be read or written.
    pub fn backup(
        dir: impl AsRef<Path>,
        to: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<Verified, LedgerError> {
        let (dir, to) = (dir.as_ref(), to.as_ref());
        check_free(to)?;
        check_apart(dir, to)?;
        let new = Unfinished::beside(to)?;
        let (end, differences) = undisturbed(dir, |left| {
            new.clear()?;
            copy(dir, &new.0, left, options)
        })?;
        let mut verified = Self::open_journal(&new.0, &OpenOptions::default())?.verify()?;
        verified.differences.extend(differences);
        if (verified.transactions, verified.head) != (end.tx, end.head) {
            let what = format!("it reads as {} transactions up to {}", verified.transactions, verified.head);
            return Err(LedgerError::Damaged { path: new.0.clone(), offset: 0, transaction: end.tx, what });
        }
        fs::rename(&new.0, to).map_err(LedgerError::io("rename", &new.0))?;
        OsDisk.sync_dir(folder(to)).map_err(LedgerError::io("make durable", to))?;
        Ok(verified)
    }
}

/// The folder that the copy is made in, gone unless it gets its name.
struct Unfinished(PathBuf);

impl Unfinished {
    fn beside(to: &Path) -> Result<Self, LedgerError> {
        fs::create_dir_all(folder(to)).map_err(LedgerError::io("create", to))?;
        unfinished(to).map(Self).ok_or_else(|| LedgerError::Occupied(to.to_owned()))
    }

    /// Begins again.
    fn clear(&self) -> Result<(), LedgerError> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LedgerError::io("remove", &self.0)(error))
            }
            _ => fs::create_dir(&self.0).map_err(LedgerError::io("create", &self.0)),
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Gone already where it got its name.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn check_free(to: &Path) -> Result<(), LedgerError> {
    match fs::read_dir(to).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(false) => Err(LedgerError::Occupied(to.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(LedgerError::Occupied(to.to_owned()))
        }
        Err(error) => Err(LedgerError::io("read", to)(error)),
    }
}

/// Checks that the copy isn't made inside of what is copied.
fn check_apart(dir: &Path, to: &Path) -> Result<(), LedgerError> {
    // Whoever reads it reports one that isn't there.
    let Ok(whole) = fs::canonicalize(dir) else { return Ok(()) };
    let mut above = folder(to);
    while !above.exists() {
        above = folder(above);
    }
    if fs::canonicalize(above).map_err(LedgerError::io("open", above))?.starts_with(&whole) {
        return Err(LedgerError::Occupied(to.to_owned()));
    }
    Ok(())
}

/// Copies what makes up the ledger once its end was checked as every reader does, and says what it ends with and what is
/// wrong around its journal.
fn copy(
    dir: &Path,
    to: &Path,
    left: &Holder,
    options: &OpenOptions,
) -> Result<(End, Vec<String>), LedgerError> {
    let mut ledger = Ledger::over_base(dir, left, options)?;
    ledger.refuse_other_journal()?;
    let (last, misplaced) = (ledger.state.last(), ledger.misplaced()?);
    let journal = &ledger.journal;
    let end = journal.mark().end;
    let copied = to.join(JOURNAL);
    fs::create_dir(&copied).map_err(LedgerError::io("create", &copied))?;
    for segment in journal.segments.iter().filter(|segment| **segment <= end.segment) {
        let upto = if *segment == end.segment { end.offset } else { u64::MAX };
        copy_into(&journal.path(*segment), &copied, upto)?;
    }
    if let Some(held) = journal.snapshot {
        copy_into(&journal.snapshot_path(held.segment), &copied, u64::MAX)?;
    }
    copy_archive(&journal.archive, to)?;
    OsDisk.sync_dir(&copied).map_err(LedgerError::io("make durable", &copied))?;
    copy_into(&dir.join(FORMAT_FILE), to, u64::MAX)?;
    if ledger.shard.is_some() {
        copy_into(&dir.join(SHARD), to, u64::MAX)?;
    }
    let lock = to.join(LOCK);
    let written = File::create_new(&lock).and_then(|mut file| {
        Holder::ended(last).write(&mut file)?;
        file.sync_all()
    });
    written.map_err(LedgerError::io("write", &lock))?;
    OsDisk.sync_dir(to).map_err(LedgerError::io("make durable", to))?;
    Ok((last, misplaced))
}

fn copy_archive(archive: &Path, to: &Path) -> Result<(), LedgerError> {
    let names = match OsDisk.list(archive) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        names => names.map_err(LedgerError::io("list", archive))?,
    };
    let Some(name) = archive.file_name() else { return Ok(()) };
    let copied = to.join(name);
    fs::create_dir(&copied).map_err(LedgerError::io("create", &copied))?;
    names.iter().try_for_each(|name| copy_into(&archive.join(name), &copied, u64::MAX))?;
    OsDisk.sync_dir(&copied).map_err(LedgerError::io("make durable", &copied))
}

/// Copies the first `upto` bytes of a file into a folder, under the same name.
fn copy_into(from: &Path, folder: &Path, upto: u64) -> Result<(), LedgerError> {
    let Some(name) = from.file_name() else { return Ok(()) };
    let to = folder.join(name);
    let source = File::open(from).map_err(LedgerError::io("open", from))?;
    let copied = File::create_new(&to).and_then(|mut file| {
        io::copy(&mut source.take(upto), &mut file)?;
        file.sync_all()
    });
    copied.map_err(LedgerError::io("write", &to))
}
