//! `test-output`: what test runners print becomes how many tests failed, and how an attempt at a step went.

mod cargo;
mod go;
mod jest;
mod junit;
mod pytest;
mod report;

use std::path::Path;

use serde_json::Value as Json;

use super::error::ActuatorError;
use super::error_text::ErrorText;
use super::facts::{assert, count, each_object, name, string};
use super::input::{Form, Input, STANDARD_INPUT};
use super::json::{self, Object, Place};
use super::{Observer, Sink, Summary};
use hence_core::fact::Fact;
use hence_core::value::Value;
use report::Fault;

/// The name of the observer.
pub const NAME: &str = "test-output";

/// The longest output that is read, in bytes.
const LONGEST: u64 = 64 << 20;

const DECLARATIONS: &str = "\
input final_tests(plan: string, failed: int).
input attempt(plan: string, index: int, n: int, outcome: name, fixable: bool).
input failed_attempt(plan: string, index: int, n: int, outcome: name, error: string).
input error(error: string, length: int).
input error_signal(error: string, signal: name).
";

/// Turns the output of pytest, `cargo test`, `go test` (also with `-json`), jest (also with `--json`) and JUnit XML into
/// `final_tests`, and where tests failed into `error` and `error_signal` under the id `PLAN/tests`.
///
/// Which runner it was is told by the output. A test that ends with an error counts as failed, and so does what can't
/// run: a file that can't be collected, a program or package that can't be built, one that dies. Tests within a test of
/// Go count with it. Output that names no outcome, those of two runners, two outcomes where there is one, or an outcome that
/// does not fit what was printed before it, is an error: cut or forged output gives no number. (Output that was cut
/// between two packages of Go or two programs of cargo looks whole.)
///
/// A file is the output for the plan it is called like. As JSON objects: `plan`, `text`, and where it is known `exit`, the
/// status that the runner ended with, which has to fit. With `index` and `n` the object is about an attempt at a step:
/// `exit` of its check, or `write_failed` with the text of the error instead of `text`. An attempt gives `attempt` where
/// `exit` is 0, else `failed_attempt`, whose error is called `PLAN/INDEX/N`.
pub struct TestOutput {
    errors: ErrorText,
}

impl TestOutput {
    /// With the shipped table of error patterns, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { errors: ErrorText::from_tables(tables)? })
    }

    fn tests(&self, plan: &str, text: &str, exit: Option<i64>) -> Result<Vec<Fact>, Fault> {
        let failed = report::failed(text)?;
        if exit.is_some_and(|exit| (exit == 0) != (failed == 0)) {
            let expected = if failed == 0 {
                "`exit` to be 0, since no test failed"
            } else {
                "`exit` not to be 0, since tests failed"
            };
            return Err(Fault::new(report::lines_of(text), expected, "another status"));
        }
        let mut facts = vec![Fact::new("final_tests", [string(plan), count(failed)])];
        if failed > 0 {
            facts.extend(self.errors.facts(&format!("{plan}/tests"), text));
        }
        Ok(facts)
    }

    fn object(&self, object: &mut Object<'_>) -> Result<Vec<Fact>, ActuatorError> {
        let plan = object.required("plan", "the id of a plan: a string or an int", json::id)?;
        if object.has("index") {
            return self.attempt(&plan, object);
        }
        let text = object.required("text", "the output of a test runner: a string", json::text)?;
        let exit = object.optional("exit", "an exit status: an int", Json::as_i64)?;
        let place = object.place;
        self.tests(&plan, &text, exit).map_err(|fault| {
            place.fault(&fault.expected, &format!("{} (line {} of `text`)", fault.found, fault.line))
        })
    }

    fn attempt(&self, plan: &str, object: &mut Object<'_>) -> Result<Vec<Fact>, ActuatorError> {
        let from = |least: i64| move |value: &Json| value.as_i64().filter(|number| *number >= least);
        let index = object.required("index", "the index of a step: 0 or more", from(0))?;
        let n = object.required("n", "the number of an attempt: 1 or more", from(1))?;
        let which = [string(plan), Value::Int(index), Value::Int(n)];
        let write = object.optional("write_failed", "the text of an error: a string", json::text)?;
        let (outcome, text) = match write {
            Some(text) => ("/write_failed", text),
            None => {
                let exit = object.required("exit", "an exit status: an int", Json::as_i64)?;
                let text = object.optional("text", "the output of a check: a string", json::text)?;
                if exit == 0 {
                    let columns = which.into_iter().chain([name("/ok"), Value::Bool(true)]);
                    return Ok(vec![Fact::new("attempt", columns.collect::<Vec<_>>())]);
                }
                ("/type_error", text.unwrap_or_default())
            }
        };
        let error = format!("{plan}/{index}/{n}");
        let columns = which.into_iter().chain([name(outcome), string(&error)]);
        let mut facts = vec![Fact::new("failed_attempt", columns.collect::<Vec<_>>())];
        facts.extend(self.errors.facts(&error, &text));
        Ok(facts)
    }
}

/// How many tests failed by the output of a test runner; `None` where it does not say.
#[cfg(all(feature = "scan", unix))]
pub(super) fn failed(text: &str) -> Option<usize> {
    report::failed(text).ok()
}

impl Observer for TestOutput {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "output of pytest, cargo test, go test, jest, and JUnit XML: how many tests failed"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Text, Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        if input.form(NAME, self.forms())? == Form::Json {
            return each_object(input, sink, |object| self.object(object));
        }
        let mut summary = Summary::default();
        let place = Place { input: input.name(), line: 1 };
        if place.input == STANDARD_INPUT {
            return Err(place.fault("a file called like its plan, or objects with `plan`", "standard input"));
        }
        let text = input.into_text(LONGEST)?;
        let stem = Path::new(place.input).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let plan = stem.unwrap_or_else(|| place.input.to_owned());
        let facts = self
            .tests(&plan, &text, None)
            .map_err(|fault| Place { line: fault.line, ..place }.fault(&fault.expected, &fault.found))?;
        assert(facts, &mut summary, sink)?;
        Ok(summary)
    }
}
