//! A case run in every mode.

use hence::analysis;
use hence::backend::Engine;
use hence::backend::crepe;
use hence::backend::naive::Naive;
use hence::backend::seminaive::SemiNaive;
use hence::diagnostic;
use hence::fact::Fact;
use hence::packs::support::Pack;
use hence::schema::Kind;
use hence::session::compiled::Compiled;
use hence::session::{self, Derived, FactFiles, Faults, Loaded, Loader, RuleSet, Session, SessionError};
use hence::syntax;
use std::path::Path;

use super::case::Case;
use super::render;

/// What became of a case.
pub(super) enum Outcome {
    /// It ran; the same in every mode.
    Derived(String),
    /// It was refused, or stopped at a limit.
    Refused(String),
}

/// Runs the case at `path` in every mode.
///
/// # Errors
/// How the modes differ.
pub(super) fn run(path: &Path) -> Result<Outcome, String> {
    let case = Case::read(path);
    let mut loader = Loader::default();
    loader.path(path).map_err(|error| error.to_string())?;
    let prepared = match prepare(&case, loader.finish()) {
        Ok(prepared) => prepared,
        Err(faults) => return Ok(Outcome::Refused(refusal(&case, faults))),
    };
    let naive = derive(&case, &prepared, Box::new(Naive));
    let embedded = derive(&case, &prepared, Box::new(SemiNaive));
    let (expected, embedded) = match (naive, embedded) {
        (Ok(naive), Ok(embedded)) => (naive, embedded),
        (Err(naive), Err(embedded)) if naive == embedded => {
            return Ok(Outcome::Refused(format!("{naive}\n")));
        }
        (naive, embedded) => return Err(format!("one stops\nnaive {naive:?}\nembedded {embedded:?}")),
    };
    same("naive and embedded", &shown(&expected), &shown(&embedded))?;
    let warnings = if case.warnings {
        render::diagnostics(&prepared.rules.warnings, &prepared.rules.sources)
    } else {
        String::new()
    };
    Ok(Outcome::Derived(warnings + &shown(&expected)))
}

/// Runs the case at `path` by the meaning and by its compiled rules.
///
/// # Errors
/// How the two differ.
#[allow(dead_code, reason = "the program that `bulk` writes calls it")]
pub(super) fn compiled(path: &Path, pack: &'static Pack) -> Result<(), String> {
    let case = Case::read(path);
    let mut loader = Loader::default();
    loader.path(path).map_err(|error| error.to_string())?;
    let prepared = prepare(&case, loader.finish()).map_err(|_| String::from("is refused"))?;
    if crepe::fingerprint(&prepared.rules.program) != pack.fingerprint {
        return Err(String::from("other rules were compiled"));
    }
    let naive = derive(&case, &prepared, Box::new(Naive)).map(|derived| shown(&derived));
    let compiled = derive(&case, &prepared, Box::new(Compiled::of(pack))).map(|derived| shown(&derived));
    match (&naive, &compiled) {
        (Ok(naive), Ok(compiled)) => same("naive and compiled", naive, compiled),
        (naive, compiled) if naive == compiled => Ok(()),
        _ => Err(format!("one stops\nnaive {naive:?}\ncompiled {compiled:?}")),
    }
}

/// Rules and facts without a fault.
struct Prepared {
    rules: RuleSet,
    facts: Vec<Fact>,
}

fn prepare(case: &Case, loaded: Loaded) -> Result<Prepared, Faults> {
    let findings = session::check(loaded, &case.sets);
    let Some(rules) = findings.rules else { return Err(findings.faults) };
    let mut facts = own_facts(case, &rules)?;
    let files = FactFiles { paths: case.fact_files.clone() };
    match session::read_facts(&rules, &files) {
        Ok(more) => facts.extend(more),
        Err(SessionError::Faults(faults)) => return Err(*faults),
        Err(other) => panic!("{}: {other}", case.path.display()),
    }
    Ok(Prepared { rules: *rules, facts })
}

/// The facts in the comments of the case.
fn own_facts(case: &Case, rules: &RuleSet) -> Result<Vec<Fact>, Faults> {
    let mut sources = rules.sources.clone();
    let id = sources.add(case.path.display().to_string(), case.facts.as_str());
    let (tree, mut found) = syntax::parse(id, &case.facts);
    let (typed, more) = analysis::check_facts(&rules.checked, &tree, &sources);
    found.extend(more);
    diagnostic::sort(&mut found);
    if !found.is_empty() {
        return Err(Faults { sources, diagnostics: found });
    }
    let relation = |id| rules.program.relation(id).unwrap().name;
    Ok(typed.into_iter().map(|(id, values, _)| Fact::new(relation(id), values)).collect())
}

fn refusal(case: &Case, mut faults: Faults) -> String {
    faults.diagnostics.retain(|found| found.is_error() || case.warnings);
    render::diagnostics(&faults.diagnostics, &faults.sources)
}

fn derive(case: &Case, prepared: &Prepared, engine: Box<dyn Engine>) -> Result<Derived, String> {
    let session = Session::over_facts(prepared.rules.clone(), prepared.facts.clone())
        .with_engine(engine)
        .with_limits(case.limits)
        .with_lenient(case.lenient);
    let relations = prepared.rules.program.relations.iter().filter(|relation| relation.kind != Kind::Input);
    let mut names: Vec<String> = relations.map(|relation| relation.name.to_string()).collect();
    names.sort_unstable();
    session.derive(&names, case.now).map_err(|error| render::shortened(&error.to_string()))
}

fn shown(derived: &Derived) -> String {
    render::facts(derived) + &render::reports(derived)
}

fn same(modes: &str, left: &str, right: &str) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{modes} differ {}", render::difference(left, right))) }
}
