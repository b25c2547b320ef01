//! The output of `cargo test`: each test program says how many tests it runs, and how they ended.

use super::report::{Fault, Line, Verdict, counts, total};

/// A test program at work: where it began, how many tests it has, and how many failures it has named.
struct Running {
    line: u64,
    tests: usize,
    named: usize,
}

pub(super) fn failed(lines: &[Line]) -> Verdict {
    let mut seen = false;
    let mut failed = 0_usize;
    let mut running: Option<Running> = None;
    for line in lines {
        let text = line.text.as_str();
        if let Some(tests) = begins(text) {
            seen = true;
            if running.is_some() {
                return Some(Err(line.fault("the `test result:` of the tests before")));
            }
            running = Some(Running { line: line.number, tests, named: 0 });
        } else if let Some(result) = text.strip_prefix("test result: ") {
            let Some(program) = running.take() else {
                return Some(Err(line.fault("`running N tests` before it")));
            };
            match outcome(result, &program) {
                Some(count) => failed = failed.saturating_add(count),
                None => return Some(Err(line.fault(&format!("a result of {} tests", program.tests)))),
            }
        } else if text.starts_with("error: could not compile ") {
            seen = true;
            failed = failed.saturating_add(1);
        } else if text.contains("process didn't exit successfully") {
            // It died, and what it had not reported is not known.
            failed =
                failed.saturating_add(running.take().map_or(0, |program| program.named.saturating_add(1)));
        } else if let Some(program) = &mut running
            && text.starts_with("test ")
            && text.ends_with("... FAILED")
        {
            program.named += 1;
        }
    }
    if let Some(Running { line, tests, .. }) = running {
        let expected = format!("the `test result:` of the {tests} tests that begin at line {line}");
        let end = lines.last().map_or(1, |line| line.number);
        return Some(Err(Fault::new(end, expected, "the end")));
    }
    seen.then_some(Ok(failed))
}

/// The number of `running 3 tests`.
fn begins(text: &str) -> Option<usize> {
    let (number, rest) = text.strip_prefix("running ")?.split_once(' ')?;
    let number = number.parse().ok()?;
    matches!(rest, "test" | "tests").then_some(number)
}

/// How many tests failed by `ok. 2 passed; 0 failed; …`; `None` where that can't be of these tests.
fn outcome(result: &str, program: &Running) -> Option<usize> {
    let (word, rest) = result.split_once(". ")?;
    let rest = rest.split("; finished in").next()?;
    let counts = counts(rest)?;
    let failed = total(&counts, &["failed"]);
    let fits = total(&counts, &["passed", "failed", "ignored", "measured"]) == program.tests
        && (word == "ok") == (failed == 0)
        && program.named <= failed;
    fits.then_some(failed)
}
