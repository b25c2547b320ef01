//! Effects and feeds: what a `then` rule derives is a relation of its own, whose facts say what it does to its input;
//! what a `feed` rule derives is added to its input.

use std::collections::HashMap;

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax::tree::{self, Args, BinaryOp, Expr, ExprKind, Ident, LiteralKind, RuleKind};

use super::authors::RULES;
use super::checked::{self, Effect};
use super::codes;
use super::draft::{arity, missing_relation};
use super::names::{Entry, Names};
use super::prose::a_column;
use super::values::error;

/// The term that stands for the instant of a step, and the relation of the clock.
const NOW: &str = "now";

/// What becomes of a rule that was written.
pub(super) enum Made {
    /// It stays as it is.
    Plain,
    /// It is faulty, and was reported.
    Faulty,
    /// It derives a relation of its own.
    Effect(Box<Own>),
}

/// An effect as a rule of its own relation.
pub(super) struct Own {
    rule: tree::Rule,
    relation: RelationId,
    input: RelationId,
    retracts: bool,
    columns: Vec<Option<usize>>,
}

/// What becomes of each rule; adds the relations of effects to `names`.
pub(super) fn own_relations(
    rules: &[&tree::Rule],
    names: &mut Names,
    out: &mut Vec<Diagnostic>,
) -> Vec<Made> {
    let mut ordinals: HashMap<(Symbol, bool), usize> = HashMap::new();
    let mut make = |rule: &tree::Rule| match rule.kind {
        RuleKind::Derives => Made::Plain,
        RuleKind::Feeds => feed(rule, names, out),
        RuleKind::Asserts | RuleKind::Retracts => {
            let retracts = rule.kind == RuleKind::Retracts;
            let ordinal = ordinals.entry((rule.head.name, retracts)).or_default();
            *ordinal += 1;
            effect(rule, *ordinal, names, out)
        }
    };
    rules.iter().map(|rule| make(rule)).collect()
}

/// The rules that are checked, faulty ones left out.
pub(super) fn in_place<'t>(written: &[&'t tree::Rule], made: &'t [Made]) -> Vec<&'t tree::Rule> {
    let rule = |(rule, made): (&&'t tree::Rule, &'t Made)| match made {
        Made::Plain => Some(*rule),
        Made::Faulty => None,
        Made::Effect(own) => Some(&own.rule),
    };
    written.iter().zip(made).filter_map(rule).collect()
}

/// The effects whose rules are sound.
pub(super) fn finish(made: &[Made], rules: &[checked::Rule]) -> Vec<Effect> {
    let places: HashMap<RelationId, usize> =
        rules.iter().enumerate().map(|(at, rule)| (rule.head, at)).collect();
    let effect = |made: &Made| {
        let Made::Effect(own) = made else { return None };
        let Own { relation, input, retracts, columns, .. } = own.as_ref();
        let rule = *places.get(relation)?;
        let (relation, input, retracts) = (*relation, *input, *retracts);
        Some(Effect { rule, relation, input, retracts, columns: columns.clone() })
    };
    made.iter().filter_map(effect).collect()
}

/// A feed adds to an input that anybody may assert.
fn feed(rule: &tree::Rule, names: &Names, out: &mut Vec<Diagnostic>) -> Made {
    let Some((_, input)) = input(rule, names, out) else { return Made::Faulty };
    if let Some(authors) = &input.authors {
        let message = format!("`{}` takes facts from certain authors only and can't be fed", input.name);
        let help = match authors.roles.iter().any(|role| role.as_str() == RULES) {
            true => format!("write: `then {}(…) :- …`, an effect of the rules", input.name),
            false => format!("derive a relation of its own, and read both it and `{}`", input.name),
        };
        out.push(
            Diagnostic::new(codes::NOT_FROM_RULES, message)
                .at(rule.head.span, "fed here")
                .at(input.span, "declared with `from` here")
                .help(help),
        );
        return Made::Faulty;
    }
    Made::Plain
}

/// The input that a feed or an effect is about.
fn input<'n>(
    rule: &tree::Rule,
    names: &'n Names,
    out: &mut Vec<Diagnostic>,
) -> Option<(RelationId, &'n Entry)> {
    let Some((id, entry)) = names.find(rule.head.name) else {
        out.push(missing_relation(names, rule.head, rule.terms.len()));
        return None;
    };
    if rule.head.name.as_str() == NOW {
        let message = "no rule changes the clock";
        let what = if rule.kind.is_effect() { "changed here" } else { "fed here" };
        out.push(
            Diagnostic::new(codes::CLOCK_HEAD, message)
                .at(rule.head.span, what)
                .help("the runner sets it: `--now TIME`"),
        );
        return None;
    }
    if entry.kind != Kind::Input {
        out.push(no_input(rule, entry));
        return None;
    }
    Some((id, entry))
}

fn no_input(rule: &tree::Rule, entry: &Entry) -> Diagnostic {
    let (does, help) = match rule.kind.is_effect() {
        true => (
            "an effect changes an input",
            format!(
                "assert an input, and derive `{0}` from it; or write `{0}(…) :- …` without `then`",
                entry.name
            ),
        ),
        false => ("a feed adds to an input", format!("write: `{}(…) :- …`, a rule", entry.name)),
    };
    let message = format!("{does}, and `{}` is derived by rules", entry.name);
    Diagnostic::new(codes::HEAD_NO_INPUT, message)
        .at(rule.head.span, "not an input")
        .at(entry.span, if entry.declared { "declared here" } else { "first derived here" })
        .help(help)
}

fn effect(rule: &tree::Rule, ordinal: usize, names: &mut Names, out: &mut Vec<Diagnostic>) -> Made {
    let Some((input, entry)) = input(rule, names, out) else { return Made::Faulty };
    let before = out.len();
    check_authors(rule, entry, ordinal, out);
    if rule.terms.len() != entry.columns.len() {
        out.push(arity(entry, rule.terms.len(), rule.head.span));
        return Made::Faulty;
    }
    check_clock(rule, entry, out);
    if out.len() > before {
        return Made::Faulty;
    }
    let retracts = rule.kind == RuleKind::Retracts;
    let (mut slots, mut terms, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for (slot, term) in entry.columns.iter().zip(&rule.terms) {
        columns.push((!is_now(term)).then_some(slots.len()));
        if !is_now(term) {
            slots.push(slot.clone());
            terms.push(term.clone());
        }
    }
    let name = Symbol::new(&own_name(entry.name, retracts, ordinal));
    let own = Entry {
        name,
        kind: Kind::Derived,
        columns: slots,
        doc: String::new(),
        requires: None,
        authors: None,
        personal: Vec::new(),
        span: rule.head.span,
        declared: true,
    };
    let id = rule.id.unwrap_or(default_id(rule, ordinal));
    let head = Ident { name, span: rule.head.span };
    let rule = tree::Rule { head, terms, id: Some(id), ..rule.clone() };
    names.add_relation(own);
    let relation = RelationId(names.relations.len() as u32 - 1);
    Made::Effect(Box::new(Own { rule, relation, input, retracts, columns }))
}

/// What the relation of an effect is called: no name that a rule file could hold.
fn own_name(input: Symbol, retracts: bool, ordinal: usize) -> String {
    let sign = if retracts { "not." } else { "" };
    let number = if ordinal > 1 { format!(".{ordinal}") } else { String::new() };
    format!("then.{sign}{input}{number}")
}

/// A relation as messages call it: that of an effect by its input.
pub(super) fn as_written(relation: Symbol) -> &'static str {
    let name = relation.as_str();
    let Some(own) = name.strip_prefix("then.") else { return name };
    let input = own.strip_prefix("not.").unwrap_or(own);
    input.split('.').next().unwrap_or(input)
}

/// The identity of an effect without `@id`.
fn default_id(rule: &tree::Rule, ordinal: usize) -> Ident {
    let sign = if rule.kind == RuleKind::Retracts { "not." } else { "" };
    Ident { name: Symbol::new(&format!("then.{sign}{}#{ordinal}", rule.head.name)), span: rule.head.span }
}

/// An input with `from` takes effects only if it lists `rules`, and its author's column then names the rule.
fn check_authors(rule: &tree::Rule, entry: &Entry, ordinal: usize, out: &mut Vec<Diagnostic>) {
    let Some(authors) = &entry.authors else { return };
    if !authors.roles.iter().any(|role| role.as_str() == RULES) {
        let message = format!("`{}` takes no effects", entry.name);
        out.push(
            Diagnostic::new(codes::NOT_FROM_RULES, message)
                .at(rule.head.span, "an effect of the rules")
                .at(entry.span, "its `from` doesn't list `rules`")
                .help(format!("write `from …, {RULES}` in the declaration of `{}`", entry.name)),
        );
    }
    check_instant(rule, entry, authors.time, out);
    let id = rule.id.unwrap_or(default_id(rule, ordinal)).name;
    let Some((at, term)) = authors.column.and_then(|at| Some((at, rule.terms.get(at)?))) else { return };
    if matches!(term.kind, ExprKind::Literal(Value::String(text)) if text == id) {
        return;
    }
    let column = entry.columns.get(at).map_or("", |slot| slot.name.as_str());
    let message = format!("the column `{column}` of `{}` names the author, which is this rule", entry.name);
    out.push(error(codes::EFFECT_AUTHOR, message, term.span).help(format!("write: `{}`", Value::String(id))));
}

/// The column that holds the instant of the transaction holds that of the step.
fn check_instant(rule: &tree::Rule, entry: &Entry, column: Option<usize>, out: &mut Vec<Diagnostic>) {
    let Some((at, term)) = column.and_then(|at| Some((at, rule.terms.get(at)?))) else { return };
    if rule.kind == RuleKind::Retracts || is_now(term) {
        return;
    }
    let column = entry.columns.get(at).map_or("", |slot| slot.name.as_str());
    let message = format!("the column `{column}` of `{}` holds the instant of the step", entry.name);
    out.push(error(codes::EFFECT_AUTHOR, message, term.span).help("write: `now`"));
}

/// The term `now`, whole.
fn is_now(term: &Expr) -> bool {
    matches!(term.kind, ExprKind::Ident(name) if name.as_str() == NOW)
}

/// The instant of the step is the term `now` in a column of times; nothing else in the head comes from the clock.
fn check_clock(rule: &tree::Rule, entry: &Entry, out: &mut Vec<Diagnostic>) {
    let ticking = ticking(rule);
    for (slot, term) in entry.columns.iter().zip(&rule.terms) {
        if is_now(term) {
            if let Some(ty) = slot.ty.as_ref().filter(|ty| ty.ty != Type::Time) {
                let message = format!(
                    "`now` is a time, but the column `{}` of `{}` is {}",
                    slot.name,
                    entry.name,
                    a_column(ty)
                );
                out.push(error(codes::WRONG_TYPE, message, term.span).at(slot.origin, "declared here"));
            }
        } else if let Some(span) = inner_now(term) {
            let message = "`now` is part of an expression in an effect's head";
            out.push(
                error(codes::CLOCK_IN_EFFECT, message, span)
                    .help("write `now` alone, as a whole term, and compute with it where the fact is read"),
            );
        } else if let Some((name, span)) = variable_of(term, &ticking) {
            let message = format!("`{name}` is the clock, and each instant would begin another effect");
            out.push(
                error(codes::CLOCK_IN_EFFECT, message, span)
                    .note("`now` stands for the instant at which the effect takes place")
                    .help("write: `now`"),
            );
        }
    }
}

/// The variables that the clock gives: those of `now(At)`, and those equal to an expression with one of them.
fn ticking(rule: &tree::Rule) -> Vec<Symbol> {
    let mut found = Vec::new();
    for literal in &rule.body {
        if let LiteralKind::Atom { negated: false, atom } = &literal.kind
            && atom.relation.name.as_str() == NOW
        {
            let terms: Vec<&Expr> = match &atom.args {
                Args::Positional(terms) => terms.iter().collect(),
                Args::Named(terms) => terms.iter().map(|(_, term)| term).collect(),
            };
            terms.into_iter().for_each(|term| variables(term, &mut |name, _| found.push(name)));
        }
    }
    loop {
        let before = found.len();
        for literal in &rule.body {
            let LiteralKind::Condition(Expr { kind: ExprKind::Binary(BinaryOp::Equal, left, right), .. }) =
                &literal.kind
            else {
                continue;
            };
            for (one, other) in [(left, right), (right, left)] {
                if let ExprKind::Variable(name) = one.kind
                    && !found.contains(&name)
                    && variable_of(other, &found).is_some()
                {
                    found.push(name);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The first of some variables that stands in an expression.
fn variable_of(expr: &Expr, among: &[Symbol]) -> Option<(Symbol, Span)> {
    let mut found = None;
    variables(expr, &mut |name, span| {
        if found.is_none() && among.contains(&name) {
            found = Some((name, span));
        }
    });
    found
}

fn variables(expr: &Expr, visit: &mut dyn FnMut(Symbol, Span)) {
    each(expr, &mut |expr| {
        if let ExprKind::Variable(name) = expr.kind {
            visit(name, expr.span);
        }
    });
}

/// Where `now` stands inside an expression.
fn inner_now(expr: &Expr) -> Option<Span> {
    let mut found = None;
    each(expr, &mut |inner| {
        if is_now(inner) {
            found.get_or_insert(inner.span);
        }
    });
    found
}

/// Hands an expression and all its parts to `visit`; how deep they nest is bounded by the parser.
fn each(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Unary(_, operand) => each(operand, visit),
        ExprKind::Binary(_, left, right) | ExprKind::In(left, right) => {
            each(left, visit);
            each(right, visit);
        }
        ExprKind::List(args) | ExprKind::Call(_, args) => args.iter().for_each(|arg| each(arg, visit)),
        ExprKind::Wildcard
        | ExprKind::Variable(_)
        | ExprKind::Literal(_)
        | ExprKind::Ident(_)
        | ExprKind::Error => {}
    }
}
