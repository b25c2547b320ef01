//! Atoms of relations that no chain of rules can fill: nothing derives them, or only they themselves do.

use std::collections::BTreeSet;

use super::Rules;
use super::codes::ALWAYS_EMPTY;
use crate::analysis::checked::{Literal, Rule};
use crate::analysis::strata::strata;
use crate::diagnostic::Diagnostic;
use crate::schema::{Kind, RelationId};
use crate::span::Span;

/// Each atom of a relation that is always empty, where the cause is near: no rule derives the relation, or each of
/// its rules needs a fact of it (or of one that needs it) first.
pub(super) fn empty(rules: Rules<'_>) -> Vec<Diagnostic> {
    let filled = filled(rules);
    let is_filled = |relation: RelationId| filled.get(relation.0 as usize).copied().unwrap_or(true);
    let component = components(rules);
    let same = |a: RelationId, b: RelationId| component.get(a.0 as usize) == component.get(b.0 as usize);
    let heads: BTreeSet<RelationId> = rules.checked.rules.iter().map(|rule| rule.head).collect();
    let mut out = Vec::new();
    for rule in &rules.checked.rules {
        for (relation, negated, span) in atoms(rule).filter(|(relation, ..)| !is_filled(*relation)) {
            if !heads.contains(&relation) {
                out.push(underived(rules, relation, negated, span));
            } else if !negated && same(relation, rule.head) {
                out.push(baseless(rules, relation, span));
            }
        }
    }
    out
}

fn atoms(rule: &Rule) -> impl Iterator<Item = (RelationId, bool, Span)> + '_ {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Atom { negated, relation, span, .. } => Some((*relation, *negated, *span)),
        _ => None,
    })
}

/// For each relation, whether facts of the inputs could fill it through some chain of rules.
fn filled(rules: Rules<'_>) -> Vec<bool> {
    let relations = &rules.checked.relations;
    let mut filled = vec![false; relations.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); relations.len()];
    let mut missing = Vec::with_capacity(rules.checked.rules.len());
    let mut ready: Vec<RelationId> = Vec::new();
    for (at, rule) in rules.checked.rules.iter().enumerate() {
        let needed = atoms(rule).filter(|(_, negated, _)| !negated).map(|(relation, ..)| relation);
        let count = needed.map(|one| users.get_mut(one.0 as usize).map(|users| users.push(at))).count();
        missing.push(count);
        if count == 0 {
            ready.push(rule.head);
        }
    }
    let inputs = relations.iter().enumerate().filter(|(_, relation)| relation.kind == Kind::Input);
    ready.extend(inputs.map(|(at, _)| RelationId(at as u32)));
    while let Some(relation) = ready.pop() {
        let Some(place) = filled.get_mut(relation.0 as usize).filter(|filled| !**filled) else { continue };
        *place = true;
        for &user in users.get(relation.0 as usize).into_iter().flatten() {
            let Some(count) = missing.get_mut(user) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.extend(rules.checked.rules.get(user).map(|rule| rule.head));
            }
        }
    }
    filled
}

/// For each relation the number of its stratum; relations that depend on each other have the same.
fn components(rules: Rules<'_>) -> Vec<Option<usize>> {
    let mut of = vec![None; rules.checked.relations.len()];
    for (at, stratum) in strata(rules.checked).unwrap_or_default().iter().enumerate() {
        for relation in &stratum.relations {
            of.get_mut(relation.0 as usize).into_iter().for_each(|place| *place = Some(at));
        }
    }
    of
}

fn underived(rules: Rules<'_>, relation: RelationId, negated: bool, span: Span) -> Diagnostic {
    let name = rules.name(relation);
    let so = if negated { "this always holds" } else { "this never matches" };
    let declared = rules.relation(relation).map_or(span, |relation| relation.span);
    Diagnostic::new(ALWAYS_EMPTY, format!("no rule derives `{name}`"))
        .at(span, so)
        .at(declared, format!("`{name}` is declared here"))
        .help(format!("write a rule for `{name}`, or declare it as `input` if it comes from outside"))
}

fn baseless(rules: Rules<'_>, relation: RelationId, span: Span) -> Diagnostic {
    let name = rules.name(relation);
    Diagnostic::new(ALWAYS_EMPTY, format!("`{name}` is always empty"))
        .at(span, format!("every rule of `{name}` needs some fact that only follows from `{name}`"))
        .help(format!("write a rule that derives the first facts of `{name}`"))
}
