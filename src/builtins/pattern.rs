//! Regular expressions of rules: compiled once, when the rule set is loaded, under a size limit.

use std::fmt;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use crate::symbol::Symbol;

/// How large a compiled pattern may be, in bytes.
const SIZE_LIMIT: usize = 64 * 1024;

/// A compiled pattern; equal to another one of the same text.
#[derive(Clone)]
pub struct Pattern {
    source: Symbol,
    regex: Arc<Regex>,
}

impl Pattern {
    /// Compiles `source`.
    ///
    /// # Errors
    /// What the regex crate says of a faulty or too large pattern.
    pub fn new(source: Symbol) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(source.as_str()).size_limit(SIZE_LIMIT).build()?;
        Ok(Self { source, regex: Arc::new(regex) })
    }

    /// The text of the pattern.
    pub fn source(&self) -> Symbol {
        self.source
    }

    /// Whether the pattern is found anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The compiled pattern.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pattern({:?})", self.source)
    }
}
