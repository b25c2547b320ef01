//! Secrets kept out: what matches a pattern leaves no actuator, and so is never stored.

use regex::Regex;

use crate::fact::Fact;
use crate::pattern::{self, PatternFault};
use crate::symbol::Symbol;
use crate::value::Value;

/// Patterns of what must not be stored, and what stands in its place.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    patterns: Vec<Regex>,
    with: String,
}

impl Redaction {
    /// Every match of one of `patterns` becomes `with`; groups mean nothing in `with`.
    ///
    /// # Errors
    /// A pattern that is no regular expression, or too large.
    pub fn new(patterns: &[String], with: &str) -> Result<Self, PatternFault> {
        let patterns = patterns.iter().map(|pattern| pattern::compile(pattern)).collect::<Result<_, _>>()?;
        Ok(Self { patterns, with: with.to_owned() })
    }

    /// The text without what matches.
    pub fn text(&self, text: &str) -> String {
        let replace = |text: String, pattern: &Regex| {
            pattern.replace_all(&text, regex::NoExpand(&self.with)).into_owned()
        };
        self.patterns.iter().fold(text.to_owned(), replace)
    }

    /// The fact with every string without what matches; a name that matches becomes `/redacted`.
    pub fn fact(&self, fact: Fact) -> Fact {
        if self.patterns.is_empty() {
            return fact;
        }
        let values = fact.values.into_iter().map(|value| self.value(value)).collect();
        Fact { values, ..fact }
    }

    fn value(&self, value: Value) -> Value {
        let matches = |text: Symbol| self.patterns.iter().any(|pattern| pattern.is_match(text.as_str()));
        match value {
            Value::String(text) if matches(text) => Value::String(Symbol::new(&self.text(text.as_str()))),
            Value::Name(text) if matches(text) => Value::Name(Symbol::new("/redacted")),
            other => other,
        }
    }
}
