//! The one integration binary: a line a module.

mod cases;
mod lints;
mod lowering;
mod requires;
mod strata;
mod check;
mod syntax;
