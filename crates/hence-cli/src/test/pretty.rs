//! A test report for people: what failed, why, and a count.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use hence_core::literal::visible;
use hence_ruletest::{FILLED, RowDifference, SuiteReport, TestFailure, TestReport, TestVerdict};

use super::super::diagnostics::count;
use super::super::terminal::{self, Out};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Writes the failures and a count; with `verbose` every test by name.
pub(super) fn print(report: &SuiteReport, verbose: bool) -> io::Result<()> {
    let mut out = terminal::text();
    for file in &report.files {
        let wanted = |test: &&TestReport| verbose || !matches!(test.verdict, TestVerdict::Passed);
        let tests: Vec<&TestReport> = file.tests.iter().filter(wanted).collect();
        if tests.is_empty() {
            continue;
        }
        writeln!(out, "{}", file.name)?;
        tests.iter().try_for_each(|test| one(&mut out, test))?;
        writeln!(out)?;
    }
    summary(&mut out, report)
}

fn one(out: &mut Out, test: &TestReport) -> io::Result<()> {
    match &test.verdict {
        TestVerdict::Passed => {
            named(out, GOOD, "pass", test)?;
            writeln!(out)
        }
        TestVerdict::Broken(why) => {
            named(out, BAD, "can't run", test)?;
            write!(out, " ")?;
            out.paint(DIM, format_args!("({})", test.place))?;
            writeln!(out)?;
            why.lines().try_for_each(|line| writeln!(out, "    {line}"))
        }
        TestVerdict::Failed(failures) => {
            named(out, BAD, "FAIL", test)?;
            writeln!(out)?;
            failures.iter().try_for_each(|failure| explain(out, failure))
        }
    }
}

fn named(out: &mut Out, style: Style, verdict: &str, test: &TestReport) -> io::Result<()> {
    write!(out, "  ")?;
    out.paint(style, verdict)?;
    write!(out, " {}", test.name)
}

fn explain(out: &mut Out, failure: &TestFailure) -> io::Result<()> {
    write!(out, "    expected ")?;
    out.paint(DIM, format_args!("at {}", failure.place))?;
    if let Some(step) = &failure.step {
        write!(out, ", in {step}")?;
    }
    writeln!(out)?;
    failure.text.lines().try_for_each(|line| writeln!(out, "        {}", line.trim()))?;
    writeln!(out, "    {}", failure.says)?;
    failure.instead.iter().try_for_each(|fact| writeln!(out, "        {fact}"))?;
    if failure.more > 0 {
        write!(out, "        ")?;
        out.paint(DIM, format_args!("and {} more", failure.more))?;
        writeln!(out)?;
    }
    for row in &failure.difference {
        let style = if matches!(row, RowDifference::Missing(_)) { BAD } else { GOOD };
        write!(out, "        ")?;
        out.paint(style, row)?;
        writeln!(out)?;
    }
    if !failure.why.is_empty() {
        writeln!(out, "    because")?;
        failure.why.iter().try_for_each(|line| writeln!(out, "        {line}"))?;
    }
    if !failure.filled.is_empty() {
        writeln!(out, "    {FILLED}")?;
        failure.filled.iter().try_for_each(|line| writeln!(out, "        {line}"))?;
    }
    Ok(())
}

fn summary(out: &mut Out, report: &SuiteReport) -> io::Result<()> {
    for (number, what) in [(report.failed(), "failed"), (report.broken(), "could not run")] {
        if number > 0 {
            out.paint(BAD, format_args!("{number} {what}"))?;
            write!(out, ", ")?;
        }
    }
    out.paint(GOOD, format_args!("{} passed", report.passed()))?;
    write!(out, " in {} ", count(report.files.len(), "file"))?;
    out.paint(DIM, format_args!("({})", seconds(report.elapsed)))?;
    writeln!(out)
}

/// `0.12 s`.
pub(super) fn seconds(elapsed: Duration) -> String {
    format!("{:.2} s", elapsed.as_secs_f64())
}

/// Columns of text under a header: the first to the left, the others to the right.
pub(crate) fn columns(header: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<Cow<'_, str>>> =
        rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let wide = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        cells.chain(header.get(at).map(|cell| cell.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(wide).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let head = line(&mut header.iter().copied());
    let body = rows.iter().map(|row| line(&mut row.iter().map(AsRef::as_ref)));
    std::iter::once(head).chain(body).collect::<Vec<_>>().join("\n")
}
