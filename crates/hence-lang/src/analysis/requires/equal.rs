//! What is equal in every match of a body: variables, literals and parameters, by shared places and `=`.

use std::collections::BTreeMap;

use crate::analysis::checked::Literal;
use crate::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::Term;
use hence_core::value::Value;

/// Something whose equality is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Thing {
    /// A variable of the rule.
    Var(VarId),
    /// A literal.
    Const(Value),
    /// A parameter.
    Param(ParamId),
}

impl Thing {
    /// The expression, if it is no operation.
    pub(crate) fn of(expr: &Expr) -> Option<Self> {
        match expr.kind {
            ExprKind::Var(var) => Some(Self::Var(var)),
            ExprKind::Const(value) => Some(Self::Const(value)),
            ExprKind::Param(param) => Some(Self::Param(param)),
            _ => None,
        }
    }

    /// The term, if it is neither an operation nor an aggregate.
    pub(crate) fn of_term(term: &Term) -> Option<Self> {
        match term {
            Term::Expr(expr) => Self::of(expr),
            Term::Aggregate { .. } => None,
        }
    }
}

/// The classes of equal things of one body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// For each thing that some `=` names, the representative of its class.
    class: BTreeMap<Thing, Thing>,
}

impl Classes {
    pub(crate) fn new(body: &[Literal]) -> Self {
        let mut joined = Joined::default();
        for literal in body {
            match literal {
                Literal::Bind { var, expr, .. } => {
                    if let Some(thing) = Thing::of(expr) {
                        joined.join(Thing::Var(*var), thing);
                    }
                }
                Literal::Test { expr, .. } => joined.test(expr),
                _ => {}
            }
        }
        joined.classes()
    }

    /// Two literals that would have to be equal, if there are such: nothing matches then.
    pub(crate) fn contradiction(&self) -> Option<(Value, Value)> {
        let mut values: BTreeMap<Thing, Value> = BTreeMap::new();
        self.class.iter().find_map(|(thing, class)| {
            let Thing::Const(value) = thing else { return None };
            let first = *values.entry(*class).or_insert(*value);
            (first != *value).then_some((first, *value))
        })
    }

    fn find(&self, thing: Thing) -> Thing {
        self.class.get(&thing).copied().unwrap_or(thing)
    }

    /// Whether both are equal in every match.
    pub(crate) fn equal(&self, left: Thing, right: Thing) -> bool {
        self.find(left) == self.find(right)
    }

    /// The literals that `thing` equals.
    pub(crate) fn consts(&self, thing: Thing) -> impl Iterator<Item = Value> + '_ {
        let class = self.find(thing);
        let own = match thing {
            Thing::Const(value) => Some(value),
            _ => None,
        };
        let others =
            self.class.iter().filter(move |(_, of)| **of == class).filter_map(|(thing, _)| match thing {
                Thing::Const(value) => Some(*value),
                _ => None,
            });
        own.into_iter().chain(others)
    }
}

/// Classes while they are found: a forest in which each thing leads to another one of its class.
#[derive(Default)]
struct Joined {
    parent: BTreeMap<Thing, Thing>,
}

impl Joined {
    /// Takes in an expression that is known to be true.
    fn test(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => self.join(Thing::Var(*var), Thing::Const(Value::Bool(true))),
            ExprKind::And(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExprKind::Call(Op::Equal, sides) => {
                if let [left, right] = &sides[..]
                    && let (Some(left), Some(right)) = (Thing::of(left), Thing::of(right))
                {
                    self.join(left, right);
                }
            }
            ExprKind::Call(Op::Not, args) => {
                if let Some(ExprKind::Var(var)) = args.first().map(|arg| &arg.kind) {
                    self.join(Thing::Var(*var), Thing::Const(Value::Bool(false)));
                }
            }
            _ => {}
        }
    }

    fn join(&mut self, left: Thing, right: Thing) {
        let (kept, gone) = (self.find(left), self.find(right));
        self.parent.insert(gone, kept);
        self.parent.insert(kept, kept);
    }

    /// The representative of a class; the way there is cut short for the next time.
    fn find(&mut self, thing: Thing) -> Thing {
        let mut at = thing;
        while let Some(next) = self.parent.get(&at).copied().filter(|next| *next != at) {
            let after = self.parent.get(&next).copied().unwrap_or(next);
            self.parent.insert(at, after);
            at = after;
        }
        at
    }

    fn classes(mut self) -> Classes {
        let things: Vec<Thing> = self.parent.keys().copied().collect();
        Classes { class: things.into_iter().map(|thing| (thing, self.find(thing))).collect() }
    }
}
