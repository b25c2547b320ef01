//! Opening: a second process, reading beside a writer, a missing or damaged base, other formats.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hence_ledger::{Hash, Ledger, LedgerError, Notice, OpenOptions};

use super::support::{draft, fact, facts, small};
use crate::{memory, slow};

#[test]
fn a_ledger_is_the_same_after_reopening() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    let head = ledger.commit(&draft(1, vec![fact("p", 1, "a")], vec![])).unwrap().head;
    assert_eq!(ledger.close(), vec![]);
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!((ledger.head(), ledger.take_notices()), (head, vec![]));
    assert_eq!(ledger.tx_of(head).unwrap(), Some(1));
    assert_eq!(ledger.tx_of(Hash::default()).unwrap(), None);
    assert_eq!(facts(&ledger, "p"), vec![fact("p", 1, "a")]);
    let next = ledger.commit(&draft(2, vec![fact("p", 2, "b")], vec![])).unwrap();
    assert_eq!(ledger.info(next.tx).unwrap().previous, head);
}

#[test]
fn where_a_base_ends_is_found_again_by_the_last_of_many_records() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    ledger.commit(&draft(1, vec![fact("p", 0, "a")], vec![])).unwrap();
    let many: Vec<_> = (1..200).map(|n| fact("p", n, "a")).collect();
    let head = ledger.commit(&draft(2, many, vec![])).unwrap().head;
    assert_eq!(ledger.close(), vec![]);
    // A process that had it open checks nothing before that.
    let again = OpenOptions { reopens: true, ..small() };
    let mut ledger = Ledger::open(dir.path(), &again).unwrap();
    assert_eq!((ledger.head(), ledger.take_notices()), (head, vec![]));
    assert_eq!(facts(&ledger, "p").len(), 200);
    assert_eq!(ledger.transaction(2).unwrap().added.len(), 199);
    drop(ledger);
    let segments = fs::read_dir(dir.path().join("journal")).unwrap().map(|entry| entry.unwrap().path());
    let last = segments.max().unwrap();
    let mut bytes = fs::read(&last).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[end] ^= 1;
    fs::write(&last, bytes).unwrap();
    assert!(matches!(Ledger::open(dir.path(), &again), Err(LedgerError::Damaged { .. })));
}

#[test]
fn a_second_opening_learns_who_holds_the_ledger() {
    let dir = memory::folder();
    let holder = OpenOptions { command: "hence decide".into(), ..OpenOptions::default() };
    let mut ledger = Ledger::open(dir.path(), &holder).unwrap();
    ledger.commit(&draft(1, vec![fact("p", 1, "a")], vec![])).unwrap();
    let refused = Ledger::open(dir.path(), &OpenOptions::default()).err().unwrap();
    let process = std::process::id();
    assert_eq!(refused.to_string(), format!("the ledger is in use by process {process} (hence decide)"));
    let mut reader = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(reader.take_notices(), vec![]);
    assert_eq!(facts(&reader, "p"), vec![fact("p", 1, "a")]);
    assert!(matches!(reader.commit(&draft(1, vec![], vec![])), Err(LedgerError::ReadOnly)));
    let path = dir.path().to_owned();
    let waiting = OpenOptions { wait: Duration::from_secs(20), ..OpenOptions::default() };
    let waiter = std::thread::spawn(move || Ledger::open(path, &waiting).map(|ledger| ledger.last_tx()));
    std::thread::sleep(Duration::from_millis(60));
    drop(ledger);
    assert_eq!(waiter.join().unwrap().unwrap(), 1);
}

#[test]
fn a_missing_or_damaged_base_is_rebuilt_and_kept_aside() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    for n in 0..50 {
        ledger.commit(&draft(n, vec![fact("p", n, "a")], vec![])).unwrap();
    }
    let before = facts(&ledger, "p");
    drop(ledger);
    let base = dir.path().join("base");
    fs::write(base.join("db"), vec![7; 100_000]).unwrap();
    fs::write(base.join("snap.0000.generating"), "half").unwrap();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    let notices = ledger.take_notices();
    // sled takes a file that it doesn't know for an empty one, so this may look like a base that lags.
    let told = matches!(notices[..], [Notice::Rebuilt { to: 50, .. } | Notice::CaughtUp { from: 0, to: 50 }]);
    assert!(told, "{notices:?}");
    assert_eq!(facts(&ledger, "p"), before);
    drop(ledger);
    fs::remove_dir_all(&base).unwrap();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    assert!(matches!(ledger.take_notices()[..], [Notice::Rebuilt { renamed: None, to: 50, .. }]));
    assert_eq!(facts(&ledger, "p"), before);
    drop(ledger);
    let asked = OpenOptions { rebuild: true, ..small() };
    let ledger = Ledger::open(dir.path(), &asked).unwrap();
    assert_eq!(facts(&ledger, "p"), before);
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
}

/// sled writes, renames and removes files on threads of its own, after it is closed too.
#[test]
fn a_file_of_the_base_that_goes_away_meanwhile_is_no_damage() {
    let dir = memory::folder();
    Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    let is_over = AtomicBool::new(false);
    let told = thread::scope(|scope| {
        scope.spawn(|| {
            let passing = ["passing", "passing.generating"].map(|name| dir.path().join("base").join(name));
            while !is_over.load(Ordering::Relaxed) {
                // Whoever opens the ledger removes what is half-written too.
                passing.iter().for_each(|path| fs::write(path, "x").unwrap_or_default());
                passing.iter().for_each(|path| fs::remove_file(path).unwrap_or_default());
            }
        });
        let mut told = Vec::new();
        for n in 1..=slow::size(20, 500) {
            match Ledger::open(dir.path(), &OpenOptions::default()) {
                Ok(mut ledger) => {
                    told.extend(ledger.take_notices().iter().map(ToString::to_string));
                    let committed = ledger.commit(&draft(n, vec![fact("p", n, "a")], vec![]));
                    told.extend(committed.err().map(|error| error.to_string()));
                    let sizes = (0..50).map(|_| ledger.status());
                    told.extend(sizes.filter_map(Result::err).map(|error| error.to_string()));
                    told.extend(ledger.close().iter().map(ToString::to_string));
                }
                Err(error) => told.push(error.to_string()),
            }
        }
        is_over.store(true, Ordering::Relaxed);
        told
    });
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn the_base_of_another_ledger_is_not_believed() {
    let (one, two) = (memory::folder(), memory::folder());
    for (dir, text) in [(&one, "one"), (&two, "two")] {
        let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
        ledger.commit(&draft(1, vec![fact("p", 1, text)], vec![])).unwrap();
    }
    fs::remove_dir_all(two.path().join("base")).unwrap();
    fs::rename(one.path().join("base"), two.path().join("base")).unwrap();
    let mut ledger = Ledger::open(two.path(), &small()).unwrap();
    assert!(matches!(ledger.take_notices()[..], [Notice::Rebuilt { .. }]));
    assert_eq!(facts(&ledger, "p"), vec![fact("p", 1, "two")]);
}

#[test]
fn a_ledger_of_another_format_is_refused() {
    let dir = memory::folder();
    drop(Ledger::open(dir.path(), &small()).unwrap());
    fs::write(dir.path().join("FORMAT"), "hence ledger 99\n").unwrap();
    for read_only in [false, true] {
        let refused = Ledger::open(dir.path(), &OpenOptions { read_only, ..small() }).err().unwrap();
        assert!(refused.to_string().contains("hence ledger 99"), "{refused}");
    }
    let nowhere = Ledger::open_to_ask(dir.path().join("none"), &small());
    assert!(matches!(nowhere, Err(LedgerError::Missing(_))));
    assert!(!dir.path().join("none").exists());
    let nowhere = Ledger::open(dir.path().join("none"), &OpenOptions { read_only: true, ..small() });
    assert!(matches!(nowhere, Err(LedgerError::Missing(_))));
}

#[test]
fn a_journal_whose_format_is_gone_is_not_guessed_at() {
    let dir = memory::folder();
    let format = dir.path().join("FORMAT");
    // A kill before the file was made leaves a ledger that is new.
    fs::create_dir(dir.path().join("journal")).unwrap();
    assert_eq!(Ledger::open_to_ask(dir.path(), &small()).unwrap().last_tx(), 0);
    Ledger::open(dir.path(), &small()).unwrap().commit(&draft(1, vec![fact("p", 1, "a")], vec![])).unwrap();
    let whole = fs::read(&format).unwrap();
    for content in [None, Some("")] {
        match content {
            None => fs::remove_file(&format).unwrap(),
            Some(text) => fs::write(&format, text).unwrap(),
        }
        let to = dir.path().with_extension("copy");
        let opened = [
            Ledger::open(dir.path(), &small()).err(),
            Ledger::open_to_ask(dir.path(), &small()).err(),
            Ledger::open(dir.path(), &OpenOptions { up_to: Some(1), ..small() }).err(),
            Ledger::backup(dir.path(), &to, &small()).err(),
        ];
        for refused in opened {
            let refused = refused.unwrap().to_string();
            assert!(refused.contains("write the line `hence ledger 1` into it"), "{refused}");
        }
        fs::write(&format, &whole).unwrap();
        assert_eq!(Ledger::open(dir.path(), &small()).unwrap().last_tx(), 1);
    }
}

#[test]
fn an_earlier_state_is_read_up_to_a_transaction() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    for n in 1..=5 {
        ledger.commit(&draft(n, vec![fact("p", n, "a")], vec![])).unwrap();
    }
    drop(ledger);
    for up_to in 0..=5 {
        let ledger = Ledger::open(dir.path(), &OpenOptions { up_to: Some(up_to), ..small() }).unwrap();
        assert_eq!((ledger.last_tx(), facts(&ledger, "p").len() as u64), (up_to, up_to));
    }
    let beyond = Ledger::open(dir.path(), &OpenOptions { up_to: Some(6), ..small() });
    assert!(matches!(beyond, Err(LedgerError::NoTransaction { asked: 6, last: 5 })));
}
