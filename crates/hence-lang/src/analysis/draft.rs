//! Bodies with their names resolved: which relation an atom means, which term belongs to which column.

use std::borrow::Cow;

use crate::builtins::expr::VarId;
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::fault::OrBroken;
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree::{Args, Atom, BodyAggregate, Expr, ExprKind, Ident, Literal, LiteralKind, UnaryOp};

use super::bind::bind_within;
use super::clause::{Clause, Inner};
use super::codes;
use super::names::{Entry, Names, is_aggregate, is_function, is_generator};
use super::operation::nearest_function;
use super::prose::count;
use super::safety::{Role, Uses};
use super::uses::{Vars, for_each_inner_use};
use super::values::error;

/// Resolves the literals of a body whose variables are `vars`.
pub(super) fn body<'t>(
    literals: &'t [Literal],
    names: &Names,
    vars: &Vars,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Vec<Clause<'t>> {
    literals
        .iter()
        .map(|literal| {
            clause(literal, names, vars, sources, out)
                .unwrap_or_else(|| Clause::Broken { vars: all_of(literal, vars, sources) })
        })
        .collect()
}

fn all_of(literal: &Literal, vars: &Vars, sources: &Sources) -> Vec<VarId> {
    let own = Vars::of_body(std::slice::from_ref(literal), sources);
    let var = |name: &Symbol| vars.get(*name).or_broken("the variables of a literal are those of its rule");
    own.names().iter().map(var).collect()
}

fn clause<'t>(
    literal: &'t Literal,
    names: &Names,
    vars: &Vars,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<Clause<'t>> {
    match &literal.kind {
        LiteralKind::Atom { negated, atom } => match names.find(atom.relation.name) {
            Some((relation, entry)) => {
                let args = terms(atom, entry, out)?;
                let within = atom.within.as_ref();
                Some(Clause::Atom { negated: *negated, relation, args, within, span: atom.span })
            }
            None => call(*negated, atom, literal.span, names, out),
        },
        LiteralKind::Condition(expr) if is_faulty(expr) => None,
        LiteralKind::Condition(expr) => {
            Some(Clause::Condition { expr: Cow::Borrowed(expr), span: literal.span })
        }
        LiteralKind::In(left, right) => each(left, right, literal.span, vars, out),
        LiteralKind::Aggregate(of) if is_faulty(&of.target) || of.args.iter().any(is_faulty) => None,
        LiteralKind::Aggregate(of) => inner(of, literal.span, names, vars, sources, out),
    }
}

/// An aggregate with its own body, whose safety is checked here.
fn inner<'t>(
    of: &'t BodyAggregate,
    span: Span,
    names: &Names,
    outer: &Vars,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<Clause<'t>> {
    let word = of.name.name.as_str();
    if !is_aggregate(word) {
        out.push(unknown_aggregate(of.name));
        return None;
    }
    let vars = Vars::of_aggregate(of, sources);
    let mut shared: Vec<(VarId, VarId, Span)> = Vec::new();
    for_each_inner_use(of, sources, &mut |name, place| {
        if let (Some(rule), Some(own)) = (outer.get(name), vars.get(name))
            && !shared.iter().any(|(known, ..)| *known == rule)
        {
            shared.push((rule, own, place));
        }
    });
    let mut clauses = body(&of.body, names, &vars, sources, out);
    super::rules::no_distances(&clauses, out);
    let bound = bind_within(&mut clauses, &vars, shared.iter().map(|(_, own, _)| *own), sources);
    let mut uses = Uses::default();
    uses.body(&clauses, &vars, sources);
    of.args.iter().for_each(|arg| uses.expr(arg, Role::Aggregate, &vars, sources));
    uses.report(&bound, &clauses, &vars, names, out);
    Some(Clause::Aggregate(Box::new(Inner { of, binds: None, vars, shared, clauses, bound, span })))
}

fn unknown_aggregate(name: Ident) -> Diagnostic {
    let word = name.name.as_str();
    let known = crate::builtins::aggregate::names();
    let fault = error(codes::UNKNOWN_FUNCTION, format!("unknown aggregate `{word}`"), name.span);
    match nearest(word, known.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.note(format!("the aggregates are {}", super::prose::list(known, "and"))),
    }
}

/// Whether a part of the expression could not be parsed.
fn is_faulty(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Error => true,
        ExprKind::Unary(_, operand) => is_faulty(operand),
        ExprKind::Binary(_, left, right) | ExprKind::In(left, right) => is_faulty(left) || is_faulty(right),
        ExprKind::List(args) | ExprKind::Call(_, args) => args.iter().any(is_faulty),
        _ => false,
    }
}

/// The term at each column of an atom, or `None` after a diagnostic.
pub(super) fn terms<'t>(
    atom: &'t Atom,
    entry: &Entry,
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<Option<&'t Expr>>> {
    match &atom.args {
        Args::Positional(args) if args.len() == entry.columns.len() => {
            Some(args.iter().map(|arg| (!matches!(arg.kind, ExprKind::Wildcard)).then_some(arg)).collect())
        }
        Args::Positional(args) => {
            out.push(atom_arity(entry, args.len(), atom.span));
            None
        }
        Args::Named(args) => named(args, entry, out),
    }
}

/// The error for another number of terms than columns.
pub(super) fn arity(entry: &Entry, found: usize, span: Span) -> Diagnostic {
    let columns = entry.columns.len();
    let message = format!("expected {} for `{}`, found {found}", count(columns, "term"), entry.name);
    let place = if entry.declared { "declared" } else { "first derived" };
    let diagnostic = Diagnostic::new(codes::WRONG_ARITY, message).at(span, format!("found {found}"));
    let diagnostic = if entry.span == Span::default() {
        diagnostic
    } else {
        diagnostic.at(entry.span, format!("{place} with {columns}"))
    };
    diagnostic.note(format!("its form is `{entry}`"))
}

/// The same for an atom of a body, whose columns may be left open.
fn atom_arity(entry: &Entry, found: usize, span: Span) -> Diagnostic {
    let diagnostic = arity(entry, found, span);
    match entry.columns.first() {
        Some(first) if found < entry.columns.len() => diagnostic.help(format!(
            "write `_` for a column that may have any value, or name the columns: `{}({}: …)`",
            entry.name, first.name
        )),
        _ => diagnostic,
    }
}

fn named<'t>(
    args: &'t [(Ident, Expr)],
    entry: &Entry,
    out: &mut Vec<Diagnostic>,
) -> Option<Vec<Option<&'t Expr>>> {
    let mut terms = vec![None; entry.columns.len()];
    let mut seen: Vec<Ident> = Vec::new();
    let faults = out.len();
    for (column, expr) in args {
        if let Some(first) = seen.iter().find(|ident| ident.name == column.name) {
            let message = format!("duplicate column `{}` in an atom", column.name);
            out.push(
                Diagnostic::new(codes::ARGUMENT_TWICE, message)
                    .at(column.span, "again here")
                    .at(first.span, "first here")
                    .help("compare the two values with `=` in a separate literal"),
            );
        }
        seen.push(*column);
        match entry.column(column.name) {
            Some(at) => {
                let term = terms.get_mut(at).or_broken("a relation has the columns that it names");
                *term = (!matches!(expr.kind, ExprKind::Wildcard)).then_some(expr);
            }
            None => out.push(unknown_column(entry, *column)),
        }
    }
    (out.len() == faults).then_some(terms)
}

/// The error for a column that the relation doesn't have.
pub(super) fn unknown_column(entry: &Entry, column: Ident) -> Diagnostic {
    let message = format!("`{}` has no column `{}`", entry.name, column.name);
    let near = nearest(column.name.as_str(), entry.columns.iter().map(|slot| slot.name.as_str()));
    let diagnostic =
        error(codes::UNKNOWN_COLUMN, message, column.span).note(format!("its form is `{entry}`"));
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// A literal of the form of an atom whose name is no relation: a call of a function, or an error.
fn call<'t>(
    negated: bool,
    atom: &'t Atom,
    span: Span,
    names: &Names,
    out: &mut Vec<Diagnostic>,
) -> Option<Clause<'t>> {
    let name = atom.relation.name.as_str();
    if let Args::Positional(args) = &atom.args
        && (is_function(name) || is_aggregate(name))
    {
        let call = Expr { kind: ExprKind::Call(atom.relation, args.clone()), span: atom.span };
        let expr =
            if negated { Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(call)), span } } else { call };
        return Some(Clause::Condition { expr: Cow::Owned(expr), span });
    }
    out.push(unknown_relation(names, atom));
    None
}

fn unknown_relation(names: &Names, atom: &Atom) -> Diagnostic {
    let name = atom.relation.name.as_str();
    let span = atom.relation.span;
    if is_generator(name) {
        return error(codes::MISPLACED_GENERATOR, format!("`{name}` is a generator, not a condition"), span)
            .help(format!("bind its elements with `X in {name}(…)`"));
    }
    if is_function(name) {
        return error(codes::WRONG_ARGUMENTS, format!("`{name}` is a function and has no columns"), span)
            .help("use positional arguments");
    }
    missing_relation(names, atom.relation, atom.exprs().count())
}

/// What the relations of the rules of a migration begin with that are as they were recorded.
pub(super) const OLD: &str = "old.";

/// The error for a relation as it was recorded that isn't there, or outside of a migration.
pub(super) fn missing_recorded(names: &Names, relation: Ident, recorded: &str) -> Diagnostic {
    let known: Vec<&str> =
        names.relations.iter().filter_map(|entry| entry.name.as_str().strip_prefix(OLD)).collect();
    if known.is_empty() {
        let message = format!("`{}` is used outside a migration", relation.name);
        return error(codes::OLD_RELATION, message, relation.span)
            .note("only the rules of `hence migrate FILE.dl` can read relations as recorded")
            .help(format!("write `{recorded}`, or keep migration rules in a separate file"));
    }
    let message = format!("the ledger has no relation `{recorded}`");
    let diagnostic = error(codes::UNKNOWN_RELATION, message, relation.span);
    match nearest(recorded, known.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{OLD}{near}`?")),
        None => diagnostic.help(format!("the recorded relations are {}", super::prose::list(&known, "and"))),
    }
}

/// The error for a relation that is neither declared nor derived.
pub(super) fn missing_relation(names: &Names, relation: Ident, arity: usize) -> Diagnostic {
    let name = relation.name;
    if let Some(recorded) = name.as_str().strip_prefix(OLD) {
        return missing_recorded(names, relation, recorded);
    }
    let message = format!("`{name}` is neither declared nor derived");
    let diagnostic = error(codes::UNKNOWN_RELATION, message, relation.span);
    if let Some(instead) = super::foreign::instead(name.as_str(), arity) {
        return diagnostic.help(instead);
    }
    match names.nearest_relation(name).or_else(|| nearest_function(name.as_str())) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => {
            let columns: Vec<_> = (1..=arity).map(|at| format!("c{at}: type")).collect();
            let diagnostic = match names.unread_of(arity) {
                Some(other) => diagnostic.help(format!(
                    "is `{other}` meant? It is declared with as many columns, and nothing reads it"
                )),
                None => diagnostic,
            };
            diagnostic.help(format!(
                "declare it if it is asserted from outside: `input {name}({}).`",
                columns.join(", ")
            ))
        }
    }
}

/// `f(Y) in list` with a variable for the value.
fn bound_before(left: &Expr, right: &Expr, vars: &Vars) -> String {
    let free = |name: &&str| vars.get(Symbol::new(name)).is_none();
    let var = ["X", "Value", "Element"].into_iter().find(free).unwrap_or("NewValue");
    let (left, right) = (hence_syntax::expr_text(left), hence_syntax::expr_text(right));
    format!("bind the value to a variable first: `{var} = {left}, {var} in {right}`")
}

fn each<'t>(
    left: &'t Expr,
    right: &'t Expr,
    span: Span,
    vars: &Vars,
    out: &mut Vec<Diagnostic>,
) -> Option<Clause<'t>> {
    let var = match left.kind {
        ExprKind::Variable(name) => vars.get(name),
        ExprKind::Error => None,
        _ => {
            out.push(
                error(codes::IN_NEEDS_VARIABLE, "expected a variable before `in`", left.span)
                    .help(bound_before(left, right, vars)),
            );
            None
        }
    };
    match &right.kind {
        ExprKind::Call(name, args) if is_generator(name.name.as_str()) => {
            Some(Clause::Each { var: var?, bound: false, right, args, span })
        }
        ExprKind::List(elements) => {
            Some(Clause::Each { var: var?, bound: false, right, args: elements, span })
        }
        ExprKind::Ident(_) => Some(Clause::Each { var: var?, bound: false, right, args: &[], span }),
        ExprKind::Error => None,
        _ => {
            out.push(no_generator(right));
            None
        }
    }
}

pub(super) fn no_generator(right: &Expr) -> Diagnostic {
    let known = crate::builtins::generator::names();
    let forms: Vec<_> = known.iter().map(|name| format!("`{name}(…)`")).collect();
    let diagnostic =
        error(codes::MISPLACED_GENERATOR, "expected a list or a generator after `in`", right.span)
            .note(format!("the generators are {}", super::prose::list(&forms, "and")));
    match &right.kind {
        ExprKind::Call(name, _) => match nearest(name.name.as_str(), known.iter().copied()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        },
        ExprKind::Literal(value @ (Value::String(_) | Value::Name(_))) => {
            diagnostic.help(format!("write `[{value}]`"))
        }
        _ => diagnostic,
    }
}
