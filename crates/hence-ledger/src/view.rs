//! Base and backlog as one ordered map: what is committed but not yet in the base lies over it.

use std::collections::{BTreeMap, btree_map};
use std::iter::Peekable;
use std::ops::Bound;

use super::base::{Base, BaseError, Batch, Pair};
use super::block;
use super::bytes::{Malformed, Reader, after, put_varint};
use super::hash::Hash;
use super::journal::End;
use super::keys;
use super::state;

/// The prefix of blocks in the base; everything else there begins with another byte.
const BLOCK: u8 = b'b';
/// Most bytes and keys of a batch.
const BATCH_BYTES: usize = 128 << 10;
const BATCH_KEYS: usize = 300;
/// How many bytes of changes are merged into one block at a time.
const STEP_BYTES: usize = 48 << 10;
/// A longer value is kept in pieces of its own.
const INLINE: usize = 900;
const PIECE: usize = 3000;

impl From<Malformed> for BaseError {
    fn from(malformed: Malformed) -> Self {
        Self::Damaged(malformed.to_string())
    }
}

/// An ordered map over a base.
pub(crate) struct View {
    base: Box<dyn Base>,
    /// Entries that the base doesn't hold yet, and keys that it holds no longer.
    backlog: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    backlog_bytes: usize,
    /// Up to which transaction the base expects changes.
    reach: Option<End>,
}

impl View {
    pub(crate) fn new(base: Box<dyn Base>) -> Self {
        Self { base, backlog: BTreeMap::new(), backlog_bytes: 0, reach: None }
    }

    pub(crate) fn base(&self) -> &dyn Base {
        self.base.as_ref()
    }

    pub(crate) fn base_mut(&mut self) -> &mut dyn Base {
        self.base.as_mut()
    }

    /// Roughly the bytes that wait to be written to the base.
    pub(crate) fn backlog_bytes(&self) -> usize {
        self.backlog_bytes
    }

    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.change(key, Some(value));
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.change(key, None);
    }

    fn change(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.backlog_bytes += 64 + key.len() + value.as_ref().map_or(0, Vec::len);
        self.backlog.insert(key, value);
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        if let Some(value) = self.backlog.get(key) {
            return Ok(value.clone());
        }
        match self.base.floor(&block_key(key))? {
            Some((first, block)) if first.first() == Some(&BLOCK) => Ok(block::find(&block, key)?),
            _ => Ok(None),
        }
    }

    /// Finds values of keys that come in order without reading a block twice.
    pub(crate) fn finder(&self) -> Finder<'_> {
        Finder { view: self, block: None, waiting: None, asked: Vec::new() }
    }

    /// Hands the entries whose keys begin with `prefix` to `visit`, ascending, without copying those of the base.
    pub(crate) fn each<E: From<BaseError> + From<Malformed>>(
        &self,
        prefix: &[u8],
        visit: &mut impl FnMut(&[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = keys::end(prefix);
        let bounds = (Bound::Included(prefix), Bound::Excluded(end.as_slice()));
        if self.backlog.range::<[u8], _>(bounds).next().is_some() {
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
        let bounds = (Bound::Included(start.as_slice()), Bound::Excluded(end.as_slice()));
        let backlog = if start < end { Some(self.backlog.range::<[u8], _>(bounds)) } else { None };
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
        self.reach(last)?;
        let changes = entries.map(|(key, value)| (key, Some(value)));
        write(self.base.as_ref(), &mut (Box::new(changes) as Box<Ascending<'_>>).peekable())
    }

    /// Writes the backlog, of transactions up to `last`, to the base, then `end`. A write that ends halfway does no
    /// harm: the backlog still lies over it, in this process and in the next, which reads it from the journal again.
    pub(crate) fn flush(&mut self, last: End, end: Batch) -> Result<(), BaseError> {
        let _span = tracing::debug_span!("apply_to_base", to = last.tx, bytes = self.backlog_bytes).entered();
        self.reach(last)?;
        let changes = self.backlog.iter().map(|(key, value)| (key.clone(), value.clone()));
        write(self.base.as_ref(), &mut (Box::new(changes) as Box<Ascending<'_>>).peekable())?;
        if !end.is_empty() {
            self.base.apply(end)?;
        }
        self.backlog.clear();
        self.backlog_bytes = 0;
        Ok(())
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

type Waiting<'a> = Peekable<btree_map::Range<'a, Vec<u8>, Option<Vec<u8>>>>;

/// Finds values, remembering the last block and the place in the backlog.
pub(crate) struct Finder<'a> {
    view: &'a View,
    block: Option<Found>,
    /// The backlog from about the last key that was asked for.
    waiting: Option<Waiting<'a>>,
    asked: Vec<u8>,
}

/// How far the next key may lie in the backlog to be looked for entry by entry.
const NEAR: usize = 8;

impl<'a> Finder<'a> {
    pub(crate) fn get(&mut self, key: &[u8]) -> Result<Option<&[u8]>, BaseError> {
        if let Some(value) = self.in_backlog(key) {
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

    /// What the backlog holds under `key`.
    fn in_backlog(&mut self, key: &[u8]) -> Option<&'a Option<Vec<u8>>> {
        let ascends = self.asked.as_slice() <= key;
        self.asked.clear();
        self.asked.extend_from_slice(key);
        if let Some(waiting) = self.waiting.as_mut().filter(|_| ascends) {
            for _ in 0..NEAR {
                match waiting.peek() {
                    Some((next, _)) if next.as_slice() < key => waiting.next(),
                    Some((next, value)) => return (next.as_slice() == key).then_some(*value),
                    None => return None,
                };
            }
        }
        let from = (Bound::Included(key), Bound::Unbounded);
        let mut waiting = self.view.backlog.range::<[u8], _>(from).peekable();
        let found = waiting.peek().filter(|(next, _)| next.as_slice() == key).map(|(_, value)| *value);
        self.waiting = Some(waiting);
        found
    }

    fn load(&self, key: &[u8]) -> Result<Found, BaseError> {
        let base = self.view.base.as_ref();
        let wanted = block_key(key);
        let bare = |key: Vec<u8>| after(&key, 1).to_vec();
        let held = base.floor(&wanted)?.filter(|(key, _)| key.first() == Some(&BLOCK));
        let above = base.above(held.as_ref().map_or(&wanted, |(first, _)| first))?;
        let limit = above.map(|(key, _)| key).filter(|key| key.first() == Some(&BLOCK)).map(bare);
        Ok(match held {
            Some((first, block)) => Found { first: bare(first), limit, entries: block::decode(&block)? },
            None => Found { first: Vec::new(), limit, entries: Vec::new() },
        })
    }
}

/// Changes to a base, in the order of their keys.
type Ascending<'a> = dyn Iterator<Item = (Vec<u8>, Option<Vec<u8>>)> + 'a;
type Changes<'a> = Peekable<Box<Ascending<'a>>>;

/// Merges changes into the blocks of a base.
fn write(base: &dyn Base, changes: &mut Changes<'_>) -> Result<(), BaseError> {
    let mut writer = Writer { base, batch: Batch::new(), bytes: 0 };
    while let Some(first) = changes.peek().map(|(key, _)| block_key(key)) {
        writer.merge(&first, changes)?;
    }
    writer.write()
}

/// A write of the backlog under way.
struct Writer<'a> {
    base: &'a dyn Base,
    batch: Batch,
    bytes: usize,
}

impl Writer<'_> {
    /// Merges the changes that fall into the block of `first` into it, in one batch.
    fn merge(&mut self, first: &[u8], changes: &mut Changes<'_>) -> Result<(), BaseError> {
        let old = self.base.floor(first)?.filter(|(key, _)| key.first() == Some(&BLOCK));
        let limit = self.base.above(old.as_ref().map_or(first, |(key, _)| key.as_slice()))?;
        let limit = limit.map(|(key, _)| key).filter(|key| key.first() == Some(&BLOCK));
        let limit = limit.as_ref().and_then(|key| key.get(1..));
        let inside = |key: &[u8]| limit.is_none_or(|limit| key < limit);
        let mut taken: Batch = Vec::new();
        let mut bytes = 0;
        while let Some(change) = changes.next_if(|(key, _)| bytes < STEP_BYTES && inside(key)) {
            bytes += change.0.len() + change.1.as_ref().map_or(0, Vec::len) + 4;
            taken.push(change);
        }
        let entries = match &old {
            Some((_, block)) => block::decode(block)?,
            None => Vec::new(),
        };
        let blocks = block::encode(&merged(entries, taken));
        let replaced = old
            .map(|(key, _)| key)
            .filter(|key| blocks.first().is_none_or(|(first, _)| block_key(first) != *key));
        let all = replaced.map(|key| (key, None)).into_iter();
        self.add(all.chain(blocks.into_iter().map(|(key, block)| (block_key(&key), Some(block)))).collect())?;
        if changes.peek().is_some_and(|(key, _)| inside(key)) { self.write() } else { Ok(()) }
    }

    /// Adds changes that belong into one batch.
    fn add(&mut self, changes: Batch) -> Result<(), BaseError> {
        let bytes: usize =
            changes.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum();
        if self.bytes + bytes > BATCH_BYTES || self.batch.len() + changes.len() > BATCH_KEYS {
            self.write()?;
        }
        self.bytes += bytes;
        self.batch.extend(changes);
        Ok(())
    }

    fn write(&mut self) -> Result<(), BaseError> {
        self.bytes = 0;
        if self.batch.is_empty() { Ok(()) } else { self.base.apply(std::mem::take(&mut self.batch)) }
    }
}

fn block_key(key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(key.len() + 1);
    out.push(BLOCK);
    out.extend_from_slice(key);
    out
}

/// Entries with changes made to them; both ascend.
fn merged(entries: Vec<Pair>, changes: Batch) -> Vec<Pair> {
    let mut out = Vec::with_capacity(entries.len() + changes.len());
    let mut entries = entries.into_iter().peekable();
    for (key, value) in changes {
        while let Some(entry) = entries.next_if(|(old, _)| *old < key) {
            out.push(entry);
        }
        entries.next_if(|(old, _)| *old == key);
        out.extend(value.map(|value| (key, value)));
    }
    out.extend(entries);
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
    done: bool,
}

impl<'a> Blocks<'a> {
    fn new(base: &'a dyn Base, start: Vec<u8>, end: Vec<u8>) -> Self {
        let done = start >= end;
        Self { base, start, end, entries: Vec::new().into_iter(), block: None, done }
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
                self.entries = block::decode(&block)?.into_iter();
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
    backlog: Option<btree_map::Range<'a, Vec<u8>, Option<Vec<u8>>>>,
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
                self.waiting = self.backlog.as_mut().and_then(Iterator::next);
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
