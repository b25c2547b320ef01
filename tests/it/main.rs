//! The one integration binary: a line a module.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod actuators;
mod agent_week;
