//! The output of pytest: one line at the end says how many tests ended how.

use super::report::{Fault, Line, Verdict, counts, total};

/// What a summary counts.
const OUTCOMES: [&str; 11] = [
    "failed",
    "passed",
    "skipped",
    "deselected",
    "xfailed",
    "xpassed",
    "error",
    "errors",
    "warning",
    "warnings",
    "rerun",
];

pub(super) fn failed(lines: &[Line]) -> Verdict {
    let begun =
        lines.iter().any(|line| line.text.starts_with('=') && line.text.contains(" test session starts "));
    let summaries: Vec<(&Line, usize)> =
        lines.iter().filter_map(|line| Some((line, summary(&line.text)?))).collect();
    let named = lines.iter().skip_while(|line| !line.text.contains(" short test summary info "));
    let named =
        named.filter(|line| line.text.starts_with("FAILED ") || line.text.starts_with("ERROR ")).count();
    match summaries.as_slice() {
        [] if begun => {
            let end = lines.last().map_or(1, |line| line.number);
            Some(Err(Fault::new(
                end,
                "the summary of pytest, such as `1 failed, 2 passed in 0.12s`",
                "the end",
            )))
        }
        [] => None,
        [(line, failed)] if named > *failed => {
            Some(Err(line.fault(&format!("a summary that counts the {named} failures before it"))))
        }
        [(_, failed)] => Some(Ok(*failed)),
        [_, (second, _), ..] => Some(Err(second.fault("one summary of pytest"))),
    }
}

/// How many tests failed or could not run, by a line such as `== 1 failed, 2 passed in 0.12s ==`.
fn summary(line: &str) -> Option<usize> {
    let line = line.trim_matches('=').trim();
    let (said, time) = line.rsplit_once(" in ")?;
    let time = time.split(' ').next()?.strip_suffix('s')?;
    if time.is_empty() || !time.chars().all(|letter| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    if said == "no tests ran" {
        return Some(0);
    }
    let counts = counts(said)?;
    let known = counts.iter().all(|(_, word)| OUTCOMES.contains(word)) && !counts.is_empty();
    known.then(|| total(&counts, &["failed", "error", "errors"]))
}
