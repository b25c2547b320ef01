//! Expressions that don't fit on a line: an operand or an argument a line.

use super::super::tree::{BinaryOp, Expr, ExprKind};
use super::Printer;
use super::lines::{Line, WIDTH};
use super::text::Level;

/// What surrounds an expression: before it on its first line, after it on its last.
pub(super) struct Around<'a> {
    /// Before it.
    pub(super) before: &'a str,
    /// After it.
    pub(super) after: &'a str,
    /// How tightly it must bind to need no parentheses.
    pub(super) level: Level,
}

impl Printer<'_> {
    /// An expression on one line if it fits, else broken at its loosest operators or its arguments.
    pub(super) fn expr(&self, expr: &Expr, at: u32, indent: usize, around: &Around<'_>) -> Vec<Line> {
        let text = self.texts.at_level(expr, around.level);
        let line = format!("{}{text}{}", around.before, around.after);
        let fits = indent + line.chars().count() <= WIDTH;
        match &expr.kind {
            ExprKind::Binary(op, ..) if !fits && Level::of(*op) < around.level => {
                self.enclosed(expr, at, indent, around)
            }
            ExprKind::Binary(op, ..) if !fits => self.operands(expr, *op, at, indent, around),
            ExprKind::Call(name, args) if !fits && !args.is_empty() => {
                let head = format!("{}{}(", around.before, name.name);
                let mut lines = vec![Line::new(at, indent, head)];
                for (number, arg) in args.iter().enumerate() {
                    let after = if number + 1 < args.len() { "," } else { "" };
                    let around = Around { before: "", after, level: Level::Or };
                    lines.extend(self.expr(arg, arg.span.start, indent + 4, &around));
                }
                let close = self.closing_after(name.span.end);
                lines.push(Line::closing(close, indent, format!("){}", around.after)));
                lines
            }
            _ => vec![Line::new(at, indent, line)],
        }
    }

    /// Between parentheses on lines of their own.
    fn enclosed(&self, expr: &Expr, at: u32, indent: usize, around: &Around<'_>) -> Vec<Line> {
        let inner = Around { before: "", after: "", level: Level::Or };
        let mut lines = vec![Line::new(at, indent, format!("{}(", around.before))];
        lines.extend(self.expr(expr, expr.span.start, indent + 4, &inner));
        let close = self.closing_after(expr.span.end);
        lines.push(Line::closing(close, indent, format!("){}", around.after)));
        lines
    }

    /// The operands of a chain of operators that bind alike, each after its operator.
    fn operands(&self, expr: &Expr, op: BinaryOp, at: u32, indent: usize, around: &Around<'_>) -> Vec<Line> {
        let level = Level::of(op);
        let (first, rest) = chain(expr, level);
        let left = Around { before: around.before, after: "", level: level.left() };
        let mut lines = self.expr(first, at, indent, &left);
        let count = rest.len();
        for (number, (op, operand)) in rest.into_iter().enumerate() {
            let before = format!("{} ", op.symbol());
            let after = if number + 1 == count { around.after } else { "" };
            let around = Around { before: &before, after, level: level.next() };
            lines.extend(self.expr(operand, operand.span.start, indent + 4, &around));
        }
        lines
    }
}

/// The first operand of a chain of operators of one level that binds to the left, and the others with their operators.
fn chain(expr: &Expr, level: Level) -> (&Expr, Vec<(BinaryOp, &Expr)>) {
    let mut rest = Vec::new();
    let mut first = expr;
    while let ExprKind::Binary(op, left, right) = &first.kind {
        let alike = Level::of(*op) == level && (rest.is_empty() || level != Level::Compare);
        if !alike {
            break;
        }
        rest.push((*op, right.as_ref()));
        first = left;
    }
    rest.reverse();
    (first, rest)
}
