//! A base as one file that is never changed (a sorted string table): a question opens it without copying or locking anything.
//!
//! The values lie one after the other in the order of their keys, then the index, then the length of the index, its hash,
//! and [`END`]. Whatever isn't whole is as good as no table.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use hence_core::fault::OrBroken;
use hence_core::file;

use super::{Base, BaseError, Batch, Pair, VALUE_LIMIT};
use crate::bytes::{Malformed, Reader, put_bytes, put_varint};
use crate::disk::{DiskFile, OsFile};
use crate::hash::Hash;
use crate::open::create;

/// What a table ends with.
const END: [u8; 8] = *b"hencetab";
/// Bytes after the index: its length, its hash, and the above.
const TRAILER: usize = 8 + 32 + END.len();
/// Bytes of a value's checksum.
const CHECK: usize = 8;

/// A table that was opened.
pub(crate) struct Table {
    file: OsFile,
    /// Bytes of the file.
    size: u64,
    /// All keys, one after the other.
    keys: Vec<u8>,
    entries: Vec<Entry>,
}

/// A value of a table.
struct Entry {
    /// Where its key lies among all.
    key: Range<usize>,
    at: u64,
    len: usize,
    check: [u8; CHECK],
}

impl Table {
    /// The table in the file at `path`; `None` where there is none that is whole.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        Self::read(OsFile(file::open(path).ok()?)).ok()
    }

    fn read(file: OsFile) -> Result<Self, BaseError> {
        let size = file.len().map_err(failed)?;
        let begins = size.checked_sub(TRAILER as u64).ok_or(Malformed("a table is truncated"))?;
        let trailer = bytes(&file, begins, TRAILER)?;
        let mut reader = Reader::new(&trailer);
        let (len, hash) = (u64::from_le_bytes(reader.array()?), Hash(reader.array()?));
        if reader.array()? != END || len > begins {
            return Err(BaseError::damaged("a file is no table"));
        }
        let values = begins - len;
        let len = usize::try_from(len).map_err(|_| Malformed("an index is too large"))?;
        let index = bytes(&file, values, len)?;
        if Hash::of(&index) != hash {
            return Err(BaseError::damaged("the checksum of a table does not match"));
        }
        let (mut keys, mut entries, mut at) = (Vec::with_capacity(len), Vec::new(), 0);
        let (mut reader, mut last) = (Reader::new(&index), None);
        while !reader.is_empty() {
            let (begin, key) = (keys.len(), reader.bytes()?);
            if last.replace(key).is_some_and(|last| key <= last) {
                return Err(BaseError::damaged("the keys of a table do not ascend"));
            }
            keys.extend_from_slice(key);
            let (len, check) = (reader.length()?, reader.array()?);
            if len > VALUE_LIMIT {
                return Err(BaseError::damaged("a value of a table is too long"));
            }
            entries.push(Entry { key: begin..keys.len(), at, len, check });
            at += len as u64;
        }
        if at == values {
            Ok(Self { file, size, keys, entries })
        } else {
            Err(BaseError::damaged("the values of a table are not those of its index"))
        }
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        self.keys.get(entry.key.clone()).or_broken("the keys of a table are those of its entries")
    }

    /// The pair at a place, if there is one.
    fn pair(&self, at: Option<usize>) -> Result<Option<Pair>, BaseError> {
        let Some(entry) = at.and_then(|at| self.entries.get(at)) else { return Ok(None) };
        let value = bytes(&self.file, entry.at, entry.len)?;
        if Hash::of(&value).short() == entry.check {
            Ok(Some((self.key(entry).to_vec(), value)))
        } else {
            Err(BaseError::damaged("the checksum of a value of the table does not match"))
        }
    }

    /// How many keys are at most `key`.
    fn up_to(&self, key: &[u8]) -> usize {
        self.entries.partition_point(|entry| self.key(entry) <= key)
    }
}

impl Base for Table {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        Ok(self.floor(key)?.filter(|(found, _)| found == key).map(|(_, value)| value))
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.pair(self.up_to(key).checked_sub(1))
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.pair(Some(self.up_to(key)))
    }

    fn apply(&self, _: Batch) -> Result<(), BaseError> {
        Err(BaseError::damaged("a table is never changed"))
    }

    fn size(&self) -> Result<u64, BaseError> {
        Ok(self.size)
    }

    fn close(&mut self) -> Result<(), BaseError> {
        Ok(())
    }
}

/// Writes what `base` holds into the file at `path`, which has its name once it is whole and durable.
///
/// # Errors
/// If the base or the medium fails.
pub(crate) fn write(base: &dyn Base, path: &Path) -> Result<(), BaseError> {
    let new = path.with_extension("table-new");
    let written = write_into(base, &new).and_then(|()| fs::rename(&new, path).map_err(failed));
    if written.is_err() {
        // It would only take room.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_into(base: &dyn Base, path: &Path) -> Result<(), BaseError> {
    let mut out = BufWriter::new(create(path).map_err(failed)?);
    let (mut index, mut last) = (Vec::new(), Vec::new());
    while let Some((key, value)) = base.above(&last)? {
        put_bytes(&mut index, &key);
        put_varint(&mut index, value.len() as u64);
        index.extend(Hash::of(&value).short::<CHECK>());
        out.write_all(&value).map_err(failed)?;
        last = key;
    }
    let hash = Hash::of(&index);
    let end = [index.as_slice(), &(index.len() as u64).to_le_bytes(), &hash.0, &END].concat();
    out.write_all(&end).and_then(|()| out.flush()).and_then(|()| out.get_ref().sync_data()).map_err(failed)
}

fn failed(error: io::Error) -> BaseError {
    BaseError::Medium(error.to_string())
}

fn bytes(file: &OsFile, at: u64, len: usize) -> Result<Vec<u8>, BaseError> {
    let mut bytes = vec![0; len];
    match file.read_at(&mut bytes, at).map_err(failed)? {
        read if read == len => Ok(bytes),
        _ => Err(BaseError::damaged("a table is truncated")),
    }
}
