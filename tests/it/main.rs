//! The one integration binary: a line a module.
mod syntax;
mod syntax_fuzz;
mod syntax_print;
