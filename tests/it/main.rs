//! The one integration binary: a line a module.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod aggregates;
mod builtins;
mod engines;
mod generators;
