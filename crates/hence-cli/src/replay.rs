//! `hence replay`: the recorded history drawn again, under its own rules or under others.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use hence_core::literal::visible;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::Ledger;
use hence_session::{Flip, Replayed, RuleSet};

use super::diagnostics::count;
use super::flips::Report;
use super::options::{EngineOptions, FactOptions, RangeOptions, RuleOptions, parameter};
use super::{DONE, Failure, NO, Outcome, open, output, progress, terminal};

/// Draw recorded decisions again under other rules or parameters, and report those that flip
#[derive(Debug, Args)]
#[command(
    after_help = "For each decision that flips, `before` says why it held or not under the recorded rules, \
        and `after` why it holds or not under the others.\n\nWith `--threads N` the history is drawn again in N parts at \
        once; each part takes the memory of all facts.\n\nExample: hence replay --set lowest_score=0.3"
)]
pub(super) struct Replay {
    /// A file or folder of other rules, repeatable [default: the rules that drew each decision]
    #[arg(long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// Another value of a parameter, in the rules that have it
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    sets: Vec<(Symbol, Value)>,
    #[command(flatten)]
    range: RangeOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print how many decisions flip by rule and by week, with an example of each, instead of every flip
    #[arg(long)]
    report: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: ReplayFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReplayFormat {
    /// Readable text.
    Text,
    /// One JSON document.
    Json,
    /// One JSON document per flip.
    Jsonl,
}

impl Replay {
    pub(super) fn run(self) -> Outcome {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(String::from("a replay needs a ledger, but --facts names files")));
        }
        self.facts.existing_store("")?;
        let ledger = open::ledger(&self.facts, true)?;
        let range = self.range.of(&ledger)?;
        let (ledger, range) = self.with_archive(ledger, range)?;
        let rules = self.other_rules()?;
        let engine = self.engine.engine();
        let replay = hence_session::Replay {
            ledger: &ledger,
            rules: rules.as_ref(),
            sets: &self.sets,
            from: *range.start(),
            to: *range.end(),
            engine: engine.as_ref(),
            limits: self.engine.limits(),
            lenient: self.engine.lenient()?,
            explained: if self.report { 1 } else { usize::MAX },
            threads: self.engine.given_threads().unwrap_or(1),
        };
        replay.check_sets()?;
        let report = self.report.then(Report::default);
        let mut shown = Shown { format: self.format, flips: 0, report };
        shown.begin()?;
        let mut written = Ok(());
        let bar = indicatif::ProgressBar::new(replay.to);
        let mut at = None;
        let mut reached = |tx| {
            at = Some(tx);
            bar.set_position(tx);
        };
        let replayed = replay.run(&mut reached, &mut |flip| {
            written = bar.suspend(|| shown.flip(&flip));
            written.is_ok()
        });
        bar.finish_and_clear();
        written?;
        shown.end(replayed.as_ref().ok())?;
        if let (Err(error), Some(at)) = (&replayed, at) {
            progress::note_reached(error, at, replay.to);
        }
        let replayed = replayed?;
        if replayed.erased > 0 {
            output::note(&format!(
                "{} can't be drawn again: the personal values they rest on were erased, or their keys are not here",
                count(replayed.erased as usize, "decision")
            ));
        }
        Ok(if replayed.flips == 0 { DONE } else { NO })
    }

    /// The history with what is archived of it, where that is asked for; without it, and unless it is named, what
    /// follows.
    fn with_archive(
        &self,
        ledger: Ledger,
        range: RangeInclusive<u64>,
    ) -> Result<(Ledger, RangeInclusive<u64>), Failure> {
        let end = match ledger.archived() {
            Some((end, _)) if *range.start() <= end => end,
            _ => return Ok((ledger, range)),
        };
        if let Some(whole) = ledger.whole_history().map_err(open::failure)? {
            return Ok((whole, range));
        }
        if self.range.begins() || *range.end() <= end {
            return Ok((ledger, range));
        }
        output::note(&format!(
            "the decisions of transactions 1 to {end} are archived elsewhere and not drawn again"
        ));
        Ok((ledger, end + 1..=*range.end()))
    }

    /// The rules to draw decisions by, where they are not each transaction's own.
    fn other_rules(&self) -> Result<Option<RuleSet>, Failure> {
        if self.rules.is_empty() {
            return Ok(None);
        }
        Ok(Some(RuleOptions::named(&self.rules, &[], &[]).source().build()?))
    }
}

/// Flips as they are shown, one after the other.
struct Shown {
    format: ReplayFormat,
    flips: usize,
    /// Where a report is wanted and not each flip.
    report: Option<Report>,
}

impl Shown {
    fn begin(&self) -> io::Result<()> {
        match self.format {
            _ if self.report.is_some() => Ok(()),
            ReplayFormat::Json => writeln!(terminal::json(), "{{\n  \"flips\": ["),
            ReplayFormat::Text | ReplayFormat::Jsonl => Ok(()),
        }
    }

    fn flip(&mut self, flip: &Flip) -> io::Result<()> {
        let first = self.flips == 0;
        self.flips += 1;
        if let Some(report) = &mut self.report {
            report.add(flip);
            return Ok(());
        }
        match self.format {
            ReplayFormat::Text => text(flip),
            ReplayFormat::Jsonl => writeln!(terminal::json(), "{}", output::spaced(&object(flip))),
            ReplayFormat::Json => {
                let text = serde_json::to_string_pretty(&object(flip)).map_err(io::Error::other)?;
                let gap = if first { "" } else { ",\n" };
                write!(terminal::json(), "{gap}    {}", text.replace('\n', "\n    "))
            }
        }
    }

    /// Ends with what the replay came to; nothing where it reached a limit, which its error tells.
    fn end(&self, replayed: Option<&Replayed>) -> io::Result<()> {
        let counts = replayed.map(|replayed| (replayed.evaluated, replayed.decisions));
        if let (Some(report), ReplayFormat::Json | ReplayFormat::Jsonl) = (&self.report, self.format) {
            let mut all = report.json();
            if let (Some(members), Some((transactions, decisions))) = (all.as_object_mut(), counts) {
                members.extend([
                    ("transactions".to_owned(), transactions.into()),
                    ("decisions".to_owned(), decisions.into()),
                ]);
            }
            return writeln!(terminal::json(), "{}", output::spaced(&all));
        }
        if let Some(report) = &self.report {
            report.text()?;
        }
        match self.format {
            ReplayFormat::Jsonl => Ok(()),
            ReplayFormat::Json => {
                let gap = if self.flips == 0 { "" } else { "\n" };
                let counts = counts.map_or_else(
                    || String::from("  \"whole\": false"),
                    |(transactions, decisions)| {
                        format!("  \"transactions\": {transactions},\n  \"decisions\": {decisions}")
                    },
                );
                writeln!(terminal::json(), "{gap}  ],\n{counts}\n}}")
            }
            ReplayFormat::Text => {
                let Some((transactions, decisions)) = counts else { return Ok(()) };
                let flips = match self.flips {
                    0 => String::from("no decision flips"),
                    1 => String::from("1 decision flips"),
                    many => format!("{many} decisions flip"),
                };
                let steps = replayed.map_or(String::new(), stepped);
                let transactions = count(transactions as usize, "transaction");
                let decisions = count(decisions as usize, "decision");
                writeln!(terminal::text(), "{transactions} drawn again, {decisions} in all: {flips}{steps}")
            }
        }
    }
}

/// What became of the steps of effects, where there are any.
fn stepped(replayed: &Replayed) -> String {
    let steps = count(replayed.steps as usize, "step");
    match (replayed.steps, replayed.stepped_otherwise, replayed.first_otherwise) {
        (0, 0, _) => String::new(),
        (_, others, Some(first)) => {
            let transactions = count(others as usize, "transaction");
            format!("; {steps}, other ones than recorded in {transactions}, first in {first}")
        }
        _ => format!("; {steps}, as recorded"),
    }
}

/// What flipped, for people.
fn text(flip: &Flip) -> io::Result<()> {
    let (before, after) =
        if flip.stood { ("it held", "it does not hold") } else { ("it did not hold", "it holds") };
    let mut out = terminal::text();
    writeln!(out, "transaction {}: {}", flip.tx, flip.decision)?;
    if let Some((why_before, why_after)) = &flip.reasons {
        writeln!(out, "    before, {before}: {}", visible(why_before))?;
        writeln!(out, "    after, {after}: {}", visible(why_after))?;
    }
    Ok(())
}

fn object(flip: &Flip) -> serde_json::Value {
    json!({
        "transaction": flip.tx, "change": if flip.stood { "lapsed" } else { "drawn" },
        "decision": output::json_fact(&flip.decision),
        "before": flip.reasons.as_ref().map(|(before, _)| before),
        "after": flip.reasons.as_ref().map(|(_, after)| after),
    })
}
