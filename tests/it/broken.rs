//! Faults of hence itself: an invariant that does not hold ends the work, is an error, and leaves nothing recorded.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hence::backend::seminaive::SemiNaive;
use hence::backend::{Database, Engine, LimitReached, Limits, Model};
use hence::fact::Fact;
use hence::fault::{self, Fault, OrBroken};
use hence::ir::Program;
use hence::ledger::base::MemoryBase;
use hence::ledger::disk::{Disk, DiskFile, MemoryDisk};
use hence::ledger::{Ledger, OpenOptions};
use hence::session::{Change, Loader, RuleSet, Session, SessionError, check};
use hence::value::Value;

/// An engine that finds out that it contradicts itself.
struct Contradicts;

impl Engine for Contradicts {
    fn name(&self) -> &'static str {
        "contradicts"
    }

    fn evaluate(&self, _: &Program, _: Database, _: &Limits) -> Result<Model, LimitReached> {
        None.or_broken("every slot of a plan is bound before it is read")
    }
}

/// An engine with a defect that nobody thought of, in a thread of its own.
struct Panics;

impl Engine for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn evaluate(&self, _: &Program, input: Database, _: &Limits) -> Result<Model, LimitReached> {
        let worker = move || {
            assert_eq!(input.relations[99].len(), 0);
            Ok(Model::default())
        };
        std::thread::scope(|scope| fault::joined(scope.spawn(worker).join()))
    }
}

fn rules() -> RuleSet {
    let mut loader = Loader::default();
    loader
        .text("policy.dl", "input asked(tool: string). decision allow(tool: string). allow(T) :- asked(T).");
    *check(loader.finish(), &[]).rules.unwrap()
}

fn asked(tool: &str) -> Change {
    Change { assertions: vec![Fact::new("asked", [Value::String(tool.into())])], ..Change::default() }
}

fn fault_of<T>(result: Result<T, SessionError>) -> Fault {
    match result {
        Err(SessionError::Fault(fault)) => fault,
        Err(other) => panic!("expected a fault of hence, found: {other}"),
        Ok(_) => panic!("expected a fault of hence, found an answer"),
    }
}

#[test]
fn a_broken_invariant_is_an_error_that_names_it_and_nothing_is_recorded() {
    let ledger = Ledger::memory().unwrap();
    let mut session = Session::over_ledger(rules(), ledger).with_engine(Box::new(Contradicts));
    let fault = fault_of(session.commit(asked("ls"), false));
    assert_eq!(fault.what, "`every slot of a plan is bound before it is read` does not hold");
    assert!(fault.place.as_deref().unwrap().contains("broken.rs:"), "{fault}");
    assert!(fault.to_string().starts_with("this is a fault of hence "), "{fault}");
    fault_of(session.evaluate(0));
    fault_of(session.query("allow(T)", 0));
    fault_of(session.derive(&[], 0));
    fault_of(session.why("allow(_)", 0, None));
    assert_eq!(session.ledger().unwrap().last_tx(), 0);

    let mut session = session.with_engine(Box::new(SemiNaive));
    assert_eq!(session.commit(asked("ls"), false).unwrap().drawn.len(), 1);
}

#[test]
fn any_other_panic_is_a_fault_as_well_also_of_another_thread() {
    let mut session = Session::over_facts(rules(), Vec::new()).with_engine(Box::new(Panics));
    let fault = fault_of(session.commit(asked("ls"), false));
    assert!(fault.what.contains("index out of bounds"), "{fault}");
    assert_eq!(session.with_engine(Box::new(SemiNaive)).given().unwrap(), []);
}

/// A disk that contradicts itself once it is told to.
struct Disc(MemoryDisk, Arc<AtomicBool>);

struct File(Box<dyn DiskFile>, Arc<AtomicBool>);

impl Disk for Disc {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.0.list(path)
    }

    fn open(&self, path: &Path, write: bool, create: bool) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(File(self.0.open(path, write, create)?, Arc::clone(&self.1))))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.0.sync_dir(path)
    }
}

impl DiskFile for File {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if self.1.load(Ordering::SeqCst) {
            fault::broken("a block of the journal has a length");
        }
        self.0.write_at(bytes, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

#[test]
fn a_fault_between_the_parts_of_a_record_stays_the_answer_until_the_ledger_is_opened_again() {
    let (disk, breaks) = (MemoryDisk::default(), Arc::new(AtomicBool::new(false)));
    let open = || {
        let disk = Arc::new(Disc(disk.clone(), Arc::clone(&breaks)));
        let ledger = Ledger::on(disk, Box::new(MemoryBase::default()), &OpenOptions::default()).unwrap();
        Session::over_ledger(rules(), ledger)
    };
    let mut session = open();
    session.commit(asked("ls"), false).unwrap();
    breaks.store(true, Ordering::SeqCst);
    let fault = fault_of(session.commit(asked("rm"), false));
    breaks.store(false, Ordering::SeqCst);
    assert_eq!(fault_of(session.commit(asked("cat"), false)), fault);
    assert_eq!(fault_of(session.evaluate(0)), fault);
    drop(session);

    let mut session = open();
    assert_eq!(session.ledger().unwrap().last_tx(), 1);
    assert_eq!(session.commit(asked("rm"), false).unwrap().committed.unwrap().tx, 2);
}
