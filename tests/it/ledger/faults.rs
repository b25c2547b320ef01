//! Failing system calls: each operation of the journal in turn, and bases that give up.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hence_ledger::base::{Base, BaseError, Batch, MemoryBase, Pair};
use hence_ledger::disk::{Disk, DiskFile, MemoryDisk};
use hence_ledger::{Ledger, LedgerError, Notice};

use super::script;
use super::support::small;

/// Lets a number of operations pass and fails those after it: one, or all.
struct Fuse {
    left: AtomicU64,
    forever: bool,
    error: io::ErrorKind,
}

impl Fuse {
    fn pass(&self) -> io::Result<()> {
        let before = self.left.load(Ordering::SeqCst);
        if before > 1 || before == 0 && !self.forever {
            self.left.store(before.saturating_sub(1), Ordering::SeqCst);
            return Ok(());
        }
        self.left.store(0, Ordering::SeqCst);
        Err(self.error.into())
    }
}

struct Faulty(MemoryDisk, Arc<Fuse>);

struct FaultyFile(Box<dyn DiskFile>, Arc<Fuse>);

impl Disk for Faulty {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.1.pass()?;
        self.0.list(path)
    }

    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        self.1.pass()?;
        Ok(Box::new(FaultyFile(self.0.open(path, write, create)?, Arc::clone(&self.1))))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.1.pass()?;
        self.0.rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.1.pass()?;
        self.0.sync_dir(path)
    }
}

impl DiskFile for FaultyFile {
    fn len(&self) -> io::Result<u64> {
        self.1.pass()?;
        self.0.len()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.1.pass()?;
        self.0.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if let Err(error) = self.1.pass() {
            self.0.write_at(&bytes[..bytes.len() / 2], offset)?;
            return Err(error);
        }
        self.0.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.1.pass()?;
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.1.pass()?;
        self.0.sync()
    }
}

/// Commits until `goal` or until nothing can be written; returns the last acknowledged transaction.
fn write(ledger: &mut Ledger, goal: u64) -> u64 {
    let mut failures = 0;
    while ledger.last_tx() < goal && failures < 3 {
        let before = ledger.last_tx();
        match ledger.commit(&script::step(before + 1)) {
            Ok(committed) => assert_eq!(committed.tx, before + 1),
            Err(_) => {
                failures += 1;
                assert_eq!(ledger.last_tx(), before, "a failed commit changes nothing");
            }
        }
    }
    ledger.last_tx()
}

fn on(disk: &MemoryDisk) -> Ledger {
    Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap()
}

/// One run in which operation `at` fails; whether the fuse was reached.
fn run(at: u64, forever: bool, error: io::ErrorKind) -> bool {
    let disk = MemoryDisk::default();
    let mut ledger = on(&disk);
    let before = write(&mut ledger, 4);
    drop(ledger);
    let fuse = Arc::new(Fuse { left: AtomicU64::new(at), forever, error });
    let faulty = Faulty(disk.clone(), Arc::clone(&fuse));
    let acknowledged = match Ledger::on(Arc::new(faulty), Box::new(MemoryBase::default()), &small()) {
        Ok(mut ledger) => {
            let last = write(&mut ledger, 12);
            script::check_facts(&ledger, last);
            last
        }
        Err(LedgerError::Io { .. }) => before,
        Err(other) => panic!("operation {at}: {other}"),
    };
    let mut again = on(&disk);
    script::check(&again, acknowledged);
    assert_eq!(write(&mut again, 14), 14);
    script::check(&on(&disk), 14);
    fuse.left.load(Ordering::SeqCst) == 0
}

#[test]
fn every_failing_operation_leaves_what_was_acknowledged() {
    for (forever, error) in [(false, io::ErrorKind::StorageFull), (true, io::ErrorKind::Other)] {
        let reached = (1..).take_while(|at| run(*at, forever, error)).count();
        assert!(reached > 50, "{reached}");
    }
}

#[test]
fn a_failed_sync_stops_all_writing_in_this_process() {
    struct NoSync(MemoryDisk);
    struct NoSyncFile(Box<dyn DiskFile>, bool);
    impl Disk for NoSync {
        fn create_dir(&self, path: &Path) -> io::Result<()> {
            self.0.create_dir(path)
        }
        fn list(&self, path: &Path) -> io::Result<Vec<String>> {
            self.0.list(path)
        }
        fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
            Ok(Box::new(NoSyncFile(self.0.open(path, write, create)?, create)))
        }
        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.0.rename(from, to)
        }
        fn sync_dir(&self, path: &Path) -> io::Result<()> {
            self.0.sync_dir(path)
        }
    }
    impl DiskFile for NoSyncFile {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.0.read_at(buffer, offset)
        }
        fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
            self.0.write_at(bytes, offset)
        }
        fn set_len(&self, len: u64) -> io::Result<()> {
            self.0.set_len(len)
        }
        fn sync(&self) -> io::Result<()> {
            if self.1 { self.0.sync() } else { Err(io::Error::other("the cable is out")) }
        }
    }
    let disk = MemoryDisk::default();
    drop(on(&disk));
    let refusing = Arc::new(NoSync(disk.clone()));
    let mut ledger = Ledger::on(refusing, Box::new(MemoryBase::default()), &small()).unwrap();
    assert!(matches!(ledger.commit(&script::step(1)), Err(LedgerError::Io { .. })));
    let next = ledger.commit(&script::step(1)).unwrap_err();
    assert!(matches!(next, LedgerError::Stopped(_)), "{next}");
    assert!(ledger.status().unwrap().stopped.unwrap().contains("the cable is out"));
    script::check_facts(&ledger, 0);
    drop(ledger);
    let again = on(&disk);
    assert!(again.last_tx() <= 1);
    script::check(&again, 0);
}

/// A base that stops taking writes.
struct Tired(MemoryBase, AtomicU64);

impl Base for Tired {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        self.0.get(key)
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.0.floor(key)
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        self.0.above(key)
    }

    fn apply(&self, batch: Batch) -> Result<(), BaseError> {
        if self.1.fetch_add(1, Ordering::SeqCst) >= 3 {
            return Err(BaseError::Medium(String::from("tired")));
        }
        self.0.apply(batch)
    }

    fn size(&self) -> Result<u64, BaseError> {
        Ok(0)
    }

    fn close(&mut self) -> Result<(), BaseError> {
        Ok(())
    }
}

#[test]
fn a_base_that_takes_no_writes_is_told_of_and_loses_nothing() {
    let disk = MemoryDisk::default();
    let tired = Box::new(Tired(MemoryBase::default(), AtomicU64::new(0)));
    let mut ledger = Ledger::on(Arc::new(disk.clone()), tired, &small()).unwrap();
    assert_eq!(write(&mut ledger, 20), 20);
    script::check(&ledger, 20);
    let notices = ledger.close();
    assert!(notices.iter().all(|notice| matches!(notice, Notice::BaseBehind { .. })), "{notices:?}");
    assert!(!notices.is_empty());
    script::check(&on(&disk), 20);
}
