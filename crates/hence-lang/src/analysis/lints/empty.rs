//! Atoms of relations that no chain of rules can fill: nothing derives them, or only they themselves do.

use std::collections::BTreeSet;

use super::Rules;
use super::codes::ALWAYS_EMPTY;
use crate::analysis::checked::{Literal, Rule};
use hence_core::diagnostic::Diagnostic;
use hence_core::index_vec::{IndexVec, id};
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Span;

/// Each atom of a relation that is always empty, where the cause is near: no rule derives the relation, or each of
/// its rules needs a fact of it (or of one that needs it) first.
pub(super) fn empty(rules: Rules<'_>) -> Vec<Diagnostic> {
    let filled = filled(rules);
    let is_filled = |relation: RelationId| filled[relation];
    let component = components(rules);
    let same = |a: RelationId, b: RelationId| component[a] == component[b];
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
    rule.body.iter().filter_map(Literal::atom).map(|atom| (atom.relation, atom.negated, atom.span))
}

/// For each relation, whether facts of the inputs could fill it through some chain of rules.
fn filled(rules: Rules<'_>) -> IndexVec<RelationId, bool> {
    let relations = &rules.checked.relations;
    let mut filled = IndexVec::filled(false, relations.len());
    let mut users: IndexVec<RelationId, Vec<RuleId>> = IndexVec::filled(Vec::new(), relations.len());
    let mut missing: IndexVec<RuleId, usize> = IndexVec::default();
    let mut ready: Vec<RelationId> = Vec::new();
    for rule in &rules.checked.rules {
        let needed = atoms(rule).filter(|(_, negated, _)| !negated).map(|(relation, ..)| relation);
        let needed: Vec<RelationId> = needed.collect();
        if needed.is_empty() {
            ready.push(rule.head);
        }
        let id = missing.push(needed.len());
        needed.iter().for_each(|relation| users[*relation].push(id));
    }
    let inputs = (0..).map(RelationId).zip(relations).filter(|(_, relation)| relation.kind == Kind::Input);
    ready.extend(inputs.map(|(id, _)| id));
    let heads: IndexVec<RuleId, RelationId> = rules.checked.rules.iter().map(|rule| rule.head).collect();
    while let Some(relation) = ready.pop() {
        if std::mem::replace(&mut filled[relation], true) {
            continue;
        }
        for user in &users[relation] {
            missing[*user] -= 1;
            if missing[*user] == 0 {
                ready.push(heads[*user]);
            }
        }
    }
    filled
}

id! {
    /// The place of a rule among the checked ones.
    struct RuleId(u32): "the rules that read a relation are among the checked ones";
}

/// For each relation the number of its stratum; relations that depend on each other have the same.
fn components(rules: Rules<'_>) -> IndexVec<RelationId, Option<usize>> {
    let mut of = IndexVec::filled(None, rules.checked.relations.len());
    for (at, stratum) in rules.strata().iter().enumerate() {
        stratum.relations.iter().for_each(|relation| of[*relation] = Some(at));
    }
    of
}

fn underived(rules: Rules<'_>, relation: RelationId, negated: bool, span: Span) -> Diagnostic {
    let name = rules.name(relation);
    let so = if negated { "this always holds" } else { "this never matches" };
    let declared = rules.relation(relation).span;
    Diagnostic::new(ALWAYS_EMPTY, format!("no rule derives `{name}`"))
        .at(span, so)
        .at(declared, format!("`{name}` is declared here"))
        .help(format!("write a rule for `{name}`, or declare it as `input` if it comes from outside"))
}

fn baseless(rules: Rules<'_>, relation: RelationId, span: Span) -> Diagnostic {
    let name = rules.name(relation);
    Diagnostic::new(ALWAYS_EMPTY, format!("`{name}` is always empty"))
        .at(span, format!("every rule of `{name}` needs a fact that follows only from `{name}`"))
        .help(format!("write a rule that derives the first facts of `{name}`"))
}
