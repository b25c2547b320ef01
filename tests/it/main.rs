//! The one integration binary: a line a module.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod actuators;
mod aggregates;
mod builtins;
mod check;
mod fact_faults;
mod fact_files;
mod generators;
mod golden;
mod ledger;
mod provenance;
mod ruletest;
mod ruletest_depth;
mod syntax;
mod tidy;
