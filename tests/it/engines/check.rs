//! Runs a program through both engines and compares everything that an engine promises.

use std::collections::BTreeMap;
use std::time::Duration;

use hence::session::{Loader, check};
use hence_core::schema::RelationId;
use hence_core::value::{Value, Word};
use hence_engine::Naive;
use hence_engine::SemiNaive;
use hence_engine::{Bound, Database, Engine, LimitReached, Limits, Model, Threads};
use hence_lang::ir::{Literal, Program};

/// What the engines agree on, or how they differ. `None` where the naive engine reaches a limit.
pub(crate) fn compare(program: &Program, input: &Database, limits: &Limits) -> Result<Option<Model>, String> {
    let fast = SemiNaive.evaluate(program, input.clone(), limits);
    let naive = Naive.evaluate(program, input.clone(), limits);
    let shared = SemiNaive.evaluate(program, input.clone(), &Limits { threads: EAGER, ..*limits });
    agree(program, naive.clone(), shared).map_err(|difference| format!("on three threads: {difference}"))?;
    agree(program, naive, fast)
}

/// Threads that help at once, so that even small programs are divided.
pub(crate) const EAGER: Threads = Threads { most: 3, after: Duration::ZERO };

/// What an evaluation by the naive engine and another agree on, or how they differ. `None` where the naive one
/// reaches a limit.
pub(crate) fn agree(
    program: &Program,
    naive: Result<Model, LimitReached>,
    fast: Result<Model, LimitReached>,
) -> Result<Option<Model>, String> {
    match (naive, fast) {
        (Ok(naive), Ok(fast)) => {
            same(program, &naive, &fast)?;
            Ok(Some(fast))
        }
        (Err(naive), Err(fast)) if naive.bound == fast.bound => Ok(None),
        // All matches of a rule at once are more than the naive engine may hold; others never hold them.
        (Err(naive), _) if matches!(naive.bound, Bound::Memory(_)) => Ok(None),
        // How often the same elements are generated is an engine's own business.
        (naive, fast) if generates(program) && spent([&naive, &fast]) => Ok(None),
        (naive, fast) => Err(format!("limits: naive {:?}\nsemi-naive {:?}", naive.err(), fast.err())),
    }
}

/// Whether another engine's model is that of the naive one: facts, ranks and reports.
pub(crate) fn same(program: &Program, naive: &Model, other: &Model) -> Result<(), String> {
    let mut relations = (0..program.relations.len() as u32).map(RelationId);
    relations.try_for_each(|relation| same_extent(program, naive, other, relation))?;
    if naive.undefined != other.undefined {
        let (naive, other) = (&naive.undefined, &other.undefined);
        return Err(format!("undefined: naive {naive:?}\nother {other:?}"));
    }
    Ok(())
}

fn generates(program: &Program) -> bool {
    program.rules.iter().flat_map(|rule| &rule.body).any(|literal| matches!(literal, Literal::Each { .. }))
}

fn spent(results: [&Result<Model, LimitReached>; 2]) -> bool {
    results.iter().any(|result| matches!(result, Err(reached) if matches!(reached.bound, Bound::Facts(_))))
}

fn same_extent(program: &Program, naive: &Model, fast: &Model, relation: RelationId) -> Result<(), String> {
    let (expected, found) = (ranks(naive, relation), ranks(fast, relation));
    let name = program.relation(relation).unwrap().name;
    if expected != found {
        return Err(format!("{name}: naive {expected:?}\nother {found:?}"));
    }
    let rounds = |model: &Model| model.extent(relation).unwrap().rounds.clone();
    if rounds(naive) != rounds(fast) {
        return Err(format!("rounds of {name}: naive {:?}\nother {:?}", rounds(naive), rounds(fast)));
    }
    if found.len() != fast.extent(relation).unwrap().rows.len() {
        return Err(format!("{name} holds a fact twice"));
    }
    Ok(())
}

fn ranks(model: &Model, relation: RelationId) -> BTreeMap<Vec<Word>, usize> {
    let extent = model.extent(relation).unwrap();
    extent.rows.iter().enumerate().map(|(at, row)| (row.to_vec(), extent.rank(at))).collect()
}

/// The facts of a relation as both engines derive them, as text, ascending.
pub(crate) fn facts(program: &Program, input: &Database, relation: RelationId) -> Vec<String> {
    let model = model(program, input);
    let types: Vec<_> = program.relation(relation).unwrap().types().collect();
    let mut rows: Vec<Vec<Value>> = model.relations[relation.0 as usize]
        .rows
        .iter()
        .map(|row| row.iter().zip(&types).map(|(word, ty)| Value::from_word(*ty, *word)).collect())
        .collect();
    rows.sort();
    rows.iter().map(|row| row.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ")).collect()
}

/// The model on which both engines agree.
pub(crate) fn model(program: &Program, input: &Database) -> Model {
    let agreed = compare(program, input, &Limits::default());
    agreed.unwrap_or_else(|difference| panic!("{difference}\n{program}")).unwrap()
}

/// A database with rows of ints.
pub(crate) fn ints(program: &Program, rows: &[(RelationId, &[&[i64]])]) -> Database {
    let mut input = Database::new(program);
    for (relation, rows) in rows {
        for row in *rows {
            input.push(*relation, &row.iter().map(|int| Word::from_int(*int)).collect::<Vec<_>>());
        }
    }
    input
}

/// The program of rules as text.
pub(crate) fn program_of(text: &str) -> Program {
    let mut loader = Loader::default();
    loader.text("rules.dl", text);
    let findings = check(loader.finish(), &[]);
    findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics)).program
}
