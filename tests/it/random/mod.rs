//! Random well-typed programs as rule text, stratified, with recursion, negation, aggregates, limits, generators,
//! arithmetic and operations without a result: parsed, checked, lowered, and run by both engines, which must agree on
//! every relation, every round and every report. What fails shrinks to a small program, printed as a case of the
//! corpus. Every test that needs random programs takes them from here.

mod census;
pub(crate) mod clocked;
mod dice;
mod expr;
mod program;
mod rule;
mod sharded;
mod shrink;

use crate::slow;

use hence::session::{self, Loader, RuleSet};
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Word;
use hence_engine::{Database, Limits, Threads};
use hence_lang::analysis;
use hence_lang::ir::{Program, invariants};
use hence_syntax as syntax;

use crate::engines::check::compare;
pub(crate) use dice::Dice;
pub(crate) use program::{Text, random};
pub(crate) use shrink::shrink;

/// What a random program is allowed: enough for most, little enough for the naive engine.
pub(crate) const LIMITS: Limits =
    Limits { facts: 600, iterations: 40, time: None, memory: Some(1 << 20), threads: Threads::ONE };

/// The rule set and the input of a program.
///
/// # Errors
/// Its faults as text.
pub(crate) fn load(text: &Text) -> Result<(RuleSet, Database), String> {
    let rules = check(&text.rules())?;
    let mut sources = rules.sources.clone();
    let mut input = Database::new(&rules.program);
    for fact in text.facts.iter().chain(&text.asserted) {
        let (atom, found) = syntax::parse_fact(sources.add("fact", fact.as_str()), fact);
        told(&found, &sources)?;
        let (pattern, found) = analysis::check_atom(&rules.checked, &atom.unwrap(), &sources);
        told(&found, &sources)?;
        let pattern = pattern.unwrap();
        let row: Vec<Word> = pattern.values.iter().map(|value| value.unwrap().word()).collect();
        input.push(pattern.relation, &row);
    }
    Ok((rules, input))
}

fn check(text: &str) -> Result<RuleSet, String> {
    let mut loader = Loader::default();
    loader.text("random.dl", text);
    let findings = session::check(loader.finish(), &[]);
    told(&findings.faults.diagnostics, &findings.faults.sources)?;
    Ok(*findings.rules.unwrap())
}

fn told(found: &[Diagnostic], sources: &Sources) -> Result<(), String> {
    let errors: Vec<_> = found.iter().filter(|found| found.is_error()).cloned().collect();
    if errors.is_empty() { Ok(()) } else { Err(crate::cases::rendered(&errors, sources)) }
}

/// A random rule set and its input.
pub(crate) fn rules(seed: u64) -> (RuleSet, Database) {
    load(&random(seed)).unwrap_or_else(|faults| panic!("seed {seed} is refused: {faults}"))
}

/// A random program and its input.
pub(crate) fn program(seed: u64) -> (Program, Database) {
    let (rules, input) = rules(seed);
    (rules.program, input)
}

/// A row of a relation, of the values that random programs use.
pub(crate) fn row(dice: &mut Dice, program: &Program, relation: RelationId) -> Vec<Word> {
    let types = program.relations[relation.0 as usize].types();
    let mut value = |ty| syntax::parse_value(&expr::literal(dice, ty)).unwrap().word();
    types.map(&mut value).collect()
}

/// How many of the programs did what.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    derived: u64,
    reported: u64,
    stopped: u64,
}

/// How a program fails: it is refused, or its modes differ.
fn failure(text: &Text, tally: &mut Tally) -> Option<String> {
    let (rules, input) = match load(text) {
        Ok(loaded) => loaded,
        Err(faults) => return Some(format!("refused\n{faults}")),
    };
    tally.programs += 1;
    if let [first, ..] = invariants::broken(&rules.program).as_slice() {
        return Some(format!("the program breaks an invariant: {first}"));
    }
    match compare(&rules.program, &input, &LIMITS) {
        Ok(None) => tally.stopped += 1,
        Ok(Some(model)) => {
            tally.derived += u64::from(model.relations.iter().any(|extent| extent.rounds.len() > 1));
            tally.reported += u64::from(!model.undefined.is_empty());
        }
        Err(difference) => return Some(format!("the engines differ: {difference}")),
    }
    printed(&rules).err()
}

/// Whether what the printer makes of the program is the same program, and stays as it is.
fn printed(rules: &RuleSet) -> Result<(), String> {
    let source = rules.sources.iter().next().unwrap().1.text();
    let text = syntax::format(source, &rules.files[0]);
    let again = check(&text).map_err(|faults| format!("refused once printed\n{faults}\n{text}"))?;
    let (first, second) = (rules.program.to_string(), again.program.to_string());
    if first != second {
        return Err(format!("another program once printed\n{text}\n{first}\n{second}"));
    }
    let twice = syntax::format(&text, &again.files[0]);
    if twice == text { Ok(()) } else { Err(format!("another text once printed twice\n{text}\n{twice}")) }
}

/// Random programs as cases of the corpus, those that come to their end.
pub(crate) fn cases(seeds: std::ops::Range<u64>) -> Vec<String> {
    let ends = |text: &Text| {
        let (rules, input) = load(text).unwrap();
        matches!(compare(&rules.program, &input, &LIMITS), Ok(Some(_)))
    };
    seeds.map(random).filter(ends).map(|text| text.case()).collect()
}

/// What tells a failure's kind: its first line, of a refusal the first fault without the names in it.
fn kind(text: &Text) -> Option<String> {
    let failure = failure(text, &mut Tally::default())?;
    let mut lines = failure.lines();
    let first = lines.next().unwrap_or_default();
    let line = if first == "refused" { lines.next().unwrap_or_default() } else { first };
    let words: String = line.split('`').step_by(2).collect();
    Some(words.chars().take(if first == "refused" { 60 } else { 20 }).collect())
}

fn run(seeds: std::ops::Range<u64>) {
    let mut tally = Tally::default();
    for seed in seeds {
        let text = random(seed);
        if failure(&text, &mut tally).is_some() {
            let wanted = kind(&text);
            let small = shrink(text, |smaller| kind(smaller) == wanted);
            let failure = failure(&small, &mut Tally::default()).unwrap();
            panic!("seed {seed}: {failure}\n{}", small.case());
        }
    }
    println!("{tally:?}");
    let Tally { programs, derived, reported, stopped } = tally;
    assert!(
        derived * 2 > programs && reported * 20 > programs && stopped * 5 < programs,
        "too plain: {tally:?}"
    );
}

#[test]
fn random_programs_mean_the_same_in_every_mode() {
    run(0..1000);
}

#[test]
fn more_random_programs_mean_the_same_in_every_mode() {
    run(1000..2000);
}

#[test]
fn many_random_programs_mean_the_same_in_every_mode() {
    slow::seeds(10_000, run);
}
