//! `hence test`: tests of rules, golden cases, coverage and mutants.

mod formats;
mod pretty;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::ruletest::{GoldenSuite, Report, Selection, Suite, SuiteError};

use super::{DONE, Failure, NO, Outcome, UNASKED, diagnostics, options, output};

/// The forms of a test report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// For people: what failed, why, and a count
    Pretty,
    /// One JSON document
    Json,
    /// JUnit's XML, for build servers
    Junit,
    /// Test Anything Protocol, version 14
    Tap,
    /// Annotations of a GitHub workflow
    Github,
}

/// Run the tests in rule files, each by itself
///
/// A test gets the rules of its own file and of the files that it imports, the parameters that it sets, the facts
/// that it gives and nothing else. Its clock is its `now`, without one 2026-01-01T00:00:00Z.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 all passed; 1 a test failed, a gate was missed or no test was found; 2 tests could not be run.

Examples:
  hence test                          the tests of this project, or of the shipped packs
  hence test rules/ --filter poor     those whose name or file contains `poor`
  hence test --golden tests/golden    golden JSON cases")]
pub(super) struct Test {
    /// Files and folders with tests [default: the `rules/` beside `hence.toml`, else the shipped packs' tests]
    paths: Vec<PathBuf>,
    /// Only tests whose name or file contains this, letter case ignored
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How many tests run at the same time [default: one a processor]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Stop at the first test that doesn't pass
    #[arg(long)]
    fail_fast: bool,
    /// The form of the report
    #[arg(long, value_enum, default_value = "pretty")]
    format: TestFormat,
    /// Run the golden JSON cases in this folder, over the shipped packs that they name or over PATH
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Take it as passed where no test is found
    #[arg(long)]
    allow_empty: bool,
    /// Name every test, not only those that fail
    #[arg(long, short)]
    verbose: bool,
}

impl Test {
    pub(super) fn run(self) -> Outcome {
        let selection = self.selection();
        let report = match &self.golden {
            Some(folder) => GoldenSuite::load(folder, &self.paths)?.run(&selection),
            None => match self.suite() {
                Ok(suite) => suite.run(&selection),
                Err(error) => return could_not_load(error),
            },
        };
        self.show(&report)?;
        Ok(self.verdict(&report))
    }

    fn selection(&self) -> Selection {
        Selection { filter: self.filter.clone(), jobs: self.jobs, fail_fast: self.fail_fast }
    }

    fn suite(&self) -> Result<Suite, SuiteError> {
        let mut paths = self.paths.clone();
        if paths.is_empty() {
            paths.extend(options::default_rules());
        }
        if paths.is_empty() { Suite::shipped() } else { Suite::load(&paths) }
    }

    fn show(&self, report: &Report) -> std::io::Result<()> {
        match self.format {
            TestFormat::Pretty => pretty::print(report, self.verbose),
            TestFormat::Json => formats::json(report),
            TestFormat::Junit => formats::junit(report),
            TestFormat::Tap => formats::tap(report),
            TestFormat::Github => formats::github(report),
        }
    }

    fn verdict(&self, report: &Report) -> u8 {
        if report.broken() > 0 {
            return UNASKED;
        }
        if report.count() == 0 && !self.allow_empty {
            output::error(match self.filter {
                Some(_) => "no test fits the filter",
                None => "no test was found; write `test \"name\" { given … expect … }` beside the rules",
            });
            return NO;
        }
        if report.all_passed() { DONE } else { NO }
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
