//! A fault of hence ends a command with an exit status of its own, and nothing is recorded.

use std::path::Path;
use std::process::Command;

use hence::session::{CommitRequest, Session};
use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::value::Value;
use hence_ledger::{Ledger, OpenOptions};

use super::{Failure, failed};
use contradicts::{Contradicts, rules};

#[path = "../../tests/it/contradicts.rs"]
mod contradicts;

/// The variable by which the test below tells the process that it starts where its ledger is.
const DIR: &str = "HENCE_TEST_FAULT";

/// Not a test of its own: a command whose engine contradicts itself.
#[test]
#[ignore = "the child process of a_fault_ends_a_command_with_a_status_of_its_own"]
fn command() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    fault::keep_quiet();
    let ledger = Ledger::open(Path::new(&dir), &OpenOptions::default()).unwrap();
    let mut session = Session::over_ledger(rules(), ledger).with_engine(Box::new(Contradicts));
    let assertions = vec![Fact::new("asked", [Value::String("ls".into())])];
    let error = session.commit(CommitRequest { assertions, ..CommitRequest::default() }, false).unwrap_err();
    drop(session);
    std::process::exit(i32::from(failed(Failure::Session(error))));
}

#[test]
fn a_fault_ends_a_command_with_a_status_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "cli::fault_test::command", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = child.env(DIR, dir.path()).env_remove("RUST_BACKTRACE").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{output:?}");
    assert!(stderr.contains("error: this is a fault of hence "), "{stderr}");
    assert!(stderr.contains("`every slot of a plan is bound before it is read` does not hold"), "{stderr}");
    assert!(stderr.contains("help: report this line with the rules and facts that show it"), "{stderr}");
    assert_eq!(Ledger::open(dir.path(), &OpenOptions::default()).unwrap().last_tx(), 0);
}
