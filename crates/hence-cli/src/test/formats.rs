//! A test report for programs: JSON, JUnit, TAP, annotations of a GitHub workflow.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use hence_ruletest::{SuiteReport, TestFailure, TestReport, TestVerdict};

use super::super::output;
use super::super::terminal::{self, Out};

/// Writes one JSON document.
pub(super) fn json(report: &SuiteReport) -> io::Result<()> {
    output::document(&document(report))
}

/// A report as JSON.
pub(crate) fn document(report: &SuiteReport) -> Json {
    let files: Vec<Json> = report
        .files
        .iter()
        .map(|file| {
            json!({ "file": file.name, "tests": file.tests.iter().map(test_json).collect::<Vec<_>>() })
        })
        .collect();
    json!({
        "passed": report.passed(), "failed": report.failed(), "could_not_run": report.broken(),
        "seconds": report.elapsed.as_secs_f64(), "files": files,
    })
}

fn test_json(test: &TestReport) -> Json {
    let verdict = match &test.verdict {
        TestVerdict::Passed => "passed",
        TestVerdict::Failed(_) => "failed",
        TestVerdict::Broken(_) => "could_not_run",
    };
    let mut document = json!({
        "name": test.name, "line": test.place.line, "verdict": verdict,
        "seconds": test.elapsed.as_secs_f64(),
    });
    if let Some(object) = document.as_object_mut() {
        match &test.verdict {
            TestVerdict::Failed(failures) => {
                let failures: Vec<Json> = failures.iter().map(failure_json).collect();
                object.insert(String::from("failures"), Json::Array(failures));
            }
            TestVerdict::Broken(why) => drop(object.insert(String::from("cause"), json!(why))),
            TestVerdict::Passed => {}
        }
    }
    document
}

fn failure_json(failure: &TestFailure) -> Json {
    let difference: Vec<String> = failure.difference.iter().map(ToString::to_string).collect();
    let mut document = json!({
        "file": failure.place.file, "line": failure.place.line, "column": failure.place.column,
        "expected": failure.text, "message": failure.says, "instead": failure.instead,
        "more": failure.more, "difference": difference, "why": failure.why,
    });
    if let Some(object) = document.as_object_mut() {
        if let Some(step) = &failure.step {
            object.insert(
                String::from("step"),
                json!({ "number": step.number, "of": step.of, "now": step.now }),
            );
        }
        if !failure.filled.is_empty() {
            object.insert(String::from("filled_in"), json!(failure.filled));
        }
    }
    document
}

/// Writes JUnit's XML.
pub(super) fn junit(report: &SuiteReport) -> io::Result<()> {
    let mut out = terminal::text();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites tests="{}" failures="{}" errors="{}" time="{:.3}">"#,
        report.count(),
        report.failed(),
        report.broken(),
        report.elapsed.as_secs_f64()
    )?;
    for file in &report.files {
        let failed = file.tests.iter().filter(|test| matches!(test.verdict, TestVerdict::Failed(_))).count();
        let broken = file.tests.iter().filter(|test| matches!(test.verdict, TestVerdict::Broken(_))).count();
        let (name, count) = (xml(&file.name), file.tests.len());
        writeln!(
            out,
            r#"  <testsuite name="{name}" tests="{count}" failures="{failed}" errors="{broken}">"#
        )?;
        file.tests.iter().try_for_each(|test| junit_case(&mut out, &name, test))?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn junit_case(out: &mut Out, file: &str, test: &TestReport) -> io::Result<()> {
    write!(
        out,
        r#"    <testcase classname="{file}" name="{}" file="{}" line="{}" time="{:.3}""#,
        xml(&test.name),
        xml(&test.place.file),
        test.place.line,
        test.elapsed.as_secs_f64()
    )?;
    match &test.verdict {
        TestVerdict::Passed => writeln!(out, "/>"),
        TestVerdict::Failed(failures) => {
            let says: Vec<&str> = failures.iter().map(|failure| failure.says.as_str()).collect();
            let text: Vec<String> = failures.iter().map(text).collect();
            let (says, text) = (xml(&says.join("; ")), xml(&text.join("\n")));
            writeln!(out, ">")?;
            writeln!(out, "      <failure message=\"{says}\">{text}</failure>")?;
            writeln!(out, "    </testcase>")
        }
        TestVerdict::Broken(why) => {
            let why = xml(why);
            writeln!(out, ">")?;
            writeln!(out, "      <error message=\"{why}\"/>")?;
            writeln!(out, "    </testcase>")
        }
    }
}

fn text(failure: &TestFailure) -> String {
    format!("{}\n{}", failure.place, failure.lines().join("\n"))
}

/// Text inside XML; characters that XML can't hold are left out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Writes the Test Anything Protocol, version 14.
pub(super) fn tap(report: &SuiteReport) -> io::Result<()> {
    let mut out = terminal::text();
    writeln!(out, "TAP version 14")?;
    writeln!(out, "1..{}", report.count())?;
    for (at, test) in report.tests().enumerate() {
        let name = test.name.replace('\\', "\\\\").replace('#', "\\#");
        let (number, place) = (at + 1, &test.place);
        let not = if matches!(test.verdict, TestVerdict::Passed) { "" } else { "not " };
        writeln!(out, "{not}ok {number} - {}: {name}", place.file)?;
        let message = match &test.verdict {
            TestVerdict::Passed => continue,
            TestVerdict::Failed(failures) => failures.iter().map(text).collect::<Vec<_>>().join("\n"),
            TestVerdict::Broken(why) => why.clone(),
        };
        writeln!(out, "  ---\n  message: |")?;
        message.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
        writeln!(out, "  ...")?;
    }
    Ok(())
}

/// Writes annotations of a GitHub workflow, one a failure, and a count.
pub(super) fn github(report: &SuiteReport) -> io::Result<()> {
    let mut out = terminal::text();
    for test in report.tests() {
        match &test.verdict {
            TestVerdict::Passed => {}
            TestVerdict::Failed(failures) => {
                for failure in failures {
                    let place = &failure.place;
                    writeln!(
                        out,
                        "::error file={},line={},col={},title={}::{}",
                        property(&place.file),
                        place.line,
                        place.column,
                        property(&test.name),
                        escaped(&failure.lines().join("\n"))
                    )?;
                }
            }
            TestVerdict::Broken(why) => writeln!(
                out,
                "::error file={},line={},title={}::{}",
                property(&test.place.file),
                test.place.line,
                property(&test.name),
                escaped(why)
            )?,
        }
    }
    writeln!(out, "{} of {} tests passed", report.passed(), report.count())
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
