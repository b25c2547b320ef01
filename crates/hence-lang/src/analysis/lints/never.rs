//! Conditions that never hold: of literals, of a variable with itself, of a variable that equals two literals.

use std::collections::BTreeMap;

use super::Rules;
use super::codes::NEVER_HOLDS;
use crate::analysis::checked::{Literal, Rule};
use crate::analysis::requires::equal::{Classes, Thing};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op::Op;
use hence_core::diagnostic::Diagnostic;
use hence_core::index_vec::{Id, IndexVec};
use hence_core::span::Span;
use hence_core::value::{Value, Word};

/// A rule with a condition that never holds.
pub(super) fn never(rules: Rules<'_>) -> Vec<Diagnostic> {
    rules.checked.rules.iter().flat_map(of_rule).collect()
}

fn of_rule(rule: &Rule) -> Vec<Diagnostic> {
    let classes = Classes::new(&rule.body);
    if let Some((first, second)) = classes.contradiction() {
        return vec![contradiction(rule, first, second)];
    }
    let tests = rule.body.iter().filter_map(|literal| match literal {
        Literal::Test { expr, span } => Some((expr, *span)),
        _ => None,
    });
    let found = |(expr, span)| reason(rule, &classes, expr).map(|reason| warning(span, reason));
    tests.filter_map(found).collect()
}

fn warning(span: Span, reason: String) -> Diagnostic {
    Diagnostic::new(NEVER_HOLDS, "this condition never holds, so the rule derives nothing").at(span, reason)
}

/// Two literals that something would have to equal at once; the literal of the body from which on it does.
fn contradiction(rule: &Rule, first: Value, second: Value) -> Diagnostic {
    let breaks =
        |end: &usize| rule.body.get(..*end).is_some_and(|body| Classes::new(body).contradiction().is_some());
    let at = (1..=rule.body.len()).find(breaks).and_then(|end| rule.body.get(end - 1));
    let span = at.map_or(rule.span, Literal::span);
    warning(span, format!("this requires `{first}` and `{second}` to be equal"))
}

/// Why a condition is false in every match, if it is.
fn reason(rule: &Rule, classes: &Classes, expr: &Expr) -> Option<String> {
    if let ExprKind::And(left, right) = &expr.kind {
        return reason(rule, classes, left).or_else(|| reason(rule, classes, right));
    }
    same_sides(classes, expr).or_else(|| outside_set(rule, expr)).or_else(|| constant(classes, expr))
}

/// `A < A` and the like.
fn same_sides(classes: &Classes, expr: &Expr) -> Option<String> {
    let ExprKind::Call(op, sides) = &expr.kind else { return None };
    let [left, right] = &sides[..] else { return None };
    let strict = matches!(op, Op::Less | Op::LessText | Op::Greater | Op::GreaterText | Op::NotEqual);
    let equal = classes.equal(Thing::of(left)?, Thing::of(right)?);
    (strict && equal).then(|| format!("both sides of `{}` are always equal", op.name()))
}

/// A variable of a closed set compared with a name that isn't in it.
fn outside_set(rule: &Rule, expr: &Expr) -> Option<String> {
    let ExprKind::Call(Op::Equal, sides) = &expr.kind else { return None };
    let (var, value) = match &sides[..] {
        [Expr { kind: ExprKind::Var(var), .. }, Expr { kind: ExprKind::Const(value), .. }]
        | [Expr { kind: ExprKind::Const(value), .. }, Expr { kind: ExprKind::Var(var), .. }] => (var, value),
        _ => return None,
    };
    let variable = &rule[*var];
    (!variable.ty.admits(*value)).then(|| format!("`{}` is one of `{}`", variable.name, variable.ty))
}

/// A condition whose variables all equal literals, and that is false for these.
fn constant(classes: &Classes, expr: &Expr) -> Option<String> {
    let mut known: BTreeMap<VarId, Option<Value>> = BTreeMap::new();
    expr.for_each_var(&mut |var| {
        known.entry(var).or_insert_with(|| classes.consts(Thing::Var(var)).next());
    });
    let length = known.keys().last().map_or(0, |var| var.at() + 1);
    let mut words: IndexVec<VarId, Word> = IndexVec::filled(Word::default(), length);
    for (var, value) in &known {
        words[*var] = (*value)?.word();
    }
    (!reads_param(expr) && expr.eval(words.as_slice(), &[]) == Ok(Word::from_bool(false)))
        .then(|| String::from("this is always false"))
}

fn reads_param(expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each(&mut |part| found |= matches!(part.kind, ExprKind::Param(_)));
    found
}
