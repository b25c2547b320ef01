//! The changed forms of expressions: another comparison, a negation less, a neighbour of a constant.

use hence_core::value::Value;
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::op::Op;

use super::neighbour::neighbours;
use super::variants::{Edit, Making};

/// A list with another element at a place.
pub(super) fn with<T: Clone>(list: &[T], at: usize, changed: T) -> Vec<T> {
    let mut other = list.to_vec();
    other.iter_mut().skip(at).take(1).for_each(|slot| *slot = changed.clone());
    other
}

impl Making<'_> {
    /// The changed forms of each of several expressions.
    pub(super) fn lists(&self, args: &[Expr]) -> Vec<(Vec<Expr>, Edit)> {
        let mut out = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            for (changed, edit) in self.exprs(arg) {
                out.push((with(args, at, changed), edit));
            }
        }
        out
    }

    /// The changed forms of an expression.
    pub(super) fn exprs(&self, expr: &Expr) -> Vec<(Expr, Edit)> {
        let with = |kind| Expr { kind, ..expr.clone() };
        let mut out = self.own(expr);
        match &expr.kind {
            ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Param(_)
            | ExprKind::Unknown
            | ExprKind::Undefined(_) => {}
            ExprKind::Call(op, args) => {
                out.extend(
                    self.lists(args).into_iter().map(|(args, edit)| (with(ExprKind::Call(*op, args)), edit)),
                );
            }
            ExprKind::Matches(text, pattern) => out.extend(
                self.exprs(text)
                    .into_iter()
                    .map(|(text, edit)| (with(ExprKind::Matches(Box::new(text), pattern.clone())), edit)),
            ),
            ExprKind::And(left, right) => out.extend(
                self.pairs(left, right, |left, right| with(ExprKind::And(Box::new(left), Box::new(right)))),
            ),
            ExprKind::Or(left, right) => out.extend(
                self.pairs(left, right, |left, right| with(ExprKind::Or(Box::new(left), Box::new(right)))),
            ),
            ExprKind::If(condition, then, otherwise) => {
                let parts = [(**condition).clone(), (**then).clone(), (**otherwise).clone()];
                for (parts, edit) in self.lists(&parts) {
                    if let Ok([condition, then, otherwise]) = <[Expr; 3]>::try_from(parts) {
                        let kind = ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
                        out.push((with(kind), edit));
                    }
                }
            }
        }
        out
    }

    fn pairs(&self, left: &Expr, right: &Expr, make: impl Fn(Expr, Expr) -> Expr) -> Vec<(Expr, Edit)> {
        let lefts = self.exprs(left).into_iter().map(|(changed, edit)| (make(changed, right.clone()), edit));
        let rights = self.exprs(right).into_iter().map(|(changed, edit)| (make(left.clone(), changed), edit));
        lefts.chain(rights).collect()
    }

    /// The changes of an expression itself, not of its parts.
    fn own(&self, expr: &Expr) -> Vec<(Expr, Edit)> {
        match &expr.kind {
            // The members of a set that is called by its name stand nowhere.
            ExprKind::Const(Value::Name(name)) if self.text(expr.span) != name.as_str() => Vec::new(),
            // Nor do the digits that a placeholder of a text asks for: they are part of the text.
            ExprKind::Const(Value::Int(_)) if self.text(expr.span).starts_with('"') => Vec::new(),
            ExprKind::Const(value) => neighbours(*value, None)
                .into_iter()
                .map(|neighbour| {
                    let says = format!("{value} is {neighbour}");
                    let kind = ExprKind::Const(neighbour);
                    (Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))
                })
                .collect(),
            ExprKind::Call(Op::Not, args) => {
                let dropped = args.iter().map(|arg| {
                    let says = format!("`not` is dropped before `{}`", self.text(arg.span));
                    (arg.clone(), Edit::new(expr.span, says))
                });
                dropped.collect()
            }
            ExprKind::Call(op, args) => match args.as_slice() {
                [left, right] => self.comparisons(expr, *op, left, right),
                _ => Vec::new(),
            },
            ExprKind::Matches(..) => {
                let says = format!("`not` is put before `{}`", self.text(expr.span));
                let kind = ExprKind::Call(Op::Not, vec![expr.clone()]);
                vec![(Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))]
            }
            _ => Vec::new(),
        }
    }

    fn comparisons(&self, expr: &Expr, op: Op, left: &Expr, right: &Expr) -> Vec<(Expr, Edit)> {
        let change = |other: &Op| {
            let (a, b) = (self.text(left.span), self.text(right.span));
            let says = format!("`{a} {} {b}` is `{a} {} {b}`", op.name(), other.name());
            let kind = ExprKind::Call(*other, vec![left.clone(), right.clone()]);
            (Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))
        };
        others(op).iter().map(change).collect()
    }
}

/// The comparisons that take the place of one: shifted, and turned round.
fn others(op: Op) -> &'static [Op] {
    match op {
        Op::Less => &[Op::LessEqual, Op::GreaterEqual],
        Op::LessEqual => &[Op::Less, Op::Greater],
        Op::Greater => &[Op::GreaterEqual, Op::LessEqual],
        Op::GreaterEqual => &[Op::Greater, Op::Less],
        Op::LessText => &[Op::LessEqualText, Op::GreaterEqualText],
        Op::LessEqualText => &[Op::LessText, Op::GreaterText],
        Op::GreaterText => &[Op::GreaterEqualText, Op::LessEqualText],
        Op::GreaterEqualText => &[Op::GreaterText, Op::LessText],
        Op::Equal => &[Op::NotEqual],
        Op::NotEqual => &[Op::Equal],
        _ => &[],
    }
}
