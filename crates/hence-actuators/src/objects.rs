//! JSON objects one by one: a line each, over several lines, or the elements of one array, in bounded memory.

use std::io::{self, BufRead};

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::input::{Input, pauses};
use super::json::{Object, Place, shown};
use hence_core::meter;

/// How many bytes an object may have.
const LIMIT: usize = 64 << 20;

/// The mark that some programs write at the beginning of a text.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// The objects of an input; white space between them is passed over.
pub(super) struct JsonObjects<'a> {
    name: &'a str,
    reader: &'a mut dyn BufRead,
    bytes: Vec<u8>,
    /// The current line, from 1.
    line: u64,
    begun: bool,
    in_array: bool,
}

impl<'a> JsonObjects<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self {
            name: input.name(),
            reader: input.into_reader(),
            bytes: Vec::new(),
            line: 1,
            begun: false,
            in_array: false,
        }
    }

    /// The next object, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Object<'a>>, ActuatorError> {
        meter::check("reading what is observed")?;
        loop {
            let first = self.skip().map_err(|source| self.unreadable(source))?;
            match first {
                None if self.in_array => return Err(self.place().fault("`]`", "the end of the input")),
                None => return Ok(None),
                Some(b'[') if !self.in_array => self.in_array = true,
                Some(b']') if self.in_array => self.in_array = false,
                Some(first) => return self.object(first).map(Some),
            }
            self.reader.consume(1);
        }
    }

    fn place(&self) -> Place<'a> {
        Place { input: self.name, line: self.line }
    }

    fn unreadable(&self, source: io::Error) -> ActuatorError {
        ActuatorError::Read { input: self.name.to_owned(), source }
    }

    /// Goes to the next byte that counts, and returns it without taking it.
    fn skip(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if pauses(&error) => continue,
                read => read?,
            };
            if buffer.is_empty() {
                return Ok(None);
            }
            let passed = |byte: &u8| {
                byte.is_ascii_whitespace()
                    || self.in_array && *byte == b','
                    || !self.begun && BYTE_ORDER_MARK.contains(byte)
            };
            let found = buffer.iter().position(|byte| !passed(byte));
            let count = found.unwrap_or(buffer.len());
            let first = buffer.get(count).copied();
            self.line += newlines(buffer.split_at(count).0);
            self.reader.consume(count);
            if first.is_some() {
                self.begun = true;
                return Ok(first);
            }
        }
    }

    fn object(&mut self, first: u8) -> Result<Object<'a>, ActuatorError> {
        let place = self.place();
        let mut extent = Extent::new(first, self.in_array);
        self.bytes.clear();
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if pauses(&error) => continue,
                read => read.map_err(|source| ActuatorError::Read { input: self.name.to_owned(), source })?,
            };
            let end = extent.end(buffer);
            let count = end.unwrap_or(buffer.len());
            let (taken, _) = buffer.split_at(count);
            self.line += newlines(taken);
            self.bytes.extend_from_slice(taken);
            let over = buffer.is_empty() || end.is_some();
            self.reader.consume(count);
            if self.bytes.len() > LIMIT {
                return Err(place.fault("an object of at most 64 MiB", "a longer one"));
            }
            if over {
                break;
            }
        }
        match serde_json::from_slice(&self.bytes) {
            Ok(Json::Object(fields)) => Ok(Object::new(place, fields)),
            Ok(other) => Err(place.fault("a JSON object", &shown(&other))),
            Err(error) => Err(place.fault("a JSON object", &format!("invalid JSON ({error})"))),
        }
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Finds the end of a JSON text, knowing no more of it than brackets and quotes.
struct Extent {
    /// Whether it begins with a bracket, and so ends with one.
    bracketed: bool,
    in_array: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether it goes over several lines.
    several: bool,
    /// The last byte that is not white space.
    last: u8,
}

impl Extent {
    fn new(first: u8, in_array: bool) -> Self {
        let bracketed = matches!(first, b'{' | b'[');
        Self { bracketed, in_array, depth: 0, in_string: false, escaped: false, several: false, last: first }
    }

    /// How many of these further bytes belong to it, if it ends among them.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        bytes
            .iter()
            .enumerate()
            .find_map(|(at, byte)| self.takes(*byte).map(|itself| at + usize::from(itself)))
    }

    /// Whether it ends at this byte, and then whether the byte belongs to it.
    fn takes(&mut self, byte: u8) -> Option<bool> {
        if byte == b'\n' {
            return self.is_cut_off().then_some(false);
        }
        if std::mem::take(&mut self.escaped) {
            return None;
        }
        match byte {
            b'\\' => self.escaped = self.in_string,
            b'"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            b'{' | b'[' if self.bracketed => self.depth += 1,
            b'}' | b']' if self.bracketed => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(true);
                }
            }
            b',' | b']' if self.in_array && !self.bracketed => return Some(false),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
        None
    }

    /// Whether the text is over at the end of a line: no string goes on, and nothing that is written over several lines
    /// breaks its first one but after a bracket or a comma. A line that was cut off is reported at once, and not after
    /// all that comes after it.
    fn is_cut_off(&mut self) -> bool {
        let breaks = self.several || matches!(self.last, b'{' | b'[' | b',');
        let over = self.in_string || !self.bracketed || !breaks;
        self.several = true;
        over
    }
}
