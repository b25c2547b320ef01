//! Aggregates whose value SQL gives to the bit; all others are refused.
//!
//! Sums of floats are exact in rules, so they are added here as whole multiples of 2^-62. Values that are none, or larger
//! than 2^20, give NULL, which no column of a derived relation takes: the script stops.

use hence_core::span::Span;
use hence_core::value::{Float, Type, Value};
use hence_lang::builtins::aggregate::Aggregate;

use super::dialect::{Dialect, zero};
use super::refusal::{UnsupportedConstruct, Written};

/// The largest float whose sums are added.
const LARGEST: f64 = 1_048_576.0;
/// 2^62.
const UNITS: f64 = 4_611_686_018_427_387_904.0;
/// 2^40.
const HALF_WAY: i64 = 1 << 40;

/// The aggregate over columns of matches.
pub(super) fn write(
    dialect: Dialect,
    span: Span,
    aggregate: Aggregate,
    types: &[Type],
    args: &[&str],
) -> Written {
    Ok(match (aggregate, types, args) {
        (Aggregate::Count, ..) => String::from("COUNT(*)"),
        (Aggregate::CountDistinct, _, [a]) => format!("COUNT(DISTINCT {a})"),
        (Aggregate::Any, _, [a]) | (Aggregate::Max, [Type::Bool], [a]) => format!("BOOL_OR({a})"),
        (Aggregate::All, _, [a]) | (Aggregate::Min, [Type::Bool], [a]) => format!("BOOL_AND({a})"),
        (Aggregate::Min, _, [a]) => format!("MIN({a})"),
        (Aggregate::Max, _, [a]) => format!("MAX({a})"),
        (Aggregate::ArgMin, _, [a, by]) => dialect.first(a, by, false),
        (Aggregate::ArgMax, _, [a, by]) => dialect.first(a, by, true),
        (Aggregate::Sum, [Type::Float], [a]) => float_sum(dialect, a),
        (Aggregate::Sum, _, [a]) => dialect.narrowed(&dialect.sum(a), i64::MIN, i64::MAX),
        (Aggregate::Mean, [Type::Int], [a]) => int_mean(dialect, a),
        (Aggregate::Mean, [Type::Float], [a]) => float_mean(dialect, a),
        _ => {
            let way_out = "keep this aggregate in hence, or let a smaller rule set be compiled";
            return Err(UnsupportedConstruct::new(
                span,
                format!("`{}` of these types", aggregate.name()),
                way_out,
            ));
        }
    })
}

fn float(dialect: Dialect, value: f64) -> String {
    dialect.literal(Float::new(value).map_or_else(zero, Value::Float))
}

/// The mean of ints whose sum a float holds exactly: one division, rounded once.
fn int_mean(dialect: Dialect, a: &str) -> String {
    let (sum, ty) = (dialect.sum(a), dialect.ty(Type::Float));
    format!(
        "(CASE WHEN ABS({sum}) <= 9007199254740992 THEN CAST({sum} AS {ty}) / CAST(COUNT(*) AS {ty}) END)"
    )
}

/// The values added up as multiples of 2^-62; NULL where a value is none.
fn multiples(dialect: Dialect, a: &str) -> String {
    let wide = dialect.wide();
    let (most, units, half) =
        (float(dialect, LARGEST), float(dialect, UNITS), float(dialect, HALF_WAY as f64));
    let whole = format!("({a} * {units})");
    let high = dialect.truncated(&format!("({whole} / {half})"));
    let one = format!(
        "CASE WHEN ABS({a}) <= {most} AND {whole} = {} THEN CAST(CAST({high} AS BIGINT) AS {wide}) * \
         {HALF_WAY} + CAST({whole} - {high} * {half} AS BIGINT) END",
        dialect.truncated(&whole)
    );
    format!("(CASE WHEN COUNT({one}) = COUNT(*) THEN SUM({one}) END)")
}

/// The float nearest to a whole number: a text is read with one rounding.
fn nearest(dialect: Dialect, whole: &str) -> String {
    format!("CAST(CAST({whole} AS {}) AS {})", dialect.ty(Type::String), dialect.ty(Type::Float))
}

fn float_sum(dialect: Dialect, a: &str) -> String {
    format!("({} / {})", nearest(dialect, &multiples(dialect, a)), float(dialect, UNITS))
}

/// The quotient with at least 55 digits, of which the last is odd where a rest is left: so it is rounded once.
fn float_mean(dialect: Dialect, a: &str) -> String {
    let sum = multiples(dialect, a);
    let divided = |shift: i64, enough: i64| {
        let shifted = format!("(ABS({sum}) * {shift})");
        let quotient = dialect.quotient(&shifted, "COUNT(*)");
        let odd = format!("(CASE WHEN {shifted} % COUNT(*) <> 0 AND {quotient} % 2 = 0 THEN 1 ELSE 0 END)");
        let rounded = nearest(dialect, &format!("({quotient} + {odd})"));
        let (units, shift) = (float(dialect, UNITS), float(dialect, shift as f64));
        format!(
            "WHEN {shifted} >= CAST(COUNT(*) AS {}) * {enough} THEN {rounded} / {units} / {shift}",
            dialect.wide()
        )
    };
    let zero = dialect.literal(zero());
    format!(
        "(CASE WHEN {sum} = 0 THEN {zero} {} {} END * CASE WHEN {sum} < 0 THEN -1 ELSE 1 END)",
        divided(1, 1 << 55),
        divided(HALF_WAY, 1 << 55),
    )
}
