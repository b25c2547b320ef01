//! Facts that somebody else says than the author of the transaction, who brings them.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;

use super::bytes::{Malformed, Reader, put_bytes, put_varint};
use super::hash::Hash;
use super::principals::Ed25519Signature;
use super::tuple;

/// What the signed message of a fact begins with.
const DOMAIN: &[u8] = b"hence fact 1\n";

/// An asserted fact, and who says it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// The fact, as it is recorded.
    pub fact: Fact,
    /// Who says it.
    pub author: String,
    /// Their signature, in a ledger that demands signatures.
    pub signature: Option<Ed25519Signature>,
}

/// What `author` signs who says a fact after the transaction with the hash `previous`.
pub fn fact_message(previous: Hash, author: &str, fact: &Fact) -> Vec<u8> {
    let mut out = DOMAIN.to_vec();
    out.extend(previous.0);
    put_bytes(&mut out, author.as_bytes());
    put_bytes(&mut out, fact.relation.as_str().as_bytes());
    tuple::encode(&fact.values, &mut out);
    out
}

/// Appends a count of such facts, and each.
pub(crate) fn encode(said: &[Said], out: &mut Vec<u8>) {
    put_varint(out, said.len() as u64);
    for Said { fact, author, signature } in said {
        put_bytes(out, fact.relation.as_str().as_bytes());
        let mut encoded = Vec::new();
        tuple::encode(&fact.values, &mut encoded);
        put_bytes(out, &encoded);
        put_bytes(out, author.as_bytes());
        out.push(u8::from(signature.is_some()));
        out.extend(signature.iter().flat_map(|signature| signature.0));
    }
}

/// The facts that [`encode`] wrote.
pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Vec<Said>, Malformed> {
    let mut said = Vec::new();
    for _ in 0..reader.length()? {
        let relation = Symbol::new(reader.text()?);
        let fact = Fact { relation, values: tuple::decode(reader.bytes()?)? };
        let author = reader.text()?.to_owned();
        let signature = if reader.flag()? { Some(Ed25519Signature(reader.array()?)) } else { None };
        said.push(Said { fact, author, signature });
    }
    Ok(said)
}
