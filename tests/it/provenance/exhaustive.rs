//! Small cases of which an exhaustive search tells whether what they refuse has a remedy.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Float, Type, Value, Word};
use hence_engine::{Database, Engine, Limits, SemiNaive};
use hence_lang::ir::Program;
use hence_proof::Finder;
use hence_proof::proof::NoOrigins;
use hence_proof::why_not::Trial;

use hence::session::RuleSet;

use super::refusals::{Counted, LOOK, TRIES, is_slow, judge};
use super::remedy;

/// Small rules of each kind: counts, means, shares and rankings with bounds, negation, recursion, undefined operations.
const SMALL: [(&str, &str); 8] = [
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
    (
        "fit",
        "input ran(tool: string, failed: int, runs: int). input known(tool: string).
        bad(T) :- ran(T, F, R), F / R > 1. decision fit(tool: string).
        fit(T) :- ran(T, _, _), known(T), !bad(T).",
    ),
    (
        "swift",
        "input took(tool: string, time: int, runs: int). input seen(tool: string).
        decision swift(tool: string). swift(T) :- took(T, A, R), A / R >= 2, seen(T).",
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
    let (relation, values) = (&program[asked.0], asked.1);
    let values = relation.types().zip(values).map(|(ty, word)| Value::from_word(ty, *word)).collect();
    let fact = Fact { relation: relation.name, values };
    remedy::follows(&program, input, &SemiNaive, &fact, &Limits::default())
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
