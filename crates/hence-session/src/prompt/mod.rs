//! What a prompt holds: rule files, rules typed one entry after the other, facts. Everything typed is checked as a
//! whole at each entry, and an entry with an error changes nothing.

mod complete;
mod entry;
mod split;

use std::path::{Path, PathBuf};

use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::Kind;
use hence_core::span::FileId;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::codes::{NOT_GROUND, VARIABLE_IN_FACT, WILDCARD_VALUE};
use hence_lang::analysis::{self, lints};
use hence_syntax as syntax;

use super::error::{Faults, SessionError};
use super::facts::{FactFiles, clocks, read_facts};
use super::loader::Loader;
use super::rule_files::{Content, read_content};
use super::ruleset::{RuleSet, RuleSource, check};

pub use complete::complete;
pub use entry::{COMMANDS, PromptEntry, ended, entries, is_complete, read};
use split::Split;

/// Lints that say nothing while a rule set is still being typed.
const TOO_EARLY: [Code; 4] = [
    lints::codes::UNREAD_RELATION,
    lints::codes::ALWAYS_EMPTY,
    lints::codes::NO_BECAUSE,
    lints::codes::UNDOCUMENTED,
];

/// A prompt's rules and facts.
pub struct Prompt {
    source: Option<RuleSource>,
    /// Files loaded at the prompt.
    paths: Vec<PathBuf>,
    /// Parameters set at the prompt.
    sets: Vec<(Symbol, Value)>,
    /// Everything from files.
    files: Loader,
    /// Rule texts typed, each under its name; what is parsed of it beside it.
    texts: Vec<Text>,
    facts: Vec<Fact>,
    rules: RuleSet,
    entries: usize,
    steps: Vec<Undo>,
}

/// A text that was typed.
#[derive(Clone)]
struct Text {
    name: String,
    whole: String,
    /// The whole with its facts of inputs blanked out.
    rules: String,
}

/// The state before an entry.
struct Undo {
    what: String,
    sets: Vec<(Symbol, Value)>,
    paths: usize,
    texts: usize,
    facts: usize,
    files: Loader,
    rules: RuleSet,
}

/// What an entry added.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Rules, declarations, parameters and tests.
    pub clauses: usize,
    /// Facts of inputs.
    pub facts: usize,
    /// Warnings about what was typed.
    pub warnings: Faults,
}

impl Prompt {
    /// A prompt over the rules of `source`; without one it begins empty.
    ///
    /// # Errors
    /// As [`RuleSource::build`].
    pub fn new(source: Option<RuleSource>) -> Result<Self, SessionError> {
        let files = match &source {
            Some(source) => source.loader()?,
            None => Loader::default(),
        };
        let rules = built(files.clone(), source.as_ref(), &[])?;
        Ok(Self {
            source,
            sets: Vec::new(),
            paths: Vec::new(),
            files,
            texts: Vec::new(),
            facts: Vec::new(),
            rules,
            entries: 0,
            steps: Vec::new(),
        })
    }

    /// The rules that hold now.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The facts that stand now.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Facts to begin with; they can't be undone.
    pub fn begin_with(&mut self, facts: Vec<Fact>) {
        self.facts.extend(facts);
    }

    /// Takes rules, declarations and facts in.
    ///
    /// # Errors
    /// The faults of the text, or those that the rules have with it; nothing is taken then.
    pub fn take(&mut self, text: &str) -> Result<Taken, SessionError> {
        let name = format!("<entry {}>", self.entries + 1);
        let split = Split::new(text, &self.inputs());
        if let Some(path) = &split.import {
            let message = format!("a prompt can't import; type `:load {path}`");
            return Err(SessionError::Unknown { message });
        }
        if split.rule_count + split.fact_count == 0 && !split.faulty {
            return Ok(Taken::default());
        }
        let typed = Text { name, whole: text.to_owned(), rules: split.rules.clone() };
        let mut taken = Taken { clauses: split.rule_count, facts: split.fact_count, ..Taken::default() };
        let mut rules = self.rules.clone();
        if split.rule_count > 0 || split.faulty {
            (rules, taken.warnings) = self.checked(&typed)?;
        }
        let facts = facts(&rules, &typed, &split).map_err(|error| asked(error, text))?;
        self.remember(text.trim().to_owned());
        if split.rule_count > 0 {
            self.texts.push(typed);
        }
        self.facts.extend(facts);
        self.rules = rules;
        self.entries += 1;
        Ok(taken)
    }

    /// Loads a rule file or a folder of them, or a file of facts. Rule files that were loaded already are read again.
    ///
    /// # Errors
    /// What can't be read, and all faults; nothing is taken then.
    pub fn load(&mut self, path: &Path) -> Result<Taken, SessionError> {
        if self.holds_facts(path) {
            let facts = read_facts(&self.rules, &FactFiles::of(vec![path.to_owned()]))?;
            let taken = Taken { facts: facts.len(), ..Taken::default() };
            self.remember(format!(":load {}", path.display()));
            self.facts.extend(facts);
            return Ok(taken);
        }
        let mut files = match &self.source {
            Some(source) => source.loader()?,
            None => Loader::default(),
        };
        for path in self.paths.iter().map(PathBuf::as_path).chain([path]) {
            files.path(path)?;
        }
        let rules = built(self.with_texts(files.clone()), self.source.as_ref(), &self.sets)?;
        let before = self.rules.checked.rules.len();
        let taken = Taken { clauses: rules.checked.rules.len().saturating_sub(before), ..Taken::default() };
        self.remember(format!(":load {}", path.display()));
        self.paths.push(path.to_owned());
        self.files = files;
        self.rules = rules;
        Ok(taken)
    }

    /// Sets a parameter of the rules.
    ///
    /// # Errors
    /// A parameter that they don't have, or a value that doesn't fit it; nothing changes then.
    pub fn set(&mut self, name: Symbol, value: Value) -> Result<(), SessionError> {
        let mut sets = self.sets.clone();
        sets.retain(|(set, _)| *set != name);
        sets.push((name, value));
        let rules = built(self.with_texts(self.files.clone()), self.source.as_ref(), &sets)?;
        self.remember(format!(":set {name} = {value}"));
        (self.sets, self.rules) = (sets, rules);
        Ok(())
    }

    /// Takes the last entry back; what it was, or nothing where there is none.
    pub fn undo(&mut self) -> Option<String> {
        let step = self.steps.pop()?;
        self.sets = step.sets;
        self.paths.truncate(step.paths);
        self.texts.truncate(step.texts);
        self.facts.truncate(step.facts);
        self.files = step.files;
        self.rules = step.rules;
        Some(step.what)
    }

    /// The rules that were typed, laid out, and the files that were loaded.
    pub fn typed(&self) -> String {
        let files = self.paths.iter().map(|path| format!("# loaded: {}\n", path.display()));
        let texts = self.texts.iter().map(|text| {
            let (tree, found) = syntax::parse(FileId::default(), &text.rules);
            let text = if found.is_empty() { syntax::format(&text.rules, &tree) } else { text.rules.clone() };
            text.trim_start_matches('\n').to_owned()
        });
        files.chain(texts).collect()
    }

    fn inputs(&self) -> Vec<Symbol> {
        let relations = self.rules.program.relations.iter();
        relations.filter(|relation| relation.kind == Kind::Input).map(|relation| relation.name).collect()
    }

    /// Whether a file holds facts, by its ending, or a `.dl` file only facts of inputs.
    fn holds_facts(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ending != "dl" {
            return ["jsonl", "csv", "tsv", "facts"].contains(&ending);
        }
        // What can't be read is told by who reads it as rules.
        let Ok(Content::Bytes(bytes)) = read_content(path) else { return false };
        let split = Split::new(&String::from_utf8_lossy(&bytes), &self.inputs());
        !split.faulty && split.rule_count == 0 && split.fact_count > 0
    }

    /// All rules with one more text, and the warnings about that text.
    fn checked(&self, typed: &Text) -> Result<(RuleSet, Faults), SessionError> {
        let mut loader = self.with_texts(self.files.clone());
        let file = loader.part(&typed.name, &typed.whole, &typed.rules);
        let rules =
            built(loader, self.source.as_ref(), &self.sets).map_err(|error| asked(error, &typed.whole))?;
        let about = |found: &&Diagnostic| {
            found.span().is_some_and(|span| span.file == file) && !TOO_EARLY.contains(&found.code)
        };
        let diagnostics = rules.warnings.iter().filter(about).cloned().collect();
        let sources = rules.sources.clone();
        Ok((rules, Faults { sources, diagnostics }))
    }

    fn with_texts(&self, mut files: Loader) -> Loader {
        for text in &self.texts {
            files.part(&text.name, &text.whole, &text.rules);
        }
        files
    }

    fn remember(&mut self, what: String) {
        self.steps.push(Undo {
            what,
            sets: self.sets.clone(),
            paths: self.paths.len(),
            texts: self.texts.len(),
            facts: self.facts.len(),
            files: self.files.clone(),
            rules: self.rules.clone(),
        });
        if self.steps.len() > MOST_STEPS {
            self.steps.remove(0);
        }
    }
}

/// The faults of an entry: a fact with variables, or without a value in some column, is probably a question that lacks its
/// mark.
fn asked(error: SessionError, text: &str) -> SessionError {
    let SessionError::Faults(mut faults) = error else { return error };
    let found = &mut faults.diagnostics;
    let is_open = |fault: &Diagnostic| [VARIABLE_IN_FACT, NOT_GROUND, WILDCARD_VALUE].contains(&fault.code);
    let question = text.trim().trim_end_matches('.');
    let is_question = !text.contains(":-") && syntax::parse_query(FileId::default(), question).1.is_empty();
    if is_question && let Some(at) = found.iter().position(is_open) {
        let mut fault = found.swap_remove(at);
        fault.help.insert(0, format!("to ask, end it with `?`: `{question}?`"));
        *found = vec![fault];
    }
    SessionError::Faults(faults)
}

/// How many entries can be undone; each keeps the rules that were before it.
const MOST_STEPS: usize = 50;

/// The rule set of what was loaded, with parameters set at the prompt, or its errors.
fn built(
    loader: Loader,
    source: Option<&RuleSource>,
    set: &[(Symbol, Value)],
) -> Result<RuleSet, SessionError> {
    let loaded = loader.finish();
    let mut sets = source.map_or_else(Vec::new, |source| source.sets_for(&loaded.files));
    sets.retain(|(name, _)| set.iter().all(|(own, _)| own != name));
    sets.extend_from_slice(set);
    let mut findings = check(loaded, &sets);
    findings.faults.diagnostics.retain(Diagnostic::is_error);
    findings.rules.map(|rules| *rules).ok_or_else(|| SessionError::Faults(Box::new(findings.faults)))
}

/// The facts of inputs in a text.
fn facts(rules: &RuleSet, typed: &Text, split: &Split) -> Result<Vec<Fact>, SessionError> {
    if split.fact_count == 0 {
        return Ok(Vec::new());
    }
    let mut sources = rules.sources.clone();
    let id = sources.add(typed.name.as_str(), typed.whole.as_str());
    let (tree, mut found) = syntax::parse(id, &split.facts);
    let (mut facts, more) = analysis::check_facts(&rules.checked, &tree, &sources);
    found.extend(more);
    for text in &split.named {
        let id = sources.add(typed.name.as_str(), text.as_str());
        let (Some(atom), _) = syntax::parse_fact(id, text) else { continue };
        let (fact, more) = analysis::check_fact(&rules.checked, &atom, &sources);
        facts.extend(fact);
        found.extend(more);
    }
    found.extend(clocks(rules, &facts));
    if !found.is_empty() {
        return Err(SessionError::Faults(Box::new(Faults { sources, diagnostics: found })));
    }
    let name = |relation| {
        rules.program.relation(relation).or_broken("a checked fact is of a relation of its rules").name
    };
    let named = facts.into_iter().map(|(relation, values, _)| Fact { relation: name(relation), values });
    Ok(named.collect())
}
