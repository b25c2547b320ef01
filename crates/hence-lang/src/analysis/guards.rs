//! The guards of decisions: which relation, and what its columns must equal.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::{ColumnType, RelationId};
use hence_core::span::Sources;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree::{self, Expr, ExprKind, Ident, Item, Required, RequiredAtom};

use super::checked::{Guard, Joint, JointTerm, Requires};
use super::codes;
use super::draft::{missing_relation, unknown_column};
use super::names::{Entry, Names, Slot};
use super::prose::{a, a_column};
use super::values::{error, fit, literal, written};

/// The guards of all decisions; columns of undeclared relations must have been inferred.
pub(super) fn check<'t>(
    items: impl Iterator<Item = &'t Item>,
    names: &Names,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> (Vec<Requires>, Vec<Joint>) {
    let (mut singles, mut joints) = (Vec::new(), Vec::new());
    for item in items {
        let Item::Relation(decl) = item else { continue };
        let Some(requires) = &decl.requires else { continue };
        let Some((decision, guarded)) = names.find(decl.name.name) else { continue };
        let guard = GuardOf { decision, guarded, own: guarded.span == decl.name.span, names, sources, out };
        if let Some((own, joint)) = guard.check(requires) {
            singles.extend(own);
            joints.extend(joint);
        }
    }
    (singles, joints)
}

/// The guard of one decision.
struct GuardOf<'a> {
    decision: RelationId,
    guarded: &'a Entry,
    /// Whether this declaration is the one that counts.
    own: bool,
    names: &'a Names,
    sources: &'a Sources,
    out: &'a mut Vec<Diagnostic>,
}

/// The names of a guard with the types of what they stand for.
type Vars = Vec<(Symbol, Option<ColumnType>, Span)>;

impl GuardOf<'_> {
    fn check(mut self, requires: &tree::Requires) -> Option<(Vec<Requires>, Option<Joint>)> {
        let mut vars = Vars::new();
        let atoms: Vec<_> = requires.atoms().map(|atom| self.atom(atom, &mut vars)).collect();
        let tests = requires.parts.iter().filter_map(|part| match part {
            Required::Comparison(expr) => Some(self.test(expr, &vars)),
            Required::Atom(_) => None,
        });
        let tests: Vec<_> = tests.collect();
        let (atoms, tests) =
            (atoms.into_iter().collect::<Option<Vec<_>>>()?, tests.into_iter().collect::<Option<Vec<_>>>()?);
        let single =
            |((relation, columns), written): (&(RelationId, Vec<Option<JointTerm>>), &RequiredAtom)| {
                let fixed = |term: &Option<JointTerm>| match term {
                    Some(JointTerm::Fixed(guard)) => Some(*guard),
                    Some(JointTerm::Var(_)) | None => None,
                };
                let columns = columns.iter().map(fixed).collect();
                Requires { decision: self.decision, relation: *relation, columns, span: written.span }
            };
        let singles = self.own.then(|| atoms.iter().zip(requires.atoms()).map(single).collect::<Vec<_>>())?;
        let joint = Joint { decision: self.decision, atoms, tests, span: requires.span };
        self.used_again(&joint, &vars)?;
        Some((singles, Some(joint).filter(hangs_together)))
    }

    /// Whether each name stands for something that is asked of it: alone, it asks for nothing, and may have been meant
    /// for the decision's column.
    fn used_again(&mut self, joint: &Joint, vars: &Vars) -> Option<()> {
        let compared: Vec<_> = joint.tests.iter().flat_map(|(_, left, right)| [*left, *right]).collect();
        let once = vars.iter().find(|(name, ..)| {
            let named = vars.iter().filter(|(other, ..)| other == name).count();
            named == 1 && !compared.contains(&JointTerm::Var(*name))
        });
        let Some((name, _, span)) = once else { return Some(()) };
        let message = format!("`{name}` stands once in the guard, so it asks for nothing");
        let own = name.as_str().to_lowercase();
        let help = match self.guarded.column(Symbol::new(&own)) {
            Some(_) => format!("write `{own}` for the decision's column"),
            None => String::from("leave out a column that may have any value"),
        };
        self.out.push(error(hence_syntax::codes::BAD_DECLARATION, message, *span).help(help));
        None
    }

    fn atom(&mut self, atom: &RequiredAtom, vars: &mut Vars) -> Option<(RelationId, Vec<Option<JointTerm>>)> {
        let Some((relation, needed)) = self.names.find(atom.relation.name) else {
            self.out.push(missing_relation(self.names, atom.relation, atom.columns.len()));
            return None;
        };
        let mut sound = true;
        let mut columns = vec![None; needed.columns.len()];
        let mut seen: Vec<Ident> = Vec::new();
        for (column, term) in &atom.columns {
            if let Some(first) = seen.iter().find(|ident| ident.name == column.name) {
                let message = format!("duplicate column `{}` in a guard", column.name);
                let diagnostic = Diagnostic::new(codes::ARGUMENT_TWICE, message);
                self.out.push(diagnostic.at(column.span, "again here").at(first.span, "first here"));
                sound = false;
            }
            seen.push(*column);
            let Some(at) = needed.column(column.name) else {
                sound = false;
                self.out.push(unknown_column(needed, *column));
                continue;
            };
            match self.term(term, needed, at, vars) {
                Ok(found) => {
                    *columns.get_mut(at).or_broken("a relation has the columns that it names") = Some(found)
                }
                Err(fault) => {
                    sound = false;
                    self.out.extend(fault);
                }
            }
        }
        sound.then_some((relation, columns))
    }

    /// What the column at `at` of a required fact must be.
    fn term(
        &self,
        term: &Expr,
        needed: &Entry,
        at: usize,
        vars: &mut Vars,
    ) -> Result<JointTerm, Option<Diagnostic>> {
        let ExprKind::Variable(name) = term.kind else {
            return term_of(term, (self.guarded, needed), at, self.sources).map(JointTerm::Fixed);
        };
        let ty = needed.columns.get(at).and_then(|slot| slot.ty.clone());
        if let Some((_, Some(known), first)) = vars.iter().find(|(other, ..)| *other == name)
            && ty.as_ref().is_some_and(|ty| ty.ty != known.ty)
        {
            let found = ty.as_ref().map_or(known.ty, |ty| ty.ty);
            let message = format!("`{name}` is {} and {} in one guard", a(known.ty), a(found));
            return Err(Some(error(codes::WRONG_TYPE, message, term.span).at(*first, a(known.ty))));
        }
        vars.push((name, ty, term.span));
        Ok(JointTerm::Var(name))
    }

    /// A comparison; nothing where the parser or this reported a fault.
    fn test(&mut self, expr: &Expr, vars: &Vars) -> Option<(&'static str, JointTerm, JointTerm)> {
        let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
        let (left, right) = (self.side(left, vars), self.side(right, vars));
        let ((left, found), (right, other)) = (left?, right?);
        if let Some((found, other)) = found.zip(other).filter(|(found, other)| found != other) {
            let message = format!("`{}` can't compare {} with {}", op.symbol(), a(found), a(other));
            self.out.push(error(codes::NO_SUCH_OPERATION, message, expr.span));
            return None;
        }
        Some((op.symbol(), left, right))
    }

    /// A side of a comparison with its type.
    fn side(&mut self, term: &Expr, vars: &Vars) -> Option<(JointTerm, Option<Type>)> {
        let fault = match term.kind {
            ExprKind::Variable(name) => match vars.iter().find(|(var, ..)| *var == name) {
                Some((_, ty, _)) => return Some((JointTerm::Var(name), ty.as_ref().map(|ty| ty.ty))),
                None => {
                    let message = format!("no required fact has `{name}`");
                    let help = format!("name it in a fact: `requires REL(column: {name})`");
                    error(codes::UNBOUND, message, term.span).help(help)
                }
            },
            ExprKind::Ident(name) => match self.guarded.column(name) {
                Some(at) => {
                    let ty = self.guarded.columns.get(at).and_then(|slot| slot.ty.as_ref()).map(|ty| ty.ty);
                    return Some((JointTerm::Fixed(Guard::Column(at)), ty));
                }
                None => unknown_column(self.guarded, Ident { name, span: term.span }),
            },
            _ => {
                let value = literal(term)?;
                return Some((JointTerm::Fixed(Guard::Const(value)), Some(value.ty())));
            }
        };
        self.out.push(fault);
        None
    }
}

/// Whether a guard says more than its facts say one by one.
fn hangs_together(joint: &Joint) -> bool {
    let mut seen = Vec::new();
    let terms = joint.atoms.iter().flat_map(|(_, columns)| columns.iter().flatten());
    let shared = terms.filter_map(|term| match term {
        JointTerm::Var(name) => Some(*name),
        JointTerm::Fixed(_) => None,
    });
    let mut shared = shared.map(|name| {
        let again = seen.contains(&name);
        seen.push(name);
        again
    });
    !joint.tests.is_empty() || shared.any(|again| again)
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
