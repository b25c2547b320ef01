//! Help that needs the whole rule: the two rules of an aggregate inside another term, an aggregate over an atom, `now()`
//! as a value, variables in lower case, several values after one comparison.

use hence_core::diagnostic::{Diagnostic, Edit, Fix};
use hence_core::span::{Sources, Span};
use hence_syntax::foreign::variable_form;
use hence_syntax::tree::{BinaryOp, Expr, ExprKind, Literal, LiteralKind, Rule};

use super::codes;
use super::uses::{Vars, over_relation};

/// Gives the faults of a rule the help that shows the whole rule as it should be.
pub(super) fn advise(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    over_atoms(rule, sources, faults);
    aggregates(rule, vars, sources, faults);
    several(rule, sources, faults);
    clock(rule, vars, sources, faults);
    lower_case(rule, vars, sources, faults);
}

/// Variables in lower case, which occur twice or more: one fault, with the rule as it should be.
fn lower_case(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let unknown = |fault: &Diagnostic| {
        let span = fault.span().filter(|_| fault.code == codes::UNKNOWN_PARAM)?;
        let guessed = fault.help.iter().any(|help| help.starts_with("did you mean"));
        (!guessed).then(|| (sources.slice(span), span))
    };
    let mut places: Vec<(&str, Span)> = faults.iter().filter_map(unknown).collect();
    places.sort_unstable_by_key(|(_, span)| span.start);
    let again = |name: &str| places.iter().filter(|(other, _)| *other == name).count() > 1;
    let free = |name: &str| vars.get(variable_form(name).as_str().into()).is_none();
    let meant: Vec<(&str, Span)> =
        places.iter().copied().filter(|(name, _)| again(name) && free(name)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in &meant {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let edits: Vec<Edit> =
        meant.iter().map(|(name, span)| Edit { span: *span, text: variable_form(name) }).collect();
    if !lie_within(rule, &edits) {
        return;
    }
    let mut first = true;
    let is_meant = |fault: &Diagnostic| unknown(fault).is_some_and(|place| meant.contains(&place));
    faults.retain(|fault| !is_meant(fault) || std::mem::take(&mut first));
    let Some(fault) = faults.iter_mut().find(|fault| is_meant(fault)) else { return };
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let several = if names.len() == 1 { "" } else { "s" };
    fault.message = format!("unknown parameter{several} {}", super::prose::list(&names, "and"));
    *fault = fault.clone().fix_all(edits);
    if let (Some(label), Some((_, span))) = (fault.labels.first_mut(), meant.first()) {
        label.span = *span;
    }
    let start = rule_text(rule);
    let text = fault.fixes.last().map(|fix| fix.apply(sources.slice(start), start));
    let write = |text: String| format!("a variable starts with an upper-case letter: write: `{text}`");
    fault.help = text.into_iter().map(write).collect();
}

/// `X = max(p(Y))`: the fix that its help writes.
fn over_atoms(rule: &Rule, sources: &Sources, faults: &mut [Diagnostic]) {
    for literal in &rule.body {
        let LiteralKind::Condition(Expr { kind: ExprKind::Binary(BinaryOp::Equal, left, right), .. }) =
            &literal.kind
        else {
            continue;
        };
        let ExprKind::Call(name, args) = &right.kind else { continue };
        let is_own = |fault: &&mut Diagnostic| fault.span() == Some(name.span);
        if over_relation(*name, args).is_none() || !matches!(left.kind, ExprKind::Variable(_)) {
            continue;
        }
        let Some(fault) =
            faults.iter_mut().filter(|fault| fault.code == codes::MISPLACED_AGGREGATE).find(is_own)
        else {
            continue;
        };
        let form = fault.help.first().and_then(|help| help.split('`').nth(3)).map(str::to_owned);
        if let Some(form) = form {
            fault.help = vec![format!("write: `{} = {form}`", sources.slice(left.span))];
            *fault = fault.clone().fix(right.span, form);
        }
    }
}

/// `X != 1, 2`: one fault, with the values as a list.
fn several(rule: &Rule, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let value = |literal: &Literal| match &literal.kind {
        LiteralKind::Condition(Expr { kind: ExprKind::Literal(_), span }) => Some(*span),
        _ => None,
    };
    for (at, literal) in rule.body.iter().enumerate() {
        let LiteralKind::Condition(Expr { kind: ExprKind::Binary(op, left, right), .. }) = &literal.kind
        else {
            continue;
        };
        let is_list = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && matches!((&left.kind, &right.kind), (ExprKind::Variable(_), ExprKind::Literal(_)));
        let others: Vec<Span> = rule.body.iter().skip(at + 1).map_while(value).collect();
        let (true, Some(last)) = (is_list, others.last()) else { continue };
        let misses = |fault: &Diagnostic| {
            fault.code == codes::NOT_BOOL && fault.span().is_some_and(|span| others.contains(&span))
        };
        let Some(mut fault) = faults.iter().find(|fault| misses(fault)).cloned() else { continue };
        faults.retain(|fault| !misses(fault));
        let values: Vec<&str> =
            std::iter::once(&right.span).chain(&others).map(|span| sources.slice(*span)).collect();
        let within = format!("{} in [{}]", sources.slice(left.span), values.join(", "));
        let form = if *op == BinaryOp::Equal { within } else { format!("!({within})") };
        fault.help.clear();
        faults.push(fault.write(literal.span.to(*last), &form));
    }
}

/// The aggregates that are no whole column of the head: one fault, with the two rules.
fn aggregates(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let misplaced = |fault: &Diagnostic| fault.code == codes::MISPLACED_AGGREGATE;
    let names: Vec<Span> =
        faults.iter().filter(|fault| misplaced(fault)).filter_map(Diagnostic::span).collect();
    let Some(rules) = two_rules(rule, vars, &names, sources) else { return };
    let mut first = true;
    faults.retain(|fault| !misplaced(fault) || std::mem::take(&mut first));
    if let Some(fault) = faults.iter_mut().find(|fault| misplaced(fault)) {
        fault.help = vec![format!("write two rules: `{rules}`")];
        *fault = fault.clone().fix(rule_text(rule), rules);
    }
}

/// A rule without its annotations: from its head to its full stop.
fn rule_text(rule: &Rule) -> Span {
    Span { start: rule.head.span.start, ..rule.span }
}

/// Whether edits are of the text of a rule, none over another: of a rule that was read in part they need not be.
fn lie_within(rule: &Rule, edits: &[Edit]) -> bool {
    let text = rule_text(rule);
    let mut spans: Vec<Span> = edits.iter().map(|edit| edit.span).collect();
    spans.sort_unstable();
    let mut from = text.start;
    spans.iter().all(|span| {
        let fits = from <= span.start && span.start <= span.end && span.end <= text.end;
        from = span.end;
        fits
    })
}

/// `r(T, max(N) + 1) :- q(T, N).` as a rule for the aggregates of one term, whose names stand at `names`, and one
/// that reads it.
fn two_rules(rule: &Rule, vars: &Vars, names: &[Span], sources: &Sources) -> Option<String> {
    let (at, inner) = rule.terms.iter().enumerate().find_map(|(at, term)| {
        let calls: Vec<&Expr> = names.iter().filter_map(|name| find(term, *name)).collect();
        (!calls.is_empty() && calls.len() == names.len()).then_some((at, calls))
    })?;
    let groups: Vec<&Expr> =
        rule.terms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, term)| term).collect();
    let plain = |term: &&Expr| matches!(term.kind, ExprKind::Variable(_));
    let (first, last) = (rule.body.first()?, rule.body.last()?);
    if !groups.iter().all(plain) || rule.limit.is_some() {
        return None;
    }
    let values: Vec<String> = match inner.len() {
        1 => vec![String::from("Value")],
        count => (1..=count).map(|number| format!("Value{number}")).collect(),
    };
    if values.iter().any(|value| vars.get(value.as_str().into()).is_some()) {
        return None;
    }
    let head = rule.head.name;
    let between = format!("{head}_{}", sources.slice(*names.first()?));
    let columns = |last: Vec<&str>| {
        let texts = groups.iter().map(|group| sources.slice(group.span)).chain(last);
        texts.collect::<Vec<_>>().join(", ")
    };
    let parts: Vec<(Span, &str)> =
        inner.iter().zip(&values).map(|(call, value)| (call.span, value.as_str())).collect();
    let terms = rule.terms.iter().map(|term| replaced(term, &parts, sources)).collect::<Vec<_>>().join(", ");
    let body = sources.slice(first.span.to(last.span));
    Some(format!(
        "{between}({}) :- {body}. {head}({terms}) :- {between}({}).",
        columns(inner.iter().map(|call| sources.slice(call.span)).collect()),
        columns(values.iter().map(String::as_str).collect())
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

/// The text of a term with other texts for its parts at those places.
fn replaced(term: &Expr, parts: &[(Span, &str)], sources: &Sources) -> String {
    let within = |span: &Span| term.span.start <= span.start && span.end <= term.span.end;
    let edits = parts.iter().filter(|(span, _)| within(span));
    let edits = edits.map(|(span, by)| Edit { span: *span, text: (*by).to_owned() }).collect();
    Fix { edits }.apply(sources.slice(term.span), term.span)
}

/// `now()` as a value: one fault, with the clock bound in the body.
fn clock(rule: &Rule, vars: &Vars, sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let is_clock = |fault: &Diagnostic| {
        let at = fault.span().map(|span| sources.slice(span));
        fault.code == codes::RELATION_AS_VALUE && at == Some("now")
    };
    let Some(first) = faults.iter().position(is_clock) else { return };
    let mut calls = Vec::new();
    let literals = rule.body.iter().flat_map(Literal::exprs_within);
    rule.terms.iter().chain(literals).for_each(|expr| clocks(expr, &mut calls));
    let (Some(body), true) = (rule.body.first(), vars.get("Now".into()).is_none()) else { return };
    let mut edits =
        vec![Edit { span: Span { end: body.span.start, ..body.span }, text: "now(Now), ".to_owned() }];
    edits.extend(calls.into_iter().map(|span| Edit { span, text: String::from("Now") }));
    if !lie_within(rule, &edits) {
        return;
    }
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

/// The places of all `now()` and `now` in an expression.
fn clocks(expr: &Expr, out: &mut Vec<Span>) {
    match &expr.kind {
        ExprKind::Call(name, args) if name.name.as_str() == "now" && args.is_empty() => out.push(expr.span),
        ExprKind::Ident(name) if name.as_str() == "now" => out.push(expr.span),
        ExprKind::Call(_, args) => args.iter().for_each(|arg| clocks(arg, out)),
        ExprKind::Unary(_, inner) => clocks(inner, out),
        ExprKind::Binary(_, left, right) => {
            clocks(left, out);
            clocks(right, out);
        }
        _ => {}
    }
}
