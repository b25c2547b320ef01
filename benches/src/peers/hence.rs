//! hence: rules from text, facts into the engine's input, one evaluation.

use std::path::Path;

use hence::session::{Loader, RuleSet, RuleSource, check};
use hence_core::schema::{Column, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Model, Threads};
use hence_lang::ir::Program;

use super::{AGGREGATES, ONTOLOGY, Task};
use crate::measure::{Check, Measured, measured};
use crate::{facts, year};

/// A rule text without faults.
pub fn rules(name: &str, text: &str) -> RuleSet {
    let mut loader = Loader::default();
    loader.text(name, text);
    let findings = check(loader.finish(), &[]);
    *findings.rules.unwrap_or_else(|| panic!("{:?}", findings.faults.diagnostics))
}

/// A rule text as the engine takes it.
pub fn program(name: &str, text: &str) -> Program {
    rules(name, text).program
}

fn rows<const N: usize>(program: &Program, input: &mut Database, folder: &Path, relation: &str) {
    let id = program.find(relation.into()).unwrap();
    let texts = has_texts(program, id);
    let word = |number: u32| match texts {
        true => Word::from_symbol(Symbol::from(format!("{NAMESPACE}{number}").as_str())),
        false => Word::from_int(i64::from(number)),
    };
    facts::each::<N>(folder, relation, |row| input.push(id, &row.map(word)));
}

/// Whether the columns of a relation, which are all alike, are texts.
fn has_texts(program: &Program, relation: RelationId) -> bool {
    program.relations[relation.0 as usize].columns.iter().any(|column| column.ty.ty == Type::String)
}

/// What the names of classes and roles begin with.
const NAMESPACE: &str = "http://example.org/ontology#";

pub fn run(task: Task, folder: &Path) -> Measured {
    measured(|| load(task, folder), eval, |(program, model)| check_of(task, program, model))
}

pub fn load(task: Task, folder: &Path) -> (Program, Database) {
    let of_names = include_str!("../../rules/ontology.dl").replace(": int", ": string");
    let (name, text, relations): (_, _, &[&str]) = match task {
        Task::Closure => ("tc", include_str!("../../rules/tc.dl"), &["edge"]),
        Task::Generation => ("sg", include_str!("../../rules/sg.dl"), &["parent"]),
        Task::PointsTo => {
            let relations = &["addressOf", "assign", "load", "store"];
            ("andersen", include_str!("../../rules/andersen.dl"), relations)
        }
        Task::Aggregates => ("agg", include_str!("../../rules/agg.dl"), &[]),
        Task::Triangles => ("triangle", include_str!("../../rules/triangle.dl"), &["e"]),
        Task::Ontology => ("ontology", include_str!("../../rules/ontology.dl"), &ONTOLOGY.0),
        Task::Classification => ("ontology", &of_names, &ONTOLOGY.0),
        Task::Year => return load_year(folder),
    };
    let program = program(name, text);
    let mut input = Database::new(&program);
    relations.iter().for_each(|relation| rows::<2>(&program, &mut input, folder, relation));
    if matches!(task, Task::Ontology | Task::Classification) {
        ONTOLOGY.1.iter().for_each(|relation| rows::<3>(&program, &mut input, folder, relation));
    }
    if task == Task::Aggregates {
        rows::<5>(&program, &mut input, folder, "tool_run");
        rows::<1>(&program, &mut input, folder, "tool");
    }
    (program, input)
}

/// The shipped packs that are measured with their input of a year.
pub fn load_year(folder: &Path) -> (Program, Database) {
    let packs = ["tool_scoring", "errors"].map(String::from).to_vec();
    let rules = RuleSource { packs, ..RuleSource::default() }.build().unwrap();
    let program = rules.program;
    let mut input = Database::new(&program);
    let mut words = Vec::new();
    for (relation, kinds) in year::RELATIONS {
        if let Some(id) = program.find(relation.into()) {
            year::rows_of(folder, relation, |row| {
                words.clear();
                words.extend(kinds.iter().zip(row).map(|(kind, number)| kind.value(*number).word()));
                input.push(id, &words);
            });
        }
    }
    (program, input)
}

/// The check of the results of a year.
pub fn check_year(program: &Program, model: &Model) -> Check {
    let mut check = Check::default();
    for (number, (relation, width)) in (0..).zip(year::RESULTS) {
        let id = program.find(relation.into()).unwrap();
        let columns = &program.relations[id.0 as usize].columns;
        for row in model.extent(id).unwrap().rows.iter() {
            let of = |(word, column): (&Word, &Column)| match column.ty.ty {
                Type::String | Type::Name => year::number_of_text(word.as_symbol().as_str()),
                _ => word.0,
            };
            check.add_row(number, row.iter().zip(columns.iter()).take(width).map(of));
        }
    }
    check
}

/// The same on two threads.
pub fn run_on_two(task: Task, folder: &Path) -> Measured {
    let eval = |(program, input): (Program, Database)| {
        let limits = Limits { threads: Threads::of(2), ..Limits::default() };
        let model = SemiNaive.evaluate(&program, input, &limits).unwrap();
        (program, model)
    };
    measured(|| load(task, folder), eval, |(program, model)| check_of(task, program, model))
}

pub fn eval((program, input): (Program, Database)) -> (Program, Model) {
    let model = SemiNaive.evaluate(&program, input, &Limits::default()).unwrap();
    (program, model)
}

fn check_of(task: Task, program: &Program, model: &Model) -> Check {
    let results: &[&str] = match task {
        Task::Closure => &["path"],
        Task::Generation => &["sg"],
        Task::PointsTo => &["pt"],
        Task::Aggregates => &AGGREGATES,
        Task::Triangles => return Check::of_triples(triples(program, model, "t")),
        Task::Ontology | Task::Classification => {
            return Check::of_both(pairs(program, model, "p"), triples(program, model, "q"));
        }
        Task::Year => return check_year(program, model),
    };
    let mut check = Check::default();
    for (number, name) in results.iter().enumerate() {
        let id = program.find((*name).into()).unwrap();
        for row in model.extent(id).unwrap().rows.iter() {
            let column = |at: usize| row.get(at).map_or(0, |word| word.0 as u32);
            check.add(number as u64, column(0), column(1));
        }
    }
    check
}

fn pairs(program: &Program, model: &Model, relation: &str) -> impl Iterator<Item = (u32, u32)> {
    columns::<2>(program, model, relation).map(|[a, b]| (a, b))
}

fn triples(program: &Program, model: &Model, relation: &str) -> impl Iterator<Item = (u32, u32, u32)> {
    columns::<3>(program, model, relation).map(|[a, b, c]| (a, b, c))
}

fn columns<const N: usize>(
    program: &Program,
    model: &Model,
    relation: &str,
) -> impl Iterator<Item = [u32; N]> {
    let id = program.find(relation.into()).unwrap();
    let texts = has_texts(program, id);
    let number = move |word: &Word| match texts {
        true => word.as_symbol().as_str().rsplit('#').next().unwrap().parse().unwrap(),
        false => word.0 as u32,
    };
    let rows = &model.extent(id).unwrap().rows;
    rows.iter().map(move |row| std::array::from_fn(|at| row.get(at).map_or(0, number)))
}
