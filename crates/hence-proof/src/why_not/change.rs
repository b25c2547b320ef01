//! What could be changed: facts asserted or retracted, parameters set, and by how much at least.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind};

use super::want::{beyond, comparison, mirror};

/// One change of what a rule set starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// Whether one of them is for a person to make: of an input with `from`, or what a guarded decision requires.
    pub needs_human: bool,
    /// The roles of those who may make the changes.
    pub needs: Vec<Symbol>,
    /// For each change the roles one of which somebody needs for it; none where anyone may make it.
    pub by: Vec<Vec<Symbol>>,
    /// The facts asked for that hold after them, at most a few.
    pub derives: Vec<Fact>,
}

/// An instant on the other side of which the fact holds, as an evaluation has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    /// In microseconds since the epoch.
    pub at: i64,
    /// Whether it is still to come: the fact holds from then on; else it held until then.
    pub later: bool,
}

/// Remedies, fewest changes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remedies {
    /// When it holds if nothing but the clock changes, nearest first.
    pub instants: Vec<Instant>,
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
                let Some(name) = comparison(name) else { return Vec::new() };
                let one = adjustment(left, right, name);
                one.into_iter().chain(adjustment(right, left, mirror(name))).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
