//! Operations whose meaning SQL has to the bit; all others are refused.

use hence_core::fault::broken;
use hence_core::list;
use hence_core::literal::{FIRST_TIME, LAST_TIME};
use hence_core::value::{Float, Type, Value};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::op::Op;

use super::dialect::zero;
use super::expression::Expressions;
use super::refusal::{UnsupportedConstruct, Written};

/// The longest text that an operation of rules makes, in bytes.
const LONGEST_TEXT: usize = 64 << 20;
const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The operation in SQL.
pub(super) fn write(on: &Expressions<'_>, expr: &Expr, op: Op, args: &[Expr]) -> Written {
    if matches!(op, Op::Among | Op::In) {
        return among(on, expr, args);
    }
    let args: Vec<String> = args.iter().map(|arg| on.write(arg)).collect::<Written<_>>()?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let written = match *args.as_slice() {
        [a] => one(on, op, a),
        [a, b] => two(on, op, a, b),
        _ => more(on, op, &args),
    };
    written.ok_or_else(|| UnsupportedConstruct::operation(expr.span, op.name()))
}

/// Whether a value is one of some literals.
fn among(on: &Expressions<'_>, expr: &Expr, args: &[Expr]) -> Written {
    let Some((value, elements)) = args.split_first() else { broken("`in` has a left side") };
    let mut all = Vec::new();
    for element in elements {
        match constant(on, element) {
            Some(Value::List(text)) => {
                all.extend(list::elements(text).iter().map(|value| on.dialect.literal(*value)));
            }
            Some(value) => all.push(on.dialect.literal(value)),
            None => return Err(UnsupportedConstruct::operation(expr.span, "in")),
        }
    }
    let value = on.write(value)?;
    if all.is_empty() {
        return Ok(format!("(CASE WHEN {value} IS NOT NULL THEN FALSE END)"));
    }
    Ok(format!("({value} IN ({}))", all.join(", ")))
}

/// The value of a literal or a parameter.
pub(super) fn constant(on: &Expressions<'_>, expr: &Expr) -> Option<Value> {
    match expr.kind {
        ExprKind::Const(value) => Some(value),
        ExprKind::Param(param) => Some(on.program[param].value),
        _ => None,
    }
}

fn one(on: &Expressions<'_>, op: Op, a: &str) -> Option<String> {
    let wide = || format!("CAST({a} AS {})", on.dialect.wide());
    Some(match op {
        Op::Not => format!("(NOT {a})"),
        Op::NegInt => int(on, &format!("(-{})", wide())),
        Op::AbsInt => int(on, &format!("ABS({})", wide())),
        Op::NegFloat => on.dialect.finite(&format!("(-{a})")),
        Op::AbsFloat => on.dialect.finite(&format!("ABS({a})")),
        Op::FloatOfInt => of_int(on, a),
        Op::IntOfFloat => whole(on, &on.dialect.truncated(a)),
        Op::Floor => whole(on, &on.dialect.floor(a)),
        Op::Ceil => whole(on, &on.dialect.ceil(a)),
        Op::Round => whole(on, &rounded(on, a)),
        Op::Sqrt => {
            on.dialect.finite(&format!("SQRT(CASE WHEN {a} >= {} THEN {a} END)", on.dialect.literal(zero())))
        }
        Op::Seconds => share(on, a, 1e6),
        Op::Minutes => share(on, a, 6e7),
        Op::Hours => share(on, a, 3.6e9),
        Op::Days => share(on, a, 8.64e10),
        Op::Hour => format!("CAST({} AS BIGINT)", on.dialect.quotient(&modulo(a, DAY), &HOUR.to_string())),
        Op::Minute => {
            format!("CAST({} AS BIGINT)", on.dialect.quotient(&modulo(a, HOUR), &MINUTE.to_string()))
        }
        Op::Weekday => {
            let days = on.dialect.quotient(&format!("({a} - {})", modulo(a, DAY)), &DAY.to_string());
            modulo(&format!("(CAST({days} AS BIGINT) + 3)"), 7)
        }
        Op::StringOf(Type::String | Type::Name) => a.to_owned(),
        Op::StringOf(Type::Int | Type::Bool) => on.dialect.text_of(a),
        Op::Len => format!("CAST(LENGTH({a}) AS BIGINT)"),
        _ => return None,
    })
}

fn two(on: &Expressions<'_>, op: Op, a: &str, b: &str) -> Option<String> {
    let symbol = match op {
        Op::NotEqual => "<>",
        _ => op.name(),
    };
    Some(match op {
        Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
            format!("({a} {symbol} {b})")
        }
        Op::LessText | Op::LessEqualText | Op::GreaterText | Op::GreaterEqualText => {
            format!("({a} {symbol} {b})")
        }
        Op::AddInt | Op::SubInt | Op::MulInt => int(on, &wide(on, a, symbol, b)),
        Op::AddTime | Op::SubTime => time(on, &wide(on, a, symbol, b)),
        Op::DivInt => {
            let left = format!("CAST({a} AS {})", on.dialect.wide());
            int(on, &on.dialect.quotient(&left, &format!("NULLIF({b}, 0)")))
        }
        Op::RemInt => int(on, &wide(on, a, "%", &format!("NULLIF({b}, 0)"))),
        Op::AddFloat | Op::SubFloat | Op::MulFloat => on.dialect.finite(&format!("({a} {symbol} {b})")),
        Op::DivFloat => on.dialect.finite(&format!("({a} / NULLIF({b}, {}))", on.dialect.literal(zero()))),
        Op::DivDuration => {
            let (a, b) = (of_int(on, a), of_int(on, b));
            on.dialect.finite(&format!("({a} / NULLIF({b}, {}))", on.dialect.literal(zero())))
        }
        Op::Min | Op::MinText => least(a, b),
        Op::Max | Op::MaxText => greatest(a, b),
        Op::Truncate => {
            let step = format!("(CASE WHEN {b} > 0 THEN {b} END)");
            let left = format!("CAST({a} AS {})", on.dialect.wide());
            time(on, &format!("({left} - ((({left} % {step}) + {step}) % {step}))"))
        }
        _ => return of_texts(on, op, a, b),
    })
}

fn of_texts(on: &Expressions<'_>, op: Op, a: &str, b: &str) -> Option<String> {
    use super::dialect::Dialect::{DuckDb, Postgres, Spark};
    Some(match (op, on.dialect) {
        (Op::Contains, DuckDb | Spark) => format!("CONTAINS({a}, {b})"),
        (Op::Contains, Postgres) => format!("(STRPOS({a}, {b}) > 0)"),
        (Op::StartsWith, DuckDb | Postgres) => format!("STARTS_WITH({a}, {b})"),
        (Op::StartsWith, Spark) => format!("STARTSWITH({a}, {b})"),
        (Op::EndsWith, Spark) => format!("ENDSWITH({a}, {b})"),
        (Op::EndsWith, DuckDb) => format!("ENDS_WITH({a}, {b})"),
        (Op::EndsWith, Postgres) => format!("(RIGHT({a}, LENGTH({b})) = {b})"),
        (Op::Concat, _) => text(on, &format!("({a} || {b})")),
        _ => return None,
    })
}

fn more(on: &Expressions<'_>, op: Op, args: &[&str]) -> Option<String> {
    Some(match (op, args) {
        (Op::Clamp | Op::ClampText, [x, low, high]) => least(&greatest(x, low), high),
        (Op::Concat, parts) => text(on, &format!("({})", parts.join(" || "))),
        (Op::Replace, [of, from, to]) => text(on, &format!("REPLACE({of}, {from}, {to})")),
        (Op::Substring, [of, start, length]) => format!(
            "(CASE WHEN {start} >= 0 AND {length} >= 0 AND {start} <= LENGTH({of}) THEN SUBSTRING({of}, \
             CAST({start} + 1 AS INTEGER), CAST(LEAST({length}, LENGTH({of})) AS INTEGER)) END)"
        ),
        _ => return None,
    })
}

fn wide(on: &Expressions<'_>, a: &str, symbol: &str, b: &str) -> String {
    format!("(CAST({a} AS {}) {symbol} {b})", on.dialect.wide())
}

fn int(on: &Expressions<'_>, wide: &str) -> String {
    on.dialect.narrowed(wide, i64::MIN, i64::MAX)
}

fn time(on: &Expressions<'_>, wide: &str) -> String {
    on.dialect.narrowed(wide, FIRST_TIME, LAST_TIME)
}

/// The text, unknown where it is longer than a text may be.
fn text(on: &Expressions<'_>, text: &str) -> String {
    format!("(CASE WHEN {} <= {LONGEST_TEXT} THEN {text} END)", on.dialect.bytes(text))
}

/// The nearest float.
fn of_int(on: &Expressions<'_>, a: &str) -> String {
    format!("CAST({a} AS {})", on.dialect.ty(Type::Float))
}

/// A duration in units of so many microseconds.
fn share(on: &Expressions<'_>, a: &str, unit: f64) -> String {
    format!("({} / {})", of_int(on, a), float(on, unit))
}

fn float(on: &Expressions<'_>, value: f64) -> String {
    on.dialect.literal(Float::new(value).map_or_else(zero, Value::Float))
}

/// A float without a fraction as an int; unknown beyond 64 bits.
fn whole(on: &Expressions<'_>, float_text: &str) -> String {
    let limit = 9_223_372_036_854_775_808.0;
    let (least, beyond) = (float(on, -limit), float(on, limit));
    format!(
        "(CASE WHEN {float_text} >= {least} AND {float_text} < {beyond} THEN CAST({float_text} AS BIGINT) END)"
    )
}

/// Halves away from zero; the fraction is exact.
fn rounded(on: &Expressions<'_>, a: &str) -> String {
    let (half, one) = (float(on, 0.5), float(on, 1.0));
    let zero = on.dialect.literal(zero());
    let truncated = on.dialect.truncated(a);
    let fraction = format!("({a} - {truncated})");
    format!(
        "({truncated} + CASE WHEN {fraction} >= {half} THEN {one} WHEN {fraction} <= -{half} THEN -{one} ELSE {zero} END)"
    )
}

/// What is left of a division by a positive number, at least 0.
fn modulo(a: &str, by: i64) -> String {
    format!("((({a} % {by}) + {by}) % {by})")
}

fn least(a: &str, b: &str) -> String {
    format!("(CASE WHEN {a} <= {b} THEN {a} WHEN {b} < {a} THEN {b} END)")
}

fn greatest(a: &str, b: &str) -> String {
    format!("(CASE WHEN {a} >= {b} THEN {a} WHEN {b} > {a} THEN {b} END)")
}
