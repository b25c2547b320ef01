//! Compiled rule sets: made from a rule set, and run as an engine where the rules are the compiled ones.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hence_compile as crepe;
pub use hence_compile::{Options, ProgramPart};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Bound, Database, Engine, Extent, LimitReached, Limits, Model, Rows, Undefined};
use hence_lang::ir::{Program, RuleId};
use hence_packs as packs;
use hence_packs::support::{Bounds, Pack, RunError, Table, Tables};
use hence_syntax::tree::{self, Item};

use super::Session;
use super::ask::DerivedRelations;
use super::codes::NOT_COMPILED;
use super::error::{Faults, SessionError};
use super::facts::read_fact_lines;
use super::ruleset::RuleSet;

/// The Rust module of a rule set.
///
/// # Errors
/// The constructs that crepe can't say, as faults with their places.
pub fn compile(rules: &RuleSet, options: &Options<'_>) -> Result<String, SessionError> {
    let texts = crepe::Texts { sources: &rules.sources, items: items(rules) };
    crepe::compile(&rules.program, &texts, options).map_err(|refused| {
        let diagnostics = refused.iter().map(|refusal| {
            Diagnostic::new(NOT_COMPILED, format!("crepe can't express {}", refusal.construct))
                .at(refusal.span, "")
                .help("evaluate these rules with `--engine embedded`")
        });
        SessionError::Faults(Box::new(Faults {
            sources: rules.sources.clone(),
            diagnostics: diagnostics.collect(),
        }))
    })
}

/// Of each file the declarations and rules: what its imports and tests leave.
fn items(rules: &RuleSet) -> Vec<Vec<&str>> {
    let decides = |item: &&Item| !matches!(item, Item::Import(_) | Item::Test(_));
    let of = |file: &tree::File| {
        file.items.iter().filter(decides).map(|item| rules.sources.slice(item.span())).collect()
    };
    rules.files.iter().map(of).collect()
}

/// The decisions of a compiled rule set over facts in JSON lines (what messages call them, and their text); `texts`
/// are the names and texts of its rules, as they were loaded when it was compiled.
///
/// # Errors
/// Faults in the facts, a limit that was reached.
pub fn decide(
    pack: &'static Pack,
    texts: &[(&str, &str)],
    (name, lines): (&str, &str),
    now: i64,
) -> Result<DerivedRelations, SessionError> {
    let files = texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let rules = RuleSet::from_recorded(&hence_ledger::RecordedRules::new(files, Vec::new()))?;
    let facts = read_fact_lines(&rules, name, lines)?;
    Session::over_facts(rules, facts)?.with_engine(Box::new(Compiled::of(pack))).derive(&[], now)
}

/// Whether the shipped packs were compiled into this program.
pub fn is_there() -> bool {
    !packs::all().is_empty()
}

/// The compiled packs that a program holds, each as a part of it.
pub fn parts(program: &Program) -> Vec<CompiledPart> {
    packs::all().iter().filter_map(|pack| CompiledPart::of(program, pack)).collect()
}

/// The shipped packs of which a program is made: each a part of it, and together all of its rules and facts; none
/// where some of it was not compiled.
pub fn shipped(program: &Program) -> Vec<CompiledPart> {
    let parts = parts(program);
    if covers(program, &parts) { parts } else { Vec::new() }
}

/// Whether parts hold all rules and facts of a program.
fn covers(program: &Program, parts: &[CompiledPart]) -> bool {
    let rules: BTreeSet<RuleId> = parts.iter().flat_map(|one| &one.part.rules).copied().collect();
    let relations: BTreeSet<RelationId> = parts.iter().flat_map(|one| &one.part.relations).copied().collect();
    rules.len() == program.rules.len() && program.facts.iter().all(|fact| relations.contains(&fact.relation))
}

/// The decisions of a program for which there is no compiled code.
pub fn not_compiled(program: &Program) -> Vec<Symbol> {
    let parts = parts(program);
    let compiled: BTreeSet<RelationId> = parts.iter().flat_map(|one| &one.part.relations).copied().collect();
    let relations = (0..).map(RelationId).zip(&program.relations);
    let decisions = relations.filter(|(id, one)| one.kind == Kind::Decision && !compiled.contains(id));
    decisions.map(|(_, relation)| relation.name).collect()
}

/// A part of a program, and what was compiled of it.
#[derive(Clone, Debug)]
pub struct CompiledPart {
    /// Its relations, parameters and rules.
    pub part: ProgramPart,
    /// The same as code.
    pub pack: &'static Pack,
}

/// Hands over the rows of a relation, one by one.
pub(super) type Each<'a> = dyn Fn(RelationId, &mut dyn FnMut(&[Word])) + 'a;

impl CompiledPart {
    /// The part of a program that a pack was compiled from; `None` where it is not there, or with other rules.
    pub(super) fn of(program: &Program, pack: &'static Pack) -> Option<Self> {
        let part = ProgramPart::named(program, pack.relations, pack.params, pack.rule_ids)?;
        (part.fingerprint(program) == pack.fingerprint).then_some(Self { part, pack })
    }

    fn whole(program: &Program, pack: &'static Pack) -> Self {
        Self { part: ProgramPart::whole(program), pack }
    }

    /// Its decisions.
    pub(super) fn decisions(&self, program: &Program) -> Vec<RelationId> {
        let relations = self.part.relations.iter().copied();
        relations.filter(|id| program[*id].kind == Kind::Decision).collect()
    }

    /// Runs the code over the rows that `each` relation has.
    ///
    /// # Errors
    /// The bounds were reached.
    pub(super) fn run(
        &self,
        program: &Program,
        each: &Each<'_>,
        bounds: &Bounds,
    ) -> Result<Code<'_>, RunError> {
        let Self { part, pack } = self;
        let mut tables = pack.tables();
        for (at, id) in part.relations.iter().enumerate() {
            each(*id, &mut |row| tables.push(at, row));
            if is_input(program, *id) {
                tables.distinct(at);
            }
        }
        let params: Vec<Word> = part.params.iter().map(|id| program[*id].value.word()).collect();
        let mut reports = Vec::new();
        for report in pack.evaluate(&mut tables, &params, bounds)? {
            let rule = *part.rules.get(report.rule as usize).or_broken("a report is of a rule of its part");
            reports.push((rule.0, report.at, report.bindings));
        }
        Ok(Code { part, tables, reports })
    }
}

/// Rule, operation, bindings.
type Reported = (u32, u32, Vec<Option<Word>>);

/// What the code of a part gave.
pub(super) struct Code<'p> {
    part: &'p ProgramPart,
    tables: Tables,
    reports: Vec<Reported>,
}

impl Code<'_> {
    /// Hands over the rows of a relation of the part.
    pub(super) fn each(&self, program: &Program, id: RelationId, visit: &mut dyn FnMut(&[Word])) {
        let at = self.part.relations.iter().position(|one| *one == id);
        let table = self.tables.get(at.or_broken("a relation that is compared is one of its part"));
        let arity = program[id].columns.len();
        table.iter().for_each(|row| visit(columns(row, arity)));
    }

    /// The undefined operations, as every engine reports them.
    pub(super) fn undefined(&self, program: &Program) -> Vec<Undefined> {
        crepe::undefined(program, self.reports.iter().cloned())
    }
}

fn columns(row: &[Word], arity: usize) -> &[Word] {
    row.get(..arity).or_broken("a row of a table has its relation's columns")
}

/// The engine of compiled rule sets. Rules that were not compiled (a question has a rule of its own), facts given to
/// derived relations, and evaluations that come near a limit are left to the semi-naive engine, whose answers are
/// the same.
#[derive(Debug, Default)]
pub struct Compiled {
    code: Compilations,
}

/// The name of the engine of compiled rule sets.
pub(super) const COMPILED: &str = "compiled";

/// What was compiled of the program that was evaluated last: a session evaluates one again and again.
#[derive(Debug, Default)]
pub(super) struct Compilations {
    /// A compiled rule set of somebody's own.
    pack: Option<&'static Pack>,
    last: Mutex<Option<Arc<Coverage>>>,
}

/// A program and its compiled parts.
#[derive(Debug)]
pub(super) struct Coverage {
    program: Program,
    pub(super) parts: Vec<CompiledPart>,
    /// Whether all of it was compiled.
    complete: bool,
}

impl Compilations {
    /// The same with a compiled rule set of one's own.
    pub(super) fn with(pack: &'static Pack) -> Self {
        Self { pack: Some(pack), last: Mutex::default() }
    }

    pub(super) fn of(&self, program: &Program) -> Arc<Coverage> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.as_ref().filter(|last| last.program == *program) {
            Some(last) => Arc::clone(last),
            None => {
                let parts = self.find(program);
                let complete = covers(program, &parts);
                let known = Coverage { program: program.clone(), parts, complete };
                Arc::clone(last.insert(Arc::new(known)))
            }
        }
    }

    fn find(&self, program: &Program) -> Vec<CompiledPart> {
        match self.pack.filter(|pack| pack.fingerprint == crepe::fingerprint(program)) {
            Some(pack) => vec![CompiledPart::whole(program, pack)],
            None => parts(program),
        }
    }
}

impl Compiled {
    /// The engine over a compiled rule set of one's own, beside the shipped ones.
    pub fn of(pack: &'static Pack) -> Self {
        Self { code: Compilations::with(pack) }
    }
}

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        COMPILED
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let known = self.code.of(program);
        if !known.complete || known.parts.is_empty() || gives_derived(program, &input) {
            return SemiNaive.evaluate(program, input, limits);
        }
        run(&known.parts, program, input, limits)
    }
}

/// Whether some fact is given of a derived relation.
pub(super) fn gives_derived(program: &Program, input: &Database) -> bool {
    program
        .relations
        .iter()
        .zip(&input.relations)
        .any(|(relation, rows)| relation.kind != Kind::Input && !rows.is_empty())
}

/// How many bytes a derived fact is taken to need at most, indexes included, when a limit on memory is turned into
/// one on facts.
const BYTES_OF_A_FACT: u64 = 512;

fn run(
    parts: &[CompiledPart],
    program: &Program,
    input: Database,
    limits: &Limits,
) -> Result<Model, LimitReached> {
    let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
    // Each part may use its share alone: what comes near a limit is the other engine's.
    let bounds = Bounds { matches: most_matches(program, limits) / parts.len().max(1) as u64, deadline };
    let mut evaluated = Evaluated::new(program);
    for part in parts {
        if let Err(stopped) = evaluated.take(part, program, &input, &bounds) {
            assert_eq!(
                stopped,
                RunError::Bounds,
                "the rows of an evaluation have values that columns can hold"
            );
            return match (deadline, limits.time) {
                (Some(deadline), Some(time)) if Instant::now() >= deadline => Err(out_of_time(time)),
                _ => SemiNaive.evaluate(program, input, limits),
            };
        }
    }
    evaluated.model(program, &input, limits)
}

pub(super) fn out_of_time(time: Duration) -> LimitReached {
    LimitReached { bound: Bound::Time(time), rule: RuleId(0), relation: RelationId(0) }
}

/// Matches are at least as many as facts derived, and rounds of a recursion are never more.
fn most_matches(program: &Program, limits: &Limits) -> u64 {
    let by_memory = limits.memory.map_or(u64::MAX, |bytes| bytes / BYTES_OF_A_FACT);
    let recursive = program.strata.iter().any(|stratum| stratum.recursive);
    let rounds = if recursive { limits.iterations } else { u64::MAX };
    limits.facts.min(by_memory).min(rounds)
}

/// What the parts of a program gave.
struct Evaluated {
    /// Relations of no part have none.
    tables: IndexVec<RelationId, Option<Table>>,
    reports: Vec<Reported>,
    /// Rules that were evaluated: two parts may share some.
    rules: BTreeSet<RuleId>,
}

impl Evaluated {
    fn new(program: &Program) -> Self {
        let tables = program.relations.iter().map(|_| None).collect();
        Self { tables, reports: Vec::new(), rules: BTreeSet::new() }
    }

    fn take(
        &mut self,
        part: &CompiledPart,
        program: &Program,
        input: &Database,
        bounds: &Bounds,
    ) -> Result<(), RunError> {
        let rows = |id| input.rows(id).into_iter().flat_map(Rows::iter);
        let Code { part, mut tables, reports } =
            part.run(program, &|id, visit| rows(id).for_each(visit), bounds)?;
        let others = &self.rules;
        self.reports.extend(reports.into_iter().filter(|(rule, ..)| !others.contains(&RuleId(*rule))));
        self.rules.extend(&part.rules);
        for (at, id) in part.relations.iter().enumerate() {
            self.tables[*id].get_or_insert_with(|| tables.take(at));
        }
        Ok(())
    }

    fn model(self, program: &Program, input: &Database, limits: &Limits) -> Result<Model, LimitReached> {
        let undefined = crepe::undefined(program, self.reports);
        let mut first: IndexVec<RelationId, HashSet<Vec<Word>>> =
            IndexVec::filled(HashSet::new(), program.relations.len());
        for fact in &program.facts {
            first[fact.relation].insert(fact.values.iter().map(|value| value.word()).collect());
        }
        let fed = program.fed();
        for relation in &fed {
            let asserted = input.rows(*relation).into_iter().flat_map(Rows::iter);
            first[*relation].extend(asserted.map(<[Word]>::to_vec));
        }
        let mut relations = Vec::with_capacity(program.relations.len());
        for (id, (table, first)) in (0..).map(RelationId).zip(self.tables.into_iter().zip(first)) {
            let arity = program[id].columns.len();
            let table = table.unwrap_or_else(|| unread(arity, input.rows(id)));
            let is_given = is_input(program, id) && !fed.contains(&id);
            relations.push(extent(&table, arity, is_given, &first));
        }
        let mut model = Model { relations, undefined };
        rank(program, &mut model, limits)?;
        Ok(model)
    }
}

fn is_input(program: &Program, id: RelationId) -> bool {
    program[id].kind == Kind::Input
}

/// The facts of an input that no rule reads.
fn unread(arity: usize, rows: Option<&Rows>) -> Table {
    let mut tables = Tables::new(&[arity]);
    rows.into_iter().flat_map(Rows::iter).for_each(|row| tables.push(0, row));
    tables.distinct(0);
    tables.take(0)
}

/// A relation without recursion: what is given stands in round 0, all that rules derive in round 1.
fn extent(table: &Table, arity: usize, input: bool, first: &HashSet<Vec<Word>>) -> Extent {
    let mut rows = Rows::new(arity);
    let all = || table.iter().map(|row| columns(row, arity));
    let is_first = |row: &[Word]| input || (!first.is_empty() && first.contains(row));
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
        // Of a recursive relation, what is asserted of it, as of an input that is fed.
        let given = extent.rounds.first().copied().unwrap_or(0);
        let known = if ranked.contains(&id) { given } else { extent.rows.len() };
        extent.rows.iter().take(known).for_each(|row| input.push(id, row));
    }
    let mut again = SemiNaive.evaluate(&alone, input, limits)?;
    for id in ranked {
        let (known, found) = (model.relations.get_mut(id.at()), again.relations.get_mut(id.at()));
        std::mem::swap(known.or_broken(RelationId::INVARIANT), found.or_broken(RelationId::INVARIANT));
    }
    Ok(())
}
