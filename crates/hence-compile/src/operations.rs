//! The operations of a rule that may have no result, numbered: generated code knows them by their numbers alone.

use hence_core::fault::OrBroken;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_engine::Undefined;
use hence_engine::report::Reports;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::ir::{Literal, Program, Rule, RuleId, Term};

use super::expression::{address, children};

/// An operation.
pub(super) struct Operation {
    /// Where its expression is; 0 for an aggregate.
    pub(super) address: usize,
    /// Where it stands.
    pub(super) span: Span,
}

/// All operations of a rule, in the order of the text: of the body, of the head (an aggregate after its
/// arguments), of the limit.
pub(super) fn operations(rule: &Rule) -> Vec<Operation> {
    let mut found = Vec::new();
    for literal in &rule.body {
        match literal {
            Literal::Bind { expr, .. } | Literal::Test { expr, .. } => collect(expr, &mut found),
            Literal::Each { args, .. } => args.iter().for_each(|arg| collect(arg, &mut found)),
            Literal::Atom(_) | Literal::Not(_) => {}
        }
    }
    for term in &rule.terms {
        match term {
            Term::Expr(expr) => collect(expr, &mut found),
            Term::Aggregate { args, span, .. } => {
                args.iter().for_each(|arg| collect(arg, &mut found));
                found.push(Operation { address: 0, span: *span });
            }
        }
    }
    if let Some(limit) = &rule.limit {
        collect(&limit.count, &mut found);
        limit.by.iter().for_each(|(key, _)| collect(key, &mut found));
    }
    found
}

fn collect(expr: &Expr, found: &mut Vec<Operation>) {
    if matches!(&expr.kind, ExprKind::Call(op, _) if op.may_fail()) {
        found.push(Operation { address: address(expr), span: expr.span });
    }
    children(expr).into_iter().for_each(|child| collect(child, found));
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
