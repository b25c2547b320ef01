//! Rule tests for a project's own `cargo test`: `hence::testing::run("rules/").unwrap();`.

pub use hence_ruletest::{SuiteReport, run};
