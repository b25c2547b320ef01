//! Counts compared from above: a group without matches has no count, so `N < 2` misses it.

use std::collections::{BTreeMap, BTreeSet};

use super::Rules;
use super::codes::COUNT_FROM_ABOVE;
use crate::analysis::checked::{Arg, Literal, Rule};
use crate::builtins::aggregate::Aggregate;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::Term;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::value::Value;
use hence_syntax::tree;

/// The rules that read a count and compare it so that 0 would do.
pub(super) fn above(rules: Rules<'_>) -> Vec<Diagnostic> {
    let counted = counted(rules);
    if counted.is_empty() {
        return Vec::new();
    }
    rules.checked.rules.iter().flat_map(|rule| of_rule(rules, rule, &counted)).collect()
}

fn of_rule(rules: Rules<'_>, rule: &Rule, counted: &Counted<'_>) -> Vec<Diagnostic> {
    let counts = rule.body.iter().filter_map(|literal| match literal {
        Literal::Atom { negated: false, relation, args, span } => Some((*relation, args, *span)),
        _ => None,
    });
    let found = counts.flat_map(|(relation, args, atom)| {
        args.iter().enumerate().filter_map(move |(column, arg)| {
            let count = *counted.get(&(relation, column))?;
            let place = compared(rule, arg, atom)?;
            Some(warning(rules, rule, (count, relation), (args, column), place))
        })
    });
    found.collect()
}

/// The columns in which every rule of their relation counts, each with the first of these rules.
type Counted<'r> = BTreeMap<(RelationId, usize), &'r Rule>;

fn counted(rules: Rules<'_>) -> Counted<'_> {
    let mut seen: BTreeSet<RelationId> = BTreeSet::new();
    let mut counted = Counted::new();
    for rule in &rules.checked.rules {
        let is_first = seen.insert(rule.head);
        for (column, term) in rule.terms.iter().enumerate() {
            let counts = matches!(
                term,
                Term::Aggregate { aggregate: Aggregate::Count | Aggregate::CountDistinct, .. }
            );
            match (counts, is_first) {
                (true, true) => drop(counted.insert((rule.head, column), rule)),
                (true, false) => {}
                (false, _) => drop(counted.remove(&(rule.head, column))),
            }
        }
    }
    counted
}

/// Where the count is compared so that 0 would do.
fn compared(rule: &Rule, arg: &Arg, atom: Span) -> Option<Span> {
    let Arg::Expr(count) = arg else { return None };
    match count.kind {
        ExprKind::Const(Value::Int(0)) => Some(atom),
        ExprKind::Var(var) => rule.body.iter().find_map(|literal| match literal {
            Literal::Test { expr, span } if holds_for_zero(expr, var) => Some(*span),
            _ => None,
        }),
        _ => None,
    }
}

/// Whether a comparison bounds the variable from above, and holds for 0.
fn holds_for_zero(expr: &Expr, count: VarId) -> bool {
    let ExprKind::Call(op, sides) = &expr.kind else { return false };
    let [left, right] = &sides[..] else { return false };
    let is_count = |side: &Expr| side.kind == ExprKind::Var(count);
    let (op, bound) = match op {
        Op::Less | Op::LessEqual | Op::Equal if is_count(left) => (*op, right),
        Op::Greater if is_count(right) => (Op::Less, left),
        Op::GreaterEqual if is_count(right) => (Op::LessEqual, left),
        Op::Equal if is_count(right) => (Op::Equal, left),
        _ => return false,
    };
    match (op, &bound.kind) {
        (Op::Less, ExprKind::Const(Value::Int(bound))) => *bound > 0,
        (Op::LessEqual, ExprKind::Const(Value::Int(bound))) => *bound >= 0,
        (Op::Equal, ExprKind::Const(Value::Int(bound))) => *bound == 0,
        (Op::Less | Op::LessEqual, ExprKind::Param(_)) => true,
        _ => false,
    }
}

fn warning(
    rules: Rules<'_>,
    rule: &Rule,
    (count, relation): (&Rule, RelationId),
    (args, column): (&[Arg], usize),
    place: Span,
) -> Diagnostic {
    let name = rules.name(relation);
    let message = format!("`{name}` has no fact for a group of 0, so this misses it");
    let counted = args.get(column).and_then(|arg| variable(rule, arg)).unwrap_or("0");
    let form = form(rules, rule, count, args).unwrap_or_else(|| String::from("count { … }"));
    Diagnostic::new(COUNT_FROM_ABOVE, message)
        .at(place, "would hold for 0 too")
        .at(count.head_span, "counts only what is there")
        .help(format!("count in the body of this rule, which gives 0: `{counted} = {form}`"))
}

fn variable<'r>(rule: &'r Rule, arg: &Arg) -> Option<&'r str> {
    match arg {
        Arg::Expr(Expr { kind: ExprKind::Var(var), .. }) => Some(rule[*var].name.as_str()),
        _ => None,
    }
}

/// The body of the rule that counts as an aggregate in the body of `rule`, its group called as there; `None` where
/// one of its other variables is called like one of `rule`.
fn form(rules: Rules<'_>, rule: &Rule, count: &Rule, args: &[Arg]) -> Option<String> {
    let written = rules.items().find_map(|item| match item {
        tree::Item::Rule(written) if written.span == count.span => Some(written),
        _ => None,
    })?;
    let mut names: Vec<(&str, &str)> = Vec::new();
    for (term, arg) in count.terms.iter().zip(args) {
        if let Term::Expr(expr) = term {
            let ExprKind::Var(own) = expr.kind else { return None };
            names.push((count[own].name.as_str(), variable(rule, arg)?));
        }
    }
    let mut inner = count.variables.iter().map(|variable| variable.name.as_str());
    let taken = |name: &str| {
        let is_group = names.iter().any(|(own, _)| *own == name);
        !is_group && rule.variables.iter().any(|variable| variable.name.as_str() == name)
    };
    if inner.any(taken) {
        return None;
    }
    let aggregate = written.terms.iter().find_map(|term| match &term.kind {
        tree::ExprKind::Call(name, terms) if name.name.as_str().starts_with("count") => {
            let terms: Vec<_> = terms.iter().map(hence_syntax::expr_text).collect();
            let terms = if terms.is_empty() { String::new() } else { format!("({})", terms.join(", ")) };
            Some(format!("{}{terms}", name.name))
        }
        _ => None,
    })?;
    let body: Vec<_> = written.body.iter().map(hence_syntax::literal_text).collect();
    Some(renamed(&format!("{aggregate} {{ {} }}", body.join(", ")), &names))
}

/// The text with the variables called otherwise.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|next: char| word(next) != word(c)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        let new = names.iter().find(|(own, _)| *own == piece).map_or(piece, |(_, new)| new);
        out.push_str(new);
        rest = after;
    }
    out
}
