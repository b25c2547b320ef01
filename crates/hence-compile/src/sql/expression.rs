//! Expressions: a value is NULL exactly where the operation has no result.
//!
//! The conditions of SQL have three values, as those of rules do: `AND`, `OR` and `NOT` of NULL mean what `and`, `or` and
//! `not` of an operation without a result mean.

use hence_core::value::Value;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::ir::Program;

use super::dialect::Dialect;
use super::operation;
use super::refusal::{UnsupportedConstruct, Written};

/// The longest text of one expression: operands stand several times where a result is checked.
const LONGEST: usize = 32 << 10;

/// Writes expressions over variables.
pub(super) struct Expressions<'a> {
    pub(super) program: &'a Program,
    pub(super) dialect: Dialect,
    /// What stands for a variable.
    pub(super) variable: &'a dyn Fn(VarId) -> String,
}

impl Expressions<'_> {
    /// The expression in SQL.
    pub(super) fn write(&self, expr: &Expr) -> Written {
        let text = self.text(expr)?;
        if text.len() > LONGEST {
            let construct = format!("an expression that takes more than {} KiB of SQL", LONGEST >> 10);
            return Err(UnsupportedConstruct::new(
                expr.span,
                construct,
                "bind its parts to variables with `=`",
            ));
        }
        Ok(text)
    }

    fn text(&self, expr: &Expr) -> Written {
        match &expr.kind {
            ExprKind::Const(value) => self.value(expr, *value),
            ExprKind::Param(param) => self.value(expr, self.program[*param].value),
            ExprKind::Var(var) => Ok((self.variable)(*var)),
            ExprKind::Call(op, args) => operation::write(self, expr, *op, args),
            ExprKind::And(left, right) => Ok(format!("({} AND {})", self.write(left)?, self.write(right)?)),
            ExprKind::Or(left, right) => Ok(format!("({} OR {})", self.write(left)?, self.write(right)?)),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.write(condition)?;
                let (then, otherwise) = (self.write(then)?, self.write(otherwise)?);
                Ok(format!("(CASE WHEN {condition} THEN {then} WHEN NOT {condition} THEN {otherwise} END)"))
            }
            ExprKind::Matches(..) => Err(UnsupportedConstruct::operation(expr.span, "matches")),
            ExprKind::Unknown | ExprKind::Undefined(_) => {
                let construct = "an aggregate whose groups come from its own recursion";
                Err(UnsupportedConstruct::new(expr.span, construct, "evaluate these rules with hence"))
            }
        }
    }

    fn value(&self, expr: &Expr, value: Value) -> Written {
        match value {
            Value::List(_) => {
                Err(UnsupportedConstruct::new(expr.span, "a list as a value", "ask with `in` what is in it"))
            }
            value => Ok(self.dialect.literal(value)),
        }
    }
}
