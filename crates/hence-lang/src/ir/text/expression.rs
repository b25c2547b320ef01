//! Expressions as text: operators between their operands, a pair of parentheses around one inside another.

use std::fmt::{self, Display, Formatter};

use super::list;
use crate::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::Variable;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::literal::quoted;
use hence_core::schema::Param;

/// An expression of a rule, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct ShownExpr<'a> {
    /// The expression.
    pub expr: &'a Expr,
    /// The rule's variables.
    pub variables: &'a [Variable],
    /// The program's parameters.
    pub params: &'a [Param],
}

/// Writes a variable: by its name, or `$1` if `lower` made it.
pub(super) fn variable(f: &mut Formatter<'_>, variables: &[Variable], var: VarId) -> fmt::Result {
    let name = variables.get(var.at()).or_broken(VarId::INVARIANT).name.as_str();
    let made = name.starts_with(|c: char| c.is_ascii_digit());
    write!(f, "{}{name}", if made { "$" } else { "" })
}

/// The name of a parameter.
pub(super) fn param(params: &[Param], param: ParamId) -> &'static str {
    params.get(param.at()).or_broken(ParamId::INVARIANT).name.as_str()
}

impl<'a> ShownExpr<'a> {
    fn with(self, expr: &'a Expr) -> Self {
        Self { expr, ..self }
    }

    fn is_operation(&self) -> bool {
        match &self.expr.kind {
            ExprKind::Call(Op::Among | Op::In, _) => true,
            ExprKind::Call(op, _) => op.is_operator(),
            ExprKind::And(..) | ExprKind::Or(..) => true,
            _ => false,
        }
    }

    /// An operand: in parentheses if it is an operation itself.
    fn operand(self, f: &mut Formatter<'_>, expr: &'a Expr) -> fmt::Result {
        let operand = self.with(expr);
        if operand.is_operation() { write!(f, "({operand})") } else { write!(f, "{operand}") }
    }

    fn between(self, f: &mut Formatter<'_>, left: &'a Expr, op: &str, right: &'a Expr) -> fmt::Result {
        self.operand(f, left)?;
        write!(f, " {op} ")?;
        self.operand(f, right)
    }

    fn call(self, f: &mut Formatter<'_>, op: Op, args: &'a [Expr]) -> fmt::Result {
        match args {
            [value, elements @ ..] if op == Op::Among => {
                self.operand(f, value)?;
                f.write_str(" in [")?;
                list(f, elements.iter().map(|element| self.with(element)), ", ")?;
                f.write_str("]")
            }
            [value, of] if op == Op::In => self.between(f, value, "in", of),
            [left, right] if op.is_operator() => self.between(f, left, op.name(), right),
            [one] if op.is_operator() => {
                write!(f, "{}{}", op.name(), if op == Op::Not { " " } else { "" })?;
                self.operand(f, one)
            }
            _ => {
                write!(f, "{}(", op.name())?;
                list(f, args.iter().map(|arg| self.with(arg)), ", ")?;
                f.write_str(")")
            }
        }
    }
}

impl Display for ShownExpr<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.expr.kind {
            ExprKind::Const(value) => write!(f, "{value}"),
            ExprKind::Var(var) => variable(f, self.variables, *var),
            ExprKind::Param(id) => f.write_str(param(self.params, *id)),
            ExprKind::Call(op, args) => self.call(f, *op, args),
            ExprKind::Matches(text, pattern) => {
                write!(f, "matches({}, {})", self.with(text), quoted(pattern.source().as_str()))
            }
            ExprKind::And(left, right) => self.between(f, left, "and", right),
            ExprKind::Or(left, right) => self.between(f, left, "or", right),
            ExprKind::If(condition, then, otherwise) => {
                f.write_str("if(")?;
                list(f, [condition, then, otherwise].map(|part| self.with(part)), ", ")?;
                f.write_str(")")
            }
            ExprKind::Unknown => f.write_str("unknown"),
            ExprKind::Undefined(operand) => write!(f, "undefined({})", self.with(operand)),
        }
    }
}
