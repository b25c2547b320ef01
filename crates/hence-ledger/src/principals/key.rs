//! Ed25519 keys and signatures (RFC 8032), and how they are written.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature as Ed25519, Signer, SigningKey, VerifyingKey};

/// What the text of a public key begins with.
const SCHEME: &str = "ed25519:";

/// What signs for a principal; it is never recorded.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

/// What signatures of a principal are checked with, written as `ed25519:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

/// A signature, written as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ed25519Signature(pub [u8; 64]);

impl SecretKey {
    /// The key of 32 random bytes.
    pub fn new(seed: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&seed))
    }

    /// The key of 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self::new(bytes(text.trim())?))
    }

    /// The digits that [`SecretKey::parse`] reads.
    pub fn text(&self) -> String {
        Digits(self.0.as_bytes()).to_string()
    }

    /// What its signatures are checked with.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Ed25519Signature {
        Ed25519Signature(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {}", self.public())
    }
}

impl PublicKey {
    /// Whether `signature` is of `message`, strictly: no weak key, one encoding.
    pub fn holds(&self, message: &[u8], signature: &Ed25519Signature) -> bool {
        let key = VerifyingKey::from_bytes(&self.0);
        key.is_ok_and(|key| key.verify_strict(message, &Ed25519::from_bytes(&signature.0)).is_ok())
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key of such a text.
    pub fn parse(text: &str) -> Option<Self> {
        bytes(text.strip_prefix(SCHEME)?).map(Self)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", Digits(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Ed25519Signature {
    type Err = super::super::Malformed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        bytes(text).map(Self).ok_or(super::super::Malformed("a signature is 128 hexadecimal digits"))
    }
}

impl fmt::Display for Ed25519Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Digits(&self.0).fmt(f)
    }
}

impl fmt::Debug for Ed25519Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Bytes as hexadecimal digits.
struct Digits<'a>(&'a [u8]);

impl fmt::Display for Digits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// So many bytes that hexadecimal digits write.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut digits = text.chars().map(|c| c.to_digit(16));
    let mut out = [0u8; N];
    for byte in &mut out {
        let (high, low) = (digits.next().flatten()?, digits.next().flatten()?);
        *byte = u8::try_from(high << 4 | low).ok()?;
    }
    digits.next().is_none().then_some(out)
}
