//! The output of jest: two lines at the end count suites and tests; or one JSON object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::report::{Fault, Line, Verdict, counts, total};

const SUITES: &str = "Test Suites:";
const TESTS: &str = "Tests:";

pub(super) fn failed(lines: &[Line]) -> Verdict {
    let of = |word: &str| lines.iter().filter(|line| line.text.starts_with(word)).collect::<Vec<_>>();
    let (suites, tests) = (of(SUITES), of(TESTS));
    let begun = lines.iter().any(|line| is_suite(&line.text));
    match (suites.as_slice(), tests.as_slice()) {
        ([], []) if !begun => None,
        ([suites], [tests]) => Some(both(lines, suites, tests)),
        ([], _) | (_, []) => {
            let end = lines.last().map_or(1, |line| line.number);
            Some(Err(Fault::new(end, "`Test Suites:` and `Tests:`, the summary of jest", "the end")))
        }
        (_, [_, second, ..]) | ([_, second, ..], _) => Some(Err(second.fault("one summary of jest"))),
    }
}

fn both(lines: &[Line], suites: &Line, tests: &Line) -> Result<usize, Fault> {
    let (failed_suites, failed_tests) = (summary(suites, SUITES)?, summary(tests, TESTS)?);
    let (failing, broken) = failing(lines);
    if failing > 0 && failing != failed_suites {
        return Err(suites.fault(&format!("a summary that counts the {failing} suites that failed")));
    }
    Ok(failed_tests.saturating_add(broken))
}

/// The failures of `Tests: 1 failed, 2 passed, 3 total`.
fn summary(line: &Line, word: &str) -> Result<usize, Fault> {
    let said = line.text.strip_prefix(word).unwrap_or_default();
    let counts = counts(said).ok_or_else(|| line.fault("numbers before words"))?;
    // `1 of 2 total` says how many of the suites ran.
    let ran = |word: &str| word.starts_with("of ") && word.ends_with(" total");
    let whole = counts.iter().find(|(_, word)| *word == "total" || ran(word)).map(|(number, _)| *number);
    let parts = total(&counts, &["failed", "passed", "skipped", "pending", "todo"]);
    let skipped = total(&counts, &["skipped"]);
    let fits = whole.is_some_and(|whole| whole == parts || whole == parts.saturating_sub(skipped));
    if fits { Ok(total(&counts, &["failed"])) } else { Err(line.fault("parts that add up to the total")) }
}

/// Whether a line begins what jest says of a file.
fn is_suite(text: &str) -> bool {
    let path = text.strip_prefix("PASS ").or_else(|| text.strip_prefix("FAIL ")).unwrap_or_default();
    let path = path.trim_start().split(' ').next().unwrap_or_default();
    [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end))
}

/// How many files are said to fail, and how many of them because they could not run.
fn failing(lines: &[Line]) -> (usize, usize) {
    let (mut all, mut broken) = (BTreeSet::new(), BTreeSet::new());
    let mut current = None;
    for line in lines {
        if is_suite(&line.text) {
            let path = line
                .text
                .strip_prefix("FAIL ")
                .map(|path| path.trim().split(" (").next().unwrap_or_default());
            current = path;
            all.extend(path);
        } else if line.text.trim() == "● Test suite failed to run" {
            broken.extend(current);
        }
    }
    (all.len(), broken.len())
}

/// The object of `jest --json`.
pub(super) fn of_json(text: &str) -> Verdict {
    let report: BTreeMap<String, Json> = match serde_json::from_str(text) {
        Ok(report) => report,
        // Only `go test -json` writes several objects.
        Err(_) if text.contains("\"Action\"") => return None,
        Err(error) => {
            return Some(Err(Fault::new(
                error.line() as u64,
                "one JSON object",
                format!("invalid JSON ({error})"),
            )));
        }
    };
    let of = |field: &str| {
        report.get(field).and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok())
    };
    let (failed, broken) = (of("numFailedTests")?, of("numRuntimeErrorTestSuites").unwrap_or(0));
    let parts = ["numPassedTests", "numFailedTests", "numPendingTests", "numTodoTests"]
        .iter()
        .filter_map(|field| of(field));
    let fits = of("numTotalTests").is_none_or(|total| total == parts.sum::<usize>());
    let fault = || Fault::new(1, "numbers that add up to `numTotalTests`", "others");
    Some(if fits { Ok(failed.saturating_add(broken)) } else { Err(fault()) })
}
