//! The vocabulary that every room of hence may use: places in a text, symbols, values, schemas, facts, diagnostics.

pub mod diagnostic;
pub mod fact;
pub mod fault;
pub mod file;
pub mod index_vec;
pub mod json;
pub mod list;
pub mod literal;
pub mod machine;
pub mod meter;
pub mod pattern;
pub mod schema;
pub mod scratch;
pub mod span;
pub mod symbol;
pub mod threads;
pub mod unique;
pub mod uri;
pub mod value;
pub mod whole_file;
