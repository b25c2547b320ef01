//! A place in a text that moves forward character by character.

use crate::part;

/// A text and how far it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte position of the next character.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes to a byte position; recovery may ask for one inside a character or after the end, and stays then.
    pub(super) fn seek(&mut self, at: usize) {
        if self.text.is_char_boundary(at) {
            self.at = at;
        }
    }

    /// The text that is not read yet.
    pub(super) fn rest(&self) -> &'a str {
        part(self.text, self.at..)
    }

    /// The text from byte `start` to where the cursor is.
    pub(super) fn since(&self, start: usize) -> &'a str {
        part(self.text, start..self.at)
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The byte `ahead` bytes after the next one.
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Reads a character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads `expected` if the text goes on with it.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Reads all characters that `wanted` takes, and returns them.
    pub(super) fn eat_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += len;
        part(rest, ..len)
    }

    /// The whole line on which byte `at` is, without its line end.
    pub(super) fn line_of(&self, at: usize) -> &'a str {
        let start = self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |found| found + 1);
        part(self.text, start..).lines().next().unwrap_or("")
    }
}
