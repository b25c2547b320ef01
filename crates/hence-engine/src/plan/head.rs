//! The expressions of a head: plain terms, keys of a limit, arguments of aggregates.

use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::ir::{Limit, Rule, Term};

use super::expr::CompiledExpr;
use super::frame::Frame;

/// The terms of the head that are no aggregates.
pub(crate) fn plain(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => Some(expr),
        Term::Aggregate { .. } => None,
    })
}

/// The terms of the head without the rank.
pub(crate) fn unranked<'r>(rule: &'r Rule, limit: &'r Limit) -> impl Iterator<Item = &'r Expr> {
    plain(rule).filter(|term| !is_rank(limit, term))
}

/// Whether a term of the head takes the rank.
pub(crate) fn is_rank(limit: &Limit, term: &Expr) -> bool {
    matches!((limit.rank, &term.kind), (Some(rank), ExprKind::Var(var)) if rank == *var)
}

/// The compiled head, as [`super::steps::Plan::head`] lists it.
pub(crate) fn compile_head(rule: &Rule, frame: &mut Frame) -> Vec<CompiledExpr> {
    let mut compiled = |expr: &Expr| CompiledExpr::new(expr, frame);
    if let Some(limit) = &rule.limit {
        let keys = std::iter::once(&limit.count).chain(limit.by.iter().map(|(key, _)| key));
        let mut head: Vec<_> = keys.map(&mut compiled).collect();
        head.extend(limit.per.iter().map(|var| CompiledExpr::Slot((*var).into())));
        head.extend(unranked(rule, limit).map(compiled));
        return head;
    }
    let args = rule.terms.iter().flat_map(|term| match term {
        Term::Aggregate { args, .. } => args.as_slice(),
        Term::Expr(_) => &[],
    });
    plain(rule).chain(args).map(compiled).collect()
}
