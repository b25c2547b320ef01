//! Messages of JSON-RPC that are a line each, read within bounds: one that is too long is told and skipped.

use std::io::{self, BufRead};

use serde_json::{Map, Value as Json, json};

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// One that has more bytes than are read.
    TooLong,
}

/// The next line of at most `most` bytes; `None` at the end.
///
/// # Errors
/// The other side can't be read.
pub(super) fn next(input: &mut impl BufRead, most: usize) -> io::Result<Option<Line>> {
    let (mut line, mut is_long, mut any) = (Vec::new(), false, false);
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            return Ok(any.then_some(if is_long { Line::TooLong } else { Line::Whole(line) }));
        }
        any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(buffer.len());
        is_long |= line.len() + taken > most;
        if is_long {
            line = Vec::new();
        } else {
            line.extend(buffer.iter().take(taken));
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return Ok(Some(if is_long { Line::TooLong } else { Line::Whole(line) }));
        }
    }
}

/// The answer to a request that failed; without an id where that can't be read.
pub(super) fn failed(id: Option<&Json>, code: i64, message: &str) -> Json {
    let mut fields = Map::new();
    fields.insert(String::from("jsonrpc"), json!("2.0"));
    fields.extend(id.map(|id| (String::from("id"), id.clone())));
    fields.insert(String::from("error"), json!({ "code": code, "message": message }));
    Json::Object(fields)
}
