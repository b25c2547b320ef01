//! Expectations of which it is undetermined whether they are met.

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::Value;
use hence_lang::analysis::checked::Expectation;
use hence_lang::lower;

use super::{Bench, PROOF_LINES, relations};
use crate::report::TestFailure;

impl Bench<'_> {
    /// A relation of which it is undetermined what the expectation says, if it is.
    pub(super) fn undetermined(&self, item: &Expectation, answer: Option<RelationId>) -> Option<RelationId> {
        let is_open = |relation: &RelationId| self.evaluation.undetermined.contains_key(relation);
        match item {
            Expectation::Exactly { relation, .. } => Some(*relation).filter(is_open),
            // What certainly matches is enough, whatever else does.
            Expectation::Body { .. } => {
                let answer = answer.filter(|answer| is_open(answer) && self.answers(Some(*answer)) == 0)?;
                Some(relations(item).into_iter().find(is_open).unwrap_or(answer))
            }
            Expectation::Undetermined { .. } => None,
        }
    }

    /// Whether a row that fits follows possibly and not certainly.
    pub(super) fn is_open(&self, relation: RelationId, values: &[Option<Value>]) -> bool {
        let mut rows = self.evaluation.undetermined.get(&relation).into_iter().flatten();
        rows.any(|row| {
            row.args
                .iter()
                .zip(values)
                .all(|(arg, wanted)| arg.is_none() || wanted.is_none() || arg == wanted)
        })
    }

    /// The failure that no row that fits is undetermined.
    pub(super) fn determined(
        &self,
        relation: RelationId,
        values: &[Option<Value>],
        span: Span,
    ) -> TestFailure {
        let fits = |fact: &Fact| {
            fact.values.iter().zip(values).all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value))
        };
        let certain: Vec<String> =
            self.facts(relation).iter().filter(|fact| fits(fact)).map(|fact| self.by_name(fact)).collect();
        let says = match certain.is_empty() {
            true => "not undetermined: it does not follow, whatever is undefined",
            false => "not undetermined: it follows, whatever is undefined",
        };
        let rows = self.evaluation.undetermined.get(&relation).into_iter().flatten();
        let open = rows.map(|row| format!("undetermined {row}"));
        let instead = certain.into_iter().chain(open).take(PROOF_LINES).collect();
        TestFailure { instead, ..self.failure(span, says) }
    }

    /// The failure that it is undetermined, with the operations to blame.
    pub(super) fn undetermined_failure(&self, item: &Expectation, relation: RelationId) -> TestFailure {
        let (Expectation::Body { span, .. }
        | Expectation::Undetermined { span, .. }
        | Expectation::Exactly { span, .. }) = item;
        let says = match lower::is_answer(self.program, relation) {
            true => String::from("this is undetermined: an operation is undefined"),
            false => format!("`{}` is undetermined: an operation is undefined", self.name(relation)),
        };
        let program = self.program;
        let causes = self.evaluation.model.undefined.iter().filter(|report| {
            program.rule(report.rule).is_some_and(|rule| program.dependents(rule.head).contains(&relation))
        });
        let sources = &self.case.file.rules.sources;
        let why = causes.map(|report| hence_session::report_line(program, sources, report)).take(PROOF_LINES);
        TestFailure { why: why.collect(), ..self.failure(*span, says) }
    }
}
