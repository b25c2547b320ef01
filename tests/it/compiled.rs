//! Compiled packs: what is checked in is what the rules give, and its decisions are those of every other engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hence::session::compiled::{self, Options};
use hence::session::{Loader, RuleSet, RuleSource, SessionError, check, shipped};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rules(pack: &str) -> RuleSet {
    RuleSource { packs: vec![pack.to_owned()], ..RuleSource::default() }.build().unwrap()
}

fn module(pack: &str) -> String {
    let about = format!("What it is for: {}.", shipped::about(pack));
    compiled::compile(&rules(pack), &Options { name: pack, about: &about, root: "crate" }).unwrap()
}

#[test]
fn shipped_packs_are_compiled_as_they_stand() {
    let mut stale = Vec::new();
    for pack in shipped::packs() {
        let (path, text) = (root().join(format!("src/packs/{pack}.rs")), module(pack));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).unwrap();
        }
        if fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(pack);
        }
    }
    assert!(stale.is_empty(), "{stale:?} are not what `UPDATE=1 cargo test --test it compiled` writes");
}

#[test]
fn compiled_code_is_formatted() {
    for pack in shipped::packs() {
        let path = root().join(format!("src/packs/{pack}.rs"));
        assert_formatted(&path);
    }
}

fn assert_formatted(path: &Path) {
    let checked = Command::new("rustfmt")
        .args(["--check", "--edition", "2024", "--config-path"])
        .arg(root())
        .arg(path)
        .output();
    let Ok(checked) = checked else { return };
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success(), "{}: {said}", path.display());
}

#[test]
fn what_crepe_cannot_say_is_refused_by_name() {
    let mut loader = Loader::default();
    loader.path(&root().join("tests/compiled/wide.dl")).unwrap();
    let rules = check(loader.finish(), &[]).rules.unwrap();
    let refused = compiled::compile(&rules, &Options { name: "wide", about: "", root: "hence" });
    let Err(SessionError::Faults(faults)) = refused else { panic!("it is compiled") };
    let line = |fault: &hence::diagnostic::Diagnostic| format!("{}: {}\n", fault.code, fault.message);
    let said: String = faults.diagnostics.iter().map(line).collect();
    assert_eq!(said, fs::read_to_string(root().join("tests/compiled/wide.out")).unwrap());
}

#[cfg(feature = "packs")]
#[test]
fn every_shipped_pack_is_found_by_its_rules() {
    for pack in shipped::packs() {
        let found = compiled::shipped(&rules(pack).program).map(|found| found.name);
        assert_eq!(found, Some(pack));
    }
}

/// How long `evaluate` takes, at best of `times`, in milliseconds.
#[cfg(feature = "packs")]
fn fastest(times: usize, mut evaluate: impl FnMut()) -> f64 {
    let once = |_| {
        let start = std::time::Instant::now();
        evaluate();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..times).map(once).fold(f64::INFINITY, f64::min)
}

/// The facts of a pack's golden cases, `wanted` of them: copies differ in their texts.
#[cfg(feature = "packs")]
fn copies(pack: &str, rules: &RuleSet, wanted: usize) -> Vec<hence::fact::Fact> {
    use hence::value::Value;
    let mut lines = Vec::new();
    for case in crate::golden::cases(pack) {
        lines.extend(case.json["facts"].as_array().unwrap().iter().map(serde_json::Value::to_string));
    }
    let first = hence::session::read_fact_lines(rules, "golden", &lines.join("\n")).unwrap();
    let copy = |fact: &hence::fact::Fact, at: usize| {
        let value = |value: &Value| match value {
            Value::String(text) => Value::String(format!("{text}{at}").as_str().into()),
            other => *other,
        };
        hence::fact::Fact::new(fact.relation, fact.values.iter().map(value).collect::<Vec<_>>())
    };
    (0..).flat_map(|at| first.iter().map(move |fact| copy(fact, at))).take(wanted).collect()
}

/// Both engines over the same facts, in milliseconds; `cargo test --release --features packs figures -- --ignored
/// --nocapture` prints them, `FACTS` says over how many facts.
#[cfg(feature = "packs")]
#[test]
#[ignore = "measures; run with --release --features packs -- figures --ignored --nocapture"]
fn figures() {
    use hence::backend::seminaive::SemiNaive;
    use hence::backend::{Database, Engine, Limits};
    use hence::session::compiled::Compiled;
    let wanted = std::env::var("FACTS").map_or(1_000_000, |text| text.parse().unwrap());
    let only = std::env::var("PACK").unwrap_or_default();
    for pack in shipped::packs().into_iter().filter(|pack| pack.contains(&only)) {
        let rules = rules(pack);
        let found = compiled::shipped(&rules.program).unwrap();
        for count in [50, wanted] {
            let mut input = Database::new(&rules.program);
            for fact in copies(pack, &rules, count) {
                let id = rules.program.find(fact.relation).unwrap();
                input.push(id, &fact.values.iter().map(|value| value.word()).collect::<Vec<_>>());
            }
            let times = if count > 1000 { 1 } else { 50 };
            let run = |engine: &dyn Engine| {
                fastest(times, || drop(engine.evaluate(&rules.program, &input, &Limits::default())))
            };
            let (embedded, compiled) = (run(&SemiNaive), run(&Compiled::default()));
            let alone = fastest(times, || {
                let mut tables = found.tables();
                for (at, rows) in input.relations.iter().enumerate() {
                    rows.iter().for_each(|row| tables.push(at, row));
                }
                drop(found.evaluate(&mut tables, &rules.program.param_words(), &Default::default()));
            });
            println!(
                "{pack}\t{count}\tembedded {embedded:.3}\tcompiled {compiled:.3}\tpack alone {alone:.3}"
            );
        }
    }
}

#[cfg(feature = "packs")]
#[test]
fn a_compiled_pack_is_ordinary_rust() {
    use hence::packs::errors::{Error, ErrorSignal, Facts, HandleErrorAction, Params};
    let mut facts = Facts::default();
    facts.extend([
        Error { error: String::from("e1"), length: 40 },
        Error { error: String::from("e2"), length: 9_000 },
    ]);
    facts.extend([ErrorSignal { error: String::from("e1"), signal: "/unexpected_token".into() }]);
    let drawn = |long_error| {
        let decided = facts.decide(&Params { long_error }).unwrap();
        let told = decided.handle_error.iter().map(|drawn| (drawn.error.clone(), drawn.action));
        told.collect::<Vec<_>>()
    };
    let (fix, replan) = (HandleErrorAction::FixInPlace, HandleErrorAction::ReplanAll);
    assert_eq!(drawn(5_000), [(String::from("e1"), fix), (String::from("e2"), replan)]);
    assert_eq!(drawn(10_000)[1].1, HandleErrorAction::Escalate);
    facts.extend([ErrorSignal { error: String::from("e1"), signal: "no name".into() }]);
    let refused = facts.decide(&Params::default()).unwrap_err().to_string();
    assert_eq!(refused, "column `signal` of `error_signal` can't hold `/no name`");
}

#[cfg(feature = "packs")]
#[path = "../../examples/typed.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod typed;

#[cfg(feature = "packs")]
#[test]
fn the_example_answers() {
    let wanted = [
        "e1 is of the kind /syntax: fix it where it is",
        "e2 is of the kind /architecture: plan everything again",
    ];
    assert_eq!(typed::answers().unwrap(), wanted);
}
