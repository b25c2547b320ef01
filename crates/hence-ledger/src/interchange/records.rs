//! The records of a table: fields between delimiters, quoted where the format has quotes, each with its place.

use std::borrow::Cow;

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::span::Span;

use super::codes;
use super::faults::span;

/// A field of a record.
pub(super) struct Field<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) place: Span,
}

/// From how many bytes on there are many records.
const MANY: usize = 1 << 20;

/// What a reader of records keeps to.
const BETWEEN: &str = "a reader of records is between two characters";

/// A text, and how far it is read.
pub(super) struct Records<'t> {
    text: &'t str,
    at: usize,
    delimiter: u8,
    quotes: bool,
}

impl<'t> Records<'t> {
    /// The records of `text`; a byte order mark at its beginning is skipped.
    pub(super) fn new(text: &'t str, delimiter: u8, quotes: bool) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, delimiter, quotes }
    }

    /// What is left, if each record of it is a line and there are many.
    pub(super) fn lines(&self) -> Option<&'t str> {
        let rest = self.rest(self.at);
        (rest.len() >= MANY && !(self.quotes && rest.contains('"'))).then_some(rest)
    }

    /// The records of a part of the same text, whose places are those in the part.
    pub(super) fn within(&self, text: &'t str) -> Self {
        Self { text, at: 0, ..*self }
    }

    /// What separates fields.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Whether fields may be quoted.
    pub(super) fn has_quotes(&self) -> bool {
        self.quotes
    }

    /// Reads the next record into `fields`; `None` at the end. After a fault the next line is next.
    pub(super) fn next(&mut self, fields: &mut Vec<Field<'t>>) -> Option<Result<(), Diagnostic>> {
        fields.clear();
        if self.at >= self.text.len() {
            return None;
        }
        loop {
            let field =
                if self.quotes && self.byte() == Some(b'"') { self.quoted() } else { Ok(self.plain()) };
            match field {
                Ok(field) => fields.push(field),
                Err(fault) => {
                    self.skip_line();
                    return Some(Err(fault));
                }
            }
            match self.byte() {
                Some(byte) if byte == self.delimiter => self.at += 1,
                _ => {
                    self.skip_line();
                    return Some(Ok(()));
                }
            }
        }
    }

    /// The text from byte `start` on.
    fn rest(&self, start: usize) -> &'t str {
        self.text.get(start..).or_broken(BETWEEN)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_line(&mut self) {
        let rest = self.rest(self.at);
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }

    /// A field up to the next delimiter or the end of the line.
    fn plain(&mut self) -> Field<'t> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte != self.delimiter && byte != b'\n') {
            self.at += 1;
        }
        let mut text = self.text.get(start..self.at).or_broken(BETWEEN);
        if self.byte() != Some(self.delimiter) {
            text = text.strip_suffix('\r').unwrap_or(text);
        }
        Field { text: Cow::Borrowed(text), place: span(start, start + text.len()) }
    }

    /// A field in quotes; two quotes in a row mean one.
    fn quoted(&mut self) -> Result<Field<'t>, Diagnostic> {
        let start = self.at;
        let mut text = Cow::Borrowed("");
        loop {
            let from = self.at + 1;
            let rest = self.rest(from);
            let Some(length) = rest.find('"') else {
                self.at = self.text.len();
                return Err(Diagnostic::new(codes::MALFORMED, "unterminated quoted field")
                    .at(span(start, start + 1), "it starts here"));
            };
            let (part, _) = rest.split_at(length);
            text = if text.is_empty() { Cow::Borrowed(part) } else { Cow::Owned(text.into_owned() + part) };
            self.at = from + length + 1;
            if self.byte() != Some(b'"') {
                break;
            }
            text = Cow::Owned(text.into_owned() + "\"");
        }
        let place = span(start, self.at);
        let rest = self.rest(self.at);
        if rest.is_empty() || rest.starts_with(['\n', char::from(self.delimiter)]) || rest.starts_with("\r\n")
        {
            return Ok(Field { text, place });
        }
        let next = rest.chars().next().map_or(0, char::len_utf8);
        Err(Diagnostic::new(codes::MALFORMED, "text after the closing quote of a field")
            .at(span(self.at, self.at + next), "")
            .help("quote the whole field and write `\"\"` for a quote in it"))
    }
}
