//! The guards of decisions: which relation, and what its columns must equal.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::span::Sources;
use hence_syntax::tree::{self, Expr, ExprKind, Ident, Item, RelationDecl};

use super::checked::{Guard, Requires};
use super::codes;
use super::draft::{missing_relation, unknown_column};
use super::names::{Entry, Names, Slot};
use super::prose::a_column;
use super::values::{error, fit, literal, written};

/// The guards of all decisions; columns of undeclared relations must have been inferred.
pub(super) fn check<'t>(
    items: impl Iterator<Item = &'t Item>,
    names: &Names,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Vec<Requires> {
    items
        .filter_map(|item| match item {
            Item::Relation(decl) => guard(decl, decl.requires.as_ref()?, names, sources, out),
            _ => None,
        })
        .collect()
}

fn guard(
    decl: &RelationDecl,
    requires: &tree::Requires,
    names: &Names,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Option<Requires> {
    let (decision, guarded) = names.find(decl.name.name)?;
    let Some((relation, needed)) = names.find(requires.relation.name) else {
        out.push(missing_relation(names, requires.relation, requires.columns.len()));
        return None;
    };
    if guarded.span != decl.name.span {
        return None;
    }
    let mut sound = true;
    let mut columns = vec![None; needed.columns.len()];
    let mut seen: Vec<Ident> = Vec::new();
    for (column, term) in &requires.columns {
        if let Some(first) = seen.iter().find(|ident| ident.name == column.name) {
            let message = format!("duplicate column `{}` in a guard", column.name);
            let diagnostic = Diagnostic::new(codes::ARGUMENT_TWICE, message);
            out.push(diagnostic.at(column.span, "again here").at(first.span, "first here"));
            sound = false;
        }
        seen.push(*column);
        match needed.column(column.name) {
            None => {
                sound = false;
                out.push(unknown_column(needed, *column));
            }
            Some(at) => match term_of(term, (guarded, needed), at, sources) {
                Ok(guard) => {
                    *columns.get_mut(at).or_broken("a relation has the columns that it names") = Some(guard)
                }
                Err(fault) => {
                    sound = false;
                    out.extend(fault);
                }
            },
        }
    }
    sound.then_some(Requires { decision, relation, columns, span: requires.span })
}

/// What the column at `at` must equal; an error without a diagnostic was reported by the parser.
fn term_of(
    term: &Expr,
    (guarded, needed): (&Entry, &Entry),
    at: usize,
    sources: &Sources,
) -> Result<Guard, Option<Diagnostic>> {
    let slot = needed.columns.get(at);
    if let ExprKind::Ident(name) = term.kind {
        let ident = Ident { name, span: term.span };
        let own = guarded.column(name).ok_or_else(|| unknown_column(guarded, ident))?;
        same_type(ident, guarded.columns.get(own), slot, needed)?;
        return Ok(Guard::Column(own));
    }
    let value = literal(term).ok_or(None)?;
    if let Some((slot, ty)) = slot.and_then(|slot| Some((slot, slot.ty.as_ref()?))) {
        let place = format!("the column `{}` of `{}`", slot.name, needed.name);
        fit(value, written(sources, term.span), ty, &place, Some(term.span))
            .map_err(|fault| fault.at(term.span, ""))?;
    }
    Ok(Guard::Const(value))
}

fn same_type(
    name: Ident,
    own: Option<&Slot>,
    needed: Option<&Slot>,
    relation: &Entry,
) -> Result<(), Diagnostic> {
    let (Some(own), Some(needed)) = (own, needed) else { return Ok(()) };
    let (Some(found), Some(wanted)) = (&own.ty, &needed.ty) else { return Ok(()) };
    if found.ty == wanted.ty {
        return Ok(());
    }
    let message = format!(
        "the decision's column `{}` is {}, but the column `{}` of `{}` is {}",
        name.name,
        a_column(found),
        needed.name,
        relation.name,
        a_column(wanted)
    );
    Err(error(codes::WRONG_TYPE, message, name.span).at(own.origin, "declared here"))
}
