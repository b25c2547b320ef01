//! The codes of faults of loading and compiling, and of recorded facts that the rules can't read.

use hence_core::diagnostic::Code;

/// An import that leads to no file, out of the root, or through a link out of it.
pub const BAD_IMPORT: Code = Code("E230");
/// Imports in a circle.
pub const IMPORT_CIRCLE: Code = Code("E231");
/// A construct that can't be compiled through crepe.
pub const NOT_COMPILED: Code = Code("E240");
/// A construct that SQL can't express with the same meaning.
pub const NOT_IN_SQL: Code = Code("E241");
/// A relation that can't be one of rules over facts that lie with workers.
pub const NOT_OF_PARTS: Code = Code("E242");
/// Recorded facts with other columns than their relation is declared with.
pub const OTHER_COLUMNS: Code = Code("E617");

/// What `hence explain` says of each code, by the names of its pages; written by `build.rs` from `docs/codes`.
pub const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/codes.rs"));
