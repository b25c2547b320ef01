//! Damage: every byte of a journal flipped, every truncation, swapped segments; never a panic, never a wrong answer.

use crate::slow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_ledger::base::MemoryBase;
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Ledger, LedgerError, Notice, OpenOptions};

use super::script;
use super::support::{Random, draft, fact, facts, small};
use crate::folders::copy;
use crate::memory;

/// A journal on a disk in memory, and what stood after each of its transactions.
struct Written {
    files: Vec<(PathBuf, Vec<u8>)>,
    states: Vec<Vec<Fact>>,
}

fn written(options: &OpenOptions, transactions: i64) -> Written {
    let disk = MemoryDisk::default();
    let mut ledger = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), options).unwrap();
    let mut states = vec![vec![]];
    for n in 0..transactions {
        let gone = if n % 3 == 2 { vec![fact("p", n - 1, "a")] } else { vec![] };
        ledger.commit(&draft(n, vec![fact("p", n, "a"), fact("p", n + 100, "b")], gone)).unwrap();
        states.push(facts(&ledger, "p"));
    }
    drop(ledger);
    let files = disk.paths().into_iter().map(|path| (path.clone(), disk.content(&path).unwrap())).collect();
    Written { files, states }
}

/// The ledger of a journal whose base is gone.
fn open(files: &[(PathBuf, Vec<u8>)], options: &OpenOptions) -> Result<Ledger, LedgerError> {
    let disk = MemoryDisk::default();
    for (path, content) in files {
        disk.put(path, content.clone());
    }
    Ledger::on(Arc::new(disk), Box::new(MemoryBase::default()), options)
}

/// Whatever opens shows the state after some transaction, and everything that a refusal leaves readable is right.
fn check(written: &Written, files: &[(PathBuf, Vec<u8>)], options: &OpenOptions, what: &str) -> Option<u64> {
    match open(files, options) {
        Ok(ledger) => {
            let last = ledger.last_tx();
            assert_eq!(facts(&ledger, "p"), written.states[last as usize], "{what}");
            assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
            Some(last)
        }
        Err(LedgerError::Damaged { transaction, .. }) => {
            let before = OpenOptions { up_to: Some(transaction.saturating_sub(1)), ..options.clone() };
            if transaction > 0 {
                let ledger = open(files, &before).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(facts(&ledger, "p"), written.states[transaction as usize - 1], "{what}");
            }
            None
        }
        Err(other) => panic!("{what}: {other}"),
    }
}

#[test]
fn every_flipped_byte_is_an_error_or_an_unacknowledged_tail() {
    let options = OpenOptions { segment_limit: 500, ..OpenOptions::default() };
    let written = written(&options, 8);
    assert!(written.files.len() > 2);
    for file in 0..written.files.len() {
        for at in 0..written.files[file].1.len() {
            let mut files = written.files.clone();
            files[file].1[at] ^= 1 << (at % 8);
            let what = format!("{} byte {at}", files[file].0.display());
            let opened = check(&written, &files, &options, &what);
            // Without the base, a flipped byte of the last record looks like a write that never ended.
            assert!(opened.is_none() || opened == Some(7) && file + 1 == files.len(), "{what}");
        }
    }
}

#[test]
fn every_truncation_of_the_last_segment_leaves_whole_transactions() {
    let options = OpenOptions::default();
    let written = written(&options, 6);
    let (path, content) = &written.files[0];
    let mut last = 0;
    for len in 60..=content.len() {
        let files = vec![(path.clone(), content[..len].to_vec())];
        let opened = check(&written, &files, &options, &format!("cut to {len}")).unwrap();
        assert!(opened >= last);
        last = opened;
    }
    assert_eq!(last, 6);
}

#[test]
fn a_torn_tail_is_cut_off_and_told_of_and_writing_goes_on() {
    let options = OpenOptions::default();
    let written = written(&options, 3);
    let (path, mut content) = written.files[0].clone();
    content.truncate(content.len() - 5);
    let disk = MemoryDisk::default();
    disk.put(&path, content);
    let mut ledger = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &options).unwrap();
    let notices = ledger.take_notices();
    assert!(matches!(notices[..], [.., Notice::Cut { last: 2, .. }]), "{notices:?}");
    ledger.commit(&draft(9, vec![fact("p", 9, "new")], vec![])).unwrap();
    drop(ledger);
    let mut again = Ledger::on(Arc::new(disk), Box::new(MemoryBase::default()), &options).unwrap();
    assert_eq!(again.last_tx(), 3);
    assert!(facts(&again, "p").contains(&fact("p", 9, "new")));
    assert!(!again.take_notices().iter().any(|notice| matches!(notice, Notice::Cut { .. })));
}

#[test]
fn missing_swapped_and_zeroed_segments_are_named() {
    let options = OpenOptions { segment_limit: 450, ..OpenOptions::default() };
    let written = written(&options, 12);
    let count = written.files.len();
    assert!(count > 3);
    for file in 0..count - 1 {
        let mut without = written.files.clone();
        without.remove(file);
        assert_eq!(check(&written, &without, &options, "a missing segment"), None);
        let mut swapped = written.files.clone();
        swapped[file].1 = written.files[file + 1].1.clone();
        swapped[file + 1].1 = written.files[file].1.clone();
        assert_eq!(check(&written, &swapped, &options, "swapped segments"), None);
        let mut zeroed = written.files.clone();
        let len = zeroed[file].1.len();
        zeroed[file].1[len / 2..].fill(0);
        assert_eq!(check(&written, &zeroed, &options, "a zeroed block"), None);
    }
}

#[test]
fn a_lost_record_that_the_base_knows_is_damage_and_no_torn_tail() {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    for n in 0..3 {
        ledger.commit(&draft(n, vec![fact("p", n, "a")], vec![])).unwrap();
    }
    drop(ledger);
    let path = dir.path().join("journal/00000001.journal");
    let content = std::fs::read(&path).unwrap();
    std::fs::write(&path, &content[..content.len() - 1]).unwrap();
    let refused = Ledger::open(dir.path(), &OpenOptions::default()).err().unwrap();
    let LedgerError::Damaged { path: named, transaction: 3, .. } = &refused else { panic!("{refused}") };
    assert_eq!(named, Path::new(&path));
    assert!(refused.to_string().contains("--up-to 2"), "{refused}");
    std::fs::write(&path, &content).unwrap();
    assert_eq!(Ledger::open(dir.path(), &OpenOptions::default()).unwrap().last_tx(), 3);
}

/// The files of a folder and those below it.
fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn a_base_with_changed_files_is_recovered_from_the_journal() {
    let rounds = slow::size(8, 150);
    let mut random = Random::new(11);
    let whole = memory::folder();
    let mut ledger = Ledger::open(whole.path(), &small()).unwrap();
    for tx in 1..=60 {
        ledger.commit(&script::step(tx)).unwrap();
    }
    drop(ledger);
    for round in 0..rounds {
        let dir = memory::folder();
        copy(whole.path(), dir.path());
        let files = files_below(&dir.path().join("base"));
        let path = &files[random.below(files.len() as u64) as usize];
        let mut content = std::fs::read(path).unwrap();
        let at = random.below(content.len() as u64) as usize;
        match random.below(4) {
            0 => content[at] ^= 1 << random.below(8),
            1 => content.truncate(at),
            2 => {
                let end = content.len().min(at + 4_096);
                content[at..end].fill(0);
            }
            _ => content.clear(),
        }
        std::fs::write(path, content).unwrap();
        let ledger =
            Ledger::open(dir.path(), &small()).unwrap_or_else(|error| panic!("round {round}: {error}"));
        script::check(&ledger, 60);
    }
}
