//! Ground facts: terms without variables, evaluated to values of their columns.

use crate::builtins::expr::Expr;
use hence_core::diagnostic::Diagnostic;
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value, Word};
use hence_syntax::tree;

use super::codes;
use super::draft::arity;
use super::names::{Entry, Names, Slot};
use super::prose::a_column;
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

    /// What stands in each column of an atom; a column that a named atom leaves out has its default.
    pub(super) fn cells(
        &self,
        entry: &Entry,
        atom: &tree::Atom,
        terms: &[Option<&tree::Expr>],
        out: &mut Vec<Diagnostic>,
    ) -> Vec<Cell> {
        let default = |slot: &Slot| match &atom.args {
            tree::Args::Named(args) if args.iter().all(|(name, _)| name.name != slot.name) => slot.default,
            _ => None,
        };
        let columns = entry.columns.iter().zip(terms);
        let cell = |(slot, term): (&Slot, &Option<&tree::Expr>)| {
            default(slot).map_or_else(|| self.cell(entry, slot, *term, out), Cell::Value)
        };
        columns.map(cell).collect()
    }

    /// The values of an atom's row.
    pub(super) fn atom(
        &self,
        entry: &Entry,
        atom: &tree::Atom,
        terms: &[Option<&tree::Expr>],
        out: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value>> {
        let cells = self.cells(entry, atom, terms, out);
        whole(entry, &cells, atom.span).unwrap_or_else(|fault| {
            out.push(*fault);
            None
        })
    }

    fn cell(&self, entry: &Entry, slot: &Slot, term: Option<&tree::Expr>, out: &mut Vec<Diagnostic>) -> Cell {
        term.map_or(Cell::Missing, |term| {
            self.value(entry, slot, term, out).map_or(Cell::Faulty, Cell::Value)
        })
    }

    /// The values of terms by position.
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
        let term =
            |term| Some(term).filter(|term: &&tree::Expr| !matches!(term.kind, tree::ExprKind::Wildcard));
        let columns = entry.columns.iter().zip(terms);
        let cells: Vec<_> = columns.map(|(slot, found)| self.cell(entry, slot, term(found), out)).collect();
        whole(entry, &cells, span).unwrap_or_else(|fault| {
            out.push(*fault);
            None
        })
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
            let fault = error(codes::NOT_GROUND, message, span);
            let quoted = format!("\"{name}\"");
            out.push(match &slot.ty {
                Some(ty) if ty.ty != Type::String => fault.help(format!("write {}", a_column(ty))),
                _ => fault.help(format!("write a string in quotes: `{quoted}`")).fix(span, quoted),
            });
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
                match slot.ty.as_ref().map(|ty| fit(value, None, ty, &place, None)) {
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

/// What stands in a column of a row.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    Value(Value),
    /// Nothing, or `_`.
    Missing,
    /// Something that was reported.
    Faulty,
}

/// The values of a row; `None` where one was reported already.
///
/// # Errors
/// The columns without a value.
pub(super) fn whole(
    entry: &Entry,
    cells: &[Cell],
    span: Span,
) -> Result<Option<Vec<Value>>, Box<Diagnostic>> {
    let missing: Vec<_> = entry
        .columns
        .iter()
        .zip(cells)
        .filter(|(_, cell)| matches!(cell, Cell::Missing))
        .map(|(slot, _)| format!("`{}`", slot.name))
        .collect();
    if let Some((last, others)) = missing.split_last() {
        let columns = match others {
            [] => format!("{last} has none"),
            others => format!("{} and {last} have none", others.join(", ")),
        };
        let message = format!("a fact needs a value in every column; {columns}");
        let fault = error(codes::NOT_GROUND, message, span).note(format!("its form is `{entry}`"));
        return Err(Box::new(fault));
    }
    let value = |cell: &Cell| match cell {
        Cell::Value(value) => Some(*value),
        _ => None,
    };
    Ok(cells.iter().map(value).collect())
}
