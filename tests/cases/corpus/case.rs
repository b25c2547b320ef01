//! A case as it is written: the rule file, and in its comments the facts and the way to run it.

use std::fs;
use std::path::{Path, PathBuf};

use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Limits;
use hence_syntax as syntax;

/// The clock of a case that sets none: 2026-01-01T00:00:00Z.
const NOW: i64 = 1_767_225_600_000_000;

/// How a case is run, by its `#! ` lines:
/// - `set NAME = LITERAL` sets a parameter;
/// - `now TIME` sets the clock;
/// - `facts PATH` reads a fact file beside the case;
/// - `lenient` takes matches without a result as false;
/// - `limit facts N`, `limit iterations N`, `limit memory N` bound the evaluation;
/// - `warnings` shows warnings, which the other cases keep to themselves.
pub(super) struct Case {
    pub(super) path: PathBuf,
    pub(super) sets: Vec<(Symbol, Value)>,
    pub(super) now: i64,
    pub(super) fact_files: Vec<PathBuf>,
    /// The text with everything but its facts blanked, so that places stay as they are.
    pub(super) facts: String,
    pub(super) lenient: bool,
    pub(super) warnings: bool,
    pub(super) limits: Limits,
}

impl Case {
    pub(super) fn read(path: &Path) -> Self {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let mut case = Self {
            path: path.to_owned(),
            sets: Vec::new(),
            now: NOW,
            fact_files: Vec::new(),
            facts: text.lines().map(fact_line).collect(),
            lenient: false,
            warnings: false,
            limits: Limits { facts: 200_000, iterations: 20_000, ..Limits::default() },
        };
        text.lines().filter_map(|line| line.strip_prefix("#! ")).for_each(|line| case.directive(line));
        case
    }

    fn directive(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["set", name, "=", ..] => {
                let value = line.split_once('=').unwrap().1.trim();
                let value = syntax::parse_value(value).unwrap_or_else(|| panic!("no literal: {value}"));
                self.sets.push((Symbol::new(name), value));
            }
            ["now", time] => self.now = literal::parse_time(time).unwrap(),
            ["facts", file] => self.fact_files.push(self.path.with_file_name(file)),
            ["lenient"] => self.lenient = true,
            ["warnings"] => self.warnings = true,
            ["limit", "facts", count] => self.limits.facts = count.parse().unwrap(),
            ["limit", "iterations", count] => self.limits.iterations = count.parse().unwrap(),
            ["limit", "memory", bytes] => self.limits.memory = Some(bytes.parse().unwrap()),
            _ => panic!("{}: unknown directive `#! {line}`", self.path.display()),
        }
    }
}

fn fact_line(line: &str) -> String {
    match line.strip_prefix("#> ") {
        Some(facts) => format!("   {facts}\n"),
        None => String::from("\n"),
    }
}
