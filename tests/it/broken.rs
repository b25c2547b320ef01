//! Faults of hence itself: an invariant that does not hold ends the work, is an error, and leaves nothing recorded.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hence::session::{CommitRequest, Loader, Session, SessionError, check};
use hence_core::fact::Fact;
use hence_core::fault::{self, Fault};
use hence_core::schema::RelationId;
use hence_core::value::{Value, Word};
use hence_engine::Incremental;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, LimitReached, Limits, Model};
use hence_lang::builtins::expr::{ExprKind, ParamId, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Literal, Program, RuleId};
use hence_ledger::base::MemoryBase;
use hence_ledger::disk::{Disk, DiskFile, MemoryDisk};
use hence_ledger::{Ledger, OpenOptions};

use super::contradicts::{Contradicts, rules};
#[cfg(target_os = "linux")]
use super::ledger::media::failing;
#[cfg(target_os = "linux")]
use super::settings::{Ran, folder, run, said};

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

fn asked(tool: &str) -> CommitRequest {
    CommitRequest {
        assertions: vec![Fact::new("asked", [Value::String(tool.into())])],
        ..CommitRequest::default()
    }
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
    assert!(fault.place.as_deref().unwrap().contains("contradicts.rs:"), "{fault}");
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
    let mut session = Session::over_facts(rules(), Vec::new()).unwrap().with_engine(Box::new(Panics));
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

const SOUND: &str = "
    param least: int = 2.
    input edge(from: int, to: int).
    path(X, Y) :- edge(X, Y).
    path(X, Z) :- path(X, Y), edge(Y, Z), Z >= least.
    reach(X, count()) :- path(X, _).
    most(X, N) :- reach(X, N) limit 1 by N desc.
    decision leaf(node: int).
    leaf(Y) :- edge(_, Y), !edge(Y, _).
";

fn sound() -> (Program, Database) {
    let mut loader = Loader::default();
    loader.text("sound.dl", SOUND);
    let program = check(loader.finish(), &[]).rules.unwrap().program;
    let mut input = Database::new(&program);
    let edge = program.find("edge".into()).unwrap();
    for (from, to) in [(1, 2), (2, 3), (3, 1), (3, 4)] {
        input.push(edge, &[Word::from_int(from), Word::from_int(to)]);
    }
    (program, input)
}

type Corrupt = fn(&mut Program);
/// How many relations an engine finds.
type Evaluate = fn(&Program, Database) -> usize;

/// What can be wrong with a program, each a number that leads nowhere, or a variable that nothing binds.
const CORRUPTIONS: [(&str, Corrupt); 8] = [
    ("an atom's relation", |program| {
        let Literal::Atom(atom) = &mut program.rules[0].body[0] else { panic!("an atom") };
        atom.relation = RelationId(99);
    }),
    ("a negated atom's relation", |program| {
        let leaf = program.rules.last_mut().unwrap();
        let Literal::Not(atom) = &mut leaf.body[1] else { panic!("a negated atom") };
        atom.relation = RelationId(99);
    }),
    ("a head's relation", |program| program.rules[0].head = RelationId(99)),
    ("a stratum's rule", |program| program.strata[0].rules.push(RuleId(99))),
    ("an atom's variable", |program| {
        let Literal::Atom(atom) = &mut program.rules[0].body[0] else { panic!("an atom") };
        atom.args[0] = Arg::Var(VarId(99));
    }),
    ("an atom's parameter", |program| {
        let Literal::Atom(atom) = &mut program.rules[0].body[0] else { panic!("an atom") };
        atom.args[0] = Arg::Param(ParamId(99));
    }),
    ("a head's variable", |program| {
        let Term::Expr(expr) = &mut program.rules[0].terms[0] else { panic!("an expression") };
        expr.kind = ExprKind::Var(VarId(99));
    }),
    ("what binds a variable", |program| {
        program.rules[1].body.retain(|literal| matches!(literal, Literal::Test { .. }));
    }),
];

#[test]
fn a_corrupt_program_is_a_fault_on_every_engine_and_never_an_answer() {
    let engines: [(&str, Evaluate); 3] = [
        ("naive", |program, input| {
            Naive.evaluate(program, input, &Limits::default()).unwrap().relations.len()
        }),
        ("semi-naive", |program, input| {
            SemiNaive.evaluate(program, input, &Limits::default()).unwrap().relations.len()
        }),
        ("incremental", |program, input| {
            Incremental::new(program, &input, &Limits::default()).unwrap().model().relations.len()
        }),
    ];
    for (engine, evaluate) in engines {
        let (program, input) = sound();
        let answer = fault::caught::<_, Fault>(|| Ok(evaluate(&program, input.clone())));
        assert!(answer.is_ok(), "{engine} over the sound program: {answer:?}");
        for (what, corrupt) in CORRUPTIONS {
            let mut corrupted = program.clone();
            corrupt(&mut corrupted);
            let answer = fault::caught::<_, Fault>(|| Ok(evaluate(&corrupted, input.clone())));
            assert!(answer.is_err(), "{engine} answers though {what} is wrong");
        }
    }
}

/// The binary where the system has no time, of which nobody thought.
#[cfg(target_os = "linux")]
#[test]
fn a_fault_ends_a_command_with_a_status_of_its_own() {
    let policy = "input asked(tool: string). decision allow(tool: string). allow(T) :- asked(T).";
    let project =
        folder(&[("rules.dl", policy), ("hence.toml", "rules = [\"rules.dl\"]\nauthor = \"ops\"\n")]);
    let at = project.path();
    said(at, 0, &["assert", "asked(\"cp\")"]);
    let Some(library) = failing(at) else { return };
    let library = [("LD_PRELOAD", library.to_str().unwrap()), ("FAIL_CLOCK", "1")];
    let Ran(status, _, err) = run(at, &["assert", "asked(\"ls\")"], &library, "");
    assert_eq!(status, 70, "{err}");
    assert!(err.contains("error: this is a fault of hence "), "{err}");
    assert!(err.contains("help: report this line with the rules and facts that show it"), "{err}");
    assert_eq!(Ledger::open(at.join(".hence"), &OpenOptions::default()).unwrap().last_tx(), 1);
}
