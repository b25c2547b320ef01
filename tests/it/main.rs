//! The one integration binary: a line a module.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail"
)]

mod ledger;
