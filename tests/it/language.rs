//! The tables of what the language and the run time say: each statement names cases that are there, for every section of
//! the pages.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

const LANGUAGE: &str = "tests/corpus/LANGUAGE.md";
const RUNTIME: &str = "tests/corpus/RUNTIME.md";

/// The sections of the run time's design.
const OF_RUNTIME: [&str; 8] = [
    "## From decisions to deeds",
    "## Who may say what",
    "## What facts look like may change",
    "## Time",
    "## Carrying out",
    "## People",
    "## Rules that feed others",
    "## One store, many who use it",
];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The headings below the title, in order; what is inside a fenced block is none.
fn headings(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if line.starts_with("##") && !fenced {
            found.push(line.to_owned());
        }
    }
    found
}

/// Whether a case is there.
fn is_there(case: &str) -> bool {
    match case.split_once(':') {
        None => is_case(&root().join("tests/corpus").join(case)),
        Some(("cli", page)) => root().join(format!("tests/cli/{page}.md")).is_file(),
        Some(("docs", page)) => read(&format!("docs/{page}.md")).contains("```console\n"),
        Some(("rules", file)) => root().join(format!("rules/{file}_test.dl")).is_file(),
        Some(("it", test)) => is_test(test),
        Some(_) => false,
    }
}

/// A rule file, a folder with a `main.dl`, or what a test of limits expects.
fn is_case(path: &Path) -> bool {
    let rules = path.with_extension("dl").is_file() || path.join("main.dl").is_file();
    rules || (path.starts_with(root().join("tests/corpus/limits")) && path.with_extension("out").is_file())
}

fn is_test(test: &str) -> bool {
    let (module, name) = test.rsplit_once("::").unwrap();
    let file = module.replace("::", "/");
    let found = Regex::new(&format!(r"(?m)^ *#\[test\]\n( *#\[.*\n)* *fn {name}\(")).unwrap();
    let forms = [format!("tests/it/{file}.rs"), format!("tests/it/{file}/mod.rs")];
    forms.iter().any(|path| fs::read_to_string(root().join(path)).is_ok_and(|text| found.is_match(&text)))
}

/// Checks that each statement of a table names cases that are there; how many it has.
fn check(table: &str) -> usize {
    let (mut statements, mut wrong) = (0, Vec::new());
    for line in read(table).lines().filter(|line| line.starts_with("| ")) {
        let Some((said, cases)) = line.trim_matches(['|', ' ']).rsplit_once(" | ") else { continue };
        if said == "statement" || said.starts_with("---") {
            continue;
        }
        statements += 1;
        wrong.extend(
            cases.split(", ").filter(|case| !is_there(case)).map(|case| format!("{said}: no `{case}`")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for section in read(table).split("\n##").skip(1) {
        assert!(section.contains("\n| --- | --- |\n| "), "no statement in{section}");
    }
    statements
}

#[test]
fn every_statement_names_cases_that_are_there() {
    assert!(check(LANGUAGE) > 250);
}

#[test]
fn every_statement_of_the_run_time_names_cases_that_are_there() {
    assert!(check(RUNTIME) > 70);
}

#[test]
fn the_tables_have_the_sections_of_their_pages() {
    let mut of_page = headings(&read("docs/language.md"));
    of_page.insert(0, String::from("## The language"));
    assert_eq!(headings(&read(LANGUAGE)), of_page);
    assert_eq!(headings(&read(RUNTIME)), OF_RUNTIME);
}
