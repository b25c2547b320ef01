//! Relations that nothing reads. One that somebody described in a doc comment, at its declaration or at one of its
//! rules, is an output of the rule set; so is a decision.

use std::collections::BTreeSet;

use super::Rules;
use super::codes::UNREAD_RELATION;
use crate::analysis::checked::{Expectation, Literal, Test};
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::{Kind, Relation, RelationId};

/// A relation without a reader and without a word about it.
pub(super) fn unread(rules: Rules<'_>) -> Vec<Diagnostic> {
    let (read, expected) = (read(rules), expected(rules));
    let numbered = rules.checked.relations.iter().enumerate().map(|(at, one)| (RelationId(at as u32), one));
    numbered
        .filter(|(id, _)| !rules.checked.is_of_effect(*id))
        .filter(|(id, relation)| is_inner(relation) && !read.contains(id) && !expected.contains(id))
        .map(|(_, relation)| warning(relation))
        .collect()
}

fn is_inner(relation: &Relation) -> bool {
    relation.kind != Kind::Decision && relation.name.as_str() != "now" && relation.doc.trim().is_empty()
}

/// The relations that a rule of another one reads, a guard requires or a test looks at.
fn read(rules: Rules<'_>) -> BTreeSet<RelationId> {
    let mut read: BTreeSet<RelationId> = rules.checked.requires.iter().map(|guard| guard.relation).collect();
    for rule in &rules.checked.rules {
        read.extend(atoms(&rule.body).filter(|relation| *relation != rule.head));
    }
    for expected in rules.checked.tests.iter().flat_map(Test::expectations) {
        match expected {
            Expectation::Body { body, .. } => read.extend(atoms(body)),
            Expectation::Undetermined { relation, .. } | Expectation::Exactly { relation, .. } => {
                read.insert(*relation);
            }
        }
    }
    read
}

fn atoms(body: &[Literal]) -> impl Iterator<Item = RelationId> + '_ {
    body.iter()
        .chain(body.iter().flat_map(Literal::inner))
        .filter_map(Literal::atom)
        .map(|atom| atom.relation)
}

/// The relations of rules with a doc comment.
fn expected(rules: Rules<'_>) -> BTreeSet<RelationId> {
    let documented = rules.checked.rules.iter().filter(|rule| !rule.doc.trim().is_empty());
    documented.map(|rule| rule.head).collect()
}

fn warning(relation: &Relation) -> Diagnostic {
    let name = relation.name;
    let warning = Diagnostic::new(UNREAD_RELATION, format!("nothing reads `{name}`"))
        .at(relation.span, "no rule, guard or test uses it");
    if relation.kind == Kind::Input {
        return warning.help("remove it, or say in a `##` line above it what it is for");
    }
    warning.help(format!(
        "if it is a result of the rule set, declare it: `decision {relation}.`, or `relation {relation}.` \
        below a `##` line",
    ))
}
