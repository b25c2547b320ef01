//! A rule set: loaded, checked, lowered, and known by its hash.

use std::path::PathBuf;

use crate::analysis::{self, checked::Checked};
use crate::diagnostic::{self, Diagnostic};
use crate::fault;
use crate::ir::Program;
use crate::lower;
use crate::span::Sources;
use crate::symbol::Symbol;
use crate::syntax::codes::TOO_MANY_FAULTS;
use crate::syntax::tree;
use crate::value::Value;

use super::error::{Faults, SessionError};
use super::loader::{Loaded, Loader};
use super::shipped;

/// How many faults of a rule set are shown.
const MOST: usize = 1_000;

/// Which rules to load, and the parameters to set.
#[derive(Clone, Debug, Default)]
pub struct RuleSource {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Shipped packs.
    pub packs: Vec<String>,
    /// Parameters to set: name and value.
    pub sets: Vec<(Symbol, Value)>,
}

/// A rule set without errors.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// The texts that spans point into.
    pub sources: Sources,
    /// The trees, in the order of loading.
    pub files: Vec<tree::File>,
    /// The checked program.
    pub checked: Checked,
    /// What engines evaluate.
    pub program: Program,
    /// Warnings, sorted by place.
    pub warnings: Vec<Diagnostic>,
}

/// What a check of a rule set found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The texts, and all errors and warnings, sorted by place.
    pub faults: Faults,
    /// How many files were read.
    pub files: usize,
    /// The rule set, where there is no error.
    pub rules: Option<Box<RuleSet>>,
}

impl RuleSource {
    /// Loads everything; without paths and packs, all shipped packs.
    ///
    /// # Errors
    /// A path that can't be read, a pack that there isn't.
    pub fn load(&self) -> Result<Loaded, SessionError> {
        Ok(self.loader()?.finish())
    }

    /// A loader that has loaded everything.
    pub(super) fn loader(&self) -> Result<Loader, SessionError> {
        let mut loader = Loader::default();
        for path in &self.paths {
            loader.path(path)?;
        }
        for pack in &self.packs {
            loader.pack(pack)?;
        }
        if self.paths.is_empty() && self.packs.is_empty() {
            for pack in shipped::packs() {
                loader.pack(pack)?;
            }
        }
        Ok(loader)
    }

    /// Loads and checks everything, and tells all that was found.
    ///
    /// # Errors
    /// As [`RuleSource::load`].
    pub fn check(&self) -> Result<Findings, SessionError> {
        fault::caught(|| Ok(check(self.load()?, &self.sets)))
    }

    /// The rule set.
    ///
    /// # Errors
    /// As [`RuleSource::load`], and all errors in the rules.
    pub fn build(&self) -> Result<RuleSet, SessionError> {
        let findings = self.check()?;
        findings.rules.map(|rules| *rules).ok_or_else(|| SessionError::Faults(Box::new(findings.faults)))
    }
}

/// Checks what was loaded: all passes that can still run after the faults of those before.
pub fn check(loaded: Loaded, sets: &[(Symbol, Value)]) -> Findings {
    let Loaded { sources, files, mut diagnostics } = loaded;
    let (checked, found) = analysis::check(&files, &sources, sets);
    diagnostics.extend(found);
    diagnostics.extend(analysis::requires::requires(&checked));
    let mut program = None;
    match lower::lower(&checked) {
        Ok(lowered) => program = Some(lowered),
        Err(found) => diagnostics.extend(found),
    }
    // A rule with a fault may be what a warning misses.
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(analysis::lints::lints(&checked, &files, &sources));
    }
    diagnostic::sort(&mut diagnostics);
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    let warnings: Vec<_> = diagnostics.iter().filter(|found| !found.is_error()).cloned().collect();
    bound(&mut diagnostics);
    let count = files.len();
    let rules = program
        .filter(|_| !errors)
        .map(|program| Box::new(RuleSet { sources: sources.clone(), files, checked, program, warnings }));
    Findings { faults: Faults { sources, diagnostics }, files: count, rules }
}

/// The guarded decisions that a checked program derives without what they require.
pub fn guards(checked: &Checked) -> Vec<Diagnostic> {
    analysis::requires::requires(checked)
}

/// Leaves out what nobody reads: all but the first thousand faults.
fn bound(diagnostics: &mut Vec<Diagnostic>) {
    let Some(first) = diagnostics.get(MOST).map(Diagnostic::span) else { return };
    let more = diagnostics.len() - MOST;
    diagnostics.truncate(MOST);
    let fault = Diagnostic::new(TOO_MANY_FAULTS, format!("{more} more faults"))
        .help("mend these first; the others are shown then");
    diagnostics.push(match first {
        Some(span) => fault.at(span, "the first that is not shown"),
        None => fault,
    });
}
