//! A lost journal: a new chain is made of what the base knows, which is the same history as far as it goes.

use std::fs;
use std::path::Path;

use hence_ledger::{Ledger, LedgerError, OpenOptions, Salvaged};

use super::script;
use super::support::{draft, fact, facts, small};
use crate::memory;

/// A ledger of the first `last` steps, closed.
fn ledger(last: u64) -> tempfile::TempDir {
    let dir = memory::folder();
    let mut ledger = Ledger::open(dir.path(), &small()).unwrap();
    for tx in 1..=last {
        ledger.commit(&script::step(tx)).unwrap();
    }
    assert_eq!(ledger.close(), vec![]);
    dir
}

fn salvage(dir: &Path) -> Result<Salvaged, LedgerError> {
    Ledger::salvage(dir, 1_000_000, "eve", &small()).map(|(ledger, salvaged)| {
        assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
        salvaged
    })
}

/// What was salvaged up to `last` is the history that was recorded, and the ledger takes more.
fn check(dir: &Path, last: u64, whole: &Ledger) {
    let mut again = Ledger::open_to_ask(dir, &small()).unwrap();
    assert_eq!((again.last_tx(), again.take_notices()), (last + 1, vec![]));
    assert_eq!(again.salvaged().unwrap(), Some(last));
    assert_eq!(again.verify().unwrap().differences, Vec::<String>::new());
    for tx in 1..=last {
        let (then, now) = (whole.transaction(tx).unwrap(), again.transaction(tx).unwrap());
        assert_eq!((&then.added, &then.removed), (&now.added, &now.removed), "{tx}");
        let decided = |told: &hence_ledger::Transaction| {
            let drawn: Vec<_> = told.drawn.iter().map(|drawn| drawn.fact.clone()).collect();
            (
                drawn,
                told.lapsed.iter().map(|(lapsed, since)| (lapsed.fact.clone(), *since)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(decided(&then), decided(&now), "{tx}");
        let (then, now) = (then.info, now.info);
        assert_eq!((then.time, &then.author, &then.source), (now.time, &now.author, &now.source));
        assert_eq!((then.note, then.clock, then.rules, then.run), (now.note, now.clock, now.rules, now.run));
        assert_eq!((then.schemas, then.digest, then.present), (now.schemas, now.digest, now.present));
    }
    assert_eq!(whole.decisions_at(hence_ledger::When::Tx(last)).unwrap(), again.decisions().unwrap());
    let mut writer = Ledger::open(dir, &small()).unwrap();
    assert_eq!(writer.take_notices(), vec![]);
    writer.commit(&draft(9_000_000, vec![fact("p", 1, "after")], vec![])).unwrap();
    assert_eq!(writer.verify().unwrap().differences, Vec::<String>::new());
}

#[test]
fn a_journal_that_is_gone_is_salvaged_from_the_base() {
    let (dir, whole) = (ledger(40), ledger(40));
    let whole = Ledger::open(whole.path(), &small()).unwrap();
    fs::remove_dir_all(dir.path().join("journal")).unwrap();
    let lost = Ledger::open_to_ask(dir.path(), &small()).err().unwrap().to_string();
    assert!(lost.contains("hence rebuild --from-base"), "{lost}");
    let salvaged = salvage(dir.path()).unwrap();
    assert_eq!((salvaged.transactions, salvaged.tx, salvaged.lacking), (40, 41, None));
    check(dir.path(), 40, &whole);
    // A chain that can be read is never replaced.
    let refused = salvage(dir.path()).unwrap_err().to_string();
    assert!(refused.contains("the journal can be read"), "{refused}");
}

#[test]
fn a_journal_damaged_in_its_first_segment_is_set_aside() {
    let (dir, whole) = (ledger(40), ledger(40));
    let whole = Ledger::open(whole.path(), &small()).unwrap();
    let path = dir.path().join("journal/00000001.journal");
    let mut bytes = fs::read(&path).unwrap();
    bytes[300] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(Ledger::open(dir.path(), &small()), Err(LedgerError::Damaged { .. })));
    let salvaged = salvage(dir.path()).unwrap();
    assert_eq!(fs::read(salvaged.aside.join("journal/00000001.journal")).unwrap(), bytes);
    assert!(salvaged.aside.join("base").is_dir());
    check(dir.path(), 40, &whole);
}

#[test]
fn of_a_base_that_is_behind_is_salvaged_what_it_holds() {
    let (dir, whole, earlier) = (ledger(40), ledger(40), ledger(25));
    let whole = Ledger::open(whole.path(), &small()).unwrap();
    fs::remove_dir_all(dir.path().join("base")).unwrap();
    fs::rename(earlier.path().join("base"), dir.path().join("base")).unwrap();
    let path = dir.path().join("journal/00000001.journal");
    let bytes = fs::read(&path).unwrap();
    // As long as the journal reaches farther than the base, it is what is saved.
    let last = dir.path().join("journal");
    let mut names: Vec<_> = fs::read_dir(&last).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let end = names.pop().unwrap();
    let kept = fs::read(&end).unwrap();
    fs::write(&end, &kept[..kept.len() - 9]).unwrap();
    let refused = salvage(dir.path()).unwrap_err().to_string();
    assert!(refused.contains("hence export --up-to 39"), "{refused}");
    fs::write(&end, kept).unwrap();
    fs::write(&path, &bytes[..200]).unwrap();
    let salvaged = salvage(dir.path()).unwrap();
    assert_eq!((salvaged.transactions, salvaged.lacking), (25, None));
    check(dir.path(), 25, &whole);
}

#[test]
fn a_base_of_a_compacted_ledger_gives_a_chain_that_begins_with_a_snapshot() {
    let dir = ledger(20);
    let mut writer = Ledger::open(dir.path(), &small()).unwrap();
    writer.compact(100, "ada").unwrap().unwrap();
    for tx in 22..=30 {
        writer.commit(&script::step(tx)).unwrap();
    }
    let (stood, decided) = (facts(&writer, "p"), writer.decisions().unwrap());
    drop(writer);
    for entry in fs::read_dir(dir.path().join("journal")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let salvaged = salvage(dir.path()).unwrap();
    assert_eq!((salvaged.transactions, salvaged.lacking), (30, None));
    let again = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(again.archived().map(|(last, _)| last), Some(20));
    assert_eq!((facts(&again, "p"), again.decisions().unwrap()), (stood, decided));
    assert_eq!(again.verify().unwrap().archived, Some((20, false)));
}

#[test]
fn without_a_base_nothing_is_salvaged_and_nothing_touched() {
    let dir = ledger(3);
    fs::remove_dir_all(dir.path().join("base")).unwrap();
    assert!(salvage(dir.path()).unwrap_err().to_string().contains("there is no fact base"));
    fs::create_dir(dir.path().join("base")).unwrap();
    fs::remove_dir_all(dir.path().join("journal")).unwrap();
    assert!(salvage(dir.path()).unwrap_err().to_string().contains("contains no transactions"));
    assert!(!dir.path().join("journal").exists() && !dir.path().join("set-aside-1").exists());
}
