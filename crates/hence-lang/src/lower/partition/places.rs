//! Terms of a rule that are equal in each of its matches.

use std::collections::BTreeMap;

use hence_core::value::Value;

use crate::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use crate::builtins::op::Op;
use crate::ir::{Arg, Literal, Rule};

/// Terms that are equal, by one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A variable.
    Var(VarId),
    /// A literal.
    Const(Value),
    /// A parameter.
    Param(ParamId),
}

/// What each variable of a rule equals.
pub(super) struct Places(BTreeMap<VarId, Place>);

impl Places {
    /// By the equalities of the body.
    pub(super) fn of(rule: &Rule) -> Self {
        let mut places = Self(BTreeMap::new());
        for literal in &rule.body {
            match literal {
                Literal::Bind { var, expr, .. } => {
                    if let Some(value) = place(expr) {
                        places.join(Place::Var(*var), value);
                    }
                }
                Literal::Test { expr, .. } => {
                    if let ExprKind::Call(Op::Equal, sides) = &expr.kind
                        && let [left, right] = sides.as_slice()
                        && let (Some(left), Some(right)) = (place(left), place(right))
                    {
                        places.join(left, right);
                    }
                }
                _ => {}
            }
        }
        places
    }

    fn join(&mut self, left: Place, right: Place) {
        match (self.last(left), self.last(right)) {
            (left, right) if left == right => {}
            (Place::Var(var), other) | (other, Place::Var(var)) => {
                self.0.insert(var, other);
            }
            _ => {}
        }
    }

    /// The term that stands for all that equal `place`. A term leads to one that joined others later, so this ends.
    fn last(&self, mut place: Place) -> Place {
        while let Place::Var(var) = place {
            match self.0.get(&var) {
                Some(next) => place = *next,
                None => break,
            }
        }
        place
    }

    /// What a variable equals.
    pub(super) fn of_var(&self, var: VarId) -> Place {
        self.last(Place::Var(var))
    }

    /// What an argument equals.
    pub(super) fn of_arg(&self, arg: Arg) -> Option<Place> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => Some(self.of_var(var)),
            Arg::Const(value) => Some(Place::Const(value)),
            Arg::Param(param) => Some(Place::Param(param)),
        }
    }

    /// What an expression equals, if it is a term.
    pub(super) fn of_expr(&self, expr: &Expr) -> Option<Place> {
        place(expr).map(|place| self.last(place))
    }
}

fn place(expr: &Expr) -> Option<Place> {
    match &expr.kind {
        ExprKind::Var(var) => Some(Place::Var(*var)),
        ExprKind::Const(value) => Some(Place::Const(*value)),
        ExprKind::Param(param) => Some(Place::Param(*param)),
        _ => None,
    }
}
