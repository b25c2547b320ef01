//! The operations of a rule that may have no result, numbered: generated code knows them by their numbers alone.

use hence_core::fault::OrBroken;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_engine::Undefined;
use hence_engine::report::Reports;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::ir::{Literal, Program, Rule, RuleId, Term};

use super::expression::address;

/// An operation.
pub(super) struct Operation {
    /// Where its expression is; 0 for an aggregate.
    pub(super) address: usize,
    /// Where it is.
    pub(super) span: Span,
}

/// All operations of a rule, in the order of the text: of the body, of the head (an aggregate after its
/// arguments), of the limit.
pub(super) fn operations(rule: &Rule) -> Vec<Operation> {
    let mut found = Vec::new();
    rule.body.iter().flat_map(Literal::exprs).for_each(|expr| collect(expr, &mut found));
    for term in &rule.terms {
        term.exprs().iter().for_each(|expr| collect(expr, &mut found));
        if let Term::Aggregate { span, .. } = term {
            found.push(Operation { address: 0, span: *span });
        }
    }
    if let Some(limit) = &rule.limit {
        collect(&limit.count, &mut found);
        limit.keys().for_each(|key| collect(key, &mut found));
    }
    found
}

fn collect(expr: &Expr, found: &mut Vec<Operation>) {
    expr.for_each(&mut |part| {
        if matches!(&part.kind, ExprKind::Call(op, _) if op.may_fail()) {
            found.push(Operation { address: address(part), span: part.span });
        }
    });
}

/// Reports of generated code (rule, operation, bindings) as every engine gives them.
pub fn undefined(
    program: &Program,
    reports: impl IntoIterator<Item = (u32, u32, Vec<Option<Word>>)>,
) -> Vec<Undefined> {
    let mut kept = Reports::new(program);
    for (number, at, bindings) in reports {
        let id = RuleId(number);
        let operation = operations(&program[id]).into_iter().nth(at as usize);
        let span = operation.or_broken("what is reported is an operation of its rule").span;
        kept.add(id, span, &bindings);
    }
    kept.finish()
}
