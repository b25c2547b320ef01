//! The parts of rules, literals and terms by their role. Who matches on the form of a literal says what that form means;
//! all others ask here, so that a new form is answered for once.

use std::collections::BTreeSet;

use hence_core::span::Span;
use hence_core::value::Word;

use crate::builtins::expr::{Expr, ParamId, VarId};
use crate::builtins::generator::Elements;

use super::{Arg, Atom, Literal, Rule};

impl Literal {
    /// Its place in the text.
    pub fn span(&self) -> Span {
        match self {
            Self::Atom(atom) | Self::Not(atom) => atom.span,
            Self::Bind { span, .. } | Self::Test { span, .. } | Self::Each { span, .. } => *span,
        }
    }

    /// The atom, positive or negated.
    pub fn atom(&self) -> Option<&Atom> {
        self.positive().or_else(|| self.negated())
    }

    /// The atom of which the literal chooses a fact.
    pub fn positive(&self) -> Option<&Atom> {
        match self {
            Self::Atom(atom) => Some(atom),
            Self::Not(_) | Self::Bind { .. } | Self::Test { .. } | Self::Each { .. } => None,
        }
    }

    /// The atom of which no fact may match.
    pub fn negated(&self) -> Option<&Atom> {
        match self {
            Self::Not(atom) => Some(atom),
            Self::Atom(_) | Self::Bind { .. } | Self::Test { .. } | Self::Each { .. } => None,
        }
    }

    /// The variable that the literal computes.
    pub fn computed(&self) -> Option<VarId> {
        match self {
            Self::Bind { var, .. } | Self::Each { var, .. } => Some(*var),
            Self::Atom(_) | Self::Not(_) | Self::Test { .. } => None,
        }
    }

    /// The expressions that it evaluates, in the order of the text.
    pub fn exprs(&self) -> &[Expr] {
        match self {
            Self::Bind { expr, .. } | Self::Test { expr, .. } => std::slice::from_ref(expr),
            Self::Each { args, .. } => args,
            Self::Atom(_) | Self::Not(_) => &[],
        }
    }

    /// The same, to be changed.
    pub fn exprs_mut(&mut self) -> &mut [Expr] {
        match self {
            Self::Bind { expr, .. } | Self::Test { expr, .. } => std::slice::from_mut(expr),
            Self::Each { args, .. } => args,
            Self::Atom(_) | Self::Not(_) => &mut [],
        }
    }

    /// Whether a match chooses one of several here: a fact, or an element.
    pub fn chooses(&self) -> bool {
        match self {
            Self::Atom(_) | Self::Each { .. } => true,
            Self::Not(_) | Self::Bind { .. } | Self::Test { .. } => false,
        }
    }

    /// Whether it goes through elements.
    pub fn generates(&self) -> bool {
        self.chooses() && self.atom().is_none()
    }

    /// What comes of the values of its [expressions](Self::exprs): what the [variable](Self::computed) takes in one match
    /// each; a condition has `true` where it holds, and nothing where it doesn't. Atoms, which evaluate nothing, have
    /// nothing.
    pub fn outcomes(&self, values: &[Word]) -> Elements {
        match self {
            Self::Bind { .. } => Box::new(values.first().copied().into_iter()),
            Self::Test { .. } => {
                Box::new(values.first().copied().filter(|value| value.as_bool()).into_iter())
            }
            Self::Each { generator, .. } => generator.elements(values),
            Self::Atom(_) | Self::Not(_) => Box::new(std::iter::empty()),
        }
    }

    /// The variables that it binds: those of its positive atom, or the one that it computes.
    pub fn binds(&self) -> impl Iterator<Item = VarId> + '_ {
        self.positive().into_iter().flat_map(Atom::vars).chain(self.computed())
    }

    /// Calls `visit` with each variable that it needs bound: those of its negated atom and of its expressions.
    pub fn for_each_needed(&self, visit: &mut impl FnMut(VarId)) {
        self.negated().into_iter().flat_map(Atom::vars).for_each(&mut *visit);
        self.exprs().iter().for_each(|expr| expr.for_each_var(visit));
    }

    /// Whether every variable that it needs bound is known.
    pub fn is_ready(&self, known: impl Fn(VarId) -> bool) -> bool {
        let mut all = true;
        self.for_each_needed(&mut |var| all &= known(var));
        all
    }

    /// Whether it can be matched: what it needs is bound, and of its positive atom whatever a literal computes.
    pub fn can_follow(&self, bound: &BTreeSet<VarId>, computed: &BTreeSet<VarId>) -> bool {
        let mut read = self.positive().into_iter().flat_map(Atom::vars).filter(|var| computed.contains(var));
        read.all(|var| bound.contains(&var)) && self.is_ready(|var| bound.contains(&var))
    }

    /// Calls `visit` with each of its variables, once for each occurrence.
    pub fn for_each_var(&self, visit: &mut impl FnMut(VarId)) {
        self.binds().for_each(&mut *visit);
        self.for_each_needed(visit);
    }

    /// Whether it reads a parameter.
    pub fn reads_param(&self, param: ParamId) -> bool {
        self.atom().is_some_and(|atom| atom.args.contains(&Arg::Param(param)))
            || self.exprs().iter().any(|expr| expr.reads_param(param))
    }

    /// Whether some operation of it may be undefined.
    pub fn may_fail(&self) -> bool {
        self.exprs().iter().any(Expr::may_fail)
    }
}

impl Atom {
    /// The variables, once for each occurrence.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Any | Arg::Const(_) | Arg::Param(_) => None,
        })
    }
}

/// The variables that some order of the literals binds, beside those that are bound before.
pub fn bound(body: &[Literal], mut bound: BTreeSet<VarId>) -> BTreeSet<VarId> {
    let computed: BTreeSet<VarId> = body.iter().filter_map(Literal::computed).collect();
    loop {
        let before = bound.len();
        for literal in body {
            if literal.can_follow(&bound, &computed) {
                bound.extend(literal.binds());
            }
        }
        if bound.len() == before {
            return bound;
        }
    }
}

impl Rule {
    /// The positive atoms of the body, in order.
    pub fn positive(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().filter_map(Literal::positive)
    }

    /// The variables that literals of the body compute, in order.
    pub fn computed(&self) -> impl Iterator<Item = VarId> + '_ {
        self.body.iter().filter_map(Literal::computed)
    }

    /// Whether it reads a parameter.
    pub fn reads_param(&self, param: ParamId) -> bool {
        let limit = self.limit.iter().flat_map(|limit| limit.keys().chain([&limit.count]));
        self.body.iter().any(|literal| literal.reads_param(param))
            || self.head_exprs().chain(limit).any(|expr| expr.reads_param(param))
    }
}
