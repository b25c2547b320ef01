//! Rule sets as the ledger keeps them: written with each decision, read back to draw it again.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::Param;
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_ledger as ledger;
use hence_syntax as syntax;
use hence_syntax::tree;

use super::error::{Faults, SessionError};
use super::loader::Loaded;
use super::ruleset::{RuleSet, check};

impl RuleSet {
    /// The rule set as a ledger keeps it: each text under its name, in the order of loading, and the parameters
    /// that were set. Made and hashed once.
    pub fn recorded(&self) -> ledger::RecordedRules {
        self.recorded.get_or_init(|| self.texts()).clone()
    }

    fn texts(&self) -> ledger::RecordedRules {
        let text =
            |file: &tree::File| self.sources.get(file.id).or_broken("every file of rules has its text");
        let texts = self.files.iter().map(text);
        let set = self.program.params.iter().filter(|param| param.value != param.default);
        ledger::RecordedRules::new(
            texts.map(|source| (source.name().to_owned(), source.text().to_owned())).collect(),
            set.map(|param| (param.name.to_string(), param.value.to_string())).collect(),
        )
    }

    /// The rule set that a ledger kept.
    ///
    /// # Errors
    /// Faults in its texts, which this version of the language may see where an earlier one did not.
    pub fn from_recorded(recorded: &ledger::RecordedRules) -> Result<Self, SessionError> {
        let mut loaded = Loaded { sources: Sources::default(), files: Vec::new(), diagnostics: Vec::new() };
        for (name, text) in recorded.files() {
            let id = loaded.sources.add(name.as_str(), text.as_str());
            let (tree, found) = syntax::parse(id, text);
            loaded.files.push(tree);
            loaded.diagnostics.extend(found.into_iter().filter(Diagnostic::is_error));
        }
        let set = |(name, value): &(String, String)| match syntax::parse_value(value) {
            Some(value) => Ok((Symbol::new(name), value)),
            None => {
                let message =
                    format!("the recorded value `{value}` of the parameter `{name}` is not a literal");
                Err(SessionError::Unknown { message })
            }
        };
        let sets = recorded.params().iter().map(set).collect::<Result<Vec<_>, _>>()?;
        let findings = check(loaded, &sets);
        findings.rules.map(|rules| *rules).ok_or_else(|| SessionError::Faults(Box::new(findings.faults)))
    }

    /// The same rules under the parameters that `other` rules have set and these, which declare them alike, have not.
    ///
    /// # Errors
    /// As [`RuleSet::with_sets`].
    pub fn keeping(&self, other: &Self) -> Result<Self, Box<Faults>> {
        let is_open = |param: &&Param| {
            self.program
                .params
                .iter()
                .any(|own| own.name == param.name && own.ty == param.ty && own.value == own.default)
        };
        let set = other.program.params.iter().filter(|param| param.value != param.default).filter(is_open);
        let kept: Vec<_> = set.map(|param| (param.name, param.value)).collect();
        self.with_sets(&kept)
    }

    /// The same rules with other values of parameters; those that `sets` doesn't name keep theirs.
    ///
    /// # Errors
    /// A parameter that there isn't, a value that doesn't fit.
    pub fn with_sets(&self, sets: &[(Symbol, hence_core::value::Value)]) -> Result<Self, Box<Faults>> {
        let kept = self.program.params.iter().filter(|param| param.value != param.default);
        let mut all: Vec<_> = kept.map(|param| (param.name, param.value)).collect();
        all.retain(|(name, _)| sets.iter().all(|(set, _)| set != name));
        all.extend_from_slice(sets);
        let loaded =
            Loaded { sources: self.sources.clone(), files: self.files.clone(), diagnostics: Vec::new() };
        let findings = check(loaded, &all);
        findings.rules.map(|rules| *rules).ok_or_else(|| Box::new(findings.faults))
    }
}
