//! Cross-checks: where compiled code and the engine of a session differ, nothing is recorded.
#![cfg(feature = "crepe")]

use hence::session::compiled::Compiled;
use hence::session::{Both, CommitRequest, RuleSet, RuleSource, Session, SessionError};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::Engine;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_ledger::Ledger;
use hence_packs::errors;
use hence_packs::support::{Pack, Tables};

use super::settings::{folder, run};

/// The pack `errors`, but that its code invents a decision where there is an error `bad`.
static INVENTS: Pack = Pack { run: invents, ..errors::PACK };
/// The same, but that it forgets all decisions.
static FORGETS: Pack = Pack { run: forgets, ..errors::PACK };

fn table(relation: &str) -> usize {
    errors::PACK.relations.iter().position(|one| *one == relation).unwrap()
}

fn has_bad(tables: &Tables) -> bool {
    let bad = Word::from_symbol(Symbol::new("bad"));
    tables.get(table("error")).iter().any(|row| row[0] == bad)
}

fn invents(tables: &mut Tables, params: &[Word]) {
    (errors::PACK.run)(tables, params);
    if has_bad(tables) {
        let [error, kind, action] =
            ["ghost", "/architecture", "/escalate"].map(|text| Word::from_symbol(Symbol::new(text)));
        let row = [error, kind, action, Word::from_bool(true), Word::from_int(0)];
        tables.push(table("handle_error"), &row);
    }
}

fn forgets(tables: &mut Tables, params: &[Word]) {
    (errors::PACK.run)(tables, params);
    if has_bad(tables) {
        tables.take(table("handle_error"));
    }
}

fn rules() -> RuleSet {
    RuleSource { packs: vec!["errors".into()], ..RuleSource::default() }.build().unwrap()
}

fn session() -> Session {
    Session::over_ledger(rules(), Ledger::memory().unwrap())
}

fn change(error: &str) -> CommitRequest {
    let fact = Fact::new("error", [Value::String(error.into()), Value::Int(9_000)]);
    CommitRequest { assertions: vec![fact], ..CommitRequest::default() }
}

/// What a commit is refused with; nothing of it may be recorded.
fn refused(session: &mut Session, error: &str) -> String {
    let before = session.ledger().unwrap().last_tx();
    let refused = session.commit(change(error), false).map(|outcome| outcome.drawn);
    let Err(SessionError::Fault(fault)) = refused else { panic!("{refused:?}") };
    assert_eq!(session.ledger().unwrap().last_tx(), before);
    assert_eq!(session.given().unwrap().len() as u64, before);
    fault.to_string()
}

fn taken(session: &mut Session, error: &str) -> u64 {
    let outcome = session.commit(change(error), false).unwrap();
    assert_eq!(outcome.drawn.len(), 1, "{error}");
    outcome.committed.unwrap().tx
}

const INVENTED: &str = "the engines `embedded` and `compiled` disagree on `handle_error`: only `compiled` derives \
                        handle_error(\"ghost\", /architecture, /escalate, true, 0); nothing was recorded";

#[test]
fn a_decision_that_only_compiled_code_draws_is_refused_by_every_commit() {
    let mut session = session().with_cross_check(vec![&INVENTS]);
    assert!(refused(&mut session, "bad").ends_with(INVENTED));
    // The first commit from nothing, the second over what stands, the others incrementally.
    for (error, tx) in ["a", "b", "c", "d"].into_iter().zip(1..) {
        assert_eq!(taken(&mut session, error), tx);
    }
    assert!(refused(&mut session, "bad").ends_with(INVENTED));
    // The session is what it was, and starts again.
    for (error, tx) in ["e", "f", "g"].into_iter().zip(5..) {
        assert_eq!(taken(&mut session, error), tx);
    }
    assert!(refused(&mut session, "bad").ends_with(INVENTED));
    assert_eq!(taken(&mut session.with_cross_check(Vec::new()), "bad"), 8);
}

#[test]
fn a_decision_that_compiled_code_lacks_is_refused() {
    let mut session = session().with_cross_check(vec![&FORGETS]);
    let said = refused(&mut session, "bad");
    assert!(said.contains("only `embedded` derives handle_error(\"bad\", "), "{said}");
    assert_eq!(taken(&mut session, "a"), 1);
}

#[test]
fn whichever_engine_a_session_has_another_one_checks_it() {
    let engines: [(Box<dyn Engine>, &str); 3] = [
        (Box::new(SemiNaive), "the engines `embedded` and `compiled` disagree"),
        (Box::new(Naive), "the engines `naive` and `compiled` disagree"),
        (Box::new(Compiled::of(&INVENTS)), "the engines `compiled` and `embedded` disagree"),
    ];
    for (engine, said) in engines {
        let mut session = session().with_engine(engine).with_cross_check(vec![&INVENTS]);
        let refused = refused(&mut session, "bad");
        assert!(refused.contains(said), "{refused}");
        assert_eq!(taken(&mut session, "a"), 1);
    }
}

#[test]
fn both_engines_together_answer_nothing_on_which_they_differ() {
    let mut session = session().with_engine(Box::new(Both::of(&INVENTS)));
    assert!(refused(&mut session, "bad").ends_with(INVENTED));
    assert_eq!(taken(&mut session, "a"), 1);
    let info = session.ledger().unwrap().info(1).unwrap();
    assert_eq!(info.run.unwrap().engine, "both");
    let facts = session.derive(&["handle_error".into()], 0).unwrap();
    assert_eq!(facts.relations[0].2.len(), 1);
    let facts = vec![change("bad").assertions.remove(0)];
    let asked = Session::over_facts(rules(), facts).unwrap().with_engine(Box::new(Both::of(&INVENTS)));
    assert!(matches!(asked.derive(&["handle_error".into()], 0), Err(SessionError::Fault(_))));
    assert!(matches!(asked.evaluate(0), Err(SessionError::Fault(_))));
}

#[test]
fn rules_that_were_not_compiled_are_not_checked_and_that_is_said() {
    let mut loader = hence::session::Loader::default();
    loader.pack("errors").unwrap();
    loader.text("more.dl", "error_category(E, /unknown) :- error(E, _).\n");
    let rules = hence::session::check(loader.finish(), &[]).rules.unwrap();
    let checked = Session::over_facts(*rules, Vec::new()).unwrap().with_cross_check(vec![&INVENTS]);
    assert_eq!(checked.unchecked(), ["errors"]);
    assert!(session().with_cross_check(vec![&INVENTS]).unchecked().is_empty());
}

#[test]
fn decisions_about_autonomy_are_cross_checked_unless_that_is_turned_off() {
    let here = folder(&[
        ("hence.toml", "packs = [\"autonomy\"]\n"),
        ("off/hence.toml", "packs = [\"autonomy\"]\n[engine]\nname = \"auto\"\ncross_check = []\n"),
    ]);
    let checks = |folder: &std::path::Path, args: &[&str], variables: &[(&str, &str)]| {
        let variables = [&[("HENCE_LOG", "hence=debug")], variables].concat();
        let ran = run(folder, &[&["decide", "--store", ":memory:"], args].concat(), &variables, "");
        assert_eq!(ran.0, 0, "{}", ran.2);
        ran.2.matches("cross_check{pack=\"autonomy\"}: hence_session::cross_check: close").count()
    };
    assert_eq!(checks(here.path(), &[], &[]), 1);
    assert_eq!(checks(here.path(), &["--engine", "compiled"], &[]), 1);
    assert_eq!(checks(here.path(), &[], &[("HENCE_CROSS_CHECK", "none")]), 0);
    assert_eq!(checks(here.path(), &[], &[("HENCE_CROSS_CHECK", "errors")]), 0);
    assert_eq!(checks(&here.path().join("off"), &[], &[]), 0);
    let follow = |lines: &str| {
        let ran = run(
            here.path(),
            &["decide", "--store", ":memory:", "--follow"],
            &[("HENCE_LOG", "hence=debug")],
            lines,
        );
        assert_eq!(ran.0, 0, "{}", ran.2);
        ran.2.matches("cross_check{pack=\"autonomy\"}: hence_session::cross_check: close").count()
    };
    let line = |number: usize| format!("{{\"unsafe_request\": [\"s{number}\", \"rm\"]}}\n");
    // Those of the lines, and what fell due while nobody followed.
    assert_eq!(follow(&(0..5).map(line).collect::<String>()), 5 + 1);
}
