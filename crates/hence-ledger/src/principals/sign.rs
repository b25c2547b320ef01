//! Signing transactions: what is signed, and where the keys come from.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use super::{Ed25519Signature, Judged, PRINCIPAL, SecretKey, judge};
use hence_core::fact::Fact;

use crate::Ledger;
use crate::content::{Act, Summary, encode_changes};
use crate::error::LedgerError;
use crate::hash::Hash;
use crate::list::ChangeList;
use crate::said::Said;

/// What the signed message of a transaction begins with.
const DOMAIN: &[u8] = b"hence transaction 1\n";

/// Where the keys of principals are kept.
pub trait Keys: Debug + Send + Sync {
    /// The key of a principal, if it is here.
    ///
    /// # Errors
    /// Why it can't be read, in words.
    fn key(&self, name: &str) -> Result<Option<SecretKey>, String>;
}

/// Keys in memory, by the names of their principals.
#[derive(Clone, Debug, Default)]
pub struct Keyring(pub BTreeMap<String, SecretKey>);

impl Keys for Keyring {
    fn key(&self, name: &str) -> Result<Option<SecretKey>, String> {
        Ok(self.0.get(name).cloned())
    }
}

/// What is signed of a transaction: its place, the hash of the record before it, and the contents of its records, with
/// zeros for the signature.
pub(crate) fn message<'c>(
    number: u64,
    previous: Hash,
    contents: impl IntoIterator<Item = &'c [u8]>,
) -> Vec<u8> {
    let mut hashed = number.to_le_bytes().to_vec();
    hashed.extend(previous.0);
    for content in contents {
        hashed.extend(Hash::of(content).0);
    }
    let mut out = DOMAIN.to_vec();
    out.extend(Hash::of(&hashed).0);
    out
}

impl Ledger {
    /// Signs a transaction for its author, where the ledger demands that.
    ///
    /// # Errors
    /// There is no key here that stands for the author, or the author may not name principals.
    pub(crate) fn sign(
        &self,
        changes: &ChangeList<'_>,
        parts: &[usize],
        summary: &mut Summary,
    ) -> Result<(), LedgerError> {
        let names = changes.iter().any(|change| change.relation.as_str() == PRINCIPAL);
        let principals = self.principals()?;
        if !names && !principals.demand_signatures() {
            return Ok(());
        }
        let author = summary.author.clone();
        let keys = match principals.demand_signatures() {
            true => principals.keys(&author, self.state.tx),
            false => super::judge::first(self.state.tx + 1, &named(changes)?.0, &author).map_err(refused)?,
        };
        if keys.is_empty() {
            return match principals.revoked(&author, self.state.tx) {
                Some(tx) => Err(refused(format!("the key of `{author}` was revoked in transaction {tx}"))),
                None if names => Err(refused(format!("`{author}` is not a principal and may not name any"))),
                None => Ok(()),
            };
        }
        let key = self.keys.as_ref().map(|known| known.key(&author)).transpose().map_err(refused)?.flatten();
        let key = key.ok_or_else(|| {
            refused(format!("this ledger demands signatures, and there is no key of `{author}` here"))
        })?;
        if !keys.contains(&key.public()) {
            let message =
                format!("the key of `{author}` here, {}, is not the one in the ledger", key.public());
            return Err(refused(message));
        }
        summary.signature = Some(Ed25519Signature([0; 64]));
        let contents = contents(changes, parts, summary)?;
        let message = message(self.state.tx + 1, self.state.head, contents.iter().map(Vec::as_slice));
        summary.signature = Some(key.sign(&message));
        Ok(())
    }

    /// Checks that a transaction that is about to be recorded is signed as it has to be.
    ///
    /// # Errors
    /// What is wrong with its signature.
    pub(crate) fn check_signed(
        &self,
        changes: &ChangeList<'_>,
        (parts, summary): (&[usize], &Summary),
    ) -> Result<(), LedgerError> {
        let principals = self.principals()?;
        let (named, retracts) = named(changes)?;
        let plain = named.is_empty() && !retracts && summary.signature.is_none();
        if plain && !principals.demand_signatures() {
            return Ok(());
        }
        let contents = contents(changes, parts, summary)?;
        let (number, previous) = (self.state.tx + 1, self.state.head);
        let contents = contents.iter().map(Vec::as_slice).collect();
        let judged = Judged { number, previous, contents, summary, named: &named, retracts };
        judge(&principals, &judged).map_err(refused)?;
        self.check_said(&summary.said)
    }

    /// Checks that those signed, for this place, whose words are brought.
    ///
    /// # Errors
    /// Whose signature does not hold.
    pub fn check_said(&self, said: &[Said]) -> Result<(), LedgerError> {
        if said.is_empty() || !self.principals()?.demand_signatures() {
            return Ok(());
        }
        for one in said {
            if let Some(fault) = self.said_fault(one, self.state.tx + 1, self.state.head)? {
                return Err(refused(format!("{fault}; sign it again with `hence principal sign`")));
            }
        }
        Ok(())
    }
}

/// The principals that changes name, and whether they retract any.
fn named(changes: &ChangeList<'_>) -> Result<(Vec<Fact>, bool), LedgerError> {
    let (mut named, mut retracts) = (Vec::new(), false);
    for change in changes.iter().filter(|change| change.relation.as_str() == PRINCIPAL) {
        match change.act {
            Act::Assert => named.push(change.fact()?),
            _ => retracts = true,
        }
    }
    Ok((named, retracts))
}

/// The contents of the records of a transaction.
pub(crate) fn contents(
    changes: &ChangeList<'_>,
    parts: &[usize],
    summary: &Summary,
) -> Result<Vec<Vec<u8>>, LedgerError> {
    let (mut all, mut done) = (Vec::new(), 0);
    for len in parts {
        let mut content = Vec::new();
        encode_changes(*len, changes.range(done..done + len), &mut content);
        all.push(content);
        done += len;
    }
    let mut content = Vec::new();
    summary.encode(&mut content);
    encode_changes(changes.len() - done, changes.range(done..changes.len()), &mut content);
    all.push(content);
    Ok(all)
}

/// A refusal that concerns principals.
pub(super) fn refused(what: String) -> LedgerError {
    LedgerError::Principal { what }
}

/// The keys that a ledger signs with; none where it signs nothing.
pub(crate) type Held = Option<Arc<dyn Keys>>;
