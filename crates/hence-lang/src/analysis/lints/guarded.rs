//! Guards that are weaker than they look: anyone may assert the fact that they require, or a rule adds it.

use super::Rules;
use super::codes::{GUARD_BY_ANYONE, GUARD_BY_FEED};
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;

/// A guard on an input that doesn't say who may assert it.
pub(super) fn by_anyone(rules: Rules<'_>) -> Vec<Diagnostic> {
    let guards = rules.checked.requires.iter();
    let open = guards.filter(|guard| {
        let needed = rules.relation(guard.relation);
        needed.kind == Kind::Input && needed.authors.is_none()
    });
    open.map(|guard| {
        let (needed, decision) = (rules.name(guard.relation), rules.name(guard.decision));
        Diagnostic::new(GUARD_BY_ANYONE, format!("anyone may assert `{needed}`, which `{decision}` requires"))
            .at(guard.span, "rests on what anyone may assert")
            .at(rules.relation(guard.relation).span, "declared without `from`")
            .help(format!("write who may: `input {needed}(…) from ROLE.`"))
    })
    .collect()
}

/// A guard on an input that rules feed.
pub(super) fn by_feed(rules: Rules<'_>) -> Vec<Diagnostic> {
    let guards = rules.checked.requires.iter();
    let fed = guards.filter_map(|guard| {
        let is_fed = rules.relation(guard.relation).kind == Kind::Input;
        let feed = rules.checked.rules.iter().find(|rule| is_fed && rule.head == guard.relation)?;
        Some((guard, feed))
    });
    fed.map(|(guard, feed)| {
        let (needed, decision) = (rules.name(guard.relation), rules.name(guard.decision));
        Diagnostic::new(GUARD_BY_FEED, format!("rules feed `{needed}`, which `{decision}` requires"))
            .at(guard.span, "satisfied by a fact that nobody asserted")
            .at(feed.head_span, "fed here")
            .help("require an input that no rule feeds, or one with `from`")
    })
    .collect()
}
