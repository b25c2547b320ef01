//! The parts of checked literals by their role. Who matches on the form of a literal says what that form means; all
//! others ask here, so that a new form is answered for once.

use super::checked::{Arg, Literal};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use hence_core::schema::RelationId;
use hence_core::span::Span;

/// An atom of a body.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// Whether no fact may match.
    pub negated: bool,
    /// The relation.
    pub relation: RelationId,
    /// An argument for each column.
    pub args: &'a [Arg],
    /// The atom.
    pub span: Span,
}

impl Read<'_> {
    /// The variables that are whole arguments.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Expr(Expr { kind: ExprKind::Var(var), .. }) => Some(*var),
            Arg::Any | Arg::Expr(_) => None,
        })
    }
}

impl Literal {
    /// Its place in the text.
    pub fn span(&self) -> Span {
        match self {
            Self::Atom { span, .. }
            | Self::Bind { span, .. }
            | Self::Test { span, .. }
            | Self::Each { span, .. } => *span,
            Self::Aggregate(of) => of.span,
        }
    }

    fn span_mut(&mut self) -> &mut Span {
        match self {
            Self::Atom { span, .. }
            | Self::Bind { span, .. }
            | Self::Test { span, .. }
            | Self::Each { span, .. } => span,
            Self::Aggregate(of) => &mut of.span,
        }
    }

    /// The atom, positive or negated.
    pub fn atom(&self) -> Option<Read<'_>> {
        match self {
            Self::Atom { negated, relation, args, span } => {
                Some(Read { negated: *negated, relation: *relation, args, span: *span })
            }
            Self::Bind { .. } | Self::Test { .. } | Self::Each { .. } | Self::Aggregate(_) => None,
        }
    }

    /// The body of its own that it has, as an aggregate does.
    pub fn inner(&self) -> &[Self] {
        match self {
            Self::Aggregate(of) => &of.body,
            Self::Atom { .. } | Self::Bind { .. } | Self::Test { .. } | Self::Each { .. } => &[],
        }
    }

    /// The atom of which the literal chooses a fact.
    pub fn positive(&self) -> Option<Read<'_>> {
        self.atom().filter(|atom| !atom.negated)
    }

    /// The variable that the literal computes, and nothing else binds.
    pub fn computed(&self) -> Option<VarId> {
        match self {
            Self::Bind { var, .. } | Self::Each { var, bound: false, .. } => Some(*var),
            Self::Aggregate(of) => of.binds,
            Self::Atom { .. } | Self::Test { .. } | Self::Each { bound: true, .. } => None,
        }
    }

    /// The variables that it binds: those of its positive atom, or the one that it computes.
    pub fn binds(&self) -> Vec<VarId> {
        let atom = self.positive();
        atom.iter().flat_map(Read::vars).chain(self.computed()).collect()
    }

    /// Its expressions over the variables of its own body, in the order of the text, those inside an atom too.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Self::Atom { args, .. } => args.iter().filter_map(Arg::expr).collect(),
            Self::Bind { expr, .. } | Self::Test { expr, .. } => vec![expr],
            Self::Each { args, .. } => args.iter().collect(),
            Self::Aggregate(of) => vec![&of.target],
        }
    }

    /// Its expressions, and those of the body of its own.
    pub fn exprs_within(&self) -> Vec<&Expr> {
        let args: &[Expr] = match self {
            Self::Aggregate(of) => &of.args,
            Self::Atom { .. } | Self::Bind { .. } | Self::Test { .. } | Self::Each { .. } => &[],
        };
        self.exprs().into_iter().chain(args).chain(self.inner().iter().flat_map(Self::exprs)).collect()
    }

    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Self::Atom { args, .. } => args.iter_mut().filter_map(Arg::expr_mut).collect(),
            Self::Bind { expr, .. } | Self::Test { expr, .. } => vec![expr],
            Self::Each { args, .. } => args.iter_mut().collect(),
            Self::Aggregate(of) => of.args.iter_mut().chain([&mut of.target]).collect(),
        }
    }

    /// The literal without its places: two that mean the same are equal.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        *self.span_mut() = Span::default();
        self.exprs_mut().into_iter().for_each(Expr::forget_places);
        if let Self::Aggregate(of) = &mut self {
            of.function = Span::default();
            of.body = std::mem::take(&mut of.body).into_iter().map(Self::without_places).collect();
        }
        self
    }
}

impl Arg {
    /// The expression.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Any => None,
            Self::Expr(expr) => Some(expr),
        }
    }

    fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Self::Any => None,
            Self::Expr(expr) => Some(expr),
        }
    }

    /// The expression, if it is an operation.
    pub fn operation(&self) -> Option<&Expr> {
        self.expr().filter(|expr| !expr.is_leaf())
    }
}
