//! The formatter: one layout, nothing lost, twice is once.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::fs;
use std::path::PathBuf;

use hence_core::literal::visible_but;
use hence_core::span::FileId;
use hence_syntax as syntax;
use hence_syntax::tree;
use regex::Regex;

use crate::syntax::{compare, corpus};

/// A tree without its places and comments.
pub(crate) fn shape(file: &tree::File) -> String {
    let places = Regex::new(r"Span \{ file: FileId\(\d+\), start: \d+, end: \d+ \}").unwrap();
    places.replace_all(&format!("{:?}", file.items), "@").replace("}, ", "},\n")
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

fn files() -> Vec<PathBuf> {
    corpus("good").into_iter().chain(corpus("format")).collect()
}

#[test]
fn printing_keeps_trees_and_comments() {
    for path in files() {
        checked_format(&fs::read_to_string(path).unwrap());
    }
}

#[test]
fn the_layout_is_as_expected() {
    for path in corpus("format") {
        let printed = checked_format(&fs::read_to_string(&path).unwrap());
        compare(&path, "out", &printed);
    }
}

#[test]
fn the_example_of_the_language_page_is_laid_out_already() {
    let path = corpus("good").into_iter().find(|path| path.ends_with("whole_example.dl")).unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(checked_format(&text), text);
}

#[test]
fn parts_are_printed_for_messages() {
    let (file, faults) = syntax::parse(
        FileId(0),
        "p(X, 1+2*3) :- q(tool:T,ok:true), !r(_), not (A or B), X in range(0,N) limit 3 per X by Y desc as R.",
    );
    assert!(faults.is_empty(), "{faults:#?}");
    let Some(tree::Item::Rule(rule)) = file.items.first() else { panic!("no rule") };
    assert_eq!(
        syntax::rule_text(rule),
        "p(X, 1 + 2 * 3) :- q(tool: T, ok: true), !r(_), !(A or B), X in range(0, N) limit 3 per X by Y desc as R."
    );
    assert_eq!(syntax::expr_text(&rule.terms[1]), "1 + 2 * 3");
    assert_eq!(syntax::literal_text(&rule.body[0]), "q(tool: T, ok: true)");
}
