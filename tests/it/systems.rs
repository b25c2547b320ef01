//! The table of what the documents ask for: each test that it names is there, and what works has one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

const PAGE: &str = "docs/systems.md";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The item, the tests and the first word of the state of each row.
fn rows() -> Vec<(String, Vec<String>, String)> {
    let page = read(PAGE);
    let lines = page.lines().filter(|line| line.starts_with("| ")).skip(2);
    let cell = Regex::new(r" \| ").unwrap();
    lines
        .map(|line| {
            let cells: Vec<&str> = cell.split(line.trim_matches(['|', ' '])).collect();
            let [_, item, _, tests, state] = cells.as_slice() else { panic!("five columns: {line}") };
            let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            ((*item).to_owned(), tests, state.split(':').next().unwrap().to_owned())
        })
        .collect()
}

fn is_there(test: &str) -> bool {
    let (kind, name) = test.split_once(':').unwrap();
    match kind {
        "golden" => root().join(format!("tests/golden/{name}.json")).is_file(),
        "corpus" => root().join(format!("tests/corpus/good/{name}.dl")).is_file(),
        "cli" => root().join(format!("tests/cli/{name}.md")).is_file(),
        "docs" => read(&format!("docs/{name}.md")).contains("```console\n"),
        "rules" => {
            let (pack, name) = name.split_once('/').unwrap();
            let head = format!("\ntest \"{name}\" {{\n");
            let files =
                fs::read_dir(root().join("rules").join(pack)).unwrap().map(|file| file.unwrap().path());
            let mut tests = files.filter(|path| path.to_string_lossy().ends_with("_test.dl"));
            tests.any(|path| fs::read_to_string(path).unwrap().contains(&head))
        }
        "it" => is_test(name),
        _ => false,
    }
}

fn is_test(test: &str) -> bool {
    let (module, name) = test.rsplit_once("::").unwrap();
    let found = Regex::new(&format!(r"(?m)^ *#\[test\]\n( *#\[.*\n)* *fn {name}\(")).unwrap();
    let path = Path::new("tests/it").join(module.replace("::", "/"));
    let forms = [path.with_extension("rs"), path.join("mod.rs")];
    forms.iter().any(|path| fs::read_to_string(root().join(path)).is_ok_and(|text| found.is_match(&text)))
}

#[test]
fn every_test_that_the_table_names_is_there_and_what_works_has_one() {
    let mut wrong = Vec::new();
    for (item, tests, state) in rows() {
        let missing = tests.iter().filter(|test| !is_there(test));
        wrong.extend(missing.map(|test| format!("{item}: no `{test}`")));
        let fits = match state.as_str() {
            "works" => !tests.is_empty(),
            "missing" | "elsewhere" => tests.is_empty(),
            state => state == "partly",
        };
        if !fits {
            wrong.push(format!("{item}: {state} with {} tests", tests.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_counts_its_rows() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, _, state) in rows() {
        *counts.entry(state).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let of = |state: &str| counts.get(state).copied().unwrap_or(0);
    let said = format!(
        "{} of {all} items work, {} partly, {} are missing, and {} elsewhere",
        of("works"),
        of("partly"),
        of("missing"),
        of("elsewhere")
    );
    assert!(read(PAGE).contains(&said), "expected: {said}");
}
