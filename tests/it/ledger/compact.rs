//! Compaction: the chain goes on, everything since then is answered, what is older is in the archive, and whatever
//! interrupts it, nothing is lost.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::base::MemoryBase;
use hence_ledger::disk::{Disk, DiskFile, MemoryDisk};
use hence_ledger::{Ledger, LedgerError, OpenOptions, When};

use super::script;
use super::support::{draft, fact, facts, small};
use crate::memory;

fn step(ledger: &mut Ledger, tx: u64) {
    assert_eq!(ledger.commit(&script::step(tx)).unwrap().tx, tx);
}

fn as_of(ledger: &Ledger, tx: u64) -> Vec<Fact> {
    ledger.facts_at(Symbol::new("p"), When::Tx(tx)).unwrap().map(|row| row.unwrap().0).collect()
}

/// A ledger of two compactions, with the heads of its transactions and what stood after each.
fn compacted(dir: &Path) -> (Vec<String>, Vec<Vec<Fact>>) {
    let mut ledger = Ledger::open(dir, &small()).unwrap();
    let mut states = vec![vec![]];
    for n in 1..=60 {
        ledger.commit(&draft(n, vec![fact("p", n, &"x".repeat(n as usize * 9))], gone(n))).unwrap();
        states.push(facts(&ledger, "p"));
        if n == 20 || n == 40 {
            let done = ledger.compact(n, "ada").unwrap().unwrap();
            assert_eq!(done.tx, ledger.last_tx());
            assert!(done.last < done.tx);
            assert_eq!(ledger.compact(n, "ada").unwrap(), None);
            states.push(facts(&ledger, "p"));
        }
    }
    let heads = ledger.log(1..=u64::MAX).map(|info| info.unwrap().hash.to_string()).collect();
    (heads, states)
}

fn gone(n: i64) -> Vec<Fact> {
    if n % 2 == 0 { vec![fact("p", n / 2, &"x".repeat(n as usize / 2 * 9))] } else { vec![] }
}

#[test]
fn what_stands_and_the_chain_are_the_same_after_a_compaction() {
    let dir = memory::folder();
    let (heads, states) = compacted(dir.path());
    for options in
        [small(), OpenOptions { rebuild: true, ..small() }, OpenOptions { read_only: true, ..small() }]
    {
        let ledger = Ledger::open(dir.path(), &options).unwrap();
        let again: Vec<_> = ledger.log(1..=u64::MAX).map(|info| info.unwrap().hash.to_string()).collect();
        assert_eq!(again, heads);
        assert_eq!(ledger.last_tx(), 62);
        assert_eq!(facts(&ledger, "p"), states[62]);
        for tx in 41..=62 {
            assert_eq!(as_of(&ledger, tx), states[tx as usize], "{tx}");
        }
        let verified = ledger.verify().unwrap();
        assert_eq!((verified.differences, verified.archived), (Vec::<String>::new(), Some((41, true))));
        assert_eq!(ledger.transaction(7).unwrap().added, vec![fact("p", 7, &"x".repeat(63))]);
        let stands = fact("p", 35, &"x".repeat(315));
        assert_eq!(ledger.assertion(&stands).unwrap().unwrap().tx, 36);
        let older = ledger.facts_at(Symbol::new("p"), When::Tx(40)).err().unwrap();
        assert!(matches!(older, LedgerError::Archived { asked: 40, last: 41, .. }), "{older}");
    }
}

#[test]
fn the_archive_is_read_where_it_is_and_named_where_it_is_not() {
    let dir = memory::folder();
    let (_, states) = compacted(dir.path());
    for tx in [0, 1, 19, 20, 21, 30, 40] {
        let options = OpenOptions { up_to: Some(tx), ..small() };
        let ledger = Ledger::open(dir.path(), &options).unwrap();
        assert_eq!((ledger.last_tx(), facts(&ledger, "p")), (tx, states[tx as usize].clone()));
    }
    let mut text = Vec::new();
    Ledger::open(dir.path(), &small()).unwrap().export(1..=u64::MAX, &mut text).unwrap();
    let mut imported = Ledger::memory().unwrap();
    assert_eq!(imported.import(&mut text.as_slice(), None).unwrap().appended, 62);
    std::fs::rename(dir.path().join("archive"), dir.path().join("elsewhere")).unwrap();
    let refused = Ledger::open(dir.path(), &OpenOptions { up_to: Some(3), ..small() }).err().unwrap();
    assert!(matches!(refused, LedgerError::Archived { asked: 3, last: 41, .. }), "{refused}");
    let ledger = Ledger::open(dir.path(), &small()).unwrap();
    assert_eq!(ledger.head(), imported.head());
    assert_eq!(ledger.verify().unwrap().archived, Some((41, false)));
    assert!(matches!(ledger.transaction(7), Err(LedgerError::Archived { asked: 7, .. })));
    assert_eq!(facts(&ledger, "p"), states[62]);
}

#[test]
fn every_flipped_byte_of_a_snapshot_shows() {
    let disk = MemoryDisk::default();
    let mut ledger = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap();
    (1..=4).for_each(|tx| step(&mut ledger, tx));
    ledger.compact(9, "ada").unwrap().unwrap();
    drop(ledger);
    let is_snapshot = |path: &PathBuf| path.extension().is_some_and(|end| end == "snapshot");
    let path = disk.paths().into_iter().find(is_snapshot).unwrap();
    let content = disk.content(&path).unwrap();
    for at in 0..content.len() {
        let mut changed = content.clone();
        changed[at] ^= 1 << (at % 8);
        disk.put(&path, changed);
        let opened = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small());
        assert!(matches!(opened, Err(LedgerError::Damaged { .. })), "byte {at}");
    }
    disk.put(&path, content.clone());
    let mut other = content;
    other.truncate(other.len() - 1);
    let ledger = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap();
    script::check_facts(&ledger, 4);
    disk.put(&path, other);
    assert!(Ledger::on(Arc::new(disk), Box::new(MemoryBase::default()), &small()).is_err());
}

/// A disk whose operations fail from some moment on, as if the process had been killed then.
struct Dying(MemoryDisk, Arc<AtomicI64>);

struct DyingFile(Box<dyn DiskFile>, Arc<AtomicI64>);

fn live(left: &AtomicI64) -> io::Result<()> {
    if left.fetch_sub(1, Ordering::SeqCst) > 0 { Ok(()) } else { Err(io::Error::other("killed")) }
}

impl Disk for Dying {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        live(&self.1)?;
        self.0.create_dir(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.0.list(path)
    }
    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        live(&self.1)?;
        Ok(Box::new(DyingFile(self.0.open(path, write, create)?, Arc::clone(&self.1))))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        live(&self.1)?;
        self.0.rename(from, to)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        live(&self.1)?;
        self.0.sync_dir(path)
    }
}

impl DiskFile for DyingFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        live(&self.1)?;
        self.0.write_at(bytes, offset)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        live(&self.1)?;
        self.0.set_len(len)
    }
    fn sync(&self) -> io::Result<()> {
        live(&self.1)?;
        self.0.sync()
    }
}

#[test]
fn a_compaction_that_dies_at_any_step_loses_nothing_and_can_be_done_again() {
    let mut finished = false;
    let mut at = 1;
    while !finished {
        let disk = MemoryDisk::default();
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let dying = Arc::new(Dying(disk.clone(), Arc::clone(&left)));
        let mut ledger = Ledger::on(dying, Box::new(MemoryBase::default()), &small()).unwrap();
        (1..=12).for_each(|tx| step(&mut ledger, tx));
        left.store(at, Ordering::SeqCst);
        finished = ledger.compact(99, "ada").is_ok();
        drop(ledger);
        let open = || Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small());
        let mut again = open().unwrap_or_else(|error| panic!("killed at step {at}: {error}"));
        script::check_facts(&again, 12);
        assert_eq!(again.verify().unwrap().differences, Vec::<String>::new());
        again.compact(100, "ada").unwrap();
        script::check_facts(&again, 12);
        drop(again);
        let again = open().unwrap();
        script::check_facts(&again, 12);
        assert_eq!(again.verify().unwrap().differences, Vec::<String>::new(), "killed at step {at}");
        at += 1;
    }
    assert!(at > 10, "{at}");
}

/// The files of a folder's journal, archive and format, copied.
fn copy(from: &Path, to: &Path) {
    for name in ["journal", "archive"] {
        std::fs::create_dir_all(to.join(name)).unwrap();
        for entry in std::fs::read_dir(from.join(name)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(name).join(entry.file_name())).unwrap();
        }
    }
    std::fs::copy(from.join("FORMAT"), to.join("FORMAT")).unwrap();
}

/// Written once with `UPDATE_FIXTURE=1`; never to be written again.
#[test]
fn a_compacted_ledger_of_version_1_opens_for_ever() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ledger-1-compacted");
    if std::env::var_os("UPDATE_FIXTURE").is_some() && !kept.exists() {
        let dir = memory::folder();
        let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
        (1..=12).for_each(|tx| step(&mut ledger, tx));
        ledger.compact(12, "ada").unwrap().unwrap();
        drop(ledger);
        copy(dir.path(), &kept);
    }
    let dir = memory::folder();
    copy(&kept, dir.path());
    for options in [OpenOptions { read_only: true, ..small() }, small()] {
        let ledger = Ledger::open(dir.path(), &options).unwrap();
        assert_eq!(
            ledger.head().to_string(),
            "900ef405258c43a9e3b9904f45e96e4c1477479cb9879d3d2dd3c15a2290edfa"
        );
        script::check_facts(&ledger, 12);
        let verified = ledger.verify().unwrap();
        // No lock came with it; who writes makes one.
        let no_lock = verified.differences.iter().filter(|told| told.contains("LOCK is missing")).count();
        assert_eq!((verified.differences.len(), no_lock), (no_lock, usize::from(options.read_only)));
        assert_eq!(verified.archived, Some((12, true)));
    }
    let older = Ledger::open(dir.path(), &OpenOptions { up_to: Some(5), ..small() }).unwrap();
    script::check_facts(&older, 5);
}
