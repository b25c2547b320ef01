//! From text to tree and back: lexer, parser with recovery, printer.

pub mod tree;
