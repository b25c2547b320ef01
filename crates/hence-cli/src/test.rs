//! `hence test`: tests of rules, golden cases, coverage and mutants.

mod coverage;
mod coverage_files;
pub(super) mod formats;
mod mutants;
pub(super) mod pretty;
mod watch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use hence_core::diagnostic::Diagnostic;
use hence_ruletest::coverage::measure;
use hence_ruletest::mutate::mutate;
use hence_ruletest::{GoldenSuite, Selection, Suite, SuiteError, SuiteReport};
use hence_session::{Faults, RuleSource, SessionError};

use super::options::{self, RuleOptions};
use super::{DONE, Failure, NO, Outcome, UNASKED, diagnostics, output};

/// The formats of a test report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// Readable text: what failed, why, and a count
    Pretty,
    /// One JSON document
    Json,
    /// JUnit XML, for build servers
    Junit,
    /// Test Anything Protocol, version 14
    Tap,
    /// GitHub workflow annotations
    Github,
}

/// Run the tests in rule files, each in isolation
///
/// A test uses the rules of its own file, of the files that it imports and of the packs that are named or configured,
/// the parameters that it sets, the facts that it gives and nothing else: no parameter, limit or engine of hence.toml. Its clock is its `now`, or
/// 2026-01-01T00:00:00Z without one.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 all passed; 1 a test failed, a gate was missed or no test was found; 2 tests could not be run.

Examples:
  hence test                          the tests of this project
  hence test --pack autonomy          those of a shipped pack
  hence test rules/ --filter poor     those whose name or file contains `poor`
  hence test --golden tests/golden    golden JSON cases
  hence test --coverage               what no test covers, beside its line

--coverage counts the following, once over all tests: a rule body had a match; a literal was satisfied (and all
literals before it); a literal that only filters was refused (it alone stopped a match); a comparison held, failed, and,
if it is an order, was tested with both sides equal, each while all else held; a condition inside an expression held and
failed; a limit excluded something; a proof shows the sentence of @because. The percentage is the share covered.

--mutate makes one small change at a time: it shifts or inverts a comparison, drops a literal or a negation, changes a
constant or a parameter to a neighbour, exchanges an aggregate, removes a rule or a table row, or changes a limit. Each
mutant runs against the tests that reach it; the score is the share that some test detects. Provably equivalent mutants
are not counted.")]
pub(super) struct Test {
    /// Files and folders with tests [default: the configured rules, else the `rules/` in this folder]
    paths: Vec<PathBuf>,
    /// A file or folder with tests, repeatable
    #[arg(long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// A shipped pack by name, repeatable
    #[arg(long = "pack", value_name = "NAME", value_delimiter = ',', conflicts_with = "golden")]
    packs: Vec<String>,
    /// Run only tests whose name or file contains this, ignoring case
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The number of tests run in parallel [default: one per processor]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Stop at the first test that doesn't pass
    #[arg(long)]
    fail_fast: bool,
    /// The report format
    #[arg(long, value_enum, default_value = "pretty")]
    format: TestFormat,
    /// Run the golden JSON cases in this folder, with the shipped packs that they name or with PATH
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Pass if no test is found
    #[arg(long)]
    allow_empty: bool,
    /// Show what no test covers, and a table by file and pack
    #[arg(long)]
    coverage: bool,
    /// Fail if less than this percentage is covered
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    min_coverage: Option<f64>,
    /// Write the coverage as LCOV
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write the coverage as JSON
    #[arg(long, value_name = "FILE")]
    coverage_json: Option<PathBuf>,
    /// Write the coverage as one HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Mutate the rules and show the mutants that no test detects
    #[arg(long)]
    mutate: bool,
    /// Stop mutating after this time, such as 30s or 5m; the rest counts as not run
    #[arg(long, value_name = "DURATION", value_parser = options::duration)]
    budget: Option<Duration>,
    /// Fail if less than this percentage of the mutants is detected
    #[arg(long, value_name = "PERCENT")]
    min_score: Option<f64>,
    /// Write the results of the mutants as JSON
    #[arg(long, value_name = "FILE")]
    mutants_json: Option<PathBuf>,
    /// Run again whenever a rule file or a fact file beside one changes, until interrupted
    #[arg(long)]
    watch: bool,
    /// List every test, and every literal that never decides
    #[arg(long, short)]
    verbose: bool,
}

/// Reads a share of a whole.
fn percentage(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| format!("`{text}` is not a percentage; expected a number from 0 to 100"))
}

impl Test {
    pub(super) fn run(self) -> Outcome {
        if !self.watch {
            return self.once();
        }
        loop {
            let roots = self.roots()?;
            let before = watch::seen(&roots);
            match self.once() {
                Ok(_) => {}
                Err(Failure::Session(SessionError::Faults(faults))) => diagnostics::print(&faults),
                Err(Failure::Session(error)) => output::error(&error.to_string()),
                Err(other) => return Err(other),
            }
            output::aside("waiting for a change; Ctrl-C to stop");
            watch::until_changed(&roots, &before);
        }
    }

    /// The files and folders that are watched.
    fn roots(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut roots = if self.golden.is_some() { self.paths.clone() } else { self.source()?.paths };
        roots.extend(self.golden.clone());
        Ok(roots)
    }

    /// Where tests are looked for.
    fn source(&self) -> Result<RuleSource, Failure> {
        RuleOptions::named(&self.rules, &self.packs, &[]).with_paths(&self.paths).files("test")
    }

    fn once(&self) -> Outcome {
        let selection = self.selection();
        if let Some(folder) = &self.golden {
            let report =
                GoldenSuite::load(folder, &[self.paths.as_slice(), &self.rules].concat())?.run(&selection);
            self.show(&report)?;
            return Ok(self.verdict(&report));
        }
        let source = self.source()?;
        let suite = match Suite::of(&source.paths, &source.packs) {
            Ok(suite) => suite,
            Err(error) => return could_not_load(error),
        };
        if self.paths.is_empty() && self.rules.is_empty() {
            decides(&source)?;
        }
        let report = suite.run(&selection);
        self.show(&report)?;
        let verdict = self.verdict(&report);
        let covered = self.cover(&suite, &selection)?;
        let mutated = if report.all_passed() { self.mutated(&suite, &selection)? } else { verdict };
        if self.mutate && !report.all_passed() {
            output::aside("mutation needs all tests to pass");
        }
        Ok(verdict.max(covered).max(mutated))
    }

    /// Runs mutants where some option asks for it; whether the gate is met.
    fn mutated(&self, suite: &Suite, selection: &Selection) -> Outcome {
        if !self.mutate && self.min_score.is_none() && self.mutants_json.is_none() {
            return Ok(DONE);
        }
        let mutation = mutate(suite, selection, self.budget);
        if self.mutate && self.format == TestFormat::Pretty {
            mutants::print(&mutation)?;
        }
        write(self.mutants_json.as_deref(), || {
            serde_json::to_string_pretty(&mutants::json(&mutation)).map_err(std::io::Error::other)
        })?;
        match self.min_score {
            Some(least) if mutation.score() < least => {
                output::error(&format!(
                    "{:.1} % of the mutants are detected, below {least} %",
                    mutation.score()
                ));
                Ok(NO)
            }
            _ => Ok(DONE),
        }
    }

    /// Measures coverage where some option asks for it; whether the gate is met.
    fn cover(&self, suite: &Suite, selection: &Selection) -> Outcome {
        let files = [&self.lcov, &self.coverage_json, &self.html];
        if !self.coverage && self.min_coverage.is_none() && files.iter().all(|file| file.is_none()) {
            return Ok(DONE);
        }
        let measured = measure(suite, selection);
        if self.coverage && self.format == TestFormat::Pretty {
            coverage::print(&measured, self.verbose)?;
        }
        write(self.lcov.as_deref(), || Ok(coverage_files::lcov(&measured)))?;
        write(self.html.as_deref(), || Ok(coverage_files::html(&measured)))?;
        write(self.coverage_json.as_deref(), || {
            serde_json::to_string_pretty(&coverage_files::json(&measured)).map_err(std::io::Error::other)
        })?;
        let total = measured.total();
        match self.min_coverage {
            Some(least) if total.percent() < least => {
                output::error(&format!("the coverage is {}, below {least} %", coverage::percent(total)));
                Ok(NO)
            }
            _ => Ok(DONE),
        }
    }

    fn selection(&self) -> Selection {
        Selection { filter: self.filter.clone(), jobs: self.jobs, fail_fast: self.fail_fast, until: None }
    }

    fn show(&self, report: &SuiteReport) -> std::io::Result<()> {
        match self.format {
            TestFormat::Pretty => pretty::print(report, self.verbose),
            TestFormat::Json => formats::json(report),
            TestFormat::Junit => formats::junit(report),
            TestFormat::Tap => formats::tap(report),
            TestFormat::Github => formats::github(report),
        }
    }

    fn verdict(&self, report: &SuiteReport) -> u8 {
        if report.broken() > 0 {
            return UNASKED;
        }
        if report.count() == 0 && !self.allow_empty {
            output::error(match self.filter {
                Some(_) => "no test matches the filter",
                None => "no tests found; write `test \"name\" { given … expect … }` beside the rules",
            });
            return NO;
        }
        if report.all_passed() { DONE } else { NO }
    }
}

/// Writes a file where one is asked for.
fn write(file: Option<&Path>, text: impl FnOnce() -> std::io::Result<String>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let failed = |source| Failure::Session(SessionError::Write { path: file.to_owned(), source });
    hence_core::file::write(file, text()?.as_bytes()).map_err(failed)
}

/// Checks the rules that decide: files without a test are among them, and nothing passes beside a faulty one.
fn decides(source: &RuleSource) -> Result<(), SessionError> {
    let errors = |mut faults: Box<Faults>| {
        faults.diagnostics.retain(Diagnostic::is_error);
        SessionError::Faults(faults)
    };
    match source.build() {
        Ok(_) => Ok(()),
        Err(SessionError::Faults(faults)) => Err(errors(faults)),
        Err(other) => Err(other),
    }
}

/// All faults of all files with tests.
fn could_not_load(error: SuiteError) -> Outcome {
    match error {
        SuiteError::Faults(all) => {
            all.iter().for_each(diagnostics::print);
            Ok(UNASKED)
        }
        SuiteError::Session(error) => Err(Failure::Session(error)),
    }
}
