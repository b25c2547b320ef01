//! Runs plans: the machine, what becomes of its matches, threads. Execution knows no strata.

pub(crate) mod bounds;
mod closures;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod delta;
pub(crate) mod emit;
pub(crate) mod exchange;
mod filter;
pub(crate) mod group;
mod innermost;
mod intersect;
pub(crate) mod limit;
pub(crate) mod machine;
pub(crate) mod matches;
pub(crate) mod morsels;
pub(crate) mod run;
pub(crate) mod undefined;
