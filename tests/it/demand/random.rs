//! Dice programs and random questions, with demand and without.

use crate::slow;

use hence::session::{EvaluationScope, Session, facts_of};
use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::value::Value;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Model, Threads};
use hence_lang::ir::Program;
use hence_lang::lower;
use hence_lang::lower::demand::demand;

use super::{NOW, session};
use crate::random::{Dice, rules};

const LIMITS: Limits =
    Limits { facts: 20_000, iterations: 200, time: None, memory: None, threads: Threads::ONE };

/// How many questions were answered from a part of the facts.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    questions: usize,
    sliced: usize,
    rows: usize,
    proofs: usize,
}

/// The facts of inputs among the rows.
fn facts(program: &Program, input: &Database) -> Vec<Fact> {
    let inputs = program.relations.iter().enumerate().filter(|(_, relation)| relation.kind == Kind::Input);
    let rows = inputs.flat_map(|(at, relation)| {
        let rows = input.rows(RelationId(at as u32)).into_iter().flat_map(|rows| rows.iter());
        rows.map(move |row| {
            let values = relation.types().zip(row).map(|(ty, word)| Value::from_word(ty, *word));
            Fact::new(relation.name, values.collect::<Vec<_>>())
        })
    });
    rows.collect()
}

/// An atom over a relation: some columns as in one of its facts, some variables, some anything.
fn atom(
    random: &mut Dice,
    program: &Program,
    model: &Model,
    id: RelationId,
    vars: &mut Vec<String>,
) -> String {
    let relation = program.relation(id).unwrap();
    let known = facts_of(program, model, id);
    let like = (!known.is_empty()).then(|| known[random.below(known.len())].clone());
    let args = relation.types().enumerate().map(|(column, ty)| match (random.below(5), &like) {
        (0 | 1, Some(fact)) => fact.values[column].to_string(),
        (2, _) => String::from("_"),
        _ => {
            let name = format!("{}{}", ty.keyword().to_uppercase(), random.below(2));
            vars.push(name.clone());
            name
        }
    });
    let args: Vec<String> = args.collect();
    format!("{}({})", relation.name, args.join(", "))
}

fn is_asked(relation: &Relation) -> bool {
    relation.name.as_str() != "now" && !relation.name.as_str().contains('{')
}

fn question(random: &mut Dice, program: &Program, model: &Model) -> String {
    let asked: Vec<RelationId> = (0..program.relations.len() as u32)
        .map(RelationId)
        .filter(|id| program.relation(*id).is_some_and(is_asked))
        .collect();
    let mut vars = Vec::new();
    let mut literals = Vec::new();
    for _ in 0..1 + random.below(3) {
        // Derived relations come after the inputs.
        let at = asked.len() - 1 - random.below(asked.len()) * random.below(2);
        literals.push(atom(random, program, model, asked[at], &mut vars));
    }
    if random.below(4) == 0 {
        let which = asked[random.below(asked.len())];
        let negated = atom(random, program, model, which, &mut Vec::new());
        let unbound = |name: &str| name.ends_with(['0', '1']) && !vars.iter().any(|var| var == name);
        let (head, args) = negated.split_once('(').unwrap();
        let args = args.trim_end_matches(')').split(", ");
        let args: Vec<_> = args
            .map(|arg| if unbound(arg) && arg.starts_with(char::is_uppercase) { "_" } else { arg })
            .collect();
        literals.push(format!("!{head}({})", args.join(", ")));
    }
    literals.join(", ")
}

/// The same answers and reports as evaluating the rules that matter, the same answers as evaluating everything.
fn ask(seed: u64, sessions: &[Session; 3], question: &str, tally: &mut Tally) {
    let [everything, rules, sliced] = sessions.each_ref().map(|session| session.query(question, NOW));
    let Ok(everything) = everything else {
        assert!(rules.is_err() == sliced.is_err(), "{seed}: {question}");
        return;
    };
    let (rules, sliced) = (rules.unwrap(), sliced.unwrap());
    let program = &sessions[0].rules().program;
    assert_eq!(everything.rows, rules.rows, "{seed}: {question}\n{program}");
    assert_eq!(everything.rows, sliced.rows, "{seed}: {question}\n{program}");
    assert_eq!(rules.reports, sliced.reports, "{seed}: {question}\n{program}");
    let mut reports = rules.reports.iter();
    assert!(reports.all(|report| everything.reports.contains(report)), "{seed}: {question}\n{program}");
    tally.questions += 1;
    tally.rows += everything.rows.len();
}

/// The same proof of each fact, to the byte.
fn prove(seed: u64, sessions: &[Session; 3], fact: &Fact, tally: &mut Tally) {
    let program = &sessions[0].rules().program;
    let question = fact.to_string();
    let [everything, rules, sliced] =
        sessions.each_ref().map(|session| session.why(&question, NOW, None).unwrap());
    assert_eq!(everything.holds, 1, "{seed}: {question}");
    assert_eq!(everything.proofs, rules.proofs, "{seed}: {question}\n{program}");
    assert_eq!(everything.proofs, sliced.proofs, "{seed}: {question}\n{program}");
    assert_eq!(everything.undetermined, rules.undetermined, "{seed}: {question}\n{program}");
    assert_eq!(everything.undetermined, sliced.undetermined, "{seed}: {question}\n{program}");
    let relation = program.find(fact.relation).unwrap();
    let values: Vec<_> = fact.values.iter().copied().map(Some).collect();
    let (asked, answer) = lower::with_atom(program, relation, &values, Span::default());
    tally.sliced += usize::from(demand(&asked, answer, true).is_some_and(|found| !found.keyed.is_empty()));
    tally.proofs += 1;
}

fn one(seed: u64, tally: &mut Tally) {
    let (rules, input) = rules(seed);
    let facts = facts(&rules.program, &input);
    let sessions = [EvaluationScope::Everything, EvaluationScope::Rules, EvaluationScope::FactsAlways]
        .map(|reach| session(&rules, &facts, reach).with_limits(LIMITS));
    let Ok(evaluation) = sessions[0].evaluate(NOW) else { return };
    let program = &rules.program;
    let mut random = Dice::new(seed);
    tally.programs += 1;
    for _ in 0..6 {
        let question = question(&mut random, program, &evaluation.model);
        ask(seed, &sessions, &question, tally);
    }
    let made = |at: &u32| hence_lang::lower::is_made(program, RelationId(*at));
    for at in (0..program.relations.len() as u32).filter(|at| !made(at)) {
        let known = facts_of(program, &evaluation.model, RelationId(at));
        for fact in known.iter().step_by(1 + known.len() / 3) {
            prove(seed, &sessions, fact, tally);
        }
    }
}

fn run(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    seeds.for_each(|seed| one(seed, &mut tally));
    println!("{tally:?}");
    tally
}

#[test]
fn random_questions_are_answered_alike_from_everything_and_from_what_they_reach() {
    let tally = run(0..150);
    assert!(tally.sliced * 10 > tally.proofs, "too few slices: {tally:?}");
    assert!(tally.questions > 700 && tally.rows > 300, "too plain: {tally:?}");
}

#[test]
fn many_random_questions_are_answered_alike() {
    slow::seeds(10_000, |seeds| {
        run(seeds);
    });
}

/// What stands in memory is asked like what stands in a ledger.
#[test]
fn random_questions_over_facts_in_memory_are_answered_alike() {
    let mut tally = Tally::default();
    let seeds = slow::size(100, 2_000);
    for seed in 0..seeds as u64 {
        let (rules, input) = rules(seed);
        let facts = facts(&rules.program, &input);
        let sessions =
            [EvaluationScope::Everything, EvaluationScope::Rules, EvaluationScope::Facts].map(|reach| {
                Session::over_facts(rules.clone(), facts.clone())
                    .unwrap()
                    .with_limits(LIMITS)
                    .with_evaluation_scope(reach)
            });
        let mut all = Database::new(&rules.program);
        input.relations.iter().zip(&mut all.relations).for_each(|(rows, all)| *all = rows.clone());
        let Ok(model) = SemiNaive.evaluate(&rules.program, all, &LIMITS) else { continue };
        let mut random = Dice::new(seed);
        let question = question(&mut random, &rules.program, &model);
        ask(seed, &sessions, &question, &mut tally);
    }
    assert!(tally.questions * 5 > seeds * 2, "too plain: {tally:?}");
}
