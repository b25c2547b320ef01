//! Why, why-not, what-if: proofs found on demand over a finished model, an independent checker, printing.
//!
//! Nothing is recorded while rules are evaluated: everything here starts from the program, the final facts and the
//! rounds in which they were derived.

mod beside;
mod build;
mod cache;
pub mod check;
mod context;
mod derive;
pub mod difference;
mod every;
mod finder;
mod group;
mod heights;
mod interrupt;
mod matches;
mod moment;
mod phrase;
mod plans;
pub mod possible;
pub mod proof;
mod ranking;
pub mod render;
mod solve;
mod store;
pub mod why_not;

pub use cache::ProofCache;
pub use every::Every;
pub use finder::{Explanation, Finder, INPUTS_SHOWN, WhyError};
pub use moment::Moment;
