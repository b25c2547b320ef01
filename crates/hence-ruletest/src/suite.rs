//! Test files: found below paths or in the binary, each loaded by itself with what it imports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::span::FileId;
use hence_core::symbol::Symbol;
use hence_engine::Limits;
use hence_lang::analysis::checked::Test;
use hence_session::{Faults, Loaded, Loader, RuleSet, SessionError, shipped};

use super::case::limits;
use super::report::SuiteReport;
use super::{message, pool};

/// Test files, ready to run.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// The files that hold tests, in order.
    pub files: Vec<TestFile>,
}

/// A file that holds tests, with the rules that it holds and imports.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Its name.
    pub name: String,
    /// Its folder, where it is on disk.
    pub folder: Option<PathBuf>,
    /// Its rules and those of the files that it imports.
    pub rules: RuleSet,
    /// Its own tests, by their place in the checked program.
    pub tests: Vec<usize>,
    /// The texts of the packs that are loaded beside it.
    beside: BTreeSet<FileId>,
    /// What its tests run under.
    limits: Limits,
}

impl TestFile {
    /// One of the tests that its rules came with.
    pub(super) fn test(&self, at: usize) -> &Test {
        self.rules.checked.tests.get(at).or_broken("the tests of a file are among those of its rules")
    }

    /// What its tests run under.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether what stands in a text only helps tests, being in a file of tests, or in a pack that has its own.
    pub(super) fn only_helps(&self, text: FileId) -> bool {
        let source = self.rules.sources.get(text);
        self.beside.contains(&text)
            || source.is_some_and(|source| hence_session::is_of_tests(Path::new(source.name())))
    }
}

/// Which tests to run, and how.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only tests whose name or file contains this, letter case ignored.
    pub filter: Option<String>,
    /// How many run at the same time; 0 for one a processor.
    pub jobs: usize,
    /// Whether the run stops at the first test, in the order of the files, that doesn't pass.
    pub fail_fast: bool,
    /// When no further test begins.
    pub until: Option<Instant>,
}

/// Why tests could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Files that hold tests have errors, or what they import has.
    #[error("{}", faults_text(.0))]
    Faults(Vec<Faults>),
    /// A path that can't be read.
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn faults_text(all: &[Faults]) -> String {
    let lines: Vec<_> =
        all.iter().map(|faults| message(&SessionError::Faults(Box::new(faults.clone())))).collect();
    lines.join("\n")
}

impl Suite {
    /// The tests in files and folders; a folder stands for every `.dl` file in it and below.
    ///
    /// # Errors
    /// A path that can't be read, and all faults of files with tests.
    pub fn load(paths: &[PathBuf]) -> Result<Self, SuiteError> {
        Self::of(paths, &[])
    }

    /// The tests in files and folders, each file with the rules of the shipped packs beside it, and the tests of these.
    ///
    /// # Errors
    /// As [`Suite::load`], and a pack that there isn't.
    pub fn of(paths: &[PathBuf], packs: &[String]) -> Result<Self, SuiteError> {
        let mut building = Building::default();
        for path in paths {
            for file in hence_session::rule_files(path)?.all() {
                let mut loader = Loader::default();
                loader.alone(&file)?;
                let own = loader.clone().finish().sources.iter().count();
                for pack in packs {
                    loader.pack(pack)?;
                }
                let folder = file.parent().map(Path::to_path_buf);
                building.take(loader.finish(), file.display().to_string(), folder, own);
            }
        }
        for pack in packs {
            building.pack(pack)?;
        }
        building.finish()
    }

    /// The tests in a text that is in no file and reads none, with the rules of shipped packs beside it, each within
    /// `limits`.
    ///
    /// # Errors
    /// Faults in them, and a pack that there isn't.
    pub fn of_text(name: &str, text: &str, packs: &[String], limits: Limits) -> Result<Self, SuiteError> {
        let mut loader = Loader::default();
        loader.text(name, text);
        packs.iter().try_for_each(|pack| loader.pack(pack))?;
        let mut building = Building::default();
        building.take(loader.finish(), name.to_owned(), None, 1);
        building.files.iter_mut().for_each(|file| file.limits = limits);
        building.finish()
    }

    /// The tests of all shipped packs.
    ///
    /// # Errors
    /// Faults in them.
    pub fn shipped() -> Result<Self, SuiteError> {
        let packs: Vec<String> = shipped::packs().into_iter().map(str::to_owned).collect();
        Self::of(&[], &packs)
    }

    /// Runs the tests selected.
    pub fn run(&self, selection: &Selection) -> SuiteReport {
        pool::run(self, selection)
    }
}

impl Selection {
    /// Whether a test of this name in this file is to be run.
    pub(super) fn takes(&self, file: &str, test: Symbol) -> bool {
        self.filter.as_ref().is_none_or(|filter| {
            let filter = filter.to_lowercase();
            test.as_str().to_lowercase().contains(&filter) || file.to_lowercase().contains(&filter)
        })
    }
}

#[derive(Default)]
struct Building {
    files: Vec<TestFile>,
    faulty: Vec<Faults>,
}

impl Building {
    fn pack(&mut self, pack: &str) -> Result<(), SessionError> {
        if !shipped::packs().contains(&pack) {
            return Err(SessionError::Unknown { message: shipped::unknown_pack(pack) });
        }
        for path in shipped::tests() {
            if path.split_once('/').is_some_and(|(folder, _)| folder == pack) {
                let mut loader = Loader::default();
                loader.shipped(path)?;
                self.take(loader.finish(), shipped::display_name(path), None, usize::MAX);
            }
        }
        Ok(())
    }

    /// Takes a file with tests; the texts after the first `own` are those of packs.
    fn take(&mut self, loaded: Loaded, name: String, folder: Option<PathBuf>, own: usize) {
        if self.files.iter().any(|file| file.name == name) {
            return;
        }
        let (main, _) = loaded.sources.iter().next().or_broken("a file that is loaded has a text");
        if !loaded.has_tests(main) {
            return;
        }
        let beside = loaded.sources.iter().skip(own).map(|(text, _)| text).collect();
        let findings = hence_session::check(loaded, &[]);
        let Some(rules) = findings.rules else {
            let mut faults = findings.faults;
            faults.diagnostics.retain(Diagnostic::is_error);
            self.faulty.push(faults);
            return;
        };
        let tests = rules.checked.tests.iter().enumerate();
        let tests = tests.filter(|(_, test)| test.span.file == main).map(|(at, _)| at).collect();
        self.files.push(TestFile { name, folder, rules: *rules, tests, beside, limits: limits() });
    }

    fn finish(mut self) -> Result<Suite, SuiteError> {
        if !self.faulty.is_empty() {
            return Err(SuiteError::Faults(self.faulty));
        }
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Suite { files: self.files })
    }
}
