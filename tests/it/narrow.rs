//! Narrow terminals: tables break between words alone, or become lists; pages of help are read without Markdown.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::command;
use super::hostile::{on_a_terminal, without_own};
use super::settings::{RULES, folder, said};

/// What a call of these words shows on a terminal of so many columns.
fn shown(at: &Path, columns: u16, words: &[&str]) -> String {
    let mut command = command::hence(at, words);
    command.stdin(Stdio::null());
    without_own(&on_a_terminal(command, columns))
}

#[test]
fn tables_break_no_word() {
    let project = folder(&[("hence.toml", "rules = [\"mine.dl\"]\n"), ("mine.dl", RULES)]);
    fs::write(project.path().join("facts.jsonl"), "{\"n\": [6102564102]}\n{\"n\": [56411]}\n").unwrap();
    said(project.path(), 0, &["decide", "--facts", "facts.jsonl", "--now", "2026-02-09T09:00:00Z"]);
    for (words, kept) in [
        (&["config"][..], &["HENCE_RECORD_UNCHANGED", "engine.cross_check", "half"][..]),
        (&["decisions"], &["big(6102564102)", "2026-02-09T09:00:00Z", "because"]),
        (&["facts", "n"], &["6102564102"]),
        (&["query", "big(X), Y = X + 1"], &["6102564102", "6102564103"]),
    ] {
        for columns in [20, 40, 60, 80] {
            let text = shown(project.path(), columns, words);
            let missing: Vec<_> = kept.iter().filter(|word| !text.contains(**word)).collect();
            assert!(missing.is_empty(), "{words:?} at {columns}: {missing:?}\n{text}");
            let wide = text.lines().filter(|line| line.starts_with('│'));
            let wide: Vec<_> = wide.filter(|line| line.chars().count() > usize::from(columns)).collect();
            assert!(wide.is_empty(), "{words:?} at {columns}: {wide:?}");
        }
    }
    let list = shown(project.path(), 60, &["decisions"]);
    assert!(list.contains("decision: big(56411)\nsince:    "), "{list}");
    assert!(shown(project.path(), 100, &["config"]).starts_with('┌'));
}

#[test]
fn pages_of_help_are_read_without_markdown() {
    let project = folder(&[]);
    for page in ["language", "functions", "aggregates", "generators", "keywords", "commands"] {
        let text = shown(project.path(), 80, &["help", page]);
        // Code is as wide as it is.
        let prose = || text.lines().filter(|line| !line.starts_with("    "));
        let raw: Vec<_> = text.lines().filter(|line| line.contains("<br>") || line.contains(".md")).collect();
        assert!(raw.is_empty(), "{page}: {raw:?}");
        let marked = prose().filter(|line| ["|", "#", "```"].iter().any(|mark| line.starts_with(mark)));
        assert_eq!(marked.collect::<Vec<_>>(), [""; 0], "{page}");
        let wide = prose().filter(|line| line.chars().count() > 80 && line.contains(' '));
        assert_eq!(wide.collect::<Vec<_>>(), [""; 0], "{page}");
    }
    let functions = shown(project.path(), 80, &["help", "functions"]);
    assert!(functions.contains("\nclamp(x, low, high)\n    clamp(T, T, T) -> T\n"), "{functions}");
    let piped = said(project.path(), 0, &["help", "functions"]);
    assert!(piped.contains("| form | types | meaning | examples |"), "{piped}");
}
