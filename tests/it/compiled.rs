//! Compiled packs: what is checked in is what the rules give, and its decisions are those of every other engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hence::session::compiled::{self, Options};
use hence::session::shipped;
#[cfg(feature = "crepe")]
use hence::session::{Loader, RuleSet, RuleSource, check};

#[cfg(feature = "crepe")]
use crate::golden;
use crate::golden::rules;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All packs but the one that joins them.
fn compiled_packs() -> impl Iterator<Item = &'static str> {
    shipped::packs().into_iter().filter(|pack| *pack != shipped::JOINING)
}

fn module(pack: &str) -> String {
    let about = format!("What it is for: {}.", shipped::about(pack));
    compiled::compile(&rules(pack), &Options { name: pack, about: &about, root: "crate" }).unwrap()
}

#[test]
fn shipped_packs_are_compiled_as_they_stand() {
    let mut stale = Vec::new();
    for pack in compiled_packs() {
        let (path, text) = (root().join(format!("crates/hence-packs/src/{pack}.rs")), module(pack));
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
    for pack in compiled_packs() {
        let path = root().join(format!("crates/hence-packs/src/{pack}.rs"));
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

/// The names of the packs of which a rule set is made.
#[cfg(feature = "crepe")]
fn parts(rules: &RuleSet) -> Vec<&'static str> {
    compiled::shipped(&rules.program).iter().map(|part| part.pack.name).collect()
}

#[cfg(feature = "crepe")]
#[test]
fn shipped_packs_are_found_by_their_rules() {
    let compiled = || hence_packs::all().iter().map(|pack| pack.name);
    for pack in compiled() {
        assert_eq!(parts(&rules(pack)), [pack]);
    }
    for pack in ["tool_scoring", "refinement", "autonomy", "errors"] {
        assert!(hence_packs::named(pack).is_some(), "{pack} is not in the default build");
    }
    // Where `feedback` is, the rules of `tool_scoring` are part of it: it adds rules to relations of theirs.
    let all = compiled::parts(&RuleSource::default().build().unwrap().program);
    let all: Vec<_> = all.iter().map(|part| part.pack.name).collect();
    assert_eq!(all, compiled().filter(|pack| *pack != "tool_scoring").collect::<Vec<_>>());
    let two = RuleSource { packs: vec!["errors".into(), "tool_scoring".into()], ..RuleSource::default() };
    assert_eq!(parts(&two.build().unwrap()), ["errors", "tool_scoring"]);
}

#[cfg(feature = "crepe")]
#[test]
fn the_text_in_a_compiled_pack_says_its_rules() {
    for pack in hence_packs::all() {
        let mut loader = Loader::default();
        for (at, text) in pack.texts.iter().enumerate() {
            loader.text(&format!("{at}.dl"), text);
        }
        let rules = check(loader.finish(), &[]).rules.unwrap();
        assert_eq!(parts(&rules), [pack.name]);
    }
}

#[cfg(feature = "crepe")]
#[test]
fn rules_beside_the_shipped_ones_are_not_taken_for_them() {
    let mut loader = Loader::default();
    loader.pack("errors").unwrap();
    loader.text("more.dl", "error_category(E, /unknown) :- error(E, _).\n");
    let rules = check(loader.finish(), &[]).rules.unwrap();
    assert!(parts(&rules).is_empty());
}

#[cfg(feature = "crepe")]
#[test]
fn why_is_the_same_after_a_compiled_run() {
    use hence_core::schema::Kind;
    use hence_engine::Engine;
    use hence_engine::SemiNaive;
    use hence_proof::render::json;
    let mut proved = 0;
    for pack in hence_packs::all().iter().map(|pack| pack.name) {
        let rules = rules(pack);
        for case in golden::cases(pack).iter().take(3) {
            let told = |engine: Box<dyn Engine>| {
                let (session, now) = golden::session(&rules, case);
                let session = session.with_engine(engine);
                let decisions = rules.program.relations.iter().filter(|one| one.kind == Kind::Decision);
                let question = |one: &hence_core::schema::Relation| {
                    format!("{}({})", one.name, vec!["_"; one.columns.len()].join(", "))
                };
                let proofs = decisions.flat_map(|one| session.why(&question(one), now, None).unwrap().proofs);
                proofs.map(|proof| json(&proof).to_string()).collect::<Vec<_>>()
            };
            let (embedded, compiled) =
                (told(Box::new(SemiNaive)), told(Box::<compiled::Compiled>::default()));
            assert_eq!(embedded, compiled, "{pack}");
            proved += embedded.len();
        }
    }
    assert!(proved >= 3 * hence_packs::all().len(), "only {proved} decisions");
}

#[cfg(feature = "crepe")]
#[test]
fn a_compiled_pack_is_ordinary_rust() {
    use hence_packs::errors::{Error, ErrorSignal, Facts, HandleErrorAction, Params};
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

#[cfg(feature = "crepe")]
#[test]
fn a_parameter_that_cannot_have_its_value_is_an_error() {
    use hence_packs::tool_scoring::{Facts, Params};
    let params = Params { pattern_weight: f64::NAN, ..Params::default() };
    let refused = Facts::default().decide(&params).unwrap_err().to_string();
    assert_eq!(refused, "the parameter `pattern_weight` can't be `NaN`");
}

#[cfg(feature = "crepe")]
#[path = "../../examples/typed.rs"]
#[expect(dead_code, reason = "its `main` prints")]
mod typed;

#[cfg(feature = "crepe")]
#[test]
fn the_example_answers() {
    let wanted = [
        "e1 is of the kind /syntax: fix it where it is",
        "e2 is of the kind /architecture: plan everything again",
    ];
    assert_eq!(typed::answers().unwrap(), wanted);
}

/// Three runs of each tool; the qualities of the tool `huge` are sums that no float holds.
#[cfg(feature = "crepe")]
fn three_tools() -> hence_packs::refinement::Facts {
    use hence_packs::refinement::{Facts, Quality, ToolExecution};
    let mut facts = Facts::default();
    for (run, (tool, quality)) in (0..9).zip([("good", 0.9), ("huge", 1e308), ("poor", 0.1)].repeat(3)) {
        facts.extend([ToolExecution { run, tool: tool.to_owned(), ok: true, at: run }]);
        facts.extend([Quality {
            run,
            completeness: quality,
            accuracy: quality,
            efficiency: quality,
            relevance: quality,
        }]);
    }
    facts
}

#[cfg(feature = "crepe")]
#[test]
fn undefined_operations_leave_only_the_rows_that_depend_on_them() {
    use hence::session::Session;
    use hence_packs::refinement::Params;
    let facts = three_tools();
    let decided = facts.decide(&Params::default()).unwrap();
    let drawn: Vec<_> = decided.refine_tool.iter().map(|drawn| drawn.tool.as_str()).collect();
    let open: Vec<_> = decided.undetermined.iter().map(ToString::to_string).collect();
    assert_eq!(drawn, ["poor"]);
    assert_eq!(open, ["refine_tool(\"huge\", /poor_quality)"]);
    assert!(decided.reports[0].contains("is undefined in `run_quality#1`"), "{:?}", decided.reports);

    let lines: String = facts.tool_execution.iter().zip(&facts.quality).map(|(ran, of)| {
        format!(
            "{{\"tool_execution\": [{}, {:?}, true, \"2026-01-01T00:00:00Z\"]}}\n{{\"quality\": [{}, {:?}, {:?}, {:?}, {:?}]}}\n",
            ran.run, ran.tool, of.run, of.completeness, of.accuracy, of.efficiency, of.relevance
        )
    }).collect();
    let rules = rules("refinement");
    let facts = hence::session::read_fact_lines(&rules, "facts", &lines).unwrap();
    let told = Session::over_facts(rules, facts).unwrap().derive(&[], 0).unwrap();
    let args: Vec<_> = told.undetermined.iter().map(|row| row.args.clone()).collect();
    let values: Vec<_> = decided.undetermined.iter().map(|row| row.values.clone()).collect();
    assert_eq!(values, args);
}
