//! One test made ready: the program with its parameters and questions, and the facts that come and go in it.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Limits;
use hence_lang::analysis::checked::{Expectation, Given, Test, TestStep};
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::Program;
use hence_lang::lower::{Query, given_of, with_queries};
use hence_session::{FactFiles, SessionError};

use super::DEFAULT_NOW;
use super::steps::{Moment, Reached, run};
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
    /// For each step, for each of its expectations, its relation of answers, if it has one.
    pub(super) answers: Vec<Vec<Option<RelationId>>>,
    /// What changes in each step.
    moments: Vec<Moment>,
}

/// The relations of which a recursion reads once more what is given, by name.
type Twice = BTreeMap<Symbol, Symbol>;

impl<'a> Case<'a> {
    /// Reads the files of facts that the test names.
    pub(super) fn new(file: &'a TestFile, test: &'a Test) -> Result<Self, SessionError> {
        let moments = moments(file, test, &file.rules.program)?;
        Ok(Self::of(file, test, &file.rules.program, moments))
    }

    /// The same test of changed rules.
    pub(super) fn under(&self, program: &Program) -> Self {
        Self::of(self.file, self.test, program, self.moments.clone())
    }

    fn of(file: &'a TestFile, test: &'a Test, program: &Program, moments: Vec<Moment>) -> Self {
        let all: Vec<Vec<VarId>> = test.expectations().map(all_variables).collect();
        let queries: Vec<Query<'_>> =
            test.expectations().zip(&all).filter_map(|(item, wanted)| question(item, wanted)).collect();
        let (mut program, relations) = with_queries(program, &queries);
        let mut relations = relations.into_iter();
        let mut answer = |item: &Expectation| {
            if matches!(item, Expectation::Body { .. }) { relations.next() } else { None }
        };
        let answers = test.steps.iter().map(|step| step.expect.iter().map(&mut answer).collect()).collect();
        for (name, value) in &test.sets {
            program
                .params
                .iter_mut()
                .filter(|param| param.name == *name)
                .for_each(|param| param.value = *value);
        }
        Self { file, test, program, answers, moments }
    }

    /// What follows in each step.
    pub(super) fn evaluate(&self) -> Result<Vec<Reached>, SessionError> {
        self.evaluate_as(&self.program, self.file.limits())
    }

    /// What would follow in each step under a changed program with the same relations.
    pub(super) fn evaluate_as(
        &self,
        program: &Program,
        limits: &Limits,
    ) -> Result<Vec<Reached>, SessionError> {
        let twice = twice(program);
        let given = |moment: &Moment| {
            let with = |facts: &[Fact]| [facts, &for_candidates(&twice, facts)].concat();
            Moment { added: with(&moment.added), removed: with(&moment.removed), now: moment.now }
        };
        let moments: Vec<Moment> = self.moments.iter().map(given).collect();
        run(&self.file.rules, program, &moments, limits)
    }

    /// The clock of a step.
    pub(super) fn clock(&self, step: usize) -> i64 {
        self.moments.get(step).or_broken("each step of a test has its moment").now
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
            Some(Query { within, ..Query::new(body, variables, wanted, *span) })
        }
        Expectation::Undetermined { .. } | Expectation::Exactly { .. } => None,
    }
}

/// What changes in each step. The clock stands as long as no step moves it.
fn moments(file: &TestFile, test: &Test, program: &Program) -> Result<Vec<Moment>, SessionError> {
    let mut now = DEFAULT_NOW;
    let moment = |step: &TestStep| {
        let fact =
            |given: &Given| Fact { relation: program[given.relation].name, values: given.values.clone() };
        let mut added: Vec<Fact> = step.given.iter().map(fact).collect();
        added.extend(given_files(file, step)?);
        let removed: Vec<Fact> = step.retracted.iter().map(fact).collect();
        let clock = Symbol::new("now");
        let stated =
            added.iter().rev().find(|fact| fact.relation == clock).and_then(|fact| fact.values.first());
        now = match (step.now, stated) {
            (Some(moved), _) => moved,
            (None, Some(Value::Time(moved))) => *moved,
            (None, _) => now,
        };
        added.retain(|fact| fact.relation != clock);
        Ok(Moment { added, removed, now })
    };
    test.steps.iter().map(moment).collect()
}

fn twice(program: &Program) -> Twice {
    let given = |(at, relation): (usize, &Relation)| {
        let given = given_of(program, RelationId::new(at))?;
        Some((relation.name, program[given].name))
    };
    program.relations.iter().enumerate().filter_map(given).collect()
}

/// What is given of derived relations once more, as aggregates within their recursion read it.
fn for_candidates(twice: &Twice, facts: &[Fact]) -> Vec<Fact> {
    let given = |fact: &Fact| {
        let relation = *twice.get(&fact.relation)?;
        Some(Fact { relation, values: fact.values.clone() })
    };
    facts.iter().filter_map(given).collect()
}

fn given_files(file: &TestFile, step: &TestStep) -> Result<Vec<Fact>, SessionError> {
    if step.given_from.is_empty() {
        return Ok(Vec::new());
    }
    let Some(folder) = &file.folder else {
        return Err(SessionError::Unknown {
            message: String::from("a test in the binary can't read facts from files"),
        });
    };
    let paths = step.given_from.iter().map(|(path, _)| folder.join(path)).collect();
    hence_session::read_given(&file.rules, &FactFiles::of(paths))
}
