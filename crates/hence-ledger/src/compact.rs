//! Compaction: a snapshot of what holds takes the place of the segments before it, which go into an archive; the
//! transaction after it names the snapshot's hash, so the chain covers it.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use hence_core::fault::OrBroken;

use super::Ledger;
use super::base::{Batch, MemoryBase};
use super::bytes::Reader;
use super::commit::How;
use super::content::Summary;
use super::disk::{Disk, MemoryDisk};
use super::error::LedgerError;
use super::hash::Hash;
use super::journal::{Journal, SNAPSHOT, SUFFIX, number};
use super::keys;
use super::list::ChangeList;
use super::lock::Holder;
use super::open::OpenOptions;
use super::plan::TransactionPlan;
use super::scan::Whole;
use super::snapshot::{self, SnapshotHead, Unread};
use super::state::State;
use super::transaction::{Draft, TxInfo};
use super::view::View;

/// The source of the transaction that names a snapshot.
const SOURCE: &str = "compact";
/// How many keys are removed at once.
const STEP: usize = 10_000;

/// What a compaction came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The last transaction that the snapshot covers.
    pub last: u64,
    /// The transaction that names the snapshot.
    pub tx: u64,
    /// That transaction's hash, the head of the chain.
    pub head: Hash,
    /// Bytes of the journal before.
    pub before: u64,
    /// Bytes of the journal and the snapshot after.
    pub after: u64,
    /// Where the segments are kept.
    pub archive: PathBuf,
}

impl TxInfo {
    /// Whether it is the transaction after a snapshot, which names it.
    pub(super) fn names_snapshot(&self) -> bool {
        self.source == SOURCE && self.note.as_ref().is_some_and(|note| note.starts_with(snapshot::NOTE))
    }
}

impl Ledger {
    /// Puts all segments into the archive and a snapshot into their place; `None` where nothing was recorded since
    /// the last time. Whatever interrupts this, the ledger opens and holds the same.
    ///
    /// # Errors
    /// If the ledger is open for reading only, or a file can't be read or written.
    pub fn compact(&mut self, time: i64, author: &str) -> Result<Option<Compacted>, LedgerError> {
        if !self.writable {
            return Err(LedgerError::ReadOnly);
        }
        let last = self.state.tx;
        if last <= self.journal.snapshot.map_or(0, |held| held.transaction + 1) {
            return Ok(None);
        }
        let before = self.status()?.journal_bytes;
        let segment = self.journal.mark().end.segment + 1;
        let held = SnapshotHead { segment, transaction: last, head: self.state.head };
        let new = self.journal.snapshot_path(segment).with_extension("snapshot-new");
        let file = self.journal.disk.open(&new, true, true).map_err(LedgerError::io("create", &new))?;
        let (hash, long) = snapshot::write(file.as_ref(), segment, &self.state, &self.view)?;
        let size = file.len().map_err(LedgerError::io("read", &new))?;
        drop(file);
        self.name_snapshot(time, author, hash)?;
        self.journal.begin_with(held, &new)?;
        self.remove_table()?;
        self.forget(&long)?;
        self.state.snapshot = segment;
        self.snapshot = Some((last, hash));
        self.view.flush(self.state.last(), self.state.encode())?;
        self.base_tx = self.state.tx;
        let after = self.status()?.journal_bytes + size;
        let archive = self.journal.archive.clone();
        Ok(Some(Compacted { last, tx: self.state.tx, head: self.state.head, before, after, archive }))
    }

    /// Commits the transaction that names a snapshot, in a segment of its own.
    fn name_snapshot(&mut self, time: i64, author: &str, hash: Hash) -> Result<(), LedgerError> {
        self.journal.begin_segment(self.state.tx + 1)?;
        let draft = Draft {
            time,
            author: author.to_owned(),
            source: String::from(SOURCE),
            note: Some(snapshot::note(hash)),
            ..Draft::default()
        };
        let mut summary = self.summary(&draft, &TransactionPlan::default())?;
        self.sign(&ChangeList::default(), &[], &mut summary)?;
        let whole = self.write(&ChangeList::default(), &[], &summary, How::default())?;
        self.enter(&ChangeList::default(), &summary, &whole)
    }

    /// Removes from the base what the snapshot doesn't hold.
    fn forget(&mut self, long: &BTreeSet<Hash>) -> Result<(), LedgerError> {
        for section in [keys::PAST_FACT, keys::PAST_DECISION, keys::PIECE] {
            let mut from = vec![section];
            loop {
                let mut gone = Vec::new();
                for entry in self.view.range(from.clone(), keys::end(&[section])) {
                    let (key, _) = entry?;
                    let kept = section == keys::PIECE
                        && snapshot::piece_of(&key).is_some_and(|hash| long.contains(&hash));
                    if !kept {
                        gone.push(key);
                    }
                    if gone.len() == STEP {
                        break;
                    }
                }
                let Some(last) = gone.last().cloned() else { break };
                gone.into_iter().for_each(|key| self.view.remove(key));
                self.view.flush(self.state.last(), Batch::new())?;
                from = last;
            }
        }
        Ok(())
    }

    /// The same ledger read from its first transaction on, in memory; `None` where no snapshot replaces any, or the
    /// archive lacks segments.
    ///
    /// # Errors
    /// If a segment can't be read, or is damaged.
    pub fn whole_history(&self) -> Result<Option<Self>, LedgerError> {
        if self.journal.snapshot.is_none() {
            return Ok(None);
        }
        let Some(journal) = self.journal.with_archive()? else { return Ok(None) };
        let mut whole = Self::new(journal, Holder::default(), &OpenOptions::default());
        whole.vault.path.clone_from(&self.vault.path);
        whole.read(None)?;
        Ok(Some(whole))
    }

    /// Whether the archived segments lead to the snapshot with this hash; `None` where they aren't there.
    pub(super) fn archive_leads_to(&self, hash: Hash) -> Result<Option<bool>, LedgerError> {
        let Some(held) = self.journal.snapshot else { return Ok(None) };
        let Some(journal) = self.journal.with_archive()? else { return Ok(None) };
        let mut state = State::default();
        let mut view = View::new(Box::new(MemoryBase::default()));
        journal.scan(journal.beginning(), &mut |whole| {
            super::join::apply(&journal, &mut view, &mut state, &whole, self.backlog_limit)?;
            Ok(whole.number < held.transaction)
        })?;
        let path = self.journal.snapshot_path(held.segment);
        let again = MemoryDisk::default();
        let file = again.open(&path, true, true).map_err(LedgerError::io("create", &path))?;
        Ok(Some(snapshot::write(file.as_ref(), held.segment, &state, &view)?.0 == hash))
    }
}

impl Journal {
    /// The file of a snapshot.
    pub(super) fn snapshot_path(&self, segment: u32) -> PathBuf {
        self.dir.join(format!("{segment:08}{SNAPSHOT}"))
    }

    pub(super) fn snapshot_head(&self, segment: u32) -> Result<SnapshotHead, LedgerError> {
        let path = self.snapshot_path(segment);
        let file = self.disk.open(&path, false, false).map_err(LedgerError::io("open", &path))?;
        let damaged = |what: &str| LedgerError::Damaged {
            path: path.clone(),
            offset: 0,
            transaction: 0,
            what: what.to_owned(),
        };
        let head = snapshot::head(file.as_ref()).map_err(damaged)?;
        if head.segment == segment {
            Ok(head)
        } else {
            Err(damaged("the snapshot does not match its file name"))
        }
    }

    /// Puts the snapshot into `view` and returns its state and hash.
    pub(super) fn load_snapshot(
        &self,
        held: SnapshotHead,
        view: &mut View,
        limit: usize,
    ) -> Result<(State, Hash), LedgerError> {
        let path = self.snapshot_path(held.segment);
        let file = self.disk.open(&path, false, false).map_err(LedgerError::io("open", &path))?;
        snapshot::load(file.as_ref(), view, limit).map_err(|unread| match unread {
            Unread::Base(error) => LedgerError::from(error),
            Unread::Damaged(offset, what) => {
                LedgerError::Damaged { path, offset, transaction: held.transaction, what: what.to_owned() }
            }
        })
    }

    /// Whether `whole`, where it is the transaction after a snapshot, names that snapshot's hash.
    pub(super) fn check_named(
        &self,
        snapshot: Option<(u64, Hash)>,
        whole: &Whole,
    ) -> Result<(), LedgerError> {
        let Some((_, hash)) = snapshot.filter(|(last, _)| whole.number == last + 1) else { return Ok(()) };
        let content = whole.contents.last().or_broken("a whole transaction has a commit");
        let summary = Summary::decode(&mut Reader::new(content))?;
        if summary.source == SOURCE && summary.note == Some(snapshot::note(hash)) {
            return Ok(());
        }
        Err(LedgerError::Damaged {
            path: self.snapshot_path(whole.start.segment),
            offset: 0,
            transaction: whole.number,
            what: format!("the chain doesn't contain this snapshot, {hash}"),
        })
    }

    /// The same journal from its first transaction on, where the archive has all segments.
    pub(super) fn with_archive(&self) -> Result<Option<Self>, LedgerError> {
        let names = match self.disk.list(&self.archive) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            names => names.map_err(LedgerError::io("list", &self.archive))?,
        };
        let first = self.snapshot.map_or(1, |held| held.segment);
        let mut segments: Vec<u32> = names.iter().filter_map(|name| number(name, SUFFIX)).collect();
        segments.retain(|number| *number < first);
        if !(1..first).eq(segments.iter().copied()) {
            return Ok(None);
        }
        Ok(Some(self.after(segments)))
    }

    /// The error for what a snapshot replaces.
    pub(super) fn archived(&self, asked: u64, held: SnapshotHead) -> LedgerError {
        let there = matches!(self.with_archive(), Ok(Some(_)));
        LedgerError::Archived { asked, last: held.transaction, path: self.archive.clone(), there }
    }

    /// Gives the snapshot its name and puts away what it replaces.
    fn begin_with(&mut self, held: SnapshotHead, new: &std::path::Path) -> Result<(), LedgerError> {
        let path = self.snapshot_path(held.segment);
        self.disk.rename(new, &path).map_err(LedgerError::io("rename", new))?;
        self.disk.sync_dir(&self.dir).map_err(LedgerError::io("make durable", &self.dir))?;
        self.snapshot = Some(held);
        self.segments.retain(|segment| *segment >= held.segment);
        self.put_away()
    }

    /// Moves segments and snapshots that the snapshot replaces into the archive, those too that a compaction that
    /// was interrupted left.
    pub(super) fn put_away(&mut self) -> Result<(), LedgerError> {
        let Some(held) = self.snapshot else { return Ok(()) };
        let names = self.disk.list(&self.dir).map_err(LedgerError::io("list", &self.dir))?;
        let old = |name: &&String| {
            let found = number(name, SUFFIX).or(number(name, SNAPSHOT));
            found.is_some_and(|number| number < held.segment)
        };
        let old: Vec<&String> = names.iter().filter(old).collect();
        if old.is_empty() {
            return Ok(());
        }
        self.disk.create_dir(&self.archive).map_err(LedgerError::io("create", &self.archive))?;
        for name in old {
            let (from, to) = (self.dir.join(name), self.archive.join(name));
            match self.disk.rename(&from, &to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                moved => moved.map_err(LedgerError::io("rename", &from))?,
            }
        }
        self.disk.sync_dir(&self.archive).map_err(LedgerError::io("make durable", &self.archive))?;
        self.disk.sync_dir(&self.dir).map_err(LedgerError::io("make durable", &self.dir))
    }
}
