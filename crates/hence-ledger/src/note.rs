//! Checkpoints: what a ledger was when it had so many transactions, as a note that principals sign, in the form of
//! transparency logs (C2SP signed-note and tlog-checkpoint).

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::hash::Hash;
use super::merkle::Node;
use super::principals::{Ed25519Signature, PublicKey, SecretKey};

/// What the origin of a ledger begins with; the hash of its first transaction follows.
const ORIGIN: &str = "hence/";
/// The type of an Ed25519 signature in the hash that names a key.
const ED25519: u8 = 1;
/// What a signature begins with.
const DASH: &str = "\u{2014} ";
/// What the line begins with that holds the hash of the last transaction.
const HEAD: &str = "head ";
/// A note has so many bytes at most.
const LONGEST: usize = 1 << 16;

/// A ledger when it had so many transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The hash of the first transaction, by which one ledger is told from another.
    pub first: Hash,
    /// How many transactions it had.
    pub size: u64,
    /// The root of the tree over them.
    pub root: Node,
    /// The hash of the last one.
    pub head: Hash,
}

/// A checkpoint and who signed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// The signatures, each with the first bytes of the hash of its name and key.
    signatures: Vec<([u8; 4], Ed25519Signature)>,
}

impl Checkpoint {
    /// The name of the ledger, and of the keys that sign for it.
    fn origin(&self) -> String {
        format!("{ORIGIN}{}", self.first)
    }

    /// The text that is signed.
    fn text(&self) -> String {
        format!(
            "{}\n{}\n{}\n{HEAD}{}\n",
            self.origin(),
            self.size,
            BASE64_STANDARD.encode(self.root),
            self.head
        )
    }

    /// The first bytes of the hash of the name and a key.
    fn id(&self, key: PublicKey) -> [u8; 4] {
        let hash = Sha256::new().chain_update(self.origin()).chain_update([b'\n', ED25519]);
        let [a, b, c, d, ..] = <[u8; 32]>::from(hash.chain_update(key.bytes()).finalize());
        [a, b, c, d]
    }

    /// A note of it that nobody signed.
    pub fn unsigned(self) -> Note {
        Note { checkpoint: self, signatures: Vec::new() }
    }

    /// A note of it that `key` signs.
    pub fn signed(self, key: &SecretKey) -> Note {
        let signature = (self.id(key.public()), key.sign(self.text().as_bytes()));
        Note { checkpoint: self, signatures: vec![signature] }
    }
}

impl Note {
    /// Whether somebody signed it.
    pub fn is_signed(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Whether `key` signed it.
    pub fn is_by(&self, key: PublicKey) -> bool {
        let (id, text) = (self.checkpoint.id(key), self.checkpoint.text());
        self.signatures.iter().any(|(own, signature)| *own == id && key.holds(text.as_bytes(), signature))
    }

    /// The text that [`Note::parse`] reads.
    pub fn text(&self) -> String {
        let mut text = self.checkpoint.text();
        text.push('\n');
        for (id, signature) in &self.signatures {
            let bytes: Vec<u8> = id.iter().chain(&signature.0).copied().collect();
            let _ = writeln!(text, "{DASH}{} {}", self.checkpoint.origin(), BASE64_STANDARD.encode(&bytes));
        }
        text
    }

    /// The note that a text is.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("a note has at most {LONGEST} bytes, this one {}", text.len()));
        }
        let (body, signatures) =
            text.split_once("\n\n").ok_or("a note has an empty line before its signatures")?;
        let mut lines = body.split('\n');
        let mut next = |what: &str| lines.next().ok_or_else(|| format!("the line with {what} is missing"));
        let origin = next("the ledger")?;
        let first = origin.strip_prefix(ORIGIN).and_then(Hash::parse);
        let first =
            first.ok_or_else(|| format!("`{origin}` names no ledger: expected `{ORIGIN}` and a hash"))?;
        let size = next("the size")?;
        let size = size.parse().map_err(|_| format!("`{size}` is no number of transactions"))?;
        let root = next("the root")?;
        let root = BASE64_STANDARD.decode(root).ok().and_then(|bytes| bytes.try_into().ok());
        let root = root.ok_or("the root is not 32 bytes in base64")?;
        let head = next("the head")?;
        let head = head.strip_prefix(HEAD).and_then(Hash::parse);
        let head = head.ok_or("the last line is not `head` and a hash")?;
        let checkpoint = Checkpoint { first, size, root, head };
        let of_it = |line: &str| signature(line, &checkpoint.origin());
        let signatures = signatures.lines().map(of_it).collect::<Result<Vec<_>, _>>()?;
        let note = Self { checkpoint, signatures };
        // One text for one note: what isn't written so was changed.
        if note.text() == text { Ok(note) } else { Err(String::from("it is not written as notes are")) }
    }
}

/// A signature and the first bytes of the hash of its key.
fn signature(line: &str, origin: &str) -> Result<([u8; 4], Ed25519Signature), String> {
    let wrong = || format!("`{line}` is not a signature of {origin}");
    let text = line.strip_prefix(DASH).and_then(|line| line.strip_prefix(origin)?.strip_prefix(' '));
    let bytes = text.and_then(|text| BASE64_STANDARD.decode(text).ok()).ok_or_else(wrong)?;
    let (id, signature) = bytes.split_at_checked(4).ok_or_else(wrong)?;
    match (id.try_into(), signature.try_into()) {
        (Ok(id), Ok(signature)) => Ok((id, Ed25519Signature(signature))),
        _ => Err(wrong()),
    }
}
