//! Help that needs the whole rule: the two rules of an aggregate inside another term, and `now()` as a value.

use hence_core::diagnostic::{Diagnostic, Edit};
use hence_core::span::{Sources, Span};
use hence_syntax::tree::{Expr, ExprKind, Literal, LiteralKind, Rule};

use super::codes;
use super::head::as_aggregate;
use super::uses::{Vars, arguments};

/// Gives the faults of a rule the help that shows the whole rule as it should be.
pub(super) fn advise(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    for fault in faults.iter_mut().filter(|fault| fault.code == codes::MISPLACED_AGGREGATE) {
        if let Some(rules) = fault.span().and_then(|span| two_rules(rule, vars, span, sources)) {
            fault.help = vec![format!("write two rules: `{rules}`")];
            fault.fixes.clear();
            *fault = fault.clone().fix(rule_text(rule), rules);
        }
    }
    clock(rule, vars, sources, faults);
}

/// A rule without its annotations: from its head to its full stop.
fn rule_text(rule: &Rule) -> Span {
    Span { start: rule.head.span.start, ..rule.span }
}

/// `r(T, max(N) + 1) :- q(T, N).` as a rule for the aggregate and one that reads it.
fn two_rules(rule: &Rule, vars: &Vars, name: Span, sources: &Sources) -> Option<String> {
    let (at, inner) = rule.terms.iter().enumerate().find_map(|(at, term)| Some((at, find(term, name)?)))?;
    let groups: Vec<&Expr> =
        rule.terms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, term)| term).collect();
    let plain = |term: &&Expr| matches!(term.kind, ExprKind::Variable(_)) && as_aggregate(term).is_none();
    let (first, last) = (rule.body.first()?, rule.body.last()?);
    if !groups.iter().all(plain) || rule.limit.is_some() {
        return None;
    }
    let value =
        ["Value", "Inner", "Aggregate"].into_iter().find(|name| vars.get((*name).into()).is_none())?;
    let head = rule.head.name;
    let between = format!("{head}_{}", sources.slice(name));
    let with = |last: &str| {
        let texts = groups.iter().map(|group| sources.slice(group.span)).chain([last]);
        texts.collect::<Vec<_>>().join(", ")
    };
    let terms = rule.terms.iter().map(|term| replaced(term, inner.span, value, sources));
    let terms = terms.collect::<Vec<_>>().join(", ");
    let body = sources.slice(first.span.to(last.span));
    Some(format!(
        "{between}({}) :- {body}. {head}({terms}) :- {between}({}).",
        with(sources.slice(inner.span)),
        with(value)
    ))
}

/// The call within `expr` whose name stands at `name`.
fn find(expr: &Expr, name: Span) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call(called, _) if called.span == name => Some(expr),
        ExprKind::Call(_, args) => args.iter().find_map(|arg| find(arg, name)),
        ExprKind::Unary(_, inner) => find(inner, name),
        ExprKind::Binary(_, left, right) => find(left, name).or_else(|| find(right, name)),
        _ => None,
    }
}

/// The text of a term with other text for the part at `span`.
fn replaced(term: &Expr, span: Span, by: &str, sources: &Sources) -> String {
    if span.start < term.span.start || span.end > term.span.end {
        return sources.slice(term.span).to_owned();
    }
    let before = sources.slice(Span { end: span.start, ..term.span });
    let after = sources.slice(Span { start: span.end, ..term.span });
    format!("{before}{by}{after}")
}

/// `now()` as a value: one fault, with the clock bound in the body.
fn clock(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let is_clock = |fault: &Diagnostic| {
        let at = fault.span().map(|span| sources.slice(span));
        fault.code == codes::RELATION_AS_VALUE && at == Some("now")
    };
    let Some(first) = faults.iter().position(is_clock) else { return };
    let mut calls = Vec::new();
    let literals = rule.body.iter().flat_map(expressions);
    rule.terms.iter().chain(literals).for_each(|expr| clocks(expr, &mut calls));
    let (Some(body), true) = (rule.body.first(), vars.get("Now".into()).is_none()) else { return };
    let mut edits =
        vec![Edit { span: Span { end: body.span.start, ..body.span }, text: "now(Now), ".to_owned() }];
    edits.extend(calls.into_iter().map(|span| Edit { span, text: String::from("Now") }));
    let mut at = 0;
    faults.retain(|fault| {
        at += 1;
        at - 1 <= first || !is_clock(fault)
    });
    let Some(fault) = faults.get_mut(first) else { return };
    *fault = fault.clone().fix_all(edits);
    let start = rule_text(rule);
    let text = fault.fixes.last().map(|fix| fix.apply(sources.slice(start), start));
    fault.help = text.into_iter().map(|text| format!("write: `{text}`")).collect();
}

fn expressions(literal: &Literal) -> Box<dyn Iterator<Item = &Expr> + '_> {
    match &literal.kind {
        LiteralKind::Atom { atom, .. } => arguments(atom),
        LiteralKind::Condition(expr) => Box::new(std::iter::once(expr)),
        LiteralKind::In(left, right) => Box::new([left, right].into_iter()),
    }
}

/// The places of all `now()` in an expression.
fn clocks(expr: &Expr, out: &mut Vec<Span>) {
    match &expr.kind {
        ExprKind::Call(name, args) if name.name.as_str() == "now" && args.is_empty() => out.push(expr.span),
        ExprKind::Call(_, args) => args.iter().for_each(|arg| clocks(arg, out)),
        ExprKind::Unary(_, inner) => clocks(inner, out),
        ExprKind::Binary(_, left, right) => {
            clocks(left, out);
            clocks(right, out);
        }
        _ => {}
    }
}
