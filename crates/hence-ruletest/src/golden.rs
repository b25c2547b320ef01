//! Golden cases: JSON files that hold a pack's name, facts, and everything that must follow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use hence_core::fault::OrBroken;
use hence_core::file::{self, LARGEST_TEXT};
use hence_core::json;
use hence_core::literal;
use hence_core::span::Place;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_session::{RuleSet, RuleSource, Session, SessionError};

use super::message;
use super::pool;
use super::report::{FileReport, RowDifference, SuiteReport, TestFailure, TestReport, TestVerdict};
use super::suite::Selection;

/// What [`CaseFile::check`] makes sure of.
const ROWS: &str = "the rows that a case expects are lists of values";

/// How far floats of a golden case may lie apart.
const WITHIN: f64 = 1e-9;

/// Golden cases, ready to run.
#[derive(Debug, Default)]
pub struct GoldenSuite {
    cases: Vec<GoldenCase>,
    rules: BTreeMap<String, RuleSet>,
}

#[derive(Debug)]
struct GoldenCase {
    file: String,
    case: CaseFile,
}

/// A case as its file has it.
#[derive(Debug, Deserialize)]
struct CaseFile {
    pack: String,
    name: String,
    now: String,
    #[serde(default)]
    params: Map<String, Json>,
    facts: Vec<Json>,
    expect: Map<String, Json>,
}

impl CaseFile {
    /// Whether the rows that it expects are rows.
    fn check(&self, name: &str) -> Result<(), SessionError> {
        let is_rows = |rows: &Json| rows.as_array().is_some_and(|rows| rows.iter().all(Json::is_array));
        match self.expect.iter().find(|(_, rows)| !is_rows(rows)) {
            None => Ok(()),
            Some((relation, rows)) => Err(SessionError::Unknown {
                message: format!("`{name}`: expected a list of rows of `{relation}`, found `{rows}`"),
            }),
        }
    }
}

impl GoldenSuite {
    /// The cases in a folder and the folders in it. Each runs over the shipped pack that it names, or, where `rules`
    /// names files, over those.
    ///
    /// # Errors
    /// Files that can't be read or are no cases, and faults of the rules.
    pub fn load(folder: &Path, rules: &[PathBuf]) -> Result<Self, SessionError> {
        let mut suite = Self::default();
        for file in json_files(folder)? {
            let read = |source| SessionError::Read { path: file.clone(), source };
            let text = file::read_text(&file, LARGEST_TEXT).map_err(read)?;
            let name = file.display().to_string();
            let case: CaseFile = serde_json::from_str(&text).map_err(|error| SessionError::Unknown {
                message: format!("`{name}` is not a golden case: {error}"),
            })?;
            case.check(&name)?;
            if !suite.rules.contains_key(&case.pack) {
                let packs = if rules.is_empty() { vec![case.pack.clone()] } else { Vec::new() };
                let source = RuleSource { paths: rules.to_vec(), packs, ..RuleSource::default() };
                suite.rules.insert(case.pack.clone(), source.build()?);
            }
            suite.cases.push(GoldenCase { file: name, case });
        }
        Ok(suite)
    }

    /// Runs the cases selected: one file a pack, one test a case.
    pub fn run(&self, selection: &Selection) -> SuiteReport {
        let start = Instant::now();
        let work: Vec<&GoldenCase> = self
            .cases
            .iter()
            .filter(|case| selection.takes(&case.file, Symbol::new(&case.case.name)))
            .collect();
        let results = pool::ordered(work.len(), selection, |at| {
            let case = work.get(at).or_broken("there is a task for each case");
            Some(case.run(self.rules.get(&case.case.pack).or_broken("the rules of each case are loaded")))
        });
        let mut files: BTreeMap<&str, FileReport> = BTreeMap::new();
        for (case, result) in work.iter().zip(results) {
            let pack = case.case.pack.as_str();
            let file =
                files.entry(pack).or_insert_with(|| FileReport { name: pack.to_owned(), tests: Vec::new() });
            file.tests.extend(result);
        }
        SuiteReport { files: files.into_values().collect(), elapsed: start.elapsed() }
    }
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, SessionError> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let read = |source| SessionError::Read { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let kind = entry.file_type().map_err(read)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|end| end == "json") {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

impl GoldenCase {
    fn run(&self, rules: &RuleSet) -> TestReport {
        let start = Instant::now();
        let verdict = match self.failures(rules) {
            Ok(failures) if failures.is_empty() => TestVerdict::Passed,
            Ok(failures) => TestVerdict::Failed(failures),
            Err(error) => TestVerdict::Broken(message(&error)),
        };
        TestReport { name: self.case.name.clone(), place: self.place(), verdict, elapsed: start.elapsed() }
    }

    fn place(&self) -> Place {
        Place { file: self.file.clone(), line: 1, column: 1 }
    }

    fn failures(&self, rules: &RuleSet) -> Result<Vec<TestFailure>, SessionError> {
        let case = &self.case;
        let lines: Vec<String> = case.facts.iter().map(Json::to_string).collect();
        let facts = hence_session::read_fact_lines(rules, &self.file, &lines.join("\n"))?;
        let unreadable = || SessionError::Unknown { message: format!("`{}` is not a time", case.now) };
        let now = literal::parse_time(&case.now).ok_or_else(unreadable)?;
        let session = Session::over_facts(self.with_params(rules)?, facts)?;
        let names: Vec<String> = case.expect.keys().cloned().collect();
        let derived = session.derive(&names, now)?;
        let mut failures = Vec::new();
        for ((name, _, facts), wanted) in derived.relations.iter().zip(case.expect.values()) {
            if derived.undetermined.iter().any(|row| row.relation == *name) {
                let failure = TestFailure::new(
                    self.place(),
                    name.as_str(),
                    format!("`{name}` is undetermined: an operation is undefined"),
                );
                failures.push(TestFailure { why: derived.reports.clone(), ..failure });
                continue;
            }
            let there: Vec<&[Value]> = facts.iter().map(|fact| fact.values.as_slice()).collect();
            let difference = difference(&there, &types(rules, *name), wanted);
            if !difference.is_empty() {
                let says = format!("`{name}` has other rows: - is missing, + is unexpected");
                failures
                    .push(TestFailure { difference, ..TestFailure::new(self.place(), name.as_str(), says) });
            }
        }
        Ok(failures)
    }

    fn with_params(&self, rules: &RuleSet) -> Result<RuleSet, SessionError> {
        let set = |(name, json): (&String, &Json)| {
            let unknown = |message| SessionError::Unknown { message };
            let param = rules.program.params.iter().find(|param| param.name.as_str() == name);
            let param = param.ok_or_else(|| unknown(format!("unknown parameter `{name}`")))?;
            let value = json::read(param.ty.ty, json);
            let value =
                value.ok_or_else(|| unknown(format!("{json} is not a value of the parameter `{name}`")))?;
            Ok((param.name, value))
        };
        let sets = self.case.params.iter().map(set).collect::<Result<Vec<_>, SessionError>>()?;
        if sets.is_empty() { Ok(rules.clone()) } else { rules.with_sets(&sets).map_err(SessionError::Faults) }
    }
}

fn types(rules: &RuleSet, name: Symbol) -> Vec<Type> {
    let relation = rules.program.find(name).or_broken("facts are derived of relations that the rules have");
    rules.program[relation].types().collect()
}

/// The rows that are missing and those that are too many, ascending by their text.
fn difference(there: &[&[Value]], types: &[Type], wanted: &Json) -> Vec<RowDifference> {
    let mut left: Vec<&[Value]> = there.to_vec();
    let mut rows: Vec<(String, RowDifference)> = Vec::new();
    for row in wanted.as_array().or_broken(ROWS) {
        let cells = row.as_array().or_broken(ROWS);
        match left.iter().position(|found| same(found, cells, types)) {
            Some(at) => drop(left.remove(at)),
            None => rows.push((row.to_string(), RowDifference::Missing(row.to_string()))),
        }
    }
    for found in left {
        let text: Vec<String> = found.iter().map(ToString::to_string).collect();
        let text = format!("[{}]", text.join(", "));
        rows.push((text.clone(), RowDifference::Unexpected(text)));
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn same(found: &[Value], wanted: &[Json], types: &[Type]) -> bool {
    let equal = |found: &Value, wanted: &Json, ty: Type| match (json::read(ty, wanted), found) {
        (Some(Value::Float(a)), Value::Float(b)) => (a.get() - b.get()).abs() <= WITHIN,
        (wanted, found) => wanted == Some(*found),
    };
    found.len() == wanted.len()
        && found.iter().zip(wanted).zip(types).all(|((found, wanted), ty)| equal(found, wanted, *ty))
}
