//! Refusals that are known to have a remedy: a decision loses facts, meets a fact in its way or a parameter moves, up
//! to three changes. Nearly all of them have to be answered by a remedy that an evaluation apart confirms.

use crate::slow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Float, Type, Value, Word};
use hence_engine::{Database, Engine, Limits, Model, SemiNaive};
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::proof::{NoOrigins, Premise, Proof, StepKind};
use hence_proof::why_not::{Change, Remedies, Trial};

use hence::session::{RuleSet, Session, read_fact_lines, shipped};

use super::build::facts;
use super::remedy;
use crate::golden::{cases, packs, rules, session};

/// How long each search may take: enough for a build without optimisation on a machine with much to do.
pub(super) const LOOK: Duration = Duration::from_secs(300);

/// How many evaluations each search over a small world may take; a release build makes more in the ten seconds of `why-not`.
pub(super) const TRIES: usize = 800;

/// The same over the agent's week, where each takes ten times as long.
const WEEK_TRIES: usize = 400;

/// How many evaluations a search gets first: most need no more.
const FIRST_TRIES: usize = 8;

/// Whether the long suites run.
pub(super) fn is_slow() -> bool {
    slow::is_slow()
}

/// What a count of refusals came to.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) asked: usize,
    pub(super) without: Vec<String>,
    pub(super) evaluations: usize,
    /// How many have none, by what spoilt them.
    by_kind: BTreeMap<String, usize>,
    /// How many spoilt worlds were made, asked or not.
    spoilt: usize,
}

impl Counted {
    /// Searches until some remedy is found, in at most so many evaluations.
    fn first_remedies(
        &mut self,
        finder: &Finder<'_>,
        (relation, pattern): (RelationId, &[Option<Value>]),
        tries: usize,
    ) -> Remedies {
        let mut remedies = Remedies::default();
        for tries in [FIRST_TRIES.min(tries), tries] {
            let trial = Trial { tries, ..Trial::within(&SemiNaive, Limits::default(), LOOK) };
            if remedies.found.is_empty() {
                remedies = finder.remedies(relation, pattern, &trial);
                self.evaluations += remedies.tried;
            }
        }
        remedies
    }
}

/// A session's program, its model and what that started from.
struct World<'r> {
    name: String,
    tries: usize,
    /// Of so many ways of spoiling a decision one is asked about.
    every: usize,
    rules: &'r RuleSet,
    input: Database,
    whole: Model,
}

impl<'r> World<'r> {
    fn new(name: String, rules: &'r RuleSet, session: &Session, now: i64) -> Self {
        let whole = session.evaluate(now).unwrap().model;
        let mut input = Database::new(&rules.program);
        for (at, extent) in whole.relations.iter().enumerate() {
            let given = extent.rounds.first().copied().unwrap_or(extent.rows.len());
            extent.rows.iter().take(given).for_each(|row| input.push(RelationId(at as u32), row));
        }
        Self { name, tries: TRIES, every: 1, rules, input, whole }
    }

    fn program(&self) -> &Program {
        &self.rules.program
    }

    fn proof(&self, fact: &Fact) -> Proof {
        let finder = Finder::new(self.program(), &self.whole, &self.rules.sources, &NoOrigins);
        finder.why(fact).unwrap().unwrap()
    }

    /// Asks what would mend a fact once `spoilt`, if it is gone then.
    fn ask(&self, fact: &Fact, spoilt: &[Change], counted: &mut Counted) {
        counted.spoilt += 1;
        if !counted.spoilt.is_multiple_of(self.every) {
            return;
        }
        let (mut program, mut input) = (self.program().clone(), self.input.clone());
        for change in spoilt {
            match change {
                Change::Retract(fact) => remedy::retract(&program, &mut input, fact),
                Change::Assert(fact, _) => input.push(program.find(fact.relation).unwrap(), &words(fact)),
                Change::Set(name, _, value) => {
                    program.params.iter_mut().find(|param| param.name == *name).unwrap().value = *value;
                }
            }
        }
        let model = SemiNaive.evaluate(&program, input.clone(), &Limits::default()).unwrap();
        let finder = Finder::new(&program, &model, &self.rules.sources, &NoOrigins);
        if finder.holds(fact) {
            return;
        }
        counted.asked += 1;
        let pattern: Vec<_> = fact.values.iter().copied().map(Some).collect();
        let id = program.find(fact.relation).unwrap();
        let remedies = counted.first_remedies(&finder, (id, &pattern), self.tries);
        for found in &remedies.found {
            let holds = remedy::derives(&program, &input, found, fact, &Limits::default());
            assert!(holds, "{}: {found:?}", self.name);
        }
        if remedies.found.is_empty() {
            *counted.by_kind.entry(kind(spoilt)).or_insert(0) += 1;
            counted.without.push(format!("{}: {fact} after {spoilt:?}: {remedies:?}", self.name));
        }
    }

    /// Spoils a decision by one change or, in the slow suite, in every way that the test knows.
    fn spoil(&self, fact: &Fact, counted: &mut Counted) {
        let proof = self.proof(fact);
        if !is_slow() && self.every == 1 {
            let lost = leaves(&proof).take(2).cloned().map(Change::Retract);
            let met = self.blockers(&proof).into_iter().take(1);
            return lost.chain(met).for_each(|change| self.ask(fact, &[change], counted));
        }
        let lost: Vec<Change> = leaves(&proof).take(6).cloned().map(Change::Retract).collect();
        let met: Vec<Change> = self.blockers(&proof).into_iter().take(2).collect();
        for change in lost.iter().chain(&met) {
            self.ask(fact, std::slice::from_ref(change), counted);
        }
        if let [first, .., last] = lost.as_slice() {
            self.ask(fact, &[first.clone(), last.clone()], counted);
        }
        if let (Some(lost), Some(met)) = (lost.first(), met.first()) {
            self.ask(fact, &[lost.clone(), met.clone()], counted);
        }
        if lost.len() > 2 {
            self.ask(fact, &lost[..3], counted);
        }
        for param in &self.program().params {
            for value in extremes(param.value) {
                if param.ty.admits(value) {
                    self.ask(fact, &[Change::Set(param.name, param.value, value)], counted);
                }
            }
        }
    }

    /// Facts of inputs that must not be there for a proof.
    fn blockers(&self, proof: &Proof) -> Vec<Change> {
        let mut found = Vec::new();
        for step in &proof.steps {
            let StepKind::Derived(derived) = &step.kind else { continue };
            for premise in &derived.premises {
                let Premise::Absent { atom, .. } = premise else { continue };
                let relation = &self.program()[self.program().find(atom.relation).unwrap()];
                if relation.kind != Kind::Input {
                    continue;
                }
                let plain = |ty: Type| match ty {
                    Type::String => Value::String("spoilt".into()),
                    Type::Name => Value::Name("/spoilt".into()),
                    ty => Value::from_word(ty, Word::from_int(1)),
                };
                let values = atom.args.iter().zip(&relation.columns).map(|(arg, column)| {
                    arg.or(column.ty.set.as_ref().map(|set| Value::Name(set.members[0])))
                        .unwrap_or_else(|| plain(column.ty.ty))
                });
                let values: Vec<Value> = values.collect();
                found.push(Change::Assert(
                    Fact { relation: atom.relation, values: values.clone() },
                    vec![false; values.len()],
                ));
            }
        }
        found
    }
}

/// What spoilt a decision, without its values.
fn kind(spoilt: &[Change]) -> String {
    let kinds = spoilt.iter().map(|change| match change {
        Change::Assert(fact, _) => format!("met {}", fact.relation),
        Change::Retract(fact) => format!("lost {}", fact.relation),
        Change::Set(name, _, value) => format!("set {name} = {value}"),
    });
    kinds.collect::<Vec<_>>().join(", ")
}

fn words(fact: &Fact) -> Vec<Word> {
    fact.values.iter().map(|value| value.word()).collect()
}

/// The asserted facts of a proof but for the clock.
fn leaves(proof: &Proof) -> impl Iterator<Item = &Fact> {
    let asserted = proof.steps.iter().filter(|step| matches!(step.kind, StepKind::Asserted { .. }));
    asserted.map(|step| &step.fact).filter(|fact| fact.relation.as_str() != "now")
}

/// Values of a parameter that are far from its own.
fn extremes(value: Value) -> Vec<Value> {
    let float = |number: f64| Float::new(number).map(Value::Float);
    match value {
        Value::Int(number) => vec![Value::Int(number + 1_000), Value::Int(0)],
        Value::Float(number) => float(number.get() + 1.0).into_iter().chain(float(0.0)).collect(),
        Value::Duration(length) => vec![Value::Duration(length * 100), Value::Duration(1)],
        Value::Bool(held) => vec![Value::Bool(!held)],
        _ => Vec::new(),
    }
}

/// The first decisions of each kind.
fn decisions(world: &World<'_>, each: usize) -> Vec<Fact> {
    let ids = (0..world.program().relations.len()).map(|at| RelationId(at as u32));
    let decided = ids.filter(|id| world.program()[*id].kind == Kind::Decision);
    let first = decided.flat_map(|id| {
        let mut facts = facts(world.program(), &world.whole, id);
        facts.sort();
        facts.into_iter().take(each)
    });
    first.collect()
}

pub(super) fn judge(counted: &Counted) {
    let Counted { asked, without, evaluations, by_kind, .. } = counted;
    by_kind.iter().for_each(|(kind, count)| println!("{count} without a remedy after: {kind}"));
    println!("{asked} refusals, {} without a remedy, {evaluations} evaluations", without.len());
    assert!(
        *asked > 8 && without.len() * 50 <= *asked,
        "{} of {asked}\n{}",
        without.len(),
        without.join("\n")
    );
}

#[test]
fn spoilt_decisions_of_the_golden_cases_have_remedies() {
    let most = if is_slow() { 2 } else { 1 };
    let mut counted = Counted::default();
    for pack in packs() {
        let rules = rules(pack);
        for (number, case) in cases(pack).iter().enumerate().take(most) {
            let (session, now) = session(&rules, case);
            let world = World::new(format!("{pack} {number}"), &rules, &session, now);
            decisions(&world, most).iter().for_each(|fact| world.spoil(fact, &mut counted));
        }
    }
    judge(&counted);
}

/// The agent's week: rules that decide on it, a session over its facts, and the instant after it.
fn week() -> (RuleSet, Session, i64) {
    let packs = ["errors", "feedback", "tool_scoring"].map(String::from).to_vec();
    let rules = hence::session::RuleSource { packs, ..Default::default() }.build().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("facts/agent_week.jsonl");
    let read = read_fact_lines(&rules, "week", &std::fs::read_to_string(path).unwrap()).unwrap();
    let now = hence_core::literal::parse_time("2026-02-10T00:00:00Z").unwrap();
    let session = Session::over_facts(rules.clone(), read).unwrap();
    (rules, session, now)
}

#[test]
fn spoilt_decisions_of_the_agent_week_have_remedies() {
    let (rules, session, now) = week();
    let every = if is_slow() { 1 } else { 5 };
    let world = World { tries: WEEK_TRIES, every, ..World::new(String::from("week"), &rules, &session, now) };
    assert!(!shipped::packs().is_empty());
    let mut counted = Counted::default();
    decisions(&world, 1).iter().for_each(|fact| world.spoil(fact, &mut counted));
    judge(&counted);
}

/// Asks for candidates of the week that nobody drew: each goal with a tool that was not chosen for it, and with one that
/// nobody knows. Each has a remedy: a tool can be asserted, and so can what speaks for it.
#[test]
fn refused_tools_of_the_agent_week_have_remedies() {
    let (rules, session, now) = week();
    let world = World::new(String::from("week"), &rules, &session, now);
    let (program, model) = (world.program(), &world.whole);
    let finder = Finder::new(program, model, &rules.sources, &NoOrigins);
    let named = |relation: &str| {
        let mut facts = facts(program, model, program.find(relation.into()).unwrap());
        facts.sort();
        facts.into_iter().map(|fact| fact.values[0]).collect::<BTreeSet<Value>>()
    };
    let mut tools = named("tool");
    tools.insert(Value::String("pytest".into()));
    let (goals, step) = (named("goal"), if is_slow() { 9 } else { 97 });
    let all = goals.iter().flat_map(|goal| tools.iter().rev().map(move |tool| (*goal, *tool)));
    let relation = program.find("select_tool".into()).unwrap();
    let mut counted = Counted::default();
    for (goal, tool) in all.step_by(step) {
        let pattern = [Some(goal), Some(tool), None];
        if !finder.instances(relation, &pattern).is_empty() {
            continue;
        }
        let remedies = counted.first_remedies(&finder, (relation, &pattern), WEEK_TRIES);
        counted.asked += 1;
        let Some(found) = remedies.found.first() else {
            counted.without.push(format!("{goal} {tool}: {remedies:?}"));
            continue;
        };
        let holds = remedy::derives(program, &world.input, found, &found.derives[0], &Limits::default());
        assert!(holds, "{goal} {tool}: {found:?}");
    }
    let Counted { asked, without, evaluations, .. } = &counted;
    println!("{asked} refused tools, {} without a remedy, {evaluations} evaluations", without.len());
    assert!(without.len() * 100 <= *asked, "{} of {asked}\n{}", without.len(), without.join("\n"));
}

/// Asks each golden case for the decisions that the other cases of its pack draw and it doesn't. How many of those have a
/// remedy within three changes nobody knows, so what is held is how many get one.
#[test]
fn decisions_of_other_golden_cases_mostly_have_remedies() {
    let most = if is_slow() { usize::MAX } else { 2 };
    let (mut counted, mut by_pack) = (Counted::default(), Vec::new());
    for pack in packs() {
        let rules = rules(pack);
        let sessions: Vec<(Session, i64)> =
            cases(pack).iter().take(most).map(|case| session(&rules, case)).collect();
        let worlds = sessions.iter().map(|(session, now)| World::new(pack.to_owned(), &rules, session, *now));
        let worlds: Vec<World<'_>> = worlds.collect();
        let drawn: BTreeSet<Fact> = worlds.iter().flat_map(|world| decisions(world, 2)).collect();
        let before = (counted.asked, counted.without.len());
        for world in &worlds {
            drawn.iter().for_each(|fact| world.ask(fact, &[], &mut counted));
        }
        by_pack.push(format!("{pack}: {} of {}", counted.without.len() - before.1, counted.asked - before.0));
    }
    let Counted { asked, without, evaluations, .. } = &counted;
    println!("{asked} refusals, {} without a remedy, {evaluations} evaluations", without.len());
    println!("without a remedy, by pack: {}\n{}", by_pack.join(", "), without.join("\n"));
    assert!(without.len() * 5 <= *asked, "{} of {asked}\n{}", without.len(), without.join("\n"));
}
