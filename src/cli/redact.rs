//! `[redact]` of `hence.toml`: what no observed fact may carry, and what stands in its place.

use regex::Regex;

use crate::fact::Fact;
use crate::symbol::Symbol;
use crate::value::Value;

use super::{Failure, config};

/// The patterns of what is taken out of texts.
pub(super) struct Redaction {
    patterns: Vec<Regex>,
    with: String,
}

impl Redaction {
    /// As `hence.toml` has it.
    ///
    /// # Errors
    /// A pattern that is none.
    pub(super) fn configured() -> Result<Self, Failure> {
        let (patterns, with) = config::get().redact();
        let patterns = patterns.iter().map(|pattern| {
            Regex::new(pattern)
                .map_err(|error| Failure::Usage(format!("`redact.patterns`: `{pattern}`: {error}")))
        });
        Ok(Self { patterns: patterns.collect::<Result<_, _>>()?, with: with.to_owned() })
    }

    /// The fact with its strings redacted; names, which are told by tables, stay.
    pub(super) fn apply(&self, mut fact: Fact) -> Fact {
        if self.patterns.is_empty() {
            return fact;
        }
        for value in &mut fact.values {
            if let Value::String(text) = value {
                let before = text.as_str();
                let after = self.patterns.iter().fold(before.to_owned(), |text, pattern| {
                    pattern.replace_all(&text, regex::NoExpand(&self.with)).into_owned()
                });
                if after != before {
                    *text = Symbol::new(&after);
                }
            }
        }
        fact
    }
}
