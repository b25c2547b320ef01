//! Mutants run: each against the tests that reach what was changed, until one notices.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::FileId;
use hence_engine::{Limits, Threads};
use hence_lang::analysis::checked::{self, Checked, Effect, Literal};
use hence_lang::builtins::expr::ParamId;
use hence_lang::ir::{Program, Rule, RuleId};
use hence_lang::lower::lower;
use hence_session::Evaluation;

use super::super::case::Case;
use super::super::steps::before_effects;
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
        let all = mutants(&bench.checked, &bench.file.rules.program, &bench.file.rules.sources);
        let helps = |mutant: &Mutant| bench.file.only_helps(mutant.change.text(&bench.checked));
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
const REACHED: &str = "a change is of the rules of its bench";

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
            let bench = bench(benches, *at);
            let mut reaching =
                bench.trials.iter().filter(|trial| trial.reaches(&bench.checked, change)).peekable();
            if reaching.peek().is_none() {
                continue;
            }
            // What can't be lowered would be refused at load.
            let Some(program) = change.program(&bench.checked) else { return Fate::Equivalent };
            for trial in reaching {
                tests += 1;
                if trial.notices(&program) {
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
    /// Its rules, without the tests.
    checked: Checked,
    trials: Vec<Trial<'a>>,
}

impl<'a> Bench<'a> {
    /// Tests that don't pass as they are notice nothing and are left out.
    fn new(file: &'a TestFile, selection: &Selection) -> Self {
        let wanted = |at: &&usize| selection.takes(&file.name, file.test(**at).name);
        let trials = file.tests.iter().filter(wanted).filter_map(|at| Trial::new(file, *at)).collect();
        let checked = Checked { tests: Vec::new(), ..file.rules.checked.clone() };
        Self { file, checked, trials }
    }
}

impl MutantChange {
    /// The text that is changed.
    fn text(&self, checked: &Checked) -> FileId {
        match self {
            Self::Rule(_, rule) => rule.span.file,
            Self::Param(at, _) => checked[ParamId(*at as u32)].span.file,
        }
    }

    /// The program under the change.
    fn program(&self, checked: &Checked) -> Option<Program> {
        let mut changed = checked.clone();
        match self {
            Self::Rule(at, rule) => *changed.rules.get_mut(*at).or_broken(REACHED) = (**rule).clone(),
            Self::Param(at, value) => {
                changed.params.get_mut(*at).or_broken(ParamId::INVARIANT).value = *value;
            }
        }
        lower(&changed).ok()
    }
}

/// A test with what it depends on.
struct Trial<'a> {
    case: Case<'a>,
    /// The relations that what it expects depends on.
    cone: BTreeSet<RelationId>,
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
        let mut filled = BTreeSet::new();
        for (at, step) in reached.iter().enumerate() {
            let state = (step, case.clock(at));
            let before = before_effects(&file.rules, &case.program, state, &LIMITS).ok()?;
            before.iter().chain([&step.evaluation]).for_each(|one| filled.extend(relations_with_facts(one)));
        }
        let cone = cone(&case, &file.rules.checked.effects);
        Some(Self { case, cone, filled })
    }

    /// Whether what was changed can make a difference to what the test expects.
    fn reaches(&self, checked: &Checked, change: &MutantChange) -> bool {
        match change {
            MutantChange::Rule(at, _) => {
                let rule = checked.rules.get(*at).or_broken(REACHED);
                self.cone.contains(&rule.head) && self.may_fire(rule)
            }
            MutantChange::Param(at, _) => {
                let param = ParamId(*at as u32);
                let program = &self.case.program;
                let name = program[param].name;
                let set = self.case.test.sets.iter().any(|(set, _)| *set == name);
                let reads = |rule: &Rule| self.cone.contains(&rule.head) && rule.reads_param(param);
                !set && program.rules.iter().any(reads)
            }
        }
    }

    /// Whether a rule, or one that differs from it in one thing, can have a match here.
    fn may_fire(&self, rule: &checked::Rule) -> bool {
        let mut atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Atom { negated: false, relation, .. } => Some(*relation),
            _ => None,
        });
        let aggregates = rule.body.iter().any(|literal| matches!(literal, Literal::Aggregate(_)));
        let Some(first) = atoms.next().filter(|_| !aggregates) else { return true };
        std::iter::once(first).chain(atoms).any(|relation| self.filled.contains(&relation))
    }

    /// Whether the test fails under a changed program.
    fn notices(&self, program: &Program) -> bool {
        let case = self.case.under(program);
        let program = part(&case.program, &cone(&case, &case.file.rules.checked.effects));
        let reached = case.evaluate_as(&program, &LIMITS);
        !reached.is_ok_and(|reached| judge::holds(&case, &program, &reached))
    }
}

/// The relations that have facts.
fn relations_with_facts(evaluation: &Evaluation) -> impl Iterator<Item = RelationId> {
    let extents = (0..).map(RelationId).zip(&evaluation.lenient().relations);
    extents.filter(|(_, extent)| !extent.rows.is_empty()).map(|(at, _)| at)
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

/// The program with the rules and facts of some relations alone.
fn part(program: &Program, cone: &BTreeSet<RelationId>) -> Program {
    let mut rules = BTreeMap::new();
    let mut small = Program {
        relations: program.relations.clone(),
        params: program.params.clone(),
        ..Program::default()
    };
    for (at, rule) in program.rules.iter().enumerate().filter(|(_, rule)| cone.contains(&rule.head)) {
        rules.insert(at, small.rules.len());
        small.rules.push(rule.clone());
    }
    let own = program.facts.iter().filter(|fact| cone.contains(&fact.relation));
    small.facts.extend(own.cloned());
    for stratum in &program.strata {
        let mut stratum = stratum.clone();
        stratum.rules = stratum
            .rules
            .iter()
            .filter_map(|rule| rules.get(&(rule.0 as usize)).map(|at| RuleId(*at as u32)))
            .collect();
        small.strata.push(stratum);
    }
    small
}
