//! The pages that `hence help` prints beside the options of a command: chapters of the book that the binary carries.

mod commands;
mod shown;
mod words;

use clap::Command;

use hence_core::diagnostic::nearest;
use hence_lang::builtins::reference::WordKind;

pub(super) use words::{entry, names};

/// What the pages are called.
const PAGES: [&str; 6] = ["language", "functions", "aggregates", "generators", "keywords", "commands"];

/// A page as a terminal of so many columns shows it, with styles.
pub(super) fn on_terminal(page: &str, width: usize) -> String {
    shown::on_terminal(page, width)
}

/// The page that the arguments ask for, if they ask for one.
pub(super) fn page(words: &[String], root: &Command) -> Option<String> {
    Some(match asked(words)? {
        "language" => include_str!("../../../docs/language.md").to_owned(),
        "functions" => words::functions(),
        "aggregates" => words::page(WordKind::Aggregate),
        "generators" => words::page(WordKind::Generator),
        "keywords" => words::page(WordKind::Keyword),
        "commands" => commands::page(root),
        _ => return None,
    })
}

/// The page that was probably meant.
pub(super) fn nearest_page(words: &[String]) -> Option<String> {
    let near = nearest(asked(words)?, PAGES)?;
    Some(format!("`hence help {near}` prints a page about the language"))
}

/// What `help` was asked about.
fn asked(words: &[String]) -> Option<&str> {
    let mut words = words.iter().map(String::as_str).filter(|word| !["-q", "--quiet"].contains(word));
    let topic = (words.next() == Some("help")).then(|| words.next())??;
    words.next().is_none().then_some(topic)
}
