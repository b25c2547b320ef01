//! Which comparisons follow from those of a body: equal terms, the same comparison, one of literals that implies it.

use std::cmp::Ordering;

use super::equal::{Classes, Thing};
use crate::analysis::checked::Literal;
use crate::builtins::expr::{Expr, ExprKind};
use hence_core::value::Value;

/// A comparison of two terms of a rule, by its operator.
type Comparison = (&'static str, Thing, Thing);

/// Whether the comparison of one of `left` with one of `right` holds in every match of the body. (Each side's things
/// are equal.)
pub(super) fn implied(
    body: &[Literal],
    classes: &Classes,
    op: &str,
    left: &[Thing],
    right: &[Thing],
) -> bool {
    let known = known(body);
    let pairs = || left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b)));
    pairs().any(|(a, b)| {
        let same = ["=", "<=", ">="].contains(&op) && classes.equal(a, b);
        let literals = || classes.consts(a).any(|x| classes.consts(b).any(|y| holds(op, x, y)));
        same || literals() || known.iter().any(|one| entails(classes, one, (op, a, b)))
    })
}

/// The comparisons that a body makes, each in both directions.
fn known(body: &[Literal]) -> Vec<Comparison> {
    let mut found = Vec::new();
    for literal in body {
        if let Literal::Test { expr, .. } = literal {
            collect(expr, &mut found);
        }
    }
    let turned: Vec<_> = found.iter().map(|(op, a, b)| (turned(op), *b, *a)).collect();
    found.extend(turned);
    found
}

fn collect(expr: &Expr, found: &mut Vec<Comparison>) {
    match &expr.kind {
        ExprKind::And(left, right) => {
            collect(left, found);
            collect(right, found);
        }
        ExprKind::Call(op, sides) if ["=", "!=", "<", "<=", ">", ">="].contains(&op.name()) => {
            if let [left, right] = sides.as_slice()
                && let (Some(left), Some(right)) = (Thing::of(left), Thing::of(right))
            {
                found.push((op.name(), left, right));
            }
        }
        _ => {}
    }
}

/// The operator with its sides changed over.
fn turned(op: &'static str) -> &'static str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

/// Whether a known comparison implies a wanted one of the same terms, or of the same term with literals.
fn entails(classes: &Classes, known: &Comparison, (op, a, b): (&str, Thing, Thing)) -> bool {
    let (own, x, y) = *known;
    let bounds =
        || classes.consts(y).any(|bound| classes.consts(b).any(|wanted| bounds(own, bound, op, wanted)));
    let turned_bounds = || {
        let wanted = |wanted: Value| classes.consts(x).any(|bound| bounds_left(own, bound, op, wanted));
        classes.consts(a).any(wanted)
    };
    let same = classes.equal(x, a) && classes.equal(y, b) && implies(own, op);
    same || classes.equal(x, a) && bounds() || classes.equal(y, b) && turned_bounds()
}

/// Whether `own` of two terms implies `op` of them.
fn implies(own: &str, op: &str) -> bool {
    own == op || matches!((own, op), ("<", "<=" | "!=") | (">", ">=" | "!=") | ("=", "<=" | ">="))
}

/// Whether `t own bound` implies `t op wanted`.
fn bounds(own: &str, bound: Value, op: &str, wanted: Value) -> bool {
    let Some(order) = order(bound, wanted) else { return false };
    match (own, op) {
        ("<", "<" | "<=" | "!=") | ("<=", "<=") => order != Ordering::Greater,
        ("<=", "<" | "!=") => order == Ordering::Less,
        (">", ">" | ">=" | "!=") | (">=", ">=") => order != Ordering::Less,
        (">=", ">" | "!=") => order == Ordering::Greater,
        ("!=", "!=") => order == Ordering::Equal,
        ("=", _) => holds(op, bound, wanted),
        _ => false,
    }
}

/// Whether `bound own t` implies `wanted op t`.
fn bounds_left(own: &str, bound: Value, op: &str, wanted: Value) -> bool {
    let over = |op: &str| match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        "!=" => "!=",
        _ => "=",
    };
    bounds(over(own), bound, over(op), wanted)
}

fn holds(op: &str, left: Value, right: Value) -> bool {
    let Some(order) = order(left, right) else { return false };
    match op {
        "=" => order == Ordering::Equal,
        "!=" => order != Ordering::Equal,
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }
}

/// The order of two values of one type.
fn order(left: Value, right: Value) -> Option<Ordering> {
    (left.ty() == right.ty()).then(|| left.cmp(&right))
}
