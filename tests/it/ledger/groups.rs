//! Transactions that share a sync: what a kill before it leaves, and what becomes of the others where one of their writes,
//! or the sync, fails.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hence_ledger::base::MemoryBase;
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Draft, Ledger, LedgerError, OpenOptions};

use super::script;
use super::support::{Op, hooked, small};

fn on(disk: &MemoryDisk) -> Ledger {
    Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap()
}

/// A ledger on `disk` that refuses what `refuses` tells of once the switch is on.
fn refusing(
    disk: &MemoryDisk,
    options: &OpenOptions,
    (error, refuses): (io::ErrorKind, fn(Op<'_>) -> bool),
) -> (Ledger, Arc<AtomicBool>) {
    let is_on = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&is_on);
    let disk = hooked(disk, move |_, op| match is_on.load(Ordering::SeqCst) && refuses(op) {
        true => Err(error.into()),
        false => Ok(()),
    });
    (Ledger::on(disk, Box::new(MemoryBase::default()), options).unwrap(), switch)
}

/// Records the next transaction of the script, to be made durable with others.
fn defer(ledger: &mut Ledger) -> Result<u64, LedgerError> {
    let draft = Draft { deferred: true, ..script::step(ledger.last_tx() + 1) };
    ledger.commit(&draft).map(|committed| committed.tx)
}

#[test]
fn a_group_that_is_killed_before_its_sync_is_there_up_to_some_transaction() {
    let disk = MemoryDisk::default();
    let mut ledger = on(&disk);
    for _ in 0..4 {
        let acknowledged = ledger.last_tx();
        for _ in 0..5 {
            let tx = defer(&mut ledger).unwrap();
            // The files as a process that is killed now leaves them.
            let killed = MemoryDisk::default();
            disk.paths().iter().for_each(|path| killed.put(path, disk.content(path).unwrap()));
            let mut again = on(&killed);
            script::check(&again, acknowledged);
            assert_eq!(again.last_tx(), tx);
            again.commit(&script::step(tx + 1)).unwrap();
            script::check(&again, tx + 1);
        }
        ledger.make_durable().unwrap();
    }
    script::check(&ledger, 20);
}

#[test]
fn a_full_disk_in_the_middle_of_a_group_refuses_one_of_it() {
    let disk = MemoryDisk::default();
    let is_write = |op: Op<'_>| matches!(op, Op::Write(..));
    let (mut ledger, is_full) = refusing(&disk, &small(), (io::ErrorKind::StorageFull, is_write));
    for round in 1..=4 {
        defer(&mut ledger).unwrap();
        defer(&mut ledger).unwrap();
        is_full.store(true, Ordering::SeqCst);
        let refused = defer(&mut ledger).unwrap_err();
        assert!(matches!(refused, LedgerError::Io { .. }), "round {round}: {refused}");
        is_full.store(false, Ordering::SeqCst);
        defer(&mut ledger).unwrap();
        ledger.make_durable().unwrap();
        script::check(&ledger, round * 3);
    }
    drop(ledger);
    script::check(&on(&disk), 12);
}

#[test]
fn a_group_whose_sync_fails_is_not_acknowledged_and_nothing_is_written_after_it() {
    let disk = MemoryDisk::default();
    let is_sync = |op: Op<'_>| matches!(op, Op::Sync { .. });
    // With a backlog so large that nothing but the group asks for a sync.
    let options = OpenOptions::default();
    let (mut ledger, is_out) = refusing(&disk, &options, (io::ErrorKind::Other, is_sync));
    for _ in 0..4 {
        defer(&mut ledger).unwrap();
    }
    ledger.make_durable().unwrap();
    defer(&mut ledger).unwrap();
    is_out.store(true, Ordering::SeqCst);
    assert!(matches!(ledger.make_durable(), Err(LedgerError::Io { .. })));
    // The disk may say that all is well by now: what it lost it tells of once.
    is_out.store(false, Ordering::SeqCst);
    assert!(matches!(ledger.make_durable(), Err(LedgerError::Stopped(_))));
    assert!(matches!(defer(&mut ledger), Err(LedgerError::Stopped(_))));
    assert!(!ledger.is_durable());
    drop(ledger);
    script::check(&on(&disk), 4);
}
