//! What is done about each lint: `allow`, `warn` or `deny`, by its code or its name.

use std::collections::BTreeMap;

use hence_core::diagnostic::{Code, Diagnostic, Severity, nearest};

use super::codes::NAMES;

/// What is done about what a lint finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing is said.
    Allow,
    /// A warning.
    Warn,
    /// An error of `check`; what decides is not concerned.
    Deny,
}

impl Level {
    /// Every level, the mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Warn, Self::Deny];

    /// The level as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }

    /// The level that is written so.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

/// The levels of lints; one that is not named here warns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    of: BTreeMap<Code, Level>,
}

impl Levels {
    /// Sets the level of a lint.
    pub fn set(&mut self, lint: Code, level: Level) {
        self.of.insert(lint, level);
    }

    /// Leaves out what is allowed, and makes errors of what is denied.
    pub fn apply(&self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain(|found| self.of.get(&found.code) != Some(&Level::Allow));
        let denied = diagnostics.iter_mut().filter(|found| self.of.get(&found.code) == Some(&Level::Deny));
        denied.for_each(|found| found.severity = Severity::Error);
    }

    /// Leaves out what is allowed.
    pub fn silence(&self, warnings: &mut Vec<Diagnostic>) {
        warnings.retain(|found| self.of.get(&found.code) != Some(&Level::Allow));
    }
}

/// The lint with this code or name.
pub fn lint(word: &str) -> Option<Code> {
    NAMES.iter().find(|(code, name)| code.0 == word || *name == word).map(|(code, _)| *code)
}

/// The name of a lint.
pub fn name(lint: Code) -> Option<&'static str> {
    NAMES.iter().find(|(code, _)| *code == lint).map(|(_, name)| *name)
}

/// The name or code that `word` was probably meant to be.
pub fn nearest_lint(word: &str) -> Option<&'static str> {
    nearest(word, NAMES.iter().flat_map(|(code, name)| [code.0, *name]))
}
