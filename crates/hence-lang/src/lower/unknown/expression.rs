//! Expressions with unknown variables: what is left of them, and whether they can have a value.

use std::collections::BTreeSet;

use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::ir::Literal;
use hence_core::span::Span;
use hence_core::value::{Type, Value};

/// The expression with [`ExprKind::Unknown`] in the place of each unknown variable.
pub(super) fn with_unknown(expr: &Expr, unknown: &BTreeSet<VarId>) -> Expr {
    let part = |part: &Expr| with_unknown(part, unknown);
    let boxed = |inner: &Expr| Box::new(part(inner));
    let kind = match &expr.kind {
        ExprKind::Var(var) if unknown.contains(var) => ExprKind::Unknown,
        leaf @ (ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Unknown) => {
            leaf.clone()
        }
        ExprKind::Call(op, args) => ExprKind::Call(*op, args.iter().map(part).collect()),
        ExprKind::Matches(text, pattern) => ExprKind::Matches(boxed(text), pattern.clone()),
        ExprKind::And(left, right) => ExprKind::And(boxed(left), boxed(right)),
        ExprKind::Or(left, right) => ExprKind::Or(boxed(left), boxed(right)),
        ExprKind::If(condition, then, otherwise) => {
            ExprKind::If(boxed(condition), boxed(then), boxed(otherwise))
        }
        ExprKind::Undefined(operand) => ExprKind::Undefined(boxed(operand)),
    };
    Expr { kind, ..*expr }
}

/// Whether the expression has no result whatever its variables are.
pub(super) fn is_never_defined(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Undefined(_) => false,
        ExprKind::Unknown => true,
        ExprKind::Call(_, args) => args.iter().any(is_never_defined),
        ExprKind::Matches(text, _) => is_never_defined(text),
        ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            is_never_defined(left) && is_never_defined(right)
        }
        ExprKind::If(condition, then, otherwise) => {
            is_never_defined(condition) || (is_never_defined(then) && is_never_defined(otherwise))
        }
    }
}

/// The test that one of the expressions has no result.
pub(super) fn undefined(exprs: Vec<Expr>, span: Span) -> Literal {
    let test = |expr: Expr| {
        let span = expr.span;
        Expr { kind: ExprKind::Undefined(Box::new(expr)), ty: Type::Bool, span }
    };
    let either = |left: Expr, right| {
        let kind = ExprKind::Or(Box::new(left), Box::new(right));
        Expr { kind, ty: Type::Bool, span }
    };
    let never = Expr { kind: ExprKind::Const(Value::Bool(false)), ty: Type::Bool, span };
    Literal::Test { expr: exprs.into_iter().map(test).reduce(either).unwrap_or(never), span }
}

/// The test that an expression isn't false.
pub(super) fn not_false(expr: &Expr, span: Span) -> Literal {
    let unknown = undefined(vec![expr.clone()], span);
    let (true, Literal::Test { expr: unknown, span }) = (!is_never_defined(expr), &unknown) else {
        return unknown;
    };
    let kind = ExprKind::Or(Box::new(expr.clone()), Box::new(unknown.clone()));
    Literal::Test { expr: Expr { kind, ty: Type::Bool, span: *span }, span: *span }
}

/// Whether the expression is a variable, a literal or a parameter.
pub(super) fn is_leaf(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_))
}
