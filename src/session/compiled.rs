//! Compiled rule sets: made from a rule set, and run as an engine where the rules are the compiled ones.

use std::collections::HashSet;
use std::time::Instant;

use crate::backend::crepe;
pub use crate::backend::crepe::Options;
use crate::backend::seminaive::SemiNaive;
use crate::backend::{Bound, Database, Engine, Extent, LimitReached, Limits, Model, Rows};
use crate::diagnostic::Diagnostic;
use crate::ir::{Program, RuleId};
use crate::packs;
use crate::packs::support::{Bounds, Pack, Report, Table, Tables};
use crate::schema::{Kind, RelationId};
use crate::value::Word;

use super::Session;
use super::ask::Derived;
use super::codes::NOT_COMPILED;
use super::error::{Faults, SessionError};
use super::facts::read_fact_lines;
use super::ruleset::RuleSet;

/// The Rust module of a rule set.
///
/// # Errors
/// The constructs that crepe can't say, as faults with their places.
pub fn compile(rules: &RuleSet, options: &Options<'_>) -> Result<String, SessionError> {
    crepe::compile(&rules.program, &rules.sources, options).map_err(|refused| {
        let told = refused.iter().map(|refusal| {
            Diagnostic::new(NOT_COMPILED, format!("crepe can't say {}", refusal.construct))
                .at(refusal.span, "")
                .help("evaluate these rules with `--engine embedded`")
        });
        SessionError::Faults(Box::new(Faults { sources: rules.sources.clone(), diagnostics: told.collect() }))
    })
}

/// The decisions of a compiled rule set over facts in JSON lines; `texts` are the names and texts of its rules, as
/// they were loaded when it was compiled.
///
/// # Errors
/// Faults in the facts, a limit that was reached.
pub fn decide(
    pack: &'static Pack,
    texts: &[(&str, &str)],
    lines: &str,
    now: i64,
) -> Result<Derived, SessionError> {
    let files = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let rules = RuleSet::from_recorded(&crate::ledger::RuleSet { files, params: Vec::new() })?;
    let facts = read_fact_lines(&rules, "<facts>", lines)?;
    Session::over_facts(rules, facts).with_engine(Box::new(Compiled::of(pack))).derive(&[], now)
}

/// The shipped pack that was compiled from exactly these rules.
pub fn shipped(program: &Program) -> Option<&'static Pack> {
    let fingerprint = crepe::fingerprint(program);
    packs::all().iter().copied().find(|pack| pack.fingerprint == fingerprint)
}

/// The engine of compiled rule sets. Rules that were not compiled (a question has a rule of its own), facts given to
/// derived relations, and evaluations that come near a limit are left to the semi-naive engine, whose answers are
/// the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compiled {
    pack: Option<&'static Pack>,
}

impl Compiled {
    /// The engine over a compiled rule set of one's own, beside the shipped ones.
    pub fn of(pack: &'static Pack) -> Self {
        Self { pack: Some(pack) }
    }

    fn pack(&self, program: &Program) -> Option<&'static Pack> {
        let own = self.pack.filter(|pack| pack.fingerprint == crepe::fingerprint(program));
        own.or_else(|| shipped(program))
    }
}

impl Engine for Compiled {
    fn evaluate(&self, program: &Program, input: &Database, limits: &Limits) -> Result<Model, LimitReached> {
        match self.pack(program).filter(|_| !gives_derived(program, input)) {
            Some(pack) => run(pack, program, input, limits),
            None => SemiNaive.evaluate(program, input, limits),
        }
    }
}

/// Whether some fact is given of a derived relation.
fn gives_derived(program: &Program, input: &Database) -> bool {
    program
        .relations
        .iter()
        .zip(&input.relations)
        .any(|(relation, rows)| relation.kind != Kind::Input && !rows.is_empty())
}

/// How many bytes a derived fact is taken to need at most, indexes included, when a limit on memory is turned into
/// one on facts.
const BYTES_OF_A_FACT: u64 = 512;

fn run(pack: &Pack, program: &Program, input: &Database, limits: &Limits) -> Result<Model, LimitReached> {
    let mut tables = pack.tables();
    for (at, rows) in input.relations.iter().enumerate() {
        rows.iter().for_each(|row| tables.push(at, row));
        if program.relations.get(at).is_some_and(|relation| relation.kind == Kind::Input) {
            tables.distinct(at);
        }
    }
    let by_memory = limits.memory.map_or(u64::MAX, |bytes| bytes / BYTES_OF_A_FACT);
    // Rounds of a recursion are never more than the facts it derives.
    let rounds =
        if program.strata.iter().any(|stratum| stratum.recursive) { limits.iterations } else { u64::MAX };
    let matches = limits.facts.min(by_memory).min(rounds);
    let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
    match pack.evaluate(&mut tables, &program.param_words(), &Bounds { matches, deadline }) {
        Ok(reports) => model(program, tables, reports, limits),
        Err(_) => match (deadline, limits.time) {
            (Some(deadline), Some(time)) if Instant::now() >= deadline => {
                Err(LimitReached { bound: Bound::Time(time), rule: RuleId(0), relation: RelationId(0) })
            }
            _ => SemiNaive.evaluate(program, input, limits),
        },
    }
}

fn model(
    program: &Program,
    tables: Tables,
    reports: Vec<Report>,
    limits: &Limits,
) -> Result<Model, LimitReached> {
    let told = reports.into_iter().map(|report| (report.rule, report.at, report.bindings));
    let undefined = crepe::undefined(program, told);
    let mut relations = Vec::with_capacity(program.relations.len());
    for (at, relation) in program.relations.iter().enumerate() {
        let known = relation.kind == Kind::Input;
        let facts = program.facts.iter().filter(|fact| fact.relation.0 as usize == at);
        let first: HashSet<Vec<Word>> =
            facts.map(|fact| fact.values.iter().map(|value| value.word()).collect()).collect();
        relations.push(extent(tables.get(at), relation.columns.len(), known, &first));
    }
    let mut model = Model { relations, undefined };
    rank(program, &mut model, limits)?;
    Ok(model)
}

/// A relation without recursion: what is given stands in round 0, all that rules derive in round 1.
fn extent(table: Option<&Table>, arity: usize, input: bool, first: &HashSet<Vec<Word>>) -> Extent {
    let mut rows = Rows::new(arity);
    let all = || table.into_iter().flat_map(|table| table.iter()).map(|row| row.get(..arity).unwrap_or(row));
    let is_first = |row: &[Word]| input || first.contains(row);
    all().filter(|row| is_first(row)).for_each(|row| rows.push(row));
    let given = rows.len();
    if !input {
        all().filter(|row| !is_first(row)).for_each(|row| rows.push(row));
    }
    let rounds = if rows.len() == given { vec![given] } else { vec![given, rows.len()] };
    Extent { rows, rounds }
}

/// Puts the facts of recursive strata into the order of their rounds, which crepe doesn't tell: their rules alone
/// are evaluated once more over what is now known of all others. Proofs need it.
fn rank(program: &Program, model: &mut Model, limits: &Limits) -> Result<(), LimitReached> {
    let recursive: Vec<_> = program.strata.iter().filter(|stratum| stratum.recursive).cloned().collect();
    if recursive.is_empty() {
        return Ok(());
    }
    let ranked: Vec<RelationId> = recursive.iter().flat_map(|stratum| &stratum.relations).copied().collect();
    let alone = Program { strata: recursive, ..program.clone() };
    let mut input = Database::new(program);
    for (at, extent) in model.relations.iter().enumerate() {
        let id = RelationId(at as u32);
        if !ranked.contains(&id) {
            extent.rows.iter().for_each(|row| input.push(id, row));
        }
    }
    let mut again = SemiNaive.evaluate(&alone, &input, limits)?;
    for id in ranked {
        let at = id.0 as usize;
        if let (Some(extent), Some(known)) = (again.relations.get_mut(at), model.relations.get_mut(at)) {
            *known = std::mem::take(extent);
        }
    }
    Ok(())
}
