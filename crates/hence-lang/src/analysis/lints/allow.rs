//! `# allow: W203`, or `# allow: never_holds`, in the comment lines directly above a line, or above the item around it, silences a warning.

use super::levels::lint;
use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::fault::OrBroken;
use hence_core::span::{Sources, Span};
use hence_syntax::tree;

/// An invariant of spans.
const PLACES: &str = "places lie in their texts, between two characters";

/// Whether a comment above the warning's place, or above the item around it, silences it.
pub(super) fn allowed(warning: &Diagnostic, files: &[tree::File], sources: &Sources) -> bool {
    let Some(place) = warning.span() else { return false };
    let item = item_around(place, files);
    [Some(place), item].into_iter().flatten().any(|span| above(span, sources, warning.code))
}

fn item_around(place: Span, files: &[tree::File]) -> Option<Span> {
    let file = files.iter().find(|file| file.id == place.file)?;
    let item = |at: usize| file.items.get(at).map(tree::Item::span);
    let after = file.items.partition_point(|item| item.span().start <= place.start);
    item(after.checked_sub(1)?).filter(|span| place.start < span.end)
}

/// Whether the comment lines directly above the line of `span` allow `code`.
fn above(span: Span, sources: &Sources, code: Code) -> bool {
    let text = sources.get(span.file).or_broken(PLACES).text();
    let before = text.get(..span.start as usize).or_broken(PLACES);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let lines = before.get(..line_start).or_broken(PLACES).lines().rev().map(str::trim_start);
    lines.take_while(|line| line.starts_with('#')).any(|line| allows(line, code))
}

fn allows(comment: &str, code: Code) -> bool {
    let codes = comment.strip_prefix('#').and_then(|text| text.trim_start().strip_prefix("allow:"));
    codes.is_some_and(|codes| codes.split([',', ' ', '\t']).any(|word| lint(word) == Some(code)))
}
