//! Questions beside a writer and beside each other, and copies made meanwhile: as of the last transaction, disturbing
//! nobody.

use crate::memory;
use crate::slow;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use hence_ledger::{Ledger, LedgerError, OpenOptions};

use super::script;
use super::support::small;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The copies of bases that stay, beside those that other tests of this process are making.
fn left_behind() -> Vec<String> {
    let own = format!("hence-{}-", std::process::id());
    let folders = [std::env::temp_dir(), "/dev/shm".into()].into_iter().filter(|folder| folder.is_dir());
    let copies = || folders.clone().flat_map(|folder| names(&folder)).filter(|name| name.starts_with(&own));
    let mut left: Vec<String> = copies().collect();
    for _ in 0..100 {
        if left.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
        let now: Vec<String> = copies().collect();
        left.retain(|name| now.contains(name));
    }
    left
}

#[test]
fn readers_and_a_writer_stay_out_of_each_others_way() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    for tx in 1..=20 {
        ledger.commit(&script::step(tx)).unwrap();
    }
    drop(ledger);
    let mut first = Ledger::open_to_ask(dir.path(), &small()).unwrap();
    let mut second = Ledger::open_to_ask(dir.path(), &small()).unwrap();
    for reader in [&mut first, &mut second] {
        assert_eq!((reader.take_notices(), reader.status().unwrap().base_tx), (vec![], Some(20)));
        assert!(matches!(reader.commit(&script::step(21)), Err(LedgerError::ReadOnly)));
    }
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    assert_eq!(ledger.take_notices(), vec![]);
    ledger.commit(&script::step(21)).unwrap();
    let third = Ledger::open_to_ask(dir.path(), &small()).unwrap();
    assert_eq!(third.status().unwrap().base_tx, Some(20));
    script::check(&third, 21);
    ledger.compact(22, "ada").unwrap();
    for reader in [&first, &second] {
        script::check(reader, 20);
        assert_eq!(reader.transaction(3).unwrap().info.tx, 3);
    }
    drop(ledger);
    assert_eq!(left_behind(), [] as [String; 0]);
}

#[test]
fn questions_and_copies_while_somebody_writes_are_of_whole_transactions() {
    let (dir, copies) = (memory::folder(), memory::folder());
    let slow = slow::is_slow();
    let goal = if slow { 3_000 } else { 120 };
    drop(Ledger::open(dir.path(), &small()).unwrap());
    let (acknowledged, done) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut tx = 0;
            while tx < goal {
                let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
                for _ in 0..17 {
                    tx += 1;
                    ledger.commit(&script::step(tx)).unwrap();
                    acknowledged.store(tx, Ordering::SeqCst);
                }
            }
            done.store(true, Ordering::SeqCst);
        });
        for reader in 0..2 {
            let (acknowledged, done, dir, copies) = (&acknowledged, &done, &dir, &copies);
            scope.spawn(move || {
                let mut round = 0;
                while !done.load(Ordering::SeqCst) {
                    let least = acknowledged.load(Ordering::SeqCst);
                    let ledger = Ledger::open_to_ask(dir.path(), &small()).unwrap();
                    assert!(ledger.last_tx() >= least, "{} of {least}", ledger.last_tx());
                    script::check_facts(&ledger, ledger.last_tx());
                    round += 1;
                    if reader == 0 && round % 4 == 0 {
                        let to = copies.path().join(round.to_string());
                        let copied = Ledger::backup(dir.path(), &to, &small()).unwrap();
                        assert!(copied.transactions >= least);
                        let copy = Ledger::open_to_ask(&to, &small()).unwrap();
                        assert_eq!(copy.head(), copied.head);
                        script::check_facts(&copy, copied.transactions);
                    }
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });
    script::check(&Ledger::open_to_ask(dir.path(), &small()).unwrap(), acknowledged.load(Ordering::SeqCst));
}

#[test]
fn a_copy_stands_by_itself_and_takes_no_others_place() {
    let (dir, to) = (memory::folder(), memory::folder());
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    for tx in 1..=30 {
        ledger.commit(&script::step(tx)).unwrap();
    }
    ledger.compact(31, "ada").unwrap();
    let first = to.path().join("a/b");
    let copied = Ledger::backup(dir.path(), &first, &small()).unwrap();
    assert_eq!((copied.head, copied.archived), (ledger.head(), Some((30, true))));
    drop(ledger);
    assert_eq!(names(to.path().join("a").as_path()), ["b"]);
    assert_eq!(names(&first), ["FORMAT", "LOCK", "archive", "journal"]);
    let earlier = OpenOptions { up_to: Some(7), ..small() };
    script::check_facts(&Ledger::open(&first, &earlier).unwrap(), 7);
    assert!(matches!(Ledger::backup(dir.path(), &first, &small()), Err(LedgerError::Occupied(_))));
    let file = to.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Ledger::backup(dir.path(), &file, &small()), Err(LedgerError::Occupied(_))));
    let nowhere = Ledger::backup(to.path().join("none"), to.path().join("c"), &small());
    assert!(matches!(nowhere, Err(LedgerError::Missing(_))));
    assert_eq!(names(to.path()), ["a", "file"]);
    // What is cut off the copy is missed there too.
    let last = names(&first.join("journal")).into_iter().rfind(|name| name.ends_with(".journal")).unwrap();
    let path = first.join("journal").join(last);
    fs::write(&path, &fs::read(&path).unwrap()[..60]).unwrap();
    assert!(Ledger::open_to_ask(&first, &small()).is_err());
}
