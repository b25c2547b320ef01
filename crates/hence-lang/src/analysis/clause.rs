//! The forms of literals whose names are resolved: what each binds, and what it needs to be bound.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::builtins::expr::VarId;
use hence_core::schema::RelationId;
use hence_core::span::{Sources, Span};
use hence_syntax::tree::{BinaryOp, BodyAggregate, Expr, ExprKind};

use super::bind::Bound;
use super::safety::{Role, Uses};
use super::uses::{Vars, for_each_use, is_empty_list, lone, size};

/// A literal whose names are resolved.
#[derive(Debug)]
pub(super) enum Clause<'t> {
    /// An atom; `None` is a column that matches anything.
    Atom {
        negated: bool,
        relation: RelationId,
        args: Vec<Option<&'t Expr>>,
        within: Option<&'t Expr>,
        span: Span,
    },
    /// Something that must hold.
    Condition { expr: Cow<'t, Expr>, span: Span },
    /// `X = e` that binds `X`.
    Bind { var: VarId, expr: Expr, span: Span },
    /// `X in generator(…)`, `X in [list]`, `X in parameter`: `args` are the expressions in its right side.
    Each { var: VarId, bound: bool, right: &'t Expr, args: &'t [Expr], span: Span },
    /// `N = count { … }`.
    Aggregate(Box<Inner<'t>>),
    /// Something faulty that was reported; its variables are taken as bound, so that nothing follows from it.
    Broken { vars: Vec<VarId> },
}

/// An aggregate whose names are resolved.
#[derive(Debug)]
pub(super) struct Inner<'t> {
    pub(super) of: &'t BodyAggregate,
    /// The variable that it binds.
    pub(super) binds: Option<VarId>,
    /// The variables of the inner body.
    pub(super) vars: Vars,
    /// The variables that give the group: as the rule knows each, as the inner body does, and where it is first used there.
    pub(super) shared: Vec<(VarId, VarId, Span)>,
    pub(super) clauses: Vec<Clause<'t>>,
    pub(super) bound: Bound,
    pub(super) span: Span,
}

/// A way in which a clause can bind a variable.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) var: VarId,
    /// Whether the variable is the left side of an `=`, or what stands before `in`.
    pub(super) left: bool,
    /// The variables that must be bound before, each once, in the order of the text.
    pub(super) reads: Vec<VarId>,
    /// Of several ways to bind one variable the one with the smallest weight is taken, its text as it is printed: the
    /// choice must depend neither on the order of the literals nor on their layout and parentheses.
    pub(super) weight: (usize, String),
    /// The clause.
    pub(super) span: Span,
}

/// What each form binds, and what it needs to be bound.
impl Clause<'_> {
    /// The variables that it binds whatever else is bound.
    pub(super) fn binds(&self, vars: &Vars) -> Vec<VarId> {
        match self {
            Self::Atom { negated: false, args, .. } => {
                args.iter().flatten().filter_map(|arg| lone(arg, vars)).collect()
            }
            Self::Broken { vars } => vars.clone(),
            Self::Atom { .. }
            | Self::Condition { .. }
            | Self::Bind { .. }
            | Self::Each { .. }
            | Self::Aggregate(_) => Vec::new(),
        }
    }

    /// The ways in which it can bind a variable once others are bound.
    pub(super) fn ways(&self, vars: &Vars, sources: &Sources) -> Vec<Way> {
        let reads = |exprs: &[Expr]| {
            let (mut reads, mut seen) = (Vec::new(), HashSet::new());
            for expr in exprs {
                for_each_use(expr, sources, &mut |name, _| {
                    reads.extend(vars.get(name).filter(|var| seen.insert(*var)));
                });
            }
            reads
        };
        match self {
            Self::Each { right, .. } if is_empty_list(right) => Vec::new(),
            Self::Each { var, right, args, span, .. } => {
                let weight = (1 + args.iter().map(size).sum::<usize>(), hence_syntax::expr_text(right));
                vec![Way { var: *var, left: true, reads: reads(args), weight, span: *span }]
            }
            Self::Aggregate(inner) => {
                let way = |var| Way {
                    var,
                    left: true,
                    reads: inner.shared.iter().map(|(rule, ..)| *rule).collect(),
                    weight: (usize::MAX, hence_syntax::aggregate_text(inner.of)),
                    span: inner.span,
                };
                lone(&inner.of.target, vars).map(way).into_iter().collect()
            }
            Self::Condition { expr, span } => {
                let ExprKind::Binary(BinaryOp::Equal, left, right) = &expr.kind else { return Vec::new() };
                let (one, other) = (lone(left, vars), lone(right, vars));
                // `X = X` says nothing of X.
                let sides = [(one, right, true), (other, left, false)].into_iter().filter(|_| one != other);
                let way = |(var, source, left): (Option<VarId>, &Expr, bool)| {
                    let weight = (size(source), hence_syntax::expr_text(source));
                    Some(Way {
                        var: var?,
                        left,
                        reads: reads(std::slice::from_ref(source)),
                        weight,
                        span: *span,
                    })
                };
                sides.filter_map(|(var, source, left)| way((var, source, left))).collect()
            }
            Self::Atom { .. } | Self::Bind { .. } | Self::Broken { .. } => Vec::new(),
        }
    }

    /// Binds in the way that has this for `left`; in none, it tests what something else binds.
    pub(super) fn choose(&mut self, left: Option<bool>, vars: &Vars) {
        match (&mut *self, left) {
            (Self::Each { bound, .. }, None) => *bound = true,
            (Self::Aggregate(inner), Some(_)) => inner.binds = lone(&inner.of.target, vars),
            (Self::Condition { expr, span }, Some(left)) => {
                if let ExprKind::Binary(_, a, b) = &expr.kind {
                    let (target, source) = if left { (a, b) } else { (b, a) };
                    if let Some(var) = lone(target, vars) {
                        let (expr, span) = (source.as_ref().clone(), *span);
                        *self = Self::Bind { var, expr, span };
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds to `uses` what must be bound for it.
    pub(super) fn add_uses(&self, uses: &mut Uses, vars: &Vars, sources: &Sources) {
        match self {
            Self::Atom { negated, args, .. } => {
                for arg in args.iter().flatten() {
                    match (negated, lone(arg, vars)) {
                        (true, _) => uses.expr(arg, Role::Negated, vars, sources),
                        (false, Some(_)) => {}
                        (false, None) => uses.expr(arg, Role::Argument, vars, sources),
                    }
                }
            }
            Self::Condition { expr, .. } => uses.expr(expr, Role::Condition, vars, sources),
            Self::Bind { expr, .. } => uses.expr(expr, Role::Condition, vars, sources),
            Self::Each { var, bound, args, span, .. } => {
                if *bound {
                    uses.var(*var, *span, Role::Condition);
                }
                args.iter().for_each(|arg| uses.expr(arg, Role::Generator, vars, sources));
            }
            Self::Aggregate(inner) => {
                inner.shared.iter().for_each(|(var, _, span)| uses.var(*var, *span, Role::Shared));
                if inner.binds.is_none() {
                    uses.expr(&inner.of.target, Role::Condition, vars, sources);
                }
            }
            Self::Broken { .. } => {}
        }
    }
}
