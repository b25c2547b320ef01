//! Duplicate rules, whatever their variables are called.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Rules;
use super::codes::DUPLICATE_RULE;
use crate::analysis::checked::{Literal, Rule};
use crate::builtins::term::{Limit, Term};
use hence_core::diagnostic::Diagnostic;

/// A second rule that derives the same in the same way.
pub(super) fn duplicates(rules: Rules<'_>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<String, &Rule> = BTreeMap::new();
    let mut out = Vec::new();
    for rule in &rules.checked.rules {
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

/// What a rule means, without places; variables are numbered by their first place already.
fn key(rule: &Rule) -> String {
    let terms: Vec<Term> = rule.terms.iter().cloned().map(Term::without_places).collect();
    let body: Vec<Literal> = rule.body.iter().cloned().map(Literal::without_places).collect();
    let limit = rule.limit.clone().map(Limit::without_places);
    format!("{:?} {terms:?} {body:?} {limit:?}", rule.head)
}
