//! Compiled rule sets: what `hence compile` makes of the shipped packs, and what such code needs at run time.

pub mod support;

#[cfg(feature = "packs")]
pub mod analytics;
#[cfg(feature = "crepe")]
pub mod autonomy;
#[cfg(feature = "packs")]
pub mod codebase;
#[cfg(feature = "crepe")]
pub mod errors;
#[cfg(feature = "packs")]
pub mod feedback;
#[cfg(feature = "packs")]
pub mod feedback_learning;
#[cfg(feature = "packs")]
pub mod frames;
#[cfg(feature = "packs")]
pub mod gate;
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
#[cfg(feature = "crepe")]
pub mod refinement;
#[cfg(feature = "packs")]
pub mod solutions;
#[cfg(feature = "crepe")]
pub mod tool_scoring;
#[cfg(feature = "packs")]
pub mod traces;

static PACKS: &[&support::Pack] = &[
    #[cfg(feature = "packs")]
    &analytics::PACK,
    #[cfg(feature = "crepe")]
    &autonomy::PACK,
    #[cfg(feature = "packs")]
    &codebase::PACK,
    #[cfg(feature = "crepe")]
    &errors::PACK,
    #[cfg(feature = "packs")]
    &feedback::PACK,
    #[cfg(feature = "packs")]
    &feedback_learning::PACK,
    #[cfg(feature = "packs")]
    &frames::PACK,
    #[cfg(feature = "packs")]
    &gate::PACK,
    #[cfg(feature = "packs")]
    &goals::PACK,
    #[cfg(feature = "packs")]
    &guardrails::PACK,
    #[cfg(feature = "packs")]
    &memory::PACK,
    #[cfg(feature = "packs")]
    &ouroboros::PACK,
    #[cfg(feature = "packs")]
    &planning::PACK,
    #[cfg(feature = "packs")]
    &proposals::PACK,
    #[cfg(feature = "crepe")]
    &refinement::PACK,
    #[cfg(feature = "packs")]
    &solutions::PACK,
    #[cfg(feature = "crepe")]
    &tool_scoring::PACK,
    #[cfg(feature = "packs")]
    &traces::PACK,
];

/// The shipped packs that were compiled, in order: four with the feature `crepe`, all with `packs`.
pub const fn all() -> &'static [&'static support::Pack] {
    PACKS
}

/// The compiled pack of this name.
pub fn named(name: &str) -> Option<&'static support::Pack> {
    PACKS.iter().find(|pack| pack.name == name).copied()
}
