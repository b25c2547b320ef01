//! Ground facts: terms without variables, evaluated to values of their columns.

use crate::builtins::expr::Expr;
use hence_core::diagnostic::Diagnostic;
use hence_core::span::{Sources, Span};
use hence_core::value::{Value, Word};
use hence_syntax::tree;

use super::codes;
use super::draft::arity;
use super::names::{Entry, Names, Slot};
use super::typing::Typer;
use super::uses::{Vars, for_each_use};
use super::values::{error, fit};

/// Evaluates terms that hold no variables, under the values of parameters.
pub(super) struct Ground<'a> {
    pub(super) names: &'a Names,
    pub(super) sources: &'a Sources,
    /// The parameters, by their place.
    pub(super) params: Vec<Word>,
}

impl<'a> Ground<'a> {
    /// With the parameters as they are set.
    pub(super) fn new(names: &'a Names, sources: &'a Sources) -> Self {
        let params = names.params.iter().map(|param| param.value.word()).collect();
        Self { names, sources, params }
    }

    /// The values of a row by name: a column that it leaves out has its default.
    pub(super) fn named(
        &self,
        entry: &Entry,
        args: &[(tree::Ident, tree::Expr)],
        terms: &[Option<&tree::Expr>],
        span: Span,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value>> {
        let left_out = |slot: &Slot| args.iter().all(|(name, _)| name.name != slot.name);
        let values: Vec<_> = entry
            .columns
            .iter()
            .zip(terms)
            .map(|(slot, term)| match slot.default.filter(|_| left_out(slot)) {
                Some(default) => Some(default),
                None => self.cell(entry, slot, *term, span, out),
            })
            .collect();
        values.into_iter().collect()
    }

    /// The values of an atom's row.
    pub(super) fn atom(
        &self,
        entry: &Entry,
        atom: &tree::Atom,
        terms: &[Option<&tree::Expr>],
        out: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value>> {
        match &atom.args {
            tree::Args::Named(args) => self.named(entry, args, terms, atom.span, out),
            tree::Args::Positional(_) => self.row(entry, terms, atom.span, out),
        }
    }

    /// The values of a whole row; a column without a term is an error.
    pub(super) fn row(
        &self,
        entry: &Entry,
        terms: &[Option<&tree::Expr>],
        span: Span,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value>> {
        let values: Vec<_> = entry
            .columns
            .iter()
            .zip(terms)
            .map(|(slot, term)| self.cell(entry, slot, *term, span, out))
            .collect();
        values.into_iter().collect()
    }

    fn cell(
        &self,
        entry: &Entry,
        slot: &Slot,
        term: Option<&tree::Expr>,
        span: Span,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Value> {
        let Some(term) = term else {
            let message = format!("a fact needs a value in every column; `{}` has none", slot.name);
            out.push(error(codes::NOT_GROUND, message, span).note(format!("its form is `{entry}`")));
            return None;
        };
        self.value(entry, slot, term, out)
    }

    /// The values of terms that stand by position.
    pub(super) fn positional(
        &self,
        entry: &Entry,
        terms: &[tree::Expr],
        span: Span,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value>> {
        if terms.len() != entry.columns.len() {
            out.push(arity(entry, terms.len(), span));
            return None;
        }
        let terms: Vec<_> = terms
            .iter()
            .map(|term| (!matches!(term.kind, tree::ExprKind::Wildcard)).then_some(term))
            .collect();
        self.row(entry, &terms, span, out)
    }

    /// The value of a term in a column.
    pub(super) fn value(
        &self,
        entry: &Entry,
        slot: &Slot,
        written: &tree::Expr,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Value> {
        let faults = out.len();
        for_each_use(written, self.sources, &mut |name, span| {
            let message = format!("a fact can't contain a variable, found `{name}`");
            out.push(
                error(codes::NOT_GROUND, message, span)
                    .help(format!("write a string in quotes: `\"{name}\"`")),
            );
        });
        if out.len() > faults {
            return None;
        }
        let vars = Vars::default();
        let mut typer = Typer::new(self.names, self.sources, &vars);
        let expr = typer.expr(written).and_then(|expr| typer.fits(expr, entry, slot));
        out.append(&mut typer.out);
        self.evaluate(&expr?, entry, slot, out)
    }

    fn evaluate(&self, expr: &Expr, entry: &Entry, slot: &Slot, out: &mut Vec<Diagnostic>) -> Option<Value> {
        match expr.eval(&[], &self.params) {
            Ok(word) => {
                let value = Value::from_word(expr.ty, word);
                let place = format!("the column `{}` of `{}`", slot.name, entry.name);
                match slot.ty.as_ref().map(|ty| fit(value, None, ty, &place)) {
                    Some(Err(fault)) => {
                        out.push(fault.at(expr.span, ""));
                        None
                    }
                    _ => Some(value),
                }
            }
            Err(fault) => {
                let text = self.sources.slice(fault.0);
                out.push(error(codes::NO_RESULT, format!("`{text}` is undefined"), fault.0));
                None
            }
        }
    }
}
