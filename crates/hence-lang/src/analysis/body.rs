//! Typed bodies: the types that atoms, `=` and `in` give to variables, and literals whose expressions are typed.

use std::collections::HashMap;
use std::sync::Arc;

use crate::builtins::expr::{Expr, ExprKind, VarId};
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::{ColumnType, RelationId};
use hence_core::span::Span;
use hence_core::value::Type;
use hence_syntax::tree;

use super::bind::Bound;
use super::checked::{Arg, Literal};
use super::clause::Clause;
use super::codes;
use super::effects::as_written;
use super::names::{Entry, Slot};
use super::prose::{a, a_column};
use super::typing::{Typer, VarType, disjoint_sets};
use super::uses::lone;
use super::values::{conversion, error, unit};

/// The literals that bind by `=` or `in`, typed, by their place in the body.
pub(super) type Binders = HashMap<usize, Literal>;

impl Typer<'_> {
    /// Learns the types of all variables that the body binds.
    pub(super) fn learn(&mut self, clauses: &[Clause<'_>], bound: &Bound) -> Binders {
        for clause in clauses {
            if let Clause::Atom { negated: false, relation, args, .. } = clause {
                self.learn_atom(*relation, args);
            }
            self.poisoned |= matches!(clause, Clause::Broken { .. });
        }
        let mut binders = Binders::new();
        for at in &bound.order {
            let clause = clauses.get(*at).or_broken("what binds is a literal of the body");
            if let Some(literal) = self.binder(clause) {
                binders.insert(*at, literal);
            }
        }
        binders
    }

    fn learn_atom(&mut self, relation: RelationId, args: &[Option<&tree::Expr>]) {
        let entry = self.names.entry(relation);
        for (slot, arg) in entry.columns.iter().zip(args) {
            let Some(arg) = arg else { continue };
            self.poisoned |= entry.declared && slot.ty.is_none();
            if let Some(var) = lone(arg, self.vars)
                && let Some(ty) = &slot.ty
            {
                self.meet(var, ty, arg.span);
            }
        }
    }

    /// Takes in that `var` is a `ty` at `span`.
    pub(super) fn meet(&mut self, var: VarId, ty: &ColumnType, span: Span) {
        let known = &mut self.known[var];
        match &mut known.ty {
            None => *known = VarType { ty: Some(ty.clone()), origin: span },
            Some(first) if first.ty != ty.ty => {
                let fault = self.two_types(var, ty, span);
                self.out.extend(fault);
            }
            Some(first) => match (&first.set, &ty.set) {
                (None, Some(set)) => first.set = Some(Arc::clone(set)),
                (Some(a), Some(b)) if !a.members.iter().any(|member| b.members.contains(member)) => {
                    let fault = disjoint_sets(span, b, a).at(known.origin, "the other set comes from here");
                    self.out.push(fault);
                }
                _ => {}
            },
        }
    }

    /// The error for a variable that is something else at `span` than where it was first bound.
    fn two_types(&self, var: VarId, ty: &ColumnType, span: Span) -> Option<Diagnostic> {
        let known = self.known(var);
        let first = known.ty.as_ref()?;
        let name = self.vars.name(var);
        let message = format!("`{name}` is {} here and {} elsewhere", a(ty.ty), a(first.ty));
        let diagnostic = Diagnostic::new(codes::VARIABLE_TYPES, message)
            .at(span, a_column(ty))
            .at(known.origin, a_column(first));
        // Any other conversion would join texts, or what is left of a number, and so other facts.
        Some(if (first.ty, ty.ty) == (Type::Int, Type::Float) {
            diagnostic.help(format!("if both mean the same value, write `float({name})` here"))
        } else if [(Type::Name, Type::String), (Type::String, Type::Name)].contains(&(first.ty, ty.ty)) {
            diagnostic.help(format!(
                "a name is no string: `string({name})` of `/web` is `\"/web\"`; bind that to another variable and \
                compare it"
            ))
        } else {
            diagnostic.help("use two variables for two different values")
        })
    }

    /// The typed form of a literal that binds, whose variable thereby has a type.
    fn binder(&mut self, clause: &Clause<'_>) -> Option<Literal> {
        match clause {
            Clause::Bind { var, expr, span } => {
                let expr = self.expr(expr)?;
                let ty = self.column_type(&expr);
                self.meet(*var, &ty, *span);
                Some(Literal::Bind { var: *var, expr, span: *span })
            }
            Clause::Each { var, right, args, span, .. } => {
                let (generator, ty, args) = match &right.kind {
                    tree::ExprKind::Call(name, _) => {
                        let (generator, args) = self.generator(*name, args, *span)?;
                        let ty = ColumnType::plain(generator.element());
                        (generator, ty, args)
                    }
                    _ => self.listed(right)?,
                };
                self.meet(*var, &ty, *span);
                Some(Literal::Each { var: *var, bound: false, generator, args, span: *span })
            }
            Clause::Aggregate(inner) => self.aggregated(inner),
            _ => None,
        }
    }

    /// The typed literals in the order of the text, once the types of the variables are known.
    pub(super) fn literals(&mut self, clauses: &[Clause<'_>], mut binders: Binders) -> Option<Vec<Literal>> {
        let typed: Vec<_> = clauses
            .iter()
            .enumerate()
            .map(|(at, clause)| match clause {
                Clause::Bind { .. } | Clause::Each { bound: false, .. } => binders.remove(&at),
                Clause::Aggregate(inner) if inner.binds.is_some() => binders.remove(&at),
                _ => self.literal(clause),
            })
            .collect();
        typed.into_iter().collect()
    }

    fn literal(&mut self, clause: &Clause<'_>) -> Option<Literal> {
        match clause {
            Clause::Atom { negated, relation, args, span, .. } => {
                let entry = self.names.entry(*relation);
                let args: Vec<_> = entry
                    .columns
                    .iter()
                    .zip(args)
                    .map(|(slot, arg)| match arg {
                        None => Some(Arg::Any),
                        Some(arg) => self.argument(entry, slot, arg, *negated).map(Arg::Expr),
                    })
                    .collect();
                let args = args.into_iter().collect::<Option<Vec<_>>>()?;
                Some(Literal::Atom { negated: *negated, relation: *relation, args, span: *span })
            }
            Clause::Condition { expr, span } => Some(Literal::Test { expr: self.bool(expr)?, span: *span }),
            Clause::Each { var, right, span, .. } if !matches!(right.kind, tree::ExprKind::Call(..)) => {
                let variable = self.variable(self.vars.name(*var), *span)?;
                Some(Literal::Test { expr: self.membership(variable, right, *span)?, span: *span })
            }
            Clause::Each { var, right, args, span, .. } => {
                let tree::ExprKind::Call(name, _) = &right.kind else { return None };
                let (generator, args) = self.generator(*name, args, *span)?;
                let variable = Expr { kind: ExprKind::Var(*var), ty: generator.element(), span: *span };
                let known = self.known(*var).ty.as_ref()?.ty;
                if known != variable.ty {
                    let fault = self.two_types(*var, &ColumnType::plain(variable.ty), *span);
                    self.out.extend(fault);
                    return None;
                }
                Some(Literal::Each { var: *var, bound: true, generator, args, span: *span })
            }
            Clause::Aggregate(inner) => self.aggregated(inner),
            Clause::Bind { .. } | Clause::Broken { .. } => None,
        }
    }

    fn argument(&mut self, entry: &Entry, slot: &Slot, written: &tree::Expr, negated: bool) -> Option<Expr> {
        let expr = self.expr(written)?;
        let ty = slot.ty.as_ref()?;
        match expr.kind {
            ExprKind::Var(_) if !negated => (expr.ty == ty.ty).then_some(expr),
            ExprKind::Var(var) if expr.ty != ty.ty => {
                let fault = self.two_types(var, ty, expr.span);
                self.out.extend(fault);
                None
            }
            _ => self.fits(expr, entry, slot),
        }
    }

    /// Whether an expression fits a column.
    pub(super) fn fits(&mut self, expr: Expr, entry: &Entry, slot: &Slot) -> Option<Expr> {
        let ty = slot.ty.as_ref()?;
        let place = format!("the column `{}` of `{}`", slot.name, as_written(entry.name));
        if expr.ty != ty.ty {
            let diagnostic = self.wrong_type(&expr, ty, &place);
            return self.fail(with_origin(diagnostic, entry, slot));
        }
        let faults = self.out.len();
        if let Some(set) = &ty.set
            && self.within(&expr, set, place).is_none()
        {
            let fresh = self.out.split_off(faults);
            self.out.extend(fresh.into_iter().map(|fault| with_origin(fault, entry, slot)));
            return None;
        }
        Some(expr)
    }

    fn wrong_type(&self, expr: &Expr, wanted: &ColumnType, place: &str) -> Diagnostic {
        let text = self.sources.slice(expr.span);
        let message = format!("`{text}` is {}, but {place} is {}", a(expr.ty), a_column(wanted));
        let diagnostic = error(codes::WRONG_TYPE, message, expr.span);
        match (conversion(expr, text, wanted), expr.ty, wanted.ty) {
            (Some(better), ..) => diagnostic.help(format!("write `{better}`")).fix(expr.span, better),
            (None, Type::Float, Type::Int) => {
                diagnostic.help(format!("write `round({text})`, or `int({text})` to round towards zero"))
            }
            (None, Type::Duration, Type::Float) => {
                diagnostic.help(format!("in seconds it is `seconds({text})`"))
            }
            (None, Type::Int, Type::Duration) if matches!(expr.kind, ExprKind::Const(_)) => {
                diagnostic.help(unit(text))
            }
            (None, _, Type::Duration) => {
                diagnostic.note("a duration is written `250ms`, `60s`, `5m`, `24h` or `7d`")
            }
            (None, _, Type::Time) => diagnostic.note("a time is written `@2026-02-03T14:23:45Z`"),
            _ => diagnostic,
        }
    }
}

/// Shows where a column got its type.
pub(super) fn with_origin(diagnostic: Diagnostic, entry: &Entry, slot: &Slot) -> Diagnostic {
    if slot.origin == Span::default() {
        diagnostic
    } else if entry.declared {
        diagnostic.at(slot.origin, "the column is declared here")
    } else {
        diagnostic.at(slot.origin, "the column gets its type here")
    }
}
