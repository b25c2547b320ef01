//! Tables of patterns: CSV with a label and a pattern a row, compiled into one set.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use regex::bytes::{RegexSet, RegexSetBuilder};
use regex::{Regex, RegexBuilder};

use super::error::ActuatorError;
use hence_core::fault::OrBroken;
use hence_core::file::{self, LARGEST_TEXT};
use hence_core::literal;
use hence_core::symbol::Symbol;

/// How large a compiled table may be, in bytes.
const SIZE_LIMIT: usize = 64 << 20;

/// How much memory matching may take for its states, in bytes.
const STATES_LIMIT: usize = 16 << 20;

/// A table as it is shipped: its file name under `facts/`, its columns, its text, and how its patterns read.
pub(super) struct Shipped {
    pub(super) file: &'static str,
    pub(super) columns: [&'static str; 2],
    pub(super) text: &'static str,
    /// Whether the first column holds names (`access_denied` is `/access_denied`).
    pub(super) names: bool,
    /// Whether letter case counts.
    pub(super) case: bool,
    /// Whether words are words of any script; without it the set stays fast on any text.
    pub(super) unicode: bool,
    /// The pattern that a cell of the second column means.
    pub(super) pattern: fn(&str) -> String,
}

/// A compiled table: which labels a text shows.
pub(super) struct PatternTable {
    labels: Vec<Symbol>,
    set: RegexSet,
}

impl PatternTable {
    /// The table `shipped`, or the file of its name in the folder `tables`, where there is one.
    pub(super) fn load(shipped: &Shipped, tables: Option<&Path>) -> Result<Self, ActuatorError> {
        // A link that leads to nothing is there, and can't be read.
        let is_there = |path: &PathBuf| path.is_symlink() || path.exists();
        let Some(path) = tables.map(|folder| folder.join(shipped.file)).filter(is_there) else {
            return Self::parse(shipped, shipped.file, shipped.text);
        };
        let name = path.display().to_string();
        let text = file::read_text(&path, LARGEST_TEXT)
            .map_err(|source| ActuatorError::Read { input: name.clone(), source })?;
        Self::parse(shipped, &name, &text)
    }

    /// A table with the columns of `shipped` from the CSV `text`.
    pub(super) fn parse(shipped: &Shipped, name: &str, text: &str) -> Result<Self, ActuatorError> {
        let fault = |line, expected: &str, found: &str| ActuatorError::Table {
            table: name.to_owned(),
            line,
            expected: expected.to_owned(),
            found: found.to_owned(),
        };
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| fault(1, "a header", &error.to_string()))?;
        if !header.iter().eq(shipped.columns) {
            let found = format!("`{}`", header.iter().collect::<Vec<_>>().join(","));
            return Err(fault(1, &format!("the columns `{}`", shipped.columns.join(",")), &found));
        }
        let (mut labels, mut patterns, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for row in reader.records() {
            let row = row.map_err(|error| fault(0, "rows of two columns", &error.to_string()))?;
            let line = row.position().map_or(0, csv::Position::line);
            let cell = |at| row.get(at).or_broken("a row of a table has as many cells as its header");
            let (label, cell) = (cell(0), cell(1));
            labels.push(label_of(label, shipped.names).ok_or_else(|| fault(line, "a name", &quoted(label)))?);
            if cell.is_empty() {
                return Err(fault(line, "a pattern", "nothing"));
            }
            patterns.push((shipped.pattern)(cell));
            lines.push(line);
        }
        let set = compile(shipped, &patterns).map_err(|error| {
            // The set's error names no pattern: the first that is faulty alone does.
            let faulty = patterns.iter().zip(&lines).find_map(|(pattern, line)| {
                compile(shipped, std::slice::from_ref(pattern)).err().map(|error| (*line, error))
            });
            let (line, error) = faulty.unwrap_or((0, error));
            fault(line, "a regular expression", &error.to_string())
        })?;
        Ok(Self { labels, set })
    }

    /// The rows whose pattern matches `text` somewhere from the byte `start` on; what precedes it counts as
    /// context only.
    pub(super) fn matches(&self, text: &str, start: usize) -> impl Iterator<Item = usize> {
        // Most lines of a log show nothing, and that is cheaper to find out than which patterns match.
        let any = self.set.is_match_at(text.as_bytes(), start);
        any.then(|| self.set.matches_at(text.as_bytes(), start)).into_iter().flatten()
    }

    /// The label of a row.
    pub(super) fn label(&self, row: usize) -> Symbol {
        *self.labels.get(row).or_broken("each pattern of a table has a label")
    }

    /// The labels of the rows that match `text`, each once, in the order of the table.
    pub(super) fn labels_of(&self, text: &str) -> Vec<Symbol> {
        let mut labels: Vec<Symbol> = Vec::new();
        for label in self.matches(text, 0).map(|row| self.label(row)) {
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }

    /// The patterns, one by one, for those who want to know where they match.
    pub(super) fn patterns(&self) -> impl Iterator<Item = Regex> {
        let one = |pattern: &String| {
            let built = RegexBuilder::new(pattern)
                .multi_line(true)
                .case_insensitive(true)
                .size_limit(SIZE_LIMIT)
                .build();
            built.ok().or_broken("a pattern of a set is a pattern by itself")
        };
        self.set.patterns().iter().map(one)
    }

    /// The labels of all rows.
    pub(super) fn labels(&self) -> &[Symbol] {
        &self.labels
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::from("nothing") } else { format!("`{text}`") }
}

fn label_of(text: &str, names: bool) -> Option<Symbol> {
    if names { name(text) } else { (!text.is_empty()).then(|| Symbol::new(text)) }
}

/// The name that `text` is, with or without its slash.
pub(super) fn name(text: &str) -> Option<Symbol> {
    let slashed = if text.starts_with('/') { Cow::from(text) } else { Cow::from(format!("/{text}")) };
    literal::is_name(&slashed).then(|| Symbol::new(&slashed))
}

fn compile(shipped: &Shipped, patterns: &[String]) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns)
        .multi_line(true)
        .case_insensitive(!shipped.case)
        .unicode(shipped.unicode)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(STATES_LIMIT)
        .build()
}
