//! Engines: hand-made programs, random programs, and the two engines against one another.

mod bench;
mod build;
mod cases;
pub(crate) mod check;
mod clock;
mod cycles;
mod duplicates;
mod grouped;
mod incremental;
mod input;
mod many_heads;
mod orders;
mod prepared;
mod threads;
mod undefined;
