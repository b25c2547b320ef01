//! The one integration binary: a line a module.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail"
)]

mod actuators;
mod agent_week;
mod aggregates;
mod builtins;
mod bulk;
mod cases;
mod check;
mod compiled;
mod corpus;
mod engines;
mod fact_faults;
mod fact_files;
mod generators;
mod golden;
mod ledger;
mod lints;
mod lowering;
mod provenance;
mod requires;
mod ruletest;
mod strata;
mod syntax;
mod syntax_fuzz;
mod syntax_print;
mod tidy;
mod transcripts;
