//! The table of a base, from which questions are answered without a copy: beside a writer, behind the journal, damaged, forged.

use std::fs;
use std::path::{Path, PathBuf};

use hence_ledger::{Ledger, LedgerError, OpenOptions};

use super::script;
use super::support::{Random, small};
use crate::{memory, slow};

/// Nobody writes a table of so little.
fn without() -> OpenOptions {
    OpenOptions { table_limit: u64::MAX, ..small() }
}

/// Appends transactions to the ledger in `dir`, and closes it.
fn write(dir: &Path, transactions: std::ops::RangeInclusive<u64>, options: &OpenOptions) {
    let mut ledger = Ledger::open(dir, options).unwrap();
    for tx in transactions {
        ledger.commit(&script::step(tx)).unwrap();
    }
    assert_eq!(ledger.close(), []);
}

fn table(dir: &Path) -> PathBuf {
    dir.join("base.table")
}

/// What a question finds, and up to where the base or table that it reads holds everything.
fn asked(dir: &Path, transactions: u64) -> Option<u64> {
    let mut ledger = Ledger::open_to_ask(dir, &small()).unwrap();
    assert_eq!(ledger.take_notices(), []);
    script::check(&ledger, transactions);
    assert_eq!(ledger.verify().unwrap().differences, [] as [String; 0]);
    ledger.status().unwrap().base_tx
}

#[test]
fn what_was_recorded_since_lies_over_the_table() {
    let dir = memory::folder();
    write(dir.path(), 1..=40, &without());
    assert!(!table(dir.path()).exists());
    assert_eq!(asked(dir.path(), 40), Some(40));
    write(dir.path(), 41..=60, &small());
    assert_eq!(asked(dir.path(), 60), Some(60));
    write(dir.path(), 61..=70, &without());
    assert_eq!(asked(dir.path(), 70), Some(60), "the table is of before");
    // Beside a writer, and after one that was killed: the base can't be read then.
    let mut writer = Ledger::open(dir.path(), &small()).unwrap();
    writer.commit(&script::step(71)).unwrap();
    let mut beside = Ledger::open_to_ask(dir.path(), &small()).unwrap();
    script::check(&beside, 71);
    assert_eq!(beside.status().unwrap().base_tx, Some(60));
    for tx in 72..=90 {
        writer.commit(&script::step(tx)).unwrap();
    }
    beside.follow(90).unwrap();
    script::check_facts(&beside, 90);
    for (up_to, held) in [(59, None), (60, Some(60)), (61, Some(60)), (90, Some(60))] {
        let then = OpenOptions { up_to: Some(up_to), ..small() };
        let then = Ledger::open_to_ask(dir.path(), &then).unwrap();
        script::check(&then, up_to);
        assert_eq!((then.last_tx(), then.status().unwrap().base_tx), (up_to, held));
    }
    let none = Ledger::open_to_ask(dir.path(), &OpenOptions { up_to: Some(91), ..small() }).err().unwrap();
    assert!(matches!(none, LedgerError::NoTransaction { asked: 91, last: 90 }), "{none}");
    fs::remove_dir_all(dir.path().join("base")).unwrap();
    assert_eq!(asked(dir.path(), 90), Some(60));
    assert!(Ledger::open_to_ask(dir.path(), &small()).unwrap().status().unwrap().from_table);
    fs::remove_file(table(dir.path())).unwrap();
    let status = Ledger::open_to_ask(dir.path(), &small()).unwrap().status().unwrap();
    assert_eq!((status.base_tx, status.from_table), (None, false));
}

#[test]
fn compaction_a_new_base_and_another_journal_end_a_table() {
    let dir = memory::folder();
    write(dir.path(), 1..=40, &small());
    let before = fs::read(table(dir.path())).unwrap();
    let mut ledger = Ledger::open(dir.path(), &without()).unwrap();
    ledger.compact(41, "ada").unwrap().unwrap();
    assert!(!table(dir.path()).exists(), "it held what is only in the archive now");
    fs::write(table(dir.path()), &before).unwrap();
    drop(ledger);
    assert!(!table(dir.path()).exists(), "it was of the journal before");
    fs::write(table(dir.path()), &before).unwrap();
    assert_eq!(Ledger::open_to_ask(dir.path(), &small()).unwrap().status().unwrap().base_tx, Some(41));

    drop(Ledger::open(dir.path(), &OpenOptions { rebuild: true, ..without() }).unwrap());
    assert!(!table(dir.path()).exists());
    let other = memory::folder();
    let mut ledger = Ledger::open(other.path(), &without()).unwrap();
    for tx in 2..=30 {
        ledger.commit(&script::step(tx)).unwrap();
    }
    drop(ledger);
    fs::write(table(other.path()), &before).unwrap();
    let ledger = Ledger::open_to_ask(other.path(), &small()).unwrap();
    assert_eq!((ledger.last_tx(), ledger.status().unwrap().base_tx), (29, Some(29)));
    assert_eq!(ledger.verify().unwrap().differences, [] as [String; 0]);
}

#[test]
fn a_damaged_table_is_as_good_as_none_or_says_so() {
    let dir = memory::folder();
    write(dir.path(), 1..=60, &small());
    let whole = fs::read(table(dir.path())).unwrap();
    let mut random = Random::new(17);
    for round in 0..slow::size(60, 3_000) {
        let mut content = whole.clone();
        let at = random.below(content.len() as u64) as usize;
        match round % 3 {
            0 => content[at] ^= 1 << random.below(8),
            1 => content.truncate(at),
            _ => {
                let end = content.len().min(at + 64);
                content[at..end].fill(0);
            }
        }
        fs::write(table(dir.path()), content).unwrap();
        let ledger = Ledger::open_to_ask(dir.path(), &small()).unwrap();
        script::check_facts(&ledger, 60);
        for difference in ledger.verify().unwrap().differences {
            assert!(difference.contains("the checksum of a value of the table"), "{difference}");
        }
        for tx in 1..=60 {
            match ledger.info(tx) {
                Ok(info) => assert_eq!(info.time, tx as i64),
                Err(error) => assert!(error.to_string().contains("`hence rebuild`"), "{error}"),
            }
        }
    }
    fs::write(table(dir.path()), &whole[1..]).unwrap();
    assert_eq!(asked(dir.path(), 60), Some(60));
    write(dir.path(), 61..=61, &small());
    assert_eq!(asked(dir.path(), 61), Some(61), "whoever writes next makes it again");
}

/// A table with `old` in a value of it replaced by `new`, which is as long, and proper checksums.
fn forged(table: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    const BLOCK_CHECK: usize = 8;
    let (rest, trailer) = table.split_at(table.len() - 48);
    let index_len = u64::from_le_bytes(trailer[..8].try_into().unwrap()) as usize;
    let (values, index) = rest.split_at(rest.len() - index_len);
    let (mut values, mut index) = (values.to_vec(), index.to_vec());
    let found = values.windows(old.len()).position(|window| window == old).expect("it is there");
    values[found..found + old.len()].copy_from_slice(new);
    // A length, of which none is as large as 2^14, and where what comes after it begins.
    let length = |index: &[u8], at: usize| match usize::from(index[at]) {
        low @ 0..128 => (low, at + 1),
        low => (low - 128 + (usize::from(index[at + 1]) << 7), at + 2),
    };
    let (mut at, mut value) = (0, 0);
    loop {
        let (key, begin) = length(&index, at);
        let (len, begin) = length(&index, begin + key);
        at = begin;
        if (value..value + len).contains(&found) {
            let block = &mut values[value..value + len];
            let check = blake3::hash(&block[BLOCK_CHECK..]);
            block[..BLOCK_CHECK].copy_from_slice(&check.as_bytes()[..BLOCK_CHECK]);
            let check = blake3::hash(block);
            index[at..at + 8].copy_from_slice(&check.as_bytes()[..8]);
            break;
        }
        (at, value) = (at + 8, value + len);
    }
    [&values[..], &index, &trailer[..8], blake3::hash(&index).as_bytes(), &trailer[40..]].concat()
}

#[test]
fn verify_tells_a_forged_table_and_a_base_that_is_damaged_beside_it() {
    let dir = memory::folder();
    write(dir.path(), 1..=40, &small());
    let whole = fs::read(table(dir.path())).unwrap();
    let note = b"ada";
    assert_eq!(forged(&whole, note, note), whole, "an honest one is written as it was");
    fs::write(table(dir.path()), forged(&whole, note, b"eve")).unwrap();
    let differences = || Ledger::open_to_ask(dir.path(), &small()).unwrap().verify().unwrap().differences;
    assert_eq!(differences(), ["table and journal differ in the transactions"]);
    fs::write(table(dir.path()), whole).unwrap();
    assert_eq!(differences(), [] as [String; 0]);
    let files = fs::read_dir(dir.path().join("base")).unwrap().map(|file| file.unwrap().path());
    for file in files.filter(|file| file.is_file()) {
        fs::write(&file, vec![7; fs::read(&file).unwrap().len()]).unwrap();
    }
    let told = differences();
    assert!(matches!(&told[..], [one] if one.contains("the fact base can't be used")), "{told:?}");
}

#[test]
fn a_value_of_a_large_table_that_is_damaged_is_told_and_made_again() {
    let dir = memory::folder();
    // From 20,000 facts on they are not compared with their digest whenever they are read.
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    let all =
        (0..20_500).map(|number| super::support::fact("p", number, "abcdefghijklmnopqrstuvwxyz")).collect();
    ledger.commit(&super::support::draft(1, all, vec![])).unwrap();
    drop(ledger);
    let many = OpenOptions { table_limit: 0, ..OpenOptions::default() };
    drop(Ledger::open(dir.path(), &many).unwrap());
    let mut content = fs::read(table(dir.path())).unwrap();
    let middle = content.len() / 3;
    content[middle] ^= 1;
    fs::write(table(dir.path()), content).unwrap();
    let ledger = Ledger::open_to_ask(dir.path(), &many).unwrap();
    let read: Result<Vec<_>, LedgerError> = ledger.facts("p".into()).collect();
    let error = read.unwrap_err().to_string();
    assert!(error.contains("a value of the table") && error.contains("`hence rebuild`"), "{error}");
    assert_ne!(ledger.verify().unwrap().differences, [] as [String; 0]);
    drop(Ledger::open(dir.path(), &OpenOptions { rebuild: true, ..many.clone() }).unwrap());
    let ledger = Ledger::open_to_ask(dir.path(), &many).unwrap();
    assert_eq!(ledger.facts("p".into()).collect::<Result<Vec<_>, _>>().unwrap().len(), 20_500);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_in_the_place_of_a_table_is_not_waited_for_nor_written_through() {
    let dir = memory::folder();
    write(dir.path(), 1..=40, &without());
    rustix::fs::mkfifoat(rustix::fs::CWD, table(dir.path()), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(asked(dir.path(), 40), Some(40));
    let elsewhere = memory::folder().path().join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, dir.path().join("base.table-new")).unwrap();
    write(dir.path(), 41..=42, &small());
    assert!(!elsewhere.exists() && fs::symlink_metadata(table(dir.path())).unwrap().is_file());
    assert_eq!(asked(dir.path(), 42), Some(42));
}
