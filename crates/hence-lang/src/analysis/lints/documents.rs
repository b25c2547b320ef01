//! Rules for decisions without a sentence, and declarations without a doc comment.

use super::Rules;
use super::codes::{NO_BECAUSE, UNDOCUMENTED};
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_syntax::tree::{Doc, Item};

/// A rule that draws a decision says why in a sentence.
pub(super) fn without_because(rules: Rules<'_>) -> Vec<Diagnostic> {
    let draws = |head| rules.relation(head).kind == Kind::Decision;
    let silent = rules.checked.rules.iter().filter(|rule| rule.because.is_none() && draws(rule.head));
    silent
        .map(|rule| {
            let name = rules.name(rule.head);
            Diagnostic::new(
                NO_BECAUSE,
                format!("this rule draws the decision `{name}` without giving a reason"),
            )
            .at(rule.head_span, "missing `@because`")
            .help("write `@because(\"… {Variable} …\")` before it: the sentence that `why` prints")
        })
        .collect()
}

/// A declaration says what it is for.
pub(super) fn undocumented(rules: Rules<'_>) -> Vec<Diagnostic> {
    rules.items().filter_map(bare).map(|(what, name, span)| warning(what, name, span)).collect()
}

/// What a declaration without a doc comment declares, its name and the place of that.
fn bare(item: &Item) -> Option<(&'static str, &'static str, Span)> {
    let (doc, what, name): (&Doc, _, _) = match item {
        Item::Relation(relation) => (&relation.doc, relation.kind.keyword(), relation.name),
        Item::Type(set) => (&set.doc, "type", set.name),
        Item::Param(param) => (&param.doc, "param", param.name),
        Item::Import(_) | Item::Rule(_) | Item::Test(_) => return None,
    };
    let silent = doc.lines.iter().all(|line| line.trim().is_empty());
    (silent && name.name.as_str() != "now").then_some((what, name.name.as_str(), name.span))
}

fn warning(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(UNDOCUMENTED, format!("`{name}` is declared without a doc comment"))
        .at(span, format!("undocumented {what}"))
        .help("describe it in a `##` line directly above")
}
