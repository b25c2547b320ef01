//! What could be changed: facts asserted or retracted, parameters set, and by how much at least.

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind};

/// One change of what a rule set starts from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Assert a fact; for each column, whether any other value would do as well.
    Assert(Fact, Vec<bool>),
    /// Retract a fact.
    Retract(Fact),
    /// Set a parameter: its name, its value now, another one.
    Set(Symbol, Value, Value),
}

/// A set of changes after which the fact holds, as an evaluation has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The changes.
    pub changes: Vec<Change>,
    /// Whether one of them asserts a fact that a guarded decision requires, which is for a person to give.
    pub needs_human: bool,
    /// The facts asked for that hold after them, at most a few.
    pub derives: Vec<Fact>,
}

/// Remedies, fewest changes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remedies {
    /// At most a handful.
    pub found: Vec<Remedy>,
    /// How many sets of changes were evaluated.
    pub tried: usize,
    /// Why the search stopped, where it did before its end.
    pub stopped: Option<String>,
}

/// A side of a failing condition that could take another value to make it hold.
pub(super) struct Adjustment<'e> {
    /// The variable or parameter.
    pub(super) side: &'e Expr,
    /// The value that it would need at least.
    pub(super) word: Word,
}

/// The values of lone variables and parameters that would make a failing condition hold, by the least change.
pub(super) fn adjustments<'e>(expr: &'e Expr, vars: &[Word], params: &[Word]) -> Vec<Adjustment<'e>> {
    let lone = |side: &Expr| matches!(side.kind, ExprKind::Var(_) | ExprKind::Param(_));
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Param(_) => vec![Adjustment { side: expr, word: Word::from_bool(true) }],
        ExprKind::Call(op, args) => match (op.name(), args.as_slice()) {
            ("not", [side]) if lone(side) => vec![Adjustment { side, word: Word::from_bool(false) }],
            (name, [left, right]) => {
                let adjustment = |side: &'e Expr, other: &Expr, name: &str| {
                    let limit = other.eval(vars, params).ok().filter(|_| lone(side))?;
                    Some(Adjustment { side, word: beyond(side.ty, name, limit)? })
                };
                let mirrored = mirror(name);
                adjustment(left, right, name).into_iter().chain(adjustment(right, left, mirrored)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The comparison with its sides exchanged.
fn mirror(name: &str) -> &str {
    match name {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

/// The value nearest to `limit` that compares with it as `name` says; for floats, a step in its last digit.
fn beyond(ty: Type, name: &str, limit: Word) -> Option<Word> {
    let steps = match name {
        "=" | "<=" | ">=" => return Some(limit),
        "<" => -1,
        ">" | "!=" => 1,
        _ => return None,
    };
    match Value::from_word(ty, limit) {
        Value::Int(value) => value.checked_add(steps).map(Word::from_int),
        Value::Time(value) | Value::Duration(value) => {
            value.checked_add(steps.checked_mul(1_000_000)?).map(Word::from_int)
        }
        Value::Float(value) => {
            let text = literal::float_text(value.get());
            let digits = text.split_once('.').map_or(1, |(_, digits)| digits.len()).clamp(1, 6);
            let scale = 10_f64.powi(i32::try_from(digits).ok()?);
            Word::from_float(((value.get() * scale).round() + steps as f64) / scale)
        }
        Value::Bool(value) => Some(Word::from_bool(!value)),
        Value::String(_) | Value::Name(_) | Value::List(_) => None,
    }
}
