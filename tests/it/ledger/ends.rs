//! How a ledger was left decides what its end means: closed in good order, an end that doesn't read is damage; after a
//! kill it is an unfinished write, which is kept; and a base goes only with the journal that it was made from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use hence_ledger::base::{Base, MemoryBase};
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Ledger, LedgerError, Notice, OpenOptions};

use super::script;
use super::support::{draft, fact, facts, small, tired, written};
use crate::memory;

/// The files below a folder with what they hold.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

fn put(dir: &Path, all: &BTreeMap<PathBuf, Vec<u8>>) {
    fs::remove_dir_all(dir).unwrap();
    for (path, bytes) in all {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// A ledger of three transactions, closed.
fn closed() -> (tempfile::TempDir, BTreeMap<PathBuf, Vec<u8>>) {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    for n in 1..=3 {
        ledger.commit(&draft(n, vec![fact("p", n, "a")], vec![])).unwrap();
    }
    assert_eq!(ledger.close(), vec![]);
    let all = content(dir.path());
    (dir, all)
}

fn journal(dir: &Path) -> PathBuf {
    dir.join("journal/00000001.journal")
}

/// Takes away what `LOCK` says of the end, as a kill does.
fn as_killed(dir: &Path) {
    let text = fs::read_to_string(dir.join("LOCK")).unwrap();
    let kept: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("closed") && !line.starts_with("base")).collect();
    fs::write(dir.join("LOCK"), kept.join("\n") + "\n").unwrap();
}

fn is_damage(opened: &Result<Ledger, LedgerError>) -> bool {
    matches!(opened, Err(LedgerError::Damaged { transaction: 3, .. }))
}

/// Where the last record begins.
fn last_record(bytes: &[u8]) -> usize {
    bytes.windows(4).rposition(|window| window == b"hrec").unwrap()
}

#[test]
fn an_end_that_is_gone_after_a_clean_close_is_damage_with_and_without_a_base() {
    let (dir, all) = closed();
    let path = journal(dir.path());
    let whole = all[&path].clone();
    let start = last_record(&whole);
    let mut ends: Vec<Vec<u8>> = (start..whole.len()).step_by(7).map(|len| whole[..len].to_vec()).collect();
    ends.extend((start..whole.len()).step_by(5).map(|at| {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        flipped
    }));
    ends.push([&whole[..], b"something after the end"].concat());
    for (at, end) in ends.iter().enumerate() {
        for with_base in [true, false] {
            put(dir.path(), &all);
            fs::write(&path, end).unwrap();
            if !with_base {
                fs::remove_dir_all(dir.path().join("base")).unwrap();
            }
            let before = content(dir.path());
            let asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default());
            assert!(asked.is_err(), "end {at}, base {with_base}");
            assert_eq!(content(dir.path()), before, "a question writes nothing");
            for rebuild in [false, true] {
                let options = OpenOptions { rebuild, ..OpenOptions::default() };
                assert!(Ledger::open(dir.path(), &options).is_err(), "end {at}, base {with_base}");
            }
            assert_eq!(fs::read(&path).unwrap(), *end, "nothing is cut off");
            let earlier = OpenOptions { up_to: Some(2), ..OpenOptions::default() };
            assert_eq!(Ledger::open(dir.path(), &earlier).unwrap().last_tx(), 2);
        }
    }
}

#[test]
fn a_whole_journal_that_is_missing_is_damage_too() {
    let (dir, _) = closed();
    fs::remove_dir_all(dir.path().join("journal")).unwrap();
    let asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default());
    assert!(matches!(asked, Err(LedgerError::Damaged { transaction: 1, .. })));
    assert!(Ledger::open(dir.path(), &OpenOptions::default()).is_err());
}

#[test]
fn an_unfinished_write_is_left_out_by_readers_and_kept_by_writers() {
    let (dir, all) = closed();
    let path = journal(dir.path());
    let start = last_record(&all[&path]);
    fs::remove_dir_all(dir.path().join("base")).unwrap();
    as_killed(dir.path());
    let torn = &all[&path][..all[&path].len() - 5];
    fs::write(&path, torn).unwrap();
    let before = content(dir.path());
    let mut asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    let left = Notice::LeftOut {
        path: path.clone(),
        offset: start as u64,
        bytes: (torn.len() - start) as u64,
        last: 2,
    };
    assert_eq!((asked.last_tx(), asked.take_notices()), (2, vec![left]));
    asked.verify().unwrap();
    assert_eq!(content(dir.path()), before);
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    let kept = dir.path().join("journal/00000001.cut-1");
    let told = ledger.take_notices();
    assert!(
        told.iter().any(|notice| matches!(notice, Notice::Cut { kept: Some(path), .. } if *path == kept)),
        "{told:?}"
    );
    assert_eq!(fs::read(&kept).unwrap(), torn[start..]);
    assert_eq!(fs::read(&path).unwrap(), torn[..start]);
    assert_eq!(ledger.last_tx(), 2);
}

#[test]
fn what_is_cut_off_is_kept_so_often_and_no_more() {
    let (dir, _) = closed();
    let path = journal(dir.path());
    for round in 0..12u8 {
        as_killed(dir.path());
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend([b'x', round + 1]);
        fs::write(&path, bytes).unwrap();
        assert_eq!(Ledger::open(dir.path(), &OpenOptions::default()).unwrap().last_tx(), 3);
    }
    let cuts: Vec<_> = content(&dir.path().join("journal"))
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains(".cut-"))
        .map(|(_, bytes)| bytes[1])
        .collect();
    assert_eq!(cuts, [5, 6, 7, 8, 9, 10, 11, 12]);
}

#[test]
fn a_rebuild_asks_the_old_base_first() {
    let (dir, all) = closed();
    let path = journal(dir.path());
    as_killed(dir.path());
    fs::write(&path, &all[&path][..last_record(&all[&path])]).unwrap();
    let options = OpenOptions { rebuild: true, ..OpenOptions::default() };
    assert!(is_damage(&Ledger::open(dir.path(), &options)));
    assert!(is_damage(&Ledger::open(dir.path(), &OpenOptions::default())));
    assert!(!dir.path().join("base.damaged-1").exists());
    let asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(facts(&asked, "p").len(), 2);
}

#[test]
fn another_journal_than_was_closed_is_told_of_and_found() {
    let (dir, _) = closed();
    let (other, _) = {
        let dir = memory::folder();
        let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
        for n in 1..=3 {
            ledger.commit(&draft(n, vec![fact("p", n, "other")], vec![])).unwrap();
        }
        drop(ledger);
        (dir, ())
    };
    fs::copy(journal(other.path()), journal(dir.path())).unwrap();
    let mut asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(facts(&asked, "p")[0], fact("p", 1, "other"));
    let told = asked.take_notices();
    assert!(matches!(told[..], [Notice::OtherJournal { tx: 3, .. }, Notice::BaseUnused { .. }]), "{told:?}");
    let differences = asked.verify().unwrap().differences;
    assert_eq!(differences.len(), 2, "{differences:?}");
    // Whoever writes to it would take away what tells that it is another one.
    for _ in 0..2 {
        let refused = Ledger::open(dir.path(), &OpenOptions::default()).err().unwrap().to_string();
        assert!(refused.contains("is not the journal that was closed"), "{refused}");
    }
    fs::remove_file(dir.path().join("LOCK")).unwrap();
    let ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(facts(&ledger, "p")[0], fact("p", 1, "other"));
}

/// What may have become of a `LOCK` that said how a ledger of three transactions was left.
fn faulty_locks(whole: &[u8]) -> Vec<Option<Vec<u8>>> {
    let text = std::str::from_utf8(whole).unwrap();
    let mut locks = vec![None, Some(Vec::new()), Some(vec![0; whole.len()]), Some(b"hello\n".to_vec())];
    locks.push(Some(text.replace("closed 3", "clozed 3").into_bytes()));
    locks.push(Some(text.replace("closed 3", "closed x").into_bytes()));
    locks.push(Some(text.replace("process ", "process").into_bytes()));
    locks.push(Some(whole[..whole.len() - 3].to_vec()));
    locks.push(Some([whole, &[0xff, b'\n']].concat()));
    locks
}

/// A closed ledger whose lock is `content` instead, the `at`-th of those that say nothing.
fn opens_with_a_lock_that_says_nothing(at: usize, content: Option<&[u8]>) {
    let (dir, all) = closed();
    let lock = dir.path().join("LOCK");
    let cut = last_record(&all[&journal(dir.path())]);
    match content {
        Some(bytes) => fs::write(&lock, bytes).unwrap(),
        None => fs::remove_file(&lock).unwrap(),
    }
    let mut asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!((asked.last_tx(), asked.take_notices()), (3, vec![]), "lock {at}");
    let differences = asked.verify().unwrap().differences;
    assert!(matches!(&differences[..], [one] if one.contains("LOCK")), "lock {at}: {differences:?}");
    // What the base knows of the end is believed, since nobody else says anything.
    fs::write(journal(dir.path()), &all[&journal(dir.path())][..cut]).unwrap();
    assert!(is_damage(&Ledger::open_to_ask(dir.path(), &OpenOptions::default())), "lock {at}");
    assert!(is_damage(&Ledger::open(dir.path(), &OpenOptions::default())), "lock {at}");
    fs::write(journal(dir.path()), &all[&journal(dir.path())]).unwrap();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    let told = ledger.take_notices();
    assert!(matches!(told[..], [Notice::LockRewritten { .. }]), "lock {at}: {told:?}");
    assert_eq!(ledger.close(), vec![]);
    let mut again = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!((again.take_notices(), again.verify().unwrap().differences.len()), (vec![], 0));
}

#[test]
fn a_lock_that_says_nothing_is_named_and_written_anew() {
    let (dir, all) = closed();
    // Each waits for somebody who may be writing it.
    thread::scope(|scope| {
        for (at, content) in faulty_locks(&all[&dir.path().join("LOCK")]).into_iter().enumerate() {
            scope.spawn(move || opens_with_a_lock_that_says_nothing(at, content.as_deref()));
        }
    });
}

#[test]
fn a_new_ledger_has_no_lock_to_miss() {
    let dir = memory::folder();
    fs::write(dir.path().join("LOCK"), "").unwrap();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(ledger.take_notices(), vec![]);
}

#[test]
fn a_lock_that_was_forged_hides_no_cut_from_anybody() {
    let (dir, all) = closed();
    let path = journal(dir.path());
    let lock = dir.path().join("LOCK");
    let text = String::from_utf8(all[&lock].clone()).unwrap();
    let who = text.split("closed").next().unwrap();
    let ledger = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    let second = ledger.info(2).unwrap().hash;
    let zero = hence_ledger::Hash::default();
    let cut = &all[&path][..last_record(&all[&path])];
    for (forged, bytes) in [
        (format!("{who}closed 0 {zero}\n"), &all[&path][..]),
        (format!("{who}closed 0 {zero}\n"), cut),
        (format!("{who}closed 2 {second}\n"), &all[&path][..]),
        (format!("{who}closed 2 {second}\n"), cut),
        (format!("{who}closed 3 {zero}\n"), &all[&path][..]),
    ] {
        put(dir.path(), &all);
        fs::write(&lock, &forged).unwrap();
        fs::write(&path, bytes).unwrap();
        let to = dir.path().with_extension("copy");
        let copied = Ledger::backup(dir.path(), &to, &OpenOptions::default());
        assert!(copied.is_err(), "{forged}: {copied:?}");
        assert!(!to.exists());
        assert!(Ledger::open(dir.path(), &OpenOptions::default()).is_err(), "{forged}");
        let asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default());
        assert!(fails_or_tells(asked), "{forged}");
    }
    // The way out that is told.
    put(dir.path(), &all);
    fs::write(&lock, format!("{who}closed 0 {zero}\n")).unwrap();
    let refused = Ledger::open(dir.path(), &OpenOptions::default()).err().unwrap().to_string();
    assert!(refused.contains("continues to 3") && refused.contains("remove this file"), "{refused}");
    fs::remove_file(&lock).unwrap();
    assert_eq!(Ledger::open(dir.path(), &OpenOptions::default()).unwrap().last_tx(), 3);
}

/// Whether an opening failed, or tells of something.
fn fails_or_tells(opened: Result<Ledger, LedgerError>) -> bool {
    opened.map_or(true, |mut ledger| !ledger.take_notices().is_empty())
}

#[test]
fn a_half_written_base_beside_an_older_journal_is_never_believed() {
    let disks: Vec<MemoryDisk> = (0..=10u64)
        .map(|last| {
            let disk = MemoryDisk::default();
            let mut ledger =
                Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &small()).unwrap();
            for tx in 1..=last {
                ledger.commit(&script::step(tx)).unwrap();
            }
            disk
        })
        .collect();
    for after in 0..90 {
        let base = Arc::new(MemoryBase::default());
        let disk = MemoryDisk::default();
        let mut ledger = Ledger::on(Arc::new(disk), tired(&base, after), &written(after % 2 == 1)).unwrap();
        for tx in 1..=10 {
            ledger.commit(&script::step(tx)).unwrap();
        }
        drop(ledger);
        for older in &disks {
            let copy = MemoryDisk::default();
            older.paths().iter().for_each(|path| copy.put(path, older.content(path).unwrap()));
            let as_left = MemoryBase::default();
            let mut key = Vec::new();
            while let Some((next, value)) = base.above(&key).unwrap() {
                as_left.apply(vec![(next.clone(), Some(value))]).unwrap();
                key = next;
            }
            match Ledger::on(Arc::new(copy), Box::new(as_left), &small()) {
                Ok(ledger) => script::check(&ledger, ledger.last_tx()),
                Err(LedgerError::Damaged { what, .. }) => {
                    assert!(what.contains("acknowledged transaction"), "{what}")
                }
                Err(other) => panic!("after {after} batches: {other}"),
            }
        }
    }
}

#[test]
fn a_base_that_was_written_and_not_closed_is_checked_whatever_its_size() {
    let dir = memory::folder();
    let many = |from: i64| (from..from + 25_000).map(|n| fact("p", n, "a")).collect();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    ledger.commit(&draft(1, many(0), vec![])).unwrap();
    drop(ledger);
    let then = content(dir.path());
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    ledger.commit(&draft(2, many(100_000), vec![])).unwrap();
    drop(ledger);
    // The journal of before beside the base of after.
    fs::write(journal(dir.path()), &then[&journal(dir.path())]).unwrap();
    assert!(Ledger::open_to_ask(dir.path(), &OpenOptions::default()).is_err());
    as_killed(dir.path());
    let asked = Ledger::open_to_ask(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(facts(&asked, "p").len(), 25_000);
    // Without a word of who left it, the base knows that more was acknowledged.
    fs::remove_file(dir.path().join("LOCK")).unwrap();
    assert!(Ledger::open_to_ask(dir.path(), &OpenOptions::default()).is_err());
    assert!(Ledger::open(dir.path(), &OpenOptions::default()).is_err());
}
