//! From text to tree and back: lexer, parser with recovery, printer.

pub mod codes;
mod decode;
mod faults;
pub mod foreign;
mod lexer;
mod parser;
mod print;
pub mod token;
pub mod tree;

use std::slice::SliceIndex;

use hence_core::fault::OrBroken;

pub use decode::decode;
pub use parser::{MAX_BYTES, constant, parse, parse_fact, parse_query, parse_value};
pub use print::{aggregate_text, atom_text, expr_text, format, literal_text, rule_text};

/// The part of a text that places point at.
#[track_caller]
fn part(text: &str, places: impl SliceIndex<str, Output = str>) -> &str {
    text.get(places).or_broken("places lie in their texts, between two characters")
}
