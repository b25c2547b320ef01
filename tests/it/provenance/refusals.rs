//! Refusals that are known to have a remedy: a decision loses facts, meets a fact in its way or a parameter moves, up
//! to three changes. Nearly all of them have to be answered by a remedy that an evaluation apart confirms.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Float, Type, Value, Word};
use hence_engine::{Database, Engine, Limits, Model, SemiNaive};
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::proof::{NoOrigins, Premise, Proof, StepKind};
use hence_proof::why_not::{Change, Trial};

use hence::session::{RuleSet, Session, read_fact_lines, shipped};

use super::build::facts;
use super::remedy;
use crate::golden::{cases, packs, rules, session};

/// How long each search may take: enough for a build without optimisation on a machine with much to do.
const LOOK: Duration = Duration::from_secs(300);

/// How many evaluations each search over a small world may take; a release build makes as many in two seconds.
const TRIES: usize = 400;

/// The same over the agent's week, where each takes ten times as long.
const WEEK_TRIES: usize = 50;

/// Whether the long suites run.
fn is_slow() -> bool {
    std::env::var_os("HENCE_SLOW").is_some()
}

/// What a count of refusals came to.
#[derive(Default)]
struct Counted {
    asked: usize,
    without: Vec<String>,
    evaluations: usize,
}

/// A session's program, its model and what that started from.
struct World<'r> {
    name: String,
    tries: usize,
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
        Self { name, tries: TRIES, rules, input, whole }
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
        let trial = Trial { tries: self.tries, ..Trial::within(&SemiNaive, Limits::default(), LOOK) };
        let id = program.find(fact.relation).unwrap();
        let remedies = finder.remedies(id, &pattern, &trial);
        counted.evaluations += remedies.tried;
        for found in &remedies.found {
            let holds = remedy::derives(&program, &input, found, fact, &Limits::default());
            assert!(holds, "{}: {found:?}", self.name);
        }
        if remedies.found.is_empty() {
            counted.without.push(format!("{}: {fact} after {spoilt:?}: {remedies:?}", self.name));
        }
    }

    /// Spoils a decision by one change or, in the slow suite, in every way that the test knows.
    fn spoil(&self, fact: &Fact, counted: &mut Counted) {
        let proof = self.proof(fact);
        if !is_slow() {
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

fn judge(counted: &Counted) {
    let Counted { asked, without, evaluations } = counted;
    println!("{asked} refusals, {} without a remedy, {evaluations} evaluations", without.len());
    assert!(
        *asked > 10 && without.len() * 100 <= *asked,
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

#[test]
fn spoilt_decisions_of_the_agent_week_have_remedies() {
    if !is_slow() {
        return;
    }
    let packs = ["errors", "feedback", "tool_scoring"].map(String::from).to_vec();
    let rules = hence::session::RuleSource { packs, ..Default::default() }.build().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("facts/agent_week.jsonl");
    let read = read_fact_lines(&rules, "week", &std::fs::read_to_string(path).unwrap()).unwrap();
    let now = hence_core::literal::parse_time("2026-02-10T00:00:00Z").unwrap();
    let session = Session::over_facts(rules.clone(), read);
    let world = World { tries: WEEK_TRIES, ..World::new(String::from("week"), &rules, &session, now) };
    assert!(!shipped::packs().is_empty());
    let mut counted = Counted::default();
    decisions(&world, 1).iter().for_each(|fact| world.spoil(fact, &mut counted));
    judge(&counted);
}

/// Small rules of each kind: counts, means, shares and rankings with bounds, negation, recursion.
const SMALL: [(&str, &str); 6] = [
    (
        "use_tool",
        "input run(id: int, tool: string, ok: bool). input blocked(tool: string). param least: int = 2.
        good(T, count()) :- run(_, T, true). decision use_tool(tool: string).
        use_tool(T) :- good(T, N), N >= least, !blocked(T).",
    ),
    (
        "best",
        "input points(tool: string, points: int). input barred(tool: string). param keep: int = 1.
        open(T, P) :- points(T, P), !barred(T). decision best(tool: string).
        best(T) :- open(T, P) limit keep by P desc.",
    ),
    (
        "keep",
        "input rating(id: int, tool: string, stars: int). param floor: float = 2.0.
        liked(T, mean(float(S))) :- rating(_, T, S). decision keep(tool: string).
        keep(T) :- liked(T, M), M >= floor.",
    ),
    (
        "arrive",
        "input road(from: int, to: int). input start(at: int). input closed(at: int).
        reach(X) :- start(X). reach(Y) :- reach(X), road(X, Y), !closed(Y). decision arrive(at: int).
        arrive(X) :- reach(X), X > 1.",
    ),
    (
        "calm",
        "input load(host: string, at: int, load: int). param high: int = 2. param most: int = 0.
        peak(H, max(L)) :- load(H, _, L). busy(H) :- peak(H, L), L >= high.
        decision calm(host: string). calm(H) :- load(H, _, _), N = count { busy(_) }, N <= most.",
    ),
    (
        "pick",
        "input tool(tool: string). input hits(tool: string, hits: int, of: int). param weight: float = 0.5.
        share(T, max(if(Of > 0, float(H) / float(Of), 0.0))) :- tool(T), hits(T, H, Of).
        share(T, 0.0) :- tool(T), !hits(T, _, _). score(T, S * weight + 0.25) :- share(T, S).
        decision pick(tool: string). pick(T) :- score(T, S) limit 1 by S desc.",
    ),
];

/// What can be changed in a small case: a fact that comes or goes, a parameter with another value.
enum Switch {
    Fact(RelationId, Vec<Word>),
    Param(usize, Value),
}

fn small_rules(text: &str) -> RuleSet {
    let mut loader = hence::session::Loader::default();
    loader.text("small.dl", text);
    let findings = hence::session::check(loader.finish(), &[]);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// The values of a column in small cases.
fn domain(ty: Type) -> Vec<Word> {
    match ty {
        Type::String => ["a", "b"].map(|text| Value::String(text.into()).word()).to_vec(),
        Type::Bool => [true, false].map(Word::from_bool).to_vec(),
        _ => (0..4).map(Word::from_int).collect(),
    }
}

/// Every row over the small domains.
fn rows(types: &[Type]) -> Vec<Vec<Word>> {
    let mut all = vec![Vec::new()];
    for ty in types {
        let longer = all.iter().flat_map(|row: &Vec<Word>| {
            domain(*ty).into_iter().map(|word| row.iter().copied().chain([word]).collect())
        });
        all = longer.collect();
    }
    all
}

fn switches(program: &Program) -> Vec<Switch> {
    let mut all = Vec::new();
    for (at, relation) in program.relations.iter().enumerate() {
        if relation.kind == Kind::Input {
            let types: Vec<Type> = relation.types().collect();
            all.extend(rows(&types).into_iter().map(|row| Switch::Fact(RelationId(at as u32), row)));
        }
    }
    for (at, param) in program.params.iter().enumerate() {
        let values = (0..4).map(|number| match param.value {
            Value::Float(_) => Value::Float(Float::new(f64::from(number)).unwrap()),
            _ => Value::Int(i64::from(number)),
        });
        all.extend(values.filter(|value| *value != param.value).map(|value| Switch::Param(at, value)));
    }
    all
}

/// The facts of a small case.
type Given = BTreeSet<(RelationId, Vec<Word>)>;

/// Whether the fact holds with the switches turned.
fn holds_with(program: &Program, given: &Given, turned: &[&Switch], asked: (RelationId, &[Word])) -> bool {
    let (mut program, mut given) = (program.clone(), given.clone());
    for switch in turned {
        match switch {
            Switch::Fact(relation, row) => {
                let fact = (*relation, row.clone());
                if !given.remove(&fact) {
                    given.insert(fact);
                }
            }
            Switch::Param(at, value) => program.params[*at].value = *value,
        }
    }
    let mut input = Database::new(&program);
    given.iter().for_each(|(relation, row)| input.push(*relation, row));
    let model = SemiNaive.evaluate(&program, input, &Limits::default()).unwrap();
    model.extent(asked.0).unwrap().rows.iter().any(|row| row == asked.1)
}

/// Whether some few switches make the fact hold: every set of them is evaluated.
fn has_remedy(program: &Program, given: &Given, asked: (RelationId, &[Word]), most: usize) -> bool {
    let all = switches(program);
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..most {
        let larger = sets.iter().flat_map(|set| {
            let from = set.last().map_or(0, |last| last + 1);
            (from..all.len()).map(|at| set.iter().copied().chain([at]).collect())
        });
        sets = larger.collect();
        let turned = |set: &Vec<usize>| set.iter().map(|at| &all[*at]).collect::<Vec<_>>();
        if sets.iter().any(|set| holds_with(program, given, &turned(set), asked)) {
            return true;
        }
    }
    false
}

/// A small case: facts over the small domains, one in six of them given.
fn small_facts(program: &Program, seed: u64) -> Given {
    let mut dice = seed * 7_919 + 13;
    let mut given = Given::new();
    for switch in switches(program) {
        dice =
            u64::wrapping_add(u64::wrapping_mul(dice, 6_364_136_223_846_793_005), 1_442_695_040_888_963_407);
        if let (Switch::Fact(relation, row), true) = (switch, (dice >> 33).is_multiple_of(6)) {
            given.insert((relation, row));
        }
    }
    given
}

/// Asks for all that a small case refuses. What no remedy is found for is searched for exhaustively: where every set of
/// `most` changes leaves it refused, it has none.
fn ask_small(decision: &str, rules: &RuleSet, given: &Given, most: usize, counted: &mut Counted) {
    let program = &rules.program;
    let relation = program.find(decision.into()).unwrap();
    let types: Vec<Type> = program[relation].types().collect();
    let mut input = Database::new(program);
    given.iter().for_each(|(relation, row)| input.push(*relation, row));
    let model = SemiNaive.evaluate(program, input.clone(), &Limits::default()).unwrap();
    let finder = Finder::new(program, &model, &rules.sources, &NoOrigins);
    for asked in rows(&types) {
        let values: Vec<Value> =
            types.iter().zip(&asked).map(|(ty, word)| Value::from_word(*ty, *word)).collect();
        let fact = Fact::new(decision, values.clone());
        if finder.holds(&fact) {
            continue;
        }
        let pattern: Vec<_> = values.into_iter().map(Some).collect();
        let trial = Trial { tries: TRIES, ..Trial::within(&SemiNaive, Limits::default(), LOOK) };
        let remedies = finder.remedies(relation, &pattern, &trial);
        counted.evaluations += remedies.tried;
        if let Some(found) = remedies.found.first().filter(|found| found.changes.len() <= most) {
            assert!(remedy::derives(program, &input, found, &fact, &Limits::default()), "{fact}: {found:?}");
            counted.asked += 1;
        } else if has_remedy(program, given, (relation, &asked), most) {
            counted.asked += 1;
            counted.without.push(format!("{fact} over {given:?}"));
        }
    }
}

#[test]
fn what_an_exhaustive_search_mends_has_a_remedy() {
    let (seeds, most) = if is_slow() { (60, 3) } else { (4, 2) };
    let mut counted = Counted::default();
    for (decision, text) in SMALL {
        let rules = small_rules(text);
        for seed in 0..seeds {
            let given = small_facts(&rules.program, seed);
            ask_small(decision, &rules, &given, most, &mut counted);
        }
    }
    judge(&counted);
}
