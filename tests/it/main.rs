//! The one integration binary: a line a module.
mod syntax;
