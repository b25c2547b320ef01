//! Bytes in base64 with padding (RFC 4648), as notes have them; one text for each sequence of bytes.

/// The digits, in order.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64.
pub(crate) fn write(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let word =
            group.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS.get((word >> (18 - 6 * place)) as usize & 63);
            let shown = digit.filter(|_| place <= group.len());
            text.push(shown.map_or('=', |digit| char::from(*digit)));
        }
    }
    text
}

/// The bytes that such a text writes.
pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::new();
    for group in digits.as_bytes().chunks(4) {
        let mut word = 0;
        for digit in group {
            word = word << 6 | DIGITS.iter().position(|other| other == digit)? as u32;
        }
        let [_, a, b, c] = (word << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend([a, b, c].into_iter().take(group.len().checked_sub(1)?));
    }
    // What is written otherwise, such as with other padding, is not read.
    (write(&bytes) == text).then_some(bytes)
}
