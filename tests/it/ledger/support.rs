//! Facts, drafts and ledgers for the ledger's tests.

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Draft, Ledger, OpenOptions};

/// `relation(number, text)`.
pub(super) fn fact(relation: &str, number: i64, text: &str) -> Fact {
    Fact::new(relation, vec![Value::Int(number), Value::String(Symbol::new(text))])
}

/// A draft of `time` that asserts and retracts.
pub(super) fn draft(time: i64, assertions: Vec<Fact>, retractions: Vec<Fact>) -> Draft {
    let (author, source) = (String::from("ada"), String::from("test"));
    Draft { time, author, source, assertions, retractions, ..Draft::default() }
}

/// The facts of `relation` that stand.
pub(super) fn facts(ledger: &Ledger, relation: &str) -> Vec<Fact> {
    ledger.facts(Symbol::new(relation)).map(|row| row.unwrap().0).collect()
}

/// Options with segments and backlog so small that a short test meets their limits.
pub(super) fn small() -> OpenOptions {
    OpenOptions {
        segment_limit: 2_000,
        part_limit: 200,
        ahead: 700,
        backlog_limit: 3_000,
        bulk: 4,
        ..OpenOptions::default()
    }
}

/// Small steps from a seed, the same on every run (xorshift).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}
