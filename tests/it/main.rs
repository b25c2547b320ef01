//! The one integration binary: a line a module.
mod check;
mod syntax;
