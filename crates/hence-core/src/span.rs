//! Where something is in the source text: files, byte ranges, lines and columns.

use std::fmt;
use std::sync::Arc;

use crate::fault::OrBroken;
use crate::literal;

/// A file known to a [`Sources`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file, on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` to `end` (exclusive) of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest span that covers both; `other` must lie in the same file.
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just after this one.
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }

    /// This span as a range of byte positions.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One loaded text, or an excerpt of one: its name as the user wrote it, the text, and where its lines begin.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: Arc<str>,
    first_line: usize,
    line_starts: Vec<u32>,
}

impl Source {
    /// The name under which the text was loaded, usually a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of its first line: 1, or that of an excerpt.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    /// The line of byte `at`, counted from 0.
    fn line_index(&self, at: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= at).saturating_sub(1)
    }

    /// Where a line of [`Source::line_index`] begins.
    fn line_start(&self, line: usize) -> usize {
        *self.line_starts.get(line).or_broken("the first line of every text begins at its first byte")
            as usize
    }
}

/// A line and a column of a file, both counted from 1; columns count Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All texts that were loaded, by [`FileId`].
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a text and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.add_excerpt(name, text, 1)
    }

    /// Adds the lines from number `first_line` on of a text that isn't kept whole, and returns its id.
    pub fn add_excerpt(
        &mut self,
        name: impl Into<String>,
        text: impl Into<Arc<str>>,
        first_line: usize,
    ) -> FileId {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1))
            .collect();
        // Names are shown, and nowhere opened.
        let name = literal::visible(&name.into()).into_owned();
        self.files.push(Source { name, text, first_line, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// The source with this id, if it is one of this table.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.files.get(file.0 as usize)
    }

    /// All sources in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(at, source)| (FileId(at as u32), source))
    }

    /// The text that a span covers; empty for a span of no known file.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).and_then(|source| source.text.get(span.range())).unwrap_or("")
    }

    /// File, line and column of the first byte of `span`.
    pub fn place(&self, span: Span) -> Place {
        let Some(source) = self.get(span.file) else {
            return Place { file: String::from("<unknown>"), line: 1, column: 1 };
        };
        let line = source.line_index(span.start);
        let start = source.line_start(line);
        let before = source.text.get(start..span.start as usize).unwrap_or("");
        let line = line + source.first_line;
        Place { file: source.name.clone(), line, column: before.chars().count() + 1 }
    }
}
