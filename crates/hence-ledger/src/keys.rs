//! The keys under which the base holds facts, decisions, transactions, rule sets and long values.

use super::hash::Hash;

/// Current facts → the transaction that asserted them.
pub(crate) const FACT: u8 = 1;
/// Retracted facts, each with the transaction that asserted it → the transaction that retracted it.
pub(crate) const PAST_FACT: u8 = 2;
/// Decisions in force → the transaction that drew them, the rule, the sentence.
pub(crate) const DECISION: u8 = 3;
/// Lapsed decisions, each with the transaction that drew it → the transaction with which it lapsed.
pub(crate) const PAST_DECISION: u8 = 4;
/// Transactions → their place in the journal and what is known of them.
pub(crate) const TRANSACTION: u8 = 5;
/// Hashes of rule sets → their text.
pub(crate) const RULES: u8 = 6;
/// Hashes of long values, with the number of the piece → the piece.
pub(crate) const PIECE: u8 = 7;

/// A tuple up to this length is its own key.
const EXACT: usize = 180;
/// How much of a longer tuple is in its key, before its hash.
const BEGINNING: usize = 150;

/// The key of all facts of relation number `relation` in `section`.
pub(crate) fn relation(section: u8, relation: u32) -> Vec<u8> {
    let mut key = Vec::with_capacity(48);
    put_relation(&mut key, section, relation);
    key
}

fn put_relation(key: &mut Vec<u8>, section: u8, relation: u32) {
    key.push(section);
    key.extend(relation.to_be_bytes());
}

/// Whether a tuple is too long to be read back from its key.
pub(crate) fn is_long(tuple: &[u8]) -> bool {
    tuple.len() > EXACT
}

/// As much of the beginning of a tuple as every key holds of it.
pub(crate) fn beginning(tuple: &[u8]) -> &[u8] {
    tuple.get(..BEGINNING).unwrap_or(tuple)
}

/// Appends the key of a current fact.
pub(crate) fn put_fact(key: &mut Vec<u8>, section: u8, number: u32, tuple: &[u8]) {
    put_relation(key, section, number);
    if is_long(tuple) {
        key.extend_from_slice(beginning(tuple));
        key.extend(Hash::of(tuple).0);
    } else {
        key.extend_from_slice(tuple);
    }
}

/// The key of a current fact.
pub(crate) fn fact(section: u8, number: u32, tuple: &[u8]) -> Vec<u8> {
    // Room for what makes it the key of a retracted fact.
    let mut key = Vec::with_capacity(tuple.len().min(EXACT + 2) + 14);
    put_fact(&mut key, section, number, tuple);
    key
}

/// The key of a fact that held since `from`.
pub(crate) fn past(section: u8, number: u32, tuple: &[u8], from: u64) -> Vec<u8> {
    let mut key = fact(section, number, tuple);
    key.push(0);
    key.extend(from.to_be_bytes());
    key
}

/// The tuple of a key of [`fact`], if it isn't a long one.
pub(crate) fn tuple(key: &[u8]) -> Option<&[u8]> {
    key.get(5..).filter(|tuple| !is_long(tuple))
}

/// The key of [`fact`] in a key of [`past`], without its section, and the transaction.
pub(crate) fn split_past(key: &[u8]) -> Option<(&[u8], u64)> {
    let (front, from) = key.split_at_checked(key.len().checked_sub(8)?)?;
    let fact = front.strip_suffix(&[0])?.get(1..)?;
    Some((fact, u64::from_be_bytes(from.try_into().ok()?)))
}

/// The key of a transaction.
pub(crate) fn transaction(number: u64) -> Vec<u8> {
    let mut key = vec![TRANSACTION];
    key.extend(number.to_be_bytes());
    key
}

/// The key of a rule set.
pub(crate) fn rules(hash: Hash) -> Vec<u8> {
    let mut key = vec![RULES];
    key.extend(hash.0);
    key
}

/// The key of a piece of a long value.
pub(crate) fn piece(hash: Hash, number: u32) -> Vec<u8> {
    let mut key = vec![PIECE];
    key.extend(hash.0);
    key.extend(number.to_be_bytes());
    key
}

/// The smallest key above all that begin with `prefix`.
pub(crate) fn end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            break;
        }
    }
    end
}
