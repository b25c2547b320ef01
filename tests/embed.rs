//! hence inside another program: with default features or without any, decisions, their reasons and a durable ledger.

use std::error::Error;

use hence::fact::Fact;
use hence::ledger::{Ledger, OpenOptions};
use hence::proof::difference::ComparedRelations;
use hence::session::{CommitRequest, Hypothesis, Loader, RuleSet, Session, check};
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
    let mut session = Session::over_facts(rules()?, vec![fact("banned", "rm")])?;
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

/// What the message of a change that is refused says.
fn refused(session: &mut Session, change: CommitRequest) -> String {
    session.commit(change, false).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_no_file_of_facts_could_hold_is_refused_with_its_place() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let mut session = Session::over_ledger(rules()?, opened(&dir, false)?);
    let derived = refused(&mut session, change(vec![fact("allow", "ls")]));
    assert!(derived.starts_with("error[E221]: <fact>:1:1: "), "{derived}");
    let narrow = Fact { values: Vec::new(), ..fact("asked", "ls") };
    assert_ne!(refused(&mut session, change(vec![narrow])), "");
    let typed = Fact::new("asked", [Value::Int(1)]);
    assert_ne!(refused(&mut session, change(vec![typed.clone()])), "");
    let unknown =
        Session::over_facts(rules()?, vec![fact("aksed", "ls")]).err().map(|error| error.to_string());
    let unknown = unknown.unwrap_or_default();
    assert!(unknown.ends_with("help: did you mean `asked`?"), "{unknown}");
    let clock = Fact::new("now", [Value::Time(5)]);
    let mut prepared = session.prepare()?;
    for wrong in [fact("allow", "ls"), typed, clock] {
        assert!(prepared.decide_fresh(&[wrong], 0).is_err());
    }
    Ok(())
}

#[test]
fn values_that_have_no_literal_are_refused() -> Result<(), Box<dyn Error>> {
    let mut loader = Loader::default();
    loader.text("r.dl", "type ab = /a | /b. input n(x: name). input t(x: time). input s(x: ab). decision d(x: name). d(X) :- n(X).");
    let rules = *check(loader.finish(), &[]).rules.ok_or("faults in the rules")?;
    let mut session = Session::over_facts(rules, Vec::new())?;
    let wrong = [
        Fact::new("n", [Value::Name("noslash".into())]),
        Fact::new("n", [Value::Name("/a b".into())]),
        Fact::new("t", [Value::Time(i64::MIN)]),
        Fact::new("s", [Value::Name("/c".into())]),
        Fact::new("n", [Value::List("nothing".into())]),
    ];
    for fact in wrong {
        let message = refused(&mut session, change(vec![fact.clone()]));
        assert!(!message.is_empty() && !message.contains("fault of hence"), "{fact}: {message}");
    }
    Ok(())
}

#[test]
fn of_a_fact_that_is_asserted_and_retracted_the_assertion_counts() -> Result<(), Box<dyn Error>> {
    let mut session = Session::over_facts(rules()?, Vec::new())?;
    let both = CommitRequest { retractions: vec![fact("asked", "ls")], ..change(vec![fact("asked", "ls")]) };
    assert_eq!(session.commit(both, false)?.drawn.len(), 1);
    Ok(())
}

#[test]
fn a_session_goes_to_another_thread() -> Result<(), Box<dyn Error>> {
    let mut session = Session::over_facts(rules()?, Vec::new())?;
    let asked = std::thread::spawn(move || {
        session.commit(change(vec![fact("asked", "ls")]), false).map(|it| it.drawn.len())
    });
    assert_eq!(asked.join().map_err(|_| "it panicked")??, 1);
    Ok(())
}

#[test]
fn a_hypothesis_does_not_hold_a_fact_and_its_absence() -> Result<(), Box<dyn Error>> {
    let session = Session::over_facts(rules()?, Vec::new())?;
    let ls = || vec![fact("asked", "ls")];
    let both = Hypothesis { assertions: ls(), retractions: ls(), ..Hypothesis::default() };
    let supposed =
        session.what_if(&both, 0, &ComparedRelations::Decisions, 1).err().map(|error| error.to_string());
    assert_eq!(
        supposed.as_deref(),
        Some("`asked(\"ls\")` is asserted and retracted at once; leave out one of both")
    );
    Ok(())
}
