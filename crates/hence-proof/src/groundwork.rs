//! What finders of one program have in common, whatever the facts, so that not each has to work it out.

use super::context::Ground;
use super::derive::Made;
use super::heights::Heights;

/// What a finder leaves for the next one of the same program: plans, least heights, strata. Nothing in it refers to
/// facts; what depends on how many there are is looked over when it is taken up.
#[derive(Default)]
pub struct Groundwork {
    pub(super) laid: Option<Laid>,
}

pub(super) struct Laid {
    pub(super) ground: Ground,
    pub(super) heights: Heights,
    pub(super) plans: Made,
}
