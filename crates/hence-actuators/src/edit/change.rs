//! Two versions of a draft compared: greeting, tone, length, structure, content.

use std::collections::BTreeSet;

use imara_diff::{Algorithm, Diff, InternedInput};
use regex::Regex;

use crate::table::PatternTable;

/// How many words more or fewer change the length, and which share of the longer text.
const LENGTH_WORDS: usize = 5;
const LENGTH_SHARE: usize = 5;

/// Words of content have more letters than this, or a digit.
const SHORT: usize = 3;

/// The markers that are not of tone.
const GREETING: [&str; 2] = ["/greeting", "/closing"];

/// What shows how a text speaks.
pub(super) struct Markers {
    table: PatternTable,
    patterns: Vec<Regex>,
}

impl Markers {
    pub(super) fn new(table: PatternTable) -> Self {
        Self { patterns: table.patterns().collect(), table }
    }

    /// The text without what the patterns match.
    fn without(&self, mut text: String) -> String {
        for pattern in &self.patterns {
            text = pattern.replace_all(&text, " ").into_owned();
        }
        text
    }
}

/// One kind of change between two versions.
pub(super) struct Change {
    pub(super) kind: &'static str,
    pub(super) removed: String,
    pub(super) added: String,
}

/// A draft, taken apart.
pub(super) struct Draft {
    greeting: Vec<String>,
    /// The lines between greeting and closing, without white space around them; blank ones are left out.
    body: Vec<String>,
    tone: BTreeSet<String>,
    words: usize,
    paragraphs: usize,
    items: usize,
    headings: usize,
    /// The body without what markers match.
    content: String,
}

impl Draft {
    pub(super) fn new(markers: &Markers, text: &str) -> Self {
        let (mut greeting, mut body) = (Vec::new(), Vec::new());
        let mut paragraphs = 0;
        let mut blank = true;
        for line in text.lines().map(str::trim) {
            if line.is_empty() {
                blank = true;
                continue;
            }
            if markers.table.labels_of(line).iter().any(|label| GREETING.contains(&label.as_str())) {
                greeting.push(line.to_lowercase());
                continue;
            }
            paragraphs += usize::from(std::mem::take(&mut blank));
            body.push(line.to_owned());
        }
        let whole = body.join("\n");
        let tone = markers
            .table
            .labels_of(&whole)
            .into_iter()
            .map(|label| label.as_str().trim_start_matches('/').to_owned());
        Self {
            tone: tone.collect(),
            words: whole.split_whitespace().count(),
            items: body.iter().filter(|line| is_item(line)).count(),
            headings: body.iter().filter(|line| line.starts_with('#')).count(),
            content: markers.without(whole.to_lowercase()),
            greeting,
            body,
            paragraphs,
        }
    }

    /// How `after` differs from this, each kind once.
    pub(super) fn changes(&self, after: &Self) -> Vec<Change> {
        let kinds = [self.greeting(after), self.tone(after), self.length(after), self.structure(after)];
        kinds.into_iter().chain([self.content(after)]).flatten().collect()
    }

    fn greeting(&self, after: &Self) -> Option<Change> {
        let differ = self.greeting != after.greeting;
        differ.then(|| Change {
            kind: "/greeting",
            removed: self.greeting.join(" "),
            added: after.greeting.join(" "),
        })
    }

    fn tone(&self, after: &Self) -> Option<Change> {
        let only = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
            these.difference(those).cloned().collect::<Vec<_>>().join(" ")
        };
        (self.tone != after.tone).then(|| Change {
            kind: "/tone",
            removed: only(&self.tone, &after.tone),
            added: only(&after.tone, &self.tone),
        })
    }

    fn length(&self, after: &Self) -> Option<Change> {
        let by = self.words.abs_diff(after.words);
        let enough = by >= LENGTH_WORDS && by * LENGTH_SHARE >= self.words.max(after.words);
        let added = if after.words > self.words { "longer" } else { "shorter" };
        enough.then(|| Change { kind: "/length", removed: String::new(), added: added.to_owned() })
    }

    fn structure(&self, after: &Self) -> Option<Change> {
        let counts = [
            ("paragraphs", self.paragraphs, after.paragraphs),
            ("items", self.items, after.items),
            ("headings", self.headings, after.headings),
        ];
        let more = |less: bool| {
            let differ =
                counts.iter().filter(|(_, before, after)| if less { before > after } else { before < after });
            differ.map(|(what, ..)| *what).collect::<Vec<_>>().join(" ")
        };
        let (removed, mut added) = (more(true), more(false));
        if removed.is_empty() && added.is_empty() {
            let sorted = |lines: &[String]| {
                let mut lines = lines.to_vec();
                lines.sort_unstable();
                lines
            };
            if self.body == after.body || sorted(&self.body) != sorted(&after.body) {
                return None;
            }
            added.push_str("order");
        }
        Some(Change { kind: "/structure", removed, added })
    }

    fn content(&self, after: &Self) -> Option<Change> {
        let (before_words, after_words) = (content_words(&self.content), content_words(&after.content));
        if before_words == after_words {
            return None;
        }
        let (before_lines, after_lines) = differing(self.content.lines(), after.content.lines());
        let (removed, added) = differing(
            before_lines.into_iter().flat_map(str::split_whitespace),
            after_lines.into_iter().flat_map(str::split_whitespace),
        );
        let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
        let plain = |words: Vec<&str>| {
            let words = words.into_iter().map(bare).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        };
        Some(Change { kind: "/content", removed: plain(removed), added: plain(added) })
    }
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let marked = ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark));
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    marked || digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") "))
}

/// The words that say something, sorted, as often as they are there.
fn content_words(text: &str) -> Vec<&str> {
    let says =
        |word: &&str| word.chars().count() > SHORT || word.contains(|letter: char| letter.is_ascii_digit());
    let mut words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).filter(says).collect();
    words.sort_unstable();
    words
}

/// What one sequence has and the other has not, by the shortest way from one to the other that is found in good time.
fn differing<'a>(
    before: impl Iterator<Item = &'a str>,
    after: impl Iterator<Item = &'a str>,
) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut input = InternedInput::default();
    input.update_before(before);
    input.update_after(after);
    let diff = Diff::compute(Algorithm::Myers, &input);
    let texts = |tokens: &[imara_diff::Token], differs: &dyn Fn(u32) -> bool| {
        let tokens = (0..).zip(tokens).filter(|(at, _)| differs(*at));
        tokens.map(|(_, token)| input.interner[*token]).collect()
    };
    (texts(&input.before, &|at| diff.is_removed(at)), texts(&input.after, &|at| diff.is_added(at)))
}
