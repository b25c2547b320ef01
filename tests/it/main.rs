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
mod cases;
mod check;
mod fact_faults;
mod fact_files;
mod generators;
mod lints;
mod lowering;
mod requires;
mod strata;
mod syntax;
