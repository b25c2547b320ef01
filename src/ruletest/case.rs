//! One test made ready: the program with its parameters and questions, and the facts that it is given.

use crate::session::{self, Evaluation, FactFiles, SessionError};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Limits, SemiNaive};
use hence_lang::analysis::checked::{Expectation, Test};
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::Program;
use hence_lang::lower::{Query, with_queries};

use super::DEFAULT_NOW;
use super::suite::TestFile;

/// How many facts a test may derive.
const MOST_FACTS: u64 = 5_000_000;

/// What tests run under.
pub(super) fn limits() -> Limits {
    Limits { facts: MOST_FACTS, ..Limits::default() }
}

/// A test made ready.
pub(super) struct Case<'a> {
    pub(super) file: &'a TestFile,
    pub(super) test: &'a Test,
    /// The rules under the test's parameters, with a relation of answers for each expected body.
    pub(super) program: Program,
    /// For each expectation its relation of answers, if it has one.
    pub(super) answers: Vec<Option<RelationId>>,
    pub(super) input: Database,
}

impl<'a> Case<'a> {
    /// Reads the files of facts that the test names.
    pub(super) fn new(file: &'a TestFile, test: &'a Test) -> Result<Self, SessionError> {
        let all: Vec<Vec<VarId>> = test.expect.iter().map(all_variables).collect();
        let queries: Vec<Query<'_>> =
            test.expect.iter().zip(&all).filter_map(|(item, wanted)| question(item, wanted)).collect();
        let (mut program, relations) = with_queries(&file.rules.program, &queries);
        let mut relations = relations.into_iter();
        let answers = test
            .expect
            .iter()
            .map(|item| if matches!(item, Expectation::Body { .. }) { relations.next() } else { None })
            .collect();
        for (name, value) in &test.sets {
            program
                .params
                .iter_mut()
                .filter(|param| param.name == *name)
                .for_each(|param| param.value = *value);
        }
        let input = input(file, test, &program)?;
        Ok(Self { file, test, program, answers, input })
    }

    /// Everything that follows in this test.
    pub(super) fn evaluate(&self) -> Result<Evaluation, SessionError> {
        self.evaluate_as(&self.program)
    }

    /// What would follow under a changed program with the same relations.
    pub(super) fn evaluate_as(&self, program: &Program) -> Result<Evaluation, SessionError> {
        let rules = &self.file.rules;
        if rules.checked.effects.is_empty() {
            return session::evaluate_program(program, &rules.sources, self.input.clone(), &SemiNaive, &limits());
        }
        session::settled(rules, program, &self.input, &limits())
    }
}

fn all_variables(item: &Expectation) -> Vec<VarId> {
    match item {
        Expectation::Body { negated: false, variables, .. } => {
            (0..variables.len() as u32).map(VarId).collect()
        }
        _ => Vec::new(),
    }
}

/// The question that an expected body asks: for all of its variables, or, of one that nothing may match, whether.
fn question<'q>(item: &'q Expectation, wanted: &'q [VarId]) -> Option<Query<'q>> {
    match item {
        Expectation::Body { body, variables, within, span, .. } => {
            Some(Query { body, variables, wanted, within, span: *span })
        }
        Expectation::Exactly { .. } => None,
    }
}

fn input(file: &TestFile, test: &Test, program: &Program) -> Result<Database, SessionError> {
    let mut input = Database::new(program);
    for (relation, values, _) in &test.given {
        push(&mut input, *relation, values);
    }
    for fact in given_files(file, test)? {
        let relation = program.find(fact.relation).or_broken("facts that were read are of known relations");
        push(&mut input, relation, &fact.values);
    }
    if let Some(clock) = program.find(Symbol::new("now")) {
        let stated = input.rows(clock).is_some_and(|rows| !rows.is_empty());
        if test.now.is_some() || !stated {
            push(&mut input, clock, &[Value::Time(test.now.unwrap_or(DEFAULT_NOW))]);
        }
    }
    Ok(input)
}

fn push(input: &mut Database, relation: RelationId, values: &[Value]) {
    let row: Vec<Word> = values.iter().map(|value| value.word()).collect();
    input.push(relation, &row);
}

fn given_files(file: &TestFile, test: &Test) -> Result<Vec<Fact>, SessionError> {
    if test.given_from.is_empty() {
        return Ok(Vec::new());
    }
    let Some(folder) = &file.folder else {
        return Err(SessionError::Unknown {
            message: String::from("a test in the binary can't read facts from files"),
        });
    };
    let paths = test.given_from.iter().map(|(path, _)| folder.join(path)).collect();
    session::read_given(&file.rules, &FactFiles { paths })
}
