//! From the bytes of a file to text.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::span::{FileId, Span};

use super::codes;

/// The text of a file.
///
/// # Errors
/// A diagnostic at the first byte that is not UTF-8. Its place is right for the text that
/// [`String::from_utf8_lossy`] makes of the same bytes, so the caller adds that one to its sources.
pub fn decode(file: FileId, bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
        let byte = bytes.get(error.valid_up_to()).or_broken("a fault of the encoding has a byte");
        let fault = Diagnostic::new(codes::NOT_TEXT, "the file is not UTF-8")
            .at(Span::new(file, at, at), format!("the byte 0x{byte:02X} does not start a character here"));
        Box::new(fault.help(help(bytes)))
    })
}

/// What the file may be instead.
fn help(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file looks like UTF-16: save it as UTF-8",
        [0x1f, 0x8b, ..] => "the file looks gzip-compressed: decompress it first",
        bytes if bytes.contains(&0) => "the file looks binary",
        _ => "the file looks like it uses a legacy encoding: save it as UTF-8",
    }
}
