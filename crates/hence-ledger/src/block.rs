//! Blocks: sorted entries packed into one value of the base, each key without what it shares with the one before.

use hence_core::fault::OrBroken;

use super::base::{Pair, VALUE_LIMIT};
use super::bytes::{Malformed, Reader, after, put_bytes, put_varint, shared_prefix};
use super::hash::Hash;

/// Bytes of a block's checksum.
const CHECK: usize = 8;
/// What a block is filled to when entries are divided over several.
const FILL: usize = 3600;

/// The entries of a block.
pub(crate) fn decode(block: &[u8]) -> Result<Vec<Pair>, Malformed> {
    let mut entries = Vec::with_capacity(128);
    let mut key: Vec<u8> = Vec::new();
    let mut reader = checked(block)?;
    while !reader.is_empty() {
        let value = next(&mut reader, &mut key)?;
        entries.push((key.clone(), value.to_vec()));
    }
    Ok(entries)
}

/// Hands the entries of a block to `visit`, until it answers `false`; whether it never did.
pub(crate) fn each<E: From<Malformed>>(
    block: &[u8],
    visit: &mut impl FnMut(&[u8], &[u8]) -> Result<bool, E>,
) -> Result<bool, E> {
    let mut key: Vec<u8> = Vec::new();
    let mut reader = checked(block)?;
    while !reader.is_empty() {
        let value = next(&mut reader, &mut key)?;
        if !visit(&key, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The value of `wanted` in a block.
pub(crate) fn find(block: &[u8], wanted: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    checked(block)?;
    find_checked(block, wanted)
}

/// The same in a block whose checksum is known to be right.
pub(crate) fn find_checked(block: &[u8], wanted: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut key: Vec<u8> = Vec::new();
    let mut reader = Reader::new(after(block, CHECK));
    while !reader.is_empty() {
        let value = next(&mut reader, &mut key)?;
        if key.as_slice() >= wanted {
            return Ok((key == wanted).then(|| value.to_vec()));
        }
    }
    Ok(None)
}

fn checked(block: &[u8]) -> Result<Reader<'_>, Malformed> {
    let (check, entries) = block.split_at_checked(CHECK).ok_or(Malformed("a block is truncated"))?;
    if check != Hash::of(entries).short::<CHECK>() {
        return Err(Malformed("the checksum of a block does not match"));
    }
    Ok(Reader::new(entries))
}

fn next<'a>(reader: &mut Reader<'a>, key: &mut Vec<u8>) -> Result<&'a [u8], Malformed> {
    let shared = reader.length()?;
    if shared > key.len() {
        return Err(Malformed("a key shares more bytes than the one before it has"));
    }
    key.truncate(shared);
    key.extend_from_slice(reader.bytes()?);
    reader.bytes()
}

/// Packs entries, which ascend, into blocks of about the same size, each under its first key.
pub(crate) fn encode(entries: &[Pair]) -> Vec<Pair> {
    let mut all = Vec::new();
    put_entries(entries, &mut all);
    if all.len() + CHECK <= VALUE_LIMIT {
        return entries.first().map(|(first, _)| (first.clone(), sealed(&all))).into_iter().collect();
    }
    let target = all.len() / all.len().div_ceil(FILL);
    let mut blocks = Vec::new();
    let mut rest = entries;
    while let Some((first, _)) = rest.first() {
        let (body, taken) = fill(rest, target);
        blocks.push((first.clone(), sealed(&body)));
        rest = rest.get(taken..).or_broken("no more entries are taken than there are");
    }
    blocks
}

fn put_entry(out: &mut Vec<u8>, before: &[u8], (key, value): &Pair) {
    let shared = shared_prefix(before, key);
    put_varint(out, shared as u64);
    put_bytes(out, after(key, shared));
    put_bytes(out, value);
}

fn put_entries(entries: &[Pair], out: &mut Vec<u8>) {
    let mut before: &[u8] = &[];
    for entry in entries {
        put_entry(out, before, entry);
        before = &entry.0;
    }
}

/// The beginning of `entries` up to about `target` bytes, and how many entries that is.
fn fill(entries: &[Pair], target: usize) -> (Vec<u8>, usize) {
    let mut body = Vec::with_capacity(VALUE_LIMIT);
    let mut before: &[u8] = &[];
    for (at, entry) in entries.iter().enumerate() {
        let len = body.len();
        put_entry(&mut body, before, entry);
        if at > 0 && body.len() + CHECK > VALUE_LIMIT {
            body.truncate(len);
            return (body, at);
        }
        if body.len() >= target {
            return (body, at + 1);
        }
        before = &entry.0;
    }
    (body, entries.len())
}

fn sealed(body: &[u8]) -> Vec<u8> {
    let mut block = Vec::with_capacity(CHECK + body.len());
    block.extend(Hash::of(body).short::<CHECK>());
    block.extend_from_slice(body);
    block
}
