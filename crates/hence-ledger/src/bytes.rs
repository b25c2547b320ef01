//! Numbers, texts and byte strings as the ledger writes them, and a reader that never runs past its end.

use hence_core::fault::OrBroken;

/// Bytes that don't hold what they should; the text says what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

/// Appends `value` in groups of seven bits, the lowest first.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends a presence byte, and the text if there is one.
pub(crate) fn put_optional(out: &mut Vec<u8>, text: Option<&str>) {
    out.push(u8::from(text.is_some()));
    if let Some(text) = text {
        put_bytes(out, text.as_bytes());
    }
}

/// How many bytes `a` and `b` begin with in common.
pub(crate) fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    let words = a.chunks_exact(8).zip(b.chunks_exact(8)).take_while(|(x, y)| x == y).count() * 8;
    let rest = a.iter().zip(b).skip(words).take_while(|(x, y)| x == y).count();
    words + rest
}

/// What comes after the first `len` bytes, of which there are as many.
pub(crate) fn after(bytes: &[u8], len: usize) -> &[u8] {
    bytes.get(len..).or_broken("no more bytes are passed over than there are")
}

/// Takes values from the front of a byte string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(len).ok_or(Malformed("unexpected end of data"))?;
        self.rest = rest;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed("unexpected end of data"))
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Malformed> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        if let [byte @ ..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(u64::from(*byte));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed("a number is longer than 64 bits"))
    }

    /// A varint that counts or measures something held in memory.
    pub(crate) fn length(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.varint()?).map_err(|_| Malformed("a length is too large"))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let len = self.length()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Malformed("a string is not UTF-8"))
    }

    pub(crate) fn optional(&mut self) -> Result<Option<&'a str>, Malformed> {
        if self.flag()? { self.text().map(Some) } else { Ok(None) }
    }

    /// A presence byte.
    pub(crate) fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a presence byte is neither 0 nor 1")),
        }
    }

    /// Checks that nothing is left over.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        if self.is_empty() { Ok(()) } else { Err(Malformed("unexpected trailing bytes")) }
    }
}
