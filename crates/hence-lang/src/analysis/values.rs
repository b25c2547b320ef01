//! Literals against the types of their places: what fits, and what a literal should have been.

use crate::builtins::expr::{Expr, ExprKind};
use hence_core::diagnostic::{Code, Diagnostic, nearest};
use hence_core::literal;
use hence_core::schema::{ColumnType, NameSet};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_syntax as syntax;
use hence_syntax::tree;

use super::codes;
use super::prose::{a, a_column, list};

/// The value of a literal, a sign before it included.
pub(super) fn literal(expr: &tree::Expr) -> Option<Value> {
    match &expr.kind {
        tree::ExprKind::Literal(value) => Some(*value),
        tree::ExprKind::Unary(tree::UnaryOp::Negate, inner) => literal(inner).and_then(negated),
        tree::ExprKind::List(_) => syntax::constant(expr),
        _ => None,
    }
}

/// The value with the other sign, for the types that have one.
pub(super) fn negated(value: Value) -> Option<Value> {
    match value {
        Value::Int(value) => value.checked_neg().map(Value::Int),
        Value::Float(value) => Float::new(-value.get()).map(Value::Float),
        Value::Duration(value) => value.checked_neg().map(Value::Duration),
        _ => None,
    }
}

/// The literal of type `wanted` that `value` was probably meant to be: it says the same, to the digit.
fn retyped(value: Value, wanted: Type) -> Option<Value> {
    match (value, wanted) {
        (Value::Int(n), Type::Float) => exactly(n).map(Value::Float),
        (Value::Float(x), Type::Int) => whole(x.get()).map(Value::Int),
        (Value::String(text), Type::Name) => as_name(text.as_str()),
        (Value::Name(name), Type::String) => Some(Value::String(name)),
        (Value::String(text), Type::Time) => as_time(text.as_str()).map(Value::Time),
        (Value::String(text), Type::Duration) => literal::parse_duration(text.as_str()).map(Value::Duration),
        (Value::String(text), Type::Bool) => text.as_str().parse().ok().map(Value::Bool),
        (Value::Int(n @ (0 | 1)), Type::Bool) => Some(Value::Bool(n == 1)),
        (Value::Bool(value), Type::String) => Some(Value::String(Symbol::new(&value.to_string()))),
        _ => None,
    }
}

/// The number of type `wanted` that is written in quotes, digit for digit.
fn number(text: &str, wanted: Type) -> Option<String> {
    let alone =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"_.eE+-".contains(&byte));
    match (syntax::parse_value(text).filter(|_| alone)?, wanted) {
        (Value::Int(_), Type::Int) | (Value::Float(_), Type::Float) => Some(text.to_owned()),
        (Value::Int(n), Type::Float) => exactly(n).map(|_| format!("{text}.0")),
        _ => None,
    }
}

/// The float that is `n`, if there is one.
fn exactly(n: i64) -> Option<Float> {
    (n.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS).then(|| Float::new(n as f64)).flatten()
}

/// The time that a text means; a date alone is its beginning.
fn as_time(text: &str) -> Option<i64> {
    literal::parse_time(text).or_else(|| literal::parse_time(&format!("{text}T00:00:00Z")))
}

fn whole(x: f64) -> Option<i64> {
    (x.fract() == 0.0 && x.abs() < 9.0e15).then_some(x as i64)
}

fn as_name(text: &str) -> Option<Value> {
    let name = if text.starts_with('/') { text.to_owned() } else { format!("/{text}") };
    literal::is_name(&name).then(|| Value::Name(Symbol::new(&name)))
}

/// How a literal is written, where there is a text.
pub(super) fn written(sources: &Sources, span: Span) -> Option<&str> {
    Some(sources.slice(span)).filter(|text| !text.is_empty())
}

/// Whether `value`, written as `text`, fits into a place of type `ty`; otherwise why not. `place` is what the place is
/// called, `span` where the text stands.
pub(super) fn fit(
    value: Value,
    text: Option<&str>,
    ty: &ColumnType,
    place: &str,
    span: Option<Span>,
) -> Result<(), Diagnostic> {
    if ty.admits(value) {
        return Ok(());
    }
    if let Some(fault) = list_misfit(value, ty, place) {
        return Err(fault);
    }
    if let (Some(set), Value::Name(name)) = (&ty.set, value) {
        return Err(outside(name, set, place));
    }
    let message = format!("`{value}` is {}, but {place} is {}", a(value.ty()), a_column(ty));
    let diagnostic = Diagnostic::new(codes::WRONG_TYPE, message);
    Err(match rewritten(value, text, ty) {
        Some(right) => {
            let diagnostic = diagnostic.help(format!("write `{right}`"));
            span.into_iter().fold(diagnostic, |diagnostic, span| diagnostic.fix(span, right.as_str()))
        }
        None if ty.ty == Type::String => diagnostic.help("put the text in quotes"),
        None if ty.ty == Type::Duration && value.ty() == Type::Int => diagnostic.help(unit(value)),
        None => diagnostic,
    })
}

/// Why a list doesn't fit, or a scalar where a list is due.
fn list_misfit(value: Value, ty: &ColumnType, place: &str) -> Option<Diagnostic> {
    let wrong = |message: String| Diagnostic::new(codes::WRONG_TYPE, message);
    let (element, text) = match (ty.element(), value) {
        (Some(element), Value::List(text)) => (element, text),
        (Some(_), value) => {
            let fault = wrong(format!("`{value}` is {}, but {place} is a list", a(value.ty())));
            return Some(fault.help(format!("write `[{value}]`")));
        }
        (None, Value::List(text)) => {
            let fault = wrong(format!("`{text}` is a list, but {place} is {}", a_column(ty)));
            let elements = hence_core::list::elements(text);
            let is_param = place.starts_with("the parameter");
            let list = elements.first().filter(|_| is_param).map(|one| one.ty().keyword());
            return Some(match (elements, list) {
                ([one], Some(ty)) => {
                    fault.help(format!("write `{one}`, or give the parameter the type `[{ty}]`"))
                }
                ([one], None) => fault.help(format!("write `{one}`")),
                (_, Some(ty)) => fault.help(format!("give the parameter the type `[{ty}]`")),
                _ => fault,
            });
        }
        (None, _) => return None,
    };
    let other = hence_core::list::elements(text).iter().find(|one| !element.admits(**one))?;
    fit(*other, None, &element, &format!("each element of {place}"), None).err()
}

/// The text of the literal of type `ty` that `value`, written as `text`, was probably meant to be, if that fits there.
fn rewritten(value: Value, text: Option<&str>, ty: &ColumnType) -> Option<String> {
    match (value, ty.ty) {
        (Value::String(quoted), Type::Int | Type::Float) => return number(quoted.as_str(), ty.ty),
        (Value::Int(_) | Value::Float(_) | Value::Time(_) | Value::Duration(_), Type::String) => {
            // As it is written: `007` is not the text "7".
            return text.map(|text| literal::quoted(text.strip_prefix('@').unwrap_or(text)));
        }
        _ => {}
    }
    let right = retyped(value, ty.ty)?;
    match (&ty.set, right) {
        (Some(set), Value::Name(name)) if !set.members.contains(&name) => {
            nearest_member(name, set).map(str::to_owned)
        }
        _ => Some(right.to_string()),
    }
}

/// The help for a number where a duration is due: nobody knows which unit was meant.
pub(super) fn unit(value: impl std::fmt::Display) -> String {
    format!("a duration has a unit, such as `{value}s` or `{value}ms`")
}

fn nearest_member(name: Symbol, set: &NameSet) -> Option<&'static str> {
    nearest(name.as_str(), set.members.iter().map(|member| member.as_str()))
}

/// The error for a name outside a closed set.
pub(super) fn outside(name: Symbol, set: &NameSet, place: &str) -> Diagnostic {
    let members: Vec<_> = set.members.iter().map(|member| format!("`{member}`")).collect();
    let message = format!("{place} can't be `{name}`");
    let diagnostic =
        Diagnostic::new(codes::OUTSIDE_SET, message).note(format!("expected {}", list(&members, "or")));
    match nearest_member(name, set) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}

/// The text that turns the typed `expr`, written as `text`, into a value of type `wanted` without a loss.
pub(super) fn conversion(expr: &Expr, text: &str, wanted: &ColumnType) -> Option<String> {
    if let ExprKind::Const(value) = expr.kind {
        return rewritten(value, Some(text), wanted);
    }
    match (expr.ty, wanted.ty) {
        // A division of ints has lost its rest already.
        (Type::Int, Type::Float) if text.contains('/') => None,
        (Type::Int, Type::Float) => Some(format!("float({text})")),
        (Type::String, Type::Name) if wanted.set.is_none() => Some(format!("name({text})")),
        (from, Type::String) if from != Type::String => Some(format!("string({text})")),
        _ => None,
    }
}

/// The error for a limit that keeps fewer than no facts; the place is that of the value.
pub(super) fn negative_limit(n: i64, span: Span) -> Option<Diagnostic> {
    (n < 0).then(|| error(codes::LIMIT_COUNT, format!("a limit can't keep {n} facts"), span))
}

/// The error for something other than a literal.
pub(super) fn not_literal(what: &str, span: Span) -> Diagnostic {
    error(codes::NOT_LITERAL, format!("{what} must be a literal"), span)
}

/// A diagnostic with one place without a text.
pub(super) fn error(code: Code, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::new(code, message).at(span, "")
}

/// The literal that a variable called like one in another language is meant for.
pub(super) fn truth(name: &str) -> Option<&'static str> {
    match name {
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        _ => None,
    }
}
