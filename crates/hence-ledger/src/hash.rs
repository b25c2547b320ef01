//! BLAKE3 hashes that chain the records, and the order-independent digest of a set of facts.

use std::fmt;
use std::io;
use std::str::FromStr;

use super::bytes::Malformed;

/// A BLAKE3 hash, shown as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash that 64 hexadecimal digits write; `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text.as_bytes()).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash of all bytes that come.
    ///
    /// # Errors
    /// They can't be read.
    pub fn of_read(bytes: &mut impl io::Read) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        io::copy(bytes, &mut hasher)?;
        Ok(Self(*hasher.finalize().as_bytes()))
    }

    /// The first `N` bytes, as a checksum.
    pub(crate) fn short<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        for (to, from) in out.iter_mut().zip(self.0) {
            *to = from;
        }
        out
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Hash {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let wrong = Malformed("a hash is 64 hexadecimal digits");
        let mut digits = text.chars().map(|c| c.to_digit(16));
        let mut out = [0u8; 32];
        for byte in &mut out {
            let (high, low) = (digits.next().flatten().ok_or(wrong)?, digits.next().flatten().ok_or(wrong)?);
            *byte = (high << 4 | low) as u8;
        }
        if digits.next().is_some() { Err(wrong) } else { Ok(Self(out)) }
    }
}

/// The sum modulo 2^256 of the hashes of the members of a set: the same in whatever order they came and went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Digest([u64; 4]);

impl Digest {
    pub(crate) fn add(&mut self, member: Hash) {
        let mut carry = false;
        for (limb, addend) in self.0.iter_mut().zip(limbs(member)) {
            let (sum, first) = limb.overflowing_add(addend);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = first || second;
        }
    }

    pub(crate) fn remove(&mut self, member: Hash) {
        let mut borrow = false;
        for (limb, subtrahend) in self.0.iter_mut().zip(limbs(member)) {
            let (difference, first) = limb.overflowing_sub(subtrahend);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            *limb = difference;
            borrow = first || second;
        }
    }

    pub(crate) fn to_hash(self) -> Hash {
        let mut out = [0; 32];
        for (to, from) in out.iter_mut().zip(self.0.iter().flat_map(|limb| limb.to_le_bytes())) {
            *to = from;
        }
        Hash(out)
    }

    pub(crate) fn from_hash(hash: Hash) -> Self {
        Self(limbs(hash))
    }
}

/// The hash as four words, the lowest first.
fn limbs(hash: Hash) -> [u64; 4] {
    let mut out = [0u64; 4];
    for (limb, bytes) in out.iter_mut().zip(hash.0.chunks_exact(8)) {
        *limb = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    out
}
