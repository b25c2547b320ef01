//! A rule set: loaded, checked, lowered, and known by its hash.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::fault::{self, OrBroken};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::codes::{UNKNOWN_PARAM, UNKNOWN_RELATION, UNKNOWN_TYPE};
use hence_lang::analysis::lints::levels::Levels;
use hence_lang::analysis::{self, checked, checked::Checked};
use hence_lang::ir::Program;
use hence_lang::lower;
use hence_ledger as ledger;
use hence_syntax::codes::{TOO_MANY_FAULTS, TOO_MANY_WARNINGS};
use hence_syntax::tree::{self, Item};

use super::codes::BAD_IMPORT;
use super::error::{Faults, SessionError};
use super::loader::{Loaded, Loader};
use super::rule_files::rule_files;
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
    /// Parameters to set: name and value; the rules must have them.
    pub sets: Vec<(Symbol, Value)>,
    /// Parameters to set where the rules have them and `sets` says nothing of them.
    pub defaults: Vec<(Symbol, Value)>,
    /// Where the values of parameters come from, as messages say it.
    pub origins: BTreeMap<Symbol, String>,
    /// What is done about lints.
    pub lints: Levels,
    /// What names `paths`, such as `hence.toml:1`, where that isn't who asks.
    pub named_by: Option<String>,
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
    /// As a ledger keeps it, once that was asked for.
    pub(super) recorded: OnceLock<ledger::RecordedRules>,
    /// Whether a rule asks for the calendar of a time zone, once that was asked for.
    zoned: OnceLock<bool>,
}

impl RuleSet {
    /// A rule set of parts that belong together.
    pub fn new(
        sources: Sources,
        files: Vec<tree::File>,
        checked: Checked,
        program: Program,
        warnings: Vec<Diagnostic>,
    ) -> Self {
        Self { sources, files, checked, program, warnings, recorded: OnceLock::new(), zoned: OnceLock::new() }
    }

    /// Whether a rule asks for the calendar of a time zone.
    pub(super) fn uses_zones(&self) -> bool {
        *self.zoned.get_or_init(|| self.checked.uses_zones())
    }
}

/// What a check of a rule set found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The texts, and all errors and warnings, sorted by place.
    pub faults: Faults,
    /// How many files were read.
    pub files: usize,
    /// How many rules are in them, where they have no error.
    pub rule_count: usize,
    /// The rule set that decides, where it has no error.
    pub rules: Option<Box<RuleSet>>,
}

impl RuleSource {
    /// Loads everything; without paths and packs, all shipped packs but the one that joins them.
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
            loader.path(path).map_err(|error| self.blamed(error))?;
        }
        for pack in &self.packs {
            loader.pack(pack)?;
        }
        if self.paths.is_empty() && self.packs.is_empty() {
            for pack in shipped::packs().into_iter().filter(|pack| *pack != shipped::JOINING) {
                loader.pack(pack)?;
            }
        }
        Ok(loader)
    }

    /// An error of one of the paths, with what names them.
    fn blamed(&self, error: SessionError) -> SessionError {
        match (&error, &self.named_by) {
            (SessionError::Read { path, .. }, Some(by)) if self.paths.contains(path) => {
                SessionError::Unknown { message: format!("{by} (`rules`): {error}") }
            }
            _ => error,
        }
    }

    /// The parameters to set in these files: `sets`, and those of `defaults` that they declare.
    pub(super) fn sets_for(&self, files: &[tree::File]) -> Vec<(Symbol, Value)> {
        let declared: BTreeSet<Symbol> = files
            .iter()
            .flat_map(|file| &file.items)
            .filter_map(|item| match item {
                Item::Param(param) => Some(param.name.name),
                _ => None,
            })
            .collect();
        let set = |name: &Symbol| self.sets.iter().any(|(set, _)| set == name);
        let defaults = self.defaults.iter().filter(|(name, _)| declared.contains(name) && !set(name));
        self.sets.iter().chain(defaults).copied().collect()
    }

    /// Loads and checks everything, and tells all that was found: in the rules that decide together, and in each file
    /// of tests with what it imports, as `hence test` reads it.
    ///
    /// # Errors
    /// As [`RuleSource::load`].
    pub fn check(&self) -> Result<Findings, SessionError> {
        fault::caught(|| self.all_found())
    }

    fn all_found(&self) -> Result<Findings, SessionError> {
        let (rules, tests) = self.divided()?;
        let mut findings = rules.map_or_else(|| Ok(Findings::default()), |rules| rules.found())?;
        for file in &tests {
            let mut loader = Loader::default();
            loader.alone(file)?;
            let mut found = check_from(loader.finish(), &[], &|_| None);
            found.under(&self.lints);
            findings.take_tests(found);
        }
        diagnostic::sort(&mut findings.faults.diagnostics);
        bound(&mut findings.faults.diagnostics);
        Ok(findings)
    }

    /// What is left without the files of tests, and those.
    fn divided(&self) -> Result<(Option<Self>, BTreeSet<PathBuf>), SessionError> {
        let mut tests = BTreeSet::new();
        let mut rules = Self { paths: Vec::new(), ..self.clone() };
        for path in &self.paths {
            let found = rule_files(path).map_err(|error| self.blamed(error))?;
            if !found.rules.is_empty() || found.tests.is_empty() {
                rules.paths.push(path.clone());
            }
            tests.extend(found.tests);
        }
        let named = !rules.paths.is_empty() || !rules.packs.is_empty();
        Ok(((named || tests.is_empty()).then_some(rules), tests))
    }

    fn found(&self) -> Result<Findings, SessionError> {
        let loaded = self.load()?;
        let sets = self.sets_for(&loaded.files);
        let mut findings = check_from(loaded, &sets, &|name| self.origins.get(&name).cloned());
        findings.under(&self.lints);
        Ok(findings)
    }

    /// The rule set.
    ///
    /// # Errors
    /// As [`RuleSource::load`], and all errors in the rules.
    pub fn build(&self) -> Result<RuleSet, SessionError> {
        let mut findings = fault::caught(|| self.found())?;
        bound(&mut findings.faults.diagnostics);
        findings.rules.map(|rules| *rules).ok_or_else(|| SessionError::Faults(Box::new(findings.faults)))
    }
}

impl Findings {
    /// Leaves out the lints that are allowed, and makes errors of those that are denied; the rules can be used all the
    /// same.
    pub fn under(&mut self, levels: &Levels) {
        levels.apply(&mut self.faults.diagnostics);
        self.rules.iter_mut().for_each(|rules| levels.silence(&mut rules.warnings));
    }

    /// Takes in what was found in a file of tests and what it imports: all errors, since it can't run with any, and the
    /// warnings about itself.
    fn take_tests(&mut self, mut found: Self) {
        let first = found.faults.sources.iter().next();
        let (own, _) = first.or_broken("a file that was loaded has its text");
        let about_itself = |fault: &Diagnostic| fault.span().is_some_and(|span| span.file == own);
        found.faults.diagnostics.retain(|fault| fault.is_error() || about_itself(fault));
        let known: BTreeSet<&str> = self.faults.sources.iter().map(|(_, source)| source.name()).collect();
        let of = |rule: &checked::Rule| found.faults.sources.place(rule.span).file;
        let rules = found.rules.iter().flat_map(|rules| &rules.checked.rules);
        self.rule_count += rules.filter(|rule| !known.contains(of(rule).as_str())).count();
        self.faults.add(found.faults);
        self.files = self.faults.sources.iter().count();
    }
}

/// Checks what was loaded: all passes that can still run after the faults of those before.
pub fn check(loaded: Loaded, sets: &[(Symbol, Value)]) -> Findings {
    let mut findings = check_from(loaded, sets, &|_| None);
    bound(&mut findings.faults.diagnostics);
    findings
}

/// The same, with where the value of a parameter comes from, and with all faults.
fn check_from(
    loaded: Loaded,
    sets: &[(Symbol, Value)],
    origin: &dyn Fn(Symbol) -> Option<String>,
) -> Findings {
    let Loaded { sources, files, mut diagnostics } = loaded;
    let (checked, found) = analysis::check_from(&files, &sources, sets, origin);
    // What a file that can't be read would declare is no fault of the others.
    let unread = diagnostics.iter().any(|fault| fault.code == BAD_IMPORT);
    let unknown = [UNKNOWN_RELATION, UNKNOWN_PARAM, UNKNOWN_TYPE];
    diagnostics.extend(found.into_iter().filter(|fault| !(unread && unknown.contains(&fault.code))));
    diagnostics.extend(analysis::requires::requires(&checked));
    let mut program = None;
    match lower::lower(&checked) {
        Ok(lowered) => {
            diagnostics.extend(lower::partition::crossings(&checked, &lowered));
            program = Some(lowered);
        }
        Err(found) => diagnostics.extend(found),
    }
    // A rule with a fault may be what a warning misses.
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(analysis::lints::lints(&checked, &files, &sources));
    }
    diagnostic::sort(&mut diagnostics);
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    let warnings: Vec<_> = diagnostics.iter().filter(|found| !found.is_error()).cloned().collect();
    let count = files.len();
    let rule_count = checked.rules.len();
    let rules = program
        .filter(|_| !errors)
        .map(|program| Box::new(RuleSet::new(sources.clone(), files, checked, program, warnings)));
    Findings { faults: Faults { sources, diagnostics }, files: count, rule_count, rules }
}

/// The guarded decisions that a checked program derives without what they require.
pub fn guards(checked: &Checked) -> Vec<Diagnostic> {
    analysis::requires::requires(checked)
}

/// Leaves out what nobody reads: all but the first thousand faults.
fn bound(diagnostics: &mut Vec<Diagnostic>) {
    // A file that was not read to its end has an unknown number of them.
    let mut unread: Vec<_> = diagnostics.extract_if(.., |found| found.code == TOO_MANY_FAULTS).collect();
    if diagnostics.len() > MOST {
        // Warnings hide no error.
        diagnostics.sort_by_key(|found| !found.is_error());
        let hidden = diagnostics.split_off(MOST);
        diagnostic::sort(diagnostics);
        if unread.is_empty() {
            unread.push(not_shown(&hidden));
        }
    }
    diagnostics.append(&mut unread);
}

/// How many faults are left out, and the first of them.
fn not_shown(hidden: &[Diagnostic]) -> Diagnostic {
    let errors = hidden.iter().filter(|found| found.is_error()).count();
    let (code, what, count) = match errors {
        0 => (TOO_MANY_WARNINGS, "warning", hidden.len()),
        errors => (TOO_MANY_FAULTS, "error", errors),
    };
    let plural = if count == 1 { "" } else { "s" };
    let fault = Diagnostic::new(code, format!("{count} more {what}{plural}"))
        .help("fix these first, then check again");
    match hidden.first().and_then(Diagnostic::span) {
        Some(span) => fault.at(span, format!("the first {what} not shown")),
        None => fault,
    }
}
