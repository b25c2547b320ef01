//! Operations without a result, collected so that what is kept doesn't depend on the order of finding.

use crate::model::{UNDEFINED_KEPT, Undefined};
use std::cmp::Ordering;

use hence_core::index_vec::IndexVec;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::term::Variable;
use hence_lang::ir::{Program, RuleId};

/// Of each rule the smallest few reports, ascending by position, then by bindings (nothing before any value,
/// values by their types).
#[derive(Debug)]
pub struct Reports<'p> {
    program: &'p Program,
    /// Empty until there is a report.
    kept: IndexVec<RuleId, Vec<Undefined>>,
}

impl<'p> Reports<'p> {
    /// No reports yet.
    pub fn new(program: &'p Program) -> Self {
        Self { program, kept: IndexVec::default() }
    }

    /// Takes a report in, unless it is known or too large to be kept.
    pub fn add(&mut self, rule: RuleId, span: Span, bindings: &[Option<Word>]) {
        if self.kept.is_empty() {
            self.kept = IndexVec::filled(Vec::new(), self.program.rules.len());
        }
        let kept = &mut self.kept[rule];
        let variables = &self.program[rule].variables;
        let place = kept.binary_search_by(|known| {
            known.span.cmp(&span).then_with(|| compare(variables, &known.bindings, bindings))
        });
        if let Err(place) = place
            && place < UNDEFINED_KEPT
        {
            kept.insert(place, Undefined { rule, span, bindings: bindings.to_vec() });
            kept.truncate(UNDEFINED_KEPT);
        }
    }

    /// The program whose rules are reported.
    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// Takes in what another collection has kept.
    pub(crate) fn add_all(&mut self, other: Self) {
        other.finish().iter().for_each(|report| self.add(report.rule, report.span, &report.bindings));
    }

    /// All reports, rule by rule.
    pub fn finish(self) -> Vec<Undefined> {
        self.kept.into_iter().flatten().collect()
    }
}

fn compare(variables: &[Variable], left: &[Option<Word>], right: &[Option<Word>]) -> Ordering {
    let column = |(variable, (left, right)): (&Variable, (&Option<Word>, &Option<Word>))| match (left, right)
    {
        (Some(left), Some(right)) => variable.ty.ty.compare(*left, *right),
        _ => left.is_some().cmp(&right.is_some()),
    };
    variables
        .iter()
        .zip(left.iter().zip(right))
        .map(column)
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
