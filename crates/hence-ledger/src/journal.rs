//! The journal: records in append-only segments, written, made durable, and cut back to a known end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bytes::Reader;
use super::disk::{Disk, DiskFile};
use super::error::{LedgerError, Notice};
use super::hash::Hash;
use super::open::OpenOptions;
use super::record::{self, RecordKind};
use super::snapshot::SnapshotHead;

/// What every segment begins with.
const MAGIC: [u8; 8] = *b"hencejrn";
const VERSION: u16 = 1;
/// Bytes of a segment before its first record.
pub(crate) const SEGMENT_HEAD: u64 = 60;
pub(super) const SUFFIX: &str = ".journal";
/// How the names of snapshots end.
pub(super) const SNAPSHOT: &str = ".snapshot";
/// The folder beside the journal for segments that a snapshot replaces.
pub(super) const ARCHIVE: &str = "archive";
/// A process that writes no more records than this writes no zeros either.
const FEW: u64 = 8;
/// So many files with what was cut off a segment are kept; the oldest go first.
const KEPT: u32 = 8;
/// How many bytes are looked at or copied at a time.
const CHUNK: usize = 1 << 16;

/// A place in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Position {
    /// The segment, from 1.
    pub(crate) segment: u32,
    /// The byte in it.
    pub(crate) offset: u64,
}

/// A transaction and its hash: what a journal ends with, or a base holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) tx: u64,
    pub(crate) head: Hash,
}

/// The end of the journal and the hash of its last record, to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) end: Position,
    pub(crate) head: Hash,
}

pub(crate) struct Journal {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) dir: PathBuf,
    /// Numbers of the segments that are read, consecutive.
    pub(super) segments: Vec<u32>,
    /// What replaces the segments before them.
    pub(super) snapshot: Option<SnapshotHead>,
    /// Where those segments are kept.
    pub(super) archive: PathBuf,
    /// The first segment that isn't kept there, where they are read although a snapshot replaces them.
    beyond: u32,
    last: Option<Box<dyn DiskFile>>,
    end: Position,
    head: Hash,
    segment_limit: u64,
    /// How many bytes of zeros are made durable ahead of the records: overwriting them costs a sync no change of the
    /// file's length, which takes most of its time.
    ahead: usize,
    /// Records written by this process.
    written: u64,
    /// The length of the last segment, zeros ahead of the records included.
    len: u64,
    stopped: Option<String>,
    /// Whether its last commits are not durable yet.
    pending: bool,
}

impl Journal {
    /// The journal in `dir` as its file names show it; nothing is read yet.
    pub(crate) fn open(disk: Arc<dyn Disk>, dir: &Path, options: &OpenOptions) -> Result<Self, LedgerError> {
        let names = disk.list(dir).map_err(LedgerError::io("list", dir))?;
        let snapshot = names.iter().filter_map(|name| number(name, SNAPSHOT)).max();
        let first = snapshot.unwrap_or(1);
        let segments = names.iter().filter_map(|name| number(name, SUFFIX)).filter(|number| *number >= first);
        let mut journal = Self {
            disk,
            dir: dir.to_owned(),
            segments: segments.collect(),
            snapshot: None,
            archive: dir.with_file_name(ARCHIVE),
            beyond: 0,
            last: None,
            end: Position { segment: 1, offset: SEGMENT_HEAD },
            head: Hash::default(),
            segment_limit: options.segment_limit,
            ahead: options.ahead,
            written: 0,
            len: 0,
            stopped: None,
            pending: false,
        };
        journal.snapshot = snapshot.map(|segment| journal.snapshot_head(segment)).transpose()?;
        match (journal.snapshot, options.up_to) {
            (Some(held), Some(asked)) if asked < held.transaction => {
                journal.with_archive()?.ok_or_else(|| journal.archived(asked, held))
            }
            // What ended by then is in the archive alone, where that is there.
            (Some(held), Some(asked)) if asked == held.transaction => {
                journal.check_names()?;
                Ok(journal.with_archive()?.unwrap_or(journal))
            }
            _ => {
                journal.check_names()?;
                Ok(journal)
            }
        }
    }

    fn check_names(&self) -> Result<(), LedgerError> {
        let first = self.snapshot.map_or(1, |held| held.segment);
        match (first..).zip(&self.segments).find(|(expected, found)| expected != *found) {
            None => Ok(()),
            Some((missing, _)) => Err(LedgerError::Damaged {
                path: self.path(missing),
                offset: 0,
                transaction: 0,
                what: String::from("the segment is missing"),
            }),
        }
    }

    /// The file of a segment.
    pub(crate) fn path(&self, segment: u32) -> PathBuf {
        let archived = segment < self.snapshot.map_or(self.beyond, |held| held.segment);
        let dir = if archived { &self.archive } else { &self.dir };
        dir.join(segment_name(segment))
    }

    /// The error for what isn't as it was written.
    pub(crate) fn damage(&self, at: Position, transaction: u64, what: String) -> LedgerError {
        LedgerError::Damaged { path: self.path(at.segment), offset: at.offset, transaction, what }
    }

    /// The same with these segments of the archive before its own, to be read.
    pub(super) fn after(&self, mut segments: Vec<u32>) -> Self {
        segments.extend(&self.segments);
        Self {
            disk: Arc::clone(&self.disk),
            dir: self.dir.clone(),
            segments,
            snapshot: None,
            archive: self.archive.clone(),
            beyond: self.snapshot.map_or(self.beyond, |held| held.segment),
            last: None,
            end: Position { segment: 1, offset: SEGMENT_HEAD },
            head: Hash::default(),
            segment_limit: self.segment_limit,
            ahead: self.ahead,
            written: 0,
            len: 0,
            stopped: None,
            pending: false,
        }
    }

    /// The end and the hash that the next record follows.
    pub(crate) fn mark(&self) -> Mark {
        Mark { end: self.end, head: self.head }
    }

    /// Takes `mark` as the end, for a journal that is only read.
    pub(crate) fn set_end(&mut self, mark: Mark) {
        self.end = mark.end;
        self.head = mark.head;
    }

    /// Makes ready for writing after `mark`: what lies there is cut off and kept beside, the first segment made if
    /// there is none.
    pub(crate) fn begin_writing(&mut self, mark: Mark, last: u64) -> Result<Vec<Notice>, LedgerError> {
        self.set_end(mark);
        if self.segments.is_empty() {
            self.create_segment(mark.end.segment, 1)?;
        }
        self.put_away()?;
        let notices = self.cut(last, true)?;
        if self.last.is_none() {
            self.last = Some(self.open_segment(mark.end.segment, true)?);
        }
        Ok(notices)
    }

    /// Fails once a write couldn't be made durable.
    pub(crate) fn check_writable(&self) -> Result<(), LedgerError> {
        match &self.stopped {
            Some(why) => Err(LedgerError::Stopped(why.clone())),
            None => Ok(()),
        }
    }

    /// Writes a record after the last one, without making it durable, and says where it begins.
    pub(crate) fn append(
        &mut self,
        kind: RecordKind,
        version: u8,
        transaction: u64,
        content: &[u8],
    ) -> Result<Position, LedgerError> {
        self.check_writable()?;
        if content.len() > record::CONTENT_LIMIT {
            return Err(LedgerError::TooLarge { what: "a transaction", limit: record::CONTENT_LIMIT as u64 });
        }
        if self.end.offset >= self.segment_limit && self.end.offset > SEGMENT_HEAD {
            self.begin_segment(transaction)?;
        }
        let (bytes, hash) = record::write(kind, version, transaction, self.head, content);
        self.write_ahead(bytes.len())?;
        let start = self.end;
        let written = self.file()?.write_at(&bytes, start.offset);
        written.map_err(|error| LedgerError::io("write", &self.path(start.segment))(error))?;
        self.end.offset += bytes.len() as u64;
        self.len = self.len.max(self.end.offset);
        self.written += 1;
        self.head = hash;
        Ok(start)
    }

    /// Ends the last segment and begins another one, which `transaction` comes first in.
    pub(super) fn begin_segment(&mut self, transaction: u64) -> Result<(), LedgerError> {
        self.drop_zeros()?;
        self.sync()?;
        self.create_segment(self.end.segment + 1, transaction)
    }

    /// Puts zeros where records will come, if there is no room for `bytes` more and more are to be expected.
    fn write_ahead(&mut self, bytes: usize) -> Result<(), LedgerError> {
        if self.written < FEW || bytes > self.ahead || self.end.offset + bytes as u64 <= self.len {
            return Ok(());
        }
        // A disk that is too full for zeros may still have room for the record.
        if self.file()?.write_at(&vec![0; self.ahead], self.len).is_ok() {
            self.len += self.ahead as u64;
            self.sync()?;
        }
        Ok(())
    }

    /// Cuts off the zeros ahead of the records, those of a failed write too.
    fn drop_zeros(&mut self) -> Result<(), LedgerError> {
        let path = self.path(self.end.segment);
        self.file()?.set_len(self.end.offset).map_err(LedgerError::io("cut", &path))?;
        self.len = self.end.offset;
        Ok(())
    }

    /// Ends writing; whether nothing of a failed write can lie after the last record.
    pub(crate) fn finish(&mut self) -> bool {
        // A failure is kept as the reason why nothing is written any more.
        let _ = self.make_durable();
        if self.stopped.is_none() {
            // Zeros after the last record are as good as none.
            let _ = self.drop_zeros();
        }
        self.stopped.is_none()
    }

    /// Makes durable what lies after `place` as it was found: what the base is about to hold must not outlive it.
    pub(crate) fn settle(&self, place: Position) -> Result<(), LedgerError> {
        let from = place.max(self.beginning().mark.end);
        let Some(segment) = self.segments.last() else { return Ok(()) };
        if self.bytes_from(from)? == 0 {
            return Ok(());
        }
        let path = self.path(*segment);
        self.open_segment(*segment, true)?.sync().map_err(LedgerError::io("make durable", &path))
    }

    /// Bytes of zeros ahead of the records.
    pub(crate) fn zeros(&self) -> u64 {
        self.len.saturating_sub(self.end.offset)
    }

    /// Returns once all records are durable; if that fails, nothing is ever written again.
    pub(crate) fn sync(&mut self) -> Result<(), LedgerError> {
        self.check_writable()?;
        let _span = tracing::debug_span!("fsync", segment = self.end.segment).entered();
        let synced = self.file()?.sync();
        synced.map_err(|error| {
            let path = self.path(self.end.segment);
            self.stopped = Some(format!("{}: {error}", path.display()));
            LedgerError::io("make durable", &path)(error)
        })?;
        self.pending = false;
        Ok(())
    }

    /// Leaves it to [`Journal::make_durable`] to make the last commit durable.
    pub(crate) fn put_off(&mut self) {
        self.pending = true;
    }

    /// Whether some commit is not durable yet.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending
    }

    /// Returns once all commits are durable, those that were put off too.
    pub(crate) fn make_durable(&mut self) -> Result<(), LedgerError> {
        if self.pending { self.sync() } else { Ok(()) }
    }

    /// Goes back to `mark` after a failed write; if that fails too, nothing is ever written again.
    pub(crate) fn roll_back(&mut self, mark: Mark, last: u64) {
        self.set_end(mark);
        self.last = None;
        let again = self.cut(last, false).and_then(|_| self.open_segment(mark.end.segment, true));
        match again {
            Ok(file) => self.last = Some(file),
            Err(error) => self.stopped = self.stopped.take().or_else(|| Some(error.to_string())),
        }
    }

    fn file(&self) -> Result<&dyn DiskFile, LedgerError> {
        self.last.as_deref().ok_or(LedgerError::ReadOnly)
    }

    pub(super) fn open_segment(&self, segment: u32, write: bool) -> Result<Box<dyn DiskFile>, LedgerError> {
        let path = self.path(segment);
        let opened = match self.disk.open(&path, write, false) {
            // Another process may have put it into the archive since this one looked.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !write => {
                let archived = self.archive.join(segment_name(segment));
                self.disk.open(&archived, false, false).map_err(|_| error)
            }
            opened => opened,
        };
        opened.map_err(LedgerError::io("open", &path))
    }

    /// Makes a segment whole before it gets its name, so a segment that exists has a head.
    fn create_segment(&mut self, segment: u32, transaction: u64) -> Result<(), LedgerError> {
        let path = self.path(segment);
        let new = path.with_extension("new");
        let file = self.disk.open(&new, true, true).map_err(LedgerError::io("create", &new))?;
        file.write_at(&segment_head(segment, transaction, self.head), 0)
            .map_err(LedgerError::io("write", &new))?;
        file.sync().map_err(LedgerError::io("make durable", &new))?;
        self.disk.rename(&new, &path).map_err(LedgerError::io("rename", &new))?;
        self.disk.sync_dir(&self.dir).map_err(LedgerError::io("make durable", &self.dir))?;
        self.segments.push(segment);
        self.end = Position { segment, offset: SEGMENT_HEAD };
        self.len = SEGMENT_HEAD;
        self.last = Some(file);
        Ok(())
    }

    /// Drops what lies after the end: whole segments are set aside, bytes cut off. `keep` says whether these are kept
    /// too: what another process wrote may be wanted, what this one failed to write is not.
    fn cut(&mut self, last: u64, keep: bool) -> Result<Vec<Notice>, LedgerError> {
        let mut notices = Vec::new();
        while let Some(segment) = self.segments.last().copied().filter(|number| *number > self.end.segment) {
            let path = self.path(segment);
            let renamed = self.free_name(&path)?;
            self.disk.rename(&path, &renamed).map_err(LedgerError::io("rename", &path))?;
            self.disk.sync_dir(&self.dir).map_err(LedgerError::io("make durable", &self.dir))?;
            self.segments.pop();
            notices.push(Notice::SetAside { path, renamed });
        }
        let path = self.path(self.end.segment);
        let file = self.open_segment(self.end.segment, true)?;
        let len = file.len().map_err(LedgerError::io("read", &path))?;
        self.len = len;
        let offset = self.end.offset;
        if len > offset && !is_zero(file.as_ref(), offset, len).map_err(LedgerError::io("read", &path))? {
            let kept = if keep { Some(self.keep(file.as_ref(), offset, len)?) } else { None };
            self.len = offset;
            file.set_len(offset).map_err(LedgerError::io("cut", &path))?;
            file.sync().map_err(LedgerError::io("make durable", &path))?;
            notices.push(Notice::Cut { path, offset, bytes: len - offset, last, kept });
        }
        Ok(notices)
    }

    /// Copies what lies from `offset` on in the last segment into a file of its own, durable before it is cut off.
    fn keep(&self, from: &dyn DiskFile, offset: u64, len: u64) -> Result<PathBuf, LedgerError> {
        let path = self.free_name(&self.path(self.end.segment))?;
        let copy = || -> std::io::Result<()> {
            let to = self.disk.open(&path, true, true)?;
            let mut buffer = vec![0; CHUNK];
            let mut done = 0;
            while offset + done < len {
                let read = from.read_at(&mut buffer, offset + done)?;
                let bytes = buffer.get(..read).filter(|bytes| !bytes.is_empty());
                to.write_at(bytes.ok_or(std::io::ErrorKind::UnexpectedEof)?, done)?;
                done += read as u64;
            }
            to.sync()?;
            self.disk.sync_dir(&self.dir)
        };
        copy().map_err(LedgerError::io("save the truncated bytes to", &path))?;
        Ok(path)
    }

    /// A name beside `path` for what is cut off there. Where all are taken, the oldest file makes room.
    fn free_name(&self, path: &Path) -> Result<PathBuf, LedgerError> {
        let names = self.disk.list(&self.dir).map_err(LedgerError::io("list", &self.dir))?;
        let name = |number: u32| path.with_extension(format!("cut-{number}"));
        let taken = |path: &PathBuf| names.iter().any(|name| path.ends_with(name));
        if let Some(free) = (1..=KEPT).map(name).find(|path| !taken(path)) {
            return Ok(free);
        }
        for number in 1..KEPT {
            let (from, to) = (name(number + 1), name(number));
            self.disk.rename(&from, &to).map_err(LedgerError::io("rename", &from))?;
        }
        Ok(name(KEPT))
    }
}

fn segment_name(segment: u32) -> String {
    format!("{segment:08}{SUFFIX}")
}

/// Whether a file holds nothing but zeros from `offset` to its end.
fn is_zero(file: &dyn DiskFile, offset: u64, len: u64) -> std::io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    let mut at = offset;
    while at < len {
        let read = file.read_at(&mut buffer, at)?;
        if read == 0 || buffer.iter().take(read).any(|byte| *byte != 0) {
            return Ok(read == 0);
        }
        at += read as u64;
    }
    Ok(true)
}

/// The number in the name of a file of the journal with this ending.
pub(super) fn number(name: &str, ending: &str) -> Option<u32> {
    let digits = name.strip_suffix(ending)?;
    (digits.len() == 8).then(|| digits.parse().ok()).flatten()
}

fn segment_head(segment: u32, transaction: u64, previous: Hash) -> Vec<u8> {
    let mut head = Vec::with_capacity(SEGMENT_HEAD as usize);
    head.extend(MAGIC);
    head.extend(VERSION.to_le_bytes());
    head.extend([0, 0]);
    head.extend(segment.to_le_bytes());
    head.extend(transaction.to_le_bytes());
    head.extend(previous.0);
    let check = Hash::of(&head).short::<4>();
    head.extend(check);
    head
}

/// Checks the head of `segment`, which must follow the record with the hash `previous`.
pub(super) fn check_segment_head(bytes: &[u8], segment: u32, previous: Hash) -> Result<(), &'static str> {
    let wrong = |_| "the segment header is truncated";
    let checked = bytes.get(..SEGMENT_HEAD as usize - 4).ok_or("the segment header is truncated")?;
    let mut reader = Reader::new(bytes);
    if reader.array().map_err(wrong)? != MAGIC {
        return Err("this is not a journal segment");
    }
    let version = reader.array().map_err(wrong)?;
    reader.take(2).map_err(wrong)?;
    let number = reader.array().map_err(wrong)?;
    reader.take(8).map_err(wrong)?;
    let before = Hash(reader.array().map_err(wrong)?);
    if reader.array().map_err(wrong)? != Hash::of(checked).short::<4>() {
        return Err("the checksum of the segment header does not match");
    }
    if u16::from_le_bytes(version) != VERSION {
        return Err("unsupported segment version");
    }
    if u32::from_le_bytes(number) != segment {
        return Err("the segment does not match its file name");
    }
    if before != previous {
        return Err("the segment doesn't follow the previous one");
    }
    Ok(())
}
