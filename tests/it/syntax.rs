//! The text front end: what parses, and what is said where something doesn't.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_syntax as syntax;

/// The rule files under `tests/syntax/<folder>`, in order.
pub(crate) fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax").join(folder);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "dl"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A diagnostic as the corpus holds it.
fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = |span| sources.place(span);
    let mut out = match diagnostic.span() {
        Some(span) => format!("{}: ", place(span)),
        None => String::new(),
    };
    writeln!(out, "{}: {}", diagnostic.code, diagnostic.message).unwrap();
    for label in &diagnostic.labels {
        let at = place(label.span);
        let text = sources.slice(label.span).lines().next().unwrap_or("");
        writeln!(out, "    at {}:{} `{text}`: {}", at.line, at.column, label.text).unwrap();
    }
    diagnostic.notes.iter().for_each(|note| writeln!(out, "    note: {note}").unwrap());
    diagnostic.help.iter().for_each(|help| writeln!(out, "    help: {help}").unwrap());
    out
}

fn diagnose(path: &Path) -> String {
    let mut sources = Sources::default();
    let name = path.file_name().unwrap().to_string_lossy();
    let bytes = fs::read(path).unwrap();
    let id = sources.add(name, String::from_utf8_lossy(&bytes).into_owned());
    let diagnostics = match syntax::decode(id, &bytes) {
        Ok(text) => syntax::parse(id, text).1,
        Err(fault) => vec![*fault],
    };
    diagnostics.iter().map(|diagnostic| render(&sources, diagnostic)).collect()
}

/// Compares with the file beside `path` that ends in `extension`, or rewrites that with `UPDATE=1`.
pub(crate) fn compare(path: &Path, extension: &str, found: &str) {
    let expected_path = path.with_extension(extension);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&expected_path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    assert_eq!(found, expected, "{} differs; UPDATE=1 rewrites it", expected_path.display());
}

#[test]
fn correct_files_parse_without_a_word() {
    for path in corpus("good") {
        assert_eq!(diagnose(&path), "", "{}", path.display());
    }
}

#[test]
fn faulty_files_are_reported_as_expected() {
    for path in corpus("faulty") {
        let found = diagnose(&path);
        assert!(!found.is_empty(), "{} has no fault", path.display());
        compare(&path, "out", &found);
    }
}

#[test]
fn every_code_has_a_faulty_file() {
    let found: String = corpus("faulty").iter().map(|path| diagnose(path)).collect();
    let code_of_size = ["E111", "E112"];
    for code in syntax::codes::ALL.iter().filter(|code| !code_of_size.contains(&code.0)) {
        assert!(found.contains(&format!(": {code}: ")), "no faulty file for {code}");
    }
}
