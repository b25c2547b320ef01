//! `[carry]`, `[run_command]`, `[authzen]`, `[facts]` and `export.mask` against rules: what they name must be there.

use std::ops::Range;
use std::path::Path;

use hence_core::diagnostic::{self, Diagnostic, nearest};
use hence_core::file;
use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_ledger::interchange::{Mapping, Schemas};
use hence_session::{Faults, RuleSet, SessionError};

use super::authzen::AuthzenLine;
use super::codes::{UNKNOWN_KEY, WRONG_VALUE};
use super::settings::{FACTS, MCP, PLAN, TOOLS};
use super::values::Records;
use super::{Carried, Config, Failure};

/// The pack whose decisions some tables are about.
const PACK: &str = "loop";
/// These tables.
const OF_PACK: [&str; 3] = [PLAN, TOOLS, MCP];

/// What is wrong, and where in the file, in bytes.
type Found = (Diagnostic, Range<usize>);

impl Config {
    /// What `[carry]`, `[run_command]`, `[authzen]` and `[facts]` name that isn't in `rules`.
    pub(in super::super) fn unfitting(&self, rules: &RuleSet) -> Faults {
        let found = self.undecided(rules).into_iter().chain(self.unknown_to(rules));
        self.faults(found.chain(self.unfitting_records(rules)))
    }

    /// Checks that `[carry]`, `[run_command]`, `[authzen]` and `[facts]` fit `rules`.
    ///
    /// # Errors
    /// All that doesn't.
    pub(in super::super) fn check_against(&self, rules: &RuleSet) -> Result<(), SessionError> {
        none(self.unfitting(rules))
    }

    /// Checks that `[authzen]` names relations and columns of `rules`.
    ///
    /// # Errors
    /// All that there are none of.
    #[cfg(feature = "server")]
    pub(in super::super) fn check_authzen(&self, rules: &RuleSet) -> Result<(), SessionError> {
        none(self.faults(self.unknown_to(rules)))
    }

    /// The error for masks of `export.mask` that mask nothing, each with what is wrong and what helps: at its place in the
    /// file, or under the variable.
    pub(in super::super) fn wrong_masks(&self, wrong: &[(String, String, String)]) -> Failure {
        let mut found = Vec::new();
        for (mask, what, help) in wrong {
            let Some((_, place)) = self.values.masks.iter().find(|(known, _)| known == mask) else {
                return Failure::Usage(format!("{}: {what}; {help}", self.origin("export.mask")));
            };
            let fault = Diagnostic::new(WRONG_VALUE, format!("`export.mask`: {what}")).help(help.clone());
            found.push((fault, place.clone()));
        }
        Failure::Session(SessionError::Faults(Box::new(self.faults(found.into_iter()))))
    }

    /// What `[carry]` and `[run_command]` name that is not a decision of `rules`.
    fn undecided(&self, rules: &RuleSet) -> Vec<Found> {
        let (mut found, mut lacking) = (Vec::new(), Vec::new());
        for carried in self.carried() {
            let table = carried.table;
            let is_known = rules.program.find(Symbol::new(&carried.decision)).is_some();
            if is_known || !OF_PACK.contains(&table) {
                found.extend(fault(carried, rules).map(|fault| (fault, carried.key.clone())));
            } else if !lacking.contains(&table) {
                // Told once, and not of each of its decisions.
                lacking.push(table);
                found.push((self.lacks_pack(table), carried.key.clone()));
            }
        }
        found
    }

    /// Rules that lack the pack that a table is about.
    fn lacks_pack(&self, table: &str) -> Diagnostic {
        let packs: Vec<String> =
            self.packs().iter().map(String::as_str).chain([PACK]).map(|pack| format!("\"{pack}\"")).collect();
        let message =
            format!("`[{table}]`: the rules lack the pack `{PACK}`, whose decisions it carries out");
        Diagnostic::new(UNKNOWN_KEY, message)
            .help(format!("write `packs = [{}]` above the first table", packs.join(", ")))
    }

    /// What `[authzen]` names that is neither a relation of `rules` nor a column of it.
    fn unknown_to(&self, rules: &RuleSet) -> impl Iterator<Item = Found> {
        let lines = self.values.authzen_lines.iter();
        lines.filter_map(|line| Some((unknown(line, rules)?, line.place.clone())))
    }

    /// Checks that the files of `[facts]` can be read, as records of `rules`.
    ///
    /// # Errors
    /// All that can't.
    pub(super) fn check_records(&self, rules: &RuleSet) -> Result<(), SessionError> {
        let root = self.root.as_ref().and_then(|root| root.canonicalize().ok());
        let unread = self
            .values
            .facts
            .iter()
            .filter_map(|records| Some((unread(records, root.as_deref())?, records.place.clone())));
        none(self.faults(self.unfitting_records(rules).chain(unread)))
    }

    /// What `[facts]` names that is neither an input of `rules` nor a column of it.
    fn unfitting_records(&self, rules: &RuleSet) -> impl Iterator<Item = Found> {
        let schemas = Schemas::new(&rules.program.relations);
        self.values.facts.iter().flat_map(move |records| {
            let Mapping { relation, columns } = &records.file.mapping;
            let of = |columns: &[(String, String)], place: &Range<usize>| {
                let mapping = Mapping { relation: relation.clone(), columns: columns.to_vec() };
                mapping.faults(&schemas).into_iter().map(|fault| (fault, place.clone())).collect::<Vec<_>>()
            };
            let mut found = of(&[], &records.key);
            if found.is_empty() {
                let columns = columns.iter().zip(&records.column_keys);
                found.extend(columns.flat_map(|(column, key)| of(std::slice::from_ref(column), key)));
            }
            found
        })
    }

    /// Faults, each at its place in the file.
    fn faults(&self, found: impl Iterator<Item = Found>) -> Faults {
        let mut faults = Faults::default();
        let Some((name, text)) = &self.values.file else { return faults };
        let file = faults.sources.add(name.as_str(), text.as_str());
        let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let placed =
            found.map(|(fault, place)| fault.at(Span::new(file, at(place.start), at(place.end)), ""));
        faults.diagnostics.extend(placed);
        diagnostic::sort(&mut faults.diagnostics);
        faults
    }
}

fn none(faults: Faults) -> Result<(), SessionError> {
    if faults.diagnostics.is_empty() { Ok(()) } else { Err(SessionError::Faults(Box::new(faults))) }
}

/// Why a file of records can't be read, which lies in the folder `root` and not elsewhere.
fn unread(records: &Records, root: Option<&Path>) -> Option<Diagnostic> {
    let path = &records.file.path;
    let message = match path.canonicalize() {
        Err(error) => file::unread(path, &error),
        Ok(found) if root.is_some_and(|root| !found.starts_with(root)) => {
            format!("`{}` is a link out of the folder of hence.toml", path.display())
        }
        Ok(_) => return None,
    };
    Some(Diagnostic::new(WRONG_VALUE, format!("`{FACTS}.{}`: {message}", records.file.mapping.relation)))
}

/// What is wrong with a template of `[authzen]`.
fn unknown(line: &AuthzenLine, rules: &RuleSet) -> Option<Diagnostic> {
    let (path, template) = (&line.path, line.template.as_ref()?);
    let name = template.relation();
    let Some(known) = rules.program.find(Symbol::new(name)).map(|id| &rules.program[id]) else {
        let fault = Diagnostic::new(UNKNOWN_KEY, format!("`{path}`: unknown relation `{name}`"));
        let names = rules.program.relations.iter().map(|relation| relation.name.as_str());
        return Some(fault.help(match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it in the rules: `input {name}(…).` or `decision {name}(…).`"),
        }));
    };
    let is_unknown = |column: &&str| known.column(Symbol::new(column)).is_none();
    let column = template.columns().find(is_unknown)?;
    let fault = Diagnostic::new(UNKNOWN_KEY, format!("`{path}`: `{known}` has no column `{column}`"));
    let columns: Vec<&str> = known.columns.iter().map(|column| column.name.as_str()).collect();
    Some(match nearest(column, columns.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.note(format!("the columns are {}", columns.join(", "))),
    })
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
