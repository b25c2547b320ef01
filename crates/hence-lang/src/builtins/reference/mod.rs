//! What users read of each word of the language: its form, its meaning and examples, the one source of `hence help`,
//! of `hence explain` and of the tables in the book.

mod functions;
mod generators;
mod keywords;
mod operators;

use std::fmt;

use super::op::Signature;
use super::overload::{TYPES, written};
use super::{aggregate, generator, op};

/// What kind of word an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// `+`, `<`, `and`.
    Operator,
    /// `clamp(x, low, high)`.
    Function,
    /// `mean(x)`.
    Aggregate,
    /// `words(s)`, right of `in`.
    Generator,
    /// `decision`, `limit`, `@because`.
    Keyword,
}

impl fmt::Display for WordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Operator => "operator",
            Self::Function => "function",
            Self::Aggregate => "aggregate",
            Self::Generator => "generator",
            Self::Keyword => "keyword",
        })
    }
}

/// What users read of one word.
#[derive(Clone, Copy, Debug)]
pub struct WordEntry {
    /// The word.
    pub name: &'static str,
    /// How it is written, with names for its arguments.
    pub form: &'static str,
    /// What it means, as Markdown.
    pub meaning: &'static str,
    /// Examples and what they give: for a keyword a whole rule file each, which gives nothing; for the others an
    /// expression over the variables of [`SAMPLE`] and its value, [`NO_RESULT`], or several elements between commas.
    pub examples: &'static [(&'static str, &'static str)],
}

/// Words that go together.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// What they are about.
    pub title: &'static str,
    /// The words, in the order in which they are read.
    pub entries: &'static [WordEntry],
}

/// The facts that the examples range over, with the variables `Tool`, `Ms` and `Ok`. A function that names one of
/// them takes the first fact.
pub const SAMPLE: &str =
    "run(\"grep\", 10, true). run(\"grep\", 30, true). run(\"pytest\", 80, false). run(\"ruff\", 40, true).";

/// What an example gives that is an undefined operation.
pub const NO_RESULT: &str = "no result";

/// The words of a kind.
pub fn sections(kind: WordKind) -> &'static [Section] {
    match kind {
        WordKind::Operator => operators::SECTIONS,
        WordKind::Function => functions::SECTIONS,
        WordKind::Aggregate => aggregate::sections(),
        WordKind::Generator => generators::SECTIONS,
        WordKind::Keyword => keywords::SECTIONS,
    }
}

/// Every word with its kind.
pub fn entries() -> impl Iterator<Item = (WordKind, &'static WordEntry)> {
    [WordKind::Operator, WordKind::Function, WordKind::Aggregate, WordKind::Generator, WordKind::Keyword]
        .into_iter()
        .flat_map(|kind| sections(kind).iter().map(move |section| (kind, section.entries)))
        .flat_map(|(kind, entries)| entries.iter().map(move |entry| (kind, entry)))
}

/// The names of a kind, in order.
pub(super) fn names(kind: WordKind) -> Vec<&'static str> {
    let mut names: Vec<_> =
        sections(kind).iter().flat_map(|section| section.entries).map(|entry| entry.name).collect();
    names.sort_unstable();
    names
}

impl WordEntry {
    /// The signatures as a user reads them; where every type will do, it is called `T` (a second one `U`).
    pub fn types(&self, kind: WordKind) -> Vec<String> {
        let signatures = match kind {
            WordKind::Operator | WordKind::Function => op::signatures(self.name),
            WordKind::Aggregate => aggregate::signatures(self.name),
            WordKind::Generator => generator::signatures(self.name),
            WordKind::Keyword => Vec::new(),
        };
        let groups = signatures.chunk_by(|left, right| left.args.len() == right.args.len());
        groups.flat_map(|group| general(self.name, group)).collect()
    }
}

/// The signatures of as many arguments, as one where they differ in a type that may be any, or in two.
fn general(name: &str, group: &[Signature]) -> Vec<String> {
    let count = TYPES.len();
    match group {
        [first, second, ..] if group.len() == count => vec![varied(name, first, &[(second, "T")])],
        [first, second, ..] if group.len() == count * count => {
            let other = group.get(count).unwrap_or(first);
            vec![varied(name, first, &[(other, "T"), (second, "U")])]
        }
        _ => group.iter().map(|signature| signature.show(name)).collect(),
    }
}

/// `first` with a letter wherever it differs from one of the others.
fn varied(name: &str, first: &Signature, others: &[(&Signature, &'static str)]) -> String {
    let letter = |place: usize| {
        let differs = |other: &Signature| words(other).nth(place) != words(first).nth(place);
        others.iter().find(|(other, _)| differs(other)).map(|(_, letter)| *letter)
    };
    let mut all: Vec<_> =
        words(first).enumerate().map(|(place, word)| letter(place).unwrap_or(word)).collect();
    let result = all.pop().unwrap_or_default();
    written(name, &all, result)
}

fn words(signature: &Signature) -> impl Iterator<Item = &'static str> {
    signature.args.iter().chain([&signature.result]).map(|ty| ty.keyword())
}
