//! Compiled rule sets: what `hence compile` makes of the shipped packs, and what such code stands on.

pub mod support;

#[cfg(feature = "packs")]
pub mod analytics;
#[cfg(feature = "packs")]
pub mod autonomy;
#[cfg(feature = "packs")]
pub mod codebase;
#[cfg(feature = "packs")]
pub mod errors;
#[cfg(feature = "packs")]
pub mod feedback;
#[cfg(feature = "packs")]
pub mod feedback_learning;
#[cfg(feature = "packs")]
pub mod frames;
#[cfg(feature = "packs")]
pub mod goals;
#[cfg(feature = "packs")]
pub mod guardrails;
#[cfg(feature = "packs")]
pub mod memory;
#[cfg(feature = "packs")]
pub mod ouroboros;
#[cfg(feature = "packs")]
pub mod planning;
#[cfg(feature = "packs")]
pub mod proposals;
#[cfg(feature = "packs")]
pub mod refinement;
#[cfg(feature = "packs")]
pub mod solutions;
#[cfg(feature = "packs")]
pub mod tool_scoring;
#[cfg(feature = "packs")]
pub mod traces;

#[cfg(feature = "packs")]
static PACKS: &[&support::Pack] = &[
    &analytics::PACK,
    &autonomy::PACK,
    &codebase::PACK,
    &errors::PACK,
    &feedback::PACK,
    &feedback_learning::PACK,
    &frames::PACK,
    &goals::PACK,
    &guardrails::PACK,
    &memory::PACK,
    &ouroboros::PACK,
    &planning::PACK,
    &proposals::PACK,
    &refinement::PACK,
    &solutions::PACK,
    &tool_scoring::PACK,
    &traces::PACK,
];

#[cfg(not(feature = "packs"))]
static PACKS: &[&support::Pack] = &[];

/// The shipped packs that were compiled, in order; none without the feature `packs`.
pub fn all() -> &'static [&'static support::Pack] {
    PACKS
}
