//! Which rules, literals, boundaries and sentences the tests reach.
//!
//! What is counted, each once, over all tests together:
//! - *rule*: its body had a match;
//! - *literal satisfied*: with all literals before it (in an order in which each can be judged) it had a match;
//! - *literal refused*: everything else in the body that can be judged without it held, and it did not, so that
//!   it alone decided. This is counted of literals that only filter: one that gives the rule a value (an atom with a
//!   variable that nothing else binds, an `X = e`, a generator) has to be there anyway;
//! - *boundary*: a comparison as a literal or inside an expression held, failed, and (for `<`, `<=`, `>`, `>=`) was
//!   judged with both sides equal, each while everything else held; a condition of `if`, `and`, `or` held and
//!   failed; a `limit` left something out (a `limit … as R` of a million or more only ranks and isn't counted);
//! - *sentence*: a proof in some test shows the rule's `@because` with its values.
//!
//! An aggregate in a body is a literal of its rule that gives it a value; what is between its braces is counted as the
//! body of a rule is, for the groups that its own rule asks for.
//!
//! The percentage is the share of these that were reached. A line counts as covered where every rule and literal
//! that begins on it was satisfied.

mod measure;
mod points;

use std::collections::BTreeMap;

pub use measure::measure;

/// What the tests reach, by file.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The rule files with rules in them, by name.
    pub files: Vec<FileCoverage>,
}

/// What the tests reach of one file.
#[derive(Clone, Debug)]
pub struct FileCoverage {
    /// The file's name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What is counted, in the order of the text.
    pub points: Vec<Point>,
}

/// Something that a test may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What it is.
    pub kind: PointKind,
    /// The rule that it belongs to.
    pub rule: String,
    /// Its line, from 1.
    pub line: usize,
    /// The text that it speaks of.
    pub text: String,
    /// For a boundary, the equality that a test has to bring about.
    pub at: Option<String>,
    /// Whether it is the refusal of an atom that gives the rule values: shown on request, and counted nowhere.
    pub binds: bool,
    /// How many tests reach it.
    pub hits: usize,
}

/// The kinds of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PointKind {
    /// A rule's body had a match.
    Rule,
    /// A literal was satisfied.
    Satisfied,
    /// A literal alone refused a match.
    Refused,
    /// A comparison or condition held.
    Holds,
    /// A comparison or condition failed.
    Fails,
    /// A comparison was judged with both sides equal.
    Boundary,
    /// A limit left something out.
    LeftOut,
    /// A sentence was shown in a proof.
    Sentence,
}

/// How many of how many were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Reached.
    pub reached: usize,
    /// All of them.
    pub all: usize,
}

impl Share {
    /// The percentage, 100 of nothing.
    pub fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { self.reached as f64 * 100.0 / self.all as f64 }
    }

    fn of<'a>(points: impl Iterator<Item = &'a Point>) -> Self {
        points.filter(|point| !point.binds).fold(Self::default(), |share, point| Self {
            reached: share.reached + usize::from(point.hits > 0),
            all: share.all + 1,
        })
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { reached: self.reached + other.reached, all: self.all + other.all }
    }
}

impl PointKind {
    /// Whether it belongs to the boundaries.
    pub fn is_boundary(self) -> bool {
        matches!(self, Self::Holds | Self::Fails | Self::Boundary | Self::LeftOut)
    }
}

impl FileCoverage {
    /// The share of everything.
    pub fn total(&self) -> Share {
        Share::of(self.points.iter())
    }

    /// The share of one kind of points.
    pub fn kind(&self, wanted: impl Fn(PointKind) -> bool) -> Share {
        Share::of(self.points.iter().filter(|point| wanted(point.kind)))
    }

    /// By line that a rule or literal begins on: how many tests satisfy everything there.
    pub fn lines(&self) -> BTreeMap<usize, usize> {
        let mut lines = BTreeMap::new();
        for point in &self.points {
            if matches!(point.kind, PointKind::Rule | PointKind::Satisfied | PointKind::Holds) {
                let hits = lines.entry(point.line).or_insert(point.hits);
                *hits = point.hits.min(*hits);
            }
        }
        lines
    }

    /// The share of lines.
    pub fn line_share(&self) -> Share {
        let lines = self.lines();
        Share { reached: lines.values().filter(|hits| **hits > 0).count(), all: lines.len() }
    }

    /// The pack that the file belongs to: its folder's name.
    pub fn pack(&self) -> &str {
        let mut parts = self.name.rsplit(['/', '\\']);
        let _file = parts.next();
        parts.next().unwrap_or("")
    }

    /// What no test reaches.
    pub fn gaps(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(|point| point.hits == 0)
    }
}

impl Coverage {
    /// The share of everything in all files.
    pub fn total(&self) -> Share {
        self.files.iter().fold(Share::default(), |share, file| share.and(file.total()))
    }
}

impl Point {
    /// What no test does, for people.
    pub fn gap(&self) -> String {
        match self.kind {
            PointKind::Rule => String::from("never fires"),
            PointKind::Satisfied => format!("`{}` is never reached or never satisfied", self.text),
            PointKind::Refused => {
                format!("`{}` never decides: in no test does it alone stop the rule", self.text)
            }
            PointKind::Holds => format!("`{}` never holds", self.text),
            PointKind::Fails => format!("`{}` never fails while all else holds", self.text),
            PointKind::Boundary => format!(
                "`{}` is never tested at its boundary: no test has {}",
                self.text,
                self.at.as_deref().unwrap_or("both sides equal")
            ),
            PointKind::LeftOut => format!("`{}` never excludes anything", self.text),
            PointKind::Sentence => String::from("no proof shows its sentence"),
        }
    }
}
