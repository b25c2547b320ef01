//! Rules that stand twice, whatever their variables are called.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Rules;
use super::codes::DUPLICATE_RULE;
use crate::analysis::checked::{Arg, Literal, Rule};
use crate::builtins::expr::{Expr, ExprKind};
use crate::builtins::term::Term;
use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;

/// A second rule that derives the same in the same way.
pub(super) fn duplicates(rules: Rules<'_>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<String, &Rule> = BTreeMap::new();
    let mut out = Vec::new();
    for rule in &rules.checked.rules {
        match seen.entry(key(rule)) {
            Entry::Occupied(first) => {
                let what = if rule.body.is_empty() { "fact" } else { "rule" };
                let message = format!("duplicate {what} for `{}`", rules.name(rule.head));
                out.push(
                    Diagnostic::new(DUPLICATE_RULE, message)
                        .at(rule.head_span, "same as the first")
                        .at(first.get().head_span, "first here")
                        .help("remove one of them"),
                );
            }
            Entry::Vacant(place) => {
                place.insert(rule);
            }
        }
    }
    out
}

/// What a rule means, without places; variables are numbered by their first place already.
fn key(rule: &Rule) -> String {
    let terms: Vec<Term> = rule.terms.iter().map(term).collect();
    let body: Vec<Literal> = rule.body.iter().map(literal).collect();
    let limit = rule.limit.as_ref().map(|limit| {
        let by: Vec<_> = limit.by.iter().map(|(key, descending)| (expr(key), *descending)).collect();
        (expr(&limit.count), &limit.per, by, limit.rank)
    });
    format!("{:?} {terms:?} {body:?} {limit:?}", rule.head)
}

fn term(of: &Term) -> Term {
    match of {
        Term::Expr(one) => Term::Expr(expr(one)),
        Term::Aggregate { aggregate, args, .. } => {
            Term::Aggregate { aggregate: *aggregate, args: exprs(args), span: Span::default() }
        }
    }
}

fn literal(of: &Literal) -> Literal {
    let span = Span::default();
    match of {
        Literal::Atom { negated, relation, args, .. } => {
            let args = args.iter().map(|arg| match arg {
                Arg::Any => Arg::Any,
                Arg::Expr(one) => Arg::Expr(expr(one)),
            });
            Literal::Atom { negated: *negated, relation: *relation, args: args.collect(), span }
        }
        Literal::Bind { var, expr: one, .. } => Literal::Bind { var: *var, expr: expr(one), span },
        Literal::Test { expr: one, .. } => Literal::Test { expr: expr(one), span },
        Literal::Each { var, bound, generator, args, .. } => {
            Literal::Each { var: *var, bound: *bound, generator: generator.clone(), args: exprs(args), span }
        }
    }
}

fn exprs(of: &[Expr]) -> Vec<Expr> {
    of.iter().map(expr).collect()
}

/// The expression without its places.
fn expr(of: &Expr) -> Expr {
    let part = |one: &Expr| Box::new(expr(one));
    let kind = match &of.kind {
        leaf @ (ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Unknown) => {
            leaf.clone()
        }
        ExprKind::Undefined(operand) => ExprKind::Undefined(part(operand)),
        ExprKind::Call(op, args) => ExprKind::Call(*op, exprs(args)),
        ExprKind::Matches(text, pattern) => ExprKind::Matches(part(text), pattern.clone()),
        ExprKind::And(left, right) => ExprKind::And(part(left), part(right)),
        ExprKind::Or(left, right) => ExprKind::Or(part(left), part(right)),
        ExprKind::If(condition, then, otherwise) => {
            ExprKind::If(part(condition), part(then), part(otherwise))
        }
    };
    Expr { kind, ty: of.ty, span: Span::default() }
}
