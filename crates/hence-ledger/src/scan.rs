//! Reading the journal: all transactions from a place on, or one, each record checked against the chain.

use super::disk::DiskFile;
use super::error::LedgerError;
use super::hash::Hash;
use super::journal::{End, Journal, Mark, Position, SEGMENT_HEAD, check_segment_head};
use super::record::{self, HEAD, Parsed, Record, RecordKind};

/// The contents of the records of a whole transaction.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    pub(crate) number: u64,
    /// The contents, the commit's last.
    pub(crate) contents: Vec<Vec<u8>>,
    /// Where its first record begins.
    pub(crate) start: Position,
    /// After its last record.
    pub(crate) end: Position,
    /// The hash of its last record.
    pub(crate) hash: Hash,
    /// The hash of the record before its first.
    pub(crate) previous: Hash,
    /// Whether its commit was written before the one before it was durable.
    pub(crate) joined: bool,
}

impl Whole {
    /// Its number and hash.
    pub(crate) fn last(&self) -> End {
        End { tx: self.number, head: self.hash }
    }
}

/// Where a scan begins: after which transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From {
    pub(crate) mark: Mark,
    pub(crate) transaction: u64,
}

impl From {
    /// The beginning of the journal.
    pub(crate) fn beginning() -> Self {
        let end = Position { segment: 1, offset: SEGMENT_HEAD };
        Self { mark: Mark { end, head: Hash::default() }, transaction: 0 }
    }
}

/// What lies after the last whole transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left {
    /// Where it begins.
    pub(crate) at: Position,
    /// Why it is not a transaction.
    pub(crate) what: &'static str,
}

/// How far a scan came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanned {
    /// After the last whole transaction that was visited.
    pub(crate) done: From,
    /// What follows it, where that was looked at.
    pub(crate) left: Option<Left>,
}

type Visit<'v> = dyn FnMut(Whole) -> Result<bool, LedgerError> + 'v;

/// A scan under way.
struct Scan {
    /// After the last whole transaction.
    done: From,
    /// The hash that the next record must follow.
    head: Hash,
    /// The transaction that is being read, if its commit hasn't come.
    open: Option<Whole>,
    /// What can't be read at the end.
    left: Option<Left>,
}

impl Journal {
    /// Where the journal begins: after its snapshot, if it has one.
    pub(crate) fn beginning(&self) -> From {
        match self.snapshot {
            None => From::beginning(),
            Some(held) => {
                let end = Position { segment: held.segment, offset: SEGMENT_HEAD };
                From { mark: Mark { end, head: held.head }, transaction: held.transaction }
            }
        }
    }

    /// Hands every transaction after `from` to `visit`, until it answers `false`, and says where the last whole
    /// transaction ends and what follows it: an unfinished write, or damage where it is known that there was none.
    ///
    /// # Errors
    /// Damage, and whatever `visit` returns.
    pub(crate) fn scan(&self, from: From, visit: &mut Visit<'_>) -> Result<Scanned, LedgerError> {
        let mut scan = Scan { done: from, head: from.mark.head, open: None, left: None };
        let first = from.mark.end.segment;
        for &segment in self.segments.iter().filter(|segment| **segment >= first) {
            let skip = if segment == first { from.mark.end.offset } else { SEGMENT_HEAD };
            if !self.scan_segment(segment, skip, &mut scan, visit)? {
                return Ok(Scanned { done: scan.done, left: None });
            }
        }
        Ok(Scanned { done: scan.done, left: scan.left() })
    }

    fn scan_segment(
        &self,
        segment: u32,
        skip: u64,
        scan: &mut Scan,
        visit: &mut Visit<'_>,
    ) -> Result<bool, LedgerError> {
        let mut at = Position { segment, offset: skip };
        // What comes before isn't looked at, and may be most of a large ledger.
        let first = if skip == SEGMENT_HEAD { 0 } else { skip };
        let loaded = self.load(segment, first)?;
        let bytes = loaded.ok_or_else(|| self.damaged(at, scan, "the file is too short"))?;
        if skip == SEGMENT_HEAD {
            check_segment_head(&bytes, segment, scan.head)
                .map_err(|what| self.damaged(Position { segment, offset: 0 }, scan, what))?;
        }
        loop {
            let rest = usize::try_from(at.offset - first).ok().and_then(|start| bytes.get(start..));
            let rest = rest.ok_or_else(|| self.damaged(at, scan, "the file is too short"))?;
            match record::parse(rest) {
                Parsed::Record(record) => {
                    let next = Position { segment, offset: at.offset + record.len as u64 };
                    self.take(record, at, next, scan)?;
                    if let Some(whole) = scan.finished(next)
                        && !visit(whole)?
                    {
                        return Ok(false);
                    }
                    at = next;
                }
                Parsed::End if rest.is_empty() || self.is_last(segment) => return Ok(true),
                Parsed::End => return Err(self.damaged(at, scan, "zeros instead of a record")),
                Parsed::Bad(what) => {
                    let after = rest.split_first().map_or(rest, |(_, after)| after);
                    if !self.is_last(segment) || record::any_commit_in(after) {
                        return Err(self.damaged(at, scan, what));
                    }
                    scan.left = Some(Left { at, what });
                    return Ok(true);
                }
            }
        }
    }

    /// Adds a record to the transaction under way after checking that it follows.
    fn take(
        &self,
        record: Record<'_>,
        at: Position,
        next: Position,
        scan: &mut Scan,
    ) -> Result<(), LedgerError> {
        if record.previous != scan.head {
            return Err(self.damaged(at, scan, "the record doesn't follow the previous one"));
        }
        if record.transaction != scan.done.transaction + 1 {
            return Err(self.damaged(at, scan, "the record belongs to another transaction"));
        }
        let (number, previous) = (record.transaction, scan.head);
        let whole =
            scan.open.get_or_insert_with(|| Whole { number, start: at, previous, ..Whole::default() });
        whole.contents.push(record.content.to_vec());
        scan.head = record.hash;
        if record.kind.ends() {
            (whole.end, whole.hash) = (next, record.hash);
            whole.joined = record.kind == RecordKind::Joined;
        }
        Ok(())
    }

    /// The transaction whose first record begins at `start`.
    pub(crate) fn read(&self, start: Position, number: u64) -> Result<Whole, LedgerError> {
        self.read_records(start, number, &mut |record, _, whole| whole.contents.push(record.content.to_vec()))
    }

    /// The same as whole records instead of their contents.
    pub(crate) fn read_raw(&self, start: Position, number: u64) -> Result<Whole, LedgerError> {
        self.read_records(start, number, &mut |record, bytes, whole| {
            whole.contents.push(bytes.get(..record.len).unwrap_or(bytes).to_vec());
        })
    }

    /// Its last record alone: the parts before, which may be much, are passed over. That record's hash covers theirs.
    pub(crate) fn read_end(&self, start: Position, number: u64) -> Result<Whole, LedgerError> {
        let mut at = start;
        loop {
            let (file, _) = self.open_at(&mut at, number)?;
            let mut head = [0; HEAD];
            file.read_at(&mut head, at.offset).map_err(LedgerError::io("read", &self.path(at.segment)))?;
            match record::part_len(&head) {
                Some(len) => at.offset += len as u64,
                None => return self.read_records(at, number, &mut |_, _, _| {}),
            }
        }
    }

    /// The segment that a place lies in, and its length; a place at the end of one is the beginning of the next.
    fn open_at(&self, at: &mut Position, number: u64) -> Result<(Box<dyn DiskFile>, u64), LedgerError> {
        loop {
            let file = match (self.open_segment(at.segment, false), self.snapshot) {
                (Err(LedgerError::Io { .. }), Some(held)) if at.segment < held.segment => {
                    return Err(self.archived(number, held));
                }
                (opened, _) => opened?,
            };
            let len = file.len().map_err(LedgerError::io("read", &self.path(at.segment)))?;
            if at.offset < len {
                return Ok((file, len));
            }
            *at = Position { segment: at.segment + 1, offset: SEGMENT_HEAD };
        }
    }

    fn read_records(
        &self,
        start: Position,
        number: u64,
        keep: &mut dyn FnMut(&Record<'_>, &[u8], &mut Whole),
    ) -> Result<Whole, LedgerError> {
        let mut whole = Whole { number, start, ..Whole::default() };
        let (mut at, mut first) = (start, true);
        loop {
            let (file, len) = self.open_at(&mut at, number)?;
            let path = self.path(at.segment);
            let bytes = read_record(file.as_ref(), at.offset, len).map_err(LedgerError::io("read", &path))?;
            let bad = |what: &str| LedgerError::Damaged {
                path,
                offset: at.offset,
                transaction: number,
                what: what.into(),
            };
            let record = match record::parse(&bytes) {
                Parsed::Record(record) if record.transaction == number => record,
                Parsed::Record(_) => return Err(bad("the record belongs to another transaction")),
                Parsed::End => return Err(bad("the journal ends here")),
                Parsed::Bad(what) => return Err(bad(what)),
            };
            if std::mem::take(&mut first) {
                whole.previous = record.previous;
            } else if record.previous != whole.hash {
                return Err(bad("the record doesn't follow the previous one"));
            }
            keep(&record, &bytes, &mut whole);
            whole.hash = record.hash;
            at.offset += record.len as u64;
            if record.kind.ends() {
                whole.end = at;
                whole.joined = record.kind == RecordKind::Joined;
                return Ok(whole);
            }
        }
    }

    /// Bytes of all segments together.
    pub(crate) fn size(&self) -> Result<u64, LedgerError> {
        self.bytes_from(Position::default())
    }

    /// How many bytes lie from a place on.
    pub(crate) fn bytes_from(&self, at: Position) -> Result<u64, LedgerError> {
        let len = |segment: &u32| {
            let file = self.open_segment(*segment, false)?;
            let len = file.len().map_err(LedgerError::io("read", &self.path(*segment)))?;
            Ok(if *segment == at.segment { len.saturating_sub(at.offset) } else { len })
        };
        self.segments.iter().filter(|segment| **segment >= at.segment).map(len).sum()
    }

    /// What a segment holds from `first` on; `None` where it ends before.
    fn load(&self, segment: u32, first: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        let path = self.path(segment);
        let file = self.open_segment(segment, false)?;
        let len = file.len().map_err(LedgerError::io("read", &path))?;
        let Some(len) = len.checked_sub(first) else { return Ok(None) };
        let mut bytes = vec![0; length(len).map_err(LedgerError::io("read", &path))?];
        let read = file.read_at(&mut bytes, first).map_err(LedgerError::io("read", &path))?;
        bytes.truncate(read);
        Ok(Some(bytes))
    }

    fn is_last(&self, segment: u32) -> bool {
        self.segments.last() == Some(&segment)
    }

    fn damaged(&self, at: Position, scan: &Scan, what: &str) -> LedgerError {
        self.damage(at, scan.done.transaction + 1, what.to_owned())
    }
}

impl Scan {
    /// What lies after the last whole transaction.
    fn left(&self) -> Option<Left> {
        match (&self.open, self.left) {
            (Some(open), Some(Left { what, .. })) => Some(Left { at: open.start, what }),
            (Some(open), None) => Some(Left { at: open.start, what: "the transaction is incomplete" }),
            (None, left) => left,
        }
    }

    /// The transaction that ends at `next`, if one does.
    fn finished(&mut self, next: Position) -> Option<Whole> {
        let whole = self.open.take_if(|whole| whole.end == next)?;
        self.done = From { mark: Mark { end: next, head: whole.hash }, transaction: whole.number };
        Some(whole)
    }
}

/// A length in memory; no address space holds more.
fn length(len: u64) -> std::io::Result<usize> {
    usize::try_from(len).map_err(|_| std::io::ErrorKind::FileTooLarge.into())
}

/// The bytes of the record at `offset` of a file of `len` bytes, as far as there are any.
fn read_record(file: &dyn DiskFile, offset: u64, len: u64) -> std::io::Result<Vec<u8>> {
    let mut head = [0; HEAD];
    // What is cut off reads as zeros, and is not a record.
    file.read_at(&mut head, offset)?;
    let [_, _, _, _, _, _, _, _, a, b, c, d, ..] = head;
    let size = u32::from_le_bytes([a, b, c, d]);
    let size = (u64::from(size) + HEAD as u64 + 8).min(len.saturating_sub(offset));
    let mut bytes = vec![0; length(size)?];
    let read = file.read_at(&mut bytes, offset)?;
    bytes.truncate(read);
    Ok(bytes)
}
