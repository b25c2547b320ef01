//! Coverage for people: what no test reaches, beside its line, and a table by file and pack.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use hence_ruletest::coverage::{Coverage, FileCoverage, Point, PointKind, Share};

use super::super::diagnostics::count;
use super::super::terminal::{self, Out};

const GAP: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes the gaps and the table; with `verbose` also the refusals of atoms that give a rule its values.
pub(super) fn print(coverage: &Coverage, verbose: bool) -> io::Result<()> {
    let mut out = terminal::text();
    writeln!(out)?;
    for file in &coverage.files {
        gaps(&mut out, file, verbose)?;
    }
    let hidden = coverage.files.iter().flat_map(FileCoverage::gaps).filter(|point| point.binds).count();
    if hidden > 0 && !verbose {
        let literals = count(hidden, "literal");
        out.paint(DIM, format_args!("not shown: {literals} only binding values (--verbose shows them)"))?;
        writeln!(out)?;
        writeln!(out)?;
    }
    out.lines(&table(coverage))
}

/// The lines of a file on which something is not reached, each with what is missing.
fn gaps(out: &mut Out, file: &FileCoverage, verbose: bool) -> io::Result<()> {
    let mut by_line: BTreeMap<usize, Vec<&Point>> = BTreeMap::new();
    let shown = file.gaps().filter(|point| verbose || !point.binds);
    shown.for_each(|point| by_line.entry(point.line).or_default().push(point));
    if by_line.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", file.name)?;
    let lines: Vec<&str> = file.text.lines().collect();
    for (line, points) in by_line {
        let text = line.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or("");
        out.paint(DIM, format_args!("{line:>5} |"))?;
        writeln!(out, " {text}")?;
        for gap in messages(&points) {
            write!(out, "      ")?;
            out.paint(DIM, "|")?;
            write!(out, " ")?;
            out.paint(GAP, gap)?;
            writeln!(out)?;
        }
    }
    writeln!(out)
}

/// What is missing on a line: of a rule that never fires no more than that.
pub(super) fn messages(points: &[&Point]) -> Vec<String> {
    if let Some(rule) = points.iter().find(|point| point.kind == PointKind::Rule) {
        return vec![format!("`{}` {}", rule.rule, rule.gap())];
    }
    points.iter().map(|point| point.gap()).collect()
}

/// The shares that a row of the table shows.
struct Row {
    lines: Share,
    refused: Share,
    boundaries: Share,
    sentences: Share,
    total: Share,
}

impl Row {
    fn of(file: &FileCoverage) -> Self {
        Self {
            lines: file.line_share(),
            refused: file.kind(|kind| kind == PointKind::Refused),
            boundaries: file.kind(PointKind::is_boundary),
            sentences: file.kind(|kind| kind == PointKind::Sentence),
            total: file.total(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines.and(other.lines),
            refused: self.refused.and(other.refused),
            boundaries: self.boundaries.and(other.boundaries),
            sentences: self.sentences.and(other.sentences),
            total: self.total.and(other.total),
        }
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let shares = [self.lines, self.refused, self.boundaries, self.sentences, self.total];
        std::iter::once(name.to_owned()).chain(shares.into_iter().map(percent)).collect()
    }
}

fn table(coverage: &Coverage) -> String {
    let header = ["file", "lines", "refusals", "boundaries", "sentences", "all"];
    let mut rows = Vec::new();
    let mut packs: BTreeMap<&str, Vec<&FileCoverage>> = BTreeMap::new();
    coverage.files.iter().for_each(|file| packs.entry(file.pack()).or_default().push(file));
    let sum = |files: &[&FileCoverage]| files.iter().map(|file| Row::of(file)).reduce(Row::and);
    for (pack, files) in &packs {
        rows.extend(files.iter().map(|file| Row::of(file).cells(&file.name)));
        if files.len() > 1 {
            rows.extend(sum(files).map(|row| row.cells(&format!("pack {pack}"))));
        }
    }
    let all: Vec<&FileCoverage> = coverage.files.iter().collect();
    rows.extend(sum(&all).map(|row| row.cells("everything")));
    super::pretty::columns(&header, &rows)
}

/// `98.5 %`, rounded down, so that 100 means all; `–` of nothing.
pub(super) fn percent(share: Share) -> String {
    if share.all == 0 {
        return String::from("–");
    }
    let tenths = share.reached * 1000 / share.all;
    if tenths.is_multiple_of(10) {
        format!("{} %", tenths / 10)
    } else {
        format!("{}.{} %", tenths / 10, tenths % 10)
    }
}
