//! hence inside another program: with default features or without any, decisions, their reasons and a durable ledger.

use std::error::Error;

use hence::fact::Fact;
use hence::ledger::{Ledger, OpenOptions};
use hence::session::{CommitRequest, Loader, RuleSet, Session, check};
use hence::value::Value;

const RULES: &str = "input asked(tool: string). input banned(tool: string). decision allow(tool: string). \
    allow(T) :- asked(T), !banned(T).";

fn rules() -> Result<RuleSet, Box<dyn Error>> {
    let mut loader = Loader::default();
    loader.text("policy.dl", RULES);
    Ok(*check(loader.finish(), &[]).rules.ok_or("faults in the rules")?)
}

fn fact(relation: &str, tool: &str) -> Fact {
    Fact::new(relation, [Value::String(tool.into())])
}

fn change(assertions: Vec<Fact>) -> CommitRequest {
    CommitRequest { assertions, ..CommitRequest::default() }
}

#[test]
fn a_session_in_memory_decides_and_explains() -> Result<(), Box<dyn Error>> {
    let mut session = Session::over_facts(rules()?, vec![fact("banned", "rm")]);
    let drawn = session.commit(change(vec![fact("asked", "ls"), fact("asked", "rm")]), false)?.drawn;
    assert_eq!(drawn.len(), 1);
    assert_eq!(session.why("allow(_)", 0, None)?.proofs.len(), 1);
    Ok(())
}

/// The ledger in a folder, which has nothing to tell of.
fn opened(dir: &tempfile::TempDir, read_only: bool) -> Result<Ledger, Box<dyn Error>> {
    let mut ledger = Ledger::open(dir.path(), &OpenOptions { read_only, ..OpenOptions::default() })?;
    assert_eq!(ledger.take_notices().iter().map(ToString::to_string).collect::<Vec<_>>(), [] as [String; 0]);
    Ok(ledger)
}

#[test]
fn a_ledger_outlives_the_session() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    for tool in ["ls", "cat"] {
        let ledger = opened(&dir, false)?;
        let mut session = Session::over_ledger(rules()?, ledger);
        assert_eq!(session.commit(change(vec![fact("asked", tool)]), false)?.drawn.len(), 1);
    }
    let ledger = opened(&dir, true)?;
    assert_eq!(ledger.last_tx(), 2);
    let session = Session::over_ledger(rules()?, ledger);
    assert_eq!(session.query("allow(T)", 0)?.rows.len(), 2);
    Ok(())
}
