//! A short run of the fuzz targets over seeded mutations of the corpus; cargo-fuzz runs the same ones for longer.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[expect(unreachable_pub, reason = "it is a library of its own to the fuzz targets")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use crate::engines::random::Random;

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

fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| endings.iter().any(|ending| end == *ending)) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path: &PathBuf| fs::read(path).unwrap()).filter(|bytes| bytes.len() < 20_000).collect()
}

/// A text of the corpus with a few things changed.
fn mutated(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
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
        let bytes = mutated(&mut Random::new(seed), seeds);
        let start = Instant::now();
        let result = panic::catch_unwind(|| target(&bytes));
        let text = String::from_utf8_lossy(&bytes);
        assert!(result.is_ok(), "seed {seed} panics on\n{text}");
        assert!(start.elapsed() < longest, "seed {seed} takes {:?} on\n{text}", start.elapsed());
    }
}

/// How many mutations: some thousands, and many more behind `HENCE_SLOW`.
fn count(usual: u64) -> u64 {
    if std::env::var_os("HENCE_SLOW").is_some() { usual * 100 } else { usual }
}

#[test]
fn the_corpus_itself_goes_through_every_target() {
    for bytes in files("tests/corpus", &["dl", "jsonl", "csv", "facts"]) {
        targets::rules(&bytes);
        targets::facts(&bytes);
        targets::values(&bytes);
    }
}

#[test]
fn mutated_rule_files_are_read_checked_printed_and_run() {
    run(targets::rules, &files("tests", &["dl"]), count(4000));
}

#[test]
fn mutated_fact_files_are_read() {
    let seeds = [
        files("tests/corpus", &["jsonl", "csv", "facts", "dl"]),
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
