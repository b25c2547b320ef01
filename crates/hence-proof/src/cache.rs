//! The proof cache: what finders of one program share, whatever the facts.

use super::context::ProgramInfo;
use super::heights::Heights;
use super::plans::PlanCache;

/// What a finder leaves for the next one of the same program: plans, least heights, strata. Nothing in it refers to
/// facts; what depends on how many there are is looked over when it is taken up.
#[derive(Default)]
pub struct ProofCache {
    pub(super) contents: Option<CacheContents>,
}

pub(super) struct CacheContents {
    pub(super) info: ProgramInfo,
    pub(super) heights: Heights,
    pub(super) plans: PlanCache,
}
