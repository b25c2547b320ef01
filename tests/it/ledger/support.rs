//! Facts, drafts, ledgers, and disks and bases that fail, for the ledger's tests.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::base::{Base, BaseError, Batch, MemoryBase, Pair};
use hence_ledger::disk::{Disk, DiskFile, MemoryDisk};
use hence_ledger::{Draft, Ledger, OpenOptions};

/// `relation(number, text)`.
pub(super) fn fact(relation: &str, number: i64, text: &str) -> Fact {
    Fact::new(relation, vec![Value::Int(number), Value::String(Symbol::new(text))])
}

/// A draft of `time` that asserts and retracts.
pub(super) fn draft(time: i64, assertions: Vec<Fact>, retractions: Vec<Fact>) -> Draft {
    let (author, source) = (String::from("ada"), String::from("test"));
    Draft { time, author, source, assertions, retractions, ..Draft::default() }
}

/// The facts of `relation` that stand.
pub(super) fn facts(ledger: &Ledger, relation: &str) -> Vec<Fact> {
    ledger.facts(Symbol::new(relation)).map(|row| row.unwrap().0).collect()
}

/// Options with segments and backlog so small that a short test meets their limits.
pub(super) fn small() -> OpenOptions {
    OpenOptions {
        table_limit: 0,
        segment_limit: 2_000,
        part_limit: 200,
        ahead: 700,
        backlog_limit: 3_000,
        bulk: 4,
        ..OpenOptions::default()
    }
}

/// The same where another thread writes the base, or not.
pub(super) fn written(behind: bool) -> OpenOptions {
    OpenOptions { behind, ..small() }
}

/// A base in memory that asks before it takes a batch; what it refuses isn't there.
pub(super) struct Hooked<F> {
    pub(super) base: Arc<MemoryBase>,
    pub(super) before: F,
}

impl<F: Fn(&Batch) -> Result<(), BaseError> + Send + Sync> Base for Hooked<F> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        self.base.get(key)
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.base.floor(key)
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.base.above(key)
    }

    fn apply(&self, batch: Batch) -> Result<(), BaseError> {
        (self.before)(&batch)?;
        self.base.apply(batch)
    }

    fn size(&self) -> Result<u64, BaseError> {
        Ok(0)
    }

    fn close(&mut self) -> Result<(), BaseError> {
        Ok(())
    }
}

/// A base that takes so many batches and then no more.
pub(super) fn tired(base: &Arc<MemoryBase>, after: u64) -> Box<dyn Base> {
    let left = AtomicU64::new(after);
    let before = move |_: &Batch| {
        let took = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        took.map(drop).map_err(|_| BaseError::Medium(String::from("tired")))
    };
    Box::new(Hooked { base: Arc::clone(base), before })
}

/// What is done to a file or folder.
pub(super) enum Op<'a> {
    List,
    Open {
        create: bool,
    },
    Rename(&'a Path),
    SyncDir,
    Look,
    Write(u64, &'a [u8]),
    SetLen(u64),
    /// Of a file that was created when it was opened, or not.
    Sync {
        created: bool,
    },
}

type Hook = dyn Fn(&Path, Op<'_>) -> io::Result<()> + Send + Sync;

/// A disk in memory that asks before each operation. A write that is refused is made by half.
#[derive(Clone)]
pub(super) struct HookedDisk {
    disk: MemoryDisk,
    before: Arc<Hook>,
}

struct HookedFile {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    created: bool,
    before: Arc<Hook>,
}

/// A disk that asks `before`.
pub(super) fn hooked(
    disk: &MemoryDisk,
    before: impl Fn(&Path, Op<'_>) -> io::Result<()> + Send + Sync + 'static,
) -> Arc<HookedDisk> {
    Arc::new(HookedDisk { disk: disk.clone(), before: Arc::new(before) })
}

impl Disk for HookedDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.disk.create_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        (self.before)(path, Op::List)?;
        self.disk.list(path)
    }

    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        (self.before)(path, Op::Open { create })?;
        let file = self.disk.open(path, write, create)?;
        let before = Arc::clone(&self.before);
        Ok(Box::new(HookedFile { file, path: path.to_owned(), created: create, before }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.before)(from, Op::Rename(to))?;
        self.disk.rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        (self.before)(path, Op::SyncDir)?;
        self.disk.sync_dir(path)
    }
}

impl DiskFile for HookedFile {
    fn len(&self) -> io::Result<u64> {
        (self.before)(&self.path, Op::Look)?;
        self.file.len()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (self.before)(&self.path, Op::Look)?;
        self.file.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if let Err(error) = (self.before)(&self.path, Op::Write(offset, bytes)) {
            self.file.write_at(&bytes[..bytes.len() / 2], offset)?;
            return Err(error);
        }
        self.file.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        (self.before)(&self.path, Op::SetLen(len))?;
        self.file.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        (self.before)(&self.path, Op::Sync { created: self.created })?;
        self.file.sync()
    }
}

/// Small steps from a seed, the same on every run (xorshift).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}
