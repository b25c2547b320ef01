//! Regular expressions of rules: compiled once, when the rule set is loaded.

use std::fmt;
use std::sync::Arc;

use regex::Regex;

use hence_core::pattern::{PatternFault, compile};
use hence_core::symbol::Symbol;

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
    /// As [`compile`].
    pub fn new(source: Symbol) -> Result<Self, PatternFault> {
        let regex = compile(source.as_str())?;
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

    /// How many groups the pattern has; group 0 is the whole match.
    pub fn groups(&self) -> usize {
        self.regex.captures_len()
    }

    /// The text of a group at each match that it takes part in, lazily, in order. Matches don't overlap, and an
    /// empty one doesn't touch the one before, as in the regex crate.
    pub fn captures(&self, text: &'static str, group: usize) -> impl Iterator<Item = &'static str> + use<> {
        let regex = Arc::clone(&self.regex);
        let (mut at, mut last_end) = (0, None);
        std::iter::from_fn(move || {
            while at <= text.len() {
                let found = regex.captures_at(text, at)?;
                let whole = found.get(0)?;
                let touches = whole.is_empty() && last_end == Some(whole.end());
                at = if whole.is_empty() { next_char(text, whole.end()) } else { whole.end() };
                last_end = Some(whole.end());
                if !touches {
                    return Some(found.get(group).map(|part| part.as_str()));
                }
            }
            None
        })
        .flatten()
    }

    /// The compiled pattern.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

/// Where the character after the one at `at` begins; beyond the end at the end.
fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
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
