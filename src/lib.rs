//! hence: a Datalog rules engine for the decisions of autonomous agents. It derives decisions from facts, keeps every
//! fact and every decision, and can prove each one.
//!
//! The way of the data, and the crate of each room under `crates/`:
//!
//! ```text
//!  rules ──► syntax ──► lang ──► engine      the meaning (naive) and the engines
//!                                  │
//!  world ──► actuators ──► ledger ─┴─► session ──► decisions ──► ledger
//!                                        └─► proof   why
//! ```
//!
//! [`session`] is the public face: a [`session::Session`] is a rule set over facts; for many decisions from scratch, of
//! microseconds each, there is [`session::PreparedSession`]. [`ruletest`] tests rules. The rooms are re-exported, so that
//! who embeds hence names one crate; `hence-core` is the vocabulary that all of them use. What the `hence` binary does is
//! in `crates/hence-cli`.
//!
//! Invariants:
//! - Source positions belong to the vocabulary, not to the parser.
//! - The IR stops at stratified normal rules; delta rules, join orders and indexes are an engine's own business.
//! - Nothing that a user sees follows the order of a hash map: output, proofs and diagnostics are the same from run
//!   to run.
//! - Input and output happen in `hence_core::file`, [`ledger`], `actuators`, `session::loader` and `cli`; the rest are
//!   pure functions.
//! - Rules can't read the clock, the file system or the network. Time is a fact.
//! - What is true by construction is looked up as such (`hence_core::fault`): where it does not hold, the work ends and
//!   nothing of it is recorded.
//! - Symbol numbers never leave the process and never decide an order.

pub mod testing;

#[cfg(feature = "cli")]
pub use hence_actuators as actuators;
pub use hence_core::{diagnostic, fact, fault, json, list, literal, meter, schema, span, symbol, value};
#[cfg(feature = "dataflow")]
pub use hence_dataflow as dataflow;
pub use hence_engine as engine;
pub use hence_ledger as ledger;
pub use hence_packs as packs;
pub use hence_proof as proof;
pub use hence_ruletest as ruletest;
pub use hence_session as session;

#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Embedding;
