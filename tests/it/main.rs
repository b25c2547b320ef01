//! The one integration binary: a line a module.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail"
)]

mod actuators;
mod aggregates;
mod builtins;
mod cases;
mod check;
mod fact_faults;
mod fact_files;
mod engines;
mod generators;
mod golden;
mod ledger;
mod provenance;
mod lints;
mod lowering;
mod requires;
mod strata;
mod syntax;
mod tidy;
mod transcripts;
mod agent_week;
