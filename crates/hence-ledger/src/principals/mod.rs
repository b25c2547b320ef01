//! Principals: who has which role and which key, as transactions of the ledger say it, and what their signatures are
//! worth.
//!
//! The facts are `hence.principal(name, role, key)`, and only added: one with the role `revoked` ends a key. The first
//! makes the first administrator, who signs it; each later one counts where an administrator of that time signed it.

mod judge;
mod key;
mod sign;

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

pub use judge::Attested;
pub(crate) use judge::{Judged, Verdicts, judge};
pub use key::{Ed25519Signature, PublicKey, SecretKey};
pub(crate) use sign::Held;
pub use sign::{Keyring, Keys};

/// The relation of principals.
pub const PRINCIPAL: &str = "hence.principal";
/// Who has this role makes principals and revokes keys.
pub const ADMIN: &str = "admin";
/// The role of a fact that ends a key.
pub const REVOKED: &str = "revoked";

/// That a key has a role, or none any more, from a transaction on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    tx: u64,
    name: String,
    role: String,
    key: PublicKey,
}

/// The principals of a ledger, by what holds of the transactions that made them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principals {
    /// Ascending by transaction.
    grants: Vec<Grant>,
    /// The first transaction that names a principal: from then on the ledger demands signatures, whatever became of it.
    since: Option<u64>,
    /// Transactions that name principals and don't count, with why.
    faults: Vec<(u64, String)>,
}

/// A principal as it stands after a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name, which authors have.
    pub name: String,
    /// The key.
    pub key: PublicKey,
    /// The roles, by name.
    pub roles: BTreeSet<String>,
    /// Since which transaction.
    pub since: u64,
    /// The transaction that revoked the key.
    pub revoked: Option<u64>,
}

impl Principals {
    /// Whether transactions of principals are to be signed.
    pub fn demand_signatures(&self) -> bool {
        self.since.is_some()
    }

    /// The first transaction that names a principal.
    pub fn since(&self) -> Option<u64> {
        self.since
    }

    /// Why transactions that name principals don't count.
    pub fn faults(&self) -> &[(u64, String)] {
        &self.faults
    }

    /// All principals after transaction `tx`, those whose keys were revoked too, by name and then in the order in which
    /// they came.
    pub fn list(&self, tx: u64) -> Vec<Principal> {
        let mut all: Vec<Principal> = Vec::new();
        for Grant { tx, name, role, key } in self.grants.iter().filter(|grant| grant.tx <= tx) {
            let known = all.iter_mut().find(|known| known.name == *name && known.key == *key);
            match known {
                Some(known) if role == REVOKED => known.revoked = known.revoked.or(Some(*tx)),
                Some(known) => drop(known.roles.insert(role.clone())),
                None => all.push(Principal {
                    name: name.clone(),
                    key: *key,
                    roles: BTreeSet::from([role.clone()]),
                    since: *tx,
                    revoked: None,
                }),
            }
        }
        all.sort_by(|one, other| (&one.name, one.since).cmp(&(&other.name, other.since)));
        all
    }

    /// The keys that stand for `name` after transaction `tx`.
    pub fn keys(&self, name: &str, tx: u64) -> Vec<PublicKey> {
        let standing = |known: &Principal| known.name == name && known.revoked.is_none();
        self.list(tx).into_iter().filter(standing).map(|known| known.key).collect()
    }

    /// The transaction that revoked the last key of `name`, if any did by transaction `tx`.
    pub fn revoked(&self, name: &str, tx: u64) -> Option<u64> {
        self.list(tx).into_iter().rfind(|known| known.name == name)?.revoked
    }

    /// Whether `name` has a role after transaction `tx`.
    pub fn has(&self, name: &str, role: &str, tx: u64) -> bool {
        let fits =
            |known: &Principal| known.name == name && known.revoked.is_none() && known.roles.contains(role);
        self.list(tx).iter().any(fits)
    }

    /// Who has which role after transaction `tx`.
    pub fn roles(&self, tx: u64) -> BTreeMap<String, Vec<String>> {
        let mut roles: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for Principal { name, roles: own, .. } in
            self.list(tx).into_iter().filter(|one| one.revoked.is_none())
        {
            own.into_iter().for_each(|role| roles.entry(role).or_default().push(name.clone()));
        }
        roles
    }

    /// Takes in the principals that a transaction names, which is known to count.
    fn take(&mut self, tx: u64, facts: &[Fact]) -> Result<(), String> {
        let grants = facts.iter().map(|fact| grant(tx, fact)).collect::<Result<Vec<_>, _>>()?;
        self.grants.extend(grants);
        Ok(())
    }
}

/// The fact that `key` is of `name` and has a role.
pub fn principal(name: &str, role: &str, key: PublicKey) -> Fact {
    let text = |text: &str| Value::String(Symbol::new(text));
    Fact::new(PRINCIPAL, vec![text(name), text(role), text(&key.to_string())])
}

/// What such a fact says.
fn grant(tx: u64, fact: &Fact) -> Result<Grant, String> {
    let [Value::String(name), Value::String(role), Value::String(key)] = fact.values.as_slice() else {
        return Err(format!("`{fact}` is not a name, a role and a key"));
    };
    let key = PublicKey::parse(key.as_str()).ok_or_else(|| format!("`{key}` is not a public key"))?;
    let (name, role) = (name.as_str().to_owned(), role.as_str().to_owned());
    Ok(Grant { tx, name, role, key })
}
