//! Tells by its output which test runner it was, and how many tests failed.

use super::{cargo, go, jest, junit, pytest};

/// Output that says nothing that can be relied on.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: u64,
    pub(super) expected: String,
    pub(super) found: String,
}

impl Fault {
    pub(super) fn new(line: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { line, expected: expected.into(), found: found.into() }
    }
}

/// What a reader of one runner's output came to; `None` where it is not that runner's.
pub(super) type Verdict = Option<Result<usize, Fault>>;

/// A line, without colours and white space at its end.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: String,
}

/// How many characters of a line an error shows.
const SHOWN: usize = 60;

impl Line {
    pub(super) fn fault(&self, expected: &str) -> Fault {
        let shown: String = self.text.trim().chars().take(SHOWN).collect();
        Fault::new(self.number, expected, format!("`{shown}`"))
    }
}

/// How many tests failed, by the output of one test runner.
pub(super) fn failed(text: &str) -> Result<usize, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return junit::failed(text);
    }
    if text.trim_start().starts_with('{') {
        return jest::of_json(text).or_else(|| go::of_json(text)).unwrap_or_else(|| Err(nothing(text)));
    }
    let lines: Vec<Line> = lines(text);
    let readers: [(&str, fn(&[Line]) -> Verdict); 4] = [
        ("pytest", pytest::failed),
        ("cargo test", cargo::failed),
        ("go test", go::failed),
        ("jest", jest::failed),
    ];
    let mut found = readers.iter().filter_map(|(name, read)| Some((name, read(&lines)?)));
    match (found.next(), found.next()) {
        (Some((_, verdict)), None) => verdict,
        (Some((one, _)), Some((other, _))) => {
            let found = format!("that of {one} and that of {other}");
            Err(Fault::new(lines_of(text), "the output of one test runner", found))
        }
        (None, _) => Err(nothing(text)),
    }
}

fn nothing(text: &str) -> Fault {
    let expected = "the output of pytest, cargo test, go test or jest, or JUnit XML";
    Fault::new(lines_of(text), expected, "the end without an outcome of theirs")
}

/// The number of the last line.
pub(super) fn lines_of(text: &str) -> u64 {
    text.lines().count().max(1) as u64
}

fn lines(text: &str) -> Vec<Line> {
    let numbered = (1..).zip(text.lines());
    numbered.map(|(number, line)| Line { number, text: plain(line) }).collect()
}

/// A line without the sequences that colour it.
fn plain(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(
            part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';')
                .get(1..)
                .unwrap_or_default(),
        );
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// The numbers before the words of `1 failed, 2 passed`; `None` where it reads otherwise.
pub(super) fn counts(text: &str) -> Option<Vec<(usize, &str)>> {
    let part = |part| {
        let (number, word) = str::trim(part).split_once(' ')?;
        Some((number.parse().ok()?, word))
    };
    text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).map(part).collect()
}

/// The sum of the numbers before some words.
pub(super) fn total(counts: &[(usize, &str)], words: &[&str]) -> usize {
    counts
        .iter()
        .filter(|(_, word)| words.contains(word))
        .map(|(number, _)| number)
        .fold(0, |a, b| a.saturating_add(*b))
}
