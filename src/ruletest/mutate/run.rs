//! Mutants run: each against the tests that reach what was changed, until one notices.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::{Type, Value};
use hence_engine::{Limits, Threads};
use hence_lang::analysis::checked::Effect;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId};
use hence_lang::ir::{Literal, Program, Rule, RuleId};

use crate::session;

use super::super::case::Case;
use super::super::suite::{Selection, Suite, TestFile};
use super::super::{judge, pool};
use super::equivalent::guards_hold_without;
use super::variants::mutants;
use super::{FileMutation, Mutant, MutantChange, Mutation, Survivor};

/// What a mutant may use: one that runs away is noticed.
const LIMITS: Limits = Limits {
    facts: 200_000,
    iterations: 20_000,
    time: Some(Duration::from_secs(5)),
    memory: None,
    threads: Threads::ONE,
};

/// Runs every mutant of the rules that the test files selected are loaded with.
pub fn mutate(suite: &Suite, selection: &Selection, budget: Option<Duration>) -> Mutation {
    let start = Instant::now();
    let benches: Vec<Bench<'_>> = suite.files.iter().map(|file| Bench::new(file, selection)).collect();
    let jobs = jobs(&benches);
    // A fixed order that is spread evenly over the files, so that a budget takes a sample of all.
    let mut turns: Vec<usize> = (0..jobs.len()).collect();
    turns.sort_by_key(|at| (*at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let results = pool::side_by_side(turns.len(), selection.jobs, |turn| {
        let at = *turns.get(turn).or_broken(TURNS);
        let over = budget.is_some_and(|budget| start.elapsed() > budget);
        let job = jobs.get(at).or_broken(TURNS);
        Some((at, if over { Fate::NotRun } else { job.run(&benches) }))
    });
    let mut fates: BTreeMap<usize, Fate> = results.into_iter().flatten().collect();
    let mut files: BTreeMap<&str, FileMutation> = BTreeMap::new();
    for (at, job) in jobs.iter().enumerate() {
        let file = files.entry(job.mutant.place.file.as_str()).or_insert_with(|| FileMutation {
            name: job.mutant.place.file.clone(),
            ..FileMutation::default()
        });
        match fates.remove(&at).or_broken(TURNS) {
            Fate::Equivalent => file.equivalent += 1,
            Fate::Killed => file.killed += 1,
            Fate::NotRun => file.not_run += 1,
            Fate::Survived(tests) => file.survivors.push(Survivor {
                place: job.mutant.place.clone(),
                rule: job.mutant.rule.clone(),
                change: job.mutant.says.clone(),
                tests,
            }),
        }
    }
    let mut files: Vec<FileMutation> = files.into_values().collect();
    files.iter_mut().for_each(|file| file.survivors.sort_by(|a, b| a.place.cmp(&b.place)));
    Mutation { files, elapsed: start.elapsed() }
}

/// What became of a mutant.
enum Fate {
    Equivalent,
    Killed,
    /// No test noticed, of so many that reach it.
    Survived(usize),
    NotRun,
}

/// A mutant, with the test files that load it: each by its place, with the same change made to its own rules.
struct Job {
    mutant: Mutant,
    /// The test file whose spans the mutant has.
    origin: usize,
    sites: Vec<(usize, MutantChange)>,
}

/// The mutants of all files, those that several test files load once.
fn jobs(benches: &[Bench<'_>]) -> Vec<Job> {
    let mut known: BTreeMap<(String, usize), Job> = BTreeMap::new();
    for (at, bench) in benches.iter().enumerate() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let all = mutants(&bench.file.rules.program, &bench.file.rules.sources);
        let helps = |mutant: &Mutant| session::is_of_tests(Path::new(&mutant.place.file));
        for mutant in all.into_iter().filter(|mutant| !helps(mutant)) {
            let number = counts.entry(mutant.place.file.clone()).or_default();
            let key = (mutant.place.file.clone(), *number);
            *number += 1;
            let change = mutant.change.clone();
            known
                .entry(key)
                .or_insert_with(|| Job { mutant, origin: at, sites: Vec::new() })
                .sites
                .push((at, change));
        }
    }
    let mut jobs: Vec<Job> = known.into_values().collect();
    for job in &mut jobs {
        // The tests beside the rules first: they are the likeliest to notice.
        let folder = |name: &str| name.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let own = folder(&job.mutant.place.file);
        job.sites.sort_by_key(|(at, _)| folder(&bench(benches, *at).file.name) != own);
    }
    jobs
}

/// Invariants of jobs.
const TURNS: &str = "each mutant has its turn and its fate";
const REACHED: &str = "a trial that a change reaches has what is changed";

fn bench<'b, 'a>(benches: &'b [Bench<'a>], at: usize) -> &'b Bench<'a> {
    benches.get(at).or_broken("a mutant is tried on the benches that there are")
}

impl Job {
    fn run(&self, benches: &[Bench<'_>]) -> Fate {
        if self.mutant.equivalent {
            return Fate::Equivalent;
        }
        let mut tests = 0;
        for (at, change) in &self.sites {
            for trial in bench(benches, *at).trials.iter().filter(|trial| trial.reaches(change)) {
                tests += 1;
                if trial.notices(change) {
                    return Fate::Killed;
                }
            }
        }
        if self.refused(benches) { Fate::Equivalent } else { Fate::Survived(tests) }
    }

    /// Whether a guard would refuse the change at load.
    fn refused(&self, benches: &[Bench<'_>]) -> bool {
        let checked = &bench(benches, self.origin).file.rules.checked;
        self.mutant.dropped.is_some_and(|dropped| !guards_hold_without(checked, dropped))
    }
}

/// The tests of a file, made ready.
struct Bench<'a> {
    file: &'a TestFile,
    trials: Vec<Trial<'a>>,
}

impl<'a> Bench<'a> {
    /// Tests that don't pass as they are notice nothing and are left out.
    fn new(file: &'a TestFile, selection: &Selection) -> Self {
        let wanted = |at: &&usize| selection.takes(&file.name, file.test(**at).name);
        let trials = file.tests.iter().filter(wanted).filter_map(|at| Trial::new(file, *at)).collect();
        Self { file, trials }
    }
}

/// A test with the part of the program that it depends on.
struct Trial<'a> {
    case: Case<'a>,
    /// The rules and facts that what it expects depends on, and nothing else.
    program: Program,
    /// The place of each rule of the whole program in the part, where it is there.
    rules: BTreeMap<usize, usize>,
    /// The same of the facts.
    facts: BTreeMap<usize, usize>,
    /// The relations that have facts in this test.
    filled: BTreeSet<RelationId>,
}

impl<'a> Trial<'a> {
    fn new(file: &'a TestFile, at: usize) -> Option<Self> {
        let test = file.test(at);
        let case = Case::new(file, test).ok()?;
        let reached = case.evaluate().ok()?;
        if !judge::holds(&case, &case.program, &reached) {
            return None;
        }
        let extents = reached.iter().flat_map(|step| step.evaluation.lenient().relations.iter().enumerate());
        let filled = extents
            .filter(|(_, extent)| !extent.rows.is_empty())
            .map(|(at, _)| RelationId(at as u32))
            .collect();
        let cone = cone(&case, &file.rules.checked.effects);
        let (program, rules, facts) = part(&case.program, &cone);
        Some(Self { case, program, rules, facts, filled })
    }

    /// Whether what was changed can make a difference to what the test expects.
    fn reaches(&self, change: &MutantChange) -> bool {
        match change {
            MutantChange::Rule(at, _) | MutantChange::NoRule(at) => self.rules.get(at).is_some_and(|at| {
                let rule = &self.program[RuleId(*at as u32)];
                let mut atoms = rule.body.iter().filter_map(|literal| match literal {
                    Literal::Atom(atom) => Some(atom.relation),
                    _ => None,
                });
                let first = atoms.next();
                first.is_none_or(|first| {
                    std::iter::once(first).chain(atoms).any(|relation| self.filled.contains(&relation))
                })
            }),
            MutantChange::Fact(at, _) | MutantChange::NoFact(at) => self.facts.contains_key(at),
            MutantChange::Param(at, _) => {
                let param = ParamId(*at as u32);
                let name = self.program[param].name;
                let set = self.case.test.sets.iter().any(|(set, _)| *set == name);
                !set && self.program.rules.iter().any(|rule| rule.reads_param(param))
            }
        }
    }

    /// Whether the test fails under the change.
    fn notices(&self, change: &MutantChange) -> bool {
        let mut program = self.program.clone();
        let place = |places: &Places, at: &usize| *places.get(at).or_broken(REACHED);
        match change {
            MutantChange::Rule(at, rule) => {
                let slot = program.rules.get_mut(place(&self.rules, at)).or_broken(REACHED);
                *slot = (**rule).clone();
            }
            MutantChange::NoRule(at) => {
                let gone = program.rules.get_mut(place(&self.rules, at)).or_broken(REACHED);
                gone.body.push(never(gone.span));
            }
            MutantChange::Fact(at, fact) => {
                let slot = program.facts.get_mut(place(&self.facts, at)).or_broken(REACHED);
                *slot = fact.clone();
            }
            MutantChange::NoFact(at) => {
                program.facts.remove(place(&self.facts, at));
            }
            MutantChange::Param(at, value) => {
                program.params.get_mut(*at).or_broken(ParamId::INVARIANT).value = *value;
            }
        }
        let reached = self.case.evaluate_as(&program, &LIMITS);
        !reached.is_ok_and(|reached| judge::holds(&self.case, &program, &reached))
    }
}

/// A literal that never holds: with it, a rule is as good as gone, and every other one keeps its place.
fn never(span: Span) -> Literal {
    let kind = ExprKind::Const(Value::Bool(false));
    Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span }
}

/// The relations that what a test expects depends on, its questions included. An input depends on the effects on it.
fn cone(case: &Case<'_>, effects: &[Effect]) -> BTreeSet<RelationId> {
    let mut cone: BTreeSet<RelationId> = case.test.expectations().flat_map(judge::relations).collect();
    cone.extend(case.answers.iter().flatten().flatten());
    loop {
        let more: Vec<RelationId> = case
            .program
            .rules
            .iter()
            .filter(|rule| cone.contains(&rule.head))
            .flat_map(Rule::reads)
            .chain(effects.iter().filter(|effect| cone.contains(&effect.input)).map(|effect| effect.relation))
            .filter(|relation| !cone.contains(relation))
            .collect();
        if more.is_empty() {
            return cone;
        }
        cone.extend(more);
    }
}

type Places = BTreeMap<usize, usize>;

/// The program with the rules and facts of some relations alone, and where each now stands.
fn part(program: &Program, cone: &BTreeSet<RelationId>) -> (Program, Places, Places) {
    let (mut rules, mut facts) = (Places::new(), Places::new());
    let mut small = Program {
        relations: program.relations.clone(),
        params: program.params.clone(),
        ..Program::default()
    };
    for (at, rule) in program.rules.iter().enumerate().filter(|(_, rule)| cone.contains(&rule.head)) {
        rules.insert(at, small.rules.len());
        small.rules.push(rule.clone());
    }
    for (at, fact) in program.facts.iter().enumerate().filter(|(_, fact)| cone.contains(&fact.relation)) {
        facts.insert(at, small.facts.len());
        small.facts.push(fact.clone());
    }
    for stratum in &program.strata {
        let mut stratum = stratum.clone();
        stratum.rules = stratum
            .rules
            .iter()
            .filter_map(|rule| rules.get(&(rule.0 as usize)).map(|at| RuleId(*at as u32)))
            .collect();
        small.strata.push(stratum);
    }
    (small, rules, facts)
}
