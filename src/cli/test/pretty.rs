//! A test report for people: what failed, why, and a count.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use crate::ruletest::{Difference, Failure, Report, TestReport, Verdict};

use super::super::diagnostics::count;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Writes the failures and a count; with `verbose` every test by name.
pub(super) fn print(report: &Report, verbose: bool) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    for file in &report.files {
        let wanted = |test: &&TestReport| verbose || !matches!(test.verdict, Verdict::Passed);
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

fn one(out: &mut impl Write, test: &TestReport) -> io::Result<()> {
    match &test.verdict {
        Verdict::Passed => writeln!(out, "  {GOOD}pass{GOOD:#} {}", test.name),
        Verdict::Broken(why) => {
            writeln!(out, "  {BAD}can't run{BAD:#} {} {DIM}({}){DIM:#}", test.name, test.place)?;
            why.lines().try_for_each(|line| writeln!(out, "    {line}"))
        }
        Verdict::Failed(failures) => {
            writeln!(out, "  {BAD}FAIL{BAD:#} {}", test.name)?;
            failures.iter().try_for_each(|failure| explain(out, failure))
        }
    }
}

fn explain(out: &mut impl Write, failure: &Failure) -> io::Result<()> {
    writeln!(out, "    expected {DIM}at {}{DIM:#}", failure.place)?;
    failure.text.lines().try_for_each(|line| writeln!(out, "        {}", line.trim()))?;
    writeln!(out, "    {}", failure.says)?;
    failure.instead.iter().try_for_each(|fact| writeln!(out, "        {fact}"))?;
    if failure.more > 0 {
        writeln!(out, "        {DIM}and {} more{DIM:#}", failure.more)?;
    }
    for row in &failure.difference {
        let style = if matches!(row, Difference::Missing(_)) { BAD } else { GOOD };
        writeln!(out, "        {style}{row}{style:#}")?;
    }
    if !failure.why.is_empty() {
        writeln!(out, "    because")?;
        failure.why.iter().try_for_each(|line| writeln!(out, "        {line}"))?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let mut parts = Vec::new();
    if report.failed() > 0 {
        parts.push(format!("{BAD}{} failed{BAD:#}", report.failed()));
    }
    if report.broken() > 0 {
        parts.push(format!("{BAD}{} could not run{BAD:#}", report.broken()));
    }
    parts.push(format!("{GOOD}{} passed{GOOD:#}", report.passed()));
    let files = count(report.files.len(), "file");
    writeln!(out, "{} in {files} {DIM}({}){DIM:#}", parts.join(", "), seconds(report.elapsed))
}

/// `0.12 s`.
pub(super) fn seconds(elapsed: Duration) -> String {
    format!("{:.2} s", elapsed.as_secs_f64())
}

/// Columns of text under a header: the first to the left, the others to the right.
pub(in crate::cli) fn columns(header: &[&str], rows: &[Vec<String>]) -> String {
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
    let body = rows.iter().map(|row| line(&mut row.iter().map(String::as_str)));
    std::iter::once(head).chain(body).collect::<Vec<_>>().join("\n")
}
