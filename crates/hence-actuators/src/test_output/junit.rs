//! Reports in JUnit XML, as most runners and build tools write them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::report::Fault;

/// How deep elements are nested.
const DEEPEST: usize = 64;

/// A suite at work: what it says of itself, and what was found in it.
#[derive(Default)]
struct Suite {
    tests: Option<usize>,
    bad: Option<usize>,
    found_tests: usize,
    found_bad: usize,
}

/// The state of reading.
#[derive(Default)]
struct Report {
    open: Vec<String>,
    suites: Vec<Suite>,
    root: bool,
    in_case: bool,
    case_failed: bool,
    failed: usize,
}

/// How many tests failed.
pub(super) fn failed(text: &str) -> Result<usize, Fault> {
    let mut reader = Reader::from_str(text);
    let mut report = Report::default();
    loop {
        let event = reader.read_event();
        let position = reader.buffer_position();
        let fault = |(expected, found): Misfit| Fault::new(line(text, position), expected, found);
        match event {
            Err(error) => return Err(fault((String::from("well-formed XML"), error.to_string()))),
            Ok(Event::Start(element)) => report.start(&element).map_err(fault)?,
            Ok(Event::Empty(element)) => {
                report.start(&element).map_err(fault)?;
                report.end().map_err(fault)?;
            }
            Ok(Event::End(_)) => report.end().map_err(fault)?,
            Ok(Event::DocType(_)) => {
                return Err(fault((
                    String::from("a report without a document type"),
                    String::from("one with it"),
                )));
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
        }
    }
    if !report.root || !report.open.is_empty() {
        let expected =
            if report.root { "the end of its elements" } else { "`<testsuites>` or `<testsuite>`" };
        return Err(Fault::new(line(text, text.len() as u64), expected, "the end"));
    }
    Ok(report.failed)
}

type Misfit = (String, String);

impl Report {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Misfit> {
        let name = element.local_name().as_ref().to_owned();
        if self.open.len() >= DEEPEST {
            return Err((format!("elements nested at most {DEEPEST} deep"), String::from("deeper ones")));
        }
        if self.open.is_empty() {
            let known = matches!(name.as_str(), "testsuites" | "testsuite") && !self.root;
            if !known {
                let found = name.chars().take(60).collect::<String>();
                return Err((String::from("`<testsuites>` or `<testsuite>`"), format!("`<{found}>`")));
            }
            self.root = true;
        }
        match name.as_str() {
            "testsuite" => self.suites.push(suite(element)?),
            "testcase" => {
                (self.in_case, self.case_failed) = (true, false);
                self.each(|suite| suite.found_tests += 1);
            }
            "failure" | "error" if self.in_case => {
                self.case_failed = true;
                self.each(|suite| suite.found_bad += 1);
            }
            _ => {}
        }
        self.open.push(name);
        Ok(())
    }

    fn each(&mut self, act: impl Fn(&mut Suite)) {
        self.suites.iter_mut().for_each(act);
    }

    fn end(&mut self) -> Result<(), Misfit> {
        let name = self.open.pop().unwrap_or_default();
        match name.as_str() {
            "testcase" => {
                self.failed += usize::from(self.case_failed);
                self.in_case = false;
            }
            "testsuite" => {
                let Some(suite) = self.suites.pop() else { return Ok(()) };
                let fits = |said: Option<usize>, found| said.is_none_or(|said| said == found);
                if !fits(suite.tests, suite.found_tests) || !fits(suite.bad, suite.found_bad) {
                    let said = |number: Option<usize>| {
                        number.map_or_else(|| String::from("any"), |number| number.to_string())
                    };
                    let expected = format!(
                        "a suite of {} tests and {} failures and errors",
                        said(suite.tests),
                        said(suite.bad)
                    );
                    return Err((expected, format!("{} and {}", suite.found_tests, suite.found_bad)));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What a suite says of itself.
fn suite(element: &BytesStart<'_>) -> Result<Suite, Misfit> {
    let (mut suite, mut bad) = (Suite::default(), [None, None]);
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| (String::from("attributes"), error.to_string()))?;
        let number = || {
            let text = &attribute.value;
            let number = text.trim().parse::<usize>().ok();
            number.ok_or_else(|| {
                (
                    String::from("a number of tests"),
                    format!("`{}`", text.chars().take(20).collect::<String>()),
                )
            })
        };
        match attribute.key.local_name().as_ref() {
            "tests" => suite.tests = Some(number()?),
            "failures" => bad[0] = Some(number()?),
            "errors" => bad[1] = Some(number()?),
            _ => {}
        }
    }
    suite.bad = bad[0].map(|failures| failures.saturating_add(bad[1].unwrap_or(0)));
    Ok(suite)
}

/// The line of a byte, from 1.
fn line(text: &str, position: u64) -> u64 {
    let end = usize::try_from(position).unwrap_or(usize::MAX).min(text.len());
    let before = text.as_bytes().get(..end).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u64
}
