//! Rules for decisions without a sentence, and declarations without a doc comment.

use std::collections::BTreeMap;

use super::Rules;
use super::codes::{NO_BECAUSE, UNDOCUMENTED};
use crate::analysis::prose::list;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;
use hence_core::span::{FileId, Sources, Span};
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

/// Of the declarations without a doc comment in one file, one warning: at the first, naming the others.
pub(super) fn once_a_file(found: &mut Vec<Diagnostic>, sources: &Sources) {
    let file =
        |warning: &Diagnostic| warning.span().filter(|_| warning.code == UNDOCUMENTED).map(|span| span.file);
    let mut others: BTreeMap<FileId, Vec<Span>> = BTreeMap::new();
    found.retain(|warning| {
        let Some(file) = file(warning) else { return true };
        let first = !others.contains_key(&file);
        let rest = others.entry(file).or_default();
        rest.extend(warning.span().filter(|_| !first));
        first
    });
    for warning in found.iter_mut() {
        let rest = file(warning).and_then(|file| others.get(&file)).filter(|rest| !rest.is_empty());
        if let Some(rest) = rest {
            warning.notes.push(also(rest, sources));
        }
    }
}

/// Which other declarations of a file have no doc comment.
fn also(places: &[Span], sources: &Sources) -> String {
    const SHOWN: usize = 5;
    let named = places.iter().take(SHOWN);
    let mut names: Vec<String> = named
        .map(|span| format!("`{}` (line {})", sources.slice(*span), sources.place(*span).line))
        .collect();
    if places.len() > SHOWN {
        names.push(format!("{} more", places.len() - SHOWN));
    }
    let verb = if places.len() == 1 { "has" } else { "have" };
    format!("{} of this file {verb} none either", list(&names, "and"))
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
