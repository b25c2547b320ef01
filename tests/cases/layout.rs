//! The formatter: one layout, nothing lost, twice is once.

use std::sync::LazyLock;

use hence_core::literal::visible_but;
use hence_core::span::FileId;
use hence_syntax as syntax;
use hence_syntax::tree;
use regex::Regex;

/// The places in a tree.
static PLACES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"Span \{ file: FileId\([0-9]+\), start: [0-9]+, end: [0-9]+ \}").unwrap());

/// A tree without its places and comments.
fn shape(file: &tree::File) -> String {
    PLACES.replace_all(&format!("{:?}", file.items), "@").replace("}, ", "},\n")
}

/// The comments; the layout writes out what is hidden in them.
fn comments(text: &str, file: &tree::File) -> Vec<String> {
    let shown = |text: &str| visible_but(text, &['\n', '\r', '\t']).into_owned();
    file.comments.iter().map(|comment| shown(&text[comment.span.range()])).collect()
}

/// Formats a text that has no fault, and checks that nothing changed but the layout.
pub(crate) fn checked_format(text: &str) -> String {
    let (tree, faults) = syntax::parse(FileId(0), text);
    assert!(faults.is_empty(), "{faults:#?}\n{text}");
    let printed = syntax::format(text, &tree);
    let (again, faults) = syntax::parse(FileId(0), &printed);
    assert!(faults.is_empty(), "{faults:#?}\nprinted from\n{text}\nas\n{printed}");
    let (before, after) = (shape(&tree), shape(&again));
    let change = before.lines().zip(after.lines()).find(|(before, after)| before != after);
    assert!(before == after, "{change:?}\nprinted from\n{text}\nas\n{printed}");
    assert_eq!(comments(&printed, &again), comments(text, &tree), "printed from\n{text}\nas\n{printed}");
    let twice = syntax::format(&printed, &again);
    let change = printed.lines().zip(twice.lines()).find(|(before, after)| before != after);
    assert!(twice == printed, "not stable: {change:?}\nprinted from\n{text}\nas\n{printed}");
    printed
}
