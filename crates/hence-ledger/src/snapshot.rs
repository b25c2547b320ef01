//! Snapshots: what holds after a transaction, every transaction's summary and every rule set, in one file that is
//! for the segments before it.

use std::collections::BTreeSet;

use hence_core::fault::OrBroken;

use super::base::{Base, BaseError, MemoryBase, Pair};
use super::block;
use super::bytes::{Malformed, Reader};
use super::disk::DiskFile;
use super::error::LedgerError;
use super::hash::Hash;
use super::journal::End;
use super::keys;
use super::state::State;
use super::view::View;

const MAGIC: [u8; 8] = *b"hencesnp";
const VERSION: u16 = 1;
/// Bytes before the first block: magic, version, two zeros, segment, transaction, head.
const HEAD: usize = 56;
/// Bytes that are read and written at once.
const CHUNK: usize = 1 << 20;
/// The longest block: one entry may be larger than blocks of the base are.
const BLOCK_LIMIT: usize = 1 << 16;

/// What a snapshot says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotHead {
    /// The first segment that it doesn't replace.
    pub(crate) segment: u32,
    /// The last transaction that it covers.
    pub(crate) transaction: u64,
    /// That transaction's hash.
    pub(crate) head: Hash,
}

impl SnapshotHead {
    /// The last transaction that it covers.
    pub(crate) fn last(&self) -> End {
        End { tx: self.transaction, head: self.head }
    }
}

/// What the note of the transaction after a snapshot begins with.
pub(crate) const NOTE: &str = "snapshot ";

/// What the transaction after a snapshot notes.
pub(crate) fn note(hash: Hash) -> String {
    format!("{NOTE}{hash}")
}

/// A file being written, from its beginning to its end.
struct Out<'a> {
    file: &'a dyn DiskFile,
    at: u64,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
}

impl Out<'_> {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.hasher.update(bytes);
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= CHUNK { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> std::io::Result<()> {
        self.file.write_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn blocks(&mut self, entries: &mut Vec<Pair>) -> std::io::Result<()> {
        for (_, block) in block::encode(entries) {
            self.put(&(block.len() as u32).to_le_bytes())?;
            self.put(&block)?;
        }
        entries.clear();
        Ok(())
    }
}

/// Writes the snapshot of `state` and `view`, makes it durable, and returns its hash and the hashes of the long values
/// in it.
///
/// # Errors
/// If base or file fail.
pub(crate) fn write(
    file: &dyn DiskFile,
    segment: u32,
    state: &State,
    view: &View,
) -> Result<(Hash, BTreeSet<Hash>), LedgerError> {
    let failed = LedgerError::io("write", "the snapshot".as_ref());
    let mut out = Out { file, at: 0, buffer: Vec::new(), hasher: blake3::Hasher::new() };
    let mut long = BTreeSet::new();
    let written = entries(&mut out, segment, state, view, &mut long)?;
    let end = |out: &mut Out<'_>| {
        out.put(&[0; 4])?;
        let hash = Hash(*out.hasher.finalize().as_bytes());
        out.put(&hash.0)?;
        out.write()?;
        file.sync()?;
        Ok(hash)
    };
    match written.and_then(|()| end(&mut out)) {
        Ok(hash) => Ok((hash, long)),
        Err(error) => Err(failed(error)),
    }
}

/// Writes head and entries. The inner error is the file's.
fn entries(
    out: &mut Out<'_>,
    segment: u32,
    state: &State,
    view: &View,
    long: &mut BTreeSet<Hash>,
) -> Result<std::io::Result<()>, BaseError> {
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend([0, 0]);
    head.extend(segment.to_le_bytes());
    head.extend(state.tx.to_le_bytes());
    head.extend(state.head.0);
    // What an earlier snapshot replaced makes no difference to this one.
    let state = State { snapshot: 0, ..state.clone() };
    let put = |(key, value): (_, Option<_>)| (key, value.or_broken("a state is put, not removed"));
    let mut pairs: Vec<Pair> = state.encode().into_iter().map(put).collect();
    if let Err(error) = out.put(&head).and_then(|()| out.blocks(&mut pairs)) {
        return Ok(Err(error));
    }
    let mut bytes = 0;
    for section in [keys::FACT, keys::DECISION, keys::TRANSACTION, keys::RULES, keys::PIECE] {
        for entry in view.prefix(&[section]) {
            let (key, value) = entry?;
            if section == keys::PIECE && !piece_of(&key).is_some_and(|hash| long.contains(&hash)) {
                continue;
            }
            named(section, &key, &value, long)?;
            bytes += key.len() + value.len();
            pairs.push((key, value));
            if bytes >= CHUNK {
                bytes = 0;
                if let Err(error) = out.blocks(&mut pairs) {
                    return Ok(Err(error));
                }
            }
        }
    }
    Ok(out.blocks(&mut pairs))
}

/// The long value that a key of a piece belongs to.
pub(crate) fn piece_of(key: &[u8]) -> Option<Hash> {
    key.get(1..33)?.try_into().ok().map(Hash)
}

/// Adds the long values that an entry names to `long`.
fn named(section: u8, key: &[u8], value: &[u8], long: &mut BTreeSet<Hash>) -> Result<(), Malformed> {
    let mut reader = Reader::new(value);
    let mut stored = Vec::new();
    match section {
        keys::FACT | keys::DECISION => {
            reader.varint()?;
            if section == keys::DECISION {
                stored.push(reader.bytes()?);
            }
            if keys::tuple(key).is_none() {
                stored.push(reader.rest());
            }
        }
        keys::TRANSACTION | keys::RULES => stored.push(value),
        _ => {}
    }
    for value in stored {
        if value.first() == Some(&1) {
            let hash = value.get(1..33).and_then(|bytes| bytes.try_into().ok());
            long.insert(Hash(hash.ok_or(Malformed("a long value is truncated"))?));
        }
    }
    Ok(())
}

/// The head of a snapshot.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn head(file: &dyn DiskFile) -> Result<SnapshotHead, &'static str> {
    let wrong = |_| "the snapshot header is truncated";
    let mut bytes = [0; HEAD];
    let read = file.read_at(&mut bytes, 0).map_err(|_| "the snapshot can't be read")?;
    if read < HEAD {
        return Err("the snapshot header is truncated");
    }
    let mut reader = Reader::new(&bytes);
    if reader.array().map_err(wrong)? != MAGIC {
        return Err("this is not a snapshot");
    }
    if u16::from_le_bytes(reader.array().map_err(wrong)?) != VERSION {
        return Err("unsupported snapshot version");
    }
    reader.take(2).map_err(wrong)?;
    Ok(SnapshotHead {
        segment: u32::from_le_bytes(reader.array().map_err(wrong)?),
        transaction: u64::from_le_bytes(reader.array().map_err(wrong)?),
        head: Hash(reader.array().map_err(wrong)?),
    })
}

/// A file being read, from its beginning to its end.
struct In<'a> {
    file: &'a dyn DiskFile,
    at: u64,
    hasher: blake3::Hasher,
}

impl In<'_> {
    fn take(&mut self, len: usize) -> Result<Vec<u8>, &'static str> {
        let mut bytes = vec![0; len];
        let read = self.file.read_at(&mut bytes, self.at).map_err(|_| "the snapshot can't be read")?;
        if read < len {
            return Err("the snapshot is truncated");
        }
        self.at += len as u64;
        Ok(bytes)
    }

    fn hashed(&mut self, len: usize) -> Result<Vec<u8>, &'static str> {
        let bytes = self.take(len)?;
        self.hasher.update(&bytes);
        Ok(bytes)
    }

    fn block(&mut self) -> Result<Option<Vec<Pair>>, &'static str> {
        let len = self.hashed(4)?.try_into().map_or(0, u32::from_le_bytes) as usize;
        match len {
            0 => Ok(None),
            1..=BLOCK_LIMIT => block::decode(&self.hashed(len)?).map(Some).map_err(|Malformed(what)| what),
            _ => Err("a block of the snapshot is too long"),
        }
    }
}

/// What reading a snapshot fails with.
pub(crate) enum Unread {
    /// The snapshot is damaged, so many bytes in.
    Damaged(u64, &'static str),
    /// The base takes no entries.
    Base(BaseError),
}

impl From<BaseError> for Unread {
    fn from(error: BaseError) -> Self {
        Self::Base(error)
    }
}

/// Puts everything of a snapshot into `view`, which is written to its base where more than `limit` bytes wait; returns
/// the state and the snapshot's hash.
///
/// # Errors
/// Damage of the snapshot; and what the base says.
pub(crate) fn load(file: &dyn DiskFile, view: &mut View, limit: usize) -> Result<(State, Hash), Unread> {
    let expected = head(file).map_err(|what| Unread::Damaged(0, what))?;
    let mut reading = In { file, at: 0, hasher: blake3::Hasher::new() };
    let held = MemoryBase::default();
    reading.hashed(HEAD).map_err(|what| Unread::Damaged(0, what))?;
    loop {
        let at = reading.at;
        let Some(pairs) = reading.block().map_err(|what| Unread::Damaged(at, what))? else { break };
        for (key, value) in pairs {
            if key.first() == Some(&b'm') {
                held.apply(vec![(key, Some(value))])?;
            } else {
                view.put(key, value);
            }
        }
        if view.backlog_bytes() > limit {
            view.flush(expected.last(), Vec::new())?;
        }
    }
    let (at, hash) = (reading.at, Hash(*reading.hasher.finalize().as_bytes()));
    let damaged = |what| Unread::Damaged(at, what);
    if reading.take(32).map_err(damaged)? != hash.0 {
        return Err(damaged("the checksum of the snapshot does not match"));
    }
    let state = State::decode(&held).map_err(|_| damaged("the snapshot's state is damaged"))?;
    let state = state.ok_or_else(|| damaged("the snapshot contains no state"))?;
    if (state.tx, state.head) != (expected.transaction, expected.head) {
        return Err(damaged("the snapshot's transaction does not match its header"));
    }
    Ok((State { snapshot: expected.segment, ..state }, hash))
}
