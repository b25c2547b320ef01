//! One record of the journal: its frame, its checksums and the hash that chains it to the one before.

use super::bytes::{Malformed, after as after_of};
use super::hash::Hash;

/// What every record begins with.
const MAGIC: [u8; 4] = *b"hrec";
/// The version of a record without what came later.
pub(crate) const PLAIN: u8 = 1;
/// The version of a record that says how its evaluation ran, which schemas its facts have, or why decisions lapsed.
pub(crate) const EXTENDED: u8 = 2;
/// The version of a record that says what effects did.
pub(crate) const STEPPED: u8 = 3;
/// The version of a record that is signed, or says whose words its facts are.
pub(crate) const SIGNED: u8 = 4;
/// Bytes of the frame before the content: magic, version, kind, two zeros, length, transaction, check, hash.
pub(crate) const HEAD: usize = 56;
/// Bytes of the frame after the content: the first bytes of the record's hash.
const TAIL: usize = 8;
/// The longest content of a record.
pub(crate) const CONTENT_LIMIT: usize = 1 << 30;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// Operations of a transaction whose commit follows.
    Part,
    /// The rest of a transaction, and everything said about it; makes it whole.
    Commit,
    /// A commit that was written before the one before it was durable: both became durable together.
    Joined,
}

impl RecordKind {
    /// Whether it makes a transaction whole.
    pub(crate) fn ends(self) -> bool {
        self != Self::Part
    }
}

/// A record as it lies in the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) kind: RecordKind,
    pub(crate) transaction: u64,
    pub(crate) previous: Hash,
    pub(crate) content: &'a [u8],
    pub(crate) hash: Hash,
    /// Bytes that it takes, frame included.
    pub(crate) len: usize,
}

/// What is at a place of a segment.
#[derive(Debug)]
pub(crate) enum Parsed<'a> {
    /// A whole record.
    Record(Record<'a>),
    /// The end, or nothing but zeros up to it.
    End,
    /// Something else.
    Bad(&'static str),
}

/// The bytes of a record of this `version` and its hash.
pub(crate) fn write(
    kind: RecordKind,
    version: u8,
    transaction: u64,
    previous: Hash,
    content: &[u8],
) -> (Vec<u8>, Hash) {
    let mut out = Vec::with_capacity(HEAD + content.len() + TAIL);
    out.extend(MAGIC);
    out.extend([version, kind as u8, 0, 0]);
    out.extend((content.len() as u32).to_le_bytes());
    out.extend(transaction.to_le_bytes());
    out.extend(Hash::of(&out).short::<4>());
    out.extend(previous.0);
    out.extend_from_slice(content);
    let hash = Hash::of(&out);
    out.extend(hash.short::<TAIL>());
    (out, hash)
}

/// What is at the beginning of `bytes`, which reach to the end of the segment.
pub(crate) fn parse(bytes: &[u8]) -> Parsed<'_> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Parsed::End;
    }
    let head = match head(bytes) {
        Ok(head) => head,
        Err(Malformed(what)) => return Parsed::Bad(what),
    };
    let end = HEAD + head.content;
    let Some((framed, rest)) = bytes.split_at_checked(end) else {
        return Parsed::Bad("the record extends beyond the end of the file");
    };
    let Some(check) = rest.get(..TAIL) else {
        return Parsed::Bad("the record extends beyond the end of the file");
    };
    let hash = Hash::of(framed);
    if check != hash.short::<TAIL>() {
        return Parsed::Bad("the checksum of the record does not match");
    }
    let content = after_of(framed, HEAD);
    let (kind, transaction, previous) = (head.kind, head.transaction, head.previous);
    Parsed::Record(Record { kind, transaction, previous, content, hash, len: end + TAIL })
}

struct Head {
    kind: RecordKind,
    content: usize,
    transaction: u64,
    previous: Hash,
}

fn head(bytes: &[u8]) -> Result<Head, Malformed> {
    let mut reader = super::bytes::Reader::new(bytes);
    let checked = bytes.get(..20).ok_or(Malformed("the record header is truncated"))?;
    if reader.array()? != MAGIC {
        return Err(Malformed("no record starts here"));
    }
    let [version, kind, _, _] = reader.array()?;
    let content = u32::from_le_bytes(reader.array()?) as usize;
    let transaction = u64::from_le_bytes(reader.array()?);
    if reader.array()? != Hash::of(checked).short::<4>() {
        return Err(Malformed("the checksum of the record header does not match"));
    }
    if !(PLAIN..=SIGNED).contains(&version) {
        return Err(Malformed("unsupported record version"));
    }
    let kind = match kind {
        0 => RecordKind::Part,
        1 => RecordKind::Commit,
        2 => RecordKind::Joined,
        _ => return Err(Malformed("unknown record kind")),
    };
    if content > CONTENT_LIMIT {
        return Err(Malformed("the record exceeds the maximum length"));
    }
    Ok(Head { kind, content, transaction, previous: Hash(reader.array()?) })
}

/// How many bytes the record with this head takes, if it is a part and its head whole.
pub(crate) fn part_len(bytes: &[u8]) -> Option<usize> {
    head(bytes).ok().filter(|head| !head.kind.ends()).map(|head| HEAD + head.content + TAIL)
}

/// Whether a whole commit is anywhere in `bytes`: what lies before it is then damage, not an unfinished write. Parts
/// and joined commits prove nothing: several may be under way at once.
pub(crate) fn any_commit_in(bytes: &[u8]) -> bool {
    let starts = bytes.windows(MAGIC.len()).enumerate().filter(|(_, window)| *window == MAGIC);
    let mut records = starts.map(|(at, _)| parse(after_of(bytes, at)));
    records.any(|found| matches!(found, Parsed::Record(record) if record.kind == RecordKind::Commit))
}
