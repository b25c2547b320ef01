//! Redaction: text that matches a pattern enters no ledger, whoever brings it.

use std::borrow::Cow;

use regex::{NoExpand, Regex};

use super::error::LedgerError;
use super::principals::PRINCIPAL;
use super::transaction::{Draft, RecordedRules};
use hence_core::fact::Fact;
use hence_core::pattern;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

/// What a name becomes of which a part matches: the first of these that doesn't.
const NAMES: [&str; 3] = ["/redacted", "/hidden", "/x"];
/// What is left may match again, where two ends meet; after so many rounds nothing is left.
const MOST_ROUNDS: usize = 8;

/// Patterns of what must not be recorded, and what replaces it.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    patterns: Vec<Regex>,
    with: String,
    name: &'static str,
}

impl Redaction {
    /// Every match of one of `patterns` becomes `with`; groups mean nothing in `with`.
    ///
    /// # Errors
    /// A pattern that is not a regular expression, or that matches what is put in its place.
    pub fn new(patterns: &[String], with: &str) -> Result<Self, String> {
        let compiled: Result<Vec<Regex>, _> =
            patterns.iter().map(|source| pattern::compile(source)).collect();
        let patterns = compiled.map_err(|fault| fault.to_string())?;
        if let Some(pattern) = patterns.iter().find(|pattern| pattern.is_match(with)) {
            return Err(format!(
                "the pattern `{pattern}` matches its own replacement `{with}`; choose another text for \
                `with`, or narrow the pattern"
            ));
        }
        let fits = |name: &&str| !patterns.iter().any(|pattern| pattern.is_match(name));
        let name = NAMES.into_iter().find(fits);
        let name = name.ok_or("the patterns match every name; narrow them")?;
        Ok(Self { patterns, with: with.to_owned(), name })
    }

    /// Whether there is no pattern at all.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a text holds what must not be recorded.
    pub fn matches(&self, text: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(text))
    }

    /// Whether a value does, numbers by their digits.
    fn matches_value(&self, value: Value) -> bool {
        match value {
            Value::String(text) | Value::Name(text) | Value::List(text) => self.matches(text.as_str()),
            Value::Int(_) | Value::Float(_) => self.matches(&value.text()),
            Value::Bool(_) | Value::Time(_) | Value::Duration(_) => false,
        }
    }

    /// Whether a fact does.
    pub fn matches_fact(&self, fact: &Fact) -> bool {
        // The digits of a key say nothing that a pattern could mean.
        let is_key = fact.relation.as_str() == PRINCIPAL;
        !self.patterns.is_empty() && !is_key && fact.values.iter().any(|value| self.matches_value(*value))
    }

    /// The text without what matches.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MOST_ROUNDS {
            if !self.matches(&text) {
                return text;
            }
            for pattern in &self.patterns {
                text = pattern.replace_all(&text, NoExpand(&self.with)).into_owned();
            }
        }
        if self.matches(&text) { self.with.clone() } else { text }
    }

    /// The fact with every string without what matches; a name that matches becomes another one. Numbers stay.
    pub fn fact(&self, fact: Fact) -> Fact {
        if !self.matches_fact(&fact) {
            return fact;
        }
        let value = |value: Value| match value {
            Value::String(text) => Value::String(Symbol::new(&self.text(text.as_str()))),
            Value::Name(text) if self.matches(text.as_str()) => Value::Name(Symbol::new(self.name)),
            other => other,
        };
        Fact { values: fact.values.into_iter().map(value).collect(), ..fact }
    }

    /// Takes what matches out of facts that are to be recorded.
    ///
    /// # Errors
    /// A number matches, in whose place nothing can be put.
    pub fn facts(&self, facts: &mut [Fact]) -> Result<(), LedgerError> {
        for fact in facts.iter_mut().filter(|fact| self.matches_fact(fact)) {
            let empty = Fact { relation: fact.relation, values: Vec::new() };
            *fact = self.fact(std::mem::replace(fact, empty));
            if self.matches_fact(fact) {
                return Err(LedgerError::Unredacted {
                    what: format!("a number in a fact of `{}`", fact.relation),
                });
            }
        }
        Ok(())
    }

    /// Takes what matches out of everything in a draft that somebody brought: facts, author, source, note. What rules
    /// drew from such facts holds nothing more than these and the rules.
    pub(super) fn draft<'d>(&self, draft: &'d Draft) -> Result<Cow<'d, Draft>, LedgerError> {
        let mut draft = Cow::Borrowed(draft);
        if !self.patterns.is_empty() {
            self.owned(draft.to_mut())?;
        }
        Ok(draft)
    }

    /// The same in place.
    pub(super) fn owned(&self, draft: &mut Draft) -> Result<(), LedgerError> {
        if self.patterns.is_empty() {
            return Ok(());
        }
        self.facts(&mut draft.assertions)?;
        self.facts(&mut draft.retractions)?;
        let params = draft.rules.iter().flat_map(RecordedRules::params);
        let text = |(_, value): &&(String, String)| value.starts_with(['"', '/']) && self.matches(value);
        if let Some((name, _)) = params.into_iter().find(text) {
            return Err(LedgerError::Unredacted { what: format!("the value of the parameter `{name}`") });
        }
        let joined = draft.drawn.iter().find(|decision| {
            self.matches_fact(&decision.fact)
                || decision.sentence.as_ref().is_some_and(|sentence| self.matches(sentence))
        });
        if let Some(decision) = joined {
            let what =
                format!("a decision of `{}`, which its rule assembles from parts", decision.fact.relation);
            return Err(LedgerError::Unredacted { what });
        }
        let changes = draft.steps.iter().flatten().flat_map(|step| &step.changes);
        let joined = changes.into_iter().find(|change| {
            self.matches_fact(&change.fact)
                || change.sentence.as_ref().is_some_and(|sentence| self.matches(sentence))
        });
        if let Some(change) = joined {
            let what =
                format!("an effect on `{}`, which its rule assembles from parts", change.fact.relation);
            return Err(LedgerError::Unredacted { what });
        }
        for said in &mut draft.said {
            said.fact = self.fact(std::mem::replace(&mut said.fact, Fact::new("", [])));
            said.author = self.text(&said.author);
        }
        draft.author = self.text(&draft.author);
        draft.source = self.text(&draft.source);
        draft.note = draft.note.take().map(|note| self.text(&note));
        Ok(())
    }
}
