//! From text to tree and back: lexer, parser with recovery, printer.

pub mod codes;
mod decode;
mod faults;
pub mod foreign;
mod lexer;
mod parser;
pub mod token;
pub mod tree;

pub use decode::decode;
pub use parser::{MAX_BYTES, parse, parse_fact, parse_query, parse_value};
