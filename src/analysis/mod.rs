//! From trees to a checked program: names, types, safety, strata, `requires`, lints. Nothing here stops at the
//! first fault: everything is collected as diagnostics.

#[cfg(test)]
pub(crate) mod build;
pub mod checked;
pub mod lints;
pub mod requires;
pub mod strata;
