//! Expectations of which it is undetermined whether they are met.

use hence_core::schema::RelationId;
use hence_lang::analysis::checked::Expectation;
use hence_lang::lower;

use super::{Bench, PROOF_LINES, relations};
use crate::ruletest::report::Failure;
use crate::session;

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
        }
    }

    /// The failure that it is undetermined, with the operations to blame.
    pub(super) fn undetermined_failure(&self, item: &Expectation, relation: RelationId) -> Failure {
        let (Expectation::Body { span, .. } | Expectation::Exactly { span, .. }) = item;
        let says = match lower::is_answer(self.program, relation) {
            true => String::from("this is undetermined: an operation is undefined"),
            false => format!("`{}` is undetermined: an operation is undefined", self.name(relation)),
        };
        let program = self.program;
        let causes = self.evaluation.model.undefined.iter().filter(|report| {
            program.rule(report.rule).is_some_and(|rule| program.dependents(rule.head).contains(&relation))
        });
        let sources = &self.case.file.rules.sources;
        let why = causes.map(|report| session::report_line(program, sources, report)).take(PROOF_LINES);
        Failure { why: why.collect(), ..self.failure(*span, says) }
    }
}
