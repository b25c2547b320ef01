//! `hence report`: the morning brief, the weekly digest and the account of costs, as rules derive their lines and figures.

mod html;
mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use hence_core::fact::Fact;
use hence_core::file;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::SessionError;

use super::past::{Asking, Subject};
use super::terminal::each_line;
use super::{DONE, Failure, Outcome, UNDETERMINED, output, terminal};

/// The relations that hold lines and figures.
const LINES: &str = "report_line";
const FIGURES: &str = "report_figure";

/// Print a report as rules derive it: the morning brief, the weekly digest, or what models cost
#[derive(Debug, Args)]
#[command(after_help = "Example: hence report brief --pack loop --format html -o brief.html")]
pub(super) struct Report {
    /// The report
    kind: Kind,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "md")]
    format: ReportFormat,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The night, patterns, proposals that wait, what is unresolved, and how the agent does
    Brief,
    /// Week over week: figures, patterns, performance, costs, and what to improve
    Digest,
    /// What models cost, by tier, model, day and week
    Cost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Markdown.
    Md,
    /// One self-contained HTML page with small charts.
    Html,
}

/// A report, ready to be written.
struct Page {
    title: String,
    sections: Vec<Section>,
}

/// A section of a report.
#[derive(Default)]
struct Section {
    title: String,
    /// Its lines, ascending.
    lines: BTreeSet<String>,
    /// Its figures: the instants at which their spans begin, ascending, with their values.
    figures: BTreeMap<String, BTreeMap<i64, f64>>,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Brief => "/brief",
            Self::Digest => "/digest",
            Self::Cost => "/cost",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Brief => "Morning brief",
            Self::Digest => "Weekly digest",
            Self::Cost => "Costs",
        }
    }

    /// The sections that it always has, in their order.
    fn sections(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Brief => &[
                ("/overnight", "Overnight"),
                ("/patterns", "Patterns and correlations"),
                ("/proposals", "Pending proposals"),
                ("/unresolved", "Unresolved since yesterday"),
                ("/self_assessment", "Self-assessment"),
            ],
            Self::Digest => &[
                ("/comparison", "Week over week"),
                ("/trends", "Pattern trends"),
                ("/performance", "Performance of the agent"),
                ("/cost", "Cost by tier"),
                ("/improvements", "Proposed improvements"),
            ],
            Self::Cost => &[
                ("/by_tier", "By tier"),
                ("/by_model", "By model"),
                ("/by_day", "Day by day"),
                ("/by_week", "Week by week"),
            ],
        }
    }
}

impl Report {
    pub(super) fn run(self) -> Outcome {
        let Asking { session, now, .. } = self.subject.session()?;
        let declared = |name: &str| session.rules().program.find(Symbol::new(name)).is_some();
        if !declared(LINES) || !declared(FIGURES) {
            return Err(Failure::Usage(format!(
                "the rules have no `{LINES}` and `{FIGURES}`; the pack `loop` has them: add `--pack loop`"
            )));
        }
        let derived = session.derive(&[LINES.to_owned(), FIGURES.to_owned()], now)?;
        output::reports(&derived.reports);
        let facts = derived.relations.iter().flat_map(|(_, _, facts)| facts);
        let page = Page::of(self.kind, now, facts);
        let text = match self.format {
            ReportFormat::Md => page.markdown(),
            ReportFormat::Html => page.html(),
        };
        let text = each_line(&text);
        match self.output {
            Some(path) => {
                file::write(&path, text.as_bytes())
                    .map_err(|source| SessionError::Write { path: path.clone(), source })?;
                output::aside(&format!("{} written", path.display()));
            }
            None => terminal::text().lines(&text)?,
        }
        Ok(if derived.undetermined.is_empty() { DONE } else { UNDETERMINED })
    }
}

impl Page {
    fn of<'f>(kind: Kind, now: i64, facts: impl Iterator<Item = &'f Fact>) -> Self {
        let title = format!("{}, {}", kind.title(), Value::Time(now).text());
        let mut known: Vec<(&str, Section)> = kind
            .sections()
            .iter()
            .map(|(name, title)| (*name, Section { title: (*title).to_owned(), ..Section::default() }))
            .collect();
        let mut more: BTreeMap<String, Section> = BTreeMap::new();
        for fact in facts {
            let (of_report, name) = match fact.values.as_slice() {
                [Value::Name(report), Value::Name(section), ..] => (report.as_str() == kind.name(), section),
                _ => continue,
            };
            if of_report {
                let section = match known.iter_mut().find(|(known, _)| *known == name.as_str()) {
                    Some((_, section)) => section,
                    None => more.entry(name.as_str().to_owned()).or_default(),
                };
                section.take(fact);
            }
        }
        let more = more.into_iter().map(|(name, section)| Section { title: plain(&name), ..section });
        Self { title, sections: known.into_iter().map(|(_, section)| section).chain(more).collect() }
    }
}

impl Section {
    fn take(&mut self, fact: &Fact) {
        match fact.values.as_slice() {
            [_, _, Value::String(line)] => drop(self.lines.insert(line.as_str().to_owned())),
            [_, _, Value::String(figure), Value::Time(start), Value::Float(value)] => {
                let values = self.figures.entry(figure.as_str().to_owned()).or_default();
                values.insert(*start, value.get());
            }
            _ => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.figures.is_empty()
    }
}

/// The name of a section that a report does not always have, as a title.
fn plain(name: &str) -> String {
    let words = name.trim_start_matches('/').replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A value of a figure, to at most four digits after the point.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The last value of a figure, the one before it, and how they differ, as text.
fn ends(values: &BTreeMap<i64, f64>) -> (String, String, String) {
    let mut last = values.values().rev();
    let (last, before) = (last.next(), last.next());
    let text = |value: Option<&f64>| value.map_or_else(|| String::from("–"), |value| number(*value));
    let change = last.zip(before).map_or_else(String::new, |(last, before)| {
        let change = number((last - before).abs());
        match last.total_cmp(before) {
            std::cmp::Ordering::Equal => String::from("±0"),
            std::cmp::Ordering::Less => format!("−{change}"),
            std::cmp::Ordering::Greater => format!("+{change}"),
        }
    });
    (text(last), text(before), change)
}

/// The share of each value of the span from the least to the most, where 0 counts as one of them.
fn shares(values: &BTreeMap<i64, f64>) -> Vec<f64> {
    let least = values.values().copied().fold(0.0, f64::min);
    let most = values.values().copied().fold(0.0, f64::max);
    let span = most - least;
    values.values().map(|value| if span > 0.0 { (value - least) / span } else { 0.0 }).collect()
}
