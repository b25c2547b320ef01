//! Types of aggregates that have a body of their own.

use crate::builtins::expr::Expr;
use crate::builtins::term::Term;
use hence_core::fault::broken;
use hence_core::schema::ColumnType;
use hence_core::symbol::Symbol;

use super::checked::{Aggregated, Literal};
use super::clause::Inner;
use super::codes;
use super::prose::a;
use super::rules::variables;
use super::typing::Typer;
use super::values::error;

impl Typer<'_> {
    /// The typed aggregate; the types of the variables that it shares are known, and that of the variable that it binds
    /// is known from here on.
    pub(super) fn aggregated(&mut self, inner: &Inner<'_>) -> Option<Literal> {
        let mut typer = Typer::new(self.names, self.sources, &inner.vars);
        for (rule, own, _) in &inner.shared {
            typer.known[*own] = self.known(*rule).clone();
        }
        let binders = typer.learn(&inner.clauses, &inner.bound);
        let body = typer.literals(&inner.clauses, binders);
        let function = inner.of.span;
        let found = typer.aggregate(inner.of.name, &inner.of.args, function);
        let variables = variables(&typer);
        self.out.append(&mut typer.out);
        self.poisoned |= typer.poisoned;
        let (Term::Aggregate { aggregate, args, .. }, ty) = found? else {
            broken("the function of an aggregate is an aggregate");
        };
        if let Some(var) = inner.binds {
            self.meet(var, &ty, inner.span);
        }
        let target = self.target(inner, &ty)?;
        let shared = inner.shared.iter().map(|(rule, own, _)| (*rule, *own)).collect();
        let text = Symbol::new(&hence_syntax::aggregate_text(inner.of));
        let (binds, body, span) = (inner.binds, body?, inner.span);
        let of =
            Aggregated { target, binds, aggregate, ty, args, body, variables, shared, text, function, span };
        Some(Literal::Aggregate(Box::new(of)))
    }

    /// What equals the value, which has its type.
    fn target(&mut self, inner: &Inner<'_>, ty: &ColumnType) -> Option<Expr> {
        let target = self.expr(&inner.of.target)?;
        if target.ty == ty.ty {
            return Some(target);
        }
        let (text, name) = (self.sources.slice(target.span), inner.of.name.name);
        let message = format!("`{text}` is {}, but this `{name}` gives {}", a(target.ty), a(ty.ty));
        let fault = error(codes::WRONG_TYPE, message, target.span);
        self.fail(fault.help("bind the value to a variable of its own, and compare that"))
    }
}
