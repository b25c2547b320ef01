//! Questions: queries over what follows, and whole relations.

use std::collections::BTreeSet;

use hence_core::diagnostic::{self, Diagnostic, nearest};
use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Undefined;
use hence_lang::analysis;
use hence_lang::ir::Program;
use hence_lang::lower::{self, Query};
use hence_proof::proof::FactPattern;
use hence_syntax as syntax;

use super::error::{Faults, SessionError};
use super::evaluation::{self, Evaluation};
use super::slice::ProgramQuery;
use super::{RuleSet, Session};

/// The answer to a query.
#[derive(Clone, Debug, Default)]
pub struct QueryAnswer {
    /// The named variables of the question, in the order of their first place.
    pub columns: Vec<Symbol>,
    /// Their values for each match, distinct, ascending.
    pub rows: Vec<Vec<Value>>,
    /// What matches possibly and not certainly, some values unknown.
    pub undetermined: Vec<Vec<Option<Value>>>,
    /// What was reported on the way: undefined operations.
    pub reports: Vec<String>,
}

/// Whole relations.
#[derive(Clone, Debug, Default)]
pub struct DerivedRelations {
    /// Each relation asked for, with its column names and its facts, ascending.
    pub relations: Vec<(Symbol, Vec<Symbol>, Vec<Fact>)>,
    /// What follows possibly and not certainly, ascending relation by relation.
    pub undetermined: Vec<FactPattern>,
    /// What was reported on the way: undefined operations.
    pub reports: Vec<String>,
}

impl Session {
    /// The matches of a body such as `usefulness(T, /marketing, S), S > 0.5` at the time `now`. Only what the body
    /// depends on is evaluated, so undefined operations in other rules aren't reported.
    ///
    /// # Errors
    /// Faults in the question, and all that can go wrong in an evaluation.
    pub fn query(&self, body: &str, now: i64) -> Result<QueryAnswer, SessionError> {
        self.entry(|| self.matches_of(body, now))
    }

    fn matches_of(&self, body: &str, now: i64) -> Result<QueryAnswer, SessionError> {
        let mut sources = self.rules.sources.clone();
        let file = sources.add("<query>", body);
        let (asked, mut found) = syntax::parse_query(file, body);
        let mut checked = None;
        if found.is_empty() {
            let (query, more) = analysis::check_query(&self.rules.checked, &asked, &sources);
            checked = query;
            found.extend(more);
        }
        let faulty = found.iter().any(Diagnostic::is_error);
        let Some(query) = checked.filter(|_| !faulty) else {
            diagnostic::sort(&mut found);
            return Err(SessionError::Faults(Box::new(Faults { sources, diagnostics: found })));
        };
        let (program, answer) = lower::with_query(&self.rules.program, &Query::from(&query));
        let asked =
            ProgramQuery { program: &program, answer, sources: &sources, now, at: self.as_of, proofs: false };
        let evaluation = self.evaluate_query(&asked)?;
        let rows: BTreeSet<Vec<Value>> = evaluation::facts_of(&program, &evaluation.model, answer)
            .into_iter()
            .map(|fact| fact.values)
            .collect();
        let columns = program[answer].columns.iter().map(|column| column.name).collect();
        Ok(QueryAnswer {
            columns,
            rows: rows.into_iter().collect(),
            undetermined: open(&evaluation, answer).map(|row| row.args).collect(),
            reports: undefined_operations(&program, &sources, &evaluation.model.undefined),
        })
    }

    /// The facts of the relations named, in the order asked; of all decisions if none is named. Only what they
    /// depend on is evaluated.
    ///
    /// # Errors
    /// An unknown relation, and all that can go wrong in an evaluation.
    pub fn derive(&self, names: &[String], now: i64) -> Result<DerivedRelations, SessionError> {
        self.entry(|| self.facts_named(names, now))
    }

    fn facts_named(&self, names: &[String], now: i64) -> Result<DerivedRelations, SessionError> {
        let wanted = self.wanted(names)?;
        let Self { rules, .. } = self;
        let asked = wanted.iter().copied();
        let evaluation = self.evaluate_relevant(&rules.program, &rules.sources, asked, (self.as_of, now))?;
        let mut derived =
            DerivedRelations { reports: reports(&self.rules, &evaluation), ..DerivedRelations::default() };
        for relation in wanted {
            let schema = &self.rules.program[relation];
            let columns = schema.columns.iter().map(|column| column.name).collect();
            derived.undetermined.extend(open(&evaluation, relation));
            let facts = evaluation::facts_of(&self.rules.program, &evaluation.model, relation);
            derived.relations.push((schema.name, columns, facts));
        }
        Ok(derived)
    }

    fn wanted(&self, names: &[String]) -> Result<Vec<RelationId>, SessionError> {
        let program = &self.rules.program;
        if names.is_empty() {
            let mut decisions: Vec<_> = (0..program.relations.len() as u32)
                .map(RelationId)
                .filter(|id| program.relation(*id).is_some_and(|found| found.kind == Kind::Decision))
                .collect();
            decisions.sort_by_key(|id| program.relation(*id).map(|found| found.name));
            return Ok(decisions);
        }
        names.iter().map(|name| self.relation(name)).collect()
    }

    /// The relation called `name`.
    ///
    /// # Errors
    /// There is none; the message names the nearest one.
    pub fn relation(&self, name: &str) -> Result<RelationId, SessionError> {
        let program = &self.rules.program;
        program.find(Symbol::new(name)).ok_or_else(|| {
            let known = program.relations.iter().map(|relation| relation.name.as_str());
            let message = match nearest(name, known) {
                Some(near) => format!("unknown relation `{name}`; did you mean `{near}`?"),
                None => format!("unknown relation `{name}`"),
            };
            SessionError::Unknown { message }
        })
    }
}

/// What follows possibly and not certainly of a relation.
fn open(evaluation: &Evaluation, relation: RelationId) -> impl Iterator<Item = FactPattern> + '_ {
    evaluation.undetermined.get(&relation).into_iter().flatten().cloned()
}

/// A line for each undefined operation.
pub(super) fn reports(rules: &RuleSet, evaluation: &Evaluation) -> Vec<String> {
    undefined_operations(&rules.program, &rules.sources, &evaluation.model.undefined)
}

/// The same of reports that stand somewhere else.
pub(super) fn undefined_operations<'a>(
    program: &Program,
    sources: &Sources,
    undefined: impl IntoIterator<Item = &'a Undefined>,
) -> Vec<String> {
    undefined.into_iter().map(|report| report_line(program, sources, report)).collect()
}

/// An undefined operation as a line for people: where, in which rule, with which values.
pub fn report_line(program: &Program, sources: &Sources, report: &Undefined) -> String {
    let place = sources.place(report.span);
    let text = sources.slice(report.span);
    let Some(rule) = program.rule(report.rule) else {
        return format!("{place}: `{text}` is undefined");
    };
    let bindings: Vec<String> = rule
        .variables
        .iter()
        .zip(&report.bindings)
        .filter(|(variable, _)| !variable.name.as_str().starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(|(variable, word)| {
            word.map(|word| format!("{} = {}", variable.name, Value::from_word(variable.ty.ty, word)))
        })
        .collect();
    let with = if bindings.is_empty() { "" } else { " with " };
    let rule = match lower::is_answer(program, rule.head) {
        true => String::new(),
        false => format!(" in `{}`", rule.id),
    };
    format!("{place}: `{text}` is undefined{rule}{with}{}", bindings.join(", "))
}
