//! Duplicate rules, whatever their variables are called.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Rules;
use super::codes::DUPLICATE_RULE;
use crate::analysis::checked::{Literal, Rule};
use crate::builtins::term::{Limit, Term};
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::RelationId;

/// A second rule that derives the same in the same way.
pub(super) fn duplicates(rules: Rules<'_>) -> Vec<Diagnostic> {
    let mut alike: BTreeMap<_, Vec<&Rule>> = BTreeMap::new();
    for rule in &rules.checked.rules {
        alike.entry(outline(rule)).or_default().push(rule);
    }
    let mut seen: BTreeMap<String, &Rule> = BTreeMap::new();
    let mut out = Vec::new();
    // What a rule means takes long to write down, and most have an outline of their own.
    for rule in alike.into_values().filter(|rules| rules.len() > 1).flatten() {
        match seen.entry(key(rule)) {
            Entry::Occupied(first) => {
                let what = if rule.body.is_empty() { "fact" } else { "rule" };
                let message = format!("duplicate {what} for `{}`", rules.name(rule.head));
                out.push(
                    Diagnostic::new(DUPLICATE_RULE, message)
                        .at(rule.head_span, "same as the first")
                        .at(first.get().head_span, "first here")
                        .help("remove one of them"),
                );
            }
            Entry::Vacant(place) => {
                place.insert(rule);
            }
        }
    }
    out
}

/// What two rules that mean the same have in common: the head, how many literals there are, and which relations they read.
fn outline(rule: &Rule) -> (RelationId, usize, Vec<RelationId>) {
    let read = rule.body.iter().filter_map(Literal::atom).map(|atom| atom.relation);
    (rule.head, rule.body.len(), read.collect())
}

/// What a rule means, without places; variables are numbered by their first place already.
fn key(rule: &Rule) -> String {
    let terms: Vec<Term> = rule.terms.iter().cloned().map(Term::without_places).collect();
    let body: Vec<Literal> = rule.body.iter().cloned().map(Literal::without_places).collect();
    let limit = rule.limit.clone().map(Limit::without_places);
    format!("{:?} {terms:?} {body:?} {limit:?}", rule.head)
}
