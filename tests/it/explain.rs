//! The pages of `hence explain`: every code has one, its example fails with that code, and the fixed one doesn't.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use regex::Regex;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The pages: code and text.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<_> = fs::read_dir(root().join("docs/codes"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

/// The files of the example under a heading: the rules are `example.dl`, the others are named above their block.
fn example(page: &str, heading: &str) -> Option<Vec<(String, String)>> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1)?.split("\n## Fixed\n").next()?;
    let block = Regex::new(r"(?s)(?:`([^`\n]+)`:\n\n)?```\w+\n(.*?)```").unwrap();
    let files = block.captures_iter(section).map(|found| {
        let name = found.get(1).map_or("example.dl", |name| name.as_str());
        (name.to_owned(), found[2].to_owned())
    });
    Some(files.collect())
}

/// Everything that the command line says of an example: of the rules, and of the fact file if there is one.
fn said(files: &[(String, String)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut text = both(&hence(&["check", "example.dl"], folder.path()));
    if let Some((facts, _)) = files.iter().find(|(name, _)| name != "example.dl" && name != "hence.toml") {
        text += &both(&hence(&["derive", "--rules", "example.dl", "--facts", facts], folder.path()));
    }
    text
}

fn hence(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hence"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("HENCE_STORE")
        .output()
        .unwrap()
}

fn both(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The codes that a text names between brackets, as messages do.
fn codes(text: &str) -> BTreeSet<String> {
    let code = Regex::new(r"(?m)^(?:error|warning)\[([EW]\d{3})\]").unwrap();
    code.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_example_fails_with_its_code_and_is_fixed() {
    let mut wrong = Vec::new();
    for (code, page) in pages() {
        let (Some(fails), Some(fixed)) = (example(&page, "Fails"), example(&page, "Fixed")) else {
            assert!(page.contains("example"), "{code} has no example and doesn't say why");
            continue;
        };
        let (found, left) = (said(&fails), said(&fixed));
        if !codes(&found).contains(&code) {
            wrong.push(format!("{code} is not what its example gives:\n{found}"));
        }
        let faults: Vec<_> =
            codes(&left).into_iter().filter(|left| *left == code || left.starts_with('E')).collect();
        if !faults.is_empty() {
            wrong.push(format!("{code} fixed gives {faults:?}:\n{left}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let code = Regex::new(r#"Code\("([EW]\d{3})"\)"#).unwrap();
    let (mut known, mut folders) = (BTreeSet::new(), vec![root().join("src"), root().join("crates")]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                known.extend(code.captures_iter(&text).map(|found| found[1].to_owned()));
            }
        }
    }
    let pages: BTreeSet<String> = pages().into_iter().map(|(code, _)| code).collect();
    assert_eq!(known, pages);
}

#[test]
fn a_page_is_printed_and_an_unknown_code_told() {
    let folder = tempfile::tempdir().unwrap();
    let page = hence(&["explain", "e401"], folder.path());
    assert_eq!(
        String::from_utf8_lossy(&page.stdout),
        fs::read_to_string(root().join("docs/codes/E401.md")).unwrap()
    );
    let list = hence(&["explain"], folder.path());
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), pages().len());
    let unknown = hence(&["explain", "E999"], folder.path());
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("unknown code `E999`"));
}
