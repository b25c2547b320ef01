//! A case run in every mode.

use hence::ruletest;
use hence::session::compiled::Compiled;
use hence::session::{
    self, DerivedRelations, FactFiles, Faults, Loaded, Loader, RuleSet, Session, SessionError,
};
use hence_compile as crepe;
use hence_core::diagnostic;
use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_engine::Engine;
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_lang::analysis;
use hence_packs::support::Pack;
use hence_proof::Finder;
use hence_proof::check::{self, Known};
use hence_proof::proof::NoOrigins;
use hence_proof::render::json as render_proof;
use hence_syntax as syntax;
use std::fs;
use std::path::Path;

use super::case::Case;
use super::one_by_one::OneByOne;
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
    let incremental = derive(&case, &prepared, Box::new(OneByOne))?;
    same("naive and incremental", &shown(&expected), &shown(&incremental))?;
    #[cfg(feature = "dataflow")]
    {
        let workers = derive(&case, &prepared, Box::new(super::on_workers::OnWorkers))?;
        same("naive and workers", &shown(&expected), &shown(&workers))?;
    }
    proved(&case, &prepared)?;
    printed(&case, &prepared, &expected)?;
    tested(&case)?;
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
#[allow(dead_code, unreachable_pub, reason = "the package that tests/it/bulk.rs writes calls it")]
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
    let files = FactFiles::of(case.fact_files.clone());
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

/// Runs what the printer makes of the files; what it makes must stay as it is when it is printed again. Places
/// move and expressions are laid out again, so of the reports only their number is compared.
fn printed(case: &Case, prepared: &Prepared, expected: &DerivedRelations) -> Result<(), String> {
    let mut loader = Loader::default();
    for file in &prepared.rules.files {
        let source = prepared.rules.sources.get(file.id).unwrap();
        loader.text(source.name(), &syntax::format(source.text(), file));
    }
    let again = prepare(case, loader.finish())
        .map_err(|faults| format!("refused once printed\n{}", refusal(case, faults)))?;
    for file in &again.rules.files {
        let text = again.rules.sources.get(file.id).unwrap().text();
        same("printed and printed twice", text, &syntax::format(text, file))?;
    }
    let derived = derive(case, &again, Box::new(SemiNaive))?;
    same("as written and printed", &render::facts(expected), &render::facts(&derived))?;
    same("reports", &expected.reports.len().to_string(), &derived.reports.len().to_string())
}

/// Runs the tests that stand in the case.
fn tested(case: &Case) -> Result<(), String> {
    let tests = fs::read_to_string(&case.path).unwrap().lines().any(|line| line.starts_with("test \""));
    if tests { ruletest::run(&case.path).map(|_| ()) } else { Ok(()) }
}

/// How many facts of a relation are proved.
const PROVED: usize = 12;

/// Proves the facts of every derived relation, and has the independent checker accept each proof.
fn proved(case: &Case, prepared: &Prepared) -> Result<(), String> {
    let rules = &prepared.rules;
    let session =
        Session::over_facts(rules.clone(), prepared.facts.clone()).unwrap().with_limits(case.limits);
    let evaluation = session.evaluate(case.now).map_err(|error| error.to_string())?;
    let finder = Finder::new(&rules.program, &evaluation.model, &rules.sources, &NoOrigins);
    let known =
        Known { asserted: None, model: Some(&evaluation.model), sources: Some(&rules.sources), ledger: None };
    for (at, relation) in rules.program.relations.iter().enumerate() {
        let made = hence_lang::lower::is_made(&rules.program, RelationId(at as u32));
        if made || (relation.kind == Kind::Input && !rules.checked.is_fed(RelationId(at as u32))) {
            continue;
        }
        let facts = session::facts_of(&rules.program, &evaluation.model, RelationId(at as u32));
        for fact in facts.iter().take(PROVED) {
            let proof = finder.why(fact).map_err(|error| error.to_string())?;
            let proof = proof.ok_or_else(|| format!("{fact} holds, and has no proof"))?;
            check::check(&rules.program, &render_proof(&proof), &known)
                .map_err(|refusal| format!("the proof of {fact} is refused: {refusal}"))?;
        }
    }
    Ok(())
}

fn refusal(case: &Case, mut faults: Faults) -> String {
    faults.diagnostics.retain(|found| found.is_error() || case.warnings);
    render::diagnostics(&faults.diagnostics, &faults.sources)
}

fn derive(case: &Case, prepared: &Prepared, engine: Box<dyn Engine>) -> Result<DerivedRelations, String> {
    let session = Session::over_facts(prepared.rules.clone(), prepared.facts.clone())
        .unwrap()
        .with_engine(engine)
        .with_limits(case.limits)
        .with_lenient(case.lenient);
    let checked = &prepared.rules.checked;
    let relations = checked.relations.iter().enumerate();
    let derived = relations
        .filter(|(at, relation)| relation.kind != Kind::Input || checked.is_fed(RelationId(*at as u32)));
    let mut names: Vec<String> = derived.map(|(_, relation)| relation.name.to_string()).collect();
    names.sort_unstable();
    session.derive(&names, case.now).map_err(|error| render::shortened(&error.to_string()))
}

fn shown(derived: &DerivedRelations) -> String {
    render::facts(derived) + &render::reports(derived)
}

fn same(modes: &str, left: &str, right: &str) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{modes} differ {}", render::difference(left, right))) }
}
