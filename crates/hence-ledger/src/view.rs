//! Base and backlog as one ordered map: what is committed but not yet in the base lies over it.

use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::backlog::{self, Backlog, Cursor};
use super::base::{Base, BaseError, Batch, Pair};
use super::block;
use super::bytes::{Malformed, Reader, after, put_varint};
use super::hash::Hash;
use super::journal::End;
use super::keys;
use super::recent::RecentBlocks;
use super::state;
use super::write_back::{self, Behind};

/// The prefix of blocks in the base; everything else there begins with another byte.
pub(super) const BLOCK: u8 = b'b';
/// A longer value is kept in pieces of its own.
const INLINE: usize = 900;
const PIECE: usize = 3000;
/// Over how long a part of the backlog is written at most while more is recorded.
const LONGEST_WRITE: Duration = Duration::from_millis(500);

impl From<Malformed> for BaseError {
    fn from(malformed: Malformed) -> Self {
        Self::Damaged(malformed.to_string())
    }
}

/// An ordered map over a base.
///
/// While a thread writes a part of the backlog, that part lies over the base for whoever reads: a block that is split
/// meanwhile is read twice or half, but each entry that moves is in the backlog too, which goes first.
pub(crate) struct View {
    base: Arc<dyn Base>,
    /// What was read of it, as it is apart from the backlog.
    recent: RecentBlocks,
    backlog: Backlog,
    /// The write under way on another thread.
    behind: Option<Behind>,
    /// Since when the backlog fills.
    since: Instant,
    /// Up to which transaction the base expects changes.
    reach: Option<End>,
}

impl View {
    pub(crate) fn new(base: Box<dyn Base>) -> Self {
        Self {
            base: Arc::from(base),
            recent: RecentBlocks::default(),
            backlog: Backlog::default(),
            behind: None,
            since: Instant::now(),
            reach: None,
        }
    }

    pub(crate) fn base(&self) -> &dyn Base {
        self.base.as_ref()
    }

    /// Ends all work of the base.
    ///
    /// # Errors
    /// The base's own.
    pub(crate) fn close_base(&mut self) -> Result<(), BaseError> {
        // What wasn't written is in the journal.
        let _ = self.settle();
        let base = Arc::get_mut(&mut self.base).ok_or_else(|| BaseError::damaged("it is in use"))?;
        base.close()
    }

    /// Roughly the bytes that wait to be written to the base, without those that are being written.
    pub(crate) fn backlog_bytes(&self) -> usize {
        self.backlog.bytes()
    }

    /// Whether the base lacks something, or may.
    pub(crate) fn is_behind(&self) -> bool {
        self.backlog.bytes() > 0 || self.backlog.is_written()
    }

    /// Whether another thread writes, or has written, what isn't taken note of.
    pub(crate) fn is_writing(&self) -> bool {
        self.behind.is_some()
    }

    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.backlog.change(key, Some(value));
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.backlog.change(key, None);
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        if let Some(value) = self.backlog.get(key) {
            return Ok(value.clone());
        }
        self.recent.find(self.base.as_ref(), key)
    }

    /// Finds values of keys that come in order without reading a block twice.
    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder { view: self, block: None, backlog: Cursor::default() }
    }

    /// Hands the entries whose keys begin with `prefix` to `visit`, ascending, without copying those of the base.
    pub(crate) fn each<E: From<BaseError> + From<Malformed>>(
        &self,
        prefix: &[u8],
        visit: &mut impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = keys::end(prefix);
        let end_bound = Bound::Excluded(end.as_slice());
        if self.backlog.is_written() || self.backlog.range(prefix, end_bound).next().is_some() {
            return self.prefix(prefix).try_for_each(|entry| {
                let (key, value) = entry?;
                visit(&key, &value)
            });
        }
        let start = block_key(prefix);
        let mut next = match self.base.floor(&start)?.filter(|(key, _)| key.first() == Some(&BLOCK)) {
            Some(pair) => Some(pair),
            None => self.base.above(&start)?,
        };
        while let Some((first, block)) = next.take().filter(|(key, _)| key.first() == Some(&BLOCK)) {
            let on = block::each(&block, &mut |key, value| {
                if key >= end.as_slice() {
                    return Ok(false);
                }
                if key.starts_with(prefix) {
                    visit(key, value)?;
                }
                Ok::<_, E>(true)
            })?;
            if on {
                next = self.base.above(&first)?;
            }
        }
        Ok(())
    }

    /// The entries from `start` up to but without `end`, ascending.
    pub(crate) fn range(&self, start: Vec<u8>, end: Vec<u8>) -> Entries<'_> {
        let backlog = self.backlog.range(&start, Bound::Excluded(&end));
        Entries { blocks: Blocks::new(self.base.as_ref(), start, end), ahead: None, backlog, waiting: None }
    }

    /// The entries whose keys begin with `prefix`.
    pub(crate) fn prefix(&self, prefix: &[u8]) -> Entries<'_> {
        self.range(prefix.to_vec(), keys::end(prefix))
    }

    /// The form in which a value of any length is stored inside another one: itself, or the hash of its pieces,
    /// which are put here.
    pub(crate) fn store_long(&mut self, value: &[u8]) -> Vec<u8> {
        let mut stored = Vec::with_capacity(value.len().min(INLINE) + 1);
        if value.len() <= INLINE {
            stored.push(0);
            stored.extend_from_slice(value);
        } else {
            let hash = Hash::of(value);
            stored.push(1);
            stored.extend(hash.0);
            put_varint(&mut stored, value.len() as u64);
            for (number, piece) in (0..).zip(value.chunks(PIECE)) {
                self.put(keys::piece(hash, number), piece.to_vec());
            }
        }
        stored
    }

    /// The value that [`View::store_long`] stored as `stored`.
    pub(crate) fn load_long(&self, stored: &[u8]) -> Result<Vec<u8>, BaseError> {
        let mut reader = Reader::new(stored);
        if reader.byte()? == 0 {
            return Ok(reader.rest().to_vec());
        }
        let hash = Hash(reader.array()?);
        let pieces = u32::try_from(reader.length()?.div_ceil(PIECE));
        let mut value = Vec::new();
        for number in 0..pieces.map_err(|_| BaseError::damaged("a long value has too many pieces"))? {
            let piece = self.get(&keys::piece(hash, number))?;
            value.extend(piece.ok_or_else(|| BaseError::damaged("a piece of a long value is missing"))?);
        }
        if Hash::of(&value) == hash {
            Ok(value)
        } else {
            Err(BaseError::damaged("the hash of a long value does not match"))
        }
    }

    /// Makes the base expect changes of transactions up to `last`.
    fn reach(&mut self, last: End) -> Result<(), BaseError> {
        if self.reach != Some(last) {
            self.base.apply(state::ahead(last))?;
            self.reach = Some(last);
        }
        Ok(())
    }

    /// Puts entries, which ascend, of transactions up to `last` into the base itself. Nothing of the backlog may have a
    /// key of theirs.
    pub(crate) fn put_all(
        &mut self,
        last: End,
        entries: impl Iterator<Item = Pair>,
    ) -> Result<(), BaseError> {
        // What was not written lies over the base, where an entry may have the same key.
        self.settle()?;
        self.recent.clear();
        self.reach(last)?;
        let changes = entries.map(|(key, value)| (key, Some(value)));
        write_back::write(self.base.as_ref(), Box::new(changes), None)
    }

    /// Writes the backlog, of transactions up to `last`, to the base, then `end`. A write that ends halfway does no
    /// harm: the backlog still lies over it, in this process and in the next, which reads it from the journal again.
    pub(crate) fn flush(&mut self, last: End, end: Batch) -> Result<(), BaseError> {
        let _span =
            tracing::debug_span!("apply_to_base", to = last.tx, bytes = self.backlog.bytes()).entered();
        // What it didn't write is written now.
        let _ = self.settle();
        self.recent.clear();
        self.reach(last)?;
        write_back::write(self.base.as_ref(), write_back::layer_changes(self.backlog.young()), None)?;
        if !end.is_empty() {
            self.base.apply(end)?;
        }
        self.backlog.clear_young();
        Ok(())
    }

    /// The same on a thread of its own, while this goes on; [`View::written`] tells of its end. Waits for an earlier one.
    pub(crate) fn flush_behind(&mut self, last: End, end: Batch) -> Result<(), BaseError> {
        self.settle()?;
        let layer = self.backlog.freeze();
        // Half of the time in which the next one is about to fill, so that it ends before.
        let lasts = (std::mem::replace(&mut self.since, Instant::now()).elapsed() / 2).min(LONGEST_WRITE);
        let begun = Behind::begin(Arc::clone(&self.base), layer, (last, end), lasts);
        match begun {
            Ok(behind) => self.behind = Some(behind),
            Err(error) => {
                self.backlog.take_back();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes note of the end of a write on another thread, if there is one that has ended: up to which transaction the
    /// base holds everything. What could not be written waits on.
    pub(crate) fn written(&mut self) -> Option<Result<u64, BaseError>> {
        self.behind.as_ref().is_some_and(Behind::is_over).then(|| self.settle().transpose()).flatten()
    }

    /// The same where that has to be waited for.
    pub(crate) fn settle(&mut self) -> Result<Option<u64>, BaseError> {
        let Some(behind) = self.behind.take() else { return Ok(None) };
        let ended = behind.wait();
        match ended {
            Ok(last) => {
                self.reach = Some(last);
                if let Some(written) = self.backlog.melt() {
                    self.recent.forget(&written);
                }
            }
            Err(_) => self.backlog.take_back(),
        }
        ended.map(|last| Some(last.tx))
    }
}

/// A block of the base that was decoded, and the keys that could be in it.
struct Found {
    /// Where it begins; nothing where there is no block before what was asked for.
    first: Vec<u8>,
    /// Where the block after it begins.
    limit: Option<Vec<u8>>,
    entries: Vec<Pair>,
}

/// Finds values, remembering the last block and the place in the backlog.
pub(crate) struct Finder<'a> {
    view: &'a View,
    block: Option<Found>,
    backlog: Cursor<'a>,
}

impl Finder<'_> {
    pub(crate) fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>, BaseError> {
        if let Some(value) = self.backlog.find(&self.view.backlog, key) {
            return Ok(value.as_deref());
        }
        let fits = |block: &Found| {
            block.first.as_slice() <= key && block.limit.as_ref().is_none_or(|limit| key < limit.as_slice())
        };
        if !self.block.as_ref().is_some_and(fits) {
            self.block = Some(self.load(key)?);
        }
        let Some(Found { entries, .. }) = &self.block else { return Ok(None) };
        let found = entries.binary_search_by(|(entry, _)| entry.as_slice().cmp(key)).ok();
        Ok(found.and_then(|at| entries.get(at)).map(|(_, value)| value.as_slice()))
    }

    fn load(&self, key: &[u8]) -> Result<Found, BaseError> {
        let Around { held, limit } = around(self.view.base.as_ref(), &block_key(key))?;
        Ok(match held {
            Some((first, block)) => {
                Found { first: after(&first, 1).to_vec(), limit, entries: block::decode(&block)? }
            }
            None => Found { first: Vec::new(), limit, entries: Vec::new() },
        })
    }
}

/// Where a key lies in a base.
pub(super) struct Around {
    /// The block that could hold it, under its key in the base; nothing before the first block.
    pub(super) held: Option<Pair>,
    /// The first key of the block after it.
    pub(super) limit: Option<Vec<u8>>,
}

/// Where the key of a block, [`block_key`], lies in a base.
pub(super) fn around(base: &dyn Base, wanted: &[u8]) -> Result<Around, BaseError> {
    let is_block = |key: &[u8]| key.first() == Some(&BLOCK);
    let held = base.floor(wanted)?.filter(|(key, _)| is_block(key));
    let above = base.above(held.as_ref().map_or(wanted, |(first, _)| first))?;
    let limit = above.filter(|(key, _)| is_block(key)).map(|(key, _)| after(&key, 1).to_vec());
    Ok(Around { held, limit })
}

pub(super) fn block_key(key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(key.len() + 1);
    out.push(BLOCK);
    out.extend_from_slice(key);
    out
}

/// The entries of the base in a range, block by block.
struct Blocks<'a> {
    base: &'a dyn Base,
    start: Vec<u8>,
    end: Vec<u8>,
    entries: std::vec::IntoIter<Pair>,
    /// The key of the block that `entries` came from; `None` before the first.
    block: Option<Vec<u8>>,
    /// The last key of the blocks so far.
    last: Vec<u8>,
    done: bool,
}

impl<'a> Blocks<'a> {
    fn new(base: &'a dyn Base, start: Vec<u8>, end: Vec<u8>) -> Self {
        let done = start >= end;
        Self { base, start, end, entries: Vec::new().into_iter(), block: None, last: Vec::new(), done }
    }

    fn next(&mut self) -> Result<Option<Pair>, BaseError> {
        while !self.done {
            let entry = self.entries.find(|(key, _)| *key >= self.start);
            match entry {
                Some((key, _)) if key >= self.end => self.done = true,
                Some(entry) => return Ok(Some(entry)),
                None => self.load()?,
            }
        }
        Ok(None)
    }

    fn load(&mut self) -> Result<(), BaseError> {
        let next = match &self.block {
            Some(key) => self.base.above(key)?,
            None => {
                let start = block_key(&self.start);
                match self.base.floor(&start)?.filter(|(key, _)| key.first() == Some(&BLOCK)) {
                    Some(pair) => Some(pair),
                    None => self.base.above(&start)?,
                }
            }
        };
        match next.filter(|(key, _)| key.first() == Some(&BLOCK)) {
            Some((key, block)) => {
                let mut entries = block::decode(&block)?;
                if self.block.is_some() {
                    // The block before was split since it was read: its upper half is no news.
                    entries.retain(|(key, _)| *key > self.last);
                }
                if let Some((last, _)) = entries.last() {
                    self.last.clone_from(last);
                }
                self.entries = entries.into_iter();
                self.block = Some(key);
            }
            None => self.done = true,
        }
        Ok(())
    }
}

/// Entries of a [`View`], ascending.
pub(crate) struct Entries<'a> {
    blocks: Blocks<'a>,
    /// The next entry of the base.
    ahead: Option<Pair>,
    backlog: backlog::Entries<'a>,
    /// The next entry of the backlog.
    waiting: Option<(&'a Vec<u8>, &'a Option<Vec<u8>>)>,
}

impl Entries<'_> {
    fn step(&mut self) -> Result<Option<Pair>, BaseError> {
        loop {
            if self.ahead.is_none() {
                self.ahead = self.blocks.next()?;
            }
            if self.waiting.is_none() {
                self.waiting = self.backlog.next();
            }
            let Some((key, value)) = self.waiting else { return Ok(self.ahead.take()) };
            if self.ahead.as_ref().is_some_and(|(ahead, _)| ahead < key) {
                return Ok(self.ahead.take());
            }
            self.ahead.take_if(|(ahead, _)| ahead == key);
            self.waiting = None;
            if let Some(value) = value {
                return Ok(Some((key.clone(), value.clone())));
            }
        }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Pair, BaseError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}
