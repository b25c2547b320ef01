//! Power cuts: the files as they may be when unsynced writes are lost, reordered or torn, at any moment.

use crate::slow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hence_ledger::base::{Base, Batch, MemoryBase};
use hence_ledger::disk::MemoryDisk;
use hence_ledger::{Draft, Ledger, LedgerError};

use super::script;
use super::support::{Hooked, Op, Random, hooked, written};

/// Something done to disk or base, or told to the user.
#[derive(Clone)]
enum Event {
    Create(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    SetLen(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    SyncDir,
    Applied(Batch),
    Acknowledged(u64),
}

type Events = Arc<Mutex<Vec<Event>>>;

fn note(events: &Events, event: Event) {
    events.lock().unwrap().push(event);
}

/// The name that a file has now: a segment is written before it gets its own.
fn current(path: &Path, events: &Events) -> PathBuf {
    let events = events.lock().unwrap();
    let renamed = events.iter().rev().find_map(|event| match event {
        Event::Rename(from, to) if from == path => Some(to.clone()),
        Event::Create(created) if created == path => Some(created.clone()),
        _ => None,
    });
    renamed.unwrap_or_else(|| path.to_owned())
}

/// Takes down what is about to be done to a disk.
fn take_down(events: &Events, path: &Path, op: Op<'_>) {
    let event = match op {
        Op::List | Op::Look | Op::Open { create: false } => return,
        Op::Open { create: true } => Event::Create(path.to_owned()),
        Op::Rename(to) => Event::Rename(path.to_owned(), to.to_owned()),
        Op::SyncDir => Event::SyncDir,
        Op::Write(offset, bytes) => Event::Write(current(path, events), offset, bytes.to_vec()),
        Op::SetLen(len) => Event::SetLen(current(path, events), len),
        Op::Sync { .. } => Event::Sync(current(path, events)),
    };
    note(events, event);
}

/// A file with what is on the medium for certain, and what may be.
#[derive(Clone, Default)]
struct File {
    certain: Vec<u8>,
    pending: Vec<Event>,
}

fn write_into(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let start = offset as usize;
    if content.len() < start + bytes.len() {
        content.resize(start + bytes.len(), 0);
    }
    content[start..start + bytes.len()].copy_from_slice(bytes);
}

impl File {
    /// Does what is pending; with `random`, each 64-byte piece of a write only perhaps, and a length only perhaps.
    fn settle(&mut self, mut random: Option<&mut Random>) {
        for event in std::mem::take(&mut self.pending) {
            let mut perhaps = || random.as_mut().is_none_or(|random| random.below(2) == 0);
            match event {
                Event::Write(_, offset, bytes) => {
                    for (at, piece) in bytes.chunks(64).enumerate().filter(|_| perhaps()) {
                        write_into(&mut self.certain, offset + at as u64 * 64, piece);
                    }
                }
                Event::SetLen(_, len) if perhaps() => self.certain.resize(len as usize, 0),
                _ => {}
            }
        }
    }
}

/// Files and base as a power cut after the first `upto` events may leave them, and the last acknowledged transaction.
fn after_cut(events: &[Event], upto: usize, random: &mut Random) -> (MemoryDisk, MemoryBase, u64) {
    let mut files: BTreeMap<PathBuf, File> = BTreeMap::new();
    let mut names: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut batches = Vec::new();
    let mut acknowledged = 0;
    for event in events.iter().take(upto) {
        match event {
            Event::Create(path) => drop(files.insert(path.clone(), File::default())),
            Event::Write(path, ..) | Event::SetLen(path, _) => {
                files.get_mut(path).unwrap().pending.push(event.clone());
            }
            Event::Sync(path) => files.get_mut(path).unwrap().settle(None),
            Event::Rename(from, to) => {
                let file = files.remove(from).unwrap();
                files.insert(to.clone(), file);
                names.push((from.clone(), to.clone()));
            }
            Event::SyncDir => names.clear(),
            Event::Applied(batch) => batches.push(batch.clone()),
            Event::Acknowledged(tx) => acknowledged = *tx,
        }
    }
    for (from, to) in names.into_iter().rev().filter(|_| random.below(2) == 0) {
        let file = files.remove(&to).unwrap();
        files.insert(from, file);
    }
    let disk = MemoryDisk::default();
    for (path, mut file) in files {
        file.settle(Some(random));
        disk.put(&path, file.certain);
    }
    let base = MemoryBase::default();
    // What was there at opening is kept; whether it is durable was part of the cut before.
    let kept = 1 + random.below(batches.len() as u64) as usize;
    batches.into_iter().take(kept).for_each(|batch| base.apply(batch).unwrap());
    (disk, base, acknowledged)
}

/// All that a base holds.
fn content(base: &MemoryBase) -> Batch {
    let mut all = Batch::new();
    let mut key = Vec::new();
    while let Some((next, value)) = base.above(&key).unwrap() {
        all.push((next.clone(), Some(value)));
        key = next;
    }
    all
}

/// Opens, checks, writes on, and returns all that was done.
fn write(
    disk: MemoryDisk,
    base: MemoryBase,
    acknowledged: u64,
    more: u64,
) -> Result<Vec<Event>, LedgerError> {
    let events = Events::default();
    for path in disk.paths() {
        let content = disk.content(&path).unwrap();
        events.lock().unwrap().extend([Event::Create(path.clone()), Event::Write(path.clone(), 0, content)]);
        note(&events, Event::Sync(path));
    }
    note(&events, Event::Applied(content(&base)));
    note(&events, Event::Acknowledged(acknowledged));
    let (of_disk, of_base) = (Arc::clone(&events), Arc::clone(&events));
    let recorded = hooked(&disk, move |path, op| {
        take_down(&of_disk, path, op);
        Ok(())
    });
    let before = move |batch: &Batch| {
        note(&of_base, Event::Applied(batch.clone()));
        Ok(())
    };
    let base = Box::new(Hooked { base: Arc::new(base), before });
    let mut ledger = Ledger::on(recorded, base, &written(more % 2 == 1))?;
    script::check(&ledger, acknowledged);
    for at in 0..more {
        // Some by themselves, others together with those that follow.
        let deferred = at % 5 > 1;
        let draft = Draft { deferred, ..script::step(ledger.last_tx() + 1) };
        let committed = ledger.commit(&draft)?;
        if !deferred || at % 5 == 4 {
            ledger.make_durable()?;
            note(&events, Event::Acknowledged(committed.tx));
        }
    }
    drop(ledger);
    Ok(Arc::try_unwrap(events).map(|events| events.into_inner().unwrap()).unwrap_or_default())
}

#[test]
fn no_power_cut_loses_what_was_acknowledged() {
    let states = slow::size(150, 10_000);
    let mut random = Random::new(3);
    let mut events = write(MemoryDisk::default(), MemoryBase::default(), 0, 20).unwrap();
    let mut depth = 0;
    for state in 0..states {
        let first = events.iter().position(|event| matches!(event, Event::Acknowledged(_))).unwrap() + 1;
        let upto = first + random.below((events.len() - first) as u64 + 1) as usize;
        let (disk, base, acknowledged) = after_cut(&events, upto, &mut random);
        let more = random.below(6);
        match write(disk, base, acknowledged, more) {
            Ok(after) if depth < 3 && random.below(2) == 0 => (events, depth) = (after, depth + 1),
            Ok(_) => {}
            Err(error) => panic!("state {state}, after {upto} events: {error}"),
        }
        if state % 10 == 9 {
            events = write(MemoryDisk::default(), MemoryBase::default(), 0, 5 + random.below(25)).unwrap();
            depth = 0;
        }
    }
}
