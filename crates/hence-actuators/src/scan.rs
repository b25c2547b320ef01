//! Reads one text of any length in bounded memory: how long it is, and which patterns of a table it shows.

use std::collections::BTreeSet;

use super::table::PatternTable;

/// A text is matched in windows of this many bytes, and a match that begins in one window and ends in the next may
/// span [`OVERLAP`] of them.
const WINDOW: usize = 64 * 1024;

/// How much of a window the next one sees again.
const OVERLAP: usize = 4 * 1024;

/// The state of reading one text.
pub(super) struct Scan<'a> {
    table: &'a PatternTable,
    window: String,
    /// Where the window begins; what precedes it is context.
    start: usize,
    chars: u64,
    /// How many of the last characters are line breaks, which don't belong to the text at its end.
    breaks: u64,
    /// Newlines not hashed yet: those at the end never are.
    newlines: u64,
    rows: BTreeSet<usize>,
    hash: blake3::Hasher,
}

/// What was read of one text.
pub(super) struct Seen {
    /// Its length in Unicode scalar values, without line breaks at its end.
    pub(super) length: i64,
    /// The rows of the table that match.
    pub(super) rows: BTreeSet<usize>,
    /// The first 16 hexadecimal digits of its hash.
    pub(super) hash: String,
}

impl<'a> Scan<'a> {
    pub(super) fn new(table: &'a PatternTable) -> Self {
        Self {
            table,
            window: String::new(),
            start: 0,
            chars: 0,
            breaks: 0,
            newlines: 0,
            rows: BTreeSet::new(),
            hash: blake3::Hasher::new(),
        }
    }

    /// Reads on.
    pub(super) fn push(&mut self, text: &str) {
        let (body, breaks) = text.split_at(text.trim_end_matches(['\n', '\r']).len());
        self.chars += text.chars().count() as u64;
        if !body.is_empty() {
            self.hash(body);
            self.breaks = 0;
        }
        self.breaks += breaks.len() as u64; // a line break is one byte and one character
        self.newlines += breaks.matches('\n').count() as u64;
        self.window.push_str(text);
        if self.window.len() > WINDOW {
            self.look();
            self.slide();
        }
    }

    /// Ends the text and begins another one.
    pub(super) fn finish(&mut self) -> Seen {
        self.look();
        let hash = self.hash.finalize().to_hex();
        let seen = Seen {
            length: i64::try_from(self.chars - self.breaks).unwrap_or(i64::MAX),
            rows: std::mem::take(&mut self.rows),
            hash: hash.chars().take(16).collect(),
        };
        self.window.clear();
        self.hash.reset();
        (self.start, self.chars, self.breaks, self.newlines) = (0, 0, 0, 0);
        seen
    }

    /// Hashes on, without carriage returns, so that an id doesn't follow from how lines end.
    fn hash(&mut self, body: &str) {
        for _ in 0..std::mem::take(&mut self.newlines) {
            self.hash.update(b"\n");
        }
        for part in body.split('\r') {
            self.hash.update(part.as_bytes());
        }
    }

    fn look(&mut self) {
        self.rows.extend(self.table.matches(&self.window, self.start));
    }

    /// Keeps the end of the window, from a line's beginning where one is near, with the character before it, so
    /// that no line and no text seems to begin where the window does.
    fn slide(&mut self) {
        let mut cut = self.window.len().saturating_sub(OVERLAP);
        while !self.window.is_char_boundary(cut) {
            cut -= 1;
        }
        let (before, _) = self.window.split_at(cut);
        let near = before.rfind('\n').filter(|at| cut - at <= OVERLAP);
        let context = near.or_else(|| before.char_indices().next_back().map(|(at, _)| at)).unwrap_or(0);
        self.window.drain(..context);
        self.start = self.window.chars().next().map_or(0, char::len_utf8);
    }
}
