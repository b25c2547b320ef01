//! Answers and proofs are the same whether everything is evaluated for a question or only what it can reach.

mod directed;
mod random;

use hence::session::{EvaluationScope, RuleSet, Session};
use hence_core::fact::Fact;
use hence_ledger::{Draft, Ledger};

const NOW: i64 = 1_770_000_000_000_000;

/// A ledger in memory with these facts.
fn ledger(facts: &[Fact]) -> Ledger {
    let mut ledger = Ledger::memory().unwrap();
    let draft = Draft { assertions: facts.to_vec(), author: String::from("test"), ..Draft::default() };
    ledger.commit(&draft).unwrap();
    ledger
}

/// A session over a ledger with these facts, whose questions reach so far.
fn session(rules: &RuleSet, facts: &[Fact], reach: EvaluationScope) -> Session {
    Session::over_ledger(rules.clone(), ledger(facts)).with_evaluation_scope(reach)
}
