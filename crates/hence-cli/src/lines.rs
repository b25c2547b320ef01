//! Lines of standard input, of which none is kept beyond a bound.

use std::io::{self, BufRead, Read as _};

/// The longest line, in bytes.
pub(super) const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// The next line, without what is beyond the longest one may be; `false` at the end.
pub(super) fn read_line(input: &mut dyn BufRead, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let read = input.take(LONGEST_LINE + 1).read_until(b'\n', bytes)?;
    if bytes.len() as u64 > LONGEST_LINE && !bytes.ends_with(b"\n") {
        skip_line(input)?;
    }
    Ok(read > 0)
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, found) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(length);
        if found {
            return Ok(());
        }
    }
}
