//! The formatter: one layout, nothing lost, twice is once.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use hence_core::literal::visible_but;
use hence_core::span::FileId;
use hence_syntax as syntax;
use hence_syntax::tree;
use regex::Regex;

use crate::syntax::{compare, corpus};

/// A tree without its places and comments.
pub(crate) fn shape(file: &tree::File) -> String {
    static PLACES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"Span \{ file: FileId\(\d+\), start: \d+, end: \d+ \}").unwrap());
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

/// The items of the files, each as it stands there.
fn items() -> Vec<String> {
    let texts = files().into_iter().map(|path| fs::read_to_string(path).unwrap());
    let items = texts.flat_map(|text| {
        let (file, _) = syntax::parse(FileId(0), &text);
        file.items.iter().map(|item| text[item.span().range()].to_owned()).collect::<Vec<_>>()
    });
    items.collect()
}

/// With `HENCE_SLOW=1` a comment before each character of `items`, else only before closing brackets.
#[test]
fn comments_before_closing_brackets_keep_the_layout_stable() {
    let everywhere = std::env::var_os("HENCE_SLOW").is_some();
    for item in items() {
        for (at, _) in item.char_indices().filter(|(_, c)| everywhere || [')', '}'].contains(c)) {
            for comment in [" # note\n", "\n# own line\n", "\n\n## loud\n\n"] {
                let text = format!("{}{comment}{}", &item[..at], &item[at..]);
                // In the midst of a word it divides it.
                if syntax::parse(FileId(0), &text).1.is_empty() {
                    checked_format(&text);
                }
            }
        }
    }
}

#[test]
fn comments_stay_inside_brackets_that_close_on_a_line_of_their_own() {
    for item in items() {
        let printed = checked_format(&item);
        for (at, _) in printed.match_indices('\n') {
            let line = &printed[at + 1..];
            let bracket = line.trim_start_matches(' ');
            if bracket.starts_with([')', '}']) {
                let indent = line.len() - bracket.len() + 4;
                for comment in [" # note".to_owned(), format!("\n{:indent$}## own line", "")] {
                    let text = format!("{}{comment}{}", &printed[..at], &printed[at..]);
                    assert_eq!(checked_format(&text), text);
                }
            }
        }
    }
}
