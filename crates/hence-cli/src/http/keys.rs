//! Which transaction was recorded under which key: looked for in the whole ledger once, and from then on in what is new.
//! Of requests that recorded nothing the ledger doesn't know: their keys are remembered here.

use std::collections::{HashMap, VecDeque};

use hence_ledger::{Ledger, LedgerError, TxInfo};

/// What the source of transactions begins with that came over HTTP.
pub(super) const SOURCE: &str = "http";

/// How many requests are remembered that recorded nothing.
const MOST: usize = 10_000;

/// Who sent a request, and its key.
type Key = (String, String);

/// The keys of a ledger's transactions, by the hashes of them and who sent them.
#[derive(Default)]
pub(crate) struct Keys {
    /// The last transaction that was looked at.
    seen: u64,
    last: HashMap<u64, u64, ahash::RandomState>,
    /// What requests that recorded nothing would have as their sources, by their keys, and the order in which these came.
    unrecorded: HashMap<Key, String, ahash::RandomState>,
    came: VecDeque<Key>,
}

/// The key in the source of a transaction.
fn key_of(source: &str) -> Option<&str> {
    let (key, _) = source.strip_prefix(SOURCE)?.strip_prefix(' ')?.rsplit_once(' ')?;
    Some(key)
}

impl Keys {
    /// The transaction that somebody recorded under a key.
    ///
    /// # Errors
    /// The ledger can't be read.
    pub(super) fn find(
        &mut self,
        ledger: &Ledger,
        (by, key): (&str, &str),
    ) -> Result<Option<TxInfo>, LedgerError> {
        let last = ledger.last_tx();
        if last < self.seen {
            self.seen = 0;
            self.last.clear();
        }
        for info in ledger.log(self.seen + 1..=last) {
            let info = info?;
            if let Some(key) = key_of(&info.source) {
                self.last.insert(self.last.hasher().hash_one((info.author.as_str(), key)), info.tx);
            }
            self.seen = info.tx;
        }
        let Some(tx) = self.last.get(&self.last.hasher().hash_one((by, key))) else { return Ok(None) };
        let is_it = |info: &TxInfo| key_of(&info.source) == Some(key) && info.author == by;
        match ledger.info(*tx)? {
            info if is_it(&info) => Ok(Some(info)),
            // Another key of the same hash.
            _ => ledger.last_where(is_it),
        }
    }

    /// Remembers a request that recorded nothing, in the place of the one that came first where there are too many.
    pub(super) fn remember(&mut self, key: (&str, &str), source: &str) {
        let key = owned(key);
        if self.unrecorded.insert(key.clone(), source.to_owned()).is_none() {
            self.came.push_back(key);
        }
        if self.came.len() > MOST
            && let Some(first) = self.came.pop_front()
        {
            self.unrecorded.remove(&first);
        }
    }

    /// The source that a request under a key would have, which recorded nothing.
    pub(super) fn remembered(&self, key: (&str, &str)) -> Option<&str> {
        self.unrecorded.get(&owned(key)).map(String::as_str)
    }
}

fn owned((by, key): (&str, &str)) -> Key {
    (by.to_owned(), key.to_owned())
}
