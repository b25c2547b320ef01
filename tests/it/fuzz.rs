//! A short run of the fuzz targets over seeded mutations of the corpus; cargo-fuzz runs the same ones for longer.

use crate::slow;
use std::fs;
use std::panic;
use std::path::Path;
use std::time::{Duration, Instant};

#[path = "../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the fuzz package needs them public")]
mod targets;

use crate::files::files;
use crate::random::Dice;

/// Pieces that mutations put in: tokens of the language and of fact files, and what breaks readers.
const PIECES: &[&str] = &[
    " :- ",
    ".\n",
    ", ",
    "(",
    ")",
    "{",
    "}",
    "!",
    "not ",
    "_",
    "X",
    "p(",
    "q(X)",
    " = ",
    " / ",
    "/a",
    "/",
    "-",
    "\"",
    "r#\"",
    "\\u{",
    "\\",
    "#",
    "##",
    "@",
    "@id(",
    "@because(\"{",
    "@2026-01-01T00:00:00Z",
    "1h",
    "9223372036854775808",
    "-9223372036854775808",
    "1e999",
    "0.0",
    " in range(0, 9)",
    " limit 2 by X as R",
    " per X",
    "count()",
    "sum(",
    "mean(",
    "if(true, 1, 2)",
    "test \"t\" {",
    "given ",
    "expect ",
    "exactly ",
    "input ",
    "decision ",
    " requires ",
    "relation ",
    "param ",
    "type ",
    "import \"x\".",
    "|>",
    ".decl ",
    "Decl ",
    ":=",
    "\u{0}",
    "\u{feff}",
    "é",
    "\u{2028}",
    "\r\n",
    "\t",
    "[",
    "]",
    "{\"p\": [1, \"a\"]}\n",
    "null",
    ",,",
    "''",
];

/// A file of so many bytes is not taken.
const LARGE: usize = 20_000;

/// What is in the files under a folder that end so, but the large ones.
fn texts(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let texts = files(folder, endings).into_iter().map(|path| fs::read(path).unwrap());
    texts.filter(|bytes| bytes.len() < LARGE).collect()
}

/// A text of the corpus with a few things changed.
fn mutated(random: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            2 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..(from + random.below(80)).min(other.len())].to_vec();
                bytes.splice(at..end, part);
            }
            4 if at < bytes.len() => bytes.truncate(at),
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

/// Runs a target over `count` mutations; one that panics is shown as text.
fn run(target: fn(&[u8]), seeds: &[Vec<u8>], count: u64) {
    let longest = Duration::from_secs(20);
    for seed in 0..count {
        let bytes = mutated(&mut Dice::new(seed), seeds);
        let start = Instant::now();
        let result = panic::catch_unwind(|| target(&bytes));
        let text = String::from_utf8_lossy(&bytes);
        assert!(result.is_ok(), "seed {seed} panics on\n{text}");
        assert!(start.elapsed() < longest, "seed {seed} takes {:?} on\n{text}", start.elapsed());
    }
}

/// How many mutations: some thousands, and many more with `HENCE_SLOW`.
fn count(usual: u64) -> u64 {
    slow::size(usual, usual * 100)
}

#[test]
fn the_corpus_itself_goes_through_every_target() {
    for path in files("tests/corpus", &["dl", "jsonl", "csv", "facts"]) {
        let bytes = fs::read(&path).unwrap();
        if bytes.len() >= LARGE {
            continue;
        }
        println!("{}", path.display());
        targets::rules(&bytes);
        targets::facts(&bytes);
        targets::values(&bytes);
    }
}

#[test]
fn mutated_rule_files_are_read_checked_printed_and_run() {
    run(targets::rules, &texts("tests", &["dl"]), count(4000));
}

#[test]
fn mutated_fact_files_are_read() {
    let seeds = [
        texts("tests/corpus", &["jsonl", "csv", "facts", "dl"]),
        vec![b"x,s\n1,a\n".to_vec(), b"{\"p\": [1.5, \"a\"]}\n".to_vec()],
    ];
    run(targets::facts, &seeds.concat(), count(10_000));
}

#[test]
fn mutated_literals_and_queries_are_read() {
    let seeds: Vec<Vec<u8>> =
        ["-1", "1.5e3", "\"a\\n\"", "/a/b", "@2026-01-01T00:00:00Z", "1h30m", "p(X, S), X > 1", "q(1, _)"]
            .map(|text| text.as_bytes().to_vec())
            .into();
    run(targets::values, &seeds, count(3000));
}

/// A target, the folder of its seeds, and how many mutations it usually takes.
type Outside = (fn(&[u8]), &'static str, u64);

/// The targets that read what comes from outside.
const OUTSIDE: [Outside; 8] = [
    (targets::edits, "edits", 400),
    (targets::events, "events", 600),
    (targets::receipts, "receipts", 2000),
    (targets::registries, "registries", 500),
    (targets::schedules, "schedules", 500),
    (targets::source, "source", 100),
    (targets::spans, "spans", 400),
    (targets::tests, "tests", 600),
];

#[test]
fn what_comes_from_outside_is_read_whatever_it_is() {
    for (target, name, usual) in OUTSIDE {
        println!("{name}");
        let seeds: Vec<_> =
            fs::read_dir(format!("fuzz/seeds/{name}")).unwrap().map(|found| found.unwrap()).collect();
        let mut seeds: Vec<_> = seeds.iter().map(|found| fs::read(found.path()).unwrap()).collect();
        seeds.sort();
        seeds.iter().for_each(|bytes| target(bytes));
        run(target, &seeds, count(usual));
    }
}

#[test]
fn the_package_of_the_targets_names_them_and_what_they_depend_on() {
    let manifest = fs::read_to_string("fuzz/Cargo.toml").unwrap();
    let named = regex::Regex::new(r"\bhence_([a-z]+)::").unwrap();
    for text in [include_str!("../../fuzz/src/lib.rs"), include_str!("../../fuzz/src/outside.rs")] {
        for found in named.captures_iter(text) {
            let package = format!("\nhence-{} = ", &found[1]);
            assert!(manifest.contains(&package), "fuzz/Cargo.toml has no `{}`", package.trim());
        }
    }
    for (_, name, _) in OUTSIDE {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no `{name}`");
        assert!(Path::new("fuzz/fuzz_targets").join(name).with_extension("rs").is_file(), "{name}");
    }
}
