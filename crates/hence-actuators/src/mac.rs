//! Signatures under a shared secret: HMAC-SHA256 (RFC 2104).

use std::fmt::Write as _;

use hmac::{Hmac, Mac};
use sha2::Sha256;

use hence_core::fault::OrBroken;

fn keyed(secret: &[u8], message: &[u8]) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(secret).ok();
    let mut mac = mac.or_broken("an HMAC takes keys of any length");
    mac.update(message);
    mac
}

/// The signature of a message, as 64 hexadecimal digits.
pub fn hex(secret: &[u8], message: &[u8]) -> String {
    to_hex(&keyed(secret, message).finalize().into_bytes())
}

/// Whether the signature is that of the message; how long that takes says nothing of where it differs.
pub fn is_of(signature: &str, secret: &[u8], message: &[u8]) -> bool {
    from_hex(signature).is_some_and(|bytes| keyed(secret, message).verify_slice(&bytes).is_ok())
}

/// Bytes as hexadecimal digits.
pub fn to_hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Hexadecimal digits as bytes; `None` where they are none.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len() / 2).map(|at| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()).collect()
}
