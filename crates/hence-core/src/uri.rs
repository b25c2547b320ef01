//! Escapes of URIs: bytes of UTF-8 as `%` and two hexadecimal digits.

use std::fmt::Write as _;

/// The text with all escaped but ASCII letters, digits and what `plain` holds.
pub fn encoded(text: &str, plain: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            // A string takes whatever is written.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The text without its escapes; `None` where one is none, or they make no text.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        // Of a number, a sign would be read too.
        let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
