//! What became of tests, as data, and as plain text for a project's own test runner.

use std::fmt;
use std::time::Duration;

use hence_core::span::Place;

/// What became of all tests.
#[derive(Clone, Debug, Default)]
pub struct SuiteReport {
    /// The files in order.
    pub files: Vec<FileReport>,
    /// Wall time of the whole run.
    pub elapsed: Duration,
}

/// What became of the tests of one file.
#[derive(Clone, Debug, Default)]
pub struct FileReport {
    /// The file's name.
    pub name: String,
    /// Its tests in the order of the text.
    pub tests: Vec<TestReport>,
}

/// What became of one test.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// What became of it.
    pub verdict: TestVerdict,
    /// Wall time.
    pub elapsed: Duration,
}

/// What became of a test.
#[derive(Clone, Debug)]
pub enum TestVerdict {
    /// Everything expected is there.
    Passed,
    /// What is otherwise, in the order of the text.
    Failed(Vec<TestFailure>),
    /// The test could not be run: its facts can't be read, or a limit was reached.
    Broken(String),
}

/// One expectation that doesn't hold.
#[derive(Clone, Debug)]
pub struct TestFailure {
    /// The literal that failed, or the whole expectation.
    pub place: Place,
    /// The text there.
    pub text: String,
    /// What is wrong with it.
    pub says: String,
    /// Facts that are there instead, nearest first.
    pub instead: Vec<String>,
    /// How many more there are.
    pub more: usize,
    /// For a whole relation, the rows that differ, ascending.
    pub difference: Vec<RowDifference>,
    /// Why what should not hold does, or why what should hold doesn't: a few lines.
    pub why: Vec<String>,
    /// What was filled in for columns that facts of these leave out with `..`, a line each.
    pub filled: Vec<String>,
    /// The step, in a test of several.
    pub step: Option<StepPlace>,
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPlace {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// Its clock.
    pub now: String,
}

impl fmt::Display for StepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of {}, at {}", self.number, self.of, self.now)
    }
}

/// A row in which a relation differs from what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowDifference {
    /// Expected, and not there.
    Missing(String),
    /// There, and not expected.
    Unexpected(String),
}

/// What stands above the columns that were filled in.
pub const FILLED: &str = "where the test has `..`";

impl fmt::Display for RowDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(row) => write!(f, "- {row}"),
            Self::Unexpected(row) => write!(f, "+ {row}"),
        }
    }
}

impl SuiteReport {
    /// All tests in order.
    pub fn tests(&self) -> impl Iterator<Item = &TestReport> {
        self.files.iter().flat_map(|file| &file.tests)
    }

    /// How many tests were run.
    pub fn count(&self) -> usize {
        self.tests().count()
    }

    /// How many passed.
    pub fn passed(&self) -> usize {
        self.tests().filter(|test| matches!(test.verdict, TestVerdict::Passed)).count()
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.tests().filter(|test| matches!(test.verdict, TestVerdict::Failed(_))).count()
    }

    /// How many could not be run.
    pub fn broken(&self) -> usize {
        self.tests().filter(|test| matches!(test.verdict, TestVerdict::Broken(_))).count()
    }

    /// Whether every test passed.
    pub fn all_passed(&self) -> bool {
        self.tests().all(|test| matches!(test.verdict, TestVerdict::Passed))
    }
}

impl TestFailure {
    /// A failure without anything beside its text.
    pub fn new(place: Place, text: impl Into<String>, says: impl Into<String>) -> Self {
        Self {
            place,
            text: text.into(),
            says: says.into(),
            instead: Vec::new(),
            more: 0,
            difference: Vec::new(),
            why: Vec::new(),
            filled: Vec::new(),
            step: None,
        }
    }

    /// The lines below the place: what failed, what is there instead, why.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.step.iter().map(|step| format!("in {step}")).collect();
        lines.extend(self.text.lines().map(|line| format!("    {}", line.trim())));
        lines.push(self.says.clone());
        lines.extend(self.instead.iter().map(|fact| format!("    {fact}")));
        if self.more > 0 {
            lines.push(format!("    and {} more", self.more));
        }
        lines.extend(self.difference.iter().map(|row| format!("    {row}")));
        lines.extend(self.why.iter().cloned());
        if !self.filled.is_empty() {
            lines.push(String::from(FILLED));
            lines.extend(self.filled.iter().map(|line| format!("    {line}")));
        }
        lines
    }
}

impl fmt::Display for SuiteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for test in self.tests() {
            match &test.verdict {
                TestVerdict::Failed(failures) => {
                    writeln!(f, "{}: `{}` failed", test.place, test.name)?;
                    for failure in failures {
                        writeln!(f, "  {}:", failure.place)?;
                        failure.lines().iter().try_for_each(|line| writeln!(f, "  {line}"))?;
                    }
                }
                TestVerdict::Broken(why) => {
                    writeln!(f, "{}: `{}` could not run: {why}", test.place, test.name)?
                }
                TestVerdict::Passed => {}
            }
        }
        write!(f, "{} of {} tests passed", self.passed(), self.count())
    }
}
