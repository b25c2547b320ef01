//! Compiled rule sets: what `hence compile` makes of the shipped packs, and what such code stands on.

pub mod support;

/// The shipped packs that were compiled, in order.
pub fn all() -> &'static [&'static support::Pack] {
    &[]
}
