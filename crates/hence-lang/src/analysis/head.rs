//! Heads and limits: the typed terms of a head, aggregates among them, and what `limit` keeps.

use crate::builtins::aggregate::{self, Aggregate};
use crate::builtins::expr::{Expr, ExprKind, ParamId};
use crate::builtins::term::{Limit, Term};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::ColumnType;
use hence_core::span::Span;
use hence_core::value::{Type, Value};
use hence_syntax::tree;

use super::body::with_origin;
use super::codes;
use super::declare;
use super::names::{Entry, Slot, is_aggregate, is_function};
use super::prose::a;
use super::typing::Typer;
use super::uses::for_each_use;
use super::values::{conversion, error, negative_limit, not_literal};

/// The aggregate that a term of a head consists of.
pub(super) fn as_aggregate(term: &tree::Expr) -> Option<(tree::Ident, &[tree::Expr])> {
    match &term.kind {
        tree::ExprKind::Call(name, args)
            if is_aggregate(name.name.as_str()) && (!is_function(name.name.as_str()) || args.len() == 1) =>
        {
            Some((*name, args))
        }
        _ => None,
    }
}

impl Typer<'_> {
    /// The typed terms of a head that has as many of them as the relation has columns.
    pub(super) fn head(&mut self, entry: &Entry, written: &[tree::Expr]) -> Option<Vec<Term>> {
        let terms: Vec<_> =
            entry.columns.iter().zip(written).map(|(slot, term)| self.head_term(entry, slot, term)).collect();
        terms.into_iter().collect()
    }

    fn head_term(&mut self, entry: &Entry, slot: &Slot, written: &tree::Expr) -> Option<Term> {
        let (term, ty) = self.term(written)?;
        let Some(wanted) = &slot.ty else {
            return None;
        };
        match term {
            Term::Expr(expr) if entry.declared || expr.ty == wanted.ty => {
                self.fits(expr, entry, slot).map(Term::Expr)
            }
            term if ty.ty == wanted.ty => Some(term),
            term => {
                let fault = column_types(written.span, &ty, wanted, entry, slot);
                self.fail(self.rewritten(fault, &term, wanted))
            }
        }
    }

    /// The fault, with the literal of the wanted type that a literal was meant to be.
    fn rewritten(&self, fault: Diagnostic, term: &Term, wanted: &ColumnType) -> Diagnostic {
        let Term::Expr(expr) = term else { return fault };
        let literal = matches!(expr.kind, ExprKind::Const(Value::Name(_) | Value::String(_)));
        match conversion(expr, self.sources.slice(expr.span), wanted).filter(|_| literal) {
            Some(better) => {
                let help = format!("if this rule is the one that is wrong, write `{better}`");
                fault.help(help).fix(expr.span, better)
            }
            None => fault,
        }
    }

    /// A term of a head with its type.
    pub(super) fn term(&mut self, written: &tree::Expr) -> Option<(Term, ColumnType)> {
        if let Some((name, args)) = as_aggregate(written) {
            return self.aggregate(name, args, written.span);
        }
        let expr = self.expr(written)?;
        let ty = self.column_type(&expr);
        Some((Term::Expr(expr), ty))
    }

    pub(super) fn aggregate(
        &mut self,
        name: tree::Ident,
        written: &[tree::Expr],
        span: Span,
    ) -> Option<(Term, ColumnType)> {
        let word = name.name.as_str();
        let args: Vec<_> = written.iter().map(|arg| self.expr(arg)).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
        if let ("percentile", [_, share]) = (word, args.as_slice())
            && let ExprKind::Const(Value::Int(_)) = share.kind
        {
            return self.no_share(share);
        }
        let Some((function, ty)) = aggregate::resolve(word, &types) else {
            let resolves = |types: &[Type]| aggregate::resolve(word, types).is_some();
            let diagnostic = self.no_operation(word, &args, span, aggregate::signatures(word), resolves);
            return self.fail(diagnostic);
        };
        self.constant_argument(function, &args)?;
        let picked = args.first().filter(|_| function.picks());
        let set = picked.and_then(|arg| self.set_of(arg));
        Some((Term::Aggregate { aggregate: function, args, span }, ColumnType { ty, set }))
    }

    /// The share of `percentile` and the separator of `join` are the same for all matches.
    fn constant_argument(&mut self, function: Aggregate, args: &[Expr]) -> Option<()> {
        let (Some(what), Some(arg)) = (function.constant_argument(), args.last()) else { return Some(()) };
        match arg.kind {
            ExprKind::Const(Value::Float(share)) if !(0.0..=1.0).contains(&share.get()) => self.no_share(arg),
            ExprKind::Const(_) | ExprKind::Param(_) => Some(()),
            _ => self.fail(not_literal(what, arg.span).note("a parameter (`param`) is allowed too")),
        }
    }

    fn no_share<T>(&mut self, share: &Expr) -> Option<T> {
        let message = format!("`{}` is not between 0.0 and 1.0", self.sources.slice(share.span));
        self.fail(
            error(codes::NO_RESULT, message, share.span).help("the 95th percentile is `percentile(X, 0.95)`"),
        )
    }

    /// The typed limit of a rule whose head has the terms `terms`.
    pub(super) fn limit(&mut self, written: &tree::Limit) -> Option<Limit> {
        let count = self.limit_count(&written.count);
        let by: Vec<_> = written.by.iter().map(|(key, down)| Some((self.expr(key)?, *down))).collect();
        let by = by.into_iter().collect::<Option<Vec<_>>>();
        let per = written.per.iter().map(|ident| self.vars.get(ident.name)).collect::<Option<Vec<_>>>();
        let rank = written.rank.and_then(|ident| self.vars.get(ident.name));
        Some(Limit { count: count?, per: per?, by: by?, rank, span: written.span })
    }

    fn limit_count(&mut self, written: &tree::Expr) -> Option<Expr> {
        let mut variable = None;
        for_each_use(written, self.sources, &mut |name, span| {
            variable = variable.or(Some((name, span)));
        });
        if let Some((name, span)) = variable {
            let message = format!("a limit can't depend on the variable `{name}`");
            return self.fail(
                error(codes::LIMIT_COUNT, message, span)
                    .help("write an int, or the name of an int parameter"),
            );
        }
        let expr = self.expr(written)?;
        if expr.ty != Type::Int {
            let message = format!("expected a limit of type int, found {}", a(expr.ty));
            return self.fail(
                error(codes::LIMIT_COUNT, message, expr.span).help("write an int, such as `limit 10`"),
            );
        }
        let fault = match expr.kind {
            ExprKind::Const(Value::Int(n)) => {
                negative_limit(n, expr.span).map(|fault| fault.help("write an int of at least 0"))
            }
            ExprKind::Param(param) => {
                let param = self.names.params.get(param.at()).or_broken(ParamId::INVARIANT);
                let Value::Int(n) = param.value else { return Some(expr) };
                let help = format!("set `{}` to an int of at least 0", param.name);
                let fault = negative_limit(n, expr.span).map(|fault| fault.help(help));
                fault.map(|fault| declare::with_origin(self.names, param.name, fault))
            }
            _ => None,
        };
        match fault {
            Some(fault) => self.fail(fault),
            None => Some(expr),
        }
    }
}

/// The error for two rules that give one undeclared column two types.
fn column_types(
    span: Span,
    found: &ColumnType,
    wanted: &ColumnType,
    entry: &Entry,
    slot: &Slot,
) -> Diagnostic {
    if entry.declared {
        let message = format!(
            "the column `{}` of `{}` is {}, found {}",
            slot.name,
            entry.name,
            a(wanted.ty),
            a(found.ty)
        );
        return with_origin(error(codes::WRONG_TYPE, message, span), entry, slot);
    }
    let message = format!("the rules for `{}` give its column `{}` two types", entry.name, slot.name);
    let types: Vec<_> = entry.columns.iter().map(|slot| format!("{}: type", slot.name)).collect();
    Diagnostic::new(codes::COLUMN_TYPES, message)
        .at(span, a(found.ty))
        .at(slot.origin, a(wanted.ty))
        .help(format!("declare the type you mean: `relation {}({}).`", entry.name, types.join(", ")))
}
