//! The types of columns that no declaration gives: the least fixpoint of what all rules put into them.

use std::collections::{BTreeSet, HashMap};

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{ColumnType, RelationId};
use hence_core::span::{Sources, Span};

use super::clause::Clause;
use super::codes;
use super::names::{Entry, Names, Slot};
use super::rules::Draft;
use super::values::error;

/// Infers the types of all columns of undeclared relations. A column rises from unknown over a closed set to a
/// plain type, so each changes at most twice and the fixpoint ends.
pub(super) fn columns(drafts: &[Draft<'_>], names: &mut Names, sources: &Sources) {
    let open = |names: &Names, id| !names.entry(id).declared;
    let mut readers: HashMap<RelationId, Vec<usize>> = HashMap::new();
    let mut queue = BTreeSet::new();
    for (at, draft) in drafts.iter().enumerate().filter(|(_, draft)| open(names, draft.head)) {
        reads(draft).for_each(|relation| readers.entry(relation).or_default().push(at));
        queue.insert(at);
    }
    while let Some(at) = queue.pop_first() {
        let draft = drafts.get(at).or_broken("the rules that wait are among those that are checked");
        let found = contributions(draft, names, sources);
        let entry = names.relations.get_mut(draft.head.at()).or_broken(RelationId::INVARIANT);
        let mut changed = false;
        for (slot, found) in entry.columns.iter_mut().zip(found) {
            changed |= found.is_some_and(|(ty, span)| rise(slot, ty, span));
        }
        if changed {
            queue.extend(readers.get(&draft.head).into_iter().flatten());
        }
    }
}

/// The relations that a rule reads positively, those in the bodies of aggregates too.
fn reads(draft: &Draft<'_>) -> impl Iterator<Item = RelationId> {
    let inner = draft.clauses.iter().flat_map(|clause| match clause {
        Clause::Aggregate(inner) => inner.clauses.as_slice(),
        _ => &[],
    });
    draft.clauses.iter().chain(inner).filter_map(|clause| match clause {
        Clause::Atom { negated: false, relation, .. } => Some(*relation),
        _ => None,
    })
}

/// What a rule puts into each column of its head, as far as it is known yet.
fn contributions(draft: &Draft<'_>, names: &Names, sources: &Sources) -> Vec<Option<(ColumnType, Span)>> {
    let mut typer = draft.typer(names, sources);
    typer.learn(&draft.clauses, &draft.bound);
    draft.rule.terms.iter().map(|term| typer.term(term).map(|(_, ty)| (ty, term.span))).collect()
}

/// Takes in one more type of a column and says whether that changed it; a clash is reported by the check.
fn rise(slot: &mut Slot, ty: ColumnType, span: Span) -> bool {
    match &mut slot.ty {
        None => {
            *slot = Slot { name: slot.name, ty: Some(ty), default: None, origin: span };
            true
        }
        Some(known) if known.ty == ty.ty && known.set.is_some() && known.set != ty.set => {
            known.set = None;
            true
        }
        Some(_) => false,
    }
}

/// Reports the columns whose type is still unknown, but for those that depend on a reported fault.
pub(super) fn report(drafts: &[Draft<'_>], names: &Names, out: &mut Vec<Diagnostic>) {
    let unknown = |entry: &Entry| !entry.declared && entry.columns.iter().any(|slot| slot.ty.is_none());
    if !names.relations.iter().any(unknown) {
        return;
    }
    let tainted = tainted(drafts);
    for (at, entry) in names.relations.iter().enumerate().filter(|(_, entry)| !entry.declared) {
        if tainted.contains(&RelationId(at as u32)) {
            continue;
        }
        for slot in entry.columns.iter().filter(|slot| slot.ty.is_none()) {
            let message =
                format!("the type of the column `{}` of `{}` can't be inferred", slot.name, entry.name);
            let types: Vec<_> = entry.columns.iter().map(|slot| format!("{}: type", slot.name)).collect();
            out.push(
                error(codes::UNKNOWN_COLUMN_TYPE, message, entry.span)
                    .note("the type depends only on itself")
                    .help(format!("declare it: `relation {}({}).`", entry.name, types.join(", "))),
            );
        }
    }
}

/// The relations of faulty rules, and all that read them.
fn tainted(drafts: &[Draft<'_>]) -> BTreeSet<RelationId> {
    let mut tainted: BTreeSet<_> =
        drafts.iter().filter(|draft| draft.faulty).map(|draft| draft.head).collect();
    let mut grew = true;
    while grew {
        grew = false;
        for draft in drafts {
            if !tainted.contains(&draft.head) && reads(draft).any(|relation| tainted.contains(&relation)) {
                grew |= tainted.insert(draft.head);
            }
        }
    }
    tainted
}
