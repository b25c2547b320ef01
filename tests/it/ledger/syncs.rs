//! Syncs by a thread of their own: who is told when, in which order, and what becomes of a group whose sync, or one of
//! whose writes, fails.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hence_ledger::base::MemoryBase;
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Draft, Ledger, LedgerError, OpenOptions};

use super::script;
use super::support::{Op, hooked, small};

const LONG: Duration = Duration::from_secs(30);

/// A disk in memory whose syncs of segments that were there wait to be let through, with what becomes of them.
struct Gate {
    disk: MemoryDisk,
    asked: Receiver<()>,
    let_through: Sender<io::Result<()>>,
}

impl Gate {
    /// A ledger on it with two transactions, in which each of the next few is one record.
    fn begin() -> (Self, Ledger) {
        let disk = MemoryDisk::default();
        write(&mut on(&disk), 2);
        let (asks, asked) = channel();
        let (let_through, passed) = channel::<io::Result<()>>();
        let passed = Mutex::new(passed);
        let gated = hooked(&disk, move |_, op| match op {
            Op::Sync { created: false } => {
                asks.send(()).unwrap();
                // Whoever closes the ledger at the end of a test isn't kept waiting.
                passed.lock().unwrap().recv_timeout(LONG).unwrap_or(Ok(()))
            }
            _ => Ok(()),
        });
        let ledger = std::thread::scope(|scope| {
            let opened = scope.spawn(|| {
                Ledger::on(gated, Box::new(MemoryBase::default()), &OpenOptions::default()).unwrap()
            });
            while !opened.is_finished() {
                if asked.recv_timeout(Duration::from_millis(1)).is_ok() {
                    let_through.send(Ok(())).unwrap();
                }
            }
            opened.join().unwrap()
        });
        (Self { disk, asked, let_through }, ledger)
    }

    /// Waits for the next sync.
    fn wait(&self) {
        self.asked.recv_timeout(LONG).unwrap();
    }

    fn pass(&self, synced: io::Result<()>) {
        self.let_through.send(synced).unwrap();
    }
}

fn on(disk: &MemoryDisk) -> Ledger {
    Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap()
}

fn write(ledger: &mut Ledger, count: u64) {
    for _ in 0..count {
        ledger.commit(&script::step(ledger.last_tx() + 1)).unwrap();
    }
}

type Told = (u64, Result<(), LedgerError>);

/// Commits the next transaction of the script; it is told of once it is durable.
fn commit(ledger: &mut Ledger, told: &Sender<Told>) -> Result<(), LedgerError> {
    let tx = ledger.last_tx() + 1;
    ledger.commit(&Draft { deferred: true, ..script::step(tx) })?;
    let told = told.clone();
    ledger.when_durable(move |durable| told.send((tx, durable)).unwrap());
    Ok(())
}

/// The numbers of those that are told that they are durable, the next ones first.
fn durable(told: &Receiver<Told>, count: usize) -> Vec<u64> {
    let next = || {
        let (tx, durable) = told.recv_timeout(LONG).unwrap();
        durable.unwrap();
        tx
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn what_is_recorded_during_a_sync_is_told_after_the_next() {
    let (gate, mut ledger) = Gate::begin();
    let (tell, told) = channel();
    commit(&mut ledger, &tell).unwrap();
    gate.wait();
    for _ in 0..3 {
        commit(&mut ledger, &tell).unwrap();
    }
    assert_eq!((ledger.last_tx(), ledger.is_durable()), (6, false));
    assert!(told.try_recv().is_err(), "somebody was told before the sync");
    gate.pass(Ok(()));
    assert_eq!(durable(&told, 1), [3]);
    gate.wait();
    assert!(told.try_recv().is_err(), "somebody was told of what the sync before them covered");
    gate.pass(Ok(()));
    assert_eq!(durable(&told, 3), [4, 5, 6]);
    assert!(ledger.is_durable());
    assert!(gate.asked.try_recv().is_err(), "three transactions took several syncs");
    // What is durable already takes none, and is told of as well.
    ledger.when_durable(move |durable| tell.send((0, durable)).unwrap());
    assert_eq!(durable(&told, 1), [0]);
    script::check(&ledger, 6);
}

#[test]
fn what_is_recorded_during_a_sync_is_not_lost_with_a_process_that_is_killed_then() {
    let (gate, mut ledger) = Gate::begin();
    let (tell, told) = channel();
    commit(&mut ledger, &tell).unwrap();
    gate.wait();
    commit(&mut ledger, &tell).unwrap();
    // The files as a killed process leaves them: between what it wrote and a sync of it.
    let killed = MemoryDisk::default();
    gate.disk.paths().iter().for_each(|path| killed.put(path, gate.disk.content(path).unwrap()));
    gate.pass(Ok(()));
    assert_eq!(durable(&told, 1), [3]);
    gate.wait();
    gate.pass(Ok(()));
    let mut again = on(&killed);
    script::check(&again, 4);
    write(&mut again, 3);
    script::check(&again, 7);
}

#[test]
fn a_failed_sync_is_told_to_all_that_waited_and_nothing_is_written_after_it() {
    let (gate, mut ledger) = Gate::begin();
    let (tell, told) = channel();
    commit(&mut ledger, &tell).unwrap();
    gate.wait();
    gate.pass(Ok(()));
    assert_eq!(durable(&told, 1), [3]);
    commit(&mut ledger, &tell).unwrap();
    gate.wait();
    for _ in 0..2 {
        commit(&mut ledger, &tell).unwrap();
    }
    gate.pass(Err(io::Error::other("the cable is out")));
    for tx in 4..7 {
        let (of, durable) = told.recv_timeout(LONG).unwrap();
        let why = durable.unwrap_err().to_string();
        assert!(of == tx && why.contains("the cable is out"), "{of}: {why}");
    }
    assert!(gate.asked.try_recv().is_err(), "a disk that failed was asked again");
    assert!(matches!(commit(&mut ledger, &tell), Err(LedgerError::Stopped(_))));
    assert!(matches!(ledger.make_durable(), Err(LedgerError::Stopped(_))));
    ledger.when_durable(move |durable| tell.send((0, durable)).unwrap());
    assert!(told.recv_timeout(LONG).unwrap().1.is_err());
    drop(ledger);
    script::check(&on(&gate.disk), 3);
}

#[test]
fn a_full_disk_in_the_middle_of_a_group_refuses_one_of_it() {
    let disk = MemoryDisk::default();
    let is_full = Arc::new(Mutex::new(false));
    let full = Arc::clone(&is_full);
    let filling = hooked(&disk, move |_, op| match op {
        Op::Write(..) if *full.lock().unwrap() => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    });
    let mut ledger = Ledger::on(filling, Box::new(MemoryBase::default()), &small()).unwrap();
    let (tell, told) = channel();
    for round in 0..4 {
        let before = ledger.last_tx();
        commit(&mut ledger, &tell).unwrap();
        commit(&mut ledger, &tell).unwrap();
        *is_full.lock().unwrap() = true;
        let refused = commit(&mut ledger, &tell).unwrap_err();
        assert!(matches!(refused, LedgerError::Io { .. }), "round {round}: {refused}");
        *is_full.lock().unwrap() = false;
        commit(&mut ledger, &tell).unwrap();
        assert_eq!(durable(&told, 3), [before + 1, before + 2, before + 3], "round {round}");
    }
    script::check(&ledger, 12);
    drop(ledger);
    script::check(&on(&disk), 12);
}

#[test]
fn a_ledger_that_is_closed_has_told_everybody() {
    let disk = MemoryDisk::default();
    let mut ledger = on(&disk);
    let (tell, told) = channel();
    for _ in 0..20 {
        commit(&mut ledger, &tell).unwrap();
    }
    assert!(ledger.close().is_empty());
    drop(tell);
    let told: Vec<u64> = told.iter().map(|(tx, durable)| durable.map(|()| tx).unwrap()).collect();
    assert_eq!(told, Vec::from_iter(1..=20));
    script::check(&on(&disk), 20);
}

#[test]
fn transactions_that_nobody_waits_for_are_made_durable_now_and_then() {
    let disk = MemoryDisk::default();
    let syncs = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&syncs);
    let counting = hooked(&disk, move |_, op| {
        *counted.lock().unwrap() += usize::from(matches!(op, Op::Sync { .. }));
        Ok(())
    });
    let options = OpenOptions::default();
    let mut ledger = Ledger::on(counting, Box::new(MemoryBase::default()), &options).unwrap();
    let count = |ledger: &mut Ledger, count: i64| {
        for at in 0..count {
            let fact = super::support::fact("p", ledger.last_tx() as i64, "");
            let draft = super::support::draft(at, vec![fact], vec![]);
            ledger.commit(&Draft { deferred: true, ..draft }).unwrap();
        }
        *syncs.lock().unwrap()
    };
    let (few, more) = (count(&mut ledger, 250), count(&mut ledger, 1_000));
    assert!((3..10).contains(&(more - few)), "{few} and {more} syncs");
}
