//! `[carry]`, `[run_command]` and `export.mask` against rules: what they name must be their decisions.

use hence_core::diagnostic::{self, Diagnostic, nearest};
use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_session::{Faults, RuleSet, SessionError};

use super::codes::{UNKNOWN_KEY, WRONG_VALUE};
use super::{Carried, Config, Failure};

impl Config {
    /// What `[carry]` and `[run_command]` name that is not a decision of `rules`.
    pub(in super::super) fn undecided(&self, rules: &RuleSet) -> Faults {
        let mut faults = Faults::default();
        let Some((name, text)) = &self.values.file else { return faults };
        let file = faults.sources.add(name.as_str(), text.as_str());
        for command in self.carried() {
            let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
            let span = Span::new(file, at(command.key.start), at(command.key.end));
            faults.diagnostics.extend(fault(command, rules).map(|fault| fault.at(span, "")));
        }
        faults
    }

    /// The error for masks of `export.mask` that mask nothing, each with what is wrong and what helps: at its place in the
    /// file, or under the variable.
    pub(in super::super) fn wrong_masks(&self, wrong: &[(String, String, String)]) -> Failure {
        let mut faults = Faults::default();
        let file =
            self.values.file.as_ref().map(|(name, text)| faults.sources.add(name.as_str(), text.as_str()));
        for (mask, what, help) in wrong {
            let place = self.values.masks.iter().find(|(known, _)| known == mask);
            let Some((file, (_, range))) = file.zip(place) else {
                return Failure::Usage(format!("{}: {what}; {help}", self.origin("export.mask")));
            };
            let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
            let span = Span::new(file, at(range.start), at(range.end));
            let fault = Diagnostic::new(WRONG_VALUE, format!("`export.mask`: {what}"));
            faults.diagnostics.push(fault.at(span, "").help(help.clone()));
        }
        diagnostic::sort(&mut faults.diagnostics);
        Failure::Session(SessionError::Faults(Box::new(faults)))
    }

    /// Checks that `[carry]` and `[run_command]` name decisions of `rules`.
    ///
    /// # Errors
    /// All that are none.
    pub(in super::super) fn check_commands(&self, rules: &RuleSet) -> Result<(), Failure> {
        let faults = self.undecided(rules);
        if faults.diagnostics.is_empty() {
            return Ok(());
        }
        Err(Failure::Session(SessionError::Faults(Box::new(faults))))
    }
}

fn fault(command: &Carried, rules: &RuleSet) -> Option<Diagnostic> {
    let (name, relations) = (command.decision.as_str(), &rules.program.relations);
    let table = command.table;
    let known = relations.iter().find(|relation| relation.name.as_str() == name);
    let message = match known {
        Some(relation) if relation.kind == Kind::Decision => return None,
        Some(_) => {
            format!("`{table}.{name}`: `{name}` is not a decision, and only decisions are carried out")
        }
        None => format!("`{table}.{name}`: unknown decision `{name}`"),
    };
    let decisions = relations.iter().filter(|relation| relation.kind == Kind::Decision);
    let decisions: Vec<&str> = decisions.map(|relation| relation.name.as_str()).collect();
    let fault = Diagnostic::new(UNKNOWN_KEY, message);
    Some(match nearest(name, decisions.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None if decisions.is_empty() => fault.note("the rules have no decisions"),
        None => fault.note(format!("the decisions are {}", decisions.join(", "))),
    })
}
