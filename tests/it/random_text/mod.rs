//! Random well-typed programs as rule text: parsed, checked, lowered, and run by both engines, which must agree on
//! every relation, every round and every report. What fails shrinks to a small program, printed as a case of the
//! corpus.

mod dice;
mod expr;
mod program;
mod rule;
mod shrink;

use std::time::Instant;

use hence::session::{self, Loader, RuleSet};
use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_engine::{Database, Limits, Threads};
use hence_lang::analysis;
use hence_syntax as syntax;

use crate::engines::check::compare;
use program::Text;

/// What a random program is allowed: enough for most, little enough for the naive engine.
const LIMITS: Limits =
    Limits { facts: 1500, iterations: 30, time: None, memory: None, threads: Threads::ONE };

/// The rule set and the input of a program; its faults as text if it has any.
fn load(text: &Text) -> Result<(RuleSet, Database), String> {
    let rules = check(&text.rules())?;
    let mut sources = rules.sources.clone();
    let facts = text.facts();
    let id = sources.add("facts.dl", facts.as_str());
    let (tree, found) = syntax::parse(id, &facts);
    told(&found, &sources)?;
    let (typed, found) = analysis::check_facts(&rules.checked, &tree, &sources);
    told(&found, &sources)?;
    let mut input = Database::new(&rules.program);
    for (relation, values, _) in typed {
        input.push(relation, &values.iter().map(|value| value.word()).collect::<Vec<_>>());
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
pub(crate) fn rules(seed: u64) -> Option<(RuleSet, Database)> {
    load(&program::random(seed)).ok()
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
    seeds.map(program::random).filter(ends).map(|text| text.case()).collect()
}

fn run(seeds: std::ops::Range<u64>) {
    let mut tally = Tally::default();
    for seed in seeds {
        let text = program::random(seed);
        if failure(&text, &mut tally).is_some() {
            let small = shrink::shrink(text);
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
fn random_text_means_the_same_in_every_mode() {
    run(0..2000);
}

#[test]
fn much_random_text_means_the_same_in_every_mode() {
    if std::env::var_os("HENCE_SLOW").is_some() {
        let start = Instant::now();
        let minutes =
            std::env::var("HENCE_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_u64);
        for batch in 1.. {
            run(batch * 10_000..(batch + 1) * 10_000);
            if start.elapsed().as_secs() > minutes * 60 {
                break;
            }
        }
    }
}
