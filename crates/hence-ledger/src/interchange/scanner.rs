//! One line of JSON, read token by token with the place of each.
//!
//! Our own, because it gives what a fact file needs and a general reader hides: the byte where a value is,
//! numbers as they were written, and floats rounded correctly.

use std::borrow::Cow;

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::span::Span;

use super::codes;
use super::convert;
use super::faults::span;
use super::field::{Found, shortened};

/// How deep JSON may nest.
const DEPTH: usize = 256;
/// How deep the list or object of a fact's columns is nested.
pub(super) const FACT_DEPTH: usize = 2;

/// What a scanner keeps to.
const BETWEEN: &str = "a scanner is between two characters";

/// A line, and how far it is read.
#[derive(Clone)]
pub(super) struct Scanner<'t> {
    line: &'t str,
    /// Where the line begins in its file.
    offset: usize,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// A scanner of `line`, which begins at byte `offset` of its file.
    pub(super) fn new(line: &'t str, offset: usize) -> Self {
        Self { line, offset, at: 0 }
    }

    /// The place from byte `start` of the line up to here.
    pub(super) fn span_from(&self, start: usize) -> Span {
        span(self.offset + start, self.offset + self.at)
    }

    /// The next byte that is not white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// Where the next token begins, in bytes of the line.
    pub(super) fn start(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// What is still to be read.
    fn rest(&self) -> &'t str {
        self.line.get(self.at..).or_broken(BETWEEN)
    }

    /// What was read since byte `start` of the line.
    fn since(&self, start: usize) -> &'t str {
        self.line.get(start..self.at).or_broken(BETWEEN)
    }

    fn byte(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    /// Takes `byte` if it is next.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes `byte`, which must be next.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Diagnostic> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", char::from(byte)))) }
    }

    /// A fault: something else is here than `due`.
    pub(super) fn unexpected(&mut self, due: &str) -> Diagnostic {
        self.peek();
        let next = self.rest().chars().next();
        let shown = |c: char| if c == '\'' { String::from(c) } else { c.escape_debug().to_string() };
        let found = next.map_or(String::from("the end of the line"), |c| format!("`{}`", shown(c)));
        let end = self.at + next.map_or(0, char::len_utf8);
        let fault = self.malformed(format!("expected {due}, found {found}"), self.at, end);
        if next == Some('\'') { fault.help("JSON has its strings in double quotes") } else { fault }
    }

    fn malformed(&self, message: impl Into<String>, start: usize, end: usize) -> Diagnostic {
        Diagnostic::new(codes::MALFORMED, message).at(span(self.offset + start, self.offset + end), "")
    }

    /// The next value of a column and its place; lists and objects are skipped.
    pub(super) fn value(&mut self) -> Result<(Found<'t>, Span), Diagnostic> {
        let start = self.start();
        let found = match self.byte() {
            Some(b'"') => Found::Text(self.string()?),
            Some(b'[') => self.skip(FACT_DEPTH + 1).map(|()| Found::List)?,
            Some(b'{') => self.skip(FACT_DEPTH + 1).map(|()| Found::Object)?,
            _ => self.word()?,
        };
        Ok((found, self.span_from(start)))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Found<'t>, Diagnostic> {
        let start = self.start();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '+' | '-' | '_'))
            .unwrap_or(rest.len());
        let (word, _) = rest.split_at(end);
        if word.is_empty() {
            return Err(self.unexpected("a value"));
        }
        self.at = start + end;
        match word {
            "true" => Ok(Found::Bool(true)),
            "false" => Ok(Found::Bool(false)),
            "null" => Ok(Found::Null),
            number if convert::is_number(number) => Ok(Found::Number(number)),
            other => Err(self.no_value(other, start)),
        }
    }

    fn no_value(&self, word: &str, start: usize) -> Diagnostic {
        let fault = self.malformed(format!("`{}` is not a JSON value", shortened(word)), start, self.at);
        match word {
            "True" | "False" => fault.help(format!("write `{}`", word.to_lowercase())),
            "NaN" | "Infinity" | "-Infinity" => fault.help("a float is finite; remove the line"),
            _ if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                fault.help(format!("write a string in quotes: `\"{}\"`", shortened(word)))
            }
            _ => fault.help("a number is written like `42`, `-0.5` or `1e-3`"),
        }
    }

    /// The string that begins here, escapes resolved.
    pub(super) fn string(&mut self) -> Result<Cow<'t, str>, Diagnostic> {
        let start = self.start();
        if self.byte() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        self.at += 1;
        let mut out: Option<String> = None;
        loop {
            let from = self.at;
            while self.byte().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= 0x20) {
                self.at += 1;
            }
            let plain = self.since(from);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match out {
                        Some(text) => Cow::Owned(text + plain),
                        None => Cow::Borrowed(plain),
                    });
                }
                Some(b'\\') => {
                    let out = out.get_or_insert_default();
                    out.push_str(plain);
                    out.push(self.escape()?);
                }
                Some(_) => {
                    let fault = self.malformed("a control character in a string", self.at, self.at + 1);
                    return Err(fault.help("write it as an escape: `\\t`, `\\u0000`"));
                }
                None => return Err(self.malformed("unterminated string", start, self.at)),
            }
        }
    }

    /// The character of an escape.
    fn escape(&mut self) -> Result<char, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let kind = self.rest().chars().next();
        self.at += kind.map_or(0, char::len_utf8);
        let found = match kind {
            Some(c @ ('"' | '\\' | '/')) => Some(c),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('u') => self.unicode_escape(),
            _ => None,
        };
        found.ok_or_else(|| {
            let text = self.since(start);
            self.malformed(format!("`{text}` is not a JSON escape"), start, self.at)
        })
    }

    /// What follows `\u`: four digits, or two escapes of four that make a pair.
    fn unicode_escape(&mut self) -> Option<char> {
        let high = self.hex()?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high);
        }
        if self.line.get(self.at..self.at + 2)? != "\\u" {
            return None;
        }
        self.at += 2;
        let low = self.hex()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.line.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// Skips the list or object that begins here, the level `depth` of its line.
    pub(super) fn skip(&mut self, depth: usize) -> Result<(), Diagnostic> {
        let start = self.start();
        if depth > DEPTH {
            let message = format!("JSON is nested more than {DEPTH} levels deep");
            return Err(Diagnostic { code: codes::TOO_DEEP, ..self.malformed(message, start, start + 1) });
        }
        let (close, is_object) = if self.byte() == Some(b'{') { (b'}', true) } else { (b']', false) };
        self.at += 1;
        if self.take(close) {
            return Ok(());
        }
        loop {
            if is_object {
                self.string()?;
                self.expect(b':')?;
            }
            match self.peek() {
                Some(b'[' | b'{') => self.skip(depth + 1)?,
                _ => drop(self.value()?),
            }
            if !self.take(b',') {
                return self
                    .take(close)
                    .then_some(())
                    .ok_or_else(|| self.unexpected(&format!("`,` or `{}`", char::from(close))));
            }
        }
    }
}
