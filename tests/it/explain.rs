//! `hence explain`: every code has a page; what is on the pages is run by `tests/cases`.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::command::hence;
use crate::files::files;

/// The codes that have a page.
fn pages() -> BTreeSet<String> {
    files("docs/codes", &["md"])
        .iter()
        .map(|page| page.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let code = Regex::new(r#"Code\("([EW]\d{3})"\)"#).unwrap();
    let mut known = BTreeSet::new();
    for source in files("src", &["rs"]).into_iter().chain(files("crates", &["rs"])) {
        let text = fs::read_to_string(source).unwrap();
        known.extend(code.captures_iter(&text).map(|found| found[1].to_owned()));
    }
    assert_eq!(known, pages());
}

#[test]
fn a_page_is_printed_and_an_unknown_code_told() {
    let folder = crate::memory::folder();
    let page = hence(folder.path(), &["explain", "e401"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&page.stdout), fs::read_to_string("docs/codes/E401.md").unwrap());
    let list = hence(folder.path(), &["explain"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), pages().len());
    let unknown = hence(folder.path(), &["explain", "E999"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("unknown code `E999`"));
}
