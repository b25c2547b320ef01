//! Runs plans: as closures or by a cursor, what becomes of its matches, threads. Execution knows no strata.

pub(crate) mod bounds;
pub(crate) mod closures;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod delta;
pub(crate) mod emit;
pub(crate) mod exchange;
pub(crate) mod group;
pub(crate) mod limit;
pub(crate) mod matches;
pub(crate) mod morsels;
pub(crate) mod parts;
pub(crate) mod run;
pub(crate) mod undefined;
