//! hence: a Datalog rules engine for the decisions of autonomous agents. It derives decisions from facts, keeps every
//! fact and every decision, and can prove each one.
//!
//! The way of the data, and where to look:
//!
//! ```text
//!  rules ──► syntax ──► analysis ──► lower ──► ir ──┬─► engine: naive             the meaning
//!                                                   └─► engine: batch, incremental
//!  world ──► actuators ──► ledger ──► session ──► decisions ──► ledger
//!                                        └─► provenance   why
//! ```
//!
//! [`session`] is the public face: a [`session::Session`] is a rule set over facts; for many decisions from scratch, of
//! microseconds each, there is [`session::PreparedSession`]. `ruletest` tests rules, [`cli`] is the `hence` binary.
//! [`span`], [`symbol`], [`value`], [`literal`], [`pattern`], [`schema`], [`fact`], [`diagnostic`], [`fault`],
//! [`index_vec`], [`meter`] and [`file`] are the vocabulary that every room may use; what else a room may name is held by
//! `tests/it/tidy.rs`.
//!
//! Invariants:
//! - Source positions belong to the vocabulary, not to the parser.
//! - The IR stops at stratified normal rules; delta rules, join orders and indexes are an engine's own business.
//! - Nothing that a user sees follows the order of a hash map: output, proofs and diagnostics are the same from run
//!   to run.
//! - Input and output happen in [`file`], `ledger`, `actuators`, `session::loader` and `cli`; the rest are pure functions.
//! - Rules can't read the clock, the file system or the network. Time is a fact.
//! - What is true by construction is looked up as such ([`fault`]): where it does not hold, the work ends and nothing
//!   of it is recorded.
//! - Symbol numbers never leave the process and never decide an order.

pub mod ruletest;
pub mod session;
pub mod testing;

pub use hence_core::{diagnostic, fact, literal, symbol, value};
pub use hence_ledger as ledger;
pub use hence_packs as packs;
pub use hence_proof as proof;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
