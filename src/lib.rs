//! hence: a Datalog rules engine for the decisions of autonomous agents.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail"))]

pub mod actuators;
pub mod analysis;
pub mod backend;
pub mod builtins;
pub mod cli;
pub mod diagnostic;
pub mod fact;
pub mod ir;
pub mod ledger;
pub mod literal;
pub mod lower;
pub mod provenance;
pub mod ruletest;
pub mod schema;
pub mod session;
pub mod span;
pub mod symbol;
pub mod syntax;
pub mod testing;
pub mod value;
