//! Holds what one-way decays without a test: rooms name only the rooms they may, and files look as they should.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::files::files;

/// The rooms inside a crate, and which others of it each may name; between crates the compiler holds the directions.
const ROOMS: [(&str, &[&str]); 4] = [
    ("crates/hence-lang/src/builtins", &[]),
    ("crates/hence-lang/src/analysis", &["builtins"]),
    ("crates/hence-lang/src/ir", &["builtins"]),
    ("crates/hence-lang/src/lower", &["analysis", "builtins", "ir"]),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The modules at the root of the crate that a source text names.
fn named(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let single = Regex::new(r"\bcrate::([a-z_]+)").unwrap();
    let group = Regex::new(r"\bcrate::\{([^;]*)\};").unwrap();
    let inner = Regex::new(r"(?:^|[{,]\s*)([a-z_]+)(?:::|\s*,|\s*$)").unwrap();
    let mut names: BTreeSet<String> = single.captures_iter(&code).map(|found| found[1].to_owned()).collect();
    for found in group.captures_iter(&code) {
        names.extend(inner.captures_iter(&found[1]).map(|name| name[1].to_owned()));
    }
    names
}

/// Every source file of the workspace.
fn sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut found: Vec<PathBuf> =
        crates.chain([root().join("src")]).flat_map(|folder| files(folder, &["rs"])).collect();
    found.sort();
    found
}

#[test]
fn rooms_name_only_the_rooms_they_may() {
    let mut faults = Vec::new();
    for (room, allowed) in ROOMS {
        let own = room.rsplit('/').next().unwrap();
        for file in files(root().join(room), &["rs"]) {
            for name in named(&fs::read_to_string(&file).unwrap()) {
                if name != own && !allowed.contains(&name.as_str()) {
                    faults.push(format!("{} names `{name}`", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The rooms of the engine, lowest first; each names only those before it.
const ENGINE_ROOMS: [&str; 13] = [
    "cells",
    "rows",
    "limits",
    "model",
    "report",
    "profile",
    "storage",
    "plan",
    "exec",
    "fixpoint",
    "batch",
    "prepared",
    "incremental",
];

/// What the naive engine may name: it is the meaning, so it shares no evaluation with the others.
const NAIVE_MAY_NAME: [&str; 4] = ["rows", "limits", "model", "report"];

/// The room that a file of the engine belongs to.
fn engine_room(file: &Path) -> String {
    let inside = file.strip_prefix(root().join("crates/hence-engine/src")).unwrap();
    inside.with_extension("").iter().next().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn arrows_inside_the_engine_run_down_only() {
    let place = |room: &str| ENGINE_ROOMS.iter().position(|other| *other == room);
    for file in files(root().join("crates/hence-engine/src"), &["rs"]) {
        let room = engine_room(&file);
        if room == "lib" {
            continue;
        }
        assert!(
            room == "naive" || place(&room).is_some(),
            "{} is not in a room of the engine",
            file.display()
        );
        for name in named(&fs::read_to_string(&file).unwrap()) {
            let down = match room.as_str() {
                "naive" => name == room || NAIVE_MAY_NAME.contains(&name.as_str()),
                _ => place(&name).is_some_and(|other| Some(other) <= place(&room)),
            };
            assert!(down, "{} names `{name}`", file.display());
        }
    }
}

#[test]
fn no_files_of_an_engine_room_name_each_other() {
    let path = Regex::new(r"\b(?:crate::([a-z_]+)|super)::([a-z_]+)\b").unwrap();
    for room in ["storage", "plan", "exec"] {
        let folder = root().join("crates/hence-engine/src").join(room);
        let uses = |file: &PathBuf| -> BTreeSet<String> {
            let text = fs::read_to_string(file).unwrap();
            let own = path
                .captures_iter(&text)
                .filter(|found| found.get(1).is_none_or(|name| name.as_str() == room));
            own.map(|found| found[2].to_owned()).collect()
        };
        let mut left: Vec<(String, BTreeSet<String>)> = files(&folder, &["rs"])
            .iter()
            .map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), uses(file)))
            .collect();
        // Files that name none of those left are set aside until no such file is left.
        loop {
            let names: BTreeSet<String> = left.iter().map(|(name, _)| name.clone()).collect();
            let before = left.len();
            left.retain(|(name, uses)| uses.iter().any(|other| other != name && names.contains(other)));
            if left.len() == before {
                break;
            }
        }
        assert!(left.is_empty(), "these files of `{room}` name each other: {left:?}");
    }
}

#[test]
fn the_checker_shares_nothing_with_finder_and_engine() {
    let inside = Regex::new(r"\b(?:crate|super::super)::([a-z_]+)").unwrap();
    let engine = Regex::new(r"\bhence_engine::(\w+|\{[^}]*\})").unwrap();
    let data = ["Database", "Model", "Rows"];
    for file in files(root().join("crates/hence-proof/src/check"), &["rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        for found in inside.captures_iter(&text) {
            assert_eq!(&found[1], "moment", "{} names `{}`", file.display(), &found[1]);
        }
        for found in engine.captures_iter(&text) {
            let mut names = found[1].split(|c: char| !c.is_alphanumeric()).filter(|name| !name.is_empty());
            let only = names.all(|name| data.contains(&name));
            assert!(only, "{} names more of the engine than data: {}", file.display(), &found[1]);
        }
    }
}

#[test]
fn proofs_name_no_engine() {
    let names = Regex::new(r"\b(Naive|SemiNaive|Prepared|Incremental)\b").unwrap();
    for file in files(root().join("crates/hence-proof/src"), &["rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!names.is_match(&text), "{} names an engine", file.display());
    }
}

#[test]
fn only_the_base_names_sled() {
    let uses = Regex::new(r"\bsled::").unwrap();
    for file in sources() {
        let inside = file.starts_with(root().join("crates/hence-ledger/src/base"))
            || file.ends_with("hence-ledger/src/base.rs");
        let text = fs::read_to_string(&file).unwrap();
        assert!(inside || !uses.is_match(&text), "{} names sled", file.display());
    }
}

#[test]
fn only_the_terminal_names_the_standard_streams() {
    let uses = Regex::new(r"\b(stdout|stderr)\(\)|\bAutoStream\b|\be?print(ln)?!|\bdbg!").unwrap();
    // The program that `hence compile` writes has streams of its own.
    let program = "/// The program of a package";
    for file in sources()
        .iter()
        .filter(|file| !file.ends_with("hence-cli/src/terminal.rs") && !file.ends_with("src/hook.rs"))
    {
        let text = fs::read_to_string(file).unwrap();
        let text = text.split(program).next().unwrap_or_default();
        let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let found = text.iter().find(|line| uses.is_match(line));
        assert!(found.is_none(), "{} writes past `cli::terminal`: {found:?}", file.display());
    }
}

#[test]
fn only_the_workers_name_the_dataflow_engine() {
    let uses = Regex::new(r"\b(timely|differential_dataflow)::").unwrap();
    for file in sources() {
        let inside = file.starts_with(root().join("crates/hence-dataflow/src"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(inside || !uses.is_match(&text), "{} names the dataflow engine", file.display());
    }
    let manifest = fs::read_to_string(root().join("crates/hence-dataflow/Cargo.toml")).unwrap();
    let manifest = manifest.split("[dev-dependencies]").next().unwrap();
    let own: Vec<_> = manifest.lines().filter_map(|line| line.strip_suffix(".workspace = true")).collect();
    let crates: Vec<_> = own.iter().filter(|name| name.starts_with("hence-")).collect();
    assert_eq!(crates, [&"hence-core", &"hence-engine", &"hence-lang"]);
    let whole = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let quick = whole.split("default-members").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert!(!quick.contains("hence-dataflow"), "`cargo test` without options builds the workers");
}

#[test]
fn only_the_compiler_writes_crepe() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let may = file.starts_with(root().join("crates/hence-compile/src"))
            || text.lines().next().unwrap_or_default().ends_with("edit the rules, not this file.");
        assert!(may || !text.contains("crepe::crepe!"), "{} writes crepe", file.display());
    }
}

/// The crates through which a rule passes from text to program. Each stage has a form of its own of the same thing, so they
/// may share its name.
const STAGES: [&str; 3] = ["hence-core", "hence-lang", "hence-syntax"];

#[test]
fn one_type_name_means_one_thing() {
    let declaration = Regex::new(r"(?m)^pub (?:struct|enum|trait|type|union) (\w+)").unwrap();
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let place = file.strip_prefix(root()).unwrap();
        let room = place.iter().nth(1).unwrap().to_string_lossy().into_owned();
        // Compiled packs are named by their relations, and what they are made of by its paths.
        if room == "hence-packs" {
            continue;
        }
        for found in declaration.captures_iter(&text) {
            let home = if STAGES.contains(&room.as_str()) {
                String::from("the stages of the language")
            } else {
                place.display().to_string()
            };
            homes.entry(found[1].to_owned()).or_default().insert(home);
        }
    }
    homes.retain(|_, homes| homes.len() > 1);
    assert!(homes.is_empty(), "public types of one name: {homes:#?}");
}

#[test]
fn every_file_says_what_lives_in_it_and_stays_small() {
    let others = ["tests", "examples"].map(|folder| root().join(folder));
    for file in others.iter().flat_map(|folder| files(folder, &["rs"])).chain(sources()) {
        let text = fs::read_to_string(&file).unwrap();
        let sentence = text.lines().next().unwrap_or_default();
        assert!(sentence.starts_with("//! "), "{} does not begin with a `//!` sentence", file.display());
        let lines = text.lines().count();
        // Generated modules are as long as their rules.
        let reason =
            text.contains("//! Long because") || sentence.ends_with("edit the rules, not this file.");
        assert!(lines <= 500 || reason, "{} has {lines} lines", file.display());
    }
}

#[test]
fn every_code_has_a_faulty_example() {
    let code = Regex::new(r#"Code\("([EW]\d{3})"\)"#).unwrap();
    let mut expected = String::new();
    for file in
        files(root().join("tests"), &["out"]).into_iter().chain(files(root().join("tests/cli"), &["md"]))
    {
        expected.push_str(&fs::read_to_string(file).unwrap());
    }
    // The examples of the pages are run by the test of `hence explain`.
    for file in files(root().join("docs/codes"), &["md"]) {
        let page = fs::read_to_string(file).unwrap();
        expected.push_str(page.split_once("\n## Fails\n").map_or("", |_| page.as_str()));
    }
    let mut missing = BTreeSet::new();
    for file in sources() {
        for found in code.captures_iter(&fs::read_to_string(&file).unwrap()) {
            if !expected.contains(&found[1]) {
                missing.insert(found[1].to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "no test under tests/ shows {missing:?}");
}

#[test]
fn every_code_of_the_language_has_a_case() {
    let outs = files(root().join("tests/corpus/faulty"), &["out"]).into_iter();
    let said: String = outs.map(|out| fs::read_to_string(out).unwrap()).collect();
    let code = Regex::new(r#"Code\("(E\d{3})"\)"#).unwrap();
    let mut missing = BTreeSet::new();
    for source in ["crates/hence-syntax/src/codes.rs", "crates/hence-lang/src/analysis/codes.rs"] {
        for found in code.captures_iter(&fs::read_to_string(root().join(source)).unwrap()) {
            // Texts that are too large are made by code.
            if !["E111", "E112"].contains(&&found[1]) && !said.contains(&format!("error {}: ", &found[1])) {
                missing.insert(found[1].to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "no case of the corpus shows {missing:?}");
}

#[test]
fn every_declared_relation_of_the_packs_is_documented() {
    for file in files(root().join("rules"), &["dl"]) {
        let text = fs::read_to_string(&file).unwrap();
        let mut before = "";
        for line in text.lines() {
            let declares = ["input ", "relation ", "decision ", "param ", "type "]
                .iter()
                .any(|keyword| line.starts_with(keyword));
            let documented = before.starts_with("## ");
            assert!(!declares || documented, "{}: `{line}` has no doc comment", file.display());
            before = line;
        }
    }
}

/// The rooms in which what can't be missing is looked up as such, all of them reviewed.
const LOUD: [&str; 10] = [
    "crates/hence-syntax",
    "crates/hence-lang",
    "crates/hence-engine",
    "crates/hence-compile",
    "crates/hence-proof",
    "crates/hence-ledger",
    "crates/hence-packs",
    "crates/hence-core",
    "crates/hence-ruletest",
    "crates/hence-session",
];

/// Files that read texts which are no rules, where a part that isn't there is an answer.
const GUESSES: &str = "crates/hence-syntax/src/foreign/";

/// The forms in which an absence that can't be is covered, with what to write instead.
const QUIET: [(&str, &str); 5] = [
    (r"\.(get|get_mut|first|last|next)\([^;{}]*\)[^;{}]*\.unwrap_or_default\(\)", "`.or_broken(…)`"),
    (
        r"\.(get|get_mut|first_mut|last_mut)\([^;{}]*\)\s*\.into_iter\(\)\s*\.for_each",
        "`.or_broken(…)` or `if let`",
    ),
    (
        r"\.get\([^&;{}()]*(\([^()]*\)[^;{}()]*)*\)(\.copied\(\)|\.cloned\(\))?\.unwrap_or\((0|true|usize::MAX)\)",
        "`.or_broken(…)`",
    ),
    (r"\.map_or\(\x22\??\x22, \|(relation|rule|found|param|variable)\|", "`program[id]`"),
    (r"filter_map\(\|\w+\| (self\.)?program\.(relation|rule)\(", "`program[id]`"),
];

#[test]
fn what_cannot_be_missing_is_not_covered_by_a_default() {
    let mut found = Vec::new();
    for file in LOUD.iter().flat_map(|room| files(root().join(room), &["rs"])) {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        // The check of a program's invariants is for those that break them.
        if name.starts_with(GUESSES) || name == "crates/hence-lang/src/ir/invariants.rs" {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for (form, instead) in QUIET {
            for covered in Regex::new(form).unwrap().find_iter(&text) {
                let line = text[..covered.start()].lines().count();
                found.push(format!("{name}:{line}: `{}`: write {instead}", covered.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn threads_that_the_system_does_not_give_are_errors() {
    // These panic then; `hence_core::threads` and builders don't.
    let panics = Regex::new(r"\b(thread::spawn|scope\.spawn)\(").unwrap();
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let found = text.lines().find(|line| panics.is_match(line));
        assert!(found.is_none(), "{} panics where no thread is left: {found:?}", file.display());
    }
}

#[test]
fn pages_end_with_their_last_line() {
    for file in ["docs", "tests/cli"].into_iter().flat_map(|folder| files(root().join(folder), &["md"])) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{} ends otherwise", file.display());
    }
}
